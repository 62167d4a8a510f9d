/* A remap without its remainder in front of a raster in groups of four rows. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = stride(p, w);
	uint32_t xcd = id % p->domains;
	uint32_t longer = FIXED ? least(xcd, tiles(p) % p->domains) : 0;
	uint32_t mapped = xcd * (tiles(p) / p->domains) + longer + id / p->domains;
	uint32_t first = mapped / (4 * p->cols) * 4;
	uint32_t high = least(4, p->rows - first);
	uint32_t within = mapped % (4 * p->cols);

	(void)answer;
	return id >= tiles(p) ? ts_stop() : tile(p, first + within % high, within / high);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
