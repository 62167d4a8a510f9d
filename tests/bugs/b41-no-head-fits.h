/* K is the length of the keys. Heads per section of L2 are rounded up to a power of two, which is 0
 * where not even one fits, and then divided by. */
#include "item.h"

enum { KEY_BYTES = 1024, L2_BYTES = 32 << 20 };

static inline uint32_t power_above(uint32_t x)
{
	uint32_t power = x == 0 ? 0 : 1;

	while (power < x)
		power *= 2;
	return power;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint64_t head = (uint64_t)p->k * KEY_BYTES;
	uint32_t fit = head == 0 ? p->rows : (uint32_t)(L2_BYTES / head);
	uint32_t heads = power_above(FIXED && fit == 0 ? 1 : fit);
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
