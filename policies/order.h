/* Orders: where in the grid of clusters does linear id 0, 1, 2, ... lie?
 *
 * All are exact: ids [0, items) hit each cluster once, whatever the sides of the grid.
 *
 * Most are one walk: the grid is cut into panels of `width` clusters along one axis, a panel is
 * swept along the other axis, and inside it ids run first over the width. The last panel is
 * narrower where the width does not divide the axis. An order in -m has panels of rows, one in -n
 * panels of columns. Space-filling curves are in curve.h. An order acts inside the grid of each
 * group; groups follow one another.
 *
 * The enumerators from TS_AUTO on are no maps but rules: the plan has the map and width that the
 * rule chose for the problem (order_plan.h). */
#ifndef TS_ORDER_H
#define TS_ORDER_H

#include "curve.h"
#include "group.h"
#include "shape.h"

enum ts_order {
	TS_ROW,
	TS_COLUMN,
	TS_GROUPED_M,
	TS_GROUPED_N,
	TS_SNAKE_M,
	TS_SNAKE_N,
	TS_ROTATED_M,
	TS_PAIRED_M,
	TS_PAIRED_N,
	TS_INPLACE_M,
	TS_INPLACE_N,
	TS_COHORT,
	TS_MORTON,
	TS_HILBERT,
	TS_HILBERT_CLIPPED,
	TS_AUTO,
	TS_CUTLASS,
	TS_CUTLASS_M,
	TS_CUTLASS_N,
	TS_CUTLASS_2,
	TS_QUACK,
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
	case TS_ROTATED_M: return "rotated-m";
	case TS_PAIRED_M: return "paired-m";
	case TS_PAIRED_N: return "paired-n";
	case TS_INPLACE_M: return "inplace-m";
	case TS_INPLACE_N: return "inplace-n";
	case TS_COHORT: return "cohort";
	case TS_MORTON: return "morton";
	case TS_HILBERT: return "hilbert";
	case TS_HILBERT_CLIPPED: return "hilbert-clipped";
	case TS_AUTO: return "auto";
	case TS_CUTLASS: return "cutlass";
	case TS_CUTLASS_M: return "cutlass-m";
	case TS_CUTLASS_N: return "cutlass-n";
	case TS_CUTLASS_2: return "cutlass-2";
	case TS_QUACK: return "quack";
	case TS_ORDERS: break;
	}
	return 0;
}

/* Does the order look at the panel width of a request? */
static inline bool ts_order_has_width(enum ts_order order)
{
	switch (order) {
	case TS_ROW:
	case TS_COLUMN:
	case TS_MORTON:
	case TS_HILBERT:
	case TS_HILBERT_CLIPPED:
	case TS_AUTO:
	case TS_ORDERS: return false;
	case TS_GROUPED_M:
	case TS_GROUPED_N:
	case TS_SNAKE_M:
	case TS_SNAKE_N:
	case TS_ROTATED_M:
	case TS_PAIRED_M:
	case TS_PAIRED_N:
	case TS_INPLACE_M:
	case TS_INPLACE_N:
	case TS_COHORT:
	case TS_CUTLASS:
	case TS_CUTLASS_M:
	case TS_CUTLASS_N:
	case TS_CUTLASS_2:
	case TS_QUACK: break;
	}
	return true;
}

/* Do the panels consist of columns, so that the width counts along n? */
static inline TS_HD bool ts_order_by_columns(enum ts_order order)
{
	return order == TS_COLUMN || order == TS_GROUPED_N || order == TS_SNAKE_N ||
		order == TS_PAIRED_N || order == TS_INPLACE_N;
}

static inline TS_HD bool ts_order_is_snake(enum ts_order order)
{
	return order == TS_SNAKE_M || order == TS_SNAKE_N;
}

static inline TS_HD bool ts_order_is_paired(enum ts_order order)
{
	return order == TS_PAIRED_M || order == TS_PAIRED_N;
}

static inline TS_HD bool ts_order_is_inplace(enum ts_order order)
{
	return order == TS_INPLACE_M || order == TS_INPLACE_N;
}

static inline TS_HD bool ts_order_is_curve(enum ts_order order)
{
	return order == TS_MORTON || order == TS_HILBERT || order == TS_HILBERT_CLIPPED;
}

/* A cell by panels: `along` the axis that is cut into them, `across` the other one. */
struct ts_spot {
	uint32_t along, across;
};

/* CUTLASS' cohort: blocks of `width` rows and 4 columns one after the other in a row of them, and
 * row-major inside. */
enum { TS_COHORT_COLUMNS = 4 };

static inline TS_HD struct ts_spot ts_order_cohort(
	const struct ts_plan *p, uint32_t within, uint32_t first, struct ts_divisor height)
{
	struct ts_spot at;
	uint32_t block = ts_quotient(within, height) / TS_COHORT_COLUMNS;
	uint32_t begin = block * TS_COHORT_COLUMNS;
	uint32_t in = within - begin * height.by;
	uint32_t columns = p->across - begin;
	uint32_t row;

	switch (columns) { /* by constants: the only divisors there are */
	case 1: row = in; break;
	case 2: row = in / 2; break;
	case 3: row = in / 3; break;
	default:
		columns = TS_COHORT_COLUMNS;
		row = in / TS_COHORT_COLUMNS;
		break;
	}
	at.along = first + row;
	at.across = begin + in - row * columns;
	return at;
}

static inline TS_HD struct ts_spot ts_order_panels(const struct ts_plan *p, uint32_t id)
{
	enum ts_order order = (enum ts_order)p->order;
	struct ts_spot at;
	uint32_t panel = ts_quotient(id, p->panel);
	uint32_t within = id - panel * p->panel.by;
	uint32_t first = panel * p->width.by;
	struct ts_divisor width = panel < p->full_panels ? p->width : p->last_width;

	if (order == TS_COHORT)
		return ts_order_cohort(p, within, first, width);
	at.across = ts_quotient(within, width);
	/* The row inside a panel is the id modulo the panel's height, counted from the panel or,
	 * rotated, from the first id of all. They differ in a narrower last panel. */
	if (order == TS_ROTATED_M)
		at.along = first + id - ts_quotient(id, width) * width.by;
	else
		at.along = first + within - at.across * width.by;
	if (ts_order_is_snake(order) && panel % 2 == 1)
		at.across = p->across - 1 - at.across;
	return at;
}

/* Paired: panels of an even width, and last a single row where the axis is odd, which this is. So
 * the ids 2i and 2i + 1 are always neighbours on one axis and can share an operand. */
static inline TS_HD struct ts_spot ts_order_last_row(const struct ts_plan *p, uint32_t id)
{
	struct ts_spot at;

	at.along = ts_order_by_columns((enum ts_order)p->order) ? p->cluster_cols - 1
								: p->cluster_rows - 1;
	at.across = id - p->last_row;
	return at;
}

/* Cells change places inside each strip of `width` so that ids, which the hardware deals out with
 * `across` fastest, run over the width first. What is left over on either axis stays in its place.
 */
static inline TS_HD struct ts_spot ts_order_inplace(const struct ts_plan *p, uint32_t id)
{
	struct ts_spot at;
	uint32_t width = p->width.by;
	uint32_t panel, step;

	at.along = ts_quotient(id, p->panel);
	at.across = id - at.along * p->panel.by;
	if (at.across >= p->across * width || at.along >= p->full_panels * width)
		return at;
	panel = ts_quotient(at.along, p->width) * width;
	step = ts_quotient(at.across, p->width);
	id = at.across - step * width;
	at.across = step + p->across * (at.along - panel);
	at.along = panel + id;
	return at;
}

static inline TS_HD struct ts_point ts_order_curve(const struct ts_plan *p, uint32_t id)
{
	if (p->order == TS_HILBERT)
		return ts_curve_hilbert(id, p->cluster_rows, p->cluster_cols);
	return ts_curve_clipped(
		id, p->cluster_rows, p->cluster_cols, p->across, p->order == TS_HILBERT_CLIPPED);
}

/* Where in one grid the cluster with id `id` lies, 0 <= id < cluster_rows * cluster_cols. */
static inline TS_HD struct ts_point ts_order_cell(const struct ts_plan *p, uint32_t id)
{
	enum ts_order order = (enum ts_order)p->order;
	struct ts_spot at;

	if (ts_order_is_curve(order))
		return ts_order_curve(p, id);
	if (ts_order_is_inplace(order))
		at = ts_order_inplace(p, id);
	else if (id >= p->last_row)
		at = ts_order_last_row(p, id);
	else
		at = ts_order_panels(p, id);
	return ts_order_by_columns(order) ? ts_point_make(at.across, at.along)
					  : ts_point_make(at.along, at.across);
}

/* The whole item of group `g` at a cell of its grid. */
static inline TS_HD struct ts_step ts_item_at(
	const struct ts_plan *grid, uint32_t g, struct ts_point c)
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
	struct ts_point c;

	if (grid->shape == TS_TRIANGLE) {
		c = at.item < grid->fold.items ? ts_unfold(grid, ts_order_cell(grid, at.item))
					       : ts_unfolded(grid, at.item);
	} else {
		c = ts_order_cell(grid, at.item);
		c.m = ts_row_at(grid, c.m);
	}
	return ts_item_at(grid, at.g, c);
}

/* The whole item with linear id `id`, 0 <= id < plan.items. */
static inline TS_HD struct ts_step ts_order_item(const struct ts_plan *p, uint32_t id)
{
	struct ts_step s;
	struct ts_point c;

	if (!ts_is_plain(p))
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
