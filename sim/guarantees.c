/* What policies guarantee, found out by making plans and asking. */
#include "sim/guarantees.h"

#include <stdbool.h>

#include <glib.h>

#include "policies/plan.h"

/* What a promise means to the reader. */
static const char *promise_text(enum ts_promise promise)
{
	switch (promise) {
	case TS_NEEDS_ALL: return "every worker must run: none may be masked or leave early";
	case TS_NEEDS_EACH_QUEUE:
		return "each counter with items needs one worker that begins with it";
	case TS_NEEDS_ANY: return "any one worker is enough";
	}
	return NULL;
}

/* What the workers of a plan do, found out by asking them one after the other. */
struct habits {
	bool claim, wait, cut;
};

static struct habits watch(const struct ts_plan *p)
{
	g_autofree uint32_t *counters = g_new0(uint32_t, p->counters + 1);
	struct habits h = {false, false, false};
	uint64_t left = ts_plan_steps_max(p);

	for (uint32_t id = 0; id < p->workers; id++) {
		struct ts_worker w = ts_worker_make(id, id % p->domains);
		struct ts_step s = ts_next(p, &w, 0);

		for (; s.act != TS_STOP && left > 0; left--) {
			uint32_t answer = 0;

			h.claim |= s.act == TS_CLAIM;
			h.wait |= s.act == TS_WAIT;
			h.cut |= s.act == TS_WORK && (s.k_begin > 0 || s.k_end < p->depth);
			if (s.act == TS_CLAIM)
				answer = counters[s.counter]++;
			s = ts_next(p, &w, answer);
		}
	}
	return h;
}

/* By a plan of 7 x 5 tiles for 6 workers in 2 XCDs. */
struct ts_guarantees ts_guarantees(enum ts_policy_id id, enum ts_mode mode)
{
	enum { DOMAINS = 2 };
	struct ts_guarantees g = {NULL, NULL, NULL, NULL, NULL};
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan;
	struct ts_policy policy = ts_policy(id);
	struct habits h;

	spec.policy = id;
	spec.mode = mode;
	spec.m = 7;
	spec.n = 5;
	spec.k = 16;
	spec.block_m = spec.block_n = spec.block_k = 1;
	spec.workers = 6;
	spec.domains = DOMAINS;
	if (ts_plan_make(&plan, &spec) != TS_OK)
		return g;
	h = watch(&plan);
	g.placement = h.claim ? "dynamic: workers claim what they compute, with an atomic add each"
			      : "static: the same worker computes the same tiles in every launch";
	g.sums = "each tile by one worker, k in order: the same bits in every launch";
	g.counters = plan.counters == 0 ? g_strdup("none")
					: g_strdup_printf("%u for %d XCDs, zero before each launch",
						  plan.counters, DOMAINS);
	g.waits = "for nobody";
	g.promise = promise_text(policy.promise(&plan));
	if (h.cut)
		g.sums = policy.fixed_sum
			? "partial ones go through a workspace, and the owner of a tile adds them "
			  "in the order of k: the same bits in every launch"
			: "partial ones go through a workspace, and are added in any order";
	if (h.wait)
		g.waits = policy.all_resident
			? "for any others: all workers must be resident at once"
			: "for lower ids only: any number of places, if workers start in the "
			  "order of their ids";
	if (id == TS_CLC) {
		g_free(g.counters);
		g.counters = g_strdup("none in memory: the hardware's");
		g.placement = "dynamic: workers claim clusters that are not launched yet";
	}
	return g;
}

/* Whether `next` gives each of `count` ids below it once. */
static bool is_permutation(
	const struct ts_plan *p, uint32_t count, uint32_t (*next)(const struct ts_plan *, uint32_t))
{
	g_autofree uint8_t *seen = g_new0(uint8_t, count);

	for (uint32_t id = 0; id < count; id++) {
		uint32_t to = next(p, id);

		if (to >= count || seen[to]++ != 0)
			return false;
	}
	return true;
}

static uint32_t cell_of(const struct ts_plan *p, uint32_t id)
{
	struct ts_point at = ts_order_cell(p, id);

	return at.m < p->cluster_rows && at.n < p->cluster_cols ? at.m * p->cluster_cols + at.n
								: UINT32_MAX;
}

/* Tries every grid up to SIDE x SIDE, with some widths, chunks and XCDs. */
const char *ts_guarantee_of_map(enum ts_order order, enum ts_remap remap)
{
	enum { SIDE = 12, TRIES = 5 };
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan;

	spec.order = order;
	spec.remap = remap;
	spec.block_m = spec.block_n = 1;
	for (int i = 0; i < SIDE * SIDE * TRIES; i++) {
		spec.m = 1 + i % SIDE;
		spec.n = 1 + i / SIDE % SIDE;
		spec.domains = 1 + i / SIDE / SIDE;
		spec.width = ts_order_has_width(order) ? i / SIDE / SIDE : 0;
		spec.chunk = ts_remap_has_chunk(remap) ? i / SIDE / SIDE : 0;
		if (ts_plan_make(&plan, &spec) != TS_OK ||
			!is_permutation(&plan, plan.items, cell_of) ||
			!is_permutation(&plan, plan.remap_span, ts_remap_id))
			return "NONE: this is no permutation";
	}
	return "each cluster once: tried just now on every grid up to 12 x 12";
}
