/* One block a row on the y axis of a grid, which ends at 65535; the launch of a larger one fails.
 * The right form folds rows into a block until they fit. */
#include "item.h"

enum { Y_MOST = 65535 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = FIXED ? ceil_div(p->rows, ceil_div(p->rows, Y_MOST)) : p->rows;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t row = stride(p, w);

	(void)answer;
	return p->workers > Y_MOST || row >= p->rows ? ts_stop() : tile(p, row, 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
