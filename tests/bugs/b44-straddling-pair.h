/* Two groups of tiles, back to back; CTAs 2i and 2i + 1 are a pair that can send each other the
 * same operand. A CTA asks only its own tile whether they do. With an odd number of tiles in a
 * group one pair lies across both, where one CTA may wait for what the other does not send. */
#include "item.h"

struct place {
	uint32_t group, row, col, high;
};

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = tiles(p);
	p->counters = tiles(p);
	return p->rows % 2 == 0 ? TS_OK : TS_BAD_SIZE;
}

/* In panels of eight rows; of an odd last one, the last row is a panel of its own. */
static inline struct place place_of(const struct ts_plan *p, uint32_t id)
{
	uint32_t rows = p->rows / 2;
	uint32_t group = id / (rows * p->cols);
	uint32_t within = id % (rows * p->cols);
	uint32_t first = within / (8 * p->cols) * 8;
	uint32_t high = least(8, rows - first);
	uint32_t even = high - high % 2;
	struct place at;

	within %= 8 * p->cols;
	if (within >= even * p->cols) {
		within -= even * p->cols;
		first += even;
		high = 1;
	} else {
		high = even;
	}
	at.group = group;
	at.row = group * rows + first + within % high;
	at.col = within / high;
	at.high = high;
	return at;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct place mine = place_of(p, w->id);
	struct place other = place_of(p, least(w->id ^ 1, tiles(p) - 1));
	bool shared = mine.group == other.group && mine.col == other.col;
	bool sends = FIXED ? mine.high > 1 && other.high > 1 && shared : mine.high > 1;

	(void)answer;
	w->turn += w->turn == 0 && !sends ? 3 : 1;
	switch (w->turn) {
	case 1: return add_to(w->id ^ 1, 1);
	case 2: return wait_for(w->id, 1);
	case 3: return tile(p, mine.row, mine.col);
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
