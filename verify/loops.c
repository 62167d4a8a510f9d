/* The loops of registered policies, with their orders. */
#include <glib.h>

#include "policies/policy.h"

/* What runs once an item. The calls are many, and of a function this long in so long a file the
 * compiler would leave some; what it is told before the definition holds in this file only. */
G_ALWAYS_INLINE static inline struct ts_step ts_data_parallel_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_persistent_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_worksteal_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_clc_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_order_item(const struct ts_plan *p, uint32_t id);
G_ALWAYS_INLINE static inline struct ts_point ts_order_cell(const struct ts_plan *p, uint32_t id);
G_ALWAYS_INLINE static inline struct ts_spot ts_order_panels(const struct ts_plan *p, uint32_t id);

#include "verify/drive.h"

G_ALWAYS_INLINE static inline bool mark(
	struct ts_run *r, const struct ts_plan *p, uint32_t worker, struct ts_step item)
{
	ts_coverage_mark(r->coverage, p, worker, &item, ts_cta_tile);
	return true;
}

/* May the plan go through the loops below? Curves take much longer than any loop. */
static bool is_simple(const struct ts_plan *p)
{
	return p->plain && !ts_order_is_curve((enum ts_order)p->order);
}

/* Every item once, in the order of ids, as if one worker had them all. */
G_ALWAYS_INLINE static inline void mark_all(struct ts_coverage *c, const struct ts_plan *p)
{
	for (uint32_t id = 0; id < p->items; id++) {
		struct ts_step s = ts_order_item(p, ts_remap_id(p, id));

		ts_coverage_mark(c, p, 0, &s, ts_cta_tile);
	}
}

G_NO_INLINE static void mark_simple(struct ts_coverage *c, struct ts_plan plan)
{
	plan.plain = true;
	mark_all(c, &plan);
}

bool ts_walk_order(const struct ts_plan *plan, struct ts_coverage *c)
{
	ts_coverage_reset(c, plan);
	c->rules = NULL;
	if (is_simple(plan))
		mark_simple(c, *plan);
	else
		mark_all(c, plan);
	return ts_coverage_verdict(c);
}

/* The loop once more for a simple plan of a policy and mode that cut no item, known to the
 * compiler, and with a copy of the plan that no store in the loop can change. Without any of this
 * it takes half as long again. */
G_ALWAYS_INLINE static inline bool known(
	struct ts_run *r, enum ts_policy_id policy, ts_drive_next *next, enum ts_mode mode)
{
	enum ts_order order = (enum ts_order)r->plan->order;
	struct ts_plan plan = *r->plan;

	/* For the compiler. */
	if (ts_order_is_curve(order))
		return false;
	plan.plain = true;
	plan.order = order;
	plan.mode = mode;
	plan.workspace = 0;
	plan.launches = policy == TS_CLC ? 1 : 0;
	if (policy == TS_DATA_PARALLEL || policy == TS_PERSISTENT)
		plan.counters = 0;
	return ts_drive(r, &plan, next, mark, false);
}

/* Each is a function of its own: the compiler stops inlining in one that has grown too large. */
G_NO_INLINE static bool data_parallel(struct ts_run *r)
{
	return known(r, TS_DATA_PARALLEL, ts_data_parallel_next, TS_STEAL);
}

G_NO_INLINE static bool persistent(struct ts_run *r)
{
	return known(r, TS_PERSISTENT, ts_persistent_next, TS_STEAL);
}

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

static bool worksteal(struct ts_run *r)
{
	switch ((enum ts_mode)r->plan->mode) {
	case TS_STEAL: return steal(r);
	case TS_SLOTS: return slots(r);
	case TS_GLOBAL: return global(r);
	case TS_HIERARCHICAL: return hierarchical(r);
	case TS_MODES: break;
	}
	return false;
}

bool ts_drive_registered(struct ts_run *r)
{
	if (!is_simple(r->plan))
		return ts_drive(r, r->plan, ts_next, mark, false);
	switch ((enum ts_policy_id)r->plan->policy) {
	case TS_DATA_PARALLEL: return data_parallel(r);
	case TS_PERSISTENT: return persistent(r);
	case TS_WORKSTEAL: return worksteal(r);
	case TS_CLC: return clc(r);
	case TS_STREAM_K:
	case TS_SPLIT_K:
	case TS_POLICIES: break;
	}
	return ts_drive(r, r->plan, ts_next, mark, false);
}
