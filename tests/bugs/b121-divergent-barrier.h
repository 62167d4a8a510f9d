/* Two subgroups share a tile, each with half of k. There is one more barrier where k iterations do
 * not come in fours, and each subgroup looks at its own half to find that out. */
#include "item.h"

enum { UNROLL = 4 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = 2 * tiles(p);
	p->counters = tiles(p);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t half = w->id % 2;
	uint32_t begin = share_first(p->depth, 2, half);
	uint32_t end = share_first(p->depth, 2, half + 1);
	bool remainder = (FIXED ? p->depth : end - begin) % UNROLL != 0;
	uint32_t id = w->id / 2;

	(void)answer;
	w->turn += w->turn == 0 && !remainder ? 3 : 1;
	switch (w->turn) {
	case 1: return add_to(id, 1);
	case 2: return wait_for(id, 2);
	case 3:
		if (begin < end || half == 0)
			return part(id / p->cols, id % p->cols, begin, end, half == 0);
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
