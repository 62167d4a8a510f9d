/* Groups: several problems in one launch, each a grid of tiles of its own: the batches of a batched
 * GEMM, the experts of a grouped one, the heads and sequences of attention.
 *
 * They are an axis of the problem, like m and n, and not a way to deal work. Linear ids run through
 * the grids one after the other and so every distribution takes them as they are; the order acts
 * inside each grid, and no cluster lies across two. A grid may be empty. Copies of one grid
 * (batches, heads) need no table; grids of different sizes are found by binary search in prefix
 * sums, as in DeepGEMM's and CUTLASS' grouped schedulers, whose search is linear. */
#ifndef TS_GROUP_H
#define TS_GROUP_H

#include "policy.h"

/* Where the rows of the groups of a list lie in A and C. */
enum ts_layout {
	TS_CONTIGUOUS, /* one behind the other, without gaps */
	TS_MASKED,     /* each at a multiple of m, of which it uses as many as the list says */
	TS_LAYOUTS
};

static inline const char *ts_layout_name(enum ts_layout layout)
{
	switch (layout) {
	case TS_CONTIGUOUS: return "contiguous";
	case TS_MASKED: return "masked";
	case TS_LAYOUTS: break;
	}
	return 0;
}

/* In which order the groups of a list come in the linear ids. */
enum ts_group_order {
	TS_GROUPS_GIVEN,
	TS_GROUPS_LONGEST, /* most k iterations first, then as given (FlashAttention-3's sorted
			      batches, QuACK's batch_idx_permute) */
	TS_GROUP_ORDERS
};

static inline const char *ts_group_order_name(enum ts_group_order group_order)
{
	switch (group_order) {
	case TS_GROUPS_GIVEN: return "given";
	case TS_GROUPS_LONGEST: return "longest";
	case TS_GROUP_ORDERS: break;
	}
	return 0;
}

/* Does the plan have one group, and a grid with nothing left out or turned round? A kernel that
 * takes no others defines TS_PLAIN_ONLY before it includes any of these headers: a plan that might
 * lie behind a pointer cannot stay in registers. */
static inline TS_HD bool ts_is_plain(const struct ts_plan *p)
{
#ifdef TS_PLAIN_ONLY
	(void)p;
	return true;
#else
	return p->plain;
#endif
}

/* The plan that holds the sizes of group `g` < plan.groups and the order inside it: m, n, k, rows,
 * cols, depth, cluster_rows, cluster_cols. */
static inline TS_HD const struct ts_plan *ts_grid(const struct ts_plan *p, uint32_t g)
{
	if (ts_is_plain(p) || p->grids == 0)
		return p;
	return &p->grids[ts_quotient(g, p->batch)];
}

/* A number of its own for each tile of each group, below plan.cells; (m, n) is in the group's grid.
 */
static inline TS_HD uint64_t ts_tile_index(
	const struct ts_plan *p, uint32_t g, uint32_t m, uint32_t n)
{
	const struct ts_plan *grid = ts_grid(p, g);
	uint64_t copy = g - ts_quotient(g, p->batch) * p->batch.by;

	return grid->first_cell + (copy * grid->rows + m) * grid->cols + n;
}

/* The row of A and C at which group `g` begins. */
static inline TS_HD uint64_t ts_group_row(const struct ts_plan *p, uint32_t g)
{
	const struct ts_plan *grid = ts_grid(p, g);
	uint64_t copy = g - ts_quotient(g, p->batch) * p->batch.by;

	return grid->first_row + copy * (p->layout == TS_MASKED ? p->m : grid->m);
}

/* A place in the linear ids: which group, and which item of it. */
struct ts_place_in {
	uint32_t g, item;
};

/* The copy of `grid` that id `id` of all its copies belongs to, and the item. Copies take turns,
 * item by item, within sections of them (FlashAttention-3's head swizzle); a section of one is a
 * whole copy at a time. */
static inline TS_HD struct ts_place_in ts_group_copy(
	const struct ts_plan *p, const struct ts_plan *grid, uint32_t id)
{
	struct ts_place_in at;
	uint32_t number = ts_quotient(id, grid->section_items);
	uint32_t within = id - number * grid->section_items.by;
	uint32_t first = number * p->section.by;
	struct ts_divisor copies = p->section;

	if (p->batch.by - first < copies.by)
		copies = p->last_section;
	at.item = ts_quotient(within, copies);
	at.g = first + within - at.item * copies.by;
	return at;
}

/* The group of id `id` < plan.items. */
static inline TS_HD struct ts_place_in ts_group_find(const struct ts_plan *p, uint32_t id)
{
	uint32_t low = 0, high = p->grid_count;
	struct ts_place_in at;
	uint32_t grid = 0;

	if (p->grids == 0)
		return ts_group_copy(p, p, id);
	/* The last turn that begins at or before the id; those of empty grids begin where the next
	 * one does. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (p->turns[middle].first <= id)
			low = middle;
		else
			high = middle;
	}
	grid = p->turns[low].grid;
	at = ts_group_copy(p, &p->grids[grid], id - p->turns[low].first);
	at.g += grid * p->batch.by;
	return at;
}

#endif
