/* GEMM for Hopper: any policy, order, remap and cluster in one kernel. Of three warpgroups one has
 * the loader (one thread: the copy engine fills a ring of stages) and the scheduler (one thread of
 * the cluster: asks the policy and hands items to all roles of all CTAs); the two others multiply,
 * 64 rows of the tile each, and write the output. Compiled with TS_STATIC_ONLY or TS_SPLIT_K_ONLY
 * there is no scheduler: each role asks the policy itself, which nothing is claimed from.
 *
 * The maps of groups are those of all their rows. What is loaded beyond the end of a group is the
 * next one's, and only goes into sums that are not stored: the last rows of a group are written one
 * by one, from the box in shared memory. */
#if !defined(TS_GROUPS)
#define TS_PLAIN_ONLY /* plans with groups go to the kernels of the other compilation */
#else
/* With groups policies are so large that compilers would call them, for which a worker had to be in
 * memory. */
#define TS_HD __host__ __device__ __attribute__((always_inline))
#endif
#include "kernels/ptx_multiply.h"
#if defined(TS_STATIC_ONLY) || defined(TS_SPLIT_K_ONLY)
#include "kernels/sm90_static.h"
#else
#include "kernels/sm90_items.h"
#endif
#if defined(TS_SPLIT_K_ONLY)
#include "kernels/sm90_share.h"
#else
#include "kernels/sm90_fix_up.h"
#endif

/* The tile of this CTA, as ts_cta_tile() says it of a rectangle, without a look at a group's grid
 * in memory. */
template <class ROOM>
TS_GPU struct ts_tile find_tile(
	const struct ts_gemm_args *a, const struct handed *h, const struct place *at)
{
	struct ts_tile t = {h->m + at->m, h->n + at->n, false};

	t.valid = t.m * ROOM::block_m < group_rows(a, h) && t.n < a->plan.cols;
	return t;
}

/* One slice of an operand, for all CTAs of the cluster that share it. */
TS_GPU void copy_slice(const struct ts_gemm_map *map, uint64_t *full, uint16_t *to, uint32_t x,
	uint32_t y, uint32_t ranks, bool shared)
{
	if (shared)
		ptx_copy_in_all(map, full, to, x, y, ranks);
	else
		ptx_copy_in(map, full, to, x, y);
}

/* The same of an array of three dimensions. */
TS_GPU void copy_slice(const struct ts_gemm_map *map, uint64_t *full, uint16_t *to, uint32_t x,
	uint32_t y, uint32_t z, uint32_t ranks, bool shared)
{
	if (shared)
		ptx_copy_in_all(map, full, to, x, y, z, ranks);
	else
		ptx_copy_in(map, full, to, x, y, z);
}

/* One stage of B, for the CTAs of its column in the cluster. With rows along N it takes a box for
 * every 64 columns, since a row of one is not longer than the swizzle. */
template <class ROOM>
TS_GPU void copy_b(const struct ts_gemm_args *a, const struct handed *h, uint64_t *full,
	uint16_t *to, uint32_t n, uint32_t k, const struct place *at, uint32_t ranks)
{
	uint32_t row = at->m * at->rows_b;
	bool shared = at->cluster_m > 1;

	if constexpr (ROOM::along_n) {
#pragma unroll
		for (uint32_t box = 0; box < ROOM::boxes; box++)
			copy_slice(&a->b, full, to + (box * BLOCK_K + row) * BOX, n + box * BOX,
				k + row, group_row_b(h), ranks, shared);
	} else {
		copy_slice(&a->b, full, to + row * BLOCK_K, k, group_row_b(h) + n + row, ranks,
			shared);
	}
}

/* A bit for each CTA of this one's row in the cluster, of which there are 1, 2 or 4: without a
 * loop, since the first loads wait for it. */
TS_GPU uint32_t find_row(const struct place *at)
{
	uint32_t row = 1u << at->m;

	if (at->cluster_n > 1)
		row |= row << at->cluster_m;
	if (at->cluster_n > 2)
		row |= row << 2 * at->cluster_m;
	return row;
}

/* The loader: one thread in each CTA. A CTA without a tile loads for others too; what it loads for
 * itself nobody reads. */
template <class ROOM>
TS_GPU void load(const struct ts_gemm_args *a, ROOM *r, const struct place *at, struct source *from)
{
	uint32_t ranks_b = ((1u << at->cluster_m) - 1) << at->n * at->cluster_m;
	uint32_t ranks_a = find_row(at);
	struct ts_pipeline stage = ts_pipeline_at(0, ROOM::stages);
	struct handed h = take_first(a, r, from);

	for (; h.k_end != 0; h = take(a, r, from)) {
		struct ts_tile tile = find_tile<ROOM>(a, &h, at);
		uint32_t ask_at =
			h.k_end - h.k_begin > ROOM::ahead ? h.k_end - ROOM::ahead : h.k_begin;

#pragma unroll 1
		for (uint32_t k = h.k_begin; k < h.k_end; k++) {
			uint64_t *full = &r->full[stage.stage];

			if (k == ask_at)
				want(r, at);
			ptx_barrier_wait(&r->empty[stage.stage], ts_empty_parity(stage));
			ptx_barrier_expect(full, sizeof r->a[0] + sizeof r->b[0]);
			copy_slice(&a->a, full, &r->a[stage.stage][at->n * at->rows_a * BLOCK_K],
				k * BLOCK_K,
				group_row(&h) + tile.m * ROOM::block_m + at->n * at->rows_a,
				ranks_a, at->cluster_n > 1);
			copy_b<ROOM>(a, &h, full, r->b[stage.stage], tile.n * ROOM::block_n,
				k * BLOCK_K, at, ranks_b);
			stage = ts_pipeline_next(stage, ROOM::stages);
		}
	}
}

/* The CTAs that write into this one's stages are those of its row and column: the first empty
 * barrier of this lane's one of them, 0 for most lanes. */
template <class ROOM> TS_GPU uint32_t find_writer(ROOM *r, const struct place *at)
{
	uint32_t lane = gpu_thread() % 32;
	uint32_t n = lane - at->cluster_m;
	uint32_t rank = lane + at->n * at->cluster_m;

	if (lane >= at->cluster_m + at->cluster_n - 1)
		return 0;
	if (lane >= at->cluster_m)
		rank = at->m + (n + (n >= at->n ? 1 : 0)) * at->cluster_m;
	return ptx_shared_of(&r->empty[0], rank);
}

/* The last k iterations of an item, if it is the only one of its worker, whose stages nobody fills
 * again. To tell others of them would be to write to CTAs that may have left. */
template <class ROOM> TS_GPU uint32_t count_kept(const struct ts_gemm_args *a)
{
	return has_one_item(a) ? ROOM::stages : 0;
}

/* A warp is done with a stage: it tells all that write there. */
TS_GPU void free_stage(uint32_t writer, uint32_t stage)
{
	if (writer != 0)
		ptx_barrier_arrive_there(writer + stage * (uint32_t)sizeof(uint64_t));
}

/* Starts the products of a stage. */
template <class ROOM, int SUMS>
TS_GPU void multiply_stage(
	ROOM *r, struct ts_pipeline stage, uint32_t half, bool first, float (&d)[SUMS])
{
	enum { STEP_B = ROOM::along_n ? 128 : 2 };
	uint64_t a, b;

	ptx_barrier_wait(&r->full[stage.stage], ts_full_parity(stage));
	a = ptx_operand(&r->a[stage.stage][half * BOX * BLOCK_K]);
	b = ROOM::along_n ? ptx_operand_along_n(r->b[stage.stage]) : ptx_operand(r->b[stage.stage]);
	ptx_multiply_begin();
#pragma unroll
	for (uint32_t i = 0; i < BLOCK_K / 16; i++)
		ptx_multiply<typename ROOM::type, ROOM::along_n>(
			d, a + 2 * i, b + STEP_B * i, !first || i > 0 ? 1 : 0);
	ptx_multiply_group();
}

/* The same for a stage after the first, where `before` is the one before it, which is then free if
 * it is filled again: two iterations are in flight, so that the tensor cores always have work.
 * Returns the stage. */
template <class ROOM, int SUMS>
TS_GPU uint32_t multiply_next(ROOM *r, uint32_t writer, struct ts_pipeline *stage, uint32_t before,
	bool again, uint32_t half, float (&d)[SUMS])
{
	uint32_t now = stage->stage;

	multiply_stage(r, *stage, half, false, d);
	ptx_multiply_wait<1>();
	free_stage(again ? writer : 0, before);
	*stage = ts_pipeline_next(*stage, ROOM::stages);
	return now;
}

/* d = the 64 rows of A that belong to this warpgroup times B, over the item's k range; the last
 * stage, in *ret_last, is still being multiplied. `c`, which was computed before, is stored in the
 * meantime. */
template <class ROOM, int SUMS>
TS_GPU struct ts_pipeline accumulate(const struct ts_gemm_args *a, ROOM *r, uint32_t writer,
	const struct handed *h, struct ts_pipeline stage, uint32_t half, float (&d)[SUMS],
	struct rounded<SUMS / 2> &c, uint32_t *ret_last)
{
	uint32_t left = h->k_end - h->k_begin - 1, kept = count_kept<ROOM>(a);
	uint32_t before = stage.stage;

	multiply_stage(r, stage, half, true, d);
	stage = ts_pipeline_next(stage, ROOM::stages);
	if (c.there) {
#pragma unroll
		for (int box = 0; box < ROOM::boxes; box++) {
			store_box(a, r, half, c, box);
			if (left == 0)
				continue;
			before = multiply_next(r, writer, &stage, before, left >= kept, half, d);
			left--;
		}
	}
	/* Their registers are free from here on. */
	c.there = false;
#pragma unroll
	for (int i = 0; i < SUMS / 2; i++)
		c.pairs[i] = 0;
#pragma unroll 1
	for (; left > 0; left--)
		before = multiply_next(r, writer, &stage, before, left >= kept, half, d);
	*ret_last = before;
	return stage;
}

/* A warpgroup without a tile, or whose half has no row in C, lets its stages go by. */
template <class ROOM>
TS_GPU struct ts_pipeline pass(const struct ts_gemm_args *a, ROOM *r, uint32_t writer,
	const struct handed *h, struct ts_pipeline stage)
{
	uint32_t kept = count_kept<ROOM>(a);

	for (uint32_t k = h->k_begin; k < h->k_end; k++) {
		ptx_barrier_wait(&r->full[stage.stage], ts_full_parity(stage));
		__syncwarp();
		free_stage(h->k_end - k > kept ? writer : 0, stage.stage);
		stage = ts_pipeline_next(stage, ROOM::stages);
	}
	return stage;
}

/* A warpgroup that multiplies: half 0 or 1 of the tile, of which there may be one only. */
template <class ROOM>
TS_GPU void multiply(const struct ts_gemm_args *a, ROOM *r, const struct place *at, uint32_t half,
	struct source *from)
{
	struct ts_pipeline stage = ts_pipeline_at(0, ROOM::stages);
	float d[ROOM::block_n / 2];
	struct rounded<ROOM::block_n / 4> c;
	uint32_t writer = find_writer(r, at);
	next_item next = take_first_together(a, r, from);

	c.there = false;
	for (;;) {
		struct handed h = find_work(next);
		struct ts_tile tile = find_tile<ROOM>(a, &h, at);
		uint32_t x = tile.n * ROOM::block_n;
		uint32_t y = tile.m * ROOM::block_m + half * BOX, last = 0;
		uint32_t rows = group_rows(a, &h);
		uint32_t counter = NOBODY;
		bool busy = tile.valid && half < ROOM::halves && y < rows;

		if (h.k_end == 0)
			break;
		if (!busy) {
			stage = pass(a, r, writer, &h, stage);
			h = take_rest(a, r, from, &next, &counter);
			join_without(a, at, &h, tile.valid, counter, half);
			continue;
		}
#if defined(TS_GROUPS)
		x += min(rows - y, (uint32_t)BOX) - 1;
		y += h.row;
#endif
		stage = accumulate(a, r, writer, &h, stage, half, d, c, &last);
		/* While the last products are made. */
		h = take_rest(a, r, from, &next, &counter);
		ptx_multiply_wait<0>();
		ptx_settle(d);
		free_stage(count_kept<ROOM>(a) == 0 ? writer : 0, last);
		if (join(a, r, at, &h, x, y, counter, half, d))
			continue;
#pragma unroll
		for (int i = 0; i < ROOM::block_n / 4; i++)
			c.pairs[i] = ptx_pack<typename ROOM::type>(d[2 * i], d[2 * i + 1]);
		c.x = x;
		c.y = y;
		c.there = true;
	}
	store_last(a, r, half, c);
}

/* Each warp reads another part of the plan, and all wait at once for what comes for the first time;
 * one after the other that takes a microsecond. */
TS_GPU void touch(const struct ts_plan *p, volatile uint32_t *ret_words)
{
	enum { STEP = sizeof *p / sizeof(uint32_t) / (TS_GEMM_THREADS / 32) };
	uint32_t warp = gpu_thread() / 32;

	if (gpu_thread() % 32 == 0)
		ret_words[warp] = ((const uint32_t *)p)[warp * STEP];
}

/* The threads of the first warpgroup that do something, each in a warp of its own. */
enum { LOADS = 0, SCHEDULES = 32, SETS_UP = 64 };

/* Grid: a cluster of (cluster_m, cluster_n) CTAs for each worker, along x. */
template <class ROOM> TS_GPU void gemm(const struct ts_gemm_args *a)
{
	extern __shared__ __align__(1024) char shared[];
	ROOM *r = (ROOM *)shared;
	struct place at = find_place<ROOM>(&a->plan);
	uint32_t thread = gpu_thread();
	struct scheduler scheduler = make_scheduler(a);
	struct source from;

	touch(&a->plan, r->touched);
	static_assert(sizeof(ROOM) <= TS_GEMM_SHARED, "shared memory");
	if (thread == SETS_UP) {
		set_up_stages(r, &at);
		set_up_items(r, &at);
		ptx_barrier_init_done();
		ptx_copy_prepare(&a->a);
		ptx_copy_prepare(&a->b);
		ptx_copy_prepare(&a->c);
	}
	__syncwarp();
	ptx_cluster_arrive();
	/* While the others meet and go to where they need an item. */
	if (thread / 32 != SETS_UP / 32)
		from = make_source(a);
	if (thread == SCHEDULES && at.rank == 0)
		ask_early(a, &scheduler);
	__syncwarp();
	ptx_cluster_wait();
	if (thread < 128) {
		ptx_registers_less<FEWER>();
		if (thread == LOADS)
			load(a, r, &at, &from);
		else if (thread == SCHEDULES && at.rank == 0)
			schedule(a, r, &at, &scheduler);
	} else {
		ptx_registers_more<MORE>();
		multiply(a, r, &at, thread / 128 - 1, &from);
	}
	/* A CTA that left could not be told any more that a stage is free. What is copied to it, it
	 * has waited for. */
	__syncwarp();
	if (at.cluster_m * at.cluster_n > 1 && !has_one_item(a))
		gpu_cluster_sync();
	else if (a->leave.asked != 0)
		gpu_sync();
	tell_gone(a, &scheduler);
}

/* The kernel of a type, a layout of B and a tile, with so many stages, and boxes of C for each
 * warpgroup. */
#if defined(TS_GROUPS)
#define NAME(type, layout, tile) ts_gemm_groups_##type##_##layout##_##tile
#elif defined(TS_SPLIT_K_ONLY)
#define NAME(type, layout, tile) ts_gemm_split_##type##_##layout##_##tile
#elif defined(TS_STATIC_ONLY)
#define NAME(type, layout, tile) ts_gemm_static_##type##_##layout##_##tile
#else
#define NAME(type, layout, tile) ts_gemm_##type##_##layout##_##tile
#endif
#define KERNEL(type, layout, block_m, block_n, stages, outputs)                                    \
	TS_KERNEL(NAME(type, layout, block_m##x##block_n), struct ts_gemm_args, TS_GEMM_THREADS)   \
	{                                                                                          \
		gemm<struct room<ptx_##type, layout, block_m, block_n, stages, outputs>>(&args);   \
	}
#define KERNELS(type, layout)                                                                      \
	KERNEL(type, layout, 128, 256, 4, 2)                                                       \
	KERNEL(type, layout, 128, 192, 5, 1)                                                       \
	KERNEL(type, layout, 128, 128, 6, 2)                                                       \
	KERNEL(type, layout, 128, 64, 8, 1)                                                        \
	KERNEL(type, layout, 64, 128, 8, 2)
KERNELS(bf16, nk)
KERNELS(bf16, kn)
KERNELS(fp16, nk)
KERNELS(fp16, kn)
