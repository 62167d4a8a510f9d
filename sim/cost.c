/* The roofline, and costs as measured. Doubles are used with + - * /, sqrt(), ceil() and floor()
 * only and without contraction, which IEEE 754 makes equal on every machine; times become integer
 * picoseconds when the price is paid. */
#include "sim/cost.h"

#include <math.h>

#include "kernels/gemm_args.h"
#include "sim/refuse.h"

/* Of a calibrated kernel: bytes of a line of L2, and of the copy engine's alignment; rows of a tile
 * that belong to one warpgroup, which multiplies nothing where none of them is in C; and the k
 * iterations in which those who have less to load get half as far ahead as they ever do. */
enum { LINE = 128, ALIGNMENT = 16, WARPGROUP_ROWS = 64, AHEAD_DEPTH = 10 };

static const double ps_per_second = 1e12;
static const double ps_per_ns = 1e3;

const char *ts_edge_name(enum ts_edge edge)
{
	switch (edge) {
	case TS_EDGE_FULL: return "full";
	case TS_EDGE_REAL: return "real";
	case TS_EDGES: break;
	}
	return NULL;
}

const char *ts_memory_name(enum ts_memory memory)
{
	switch (memory) {
	case TS_MEMORY_ROOFLINE: return "roofline";
	case TS_MEMORY_CACHES: return "caches";
	case TS_MEMORY_CALIBRATED: return "calibrated";
	case TS_MEMORIES: break;
	}
	return NULL;
}

static double fourth_power(double x)
{
	return x * x * x * x;
}

/* How long two take together that overlap: as long as the longer one where the other is much
 * shorter, and a fifth more where both are alike, since neither comes evenly. */
static double overlap(double a, double b)
{
	return sqrt(sqrt(fourth_power(a) + fourth_power(b)));
}

/* The same with a tenth more where both are alike: several stages of the pipeline lie between what
 * comes from L2 and what is multiplied. */
static double overlap_stages(double a, double b)
{
	return sqrt(overlap(a * a, b * b));
}

/* The lines of L2 in which LINE bytes of a row lie, in the mean. Rows follow one another, so that
 * they begin at all multiples of what their size and a line have in common; all that don't begin
 * with a line end in the next. */
static double lines_touched(uint64_t row_bytes)
{
	uint64_t common = LINE;

	while (row_bytes % common != 0)
		common /= 2;
	return 2 - (double)common / LINE;
}

/* The part of the CTAs along one side of C that have rows of A, or of B, outside it. */
static double edge_share(uint32_t size, uint32_t block, uint32_t cluster)
{
	double tiles = ceil((double)size / block), ctas = MAX(ceil(tiles / cluster) * cluster, 1);

	return 1 - floor((double)size / block) / ctas;
}

/* Stream-K's units share operands while they are at the same k of their tiles: always where the run
 * of a unit is a multiple of a tile's k or a part of it, 0, and least halfway between, 1. */
static double units_apart(const struct ts_plan *p)
{
	double run, ratio, over;

	if (p->units == 0 || p->unit_k == 0 || p->depth == 0)
		return 0;
	run = (double)p->unit_k + (double)p->longer_units * p->k_groups.by / p->units;
	ratio = MAX(run, p->depth) / MIN(run, p->depth);
	over = ratio - floor(ratio);
	return 4 * over * (1 - over);
}

/* The calibration's part of the costs; `far` is in bytes. */
static bool calibrate(struct ts_cost *c, const struct ts_device *d, enum ts_dtype dtype, double far,
	double resident, GError **error)
{
	const struct ts_plan *p = c->plan;
	const struct ts_calibration *of = &d->calibration;
	double ctas = (double)p->cluster_m * p->cluster_n;
	double parts = MAX(p->items + (double)p->workspace, 1);
	double rounds = ceil(parts / resident);
	double at_once = parts / rounds; /* in the mean of all rounds */
	double elements = (double)p->block_m * p->block_n;
	double units = (double)d->units * d->occupancy;
	double start_ns, byte_ps, full, last, square;
	bool handed, meets;

	if (of->clock_mhz <= 0)
		return ts_refuse(error,
			"--memory calibrated: device %s has no group [calibrated]; `tilesim gpu "
			"calibrate` measures one; or use --memory roofline",
			d->id);
	byte_ps = ps_per_second / (d->dram_gbps * of->dram_share * 1e9);
	c->calibration = of;
	c->cycle_ps = ps_per_second / (of->run_mhz * 1e6);
	c->load = MIN(at_once * ctas / units, 1);
	c->outside = c->load *
		(1 -
			(1 - edge_share(p->m, p->block_m, p->cluster_m)) *
				(1 - edge_share(p->n, p->block_n, p->cluster_n)));
	c->apart = units_apart(p);
	c->missing = far > d->l2_bytes ? 1 - d->l2_bytes / far : 0;
	c->dealt = p->cluster_n > 1 && p->counters == 0 && p->items > p->workers;
	full = MIN(resident * ctas / units, 1);
	last = MIN((parts - (rounds - 1) * resident) * ctas / units, 1);
	square = ((rounds - 1) * full * full + last * last) / rounds;
	/* Power allows a clock, whatever it is between launches. */
	c->slowdown = MAX(of->run_mhz / of->clock_mhz * (1 + of->load_slowdown * square) - 1, 0);
	c->flops_rate = d->flops[dtype] * of->tensor_share / d->occupancy;
	/* What L2 holds is there from one launch to the next. */
	if (far > d->l2_bytes && p->items > 0)
		c->far_ps_per_item = far / p->items * at_once * byte_ps;
	c->prologue_ps = 0;
	c->epilogue_ps = of->item_cycles * c->cycle_ps;
	/* All write parts, but only owners add them unless their kernel shares that out. */
	c->shared = ts_gemm_is_shared(p, d->units);
	c->slot_ps = c->add_ps = of->part_cycles * elements * c->cycle_ps;
	c->slot_ps *= 1 + of->part_contention * c->load;
	c->add_ps *=
		1 + of->part_contention * (c->shared ? c->load : MIN(p->items * ctas / units, 1));
	if (p->workspace * ctas * elements * sizeof(float) > d->l2_bytes) {
		double far_ps = at_once * ctas * elements * sizeof(float) * byte_ps;

		c->slot_ps = MAX(c->slot_ps, far_ps);
		c->add_ps = MAX(c->add_ps, far_ps);
	}
	c->store_ps = (uint64_t)(of->store_cycles * elements * c->cycle_ps + 0.5);
	c->claim_ps = 0;
	c->signal_ps = (uint64_t)(of->part_ns * ps_per_ns + 0.5);
	start_ns = of->start_load_ns * c->load;
	c->start_ps = (uint64_t)((of->start_ns + start_ns) * ps_per_ns + 0.5);
	handed = !ts_gemm_is_static(p) && !c->shared;
	/* The CTAs of a cluster meet before they leave, unless each knows that it has one item. */
	meets = ctas > 1 && (handed || p->items > p->workers);
	start_ns += of->launch_ns + (meets ? of->launch_cluster_ns : 0) +
		(handed ? of->launch_handed_ns : 0);
	c->launch_ps = (uint64_t)(start_ns * ps_per_ns + 0.5);
	return true;
}

/* The rows of operands that a CTA asks for are shared with the others of its cluster along the
 * other side: those of the cluster's last block that lie outside the matrix. */
static double rows_outside(
	uint32_t at, uint32_t cluster, uint32_t others, uint32_t block, uint32_t size)
{
	double inside = ts_cost_inside(at + cluster - 1, block, size);

	return MIN((double)block / others, block - inside);
}

/* How long the operands of a k iteration take to come from L2. */
static double fetch_ns(const struct ts_cost *c, const struct ts_plan *p, const struct ts_step *s)
{
	const struct ts_calibration *of = c->calibration;
	double outside = rows_outside(s->m, p->cluster_m, p->cluster_n, p->block_m, p->m) +
		rows_outside(s->n, p->cluster_n, p->cluster_m, p->block_n, p->n);
	double asked =
		(double)p->block_m / p->cluster_n + (double)p->block_n / p->cluster_m - outside;
	double given = (double)p->block_m + p->block_n - outside;
	uint64_t row = ((uint64_t)(p->k * c->bytes) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	bool part = s->parts > 0 || !s->owns;
	double slower = row % 32 != 0 ? of->line_unaligned : 1;
	double alone = slower * (1 + c->load * of->line_split * (lines_touched(row) - 1)) +
		(part ? of->line_apart * c->apart * c->load : 0);
	/* What comes more slowly contends less. */
	double shared = c->load / slower *
		(of->line_contention + of->line_missing * c->missing +
			(c->dealt ? of->line_dealt : 0));
	double ahead = (double)p->depth / (p->depth + AHEAD_DEPTH);

	return (asked * alone + given * shared) * p->block_k * c->bytes / LINE * of->line_ns +
		outside * of->outside_ns * c->load + of->outside_wait_ns * c->outside * ahead;
}

/* A k iteration of a calibrated device: the multiplications of so many rows, while the operands of
 * another come. */
static double iteration_ps(const struct ts_cost *c, const struct ts_plan *p,
	const struct ts_step *s, double rows, double cols)
{
	bool lone = rows <= WARPGROUP_ROWS && p->block_m > WARPGROUP_ROWS;
	double alone = lone ? c->calibration->lone_cycles : 0;
	double multiply =
		(alone + 2 * rows * cols * p->block_k / c->flops_rate) * (1 + c->slowdown);

	return overlap_stages(multiply * c->cycle_ps, fetch_ns(c, p, s) * ps_per_ns);
}

bool ts_cost_init(struct ts_cost *c, const struct ts_plan *p, const struct ts_device *d,
	enum ts_dtype dtype, enum ts_edge edge, enum ts_memory memory, uint32_t places,
	GError **error)
{
	double clock_per_ps = d->clock_mhz * 1e6 / ps_per_second;
	double far = 0, resident, at_once;

	if (d->flops[dtype] <= 0)
		return ts_refuse(error, "device %s states no rate for %s (key flops_%s)", d->id,
			ts_dtype_name(dtype), ts_dtype_name(dtype));
	c->plan = p;
	c->edge = edge;
	c->bytes = ts_dtype_bytes(dtype);
	c->flops_per_ps = d->flops[dtype] * clock_per_ps / d->occupancy;
	c->l2_bytes_per_ps = d->l2_bytes_per_clock * clock_per_ps / d->occupancy;
	/* A and B are read once and C is written once, at the bandwidth that those who work at once
	 * share. */
	for (uint32_t i = 0; i < p->grid_count; i++) {
		const struct ts_plan *grid = p->grids != NULL ? &p->grids[i] : p;
		double m = grid->m, n = grid->n, k = grid->k;

		far += (m * k + k * n + m * n) * c->bytes * p->batch.by;
	}
	resident = MIN(MAX(places, 1), MAX(p->workers, 1));
	at_once = MIN(resident, MAX(p->items, 1));
	c->far_ps_per_item = 0;
	if (p->items > 0 && memory == TS_MEMORY_ROOFLINE)
		c->far_ps_per_item =
			far / p->items * at_once * ps_per_second / (d->dram_gbps * 1e9);
	c->prologue_ps = d->prologue_ns * ps_per_ns;
	c->epilogue_ps = d->epilogue_ns * ps_per_ns;
	c->slot_ps = (double)p->block_m * p->block_n * sizeof(float) / c->l2_bytes_per_ps;
	c->add_ps = c->slot_ps;
	c->claim_ps = (uint64_t)(d->claim_ns * ps_per_ns + 0.5);
	c->signal_ps = c->claim_ps;
	c->launch_ps = 0;
	c->start_ps = 0;
	c->store_ps = 0;
	c->calibration = NULL;
	c->shared = false;
	return memory != TS_MEMORY_CALIBRATED || calibrate(c, d, dtype, far, resident, error);
}

/* Sum of clamp(row + 1 - from, 0, most) over the rows below `after`. */
static double ramp(int64_t after, int64_t from, int64_t most)
{
	double rows = (double)MAX(after - from, 0);
	double rising = MIN(rows, (double)most);

	return rising * (rising + 1) / 2 + (rows - rising) * (double)most;
}

/* The multiply-adds that the problem has in a box of C times k; `cols` is what of it lies inside N,
 * and `deep` what lies inside K. */
static double inner(const struct ts_plan *grid, uint64_t row, double rows, uint64_t col,
	double cols, uint64_t k, double deep)
{
	int64_t from = (int64_t)row, after = from + (int64_t)rows;
	int64_t shift = (int64_t)grid->m - grid->k;
	int64_t left = (int64_t)col, first = (int64_t)k + shift;

	switch ((enum ts_shape_kind)grid->shape) {
	case TS_TRIANGLE:
		return (ramp(after, left, (int64_t)cols) - ramp(from, left, (int64_t)cols)) * deep;
	case TS_CAUSAL:
		return (ramp(after, first, (int64_t)deep) - ramp(from, first, (int64_t)deep)) *
			cols;
	case TS_RECTANGLE:
	case TS_SHAPES: break;
	}
	return rows * cols * deep;
}

double ts_cost_flops(const struct ts_plan *p)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->grid_count; i++) {
		const struct ts_plan *grid = p->grids != NULL ? &p->grids[i] : p;

		sum += 2 * inner(grid, 0, grid->m, 0, grid->n, 0, grid->k) * p->batch.by;
	}
	return sum;
}

double ts_cost_add_ps(const struct ts_cost *c, double parts)
{
	return (c->shared ? MIN(parts, 1) : parts) * c->add_ps;
}

struct ts_price ts_cost_item(const struct ts_cost *c, const struct ts_step *s)
{
	/* A policy file may answer a group that there is not; the verifier says so. */
	const struct ts_plan *p = s->g < c->plan->groups ? ts_grid(c->plan, s->g) : c->plan;
	double rows = p->block_m, cols = p->block_n;
	uint64_t k_end = (uint64_t)s->k_end * p->block_k;
	uint64_t k_begin = (uint64_t)s->k_begin * p->block_k;
	double deep = (double)(MIN(k_end, p->k) - MIN(k_begin, p->k));
	double depth = (double)(k_end - k_begin);
	double all_rows = 0, all_cols = 0, spent, real, compute_ps, l2_ps, near_ps, far_ps;
	struct ts_price price = {.fixed_ps = c->prologue_ps};

	if (s->act == TS_FIX_UP) {
		price.fixed_ps = s->owns ? c->epilogue_ps : 0;
		price.fix_up_ps = ts_cost_add_ps(c, s->parts);
		return price;
	}
	/* The epilogue of who keeps its sums comes behind its fix-up; who gives them away has none.
	 */
	if (s->owns && s->parts == 0)
		price.fixed_ps += c->epilogue_ps;
	if (!s->owns && p->workspace > 0)
		price.fix_up_ps = c->slot_ps;
	if (c->edge == TS_EDGE_REAL) {
		rows = ts_cost_inside(s->m, p->block_m, p->m);
		cols = ts_cost_inside(s->n, p->block_n, p->n);
		depth = deep;
	}
	/* The CTAs of a cluster wait for one another: the first has the most rows. */
	if (c->calibration != NULL)
		rows = MIN(rows,
			ceil(ts_cost_inside(s->m, p->block_m, p->m) / WARPGROUP_ROWS) *
				WARPGROUP_ROWS);
	for (uint32_t i = 0; i < p->cluster_m; i++)
		all_rows += ts_cost_inside(s->m + i, p->block_m, p->m);
	for (uint32_t i = 0; i < p->cluster_n; i++)
		all_cols += ts_cost_inside(s->n + i, p->block_n, p->n);
	compute_ps = 2 * rows * cols * depth / c->flops_per_ps;
	/* Multicast: the CTAs along n share their rows of A, those along m their columns of B. */
	l2_ps = (rows / p->cluster_n + cols / p->cluster_m) * depth * c->bytes / c->l2_bytes_per_ps;
	near_ps = MAX(compute_ps, l2_ps);
	far_ps = p->depth > 0 ? c->far_ps_per_item * (s->k_end - s->k_begin) / p->depth : 0;
	price.k_ps = MAX(near_ps, far_ps);
	if (c->calibration != NULL)
		price.k_ps = overlap(
			iteration_ps(c, p, s, rows, cols) * (s->k_end - s->k_begin), far_ps);
	spent = rows * p->cluster_m * cols * p->cluster_n * depth;
	real = inner(p, (uint64_t)s->m * p->block_m, all_rows, (uint64_t)s->n * p->block_n,
		all_cols, k_begin, deep);
	price.padded_ps = spent > 0 ? price.k_ps * (1 - real / spent) : 0;
	return price;
}
