/* A tile is split over all workers, the last of which writes it. With more workers than k
 * iterations the last ones have nothing, and leave. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t splits = FIXED ? least(p->workers, p->depth) : p->workers;
	uint32_t begin = share_first(p->depth, splits, w->id);
	uint32_t end = share_first(p->depth, splits, w->id + 1);
	uint32_t id = w->turn++;

	(void)answer;
	if (w->id >= splits || id >= tiles(p) || begin == end)
		return ts_stop();
	return part(id / p->cols, id % p->cols, begin, end, w->id == splits - 1);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
