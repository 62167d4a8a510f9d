/* Rows are dealt over devices (XCDs). The buffer for partial sums is as long as the main device's
 * share; the others use their own part of it, which is not there. */
#include "item.h"

static inline uint32_t members(const struct ts_plan *p)
{
	return ceil_div(p->workers, p->domains);
}

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->counters = members(p) * (FIXED ? p->domains : 1);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->id + w->turn * p->workers;

	(void)answer;
	if (id >= tiles(p))
		return ts_stop();
	w->claiming = !w->claiming;
	if (w->claiming)
		return add_to(w->domain * members(p) + w->id / p->domains, 1);
	w->turn++;
	return row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
