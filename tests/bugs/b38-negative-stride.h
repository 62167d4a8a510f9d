/* The bytes of a context times a batch, in units of four, are handed on as an int. M is the
 * context, N the batch, and a row of tiles lies behind the other by that stride. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = stride(p, w);
	int64_t stride_wide = (int64_t)p->m * p->n * 2 / 4;
	int64_t offset;

	(void)answer;
	if (id >= tiles(p))
		return ts_stop();
	offset = (FIXED ? stride_wide : (int32_t)stride_wide) * (int64_t)(id / p->cols);
	return tile(p, (uint32_t)(offset / stride_wide), id % p->cols);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
