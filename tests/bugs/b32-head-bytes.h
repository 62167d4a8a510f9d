/* K is the length of the keys. How many heads fit into L2 follows from the bytes of one, which
 * outgrow 32 bits. */
#include "item.h"

enum { HEAD_WIDTH = 256, ELEMENT_BYTES = 2, L2_BYTES = 50 << 20 };

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	int64_t wide = (int64_t)p->k * (HEAD_WIDTH * ELEMENT_BYTES);
	int64_t bytes = FIXED ? wide : (int32_t)p->k * (HEAD_WIDTH * ELEMENT_BYTES);
	uint32_t fit = bytes == 0 ? p->rows : (uint32_t)(L2_BYTES / bytes);
	uint32_t heads = least(fit < 1 ? 1 : fit, p->rows);
	uint32_t id = stride(p, w);
	uint32_t first = id / (heads * p->cols) * heads;
	uint32_t high = least(heads, p->rows - first);
	uint32_t within = id % (heads * p->cols);

	(void)answer;
	return id >= tiles(p) ? ts_stop() : tile(p, first + within % high, within / high);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
