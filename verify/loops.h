/* Loops of policies that cut no item, with the policy and its mode known to the compiler. Included
 * behind what they inline: the text of the policies, and the file's own mark() and narrow(). */
#ifndef TS_LOOPS_H
#define TS_LOOPS_H

#include "verify/drive.h"

typedef bool loop(struct ts_run *);

/* The loop with a copy of the plan that no store in it can change, and of which the compiler knows
 * what the arguments say, and what narrow() adds; that is false for a plan that has no loop here.
 * Without any of this it takes half as long again. */
G_ALWAYS_INLINE static inline bool known(
	struct ts_run *r, enum ts_policy_id policy, ts_drive_next *next, enum ts_mode mode)
{
	struct ts_plan plan = *r->plan;

	if (!narrow(&plan))
		return false;
	plan.mode = mode;
	plan.workspace = 0;
	plan.launches = policy == TS_CLC ? 1 : 0;
	if (policy == TS_DATA_PARALLEL || policy == TS_PERSISTENT)
		plan.counters = 0;
	return ts_drive(r, &plan, next, mark, false);
}

/* Each is a function of its own: the compiler stops inlining in one that has grown too large. */
G_NO_INLINE static bool steal(struct ts_run *r)
{
	return known(r, TS_WORKSTEAL, ts_worksteal_next, TS_STEAL);
}

G_NO_INLINE static bool slots(struct ts_run *r)
{
	return known(r, TS_WORKSTEAL, ts_worksteal_next, TS_SLOTS);
}

G_NO_INLINE static bool global(struct ts_run *r)
{
	return known(r, TS_WORKSTEAL, ts_worksteal_next, TS_GLOBAL);
}

G_NO_INLINE static bool hierarchical(struct ts_run *r)
{
	return known(r, TS_WORKSTEAL, ts_worksteal_next, TS_HIERARCHICAL);
}

G_NO_INLINE static bool clc(struct ts_run *r)
{
	return known(r, TS_CLC, ts_clc_next, TS_STEAL);
}

/* The loop of a policy that claims each item, or NULL. */
static loop *find_loop(const struct ts_plan *p)
{
	static loop *const worksteal[TS_MODES] = {[TS_STEAL] = steal,
		[TS_SLOTS] = slots,
		[TS_GLOBAL] = global,
		[TS_HIERARCHICAL] = hierarchical};

	if (p->policy == TS_WORKSTEAL)
		return worksteal[p->mode];
	return p->policy == TS_CLC ? clc : NULL;
}

#endif
