/* The portable GEMM: any policy, order and remap, for every GPU of kernels/mma.h and for the CPU.
 *
 * A CTA is a worker. One thread asks the policy, an item ahead of the others, and hands the steps
 * on through a ring in shared memory; WAIT and SIGNAL are steps too, carried out in their place.
 * There are no clusters here: a CTA computes the tiles of all ranks of an item itself, one after
 * another, so that a plan means the same whatever the device has.
 *
 * Sums of a part of an item go to the workspace, a slot and rank at a time, each thread's own where
 * the same thread of another CTA finds them. The steps of an owner's part come as one, so that they
 * can be taken for each rank: a wait and a fix-up, and not more of them.
 *
 * Rows of A and C beyond those of an item's group are the next group's: they are not read, and not
 * written. Each group has a B of its own.
 *
 * Operands go through MMA_STAGES places in shared memory. Rows and columns beyond the matrices are
 * zero there, and nothing is read for them; element offsets are 64 bit. */
#if !defined(TS_GROUPS)
#define TS_PLAIN_ONLY /* plans with groups go to the kernels of the other compilation */
#elif defined(__CUDACC__) || defined(__HIP__)
/* With groups policies are so large that compilers would call them, for which a worker, and on AMD
 * the kernel's argument too, had to be in memory. */
#define TS_HD __host__ __device__ __attribute__((always_inline))
#endif
#include "kernels/mma.h"
#include "kernels/mma_steps.h"

enum { BLOCK_K = TS_MMA_BLOCK_K, WARPS = MMA_WARPS_M * MMA_WARPS_N, THREADS = WARPS * MMA_LANES };

/* K iterations before the end of an item at which the next one is asked for: as long as the answers
 * of a few atomics take. What a worker has claimed is lost to the others. */
enum { AHEAD = 8 };

/* Whether it is asked for there at all, or only once the item is done. On AMD there are too few
 * registers for a policy with groups beside the sums. */
#if defined(__HIP__) && defined(TS_GROUPS)
enum { ASKS_AHEAD = false };
#else
enum { ASKS_AHEAD = true };
#endif

/* The most tiles of a warp, and chunks of a stage that a thread copies. */
enum {
	TILES_M = TS_MMA_LARGE / MMA_WARPS_M / MMA_M,
	TILES_N = TS_MMA_LARGE / MMA_WARPS_N / MMA_N,
	CHUNKS = 2 * TS_MMA_LARGE * BLOCK_K / MMA_CHUNK / THREADS
};

/* What differs between the kernels, constant in each of them. */
struct kind {
	uint32_t block; /* BLOCK_M and BLOCK_N */
	enum ts_mma_type type;
	enum ts_mma_layout layout;
};

/* Where a warp's part of the tile begins, and its size. */
struct part {
	uint32_t row, col, rows, cols;
};

/* An operand as this thread copies it: its chunks of a stage are `step` rows apart. */
struct operand {
	const uint16_t *from;
	uint64_t ld;
	uint32_t rows, cols; /* that there are */
	bool wide;           /* chunks of 8 elements are 16 byte aligned */
	enum ts_mma_layout layout;
	uint32_t row, col, step; /* where the first chunk of the next stage comes from */
	uint64_t at;             /* the same as an offset */
};

MMA_INLINE struct part find_part(struct kind kind)
{
	uint32_t warp = gpu_thread() / MMA_LANES;
	struct part p;

	p.rows = kind.block / MMA_WARPS_M;
	p.cols = kind.block / MMA_WARPS_N;
	p.row = warp / MMA_WARPS_N * p.rows;
	p.col = warp % MMA_WARPS_N * p.cols;
	return p;
}

TS_GPU bool is_wide(const uint16_t *p, uint64_t ld)
{
	return (uintptr_t)p % 16 == 0 && ld % MMA_CHUNK == 0;
}

/* Elements that are there from `at` on, of a chunk. */
TS_GPU uint32_t count_elements(uint32_t at, uint32_t end)
{
	if (at >= end)
		return 0;
	return end - at < MMA_CHUNK ? end - at : MMA_CHUNK;
}

/* Chunks of one operand's stage that each thread copies. */
MMA_INLINE uint32_t count_chunks(struct kind kind)
{
	return kind.block * BLOCK_K / MMA_CHUNK / THREADS;
}

/* Chunks of a row of a stage. */
MMA_INLINE uint32_t count_across(enum ts_mma_layout layout, uint32_t block)
{
	return (layout == TS_MMA_ALONG_K ? (uint32_t)BLOCK_K : block) / MMA_CHUNK;
}

/* Where this thread's chunk `i` is in a stage. */
MMA_INLINE uint32_t find_place(enum ts_mma_layout layout, uint32_t block, uint32_t i)
{
	uint32_t across = count_across(layout, block);
	uint32_t row = gpu_thread() / across + i * (THREADS / across);
	uint32_t col = gpu_thread() % across * MMA_CHUNK;

	if (MMA_COPY_TO_LDS)
		return (gpu_thread() + i * THREADS) * MMA_CHUNK;
	return layout == TS_MMA_ALONG_K ? mma_at_k(row, col) : mma_at_n(row, col, block);
}

/* Which column of a stage this thread's chunks come from. Where it can't choose their place, the
 * source is swizzled instead: the swizzle is its own inverse, and the same for rows that are
 * THREADS / across apart. */
MMA_INLINE uint32_t find_col(enum ts_mma_layout layout, uint32_t block)
{
	uint32_t across = count_across(layout, block);
	uint32_t row = gpu_thread() / across, col = gpu_thread() % across * MMA_CHUNK;

	if (!MMA_COPY_TO_LDS)
		return col;
	return layout == TS_MMA_ALONG_K ? mma_at_k(row, col) % BLOCK_K
					: mma_at_n(row, col, block) % block;
}

/* From k iteration `k` of the tiles that begin at `first` of M or N on. */
MMA_INLINE struct operand make_operand(const uint16_t *from, uint64_t ld, uint32_t size,
	uint32_t depth, enum ts_mma_layout layout, uint32_t block, uint32_t first, uint32_t k)
{
	bool along_k = layout == TS_MMA_ALONG_K;
	uint32_t across = count_across(layout, block);
	struct operand o;

	o.from = from;
	o.ld = ld;
	o.rows = along_k ? size : depth;
	o.cols = along_k ? depth : size;
	o.wide = is_wide(from, ld);
	o.layout = layout;
	o.step = THREADS / across;
	o.row = (along_k ? first : k * BLOCK_K) + gpu_thread() / across;
	o.col = (along_k ? k * BLOCK_K : first) + find_col(layout, block);
	o.at = o.row * ld + o.col;
	return o;
}

/* To the next k iteration. */
MMA_INLINE void advance(struct operand *o)
{
	if (o->layout == TS_MMA_ALONG_K) {
		o->col += BLOCK_K;
		o->at += BLOCK_K;
	} else {
		o->row += BLOCK_K;
		o->at += BLOCK_K * o->ld;
	}
}

/* Begins the copies of one operand's part of a stage. With `whole`, a constant, no chunk is beyond
 * its edges. */
MMA_INLINE void copy_chunks(const struct operand *o, struct kind kind, uint16_t *stage,
	struct mma_chunk *held, bool wide, bool whole)
{
	uint32_t count = count_chunks(kind), inside = count_elements(o->col, o->cols);

	TS_UNROLL
	for (uint32_t i = 0; i < count; i++) {
		uint32_t there = o->row + i * o->step < o->rows ? inside : 0;
		uint64_t at = o->at + i * o->step * o->ld;

		if (whole)
			there = MMA_CHUNK;
		mma_copy_begin(&held[i], stage + find_place(o->layout, kind.block, i),
			o->from + (there > 0 ? at : 0), there, wide);
	}
}

/* Begins the copies of the operands' next stage. `whole`: all chunks are wide and inside, as most
 * are. */
MMA_INLINE void copy_begin(struct operand *a, struct operand *b, struct kind kind, uint16_t *stage,
	struct mma_chunk *held, bool whole)
{
	struct mma_chunk *held_b = held + count_chunks(kind);
	uint16_t *stage_b = stage + kind.block * BLOCK_K;

	if (whole) {
		copy_chunks(a, kind, stage, held, true, true);
		copy_chunks(b, kind, stage_b, held_b, true, true);
	} else {
		copy_chunks(a, kind, stage, held, a->wide, false);
		copy_chunks(b, kind, stage_b, held_b, b->wide, false);
	}
	advance(a);
	advance(b);
}

/* The k iterations of a tile of which all chunks are whole come first; how many there are. */
TS_GPU uint32_t count_whole(const struct ts_plan *p, uint32_t rows, const struct operand *a,
	const struct operand *b, const struct ts_tile *tile, uint32_t block)
{
	bool inner = rows / block > tile->m && p->n / block > tile->n;

	return MMA_COPY_WHOLE && inner && a->wide && b->wide ? p->k / BLOCK_K : 0;
}

/* Ends them where registers hold the chunks. */
MMA_INLINE void copy_end(struct kind kind, uint16_t *stage, const struct mma_chunk *held)
{
	uint32_t count = count_chunks(kind);
	uint16_t *stage_b = stage + kind.block * BLOCK_K;

	TS_UNROLL
	for (uint32_t i = 0; i < count; i++)
		mma_copy_end(&held[i], stage + find_place(TS_MMA_ALONG_K, kind.block, i));
	TS_UNROLL
	for (uint32_t i = 0; i < count; i++)
		mma_copy_end(&held[count + i], stage_b + find_place(kind.layout, kind.block, i));
}

/* Adds the products of one stage to the warp's sums. */
MMA_INLINE void multiply(
	struct kind kind, const struct part *part, const uint16_t *stage, float (*sums)[MMA_C])
{
	uint32_t tiles_m = part->rows / MMA_M, tiles_n = part->cols / MMA_N;
	const uint16_t *stage_b = stage + kind.block * BLOCK_K;
	struct mma_fragment a[TILES_M], b[TILES_N];

	MMA_DEPTH_LOOP
	for (uint32_t k = 0; k < BLOCK_K; k += MMA_K) {
		TS_UNROLL
		for (uint32_t i = 0; i < tiles_m; i++)
			mma_load_a(&a[i], stage, part->row + i * MMA_M, k);
		TS_UNROLL
		for (uint32_t j = 0; j < tiles_n; j++)
			mma_load_b(
				&b[j], stage_b, part->col + j * MMA_N, k, kind.layout, kind.block);
		mma_step(sums, a, b, tiles_m, tiles_n, kind.type);
	}
}

/* The sums over the item's k range. At `ask_at` thread 0 asks for the next step. */
MMA_INLINE void accumulate(const struct ts_mma_args *args, const struct room *r, struct kind kind,
	const struct handed *h, uint32_t k_begin, uint32_t k_end, const struct ts_tile *tile,
	uint32_t ask_at, float (*sums)[MMA_C])
{
	uint32_t rows = group_rows(args, h);
	uint32_t rows_b = kind.layout == TS_MMA_ALONG_K ? args->plan.n : args->plan.k;
	struct operand a = make_operand(args->a + group_row(h) * args->lda, args->lda, rows,
		args->plan.k, TS_MMA_ALONG_K, kind.block, tile->m * kind.block, k_begin);
	struct operand b = make_operand(args->b + group_row_b(h, rows_b) * args->ldb, args->ldb,
		args->plan.n, args->plan.k, kind.layout, kind.block, tile->n * kind.block, k_begin);
	struct part part = find_part(kind);
	uint32_t whole = count_whole(&args->plan, rows, &a, &b, tile, kind.block);
	uint32_t words = 2 * kind.block * BLOCK_K;
	uint32_t from = 0, to = 0; /* the stages that are read and filled */
	struct mma_chunk held[CHUNKS];

	TS_UNROLL
	for (uint32_t i = 0; i < MMA_STAGES - 1; i++, to++) {
		if (k_begin + i < k_end) {
			copy_begin(&a, &b, kind, r->stages + to * words, held, k_begin + i < whole);
			copy_end(kind, r->stages + to * words, held);
		}
		mma_copy_commit();
	}
	for (uint32_t k = k_begin; k < k_end; k++) {
		uint32_t next = k + MMA_STAGES - 1;

		/* All threads' copies of this stage are there, and all have read the one that is
		 * filled next. */
		mma_copy_wait();
		gpu_sync();
		if (next < k_end)
			copy_begin(&a, &b, kind, r->stages + to * words, held, next < whole);
		mma_copy_commit();
		if (ASKS_AHEAD && k == ask_at && gpu_thread() == 0)
			ask(args, r->steps, r->asker);
		multiply(kind, &part, r->stages + from * words, sums);
		if (next < k_end)
			copy_end(kind, r->stages + to * words, held);
		from = from + 1 == MMA_STAGES ? 0 : from + 1;
		to = to + 1 == MMA_STAGES ? 0 : to + 1;
	}
}

/* Where the element is in a warp's part of C in shared memory: its rows are short, so that chunks
 * of 8 rows are spread over the banks. */
MMA_INLINE uint32_t at_output(const struct part *part, uint32_t row, uint32_t col)
{
	uint32_t chunks = part->cols / MMA_CHUNK;

	return row * part->cols + ((col / MMA_CHUNK) ^ (row % 8 % chunks)) * MMA_CHUNK +
		col % MMA_CHUNK;
}

/* Writes a chunk of C, of which `count` elements are inside. */
MMA_INLINE void store_chunk(uint16_t *to, struct mma_chunk v, uint32_t count, bool wide)
{
	if (wide && count == MMA_CHUNK) {
		mma_put(to, v);
		return;
	}
	TS_UNROLL
	for (uint32_t i = 0; i < MMA_CHUNK; i++)
		if (i < count)
			TS_WRITE(to + i, (uint16_t)(v.w[i / 2] >> i % 2 * 16));
}

/* The warp's part of the tile: rounded, to shared memory, and from there in whole rows to C. */
MMA_INLINE void store(const struct ts_mma_args *args, const struct room *r, struct kind kind,
	const struct handed *h, const struct ts_tile *tile, const float (*sums)[MMA_C])
{
	struct part part = find_part(kind);
	uint32_t lane = gpu_thread() % MMA_LANES;
	uint32_t tiles_m = part.rows / MMA_M, tiles_n = part.cols / MMA_N;
	uint32_t across = part.cols / MMA_CHUNK;
	uint16_t *own = r->stages + gpu_thread() / MMA_LANES * part.rows * part.cols;
	bool wide = is_wide(args->c, args->ldc);
	uint32_t rows = group_rows(args, h);
	uint16_t *c = args->c + group_row(h) * args->ldc;

	/* All warps have read their operands, which were there before. */
	gpu_sync();
	TS_UNROLL
	for (uint32_t t = 0; t < tiles_m * tiles_n; t++) {
		TS_UNROLL
		for (uint32_t i = 0; i < MMA_C; i++) {
			struct mma_element e = mma_place(lane, i);

			TS_WRITE(own +
					at_output(&part, t / tiles_n * MMA_M + e.across,
						t % tiles_n * MMA_N + e.along),
				mma_round(sums[t][i], kind.type));
		}
	}
	gpu_sync();
	TS_UNROLL
	for (uint32_t i = 0; i < part.rows * across / MMA_LANES; i++) {
		uint32_t chunk = lane + i * MMA_LANES;
		uint32_t row = chunk / across, col = chunk % across * MMA_CHUNK;
		uint32_t m = tile->m * kind.block + part.row + row;
		uint32_t n = tile->n * kind.block + part.col + col;
		uint32_t count = count_elements(n, args->plan.n);

		if (m < rows && count > 0)
			store_chunk(c + m * args->ldc + n,
				TS_READ((const struct mma_chunk *)(const void *)(own +
					at_output(&part, row, col))),
				count, wide);
	}
}

/* Where this thread's sums of a rank's tile begin in a slot; they are THREADS apart. */
MMA_INLINE float *find_sums(
	const struct ts_mma_args *a, struct kind kind, uint32_t slot, uint32_t rank)
{
	uint64_t ranks = (uint64_t)a->plan.cluster_m * a->plan.cluster_n;

	return a->workspace + (slot * ranks + rank) * kind.block * kind.block + gpu_thread();
}

/* Writes the sums of a part to its slot. */
MMA_INLINE void keep(const struct ts_mma_args *a, struct kind kind, uint32_t slot, uint32_t rank,
	const float (*sums)[MMA_C])
{
	uint32_t tiles = kind.block * kind.block / THREADS / MMA_C;
	float *to = find_sums(a, kind, slot, rank);

	TS_UNROLL
	for (uint32_t t = 0; t < tiles; t++) {
		TS_UNROLL
		for (uint32_t i = 0; i < MMA_C; i++)
			TS_WRITE(to + (t * MMA_C + i) * THREADS, sums[t][i]);
	}
}

/* Adds what others have kept. */
MMA_INLINE void add(const struct ts_mma_args *a, struct kind kind, uint32_t slot, uint32_t rank,
	float (*sums)[MMA_C])
{
	uint32_t tiles = kind.block * kind.block / THREADS / MMA_C;
	const float *from = find_sums(a, kind, slot, rank);

	TS_UNROLL
	for (uint32_t t = 0; t < tiles; t++) {
		TS_UNROLL
		for (uint32_t i = 0; i < MMA_C; i++)
			sums[t][i] += TS_READ(from + (t * MMA_C + i) * THREADS);
	}
}

/* Adds the others' parts, once they are there. */
MMA_INLINE void fix_up(const struct ts_mma_args *a, const struct room *r, struct kind kind,
	const struct handed *h, uint32_t rank, float (*sums)[MMA_C])
{
	uint32_t slot, parts;

	if (gpu_thread() == 0)
		wait(a, r, TS_READ(&h->wait_counter), TS_READ(&h->wait_value));
	gpu_sync();
	gpu_fence();
	slot = TS_READ(&h->slot);
	parts = TS_READ(&h->parts);
	for (uint32_t i = 0; i < parts; i++)
		add(a, kind, slot + i, rank, sums);
}

/* One rank's tile of an item. */
MMA_INLINE void compute(const struct ts_mma_args *args, const struct room *r, struct kind kind,
	const struct handed *h, const struct ts_tile *tile, uint32_t rank)
{
	struct ts_step s = TS_READ(&h->step);
	uint32_t ask_at = s.k_end - s.k_begin > AHEAD ? s.k_end - AHEAD : s.k_begin;
	float sums[TILES_M * TILES_N][MMA_C];

	TS_UNROLL
	for (uint32_t t = 0; t < TILES_M * TILES_N; t++) {
		TS_UNROLL
		for (uint32_t i = 0; i < MMA_C; i++)
			sums[t][i] = 0;
	}
	accumulate(args, r, kind, h, s.k_begin, s.k_end, tile, rank == 0 ? ask_at : s.k_end, sums);
	s = TS_READ(&h->step);
	if (s.owns && s.parts > 0)
		fix_up(args, r, kind, h, rank, sums);
	if (s.owns)
		store(args, r, kind, h, tile, (const float(*)[MMA_C])sums);
	else
		keep(args, kind, s.slot, rank, (const float(*)[MMA_C])sums);
}

/* All tiles of an item. Registers are short: what is not needed is read again. */
MMA_INLINE void work(const struct ts_mma_args *args, const struct room *r, struct kind kind,
	const struct handed *h)
{
	uint32_t ranks = args->plan.cluster_m * args->plan.cluster_n;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		struct ts_step s = TS_READ(&h->step);
		struct ts_tile tile = ts_cta_tile(find_plan(args), &s, rank);

		gpu_tile(tile.m, tile.n);
		/* What the tile before left in shared memory is read. */
		if (rank > 0)
			gpu_sync();
		if (args->cursors != 0 && gpu_thread() == 0)
			r->asker->from = gpu_time_ns();
		/* That of rank 0 is always there. */
		if (tile.valid)
			compute(args, r, kind, h, &tile, rank);
		if (args->cursors != 0 && gpu_thread() == 0)
			record(args, r, h, rank);
	}
}

/* Carries out a step that takes no work. */
TS_GPU void act(const struct ts_mma_args *a, const struct room *r, const struct handed *h)
{
	struct ts_step s = TS_READ(&h->step);

	if (s.act == TS_SIGNAL) {
		/* After what all threads of this CTA wrote. */
		gpu_fence();
		gpu_sync();
		if (gpu_thread() == 0) {
			gpu_signal(find_counter(a, s.counter), s.value);
			if (!note(a, &r->asker->w, &s, s.value))
				fail(a, r->asker, TS_MMA_NO_RECORD);
		}
	} else if (gpu_thread() == 0) {
		wait(a, r, s.counter, s.value);
	}
}

/* Grid: one CTA for each worker, along x. */
MMA_INLINE void gemm(const struct ts_mma_args *args, const struct room *r, struct kind kind)
{
	uint32_t id = gpu_cta();

	if (gpu_thread() == 0) {
		r->asker->w = ts_worker_make(
			id, (args->hardware_domain != 0 ? gpu_domain() : id) % args->plan.domains);
		r->asker->turn = 0;
		r->asker->items = 0;
		r->asker->failed = false;
		r->asker->asked = false;
	}
	for (uint32_t turn = 0;; turn++) {
		const struct handed *h = &r->steps[turn % STEPS];
		enum ts_act now;

		/* Where it was not asked ahead. */
		if (gpu_thread() == 0 && r->asker->turn == turn)
			ask(args, r->steps, r->asker);
		gpu_sync();
		now = TS_READ(&h->step.act);
		if (now == TS_STOP)
			break;
		if (now == TS_WORK)
			work(args, r, kind, h);
		else
			act(args, r, h);
	}
	if (gpu_thread() == 0)
		leave_tell_gone(&args->leave, &r->asker->w,
			r->asker->asked ? TS_GONE_AS_ASKED : TS_GONE_BY_POLICY);
}

/* The kernel of a kind. The CPU has those of all instruction sets side by side. */
#define KERNEL(name, block, type, layout)                                                          \
	TS_KERNEL(name, struct ts_mma_args, THREADS)                                               \
	{                                                                                          \
		TS_SHARED(struct handed, steps, STEPS);                                            \
		TS_SHARED(struct asker, asker, 1);                                                 \
		struct room r = {(uint16_t *)(void *)gpu_shared(), steps, asker};                  \
		struct kind kind = {block, type, layout};                                          \
                                                                                                   \
		gemm(&args, &r, kind);                                                             \
	}
#define KERNELS(bf16, fp16, suffix)                                                                \
	KERNEL(bf16##_nk_128##suffix, TS_MMA_LARGE, TS_MMA_BF16, TS_MMA_ALONG_K)                   \
	KERNEL(bf16##_nk_64##suffix, TS_MMA_SMALL, TS_MMA_BF16, TS_MMA_ALONG_K)                    \
	KERNEL(bf16##_kn_128##suffix, TS_MMA_LARGE, TS_MMA_BF16, TS_MMA_ALONG_N)                   \
	KERNEL(bf16##_kn_64##suffix, TS_MMA_SMALL, TS_MMA_BF16, TS_MMA_ALONG_N)                    \
	KERNEL(fp16##_nk_128##suffix, TS_MMA_LARGE, TS_MMA_FP16, TS_MMA_ALONG_K)                   \
	KERNEL(fp16##_nk_64##suffix, TS_MMA_SMALL, TS_MMA_FP16, TS_MMA_ALONG_K)                    \
	KERNEL(fp16##_kn_128##suffix, TS_MMA_LARGE, TS_MMA_FP16, TS_MMA_ALONG_N)                   \
	KERNEL(fp16##_kn_64##suffix, TS_MMA_SMALL, TS_MMA_FP16, TS_MMA_ALONG_N)

#if defined(TS_GROUPS)
#define KERNELS_AS(suffix) KERNELS(ts_mma_groups_bf16, ts_mma_groups_fp16, suffix)
#else
#define KERNELS_AS(suffix) KERNELS(ts_mma_bf16, ts_mma_fp16, suffix)
#endif

#if defined(TS_MMA_AS_SM80)
KERNELS_AS(_sm80)
#elif defined(TS_MMA_AS_GFX942)
KERNELS_AS(_gfx942)
#elif defined(TS_MMA_AS_GFX950)
KERNELS_AS(_gfx950)
#elif defined(TS_MMA_AS_GFX1100)
KERNELS_AS(_gfx1100)
#elif defined(TS_MMA_AS_GFX1200)
KERNELS_AS(_gfx1200)
#else
KERNELS_AS()
#endif
