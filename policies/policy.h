/* The contract of a tile scheduling policy: what it is asked, what it answers, what it may know.
 *
 * A policy is a pure function. A driver asks it "what next?" for one worker, carries out the answer
 * (multiply a tile, add to a counter, wait, leave) and asks again. Memory, time, threads and
 * atomics belong to the driver, so the same text runs in a simulator, a verifier and a GPU kernel.
 * The text stays in the common subset of C11, CUDA C++ and HIP. */
#ifndef TS_POLICY_H
#define TS_POLICY_H

#include <stdbool.h>
#include <stdint.h>

/* In front of what runs on devices too. A kernel may define it first, to say more. */
#if defined(TS_HD)
#elif defined(__CUDACC__) || defined(__HIP__)
#define TS_HD __host__ __device__
#else
#define TS_HD
#endif

/* What a driver must do next for a worker. */
enum ts_act {
	TS_STOP,   /* the worker is done and leaves */
	TS_WORK,   /* compute k iterations [k_begin, k_end) of the item at tile (m, n) */
	TS_CLAIM,  /* add 1 to `counter` and hand the old value to the next call as `answer` */
	TS_WAIT,   /* go on when `counter` is at least `value` */
	TS_SIGNAL, /* add `value` to `counter`, after all memory written so far */
	TS_FIX_UP  /* add partial sums of others to the kept ones of the item at tile (m, n) */
};

/* One answer of a policy. `g` is the group (batch, expert, head); `m` and `n` are in tiles of its
 * grid and name the item's first tile: of a cluster the tile of rank 0, which is always inside the
 * grid (but of a triangle may lie above the diagonal). Whoever `owns` an item writes its output.
 *
 * Where an item's k iterations are cut over several workers, fix_up.h says how they meet. */
struct ts_step {
	enum ts_act act;
	uint32_t g, m, n;
	uint32_t k_begin, k_end;
	uint32_t counter, value;
	uint32_t slot, parts; /* partial sums; 0 where the item is not cut */
	bool owns;
};

/* All the memory a policy has about one worker: a CTA, or one cluster of CTAs. Start from
 * ts_worker_make(); the other fields belong to the policy and its driver only copies them. */
struct ts_worker {
	uint32_t id;       /* 0 <= id < plan.workers */
	uint32_t domain;   /* the XCD, GPC or L2 half it runs in, 0 <= domain < plan.domains */
	uint32_t turn;     /* how far it has got */
	uint32_t part;     /* and how far in its share of k iterations */
	uint32_t claiming; /* not 0 between a TS_CLAIM and its answer, and between a TS_WORK and the
			      steps that belong to it: the worker must not leave then */
};

/* A cluster of a grid, counted in clusters. */
struct ts_point {
	uint32_t m, n;
};

/* A divisor made ready for ts_quotient(). */
struct ts_divisor {
	uint32_t by, mul, shift;
};

/* Linear ids from `first` on, up to the next turn's, are items of grid number `grid`. */
struct ts_turn {
	uint32_t first, grid;
};

/* A schedule, complete: plain data, never changed after ts_plan_make(), passed to kernels by value.
 * Every field keeps the bound that ts_plan_make() checked, so that a policy checks nothing. */
struct ts_plan {
	uint32_t policy, mode, order, remap; /* enum ts_policy_id, ts_mode, ts_order, ts_remap */
	uint32_t asked_order;                /* a rule where `order` was chosen by one */
	uint32_t shape, row_order, layout;   /* enum ts_shape_kind, ts_row_order, ts_layout */

	/* Problem C[m,n] = A[m,k] B[k,n], in elements, and its cut into tiles and k iterations. */
	uint32_t m, n, k;
	uint32_t block_m, block_n, block_k;
	uint32_t rows, cols, depth;

	/* Clusters of tiles. An item is one cluster; linear ids number the items. An order walks
	 * over cluster_rows x cluster_cols of them: the whole grid, or what a triangle is folded
	 * to. */
	uint32_t cluster_m, cluster_n;
	uint32_t cluster_rows, cluster_cols;
	uint32_t items; /* < 2^31, of all groups */

	/* Groups: problems of one launch (group.h). Group g is copy g % batch of grid g / batch.
	 * Where there are several grids they are a read-only table in the caller's memory, which a
	 * kernel must be able to read: `grids` has for each the plan of it alone, `turns` where its
	 * ids begin, ascending. The sizes above are then the largest of any grid. NULL: one grid,
	 * the plan's own.
	 */
	uint32_t groups, grid_count;
	struct ts_divisor batch;
	const struct ts_turn *turns;
	const struct ts_plan *grids;
	bool plain; /* one group, and nothing left out or turned round: what an order says holds */

	/* Of one grid: items in `section` copies of it, which take turns item by item; and where
	 * its tiles and rows begin among those of all groups. */
	struct ts_divisor section_items, section, last_section;
	uint64_t first_cell, first_row;
	uint64_t cells; /* rows * cols of every group: what ts_tile_index() counts */
	uint64_t tiles; /* of these, what has to be computed */

	/* Order: panels of `width` clusters along one axis; each runs over the whole other axis.
	 * In-place: `panel` divides by the other axis, `across` is that axis divided by the width.
	 * Clipped curves: `across` is half the side of the square around the grid. */
	struct ts_divisor panel; /* items in a full panel */
	struct ts_divisor width, last_width;
	uint32_t full_panels; /* panels of the full width */
	uint32_t across;      /* clusters along the other axis */
	uint32_t last_row;    /* paired: the first id of the odd last row or column; else of none */

	/* Fold of a triangle (shape.h): `ratio` lines of an item's shorter side make its longer
	 * one; `lines` of them are folded, beginning with number `first_line`. */
	struct {
		bool by_rows;
		uint32_t ratio, lines, first_line, height, items;
	} fold;

	/* Chunks of a collective (chunk.h): `ranks` times `rank_chunks` of them, all of the same
	 * number of rows but the last; rows of clusters are turned round by `row_shift`. */
	uint32_t collective; /* enum ts_collective */
	uint32_t ranks, rank, rank_chunks, chunks;
	struct ts_divisor chunk_rows;
	uint32_t row_shift;

	/* Remap of [0, remap_span). Chunked: it ends at `remap_limit`; rotated: by `remap_limit`.
	 */
	uint32_t remap_span, remap_limit;
	struct ts_divisor remap_domains, remap_chunk;

	/* Distribution. */
	uint32_t workers; /* >= 1 where there are items */
	uint32_t domains; /* >= 1 */

	/* Claims. Domains [0, queue_domains) own one region each, cut over `slots` counters; the
	 * counter after those is the global one. */
	uint32_t counters;
	uint32_t queue_domains;
	struct ts_divisor regions; /* queue_domains, or 1 if there is none */
	struct ts_divisor slots;
	uint32_t local_items; /* items in the regions; the global counter has the rest */
	uint32_t launches;    /* 1: counter 0 counts launches too, see clc.h */

	/* Partial sums: slots of cluster_m * cluster_n * block_m * block_n floats, of which rank r
	 * has the r-th share. */
	uint32_t workspace;

	/* Split-K: each item is cut in `splits`. */
	struct ts_divisor splits, per_split; /* by the items */

	/* Stream-K: items [0, shared_items) are one row of k iterations for each of `k_groups`
	 * groups, cut over its share of `units` workers: the first `longer_units` of a group have
	 * unit_k + 1 iterations, the others unit_k. */
	uint64_t unit_k;
	uint32_t hybrid; /* enum ts_hybrid */
	uint32_t shared_items, units, longer_units;
	struct ts_divisor k_groups;
};

static inline TS_HD struct ts_worker ts_worker_make(uint32_t id, uint32_t domain)
{
	struct ts_worker w;

	w.id = id;
	w.domain = domain;
	w.turn = 0;
	w.part = 0;
	w.claiming = 0;
	return w;
}

/* Has the worker got something that would be lost if it left now? */
static inline TS_HD bool ts_worker_holds(const struct ts_plan *p, const struct ts_worker *w)
{
	return w->claiming != 0 || (p->launches == 1 && w->turn == 0);
}

static inline TS_HD struct ts_step ts_step_make(enum ts_act act)
{
	struct ts_step s;

	s.act = act;
	s.g = 0;
	s.m = 0;
	s.n = 0;
	s.k_begin = 0;
	s.k_end = 0;
	s.counter = 0;
	s.value = 0;
	s.slot = 0;
	s.parts = 0;
	s.owns = false;
	return s;
}

static inline TS_HD struct ts_step ts_stop(void)
{
	return ts_step_make(TS_STOP);
}

static inline TS_HD struct ts_step ts_claim(uint32_t counter)
{
	struct ts_step s = ts_step_make(TS_CLAIM);

	s.counter = counter;
	return s;
}

static inline TS_HD struct ts_step ts_wait(uint32_t counter, uint32_t value)
{
	struct ts_step s = ts_step_make(TS_WAIT);

	s.counter = counter;
	s.value = value;
	return s;
}

static inline TS_HD struct ts_step ts_signal(uint32_t counter, uint32_t value)
{
	struct ts_step s = ts_step_make(TS_SIGNAL);

	s.counter = counter;
	s.value = value;
	return s;
}

/* floor(n / d.by), exact for n < 2^31. Multiply and shift: Granlund and Montgomery, "Division by
 * Invariant Integers using Multiplication", PLDI 1994; with n below 2^31 the multiplier fits 32
 * bits. */
static inline TS_HD uint32_t ts_quotient(uint32_t n, struct ts_divisor d)
{
	return (uint32_t)(((uint64_t)n * d.mul) >> d.shift);
}

/* Prepares a division by `by`, 1 <= by < 2^31. */
static inline struct ts_divisor ts_divisor_make(uint32_t by)
{
	struct ts_divisor d;
	uint32_t log = 0;

	while (((uint64_t)1 << log) < by)
		log++;
	d.by = by;
	d.shift = 31 + log;
	d.mul = (uint32_t)((((uint64_t)1 << d.shift) + by - 1) / by);
	return d;
}

/* Part `i` of `total` things dealt over `parts` as evenly as can be, the longer parts first. */
static inline TS_HD uint32_t ts_share(uint32_t total, struct ts_divisor parts, uint32_t i)
{
	uint32_t each = ts_quotient(total, parts);

	return each + (i < total - each * parts.by ? 1 : 0);
}

/* Where part `i` of ts_share() begins. */
static inline TS_HD uint32_t ts_share_first(uint32_t total, struct ts_divisor parts, uint32_t i)
{
	uint32_t each = ts_quotient(total, parts);
	uint32_t longer = total - each * parts.by;

	return i * each + (i < longer ? i : longer);
}

#endif
