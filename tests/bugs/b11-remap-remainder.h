/* A chiplet remap that forgets the longer shares of the first chiplets. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = tiles(p);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t xcd = w->id % p->domains;
	uint32_t base = tiles(p) / p->domains * xcd;
	uint32_t first = FIXED ? share_first(tiles(p), p->domains, xcd) : base;

	(void)answer;
	return w->turn++ > 0 ? ts_stop() : row_major(p, first + w->id / p->domains);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
