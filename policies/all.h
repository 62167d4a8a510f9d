/* The registry: every policy is an include, an enumerator and its cases in this file, and its
 * golden tables in tests/vectors/. The compiler names a forgotten case (-Wswitch). A kernel
 * includes this file and calls ts_next() and ts_cta_tile(). */
#ifndef TS_ALL_H
#define TS_ALL_H

#include "clc.h"
#include "cluster.h"
#include "data_parallel.h"
#include "persistent.h"
#include "split_k.h"
#include "stream_k.h"
#include "worksteal.h"

enum ts_policy_id {
	TS_DATA_PARALLEL,
	TS_PERSISTENT,
	TS_WORKSTEAL,
	TS_STREAM_K,
	TS_SPLIT_K,
	TS_CLC,
	TS_POLICIES
};

/* What to do next for worker `w`, starting from ts_worker_make(). `answer` is the old value of the
 * counter where the last step was a TS_CLAIM, and is ignored otherwise. Not to be called again
 * after TS_STOP, nor for a plan without items. */
static inline TS_HD struct ts_step ts_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	switch ((enum ts_policy_id)p->policy) {
	case TS_DATA_PARALLEL: return ts_data_parallel_next(p, w, answer);
	case TS_PERSISTENT: return ts_persistent_next(p, w, answer);
	case TS_WORKSTEAL: return ts_worksteal_next(p, w, answer);
	case TS_STREAM_K: return ts_stream_k_next(p, w, answer);
	case TS_SPLIT_K: return ts_split_k_next(p, w, answer);
	case TS_CLC: return ts_clc_next(p, w, answer);
	case TS_POLICIES: break;
	}
	return ts_stop();
}

/* Host only from here on. */

/* Everything about a policy but ts_next(). */
struct ts_policy {
	const char *name;
	const char *summary;
	const char *source;
	/* For people: which ids a worker gets, and what a launch has to see to; NULL: nothing. */
	const char *map;
	const char *needs;
	/* Fills the plan's distribution fields and checks what only this policy needs. */
	enum ts_status (*plan)(struct ts_plan *p, const struct ts_spec *spec);
	/* Items served by a counter of the plan; 0 where the policy claims nothing. */
	uint32_t (*counter_items)(const struct ts_plan *p, uint32_t counter);
	enum ts_promise (*promise)(const struct ts_plan *p);
	/* A set of enum ts_use, and the remap that suits the mode where the user names none. */
	uint32_t (*uses)(enum ts_mode mode);
	enum ts_remap (*remap)(enum ts_mode mode);
	/* The sums of a cut item are added in the order of k, whoever is late: C is the same to the
	 * bit in every launch. Where false, only that each is added once. */
	bool fixed_sum;
	/* Workers wait for some with higher ids, and so must all be resident at once. */
	bool all_resident;
};

static inline enum ts_promise ts_promise_static(const struct ts_plan *p)
{
	(void)p;
	return TS_NEEDS_ALL;
}

static inline uint32_t ts_uses_nothing(enum ts_mode mode)
{
	(void)mode;
	return 0;
}

static inline enum ts_remap ts_remap_nothing(enum ts_mode mode)
{
	(void)mode;
	return TS_REMAP_NONE;
}

static inline struct ts_policy ts_policy_make(const char *name, const char *summary,
	const char *source, enum ts_status (*plan)(struct ts_plan *, const struct ts_spec *))
{
	struct ts_policy policy;

	policy.name = name;
	policy.summary = summary;
	policy.source = source;
	policy.map = 0;
	policy.needs = 0;
	policy.plan = plan;
	policy.counter_items = 0;
	policy.promise = ts_promise_static;
	policy.uses = ts_uses_nothing;
	policy.remap = ts_remap_nothing;
	policy.fixed_sum = true;
	policy.all_resident = false;
	return policy;
}

/* The registered policy `id`, or one without a name where there is none. */
static inline struct ts_policy ts_policy(enum ts_policy_id id)
{
	struct ts_policy policy = ts_policy_make(0, 0, 0, 0);

	switch (id) {
	case TS_DATA_PARALLEL:
		policy = ts_policy_make("data-parallel",
			"one worker per item, started by the hardware as others leave",
			"every non-persistent GEMM; Triton tutorial 03", ts_data_parallel_plan);
		policy.map = "worker w computes id remap(w)";
		policy.needs = "a launch of as many workers as items, within the grid's limits";
		return policy;
	case TS_PERSISTENT:
		policy = ts_policy_make("persistent", "static stride over resident workers",
			"CUTLASS sm90_tile_scheduler.hpp; tritonBLAS persistent_gemm.py",
			ts_persistent_plan);
		policy.map = "worker w computes ids remap(w) + i workers, i = 0, 1, 2, ...; the "
			     "remap is modulo workers";
		policy.needs = "a launch of exactly the plan's workers";
		return policy;
	case TS_WORKSTEAL:
		policy = ts_policy_make("worksteal",
			"claims from one counter per XCD and slot, with four ways to go on",
			"tritonBLAS persistent_gemm_work_stealing.py; Primus-Turbo; hipBLASLt "
			"StreamK=4",
			ts_worksteal_plan);
		policy.map = "claim c of a counter that serves ids [first, first + size) is id "
			     "remap(first + c); a worker goes through its counters by the mode";
		policy.needs = "counters that are zero at the launch, and a worker's domain below "
			       "the number of XCDs";
		policy.counter_items = ts_worksteal_counter_items;
		policy.promise = ts_worksteal_promise;
		policy.uses = ts_worksteal_uses;
		policy.remap = ts_worksteal_remap;
		return policy;
	case TS_STREAM_K:
		policy = ts_policy_make("stream-k",
			"equal runs of k iterations, tiles cut anywhere; or only those of the last "
			"waves",
			"Osama et al., PPoPP 2023; CUTLASS sm90_tile_scheduler_stream_k.hpp",
			ts_stream_k_plan);
		policy.map = "worker w of u has a share of the k iterations of all cut tiles in a "
			     "row, its tiles from the last to the first, and then whole tiles by "
			     "a stride of u";
		policy.needs = "counters that are zero at the launch, and a workspace of the "
			       "plan's slots";
		policy.uses = ts_stream_k_uses;
		return policy;
	case TS_SPLIT_K:
		policy = ts_policy_make("split-k",
			"each tile's k iterations cut in --splits, one worker each",
			"CUTLASS SplitKSerial; QuACK num_split_k; Triton SPLIT_K", ts_split_k_plan);
		policy.map =
			"worker w has part w / items of the k iterations of item remap(w % items)";
		policy.needs = "counters that are zero at the launch, and a workspace of the "
			       "plan's slots";
		policy.uses = ts_split_k_uses;
		return policy;
	case TS_CLC:
		policy = ts_policy_make("clc",
			"cluster launch control: who is done takes over a cluster not yet launched",
			"CUTLASS sm100_tile_scheduler.hpp; QuACK CLC; FlashAttention-4",
			ts_clc_plan);
		policy.map = "worker w computes id remap(w), then those that it takes over";
		policy.needs = "Blackwell, and a launch of as many clusters as items";
		policy.counter_items = ts_clc_counter_items;
		policy.promise = ts_clc_promise;
		return policy;
	case TS_POLICIES: break;
	}
	return policy;
}

#endif
