/* Shapes: which tiles of a grid exist, and which k iterations of each.
 *
 * A rectangle has all of both. Of a triangle only the tiles exist that reach the diagonal or lie
 * below it (SYRK, symmetric output). Causal attention has all tiles, but row i of Q sees keys up to
 * its own position only, with the last row seeing all of K; so the number of k iterations grows
 * with the row. */
#ifndef TS_SHAPE_H
#define TS_SHAPE_H

#include "policy.h"

enum ts_shape_kind { TS_RECTANGLE, TS_TRIANGLE, TS_CAUSAL, TS_SHAPES };

static inline const char *ts_shape_name(enum ts_shape_kind shape)
{
	switch (shape) {
	case TS_RECTANGLE: return "rectangle";
	case TS_TRIANGLE: return "triangle";
	case TS_CAUSAL: return "causal";
	case TS_SHAPES: break;
	}
	return 0;
}

/* In which order the rows of clusters come that an order counts from 0 on. */
enum ts_row_order {
	TS_ROWS_ASCENDING,
	TS_ROWS_DESCENDING, /* longest first, of a causal shape (FlashAttention's LPT) */
	TS_ROWS_FOLD,       /* last, first, last but one, second, ...: pairs of equal length */
	TS_ROWS_RANK,       /* as a collective brings or takes them (chunk.h) */
	TS_ROW_ORDERS
};

static inline const char *ts_row_order_name(enum ts_row_order row_order)
{
	switch (row_order) {
	case TS_ROWS_ASCENDING: return "ascending";
	case TS_ROWS_DESCENDING: return "descending";
	case TS_ROWS_FOLD: return "fold";
	case TS_ROWS_RANK: return "rank";
	case TS_ROW_ORDERS: break;
	}
	return 0;
}

/* Row of clusters number `i` < grid.cluster_rows. */
static inline TS_HD uint32_t ts_row_at(const struct ts_plan *grid, uint32_t i)
{
	uint32_t rows = grid->cluster_rows;

	switch ((enum ts_row_order)grid->row_order) {
	case TS_ROWS_DESCENDING: return rows - 1 - i;
	case TS_ROWS_FOLD: return i % 2 == 0 ? rows - 1 - i / 2 : i / 2;
	case TS_ROWS_RANK: i += grid->row_shift; return i < rows ? i : i - rows;
	case TS_ROWS_ASCENDING:
	case TS_ROW_ORDERS: break;
	}
	return i;
}

/* Does tile (m, n) exist? `grid` is ts_grid() of its group, here and below. */
static inline TS_HD bool ts_shape_has(const struct ts_plan *grid, uint32_t m, uint32_t n)
{
	uint64_t row_after = ((uint64_t)m + 1) * grid->block_m;

	if (m >= grid->rows || n >= grid->cols)
		return false;
	if (grid->shape != TS_TRIANGLE)
		return true;
	return (uint64_t)n * grid->block_n < (row_after < grid->m ? row_after : grid->m);
}

/* Can an item begin at tile (m, n): is one of its cluster's tiles there? */
static inline TS_HD bool ts_shape_has_item(const struct ts_plan *grid, uint32_t m, uint32_t n)
{
	uint32_t last;

	if (m >= grid->rows || n >= grid->cols || grid->shape != TS_TRIANGLE)
		return m < grid->rows && n < grid->cols;
	last = grid->rows - m < grid->cluster_m ? grid->rows - 1 : m + grid->cluster_m - 1;
	return ts_shape_has(grid, last, n);
}

/* The k iterations of the tiles in row `m` < grid.rows. A cluster runs as one, so that all its rows
 * have those of the last. */
static inline TS_HD uint32_t ts_shape_depth(const struct ts_plan *grid, uint32_t m)
{
	uint64_t row_after, sees;

	if (grid->shape != TS_CAUSAL)
		return grid->depth;
	row_after = ((uint64_t)m - m % grid->cluster_m + grid->cluster_m) * grid->block_m;
	row_after = row_after < grid->m ? row_after : grid->m;
	sees = row_after + grid->k;
	if (sees <= grid->m)
		return 0;
	return (uint32_t)((sees - grid->m + grid->block_k - 1) / grid->block_k);
}

/* The cluster of a triangle that lies at `c` of the rectangle it is folded to: line i of that is
 * line i of the triangle and the one as far from the other end, which together are equally long for
 * all i. Any order of the rectangle is so one of the triangle, exactly and without a root. */
static inline TS_HD struct ts_point ts_unfold(const struct ts_plan *grid, struct ts_point c)
{
	struct ts_point at;
	uint32_t ratio = grid->fold.ratio, lines = grid->fold.lines;
	uint32_t length;

	if (grid->fold.by_rows) {
		/* Row i has ratio * (i + 1) clusters. Of an odd number of rows the last has a line
		 * to itself, as if there were an empty one before the first. */
		length = ratio * (lines - c.m);
		at.m = c.n < length ? lines - 1 - c.m : c.m - lines % 2;
		at.n = c.n < length ? c.n : c.n - length;
		return at;
	}
	/* Column j begins at row ratio * j. */
	at.n = grid->fold.first_line + c.n;
	length = grid->fold.height - ratio * at.n;
	if (c.m >= length) {
		c.m -= length;
		at.n = grid->fold.first_line + lines - 1 - c.n;
	}
	at.m = ratio * at.n + c.m;
	return at;
}

/* The cluster with id `id` of a triangle's line that is not folded: a last row that the edge cuts
 * short, or one of an odd number of columns. */
static inline TS_HD struct ts_point ts_unfolded(const struct ts_plan *grid, uint32_t id)
{
	struct ts_point at;
	uint32_t within = id - grid->fold.items;

	at.m = grid->fold.by_rows ? grid->fold.lines : within;
	at.n = grid->fold.by_rows ? within : 0;
	return at;
}

/* Host only from here on. */

/* Do all tiles have the same k iterations? Only then can a policy cut them all in the same way. */
static inline bool ts_shape_is_even(const struct ts_plan *p)
{
	for (uint32_t i = 0; p->grids != 0 && i < p->grid_count; i++)
		if (p->grids[i].items > 0 && p->grids[i].depth != p->depth)
			return false;
	return p->shape != TS_CAUSAL || p->items == 0;
}

/* What a triangle of clusters is folded to; see ts_unfold(). Needs the clusters of the whole grid,
 * replaces them by those of the rectangle, and returns how many clusters there are. */
static inline uint64_t ts_shape_fold(struct ts_plan *p)
{
	uint64_t item_m = (uint64_t)p->block_m * p->cluster_m;
	uint64_t item_n = (uint64_t)p->block_n * p->cluster_n;
	uint64_t rows = p->cluster_rows, cols = p->cluster_cols;
	uint64_t ratio, lines, high, wide, rest;

	p->fold.by_rows = item_m >= item_n;
	ratio = p->fold.by_rows ? item_m / item_n : item_n / item_m;
	if (p->fold.by_rows) {
		/* Only the last row can be shorter than ratio * rows. */
		lines = cols < ratio * rows ? rows - 1 : rows;
		rest = lines < rows ? cols : 0;
		high = (lines + 1) / 2;
		wide = ratio * (lines % 2 == 0 ? lines + 1 : lines);
		p->fold.first_line = 0;
	} else {
		p->fold.first_line = (uint32_t)(cols % 2);
		lines = cols - cols % 2;
		rest = cols % 2 * rows;
		wide = lines / 2;
		high = 0;
		if (lines > 0)
			high = 2 * rows - ratio * (lines + 2 * (cols % 2) - 1);
	}
	if (lines == 0)
		high = wide = 0;
	/* With a line to fold the ratio is no larger than the other side. */
	p->fold.ratio = lines > 0 ? (uint32_t)ratio : 1;
	p->fold.lines = (uint32_t)lines;
	p->fold.height = (uint32_t)rows;
	p->fold.items = (uint32_t)(high * wide);
	p->cluster_rows = (uint32_t)high;
	p->cluster_cols = (uint32_t)wide;
	return high * wide + rest;
}

/* The tiles of a triangle's grid that exist. */
static inline uint64_t ts_triangle_tiles(const struct ts_plan *p)
{
	uint64_t tiles = 0;

	/* One row or column of tiles a step, along the axis that has fewer: below 2^16 steps. */
	for (uint32_t i = 0; p->rows <= p->cols && i < p->rows; i++) {
		uint64_t row_after = ((uint64_t)i + 1) * p->block_m;

		row_after = row_after < p->m ? row_after : p->m;
		tiles += (row_after + p->block_n - 1) / p->block_n;
	}
	for (uint32_t i = 0; p->rows > p->cols && i < p->cols; i++)
		tiles += p->rows - (uint64_t)i * p->block_n / p->block_m;
	return tiles;
}

#endif
