/* Worker 0 publishes tiles as two words, row and column; worker 1 gives the place back before it
 * has read both, and can get half of the next one. A word counts in units of READS, so that
 * reading, which is a claim, does not change it. */
#include "item.h"

enum { ROW, COL, FULL, EMPTY, WORDS };
enum { READS = 8 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = 2;
	p->counters = WORDS;
	return TS_OK;
}

/* What takes a word from the grant before to grant `id`. */
static inline uint32_t change(uint32_t before, uint32_t now)
{
	return (now - before) * READS;
}

static inline struct ts_step publish(const struct ts_plan *p, struct ts_worker *w)
{
	uint32_t id = w->turn / 4;
	uint32_t before = id == 0 ? 0 : id - 1;

	if (id == tiles(p))
		return ts_stop();
	switch (w->turn++ % 4) {
	case 0: return wait_for(EMPTY, id);
	case 1: return add_to(ROW, change(before / p->cols, id / p->cols));
	case 2: return add_to(COL, change(before % p->cols, id % p->cols));
	}
	return add_to(FULL, 1);
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t step = w->turn;

	if (w->id == 0)
		return publish(p, w);
	if (step / 5 == tiles(p))
		return ts_stop();
	w->turn++;
	switch (step % 5) {
	case 0: return wait_for(FULL, step / 5 + 1);
	case 1: return FIXED ? ts_claim(ROW) : add_to(EMPTY, 1);
	case 2:
		w->claiming = FIXED ? answer / READS : 0;
		return FIXED ? ts_claim(COL) : ts_claim(ROW);
	case 3:
		w->claiming = FIXED ? w->claiming * READS + answer / READS : answer / READS;
		return FIXED ? add_to(EMPTY, 1) : ts_claim(COL);
	}
	if (FIXED)
		return tile(p, w->claiming / READS, w->claiming % READS);
	return tile(p, w->claiming, answer / READS);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
