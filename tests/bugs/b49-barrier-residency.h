/* All workers meet at a barrier before they begin, but no more than RESIDENT are on the device. */
#include "item.h"

enum { RESIDENT = 2 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = FIXED ? least(p->workers, RESIDENT) : p->workers;
	p->counters = 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t step = w->turn++;
	uint32_t id = w->id + (step - 2) * p->workers;

	(void)answer;
	if (step == 0)
		return add_to(0, 1);
	if (step == 1)
		return wait_for(0, p->workers);
	return id >= tiles(p) ? ts_stop() : row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
