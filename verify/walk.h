/* Walks: drive all workers of a plan to the end, without time, in one chosen order of events.
 * Only the contract of policies/ is used, nothing of the simulator. */
#ifndef TS_WALK_H
#define TS_WALK_H

#include "verify/coverage.h"

/* Who moves next among the workers that are resident. A turn is one step, or an item and the step
 * behind it. */
enum ts_pick {
	TS_IN_TURNS,  /* one turn each, round and round */
	TS_FIRST_ONE, /* each for as long as it can, from the lowest id on: the others find nothing
			 left */
	TS_LAST_ONE,  /* the same from the highest id on */
	TS_ANY_ONE,   /* drawn with the seed before each turn */
	TS_PICKS
};

const char *ts_pick_name(enum ts_pick pick);

struct ts_walk {
	enum ts_pick pick;
	uint64_t seed;       /* of TS_ANY_ONE */
	uint32_t resident;   /* workers that can be there at once, >= 1; the rest enter as others
				leave, the lowest id first */
	const uint8_t *live; /* per worker: does it ever run? NULL: all do */
	/* Told of each item; NULL if nobody is. */
	void (*item)(void *data, uint32_t worker, const struct ts_step *item);
	void *data;
};

/* Runs `plan` into `c`, which is reset first. True if every property holds, else c->finding. */
bool ts_walk_run(const struct ts_walk *walk, const struct ts_plan *plan,
	const struct ts_rules *rules, struct ts_coverage *c);

/* A policy that only claims takes linear ids, and leaves it to the order where they lie. So a walk
 * has two halves: the order takes ids [0, items) to each tile once, and the workers take each of
 * these ids once. The first half is the same in all walks of a plan, and the second is fast; both
 * run the text of the policies. Only for plans that ts_walk_has_ids(), of registered policies. */
bool ts_walk_has_ids(const struct ts_plan *plan);
bool ts_walk_order(const struct ts_plan *plan, struct ts_coverage *c);
/* False also where the workers do something else: then ts_walk_run() is to be asked. Tells nobody
 * of items. */
bool ts_walk_ids(const struct ts_walk *walk, const struct ts_plan *plan, struct ts_coverage *c);

/* Does the policy promise that the workers in `live`, NULL for all, are enough? */
bool ts_walk_survives(
	const struct ts_plan *plan, const struct ts_rules *rules, const uint8_t *live);

/* Fills live[0, plan.workers) with a small set of workers that the policy promises to survive
 * with, drawn by `seed`. False, and all live, where the policy needs every worker. */
bool ts_walk_fewest(
	const struct ts_plan *plan, const struct ts_rules *rules, uint64_t seed, uint8_t *live);

#endif
