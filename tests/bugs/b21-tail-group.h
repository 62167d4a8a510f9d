/* A raster in groups of eight rows that takes the last group for a full one. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = stride(p, w);
	uint32_t first = id / (8 * p->cols) * 8;
	uint32_t high = FIXED ? least(8, p->rows - first) : 8;
	uint32_t within = id % (8 * p->cols);

	(void)answer;
	return id >= tiles(p) ? ts_stop() : tile(p, first + within % high, within / high);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
