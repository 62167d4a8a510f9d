/* Where the sums of the GEMM for Hopper go: rounded to C, or to a slot of the workspace. */
#ifndef TS_SM90_SUMS_H
#define TS_SM90_SUMS_H

#include "kernels/ptx_multiply.h"
#include "kernels/sm90_room.h"

/* A warpgroup's half of a tile of C, rounded, and its first row and column: while it is on its way
 * out the next tile is multiplied. Of groups, how many of its rows are not the next one's is what
 * the column, a multiple of BOX, leaves room for: less one, in x % BOX. */
template <int PAIRS> struct rounded {
	uint32_t pairs[PAIRS];
	uint32_t x, y;
	bool there;
};

/* How many of its rows are there. */
template <int PAIRS>
TS_GPU uint32_t rows_of(const struct ts_gemm_args *a, const struct rounded<PAIRS> &c)
{
#if defined(TS_GROUPS)
	(void)a;
	return c.x % BOX + 1;
#else
	return min(a->plan.m - c.y, (uint32_t)BOX);
#endif
}

#if defined(TS_GROUPS)
/* The first `rows` rows of a box to C by a warpgroup, 16 bytes a thread. */
TS_GPU void store_rows(
	const struct ts_gemm_args *a, const uint16_t *box, uint32_t x, uint32_t y, uint32_t rows)
{
	uint32_t thread = ptx_thread() % 128, chunk = thread % 8, n = a->plan.n;
	uint32_t left = x + chunk * 8 < n ? n - x - chunk * 8 : 0;

#pragma unroll(1)
	for (uint32_t row = thread / 8; row < rows; row += 128 / 8) {
		const uint16_t *from = box + row * BOX + (chunk ^ row % 8) * 8;
		uint16_t *to = a->c_rows + (uint64_t)(y + row) * a->ldc + x + chunk * 8;

		if (left >= 8) {
			*(uint4 *)to = *(const uint4 *)from;
			continue;
		}
#pragma unroll 1
		for (uint32_t j = 0; j < left; j++)
			to[j] = from[j];
	}
}
#endif

/* One box of it to shared memory at that address, swizzled as the copy engine does it. */
template <int PAIRS>
TS_GPU void write_box(uint32_t address, const struct rounded<PAIRS> &c, int box)
{
	uint32_t thread = ptx_thread() % 128, lane = thread % 32;
	uint32_t row = thread / 32 * 16 + lane % 16; /* whose address this lane gives */

	address += row * 128 + (lane / 16 ^ row % 8) * 16;
#pragma unroll
	for (int i = 0; i < BOX / 16; i++) {
		const uint32_t *pairs = &c.pairs[(box * BOX + i * 16) / 4];

		ptx_store_matrices(
			address ^ (uint32_t)i * 32, pairs[0], pairs[1], pairs[2], pairs[3]);
	}
}

/* From there to C by the copy engine, which leaves out what is beyond the edge. */
TS_GPU void copy_box(const struct ts_gemm_args *a, const void *from, uint32_t x, uint32_t y)
{
	/* Some boxes of an edge tile are outside altogether. */
	if (x < a->plan.n)
		ptx_copy_out(&a->c, from, x, y);
}

/* Stores one box. */
template <class ROOM, int PAIRS>
TS_GPU void store_box(const struct ts_gemm_args *a, ROOM *r, uint32_t half,
	const struct rounded<PAIRS> &c, int box)
{
	uint16_t *to = r->c[half][box % ROOM::outputs];
	uint32_t x = c.x / BOX * BOX + (uint32_t)box * BOX;
	bool first = ptx_thread() % 128 == 0;

	if (first)
		ptx_copy_out_wait<ROOM::outputs - 1>();
	ptx_sync(1 + half, 128);
	write_box(ptx_shared(to), c, box);
	ptx_fence_copies();
	ptx_sync(1 + half, 128);
#if defined(TS_GROUPS)
	if (c.x % BOX != BOX - 1) {
		store_rows(a, to, x, c.y, rows_of(a, c));
		if (first)
			ptx_copy_out_group();
		return;
	}
#endif
	if (first) {
		copy_box(a, to, x, c.y);
		ptx_copy_out_group();
	}
}

/* What the copy engine still reads must stay. */
TS_GPU void stay_for_copies(void)
{
	if (ptx_thread() % 128 == 0)
		ptx_copy_out_wait<0>();
}

#if defined(TS_GROUPS)

/* Stores all boxes at the end, when the stages have room for them. */
template <class ROOM, int PAIRS>
TS_GPU void store_last(
	const struct ts_gemm_args *a, ROOM *r, uint32_t half, const struct rounded<PAIRS> &c)
{
	uint16_t *to = r->a[0] + half * ROOM::boxes * BOX * BOX;
	uint32_t x = c.x / BOX * BOX;
	bool first = ptx_thread() % 128 == 0;

	static_assert(sizeof r->a >= ROOM::halves * ROOM::boxes * sizeof r->c[0][0], "room");
	/* The other warpgroup may have been reading. */
	ptx_sync(3, 256);
	if (!c.there) {
		stay_for_copies();
		return;
	}
#pragma unroll
	for (int box = 0; box < ROOM::boxes; box++)
		write_box(ptx_shared(to + box * BOX * BOX), c, box);
	ptx_fence_copies();
	ptx_sync(1 + half, 128);
	if (rows_of(a, c) < BOX) {
#pragma unroll 1
		for (uint32_t box = 0; box < ROOM::boxes; box++)
			store_rows(a, to + box * BOX * BOX, x + box * BOX, c.y, rows_of(a, c));
	} else if (first) {
#pragma unroll
		for (int box = 0; box < ROOM::boxes; box++)
			copy_box(a, to + box * BOX * BOX, x + (uint32_t)box * BOX, c.y);
		ptx_copy_out_group();
	}
	stay_for_copies();
}

#else

/* Four words of each of the four lanes with a row, to a lane for each column: of lane i, word j
 * goes to lane j, where it is word i. */
TS_GPU void transpose(uint32_t (&v)[4])
{
	bool odd = ptx_thread() & 1, high = ptx_thread() & 2;
	uint32_t s = __shfl_xor_sync(0xffffffff, odd ? v[0] : v[1], 1);
	uint32_t t = __shfl_xor_sync(0xffffffff, odd ? v[2] : v[3], 1);

	v[0] = odd ? s : v[0];
	v[1] = odd ? v[1] : s;
	v[2] = odd ? t : v[2];
	v[3] = odd ? v[3] : t;
	s = __shfl_xor_sync(0xffffffff, high ? v[0] : v[2], 2);
	t = __shfl_xor_sync(0xffffffff, high ? v[1] : v[3], 2);
	v[0] = high ? s : v[0];
	v[1] = high ? t : v[1];
	v[2] = high ? v[2] : s;
	v[3] = high ? v[3] : t;
}

/* Stores it at the end: by the threads and from their registers, without a wait for the copy
 * engine, or for each other. Rows of C, or of its copy, have room for whole 16 bytes. */
template <class ROOM, int PAIRS>
TS_GPU void store_last(
	const struct ts_gemm_args *a, ROOM *, uint32_t, const struct rounded<PAIRS> &c)
{
	uint32_t thread = ptx_thread() % 128;
	uint32_t row = thread / 32 * 16 + thread % 32 / 4, x = c.x / BOX * BOX + thread % 4 * 8;
	uint32_t left = c.there && x < a->plan.n ? a->plan.n - x : 0, rows = rows_of(a, c);
	uint16_t *to = a->c_rows + (uint64_t)(c.y + row) * a->ldc + x;

#pragma unroll
	for (int i = 0; i < PAIRS / 4; i++) {
		/* Of 32 columns, the first 8 rows of the warp or the others. */
		int columns = i / 2 * 32, lower = i % 2;
		uint32_t v[4] = {c.pairs[columns / 4 + lower], c.pairs[columns / 4 + 2 + lower],
			c.pairs[columns / 4 + 4 + lower], c.pairs[columns / 4 + 6 + lower]};

		transpose(v);
		ptx_write_if((uint32_t)columns < left && row + lower * 8 < rows,
			to + lower * 8 * a->ldc + columns, v);
	}
	stay_for_copies();
}

#endif

/* The sums of a warpgroup in a slot: of each rank's share, the half that it has of the tile. */
template <class ROOM>
TS_GPU float *find_half(
	const struct ts_gemm_args *a, const struct place *at, uint32_t slot, uint32_t half)
{
	uint64_t share = (uint64_t)slot * (at->cluster_m * at->cluster_n) + at->rank;

	return a->workspace + (ROOM::halves * share + half) * (BOX * ROOM::block_n);
}

/* This thread's, 16 bytes at a time and 512 floats apart. */
template <class ROOM>
TS_GPU float *find_sums(
	const struct ts_gemm_args *a, const struct place *at, uint32_t slot, uint32_t half)
{
	return find_half<ROOM>(a, at, slot, half) + ptx_thread() % 128 * 4;
}

/* A counter of the plan is one word for each warpgroup of each rank, which only meets its like. */
TS_GPU uint32_t *find_flag(
	const struct ts_gemm_args *a, const struct place *at, uint32_t counter, uint32_t half)
{
	uint32_t ranks = at->cluster_m * at->cluster_n;

	return a->flags +
		(((uint64_t)counter * ranks + at->rank) * TS_GEMM_HALVES + half) * TS_GEMM_FLAG + 1;
}

/* A part is done, and its owner is told. */
TS_GPU void tell(
	const struct ts_gemm_args *a, const struct place *at, uint32_t counter, uint32_t half)
{
	ptx_sync(1 + half, 128);
	if (gpu_thread() % 128 == 0 && counter != NOBODY)
		gpu_signal(find_flag(a, at, counter, half), 1);
}

/* A part's sums go to its slot. */
template <class ROOM, int SUMS>
TS_GPU void give(const struct ts_gemm_args *a, const struct place *at, uint32_t slot, uint32_t half,
	const float (&d)[SUMS])
{
	float *to = find_sums<ROOM>(a, at, slot, half);

#pragma unroll
	for (int i = 0; i < SUMS / 4; i++)
		ptx_write_4(to + i * 512, d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]);
}

#endif
