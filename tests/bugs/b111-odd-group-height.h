/* CTAs 2i and 2i + 1 each load half of the operand of their column and send it to the other. Where
 * the height of a group of rows is odd, some pairs have two columns, and wait for halves of
 * different ones. Counters are the halves that arrived, for each CTA and column. */
#include "item.h"

enum { HIGH = FIXED ? 4 : 3 };

static inline uint32_t padded_rows(const struct ts_plan *p)
{
	return FIXED ? p->rows + p->rows % 2 : p->rows;
}

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = padded_rows(p) * p->cols;
	p->counters = (p->workers + p->workers % 2) * p->cols;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t first = w->id / (HIGH * p->cols) * HIGH;
	uint32_t high = least(HIGH, padded_rows(p) - first);
	uint32_t within = w->id % (HIGH * p->cols);
	uint32_t row = first + within % high;
	uint32_t col = within / high;
	bool alone = (w->id ^ 1) >= p->workers;

	(void)answer;
	w->turn += w->turn == 0 && alone ? 3 : 1;
	switch (w->turn) {
	case 1: return add_to((w->id ^ 1) * p->cols + col, 1);
	case 2: return wait_for(w->id * p->cols + col, 1);
	case 3: return row < p->rows ? tile(p, row, col) : ts_stop();
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
