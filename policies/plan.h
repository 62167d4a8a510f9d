/* ts_plan_make(): from a request to a plan. Every precondition is checked here and nowhere else. */
#ifndef TS_PLAN_H
#define TS_PLAN_H

#include "order_plan.h"
#include "rules.h"

static inline bool ts_in_range(int64_t value, int64_t from, int64_t to)
{
	return from <= value && value <= to;
}

static inline uint32_t ts_ceil_div(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0 ? 1 : 0);
}

/* The chunks of the remap. Needs the width and remap_span. Chunk 0 is tritonBLAS' min(width^2, ids
 * per domain), or where ids are rotated all ids of a domain. */
static inline void ts_plan_remap(struct ts_plan *p, const struct ts_spec *spec)
{
	uint64_t share = p->remap_span / p->domains;
	uint64_t chunk = (uint64_t)spec->chunk;
	uint64_t round;

	p->remap_domains = ts_divisor_make(p->domains);
	if (spec->remap == TS_REMAP_ROTATED) {
		chunk = chunk == 0 ? share : chunk;
		p->remap_chunk = ts_divisor_make(1);
		p->remap_limit = (uint32_t)(chunk % p->remap_span);
		return;
	}
	if (chunk == 0) {
		chunk = (uint64_t)p->width.by * p->width.by;
		chunk = chunk < share ? chunk : share;
		chunk = chunk > 0 ? chunk : 1;
	}
	round = chunk * p->domains;
	p->remap_chunk = ts_divisor_make((uint32_t)chunk);
	p->remap_limit = (uint32_t)(p->remap_span / round * round);
}

static inline enum ts_status ts_spec_check(const struct ts_spec *spec)
{
	/* Two factors below 2^31 have a product that fits. */
	int64_t max_cluster = spec->max_cluster;

	if (max_cluster > TS_COUNT_MAX)
		max_cluster = TS_COUNT_MAX;
	if ((uint32_t)spec->order >= TS_ORDERS)
		return TS_BAD_ORDER;
	if ((uint32_t)spec->remap >= TS_REMAPS)
		return TS_BAD_REMAP;
	if (!ts_in_range(spec->m, 0, TS_COUNT_MAX) || !ts_in_range(spec->n, 0, TS_COUNT_MAX) ||
		!ts_in_range(spec->k, 0, TS_COUNT_MAX))
		return TS_BAD_SIZE;
	if (!ts_in_range(spec->block_m, 1, TS_COUNT_MAX) ||
		!ts_in_range(spec->block_n, 1, TS_COUNT_MAX) ||
		!ts_in_range(spec->block_k, 1, TS_COUNT_MAX))
		return TS_BAD_BLOCK;
	if (spec->cluster_m < 1 || spec->cluster_n < 1)
		return TS_BAD_CLUSTER;
	if (spec->cluster_m > max_cluster || spec->cluster_n > max_cluster ||
		spec->cluster_m * spec->cluster_n > max_cluster)
		return TS_BIG_CLUSTER;
	if (!ts_order_has_width(spec->order) && spec->width != 0)
		return TS_UNUSED_WIDTH;
	if (!ts_in_range(spec->width, 0, TS_COUNT_MAX))
		return TS_BAD_WIDTH;
	if (spec->chunk != 0 && !ts_remap_has_chunk(spec->remap))
		return TS_UNUSED_CHUNK;
	if (!ts_in_range(spec->chunk, 0, TS_COUNT_MAX))
		return TS_BAD_CHUNK;
	if (!ts_in_range(spec->workers, 1, TS_COUNT_MAX))
		return TS_BAD_WORKERS;
	if (!ts_in_range(spec->domains, 1, 65536))
		return TS_BAD_DOMAINS;
	if (!ts_in_range(spec->slots, 1, 16384))
		return TS_BAD_SLOTS;
	return TS_OK;
}

/* Makes the plan for `spec` and a policy that need not be registered. On any status but TS_OK
 * `ret_plan` is untouched. M, N or K of 0 is valid: without M or N there are no items; without K
 * each tile has no k iteration but is still an item, because its output has to be written. */
static inline enum ts_status ts_plan_make_as(
	struct ts_plan *ret_plan, const struct ts_spec *spec, const struct ts_policy *policy)
{
	/* All zero, in the one way that C and C++ both take without a warning; never written. */
	static struct ts_plan blank;
	struct ts_plan plan = blank;
	struct ts_plan *p = &plan;
	enum ts_status status = ts_spec_check(spec);

	if (status != TS_OK)
		return status;
	p->policy = spec->policy;
	p->asked_order = p->order = spec->order;
	p->remap = spec->remap;
	p->m = (uint32_t)spec->m;
	p->n = (uint32_t)spec->n;
	p->k = (uint32_t)spec->k;
	p->block_m = (uint32_t)spec->block_m;
	p->block_n = (uint32_t)spec->block_n;
	p->block_k = (uint32_t)spec->block_k;
	p->rows = ts_ceil_div(p->m, p->block_m);
	p->cols = ts_ceil_div(p->n, p->block_n);
	p->depth = ts_ceil_div(p->k, p->block_k);
	if ((uint64_t)p->rows * p->cols > TS_COUNT_MAX)
		return TS_MANY_TILES;
	p->cluster_m = (uint32_t)spec->cluster_m;
	p->cluster_n = (uint32_t)spec->cluster_n;
	p->cluster_rows = ts_ceil_div(p->rows, p->cluster_m);
	p->cluster_cols = ts_ceil_div(p->cols, p->cluster_n);
	p->items = p->cluster_rows * p->cluster_cols;
	p->workers = (uint32_t)spec->workers;
	p->domains = (uint32_t)spec->domains;
	p->slots = ts_divisor_make(1);
	p->splits = p->per_split = p->k_groups = ts_divisor_make(1);
	status = policy->plan(p, spec);
	if (status == TS_OK && spec->slots != 1 && p->counters < 2)
		status = TS_UNUSED_SLOTS;
	if (status == TS_OK && p->items > 0)
		ts_plan_order(p, spec);
	if (status == TS_OK && p->items > 0)
		ts_plan_remap(p, spec);
	if (status == TS_OK)
		*ret_plan = plan;
	return status;
}

/* The same for the registered policy that `spec` names. */
static inline enum ts_status ts_plan_make(struct ts_plan *ret_plan, const struct ts_spec *spec)
{
	struct ts_policy policy;

	if (spec->policy >= TS_POLICIES)
		return TS_BAD_POLICY;
	policy = ts_policy((enum ts_policy_id)spec->policy);
	return ts_plan_make_as(ret_plan, spec, &policy);
}

/* More steps than any schedule of the plan needs, all workers together, or UINT64_MAX. An item
 * takes a claim and a step, and in the worst case a wait, a fix-up and a signal a k iteration; a
 * worker fails once on each counter and stops. A policy that goes on for longer never ends. */
static inline uint64_t ts_plan_steps_max(const struct ts_plan *p)
{
	uint64_t parts = (uint64_t)p->depth + 1; /* <= 2^31: no product here exceeds 2^62 */
	uint64_t fails = (uint64_t)p->counters + 2;
	uint64_t sum = p->items * parts + p->workers * fails;

	return sum < UINT64_MAX / 8 ? 8 * sum : UINT64_MAX;
}

#endif
