/* Scheduler blocks stay until every worker is done, and workers until a scheduler says so. In the
 * order of ids the scheduler blocks take the places first. Packed into one block they leave enough.
 * Counter 0 is the number of workers done, counter 1 says that all are. */
#include "item.h"

enum { WORKERS = 2, SCHEDULERS = FIXED ? 1 : 2 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = SCHEDULERS + WORKERS;
	p->counters = 2;
	return TS_OK;
}

static inline struct ts_step schedule(struct ts_worker *w)
{
	switch (w->turn++) {
	case 0: return wait_for(0, WORKERS);
	case 1: return add_to(1, 1);
	}
	return ts_stop();
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->id - SCHEDULERS + w->turn * WORKERS;

	(void)answer;
	if (w->id < SCHEDULERS)
		return schedule(w);
	if (id < tiles(p)) {
		w->turn++;
		return row_major(p, id);
	}
	switch (w->claiming++) {
	case 0: return add_to(0, 1);
	case 1: return wait_for(1, 1);
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
