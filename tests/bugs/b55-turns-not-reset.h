/* Workers take turns: each goes on when the counter is exactly its id, and then raises it. The last
 * one must leave it at 0 for the next launch. A worker that finds it past its id spins for ever. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = tiles(p);
	p->counters = 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	switch (w->turn++) {
	case 0: return wait_for(0, w->id);
	case 1: return ts_claim(0);
	case 2: return answer == w->id ? row_major(p, w->id) : wait_for(0, UINT32_MAX);
	case 3: return FIXED && w->id + 1 == p->workers ? add_to(0, 0 - p->workers) : ts_stop();
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
