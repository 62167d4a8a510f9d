/* Checks: all walks that a plan has to survive. */
#ifndef TS_CHECK_H
#define TS_CHECK_H

#include "policies/spec.h"
#include "verify/walk.h"

/* One thread's checker; keeps its memory from plan to plan. */
struct ts_checker {
	struct ts_coverage coverage;
	uint8_t *live;
	size_t live_made;
	uint32_t places;         /* workers that are on the device at once; others enter later */
	uint32_t masked_workers; /* up to so many, every set that the policy survives is tried */
	uint64_t walks, tiles;   /* so far */
	bool by_ids;             /* the first walk was sound, and the order of the plan is exact */
	/* The walk that failed last. */
	enum ts_pick pick;
	uint32_t resident; /* workers there at once, where those were few; else 0 */
	bool masked;       /* with some workers missing that the policy promises to do without */
	struct ts_finding finding;
};

void ts_checker_init(struct ts_checker *k);
void ts_checker_finish(struct ts_checker *k);

/* Where claims are made: in turns, each end alone, at random, and with the fewest workers that the
 * policy promises to need; where there are partial sums, also with one to three places. Without
 * claims the order of workers cannot matter: one walk. `live` says which workers run, NULL for all,
 * and then replaces the fewest. `rules` NULL: the registered ones, of which one walk is over tiles
 * and the others, where that says the same, over ids.
 */
bool ts_check_plan(struct ts_checker *k, const struct ts_plan *plan, const struct ts_rules *rules,
	const uint8_t *live, uint64_t seed);

#endif
