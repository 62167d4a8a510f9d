/* GEMM for Hopper: any policy, order, remap and cluster in one kernel. Of three warpgroups one has
 * the loader (one thread: the copy engine fills a ring of stages) and the scheduler (one thread of
 * the cluster: asks the policy and hands items to all roles of all CTAs); the two others multiply,
 * 64 rows of the tile each, and write the output.
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
#include "kernels/gemm_args.h"
#include "kernels/ptx_multiply.h"
#include "policies/pipeline.h"

enum { BLOCK_M = TS_GEMM_BLOCK_M, BLOCK_K = TS_GEMM_BLOCK_K, BOX = TS_GEMM_BOX };

/* Items in the scheduler's ring: roles can be one item apart. */
enum { ITEMS = 2 };

/* An item as it is handed on; k_end 0 means that there is none and that the roles leave. Of an item
 * whose k iterations are cut, with what follows in fix_up.h: the counter is signalled by who
 * doesn't own it, and waited for by the owner where `parts` are to be added. */
struct alignas(16) handed {
	uint32_t m, n, k_begin, k_end;
	uint32_t slot, parts, counter, owns;
#if defined(TS_GROUPS)
	/* Of the item's group: how many rows it has in A and C, and the first of them, and of its
	 * B. 16 bytes are handed on at a time. */
	uint32_t rows, row, row_b, spare;
#endif
};

enum { WORDS = sizeof(struct handed) / sizeof(uint32_t) };

#if defined(TS_GROUPS)

TS_GPU void find_group(const struct ts_gemm_args *a, uint32_t g, struct handed *h)
{
	const struct ts_plan *p = ts_group_table_plan(&a->plan, a->table);

	h->rows = ts_grid(p, g)->m;
	h->row = (uint32_t)ts_group_row(p, g);
	h->row_b = g * a->plan.n;
}

TS_GPU uint32_t group_rows(const struct ts_gemm_args *a, const struct handed *h)
{
	(void)a;
	return h->rows;
}

TS_GPU uint32_t group_row(const struct handed *h)
{
	return h->row;
}

TS_GPU uint32_t group_row_b(const struct handed *h)
{
	return h->row_b;
}

#else

TS_GPU void find_group(const struct ts_gemm_args *a, uint32_t g, struct handed *h)
{
	(void)a;
	(void)g;
	(void)h;
}

TS_GPU uint32_t group_rows(const struct ts_gemm_args *a, const struct handed *h)
{
	(void)h;
	return a->plan.m;
}

TS_GPU uint32_t group_row(const struct handed *h)
{
	(void)h;
	return 0;
}

TS_GPU uint32_t group_row_b(const struct handed *h)
{
	(void)h;
	return 0;
}

#endif

/* All shared memory of a CTA. Operands and output boxes are swizzled by the copy engine, which
 * needs 1024 byte alignment. */
template <int BLOCK_N, int STAGES, int OUTPUTS> struct room {
	enum {
		block_n = BLOCK_N,
		stages = STAGES,
		outputs = OUTPUTS, /* boxes of C in flight for each warpgroup */
		boxes = BLOCK_N / BOX,
		/* K iterations before the end of an item's loads at which the next one is asked
		 * for: long enough for the answers of a few atomics, and no longer, since what a
		 * worker has claimed is lost to the others. */
		ahead = 4 * 256 / BLOCK_N
	};
	uint16_t a[STAGES][BLOCK_M * BLOCK_K];
	uint16_t b[STAGES][BLOCK_N * BLOCK_K];
	uint16_t c[2][OUTPUTS][BOX * BOX];
	struct handed items[ITEMS];
	uint64_t full[STAGES], empty[STAGES];
	uint64_t item_full[ITEMS], item_empty[ITEMS];
	uint64_t wanted; /* the loader wants the next item */
};

/* Where a CTA stands in its cluster. */
struct place {
	uint32_t rank, m, n; /* m + n * cluster_m = rank */
	uint32_t cluster_m, cluster_n;
};

TS_GPU struct place find_place(const struct ts_plan *p)
{
	struct place at;

	at.rank = gpu_rank();
	at.cluster_m = p->cluster_m;
	at.cluster_n = p->cluster_n;
	at.n = at.rank / p->cluster_m;
	at.m = at.rank - at.n * p->cluster_m;
	return at;
}

template <class ROOM> TS_GPU void set_up(ROOM *r, const struct place *at)
{
	uint32_t writers = at->cluster_m + at->cluster_n - 1;
	uint32_t readers = 8 + 1; /* warps that multiply, and the loader */

	for (int i = 0; i < ROOM::stages; i++) {
		ptx_barrier_init(&r->full[i], 1);
		ptx_barrier_init(&r->empty[i], 8 * writers);
	}
	for (int i = 0; i < ITEMS; i++) {
		ptx_barrier_init(&r->item_full[i], 1);
		ptx_barrier_init(&r->item_empty[i], readers * at->cluster_m * at->cluster_n);
	}
	ptx_barrier_init(&r->wanted, 1);
	ptx_barrier_init_done();
}

/* A step behind that of part `h`, which its multipliers will carry out. False where it is none that
 * fix_up.h knows. */
TS_GPU bool is_step_of(const struct ts_step *s, const struct handed *h)
{
	if (h->owns == 0)
		return s->act == TS_SIGNAL && s->value == 1;
	if (s->act == TS_WAIT)
		return s->value == h->parts;
	return s->act == TS_FIX_UP && s->owns && s->slot == h->slot && s->parts == h->parts;
}

/* Registers of a thread in the warpgroup with the scheduler, and in one that multiplies; whether
 * the scheduler asks for its first item while the barriers are made, for the sake of short
 * launches. A policy with groups takes more, and is there only once. */
#if defined(TS_GROUPS)
enum { FEWER = 72, MORE = 216, ASKS_EARLY = false };
#define ASK_GPU static __device__ __forceinline__
#else
enum { FEWER = 56, MORE = 224, ASKS_EARLY = true };
#define ASK_GPU TS_GPU
#endif

/* Asks the policy until it has an item for the worker, or none, and of a part for all its steps. */
ASK_GPU struct handed ask(const struct ts_gemm_args *a, struct ts_worker *w)
{
	enum ts_gemm_fault fault = TS_GEMM_NO_FAULT;
	struct handed h = {0, 0, 0, 0, 0, 0, 0, 0};
	uint32_t answer = 0;

	while (fault == TS_GEMM_NO_FAULT) {
		struct ts_step s = ts_next(ts_group_table_plan(&a->plan, a->table), w, answer);
		bool whole = s.k_begin == 0 && s.k_end == a->plan.depth && s.owns;

		if (s.act == TS_STOP)
			return h;
		if (s.act == TS_CLAIM) {
			if (s.counter < a->plan.counters)
				answer = gpu_claim(&a->counters[s.counter]);
			else
				fault = TS_GEMM_NO_COUNTER;
		} else if (h.k_end == 0) {
			h = {s.m, s.n, s.k_begin, s.k_end, s.slot, s.parts, 0, s.owns ? 1u : 0u};
			if (s.act == TS_WORK)
				find_group(a, s.g, &h);
			if (s.act != TS_WORK || (!whole && a->plan.workspace == 0))
				fault = TS_GEMM_PARTIAL;
			else if (s.owns && s.parts == 0)
				return h;
		} else if (!is_step_of(&s, &h)) {
			fault = TS_GEMM_PARTIAL;
		} else {
			if (s.act == TS_FIX_UP)
				return h;
			h.counter = s.counter;
			if (s.act == TS_SIGNAL)
				return h;
		}
	}
	*a->fault = (uint32_t)fault;
	h.k_end = 0;
	return h;
}

/* The scheduler: one thread, in the CTA of rank 0. `h` is the first item, if it asks early. */
template <class ROOM>
TS_GPU void schedule(const struct ts_gemm_args *a, ROOM *r, const struct place *at,
	struct ts_worker w, struct handed h)
{
	struct ts_pipeline ring = ts_pipeline_at(0, ITEMS);

	for (uint32_t count = 0;; count++) {
		uint64_t *full = &r->item_full[ring.stage];

		if (count > 0)
			ptx_barrier_wait(&r->wanted, (count - 1) & 1);
		if (count > 0 || !ASKS_EARLY)
			h = ask(a, &w);
		ptx_barrier_wait(&r->item_empty[ring.stage], ts_empty_parity(ring));
		r->items[ring.stage] = h;
		ptx_barrier_arrive(full);
		for (uint32_t rank = 1; rank < at->cluster_m * at->cluster_n; rank++) {
			const uint32_t item[4] = {h.m, h.n, h.k_begin, h.k_end};
			const uint32_t meet[4] = {h.slot, h.parts, h.counter, h.owns};

			ptx_barrier_expect_at(full, rank, sizeof h);
			ptx_store_at(&r->items[ring.stage].m, full, rank, item);
			ptx_store_at(&r->items[ring.stage].slot, full, rank, meet);
#if defined(TS_GROUPS)
			const uint32_t group[4] = {h.rows, h.row, h.row_b, h.spare};

			ptx_store_at(&r->items[ring.stage].rows, full, rank, group);
#endif
		}
		if (h.k_end == 0)
			return;
		ring = ts_pipeline_next(ring, ITEMS);
	}
}

/* The next item: one thread of a role takes it, and leaves its place to the scheduler. */
template <class ROOM> TS_GPU struct handed take(ROOM *r, struct ts_pipeline *ring)
{
	struct handed h;

	ptx_barrier_wait_cluster(&r->item_full[ring->stage], ts_full_parity(*ring));
	h = r->items[ring->stage];
	if (h.k_end != 0)
		ptx_barrier_arrive_at(&r->item_empty[ring->stage], 0);
	*ring = ts_pipeline_next(*ring, ITEMS);
	return h;
}

/* The same for a warp, each word of it in the lane of its number. */
template <class ROOM> TS_GPU uint32_t take_together(ROOM *r, struct ts_pipeline *ring)
{
	uint32_t lane = gpu_thread() % 32, word;

	ptx_barrier_wait_cluster(&r->item_full[ring->stage], ts_full_parity(*ring));
	word = (&r->items[ring->stage].m)[lane % WORDS];
	__syncwarp();
	if (lane == 0 && r->items[ring->stage].k_end != 0)
		ptx_barrier_arrive_at(&r->item_empty[ring->stage], 0);
	*ring = ts_pipeline_next(*ring, ITEMS);
	return word;
}

/* What a warp has to know of its item while it multiplies, */
TS_GPU struct handed find_work(uint32_t word)
{
	struct handed h = {ptx_of_lane(word, 0), ptx_of_lane(word, 1), ptx_of_lane(word, 2),
		ptx_of_lane(word, 3), 0, 0, 0, 0};

#if defined(TS_GROUPS)
	h.rows = ptx_of_lane(word, 8);
	h.row = ptx_of_lane(word, 9);
#endif
	return h;
}

/* and what comes after. */
TS_GPU struct handed find_rest(uint32_t word)
{
	return {0, 0, 0, 0, ptx_of_lane(word, 4), ptx_of_lane(word, 5), ptx_of_lane(word, 6),
		ptx_of_lane(word, 7)};
}

TS_GPU struct ts_tile find_tile(
	const struct ts_plan *p, const struct handed *h, const struct place *at)
{
#if defined(TS_GROUPS)
	/* As ts_cta_tile() says it of a rectangle, without a look at the group's grid in memory. */
	struct ts_tile t = {h->m + at->m, h->n + at->n, false};

	t.valid = t.m * BLOCK_M < h->rows && t.n < p->cols;
	return t;
#else
	struct ts_step s = ts_step_make(TS_WORK);

	s.m = h->m;
	s.n = h->n;
	return ts_cta_tile(p, &s, at->rank);
#endif
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

/* The loader: one thread in each CTA. CTAs in a row of the cluster share A and those in a column
 * share B: each loads its slice for all of them. A CTA without a tile does so too; what it loads
 * for itself lies outside the array and is zero. */
template <class ROOM>
TS_GPU void load(const struct ts_gemm_args *a, ROOM *r, const struct place *at)
{
	uint32_t rows_a = BLOCK_M / at->cluster_n, rows_b = ROOM::block_n / at->cluster_m;
	uint32_t ranks_b = ((1u << at->cluster_m) - 1) << at->n * at->cluster_m;
	uint32_t ranks_a = 0;
	struct ts_pipeline ring = ts_pipeline_at(0, ITEMS);
	struct ts_pipeline stage = ts_pipeline_at(0, ROOM::stages);

	for (uint32_t n = 0; n < at->cluster_n; n++)
		ranks_a |= 1u << (at->m + n * at->cluster_m);
	for (;;) {
		struct handed h = take(r, &ring);
		struct ts_tile tile = find_tile(&a->plan, &h, at);
		uint32_t ask_at =
			h.k_end - h.k_begin > ROOM::ahead ? h.k_end - ROOM::ahead : h.k_begin;

		if (h.k_end == 0)
			return;
#pragma unroll 1
		for (uint32_t k = h.k_begin; k < h.k_end; k++) {
			uint64_t *full = &r->full[stage.stage];

			if (k == ask_at && at->rank == 0)
				ptx_barrier_arrive(&r->wanted);
			ptx_barrier_wait(&r->empty[stage.stage], ts_empty_parity(stage));
			ptx_barrier_expect(full, sizeof r->a[0] + sizeof r->b[0]);
			copy_slice(&a->a, full, &r->a[stage.stage][at->n * rows_a * BLOCK_K],
				k * BLOCK_K, group_row(&h) + tile.m * BLOCK_M + at->n * rows_a,
				ranks_a, at->cluster_n > 1);
			copy_slice(&a->b, full, &r->b[stage.stage][at->m * rows_b * BLOCK_K],
				k * BLOCK_K,
				group_row_b(&h) + tile.n * ROOM::block_n + at->m * rows_b, ranks_b,
				at->cluster_m > 1);
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

/* A warp is done with a stage: it tells all that write there. */
TS_GPU void free_stage(uint32_t writer, uint32_t stage)
{
	if (writer != 0)
		ptx_barrier_arrive_there(writer + stage * (uint32_t)sizeof(uint64_t));
}

/* A warpgroup's half of a tile of C, rounded, and its first row and column: while it is on its way
 * out the next tile is multiplied. Of groups, how many of its rows are not the next one's is what
 * the column, a multiple of BOX, leaves room for: less one, in x % BOX. */
template <int PAIRS> struct rounded {
	uint32_t pairs[PAIRS];
	uint32_t x, y;
	bool there;
};

#if defined(TS_GROUPS)

/* The first `rows` rows of a box, 16 bytes a thread, where the copy engine would write those that
 * follow too. */
TS_GPU void store_rows(const struct ts_gemm_args *a, const uint16_t *box, uint32_t x, uint32_t y,
	uint32_t rows, uint32_t n)
{
	uint32_t thread = ptx_thread() % 128, chunk = thread % 8;
	uint32_t left = x + chunk * 8 < n ? n - x - chunk * 8 : 0;

#pragma unroll 1
	for (uint32_t row = thread / 8; row < rows; row += 128 / 8) {
		const uint16_t *from = box + row * BOX + (chunk ^ row % 8) * 8;
		uint16_t *to = a->c_rows + (uint64_t)(y + row) * a->ldc + x + chunk * 8;

		if (left >= 8) {
			*(uint4 *)to = *(const uint4 *)from;
			continue;
		}
#pragma unroll 1
		for (uint32_t i = 0; i < left; i++)
			to[i] = from[i];
	}
}

#endif

/* One box of it, to shared memory and from there to C by the copy engine, which leaves out what is
 * beyond the edge. */
template <class ROOM, int PAIRS>
TS_GPU void store_box(const struct ts_gemm_args *a, ROOM *r, uint32_t half,
	const struct rounded<PAIRS> &c, int box)
{
	uint32_t thread = ptx_thread() % 128, lane = thread % 32;
	uint32_t row = thread / 32 * 16 + lane % 16; /* whose address this lane gives */
	uint16_t *to = r->c[half][box % ROOM::outputs];
	uint32_t address = ptx_shared(to) + row * 128 + (lane / 16 ^ row % 8) * 16;
	uint32_t x = c.x / BOX * BOX + (uint32_t)box * BOX;

	if (thread == 0)
		ptx_copy_out_wait<ROOM::outputs - 1>();
	ptx_sync(1 + half, 128);
#pragma unroll
	for (int i = 0; i < BOX / 16; i++) {
		const uint32_t *pairs = &c.pairs[(box * BOX + i * 16) / 4];

		/* Swizzled as the copy engine does it. */
		ptx_store_matrices(
			address ^ (uint32_t)i * 32, pairs[0], pairs[1], pairs[2], pairs[3]);
	}
	ptx_fence_copies();
	ptx_sync(1 + half, 128);
#if defined(TS_GROUPS)
	if (c.x % BOX != BOX - 1) {
		store_rows(a, to, x, c.y, c.x % BOX + 1, a->plan.n);
		if (thread == 0)
			ptx_copy_out_group();
		return;
	}
#endif
	if (thread != 0)
		return;
	/* Some boxes of an edge tile are outside altogether. */
	if (x < a->plan.n)
		ptx_copy_out(&a->c, to, x, c.y);
	ptx_copy_out_group();
}

/* All of it that there is. */
template <class ROOM, int PAIRS>
TS_GPU void store(const struct ts_gemm_args *a, ROOM *r, uint32_t half, struct rounded<PAIRS> &c)
{
	if (!c.there)
		return;
#pragma unroll
	for (int box = 0; box < ROOM::boxes; box++)
		store_box(a, r, half, c, box);
	c.there = false;
}

/* Starts the products of a stage. */
template <class ROOM, int SUMS>
TS_GPU void multiply_stage(
	ROOM *r, struct ts_pipeline stage, uint32_t half, bool first, float (&d)[SUMS])
{
	uint64_t a, b;

	ptx_barrier_wait(&r->full[stage.stage], ts_full_parity(stage));
	a = ptx_operand(&r->a[stage.stage][half * BOX * BLOCK_K]);
	b = ptx_operand(r->b[stage.stage]);
	ptx_multiply_begin();
#pragma unroll
	for (uint32_t i = 0; i < BLOCK_K / 16; i++)
		ptx_multiply(d, a + 2 * i, b + 2 * i, !first || i > 0 ? 1 : 0);
	ptx_multiply_group();
}

/* The same for a stage after the first, where `before` is the one before it, which is then free:
 * two iterations are in flight, so that the tensor cores always have work. Returns the stage. */
template <class ROOM, int SUMS>
TS_GPU uint32_t multiply_next(ROOM *r, uint32_t writer, struct ts_pipeline *stage, uint32_t before,
	uint32_t half, float (&d)[SUMS])
{
	uint32_t now = stage->stage;

	multiply_stage(r, *stage, half, false, d);
	ptx_multiply_wait<1>();
	free_stage(writer, before);
	*stage = ts_pipeline_next(*stage, ROOM::stages);
	return now;
}

/* d = the 64 rows of A that belong to this warpgroup times B, over the item's k range. `c`, which
 * was computed before, is stored in the meantime. */
template <class ROOM, int SUMS>
TS_GPU struct ts_pipeline accumulate(const struct ts_gemm_args *a, ROOM *r, uint32_t writer,
	const struct handed *h, struct ts_pipeline stage, uint32_t half, float (&d)[SUMS],
	struct rounded<SUMS / 2> &c)
{
	uint32_t left = h->k_end - h->k_begin - 1;
	uint32_t before = stage.stage;

	multiply_stage(r, stage, half, true, d);
	stage = ts_pipeline_next(stage, ROOM::stages);
	if (c.there) {
#pragma unroll
		for (int box = 0; box < ROOM::boxes; box++) {
			store_box(a, r, half, c, box);
			if (left == 0)
				continue;
			before = multiply_next(r, writer, &stage, before, half, d);
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
		before = multiply_next(r, writer, &stage, before, half, d);
	ptx_multiply_wait<0>();
	ptx_settle(d);
	free_stage(writer, before);
	return stage;
}

/* A warpgroup without a tile, or whose half has no row in C, lets its stages go by. */
template <class ROOM>
TS_GPU struct ts_pipeline pass(
	ROOM *r, uint32_t writer, const struct handed *h, struct ts_pipeline stage)
{
	for (uint32_t k = h->k_begin; k < h->k_end; k++) {
		ptx_barrier_wait(&r->full[stage.stage], ts_full_parity(stage));
		__syncwarp();
		free_stage(writer, stage.stage);
		stage = ts_pipeline_next(stage, ROOM::stages);
	}
	return stage;
}

/* This thread's sums in a slot, 16 bytes at a time and 512 floats apart: of each rank's share, the
 * warpgroup has the half that it has of the tile. */
template <class ROOM>
TS_GPU float *find_sums(
	const struct ts_gemm_args *a, const struct place *at, uint32_t slot, uint32_t half)
{
	uint64_t share = (uint64_t)slot * (at->cluster_m * at->cluster_n) + at->rank;

	return a->workspace + (2 * share + half) * (BOX * ROOM::block_n) + ptx_thread() % 128 * 4;
}

/* A counter of the plan is one word for each warpgroup of each rank, which only meets its like. */
TS_GPU uint32_t *find_flag(
	const struct ts_gemm_args *a, const struct place *at, uint32_t counter, uint32_t half)
{
	uint32_t ranks = at->cluster_m * at->cluster_n;

	return a->flags + ((uint64_t)counter * ranks + at->rank) * 2 + half;
}

/* A part is done, and its owner is told. */
TS_GPU void tell(
	const struct ts_gemm_args *a, const struct place *at, const struct handed *h, uint32_t half)
{
	ptx_sync(1 + half, 128);
	if (gpu_thread() % 128 == 0)
		gpu_signal(find_flag(a, at, h->counter, half), 1);
}

/* A part's sums go to its slot. */
template <class ROOM, int SUMS>
TS_GPU void give(const struct ts_gemm_args *a, const struct place *at, const struct handed *h,
	uint32_t half, const float (&d)[SUMS])
{
	float *to = find_sums<ROOM>(a, at, h->slot, half);

#pragma unroll
	for (int i = 0; i < SUMS / 4; i++)
		ptx_write_4(to + i * 512, d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]);
}

/* The owner adds the parts of the others, in the order of their slots. So many loads are always in
 * flight, those of the next part too. */
template <class ROOM, int SUMS>
TS_GPU void fix_up(const struct ts_gemm_args *a, const struct place *at, const struct handed *h,
	uint32_t half, float (&d)[SUMS])
{
	enum { ALL = SUMS / 4, AHEAD = ALL > 16 ? ALL / 2 : ALL };
	const uint32_t slot = 2 * at->cluster_m * at->cluster_n * BOX * ROOM::block_n;
	const float *from = find_sums<ROOM>(a, at, h->slot, half);
	float next[AHEAD][4];

	if (gpu_thread() % 128 == 0)
		while (gpu_acquire(find_flag(a, at, h->counter, half)) < h->parts)
			ptx_pause();
	ptx_sync(1 + half, 128);
#pragma unroll
	for (int i = 0; i < AHEAD; i++)
		ptx_read_4(from + i * 512, next[i]);
	for (uint32_t left = h->parts; left > 0; left--) {
#pragma unroll
		for (int i = 0; i < ALL; i++) {
#pragma unroll
			for (int j = 0; j < 4; j++)
				d[4 * i + j] += next[i % AHEAD][j];
			if (i + AHEAD < ALL)
				ptx_read_4(from + (i + AHEAD) * 512, next[i % AHEAD]);
			else if (left > 1)
				ptx_read_4(from + slot + (i + AHEAD - ALL) * 512, next[i % AHEAD]);
		}
		from += slot;
	}
}

/* A warpgroup that multiplies: half 0 or 1 of the tile. */
template <class ROOM>
TS_GPU void multiply(const struct ts_gemm_args *a, ROOM *r, const struct place *at, uint32_t half)
{
	struct ts_pipeline ring = ts_pipeline_at(0, ITEMS);
	struct ts_pipeline stage = ts_pipeline_at(0, ROOM::stages);
	float d[ROOM::block_n / 2];
	struct rounded<ROOM::block_n / 4> c;
	uint32_t writer = find_writer(r, at);

	c.there = false;
	for (;;) {
		uint32_t word = take_together(r, &ring);
		struct handed h = find_work(word);
		struct ts_tile tile = find_tile(&a->plan, &h, at);
		uint32_t y = tile.m * BLOCK_M + half * BOX;
		uint32_t rows = group_rows(a, &h);

		if (h.k_end == 0)
			break;
		if (!tile.valid || y >= rows) {
			stage = pass(r, writer, &h, stage);
			h = find_rest(word);
			if (tile.valid && h.owns == 0)
				tell(a, at, &h, half);
			continue;
		}
		stage = accumulate(a, r, writer, &h, stage, half, d, c);
		h = find_rest(word);
		if (h.owns == 0) {
			give<ROOM>(a, at, &h, half, d);
			tell(a, at, &h, half);
			continue;
		}
		if (h.parts > 0)
			fix_up<ROOM>(a, at, &h, half, d);
#pragma unroll
		for (int i = 0; i < ROOM::block_n / 4; i++)
			c.pairs[i] = ptx_pack(d[2 * i], d[2 * i + 1]);
		c.x = tile.n * ROOM::block_n;
		c.y = y;
#if defined(TS_GROUPS)
		h = find_work(word);
		c.x += min(h.rows - y, (uint32_t)BOX) - 1;
		c.y += h.row;
#endif
		c.there = true;
	}
	store(a, r, half, c);
	ptx_copy_out_wait<0>();
}

/* All threads of the cluster, and what they wrote to shared memory. */
TS_GPU void meet(const struct place *at)
{
	__syncwarp();
	if (at->cluster_m * at->cluster_n > 1)
		gpu_cluster_sync();
	else
		gpu_sync();
}

/* Grid: a cluster of (cluster_m, cluster_n) CTAs for each worker, along x. */
template <class ROOM> TS_GPU void gemm(const struct ts_gemm_args *a)
{
	extern __shared__ __align__(1024) char shared[];
	ROOM *r = (ROOM *)shared;
	struct place at = find_place(&a->plan);
	uint32_t thread = gpu_thread(), id = gpu_cluster();
	struct ts_worker w = ts_worker_make(id, id % a->plan.domains);
	struct handed first = {0, 0, 0, 0, 0, 0, 0, 0};

	static_assert(sizeof(ROOM) <= TS_GEMM_SHARED, "shared memory");
	if (thread == 0) {
		set_up(r, &at);
		ptx_copy_prepare(&a->a);
		ptx_copy_prepare(&a->b);
		ptx_copy_prepare(&a->c);
	} else if (ASKS_EARLY && thread == 32 && at.rank == 0) {
		first = ask(a, &w);
	}
	meet(&at);
	if (thread < 128) {
		ptx_registers_less<FEWER>();
		if (thread == 0)
			load(a, r, &at);
		else if (thread == 32 && at.rank == 0)
			schedule(a, r, &at, w, first);
	} else {
		ptx_registers_more<MORE>();
		multiply(a, r, &at, thread / 128 - 1);
	}
	/* A CTA that left could not be written to any more, nor told that a stage is free. */
	if (at.cluster_m * at.cluster_n > 1)
		meet(&at);
}

/* The kernel of a width, with so many stages, and boxes of C for each warpgroup. */
#if defined(TS_GROUPS)
#define KERNEL(block_n, stages, outputs)                                                           \
	TS_KERNEL(ts_gemm_groups_##block_n, struct ts_gemm_args, TS_GEMM_THREADS)                  \
	{                                                                                          \
		gemm<struct room<block_n, stages, outputs>>(&args);                                \
	}
#else
#define KERNEL(block_n, stages, outputs)                                                           \
	TS_KERNEL(ts_gemm_##block_n, struct ts_gemm_args, TS_GEMM_THREADS)                         \
	{                                                                                          \
		gemm<struct room<block_n, stages, outputs>>(&args);                                \
	}
#endif
KERNEL(256, 4, 2)
KERNEL(192, 5, 1)
KERNEL(128, 6, 2)
KERNEL(64, 8, 1)
