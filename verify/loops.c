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

/* The order of a simple plan is known too. */
G_ALWAYS_INLINE static inline bool narrow(struct ts_plan *plan)
{
	plan->plain = true;
	/* For the compiler: a curve is not simple. */
	return !ts_order_is_curve((enum ts_order)plan->order);
}

#include "verify/loops.h"

G_NO_INLINE static bool data_parallel(struct ts_run *r)
{
	return known(r, TS_DATA_PARALLEL, ts_data_parallel_next, TS_STEAL);
}

G_NO_INLINE static bool persistent(struct ts_run *r)
{
	return known(r, TS_PERSISTENT, ts_persistent_next, TS_STEAL);
}

bool ts_drive_registered(struct ts_run *r)
{
	loop *claiming = find_loop(r->plan);

	if (!is_simple(r->plan))
		return ts_drive(r, r->plan, ts_next, mark, false);
	if (claiming != NULL)
		return claiming(r);
	switch ((enum ts_policy_id)r->plan->policy) {
	case TS_DATA_PARALLEL: return data_parallel(r);
	case TS_PERSISTENT: return persistent(r);
	case TS_WORKSTEAL:
	case TS_CLC:
	case TS_STREAM_K:
	case TS_SPLIT_K:
	case TS_POLICIES: break;
	}
	return ts_drive(r, r->plan, ts_next, mark, false);
}
