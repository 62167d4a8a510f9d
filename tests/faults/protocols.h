/* Policies whose workers meet at counters, each right or wrong in one way. Those that claim do so
 * from counter 0 and need one item a tile, as in a global worksteal plan. */
#ifndef TS_TESTS_FAULTS_PROTOCOLS_H
#define TS_TESTS_FAULTS_PROTOCOLS_H

#include "policies/rules.h"

typedef struct ts_step ts_protocol_fn(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);

/* The first item is the worker's own id, later ones are claimed: behind those, from the start, and
 * one too far behind. */
ts_protocol_fn ts_plant_own_first_right, ts_plant_own_first_no_offset,
	ts_plant_own_first_long_offset;
/* Claims one item ahead and holds it between items, where a worker can be released. */
ts_protocol_fn ts_plant_holds_one;
/* Worker 1 of three loses item 5 if it had item 0 and then claims 5 next. */
ts_protocol_fn ts_plant_forgets;
/* Each item is signalled to counter 1, and whoever has the last item waits for all; worker 1 does
 * not signal item 1. */
ts_protocol_fn ts_plant_last_one_waits;
/* Pairs of workers on a tile and a counter each: the even one waits for the odd one, or the other
 * way round. */
ts_protocol_fn ts_plant_even_waits, ts_plant_odd_waits;
/* A ring: each worker waits for the one before it, does its item and signals. */
ts_protocol_fn ts_plant_ring;
/* Never stop. */
ts_protocol_fn ts_plant_claims_on, ts_plant_waits_on, ts_plant_works_on;
/* Claims from a counter that the plan does not have. */
ts_protocol_fn ts_plant_far_claim;
/* Of cluster launch control. */
ts_protocol_fn ts_plant_decodes_failure, ts_plant_forgets_own;
/* Of cut tiles. */
ts_protocol_fn ts_plant_no_wait, ts_plant_no_signal, ts_plant_no_fix_up, ts_plant_wait_for_less,
	ts_plant_signal_first, ts_plant_one_slot, ts_plant_backwards, ts_plant_owner_first,
	ts_plant_reuse, ts_plant_reuse_early;

#endif
