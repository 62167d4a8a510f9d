/* The grid is one block, its tiles are what warps compute, and workers are warps. More warps than
 * tiles write into the neighbouring block; such shapes have to be refused. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	return FIXED && p->workers != tiles(p) ? TS_BAD_WORKERS : TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return w->turn++ > 0 ? ts_stop() : tile(p, w->id % p->rows, w->id / p->rows);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
