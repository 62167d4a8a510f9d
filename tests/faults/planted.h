/* Policies that are wrong in one way each, by wrapping the registered ones. */
#ifndef TS_TESTS_FAULTS_PLANTED_H
#define TS_TESTS_FAULTS_PLANTED_H

#include "policies/rules.h"

typedef struct ts_step ts_next_fn(const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
typedef struct ts_tile ts_cta_tile_fn(
	const struct ts_plan *p, const struct ts_step *s, uint32_t rank);

/* Nobody is given the item at (1, 0). */
ts_next_fn ts_plant_drop;
/* The worker that has the item at (1, 0) computes it twice. Needs a policy without claims. */
ts_next_fn ts_plant_twice;
/* Every item is moved down, or to the right, by one tile. */
ts_next_fn ts_plant_down, ts_plant_right;
/* Items are those of a plan with one worker more, or less. */
ts_next_fn ts_plant_long_stride, ts_plant_short_stride;
/* Claims, waits and signals go to a counter that the plan does not have. */
ts_next_fn ts_plant_far_claim, ts_plant_far_wait, ts_plant_far_signal;
/* A worker never stops: it claims, signals nothing, or waits for what has come already. */
ts_next_fn ts_plant_claim_on, ts_plant_signal_on, ts_plant_wait_on;
/* Instead of stopping a worker waits for more than anybody signals. */
ts_next_fn ts_plant_wait_for_nobody;
/* Of two workers on one counter, worker 0 loses what it claims at odd values; or 1, at even ones.
 * Sound while they take turns. */
ts_next_fn ts_plant_even_only, ts_plant_odd_only;
/* A worker leaves after its first empty counter, whatever the mode. */
ts_next_fn ts_plant_no_steal;
/* Two workers per item of a plan with 2 * items workers and `items` counters: one computes the
 * first half of the k iterations and signals, the next one waits, then computes the rest and owns.
 * Right as long as the first one is resident. */
ts_next_fn ts_plant_second_waits;
/* The same, but the worker with the lower id waits. */
ts_next_fn ts_plant_first_waits;

/* A CTA takes its tile without looking whether it is inside the grid. */
ts_cta_tile_fn ts_plant_no_guard;
/* All CTAs of a cluster take the tile of rank 0. */
ts_cta_tile_fn ts_plant_same_rank;
/* Ranks run along n first, as if the cluster were transposed. */
ts_cta_tile_fn ts_plant_transposed;
/* A guard that is too strict by one row. */
ts_cta_tile_fn ts_plant_strict_guard;

#endif
