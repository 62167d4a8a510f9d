/* Stream-K with separate reduction, as the class of the fault: units sum parts of a tile, and for
 * each tile a reduction unit, a worker of its own, waits until all of them are there. Its last k
 * iteration stands for what it does then. In the order of ids the reduction units take the places
 * first; right, they come behind the units that they wait for. Counters are parts done, a tile. */
#include "item.h"

enum { PARTS = 2 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	if (p->depth <= PARTS)
		return TS_BAD_SIZE;
	p->workers = tiles(p) * (PARTS + 1);
	p->counters = tiles(p);
	return TS_OK;
}

static inline struct ts_step reduce(const struct ts_plan *p, struct ts_worker *w, uint32_t id)
{
	switch (w->turn++) {
	case 0: return wait_for(id, PARTS);
	case 1: return part(id / p->cols, id % p->cols, p->depth - 1, p->depth, true);
	}
	return ts_stop();
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t units = tiles(p) * PARTS;
	uint32_t unit = FIXED ? w->id : w->id - tiles(p);
	uint32_t id = unit / PARTS;

	(void)answer;
	if (FIXED ? w->id >= units : w->id < tiles(p))
		return reduce(p, w, FIXED ? w->id - units : w->id);
	switch (w->turn++) {
	case 0:
		return part(id / p->cols, id % p->cols,
			share_first(p->depth - 1, PARTS, unit % PARTS),
			share_first(p->depth - 1, PARTS, unit % PARTS + 1), false);
	case 1: return add_to(id, 1);
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
