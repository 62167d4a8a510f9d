/* One launch with two cluster shapes. Either shape permutes all ids by a panel width of its own;
 * the second half of the ids runs in the second shape. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = tiles(p);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t width = FIXED || w->id < tiles(p) / 2 ? 4 : 2;
	uint32_t first = w->id / (width * p->cols) * width;
	uint32_t high = least(width, p->rows - first);
	uint32_t within = w->id % (width * p->cols);

	(void)answer;
	return w->turn++ > 0 ? ts_stop() : tile(p, first + within % high, within / high);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
