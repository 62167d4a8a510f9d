/* The remainder of a chiplet remap again, over a grid whose rows are fastest. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = stride(p, w);
	uint32_t xcd = id % p->domains;
	uint32_t longer = FIXED ? least(xcd, tiles(p) % p->domains) : 0;
	uint32_t mapped = xcd * (tiles(p) / p->domains) + longer + id / p->domains;

	(void)answer;
	return id >= tiles(p) ? ts_stop() : tile(p, mapped % p->rows, mapped / p->rows);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
