/* Orders: where in the grid of clusters does linear id 0, 1, 2, ... lie?
 *
 * All orders are one walk: the grid is cut into panels of `width` clusters along one axis, a panel
 * is swept along the other axis, and inside it ids run first over the width. Width 1 gives
 * row-major and column-major. A snake turns round after each panel. The last panel is narrower
 * where the width does not divide the axis, so every order is exact: ids [0, items) hit each
 * cluster once. An order acts inside the grid of each group; groups follow one another. */
#ifndef TS_ORDER_H
#define TS_ORDER_H

#include "group.h"
#include "shape.h"

enum ts_order {
	TS_ROW,       /* width 1, panels of rows: n is fastest */
	TS_COLUMN,    /* width 1, panels of columns: m is fastest */
	TS_GROUPED_M, /* panels of `width` rows (Triton's GROUP_M, tritonBLAS, HipKittens' window)
		       */
	TS_GROUPED_N, /* panels of `width` columns (TileLang's PersistentTileScheduler) */
	TS_SNAKE_M,   /* as TS_GROUPED_M, every second panel swept backwards (ThunderKittens, QuACK)
		       */
	TS_SNAKE_N,   /* as TS_GROUPED_N, every second panel swept backwards */
	TS_ORDERS
};

static inline const char *ts_order_name(enum ts_order order)
{
	switch (order) {
	case TS_ROW: return "row";
	case TS_COLUMN: return "column";
	case TS_GROUPED_M: return "grouped-m";
	case TS_GROUPED_N: return "grouped-n";
	case TS_SNAKE_M: return "snake-m";
	case TS_SNAKE_N: return "snake-n";
	case TS_ORDERS: break;
	}
	return 0;
}

/* Do the panels consist of columns, so that the width counts along n? */
static inline TS_HD bool ts_order_by_columns(enum ts_order order)
{
	return order == TS_COLUMN || order == TS_GROUPED_N || order == TS_SNAKE_N;
}

static inline TS_HD bool ts_order_is_snake(enum ts_order order)
{
	return order == TS_SNAKE_M || order == TS_SNAKE_N;
}

/* The panel width, 8 or 16, that loads fewer elements of A and B per k for one wave of `workers`
 * items: DeepGEMM's rule (deep_gemm/include/deep_gemm/scheduler/gemm.cuh); a tie goes to 8.
 * `along` and `across` are the elements of an item on the axis of the width and on the other. */
static inline uint32_t ts_order_default_width(uint64_t along, uint64_t across, uint64_t workers)
{
	uint64_t waves_8 = workers / 8 + (workers % 8 != 0 ? 1 : 0);
	uint64_t waves_16 = workers / 16 + (workers % 16 != 0 ? 1 : 0);
	uint64_t fewer = waves_8 - waves_16;

	/* 16 along + waves_16 across < 8 along + waves_8 across, without products that could wrap.
	 */
	return fewer > 0 && across > 8 * along / fewer ? 16 : 8;
}

/* Where in one grid the cluster with id `id` lies, 0 <= id < cluster_rows * cluster_cols. */
static inline TS_HD struct ts_at ts_order_cell(const struct ts_plan *p, uint32_t id)
{
	struct ts_at c;
	uint32_t panel = ts_quotient(id, p->panel);
	uint32_t within = id - panel * p->panel.by;
	struct ts_divisor width = panel < p->full_panels ? p->width : p->last_width;
	uint32_t across = ts_quotient(within, width);
	uint32_t along = panel * p->width.by + within - across * width.by;

	if (ts_order_is_snake((enum ts_order)p->order) && panel % 2 == 1)
		across = p->across - 1 - across;
	if (ts_order_by_columns((enum ts_order)p->order)) {
		c.m = across;
		c.n = along;
	} else {
		c.m = along;
		c.n = across;
	}
	return c;
}

/* The whole item of group `g` at a cell of its grid. */
static inline TS_HD struct ts_step ts_item_at(
	const struct ts_plan *grid, uint32_t g, struct ts_at c)
{
	struct ts_step s = ts_step_make(TS_WORK);

	s.g = g;
	s.m = c.m * grid->cluster_m;
	s.n = c.n * grid->cluster_n;
	s.k_end = ts_shape_depth(grid, s.m);
	s.owns = true;
	return s;
}

/* The same for ids of several groups, of shapes with a part left out, and of rows turned round. */
static inline TS_HD struct ts_step ts_order_item_of(const struct ts_plan *p, uint32_t id)
{
	struct ts_place_in at = ts_group_find(p, id);
	const struct ts_plan *grid = ts_grid(p, at.g);
	struct ts_at c;

	if (grid->shape == TS_TRIANGLE) {
		c = at.item < grid->fold.items ? ts_unfold(grid, ts_order_cell(grid, at.item))
					       : ts_unfolded(grid, at.item);
	} else {
		c = ts_order_cell(grid, at.item);
		c.m = ts_row_at((enum ts_row_order)grid->row_order, c.m, grid->cluster_rows);
	}
	return ts_item_at(grid, at.g, c);
}

/* The whole item with linear id `id`, 0 <= id < plan.items. */
static inline TS_HD struct ts_step ts_order_item(const struct ts_plan *p, uint32_t id)
{
	struct ts_step s;
	struct ts_at c;

	if (!p->plain)
		return ts_order_item_of(p, id);
	c = ts_order_cell(p, id);
	s = ts_step_make(TS_WORK);
	s.m = c.m * p->cluster_m;
	s.n = c.n * p->cluster_n;
	s.k_end = p->depth;
	s.owns = true;
	return s;
}

#endif
