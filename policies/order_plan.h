/* From the order that is asked for to the map and the panels of a plan. Host only. */
#ifndef TS_ORDER_PLAN_H
#define TS_ORDER_PLAN_H

#include "all.h"

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

/* The largest of 8, 4, 2 and 1 that is allowed on an axis of `count` tiles: CUTLASS keeps a panel
 * that would be less than about three quarters full out of it. */
static inline uint32_t ts_order_power_width(uint64_t most, uint64_t count)
{
	if (most >= 8 && count >= 6)
		return 8;
	if (most >= 4 && count >= 3)
		return 4;
	return most >= 2 && count >= 2 ? 2 : 1;
}

static inline uint64_t ts_round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* CUTLASS 3.x (cutlass/gemm/kernel/tile_scheduler_params.h): a width by the shorter side, and
 * panels of columns, "along M", where the padded grid is wider than high. There a grid is padded to
 * whole panels on both axes and the padding computed in vain; here the order is exact. */
static inline void ts_order_cutlass(const struct ts_plan *p, enum ts_order *order, uint64_t *width)
{
	uint64_t m = (uint64_t)p->cluster_rows * p->cluster_m;
	uint64_t n = (uint64_t)p->cluster_cols * p->cluster_n;
	uint32_t panel = ts_order_power_width(*width, m < n ? m : n);
	bool along_m = *order == TS_CUTLASS_M;

	if (*order == TS_CUTLASS)
		along_m = ts_round_up(n, (uint64_t)panel * p->cluster_n) >
			ts_round_up(m, (uint64_t)panel * p->cluster_m);
	*order = along_m ? TS_GROUPED_N : TS_GROUPED_M;
	*width = panel;
}

/* Elements of A and B per k that a wave of `wave` consecutive ids touches at most, in panels of
 * `width` <= `along` clusters, with `across` clusters on the other axis and as many elements of a
 * cluster on each. No product wraps: they are about M or N, or those of a single cluster. */
static inline uint64_t ts_order_load(uint64_t width, uint64_t wave, uint64_t along, uint64_t across,
	uint64_t along_elements, uint64_t across_elements)
{
	uint64_t panel = width * across;
	uint64_t panels = wave / panel + (wave % panel != 0 ? 1 : 0);
	uint64_t rows = panels * width;
	uint64_t cols = across;

	if (panels == 1) {
		rows = wave < width ? wave : width;
		cols = wave / width + (wave % width != 0 ? 1 : 0);
	}
	rows = rows < along ? rows : along;
	return rows * along_elements + cols * across_elements;
}

/* Has each domain a run of ids of its own, by a remap or by counters? */
static inline bool ts_order_has_domains(const struct ts_spec *spec)
{
	return spec->remap == TS_REMAP_CHIPLET || spec->remap == TS_REMAP_CHUNKED ||
		(spec->policy < TS_POLICIES &&
			(ts_policy((enum ts_policy_id)spec->policy).uses(spec->mode) &
				TS_USES_SLOTS) != 0);
}

/* Panels of rows or of columns, and of 1, 2, 4, ... 64 clusters: those with which a wave loads the
 * least, which is the wave of one domain where that has ids of its own. On a tie rows come first,
 * and then the narrower panel. */
static inline void ts_order_auto(
	const struct ts_plan *p, const struct ts_spec *spec, enum ts_order *order, uint64_t *width)
{
	uint64_t m = (uint64_t)p->block_m * p->cluster_m;
	uint64_t n = (uint64_t)p->block_n * p->cluster_n;
	uint64_t domains = ts_order_has_domains(spec) ? (uint64_t)spec->domains : 1;
	uint64_t wave = ((uint64_t)spec->workers + domains - 1) / domains;
	uint64_t least = UINT64_MAX;

	for (uint64_t w = 1; w <= 64 && w <= p->cluster_rows; w *= 2) {
		uint64_t load = ts_order_load(w, wave, p->cluster_rows, p->cluster_cols, m, n);

		if (load >= least)
			continue;
		least = load;
		*order = TS_GROUPED_M;
		*width = w;
	}
	for (uint64_t w = 1; w <= 64 && w <= p->cluster_cols; w *= 2) {
		uint64_t load = ts_order_load(w, wave, p->cluster_cols, p->cluster_rows, n, m);

		if (load >= least)
			continue;
		least = load;
		*order = TS_GROUPED_N;
		*width = w;
	}
}

/* The map and the width for what was asked, where that was a rule. */
static inline void ts_order_choose(
	const struct ts_plan *p, const struct ts_spec *spec, enum ts_order *order, uint64_t *width)
{
	switch (*order) {
	case TS_AUTO: ts_order_auto(p, spec, order, width); break;
	case TS_CUTLASS:
	case TS_CUTLASS_M:
	case TS_CUTLASS_N: ts_order_cutlass(p, order, width); break;
	case TS_CUTLASS_2:
		*order = TS_GROUPED_N;
		*width = ts_order_power_width(*width, p->cluster_cols);
		break;
	case TS_QUACK:
		*width = *width > 0 ? *width : 8;
		*order = ts_round_up(p->cluster_cols, *width) > ts_round_up(p->cluster_rows, *width)
			? TS_SNAKE_M
			: TS_SNAKE_N;
		break;
	case TS_ROW:
	case TS_COLUMN: *width = 1; break;
	case TS_COHORT: *width = *width > 0 ? *width : 8; break;
	case TS_GROUPED_M:
	case TS_GROUPED_N:
	case TS_SNAKE_M:
	case TS_SNAKE_N:
	case TS_ROTATED_M:
	case TS_PAIRED_M:
	case TS_PAIRED_N:
	case TS_INPLACE_M:
	case TS_INPLACE_N:
	case TS_MORTON:
	case TS_HILBERT:
	case TS_HILBERT_CLIPPED:
	case TS_ORDERS: break;
	}
}

/* Fills the order's part of a plan whose grid is not empty. Needs the blocks and the clusters. */
static inline void ts_plan_order(struct ts_plan *p, const struct ts_spec *spec)
{
	enum ts_order order = spec->order;
	uint64_t width = (uint64_t)spec->width;
	uint64_t item_m = (uint64_t)p->block_m * p->cluster_m;
	uint64_t item_n = (uint64_t)p->block_n * p->cluster_n;
	bool by_columns;
	uint32_t along;

	ts_order_choose(p, spec, &order, &width);
	by_columns = ts_order_by_columns(order);
	along = by_columns ? p->cluster_cols : p->cluster_rows;
	if (width == 0)
		width = ts_order_default_width(by_columns ? item_n : item_m,
			by_columns ? item_m : item_n, (uint64_t)spec->workers);
	p->order = order;
	p->across = by_columns ? p->cluster_rows : p->cluster_cols;
	p->last_row = p->cluster_rows * p->cluster_cols;
	if (ts_order_is_inplace(order)) {
		p->width = p->last_width = ts_divisor_make((uint32_t)width);
		p->panel = ts_divisor_make(p->across);
		p->across /= p->width.by;
		p->full_panels = along / p->width.by;
		return;
	}
	if (ts_order_is_paired(order)) {
		p->last_row -= along % 2 * p->across;
		along -= along > 1 ? along % 2 : 0;
		width += along > 1 ? width % 2 : 0;
	}
	if (width > along)
		width = along;
	p->width = ts_divisor_make((uint32_t)width);
	p->panel = ts_divisor_make((uint32_t)width * p->across);
	p->full_panels = along / (uint32_t)width;
	p->last_width = p->width;
	if (along % (uint32_t)width != 0)
		p->last_width = ts_divisor_make(along % (uint32_t)width);
	if (order == TS_HILBERT_CLIPPED || order == TS_MORTON)
		p->across = ts_curve_half(p->cluster_rows, p->cluster_cols);
}

#endif
