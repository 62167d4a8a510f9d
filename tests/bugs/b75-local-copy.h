/* Workers go over the k iterations of all tiles, one at a time. Which tile an iteration belongs to
 * is worked out into a copy, and the caller's stays at 0. */
#include "item.h"

static inline void divide(uint32_t at, uint32_t depth, uint32_t *ret_tile, uint32_t *ret_k)
{
	uint32_t copy = 0;

	*(FIXED ? ret_tile : &copy) = at / depth;
	*ret_k = at % depth;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t at = stride(p, w);
	uint32_t id = 0, k = 0;

	(void)answer;
	if (at >= tiles(p) * p->depth)
		return ts_stop();
	divide(at, p->depth, &id, &k);
	return part(id / p->cols, id % p->cols, k, k + 1, k == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
