/* Four workers fit, of which the caller leaves one for another kernel, here the last worker. Where
 * that budget is not looked at, the GEMM takes all places and waits for a kernel without one. */
#include "item.h"

enum { FIT = 4, BUDGET = 3 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = least(p->workers, FIXED ? BUDGET : FIT) + 1;
	p->counters = 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t grid = p->workers - 1;
	uint32_t step = w->turn++;
	uint32_t id = w->id + (step - 1) * grid;

	(void)answer;
	if (w->id == grid)
		return step == 0 ? add_to(0, 1) : ts_stop();
	if (step == 0)
		return wait_for(0, 1);
	return id >= tiles(p) ? ts_stop() : row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
