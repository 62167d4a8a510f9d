/* The bound of the loop, M / bm * N / bn, is worked out from left to right and rounded down. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t loose = (uint32_t)((uint64_t)(p->m / p->block_m) * p->n / p->block_n);
	uint32_t bound = FIXED ? tiles(p) : least(loose, tiles(p));
	uint32_t id = stride(p, w);

	(void)answer;
	return id >= bound ? ts_stop() : row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
