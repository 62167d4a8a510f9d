/* The least time that a schedule can take, without simulating it. */
#ifndef TS_BOUND_H
#define TS_BOUND_H

#include "sim/cost.h"
#include "sim/machine.h"

/* Picoseconds that no run of the registered policies' `plan` falls below, with caches or without,
 * on places that are not held and without jitter; 0 where nothing is known: with several grids, or
 * shapes that are no rectangle. The places' mean share of all items, with what parts, claims and
 * launches cost beside them; or the longest share of items that nobody cuts; or what the owner of a
 * cut item must do. */
uint64_t ts_bound_makespan(
	const struct ts_plan *plan, const struct ts_cost *cost, const struct ts_machine *machine);

#endif
