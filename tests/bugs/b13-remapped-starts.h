/* Persistent workers start at a remapped id; two that get the same one do the same tiles. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t xcd = w->id % p->domains;
	uint32_t base = p->workers / p->domains * xcd;
	uint32_t first = FIXED ? share_first(p->workers, p->domains, xcd) : base;
	uint32_t id = first + w->id / p->domains + w->turn++ * p->workers;

	(void)answer;
	return id >= tiles(p) ? ts_stop() : row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
