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

static inline enum ts_status ts_spec_check_groups(const struct ts_spec *spec)
{
	uint64_t item_m = (uint64_t)spec->block_m * (uint64_t)spec->cluster_m;
	uint64_t item_n = (uint64_t)spec->block_n * (uint64_t)spec->cluster_n;

	if (!ts_in_range(spec->batch, 0, TS_COUNT_MAX))
		return TS_BAD_BATCH;
	if (!ts_in_range(spec->section, 0, TS_COUNT_MAX))
		return TS_BAD_SECTION;
	if ((uint32_t)spec->layout >= TS_LAYOUTS)
		return TS_BAD_LAYOUT;
	if ((uint32_t)spec->group_order >= TS_GROUP_ORDERS)
		return TS_BAD_GROUP_ORDER;
	if (spec->layout != TS_CONTIGUOUS && !ts_spec_has_list(spec))
		return TS_UNUSED_LAYOUT;
	if (ts_spec_has_list(spec) &&
		(!ts_in_range(spec->list_count, 0, TS_LIST_MAX) ||
			(spec->list_count > 0 && (spec->turns == 0 || spec->grids == 0))))
		return TS_BAD_LIST;
	if ((uint32_t)spec->shape >= TS_SHAPES)
		return TS_BAD_SHAPE;
	if ((uint32_t)spec->row_order >= TS_ROW_ORDERS)
		return TS_BAD_ROW_ORDER;
	if (spec->shape == TS_TRIANGLE && spec->row_order != TS_ROWS_ASCENDING)
		return TS_UNUSED_ROW_ORDER;
	if (spec->collective == TS_ALONE && spec->row_order == TS_ROWS_RANK)
		return TS_UNUSED_ROW_ORDER;
	if (spec->shape == TS_TRIANGLE && item_m % item_n != 0 && item_n % item_m != 0)
		return TS_UNEVEN_TRIANGLE;
	return TS_OK;
}

static inline enum ts_status ts_spec_check_collective(const struct ts_spec *spec)
{
	if ((uint32_t)spec->collective >= TS_COLLECTIVES)
		return TS_BAD_COLLECTIVE;
	if (spec->collective == TS_ALONE &&
		(spec->ranks != 1 || spec->rank != 0 || spec->rank_chunks != 1))
		return TS_UNUSED_RANKS;
	if (spec->collective != TS_ALONE &&
		(spec->batch != 1 || ts_spec_has_list(spec) || spec->shape != TS_RECTANGLE))
		return TS_UNUSED_COLLECTIVE;
	if (!ts_in_range(spec->ranks, 1, TS_RANKS_MAX))
		return TS_BAD_RANKS;
	if (!ts_in_range(spec->rank, 0, spec->ranks - 1))
		return TS_BAD_RANK;
	if (!ts_in_range(spec->rank_chunks, 1, TS_RANK_CHUNKS_MAX) ||
		spec->ranks * spec->rank_chunks > TS_CHUNKS_MAX)
		return TS_BAD_RANK_CHUNKS;
	return TS_OK;
}

static inline enum ts_status ts_spec_check(const struct ts_spec *spec)
{
	/* Two factors below 2^31 have a product that fits. */
	int64_t max_cluster = spec->max_cluster;
	enum ts_status status;

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
	status = ts_spec_check_groups(spec);
	return status == TS_OK ? ts_spec_check_collective(spec) : status;
}

/* The grid of one problem, and the order in it. Needs blocks, clusters and shape; `ret_items` are
 * the clusters of one copy, and p->cells and p->tiles its tiles. */
static inline enum ts_status ts_plan_grid(struct ts_plan *p, const struct ts_spec *spec, int64_t m,
	int64_t n, int64_t k, uint64_t *ret_items)
{
	uint64_t section = (uint64_t)spec->section;
	uint64_t items;

	p->m = (uint32_t)m;
	p->n = (uint32_t)n;
	p->k = (uint32_t)k;
	p->rows = ts_ceil_div(p->m, p->block_m);
	p->cols = ts_ceil_div(p->n, p->block_n);
	p->depth = ts_ceil_div(p->k, p->block_k);
	p->cells = p->tiles = (uint64_t)p->rows * p->cols;
	if (p->cells > TS_COUNT_MAX)
		return TS_MANY_TILES;
	p->cluster_rows = ts_ceil_div(p->rows, p->cluster_m);
	p->cluster_cols = ts_ceil_div(p->cols, p->cluster_n);
	items = (uint64_t)p->cluster_rows * p->cluster_cols;
	if (p->shape == TS_TRIANGLE && m != n)
		return TS_UNEVEN_TRIANGLE;
	if (p->shape == TS_TRIANGLE && items > 0) {
		items = ts_shape_fold(p);
		p->tiles = ts_triangle_tiles(p);
	}
	if ((uint64_t)p->cluster_rows * p->cluster_cols > 0)
		ts_plan_order(p, spec);
	if (section == 0 || section > p->batch.by)
		section = p->batch.by;
	*ret_items = items; /* no more than there are tiles */
	if (p->cells * p->batch.by > TS_COUNT_MAX)
		return TS_MANY_TILES;
	p->section = ts_divisor_make((uint32_t)section);
	p->last_section = p->section;
	if (p->batch.by % section != 0)
		p->last_section = ts_divisor_make((uint32_t)(p->batch.by % section));
	p->section_items = ts_divisor_make(items > 0 ? (uint32_t)(items * section) : 1);
	return TS_OK;
}

/* Does grid `a` come after grid `b`? */
static inline bool ts_grid_after(
	const struct ts_plan *grids, uint32_t a, uint32_t b, enum ts_group_order group_order)
{
	if (group_order == TS_GROUPS_LONGEST && grids[a].depth != grids[b].depth)
		return grids[a].depth < grids[b].depth;
	return a > b;
}

/* Heapsort (Williams, CACM 1964) of the turns, whose grids are all different, and where they begin.
 */
static inline void ts_plan_turns(const struct ts_spec *spec, uint32_t batch)
{
	struct ts_turn *turns = spec->turns;
	uint32_t count = (uint32_t)spec->list_count;
	uint32_t items = 0, sorted = count;

	for (uint32_t next = count / 2; sorted > 1;) {
		uint32_t at, child, moved;

		if (next > 0) {
			at = --next;
			moved = turns[at].grid;
		} else {
			at = 0;
			moved = turns[--sorted].grid;
			turns[sorted].grid = turns[0].grid;
		}
		while ((child = 2 * at + 1) < sorted) {
			if (child + 1 < sorted &&
				ts_grid_after(spec->grids, turns[child + 1].grid, turns[child].grid,
					spec->group_order))
				child++;
			if (!ts_grid_after(
				    spec->grids, turns[child].grid, moved, spec->group_order))
				break;
			turns[at].grid = turns[child].grid;
			at = child;
		}
		turns[at].grid = moved;
	}
	for (uint32_t i = 0; i < count; i++) {
		turns[i].first = items;
		items += spec->grids[turns[i].grid].items * batch;
	}
}

/* All grids of a list, into the caller's memory; `p` gets the largest of their sizes and the order
 * of the largest. */
static inline enum ts_status ts_plan_list(struct ts_plan *p, const struct ts_spec *spec)
{
	const struct ts_plan base = *p;
	uint64_t items = 0, cells = 0, tiles = 0, rows = 0, most = 0;
	uint32_t m = 0, n = 0, k = 0;

	for (uint32_t i = 0; i < (uint32_t)spec->list_count; i++) {
		int64_t own_m = spec->list_m != 0 ? spec->list_m[i] : spec->m;
		int64_t own_n = spec->list_n != 0 ? spec->list_n[i] : spec->n;
		int64_t own_k = spec->list_k != 0 ? spec->list_k[i] : spec->k;
		struct ts_plan *grid = &spec->grids[i];
		enum ts_status status;
		uint64_t own;

		if (!ts_in_range(own_m, 0, TS_COUNT_MAX) || !ts_in_range(own_n, 0, TS_COUNT_MAX) ||
			!ts_in_range(own_k, 0, TS_COUNT_MAX))
			return TS_BAD_LIST_SIZE;
		if (spec->layout == TS_MASKED && own_m > spec->m)
			return TS_OVER_CAPACITY;
		*grid = base;
		status = ts_plan_grid(grid, spec, own_m, own_n, own_k, &own);
		if (status != TS_OK)
			return status;
		grid->items = (uint32_t)own;
		grid->first_cell = cells;
		grid->first_row = rows;
		spec->turns[i].grid = i;
		items += own * base.batch.by;
		cells += grid->cells * base.batch.by;
		tiles += grid->tiles * base.batch.by;
		rows += (uint64_t)(spec->layout == TS_MASKED ? spec->m : own_m) * base.batch.by;
		if (cells > TS_COUNT_MAX)
			return TS_MANY_TILES;
		if (own >= most)
			*p = *grid;
		most = own > most ? own : most;
		m = grid->m > m ? grid->m : m;
		n = grid->n > n ? grid->n : n;
		k = grid->k > k ? grid->k : k;
	}
	ts_plan_turns(spec, base.batch.by);
	p->m = spec->layout == TS_MASKED ? (uint32_t)spec->m : m;
	p->n = n;
	p->k = k;
	p->rows = ts_ceil_div(m, p->block_m);
	p->cols = ts_ceil_div(n, p->block_n);
	p->depth = ts_ceil_div(k, p->block_k);
	p->first_cell = p->first_row = 0;
	p->items = (uint32_t)items;
	p->cells = cells;
	p->tiles = tiles;
	p->grid_count = (uint32_t)spec->list_count;
	p->groups = p->grid_count * p->batch.by;
	p->turns = spec->turns;
	p->grids = spec->grids;
	return TS_OK;
}

/* One problem, copies of one, or a list. Needs the blocks and clusters; sets everything about sizes
 * and order. */
static inline enum ts_status ts_plan_problem(struct ts_plan *p, const struct ts_spec *spec)
{
	uint64_t items;
	enum ts_status status;

	p->shape = spec->shape;
	p->row_order = spec->row_order;
	p->layout = spec->layout;
	p->batch = ts_divisor_make(spec->batch > 0 ? (uint32_t)spec->batch : 1);
	p->groups = p->grid_count = 1;
	p->plain = p->shape == TS_RECTANGLE && p->row_order == TS_ROWS_ASCENDING;
	if (spec->batch > 0 && ts_spec_has_list(spec) && spec->list_count > 0) {
		if ((uint64_t)spec->list_count * p->batch.by > TS_COUNT_MAX)
			return TS_BAD_BATCH;
		p->plain = false;
		return ts_plan_list(p, spec);
	}
	status = ts_plan_grid(p, spec, spec->m, spec->n, spec->k, &items);
	if (status != TS_OK)
		return status;
	if (spec->collective != TS_ALONE)
		ts_plan_chunks(p, spec->collective, (uint32_t)spec->ranks, (uint32_t)spec->rank,
			(uint32_t)spec->rank_chunks);
	p->groups = p->batch.by;
	p->cells *= p->batch.by;
	p->tiles *= p->batch.by;
	p->items = (uint32_t)(items * p->batch.by);
	p->plain = p->plain && p->groups == 1;
	if (spec->batch == 0 || ts_spec_has_list(spec)) {
		/* No group at all: nothing to do. */
		p->groups = p->grid_count = 0;
		p->cells = p->tiles = 0;
		p->items = 0;
	}
	return TS_OK;
}

/* A policy's plan() says who computes the problem, not what it is: a slip there must not pass for a
 * smaller problem. */
static inline void ts_plan_keep_problem(struct ts_plan *p, const struct ts_plan *problem)
{
	p->m = problem->m;
	p->n = problem->n;
	p->k = problem->k;
	p->block_m = problem->block_m;
	p->block_n = problem->block_n;
	p->block_k = problem->block_k;
	p->rows = problem->rows;
	p->cols = problem->cols;
	p->depth = problem->depth;
	p->cluster_m = problem->cluster_m;
	p->cluster_n = problem->cluster_n;
	p->cluster_rows = problem->cluster_rows;
	p->cluster_cols = problem->cluster_cols;
	p->items = problem->items;
	p->shape = problem->shape;
	p->layout = problem->layout;
	p->groups = problem->groups;
	p->grid_count = problem->grid_count;
	p->batch = problem->batch;
	p->turns = problem->turns;
	p->grids = problem->grids;
	p->plain = problem->plain;
	p->first_cell = problem->first_cell;
	p->first_row = problem->first_row;
	p->cells = problem->cells;
	p->tiles = problem->tiles;
}

/* Makes the plan for `spec` and a policy that need not be registered. On any status but TS_OK
 * `ret_plan` is untouched. M, N or K of 0 is valid: without M or N there are no items; without K
 * each tile has no k iteration but is still an item, because its output has to be written. The
 * memory in spec->turns and spec->grids belongs to the plan for as long as it is used. */
static inline enum ts_status ts_plan_make_as(
	struct ts_plan *ret_plan, const struct ts_spec *spec, const struct ts_policy *policy)
{
	/* All zero, in the one way that C and C++ both take without a warning; never written. */
	static struct ts_plan blank;
	struct ts_plan plan = blank, problem;
	struct ts_plan *p = &plan;
	enum ts_status status = ts_spec_check(spec);

	if (status != TS_OK)
		return status;
	p->policy = spec->policy;
	p->asked_order = p->order = spec->order;
	p->remap = spec->remap;
	p->block_m = (uint32_t)spec->block_m;
	p->block_n = (uint32_t)spec->block_n;
	p->block_k = (uint32_t)spec->block_k;
	p->cluster_m = (uint32_t)spec->cluster_m;
	p->cluster_n = (uint32_t)spec->cluster_n;
	status = ts_plan_problem(p, spec);
	if (status != TS_OK)
		return status;
	p->workers = (uint32_t)spec->workers;
	p->domains = (uint32_t)spec->domains;
	p->slots = ts_divisor_make(1);
	p->splits = p->per_split = p->k_groups = ts_divisor_make(1);
	problem = plan;
	status = policy->plan(p, spec);
	ts_plan_keep_problem(p, &problem);
	if (status == TS_OK && (p->workers > TS_COUNT_MAX || (p->workers == 0 && p->items > 0)))
		status = TS_BAD_WORKERS;
	if (status == TS_OK && p->counters > spec->max_counters)
		status = TS_FEW_COUNTERS;
	if (status == TS_OK && spec->slots != 1 && p->counters < 2)
		status = TS_UNUSED_SLOTS;
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
