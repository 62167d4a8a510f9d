/* Workers are units times the occupancy that was asked for, which the kernel does not reach; they
 * meet at a barrier after their tiles. */
#include "item.h"

enum { UNITS = 2, OCCUPANCY = 1, ASKED = 2 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = UNITS * (FIXED ? OCCUPANCY : ASKED);
	p->counters = 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->id + w->turn * p->workers;

	(void)answer;
	if (id < tiles(p)) {
		w->turn++;
		return row_major(p, id);
	}
	if (w->claiming == 2)
		return ts_stop();
	return w->claiming++ == 0 ? add_to(0, 1) : wait_for(0, p->workers);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
