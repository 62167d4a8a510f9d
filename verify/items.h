/* Items: what each worker of a plan gets to do, as the roles of its kernel see it. */
#ifndef TS_ITEMS_H
#define TS_ITEMS_H

#include "policies/rules.h"
#include "verify/roles.h"

struct ts_role_item {
	uint32_t k;      /* iterations */
	uint64_t absent; /* bit r: the CTA of rank r has no tile; ranks from 64 on have none */
};

/* A GArray of struct ts_role_item per worker, with all workers resident and making one step each in
 * turn, claims answered in that order. NULL if the plan does not run to its end, which
 * ts_check_plan() explains. `rules` NULL: the registered policies. Free with
 * g_ptr_array_unref(). */
GPtrArray *ts_items_of_plan(const struct ts_plan *plan, const struct ts_rules *rules);

/* Gives the model the items of one worker. Of a cluster with more than two CTAs the model has the
 * first and the last: CTAs differ only in having a tile, the first always has one, and the last has
 * none as soon as any has none. False where the items are too many or too long for a model. */
bool ts_roles_set_items(struct ts_roles *m, const struct ts_plan *plan, const GArray *items);

/* What the role in this row of the guards does in CTAs that have no tile of an item. Right is
 * TS_RUNS: a CTA without a tile takes part in its cluster's barriers and multicasts. */
void ts_roles_guard_absent(
	struct ts_roles *m, const GArray *items, uint32_t row, enum ts_guard guard);

#endif
