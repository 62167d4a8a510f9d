/* More groups than an axis of the grid can have: the full axis times as many rows as that takes, or
 * right, as few columns as so many rows need. */
#include "item.h"

enum { AXIS_MAX = 65535 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	uint32_t y = ceil_div(tiles(p), AXIS_MAX);
	uint32_t x = y < 2 || FIXED ? ceil_div(tiles(p), y) : AXIS_MAX;

	(void)spec;
	p->workers = x * y;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	if (w->turn++ > 0 || w->id >= tiles(p))
		return ts_stop();
	return row_major(p, w->id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
