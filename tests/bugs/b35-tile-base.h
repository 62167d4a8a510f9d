/* A tile is found by the offset of its first row, (row of tiles * BLOCK_M) * N in 32 bits. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = stride(p, w);
	uint32_t row = id / p->cols * p->block_m;
	int64_t offset;

	(void)answer;
	if (id >= tiles(p))
		return ts_stop();
	offset = FIXED ? (int64_t)row * p->n : (int32_t)row * (int32_t)p->n;
	return tile(p, (uint32_t)(offset / p->n / p->block_m), id % p->cols);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
