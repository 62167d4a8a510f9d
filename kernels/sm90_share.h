/* How the parts of a tile become one in the GEMM for Hopper where all of its workers are there at
 * once (ts_gemm_is_shared()): each leaves its sums, waits until all are there, and adds a share of
 * the tile, in the order of k. An owner alone would have to read all parts through one SM.
 *
 * That they are there at once is for speed only: who has waited for long leaves, and the last one
 * to come adds the shares of those that left. A tile half's flag is one word of 64 bits: how many
 * parts are there in its upper half, and in its lower one a bit for each share that was left. */
#ifndef TS_SM90_SHARE_H
#define TS_SM90_SHARE_H

#include "kernels/sm90_sums.h"

/* Cycles after which the others are taken to be late: more than twice as many as parts of a tile
 * come apart on an H200. And what a part adds to the flag. */
enum { PATIENCE = 1 << 13 };
static const uint64_t A_PART = (uint64_t)1 << 32;

/* One thread says that a part is there, and waits for the others. Shares are in the order in which
 * parts come. */
TS_GPU struct shares meet(uint32_t *flag, uint32_t parts)
{
	uint64_t *word = (uint64_t *)(flag - 1);
	uint64_t before = ptx_add_64(word, A_PART);
	uint32_t own = (uint32_t)(before >> 32);
	long long since = clock64();

	if (own == parts - 1)
		return {own, (uint32_t)before};
	while ((uint32_t)(ptx_acquire_64(word) >> 32) < parts) {
		if (clock64() - since < PATIENCE)
			continue;
		/* Who comes last sees the bit, unless all are there by now. */
		before = ptx_or_64(word, (uint64_t)1 << own);
		return {(uint32_t)(before >> 32) < parts ? NOBODY : own, 0};
	}
	return {own, 0};
}

/* What a share is of: this warpgroup's half of a tile, at (x, y) in C, its sums in the first part
 * of the tile, and how many floats later those in the next one are. */
struct parts {
	uint32_t x, y;
	const float *sums;
	uint64_t stride;
};

/* Of a unit's sums this thread has two of a row and two of the row 8 below. */
template <class ROOM>
TS_GPU void store_unit(
	const struct ts_gemm_args *a, const struct parts *of, uint32_t unit, float4 sum)
{
	uint32_t lane = ptx_thread() % 32;
	uint32_t row = of->y + unit % 4 * 16 + lane / 4, col = of->x + unit / 4 * 8 + lane % 4 * 2;
	uint16_t *to = a->c_rows + (uint64_t)row * a->ldc + col;

	if (col < a->plan.n && row < a->plan.m)
		*(uint32_t *)to = ptx_pack<typename ROOM::type>(sum.x, sum.y);
	if (col < a->plan.n && row + 8 < a->plan.m)
		*(uint32_t *)(to + 8 * a->ldc) = ptx_pack<typename ROOM::type>(sum.z, sum.w);
}

/* Adds this warp's units from `first` on below `end`, and stores them: UNITS of them and PARTS of
 * their parts at a time, for which loads are in flight together. */
template <class ROOM, int UNITS, int PARTS>
TS_GPU void add_units(
	const struct ts_gemm_args *a, const struct parts *of, uint32_t first, uint32_t end)
{
	enum { STEP = 4 }; /* the warps take turns */
	uint32_t parts = a->plan.splits.by;

#pragma unroll 1
	for (; first < end; first += UNITS * STEP) {
		const float *from = of->sums + first * 128 + ptx_thread() % 32 * 4;
		float4 sums[UNITS] = {};

#pragma unroll 1
		for (uint32_t part = 0; part < parts; part += PARTS) {
			float v[PARTS][UNITS][4] = {};

#pragma unroll
			for (int p = 0; p < PARTS; p++) {
				/* No multiples of the stride are kept. */
				asm volatile("" : "+l"(from));
#pragma unroll
				for (int u = 0; u < UNITS; u++)
					if (part + p < parts && first + u * STEP < end)
						ptx_read_4(from + u * STEP * 128, v[p][u]);
				from += of->stride;
			}
#pragma unroll
			for (int i = 0; i < PARTS * UNITS; i++) {
				const float *w = v[i / UNITS][i % UNITS];
				float4 *sum = &sums[i % UNITS];

				*sum = {sum->x + w[0], sum->y + w[1], sum->z + w[2], sum->w + w[3]};
			}
		}
#pragma unroll
		for (int u = 0; u < UNITS; u++)
			if (first + u * STEP < end)
				store_unit<ROOM>(a, of, first + u * STEP, sums[u]);
	}
}

/* Adds a share of this half of the tile: units are what a warp has in a group of columns, 16 rows
 * of 8, and its four warps take turns. */
template <class ROOM, int SUMS>
TS_GPU void add_share(const struct ts_gemm_args *a, const struct parts *of, uint32_t share)
{
	uint32_t parts = a->plan.splits.by;
	uint32_t first = share * SUMS / parts + ptx_thread() % 128 / 32;
	uint32_t end = (share + 1) * SUMS / parts;

	static_assert(TS_GEMM_SHARES <= SUMS, "a unit for each");
	if (parts <= 4)
		add_units<ROOM, 4, 4>(a, of, first, end);
	else if (parts <= 8)
		add_units<ROOM, 2, 8>(a, of, first, end);
	else
		add_units<ROOM, 1, 16>(a, of, first, end);
}

/* What a warpgroup does with its sums, of the tile at (x, y): true, since they are not those of C.
 */
template <class ROOM, int SUMS>
TS_GPU bool join(const struct ts_gemm_args *a, ROOM *r, const struct place *at,
	const struct handed *h, uint32_t x, uint32_t y, uint32_t counter, uint32_t half,
	float (&d)[SUMS])
{
	const uint32_t parts = a->plan.splits.by, first = counter * parts;
	const uint32_t ranks = at->cluster_m * at->cluster_n;
	const struct parts of = {x, y, find_half<ROOM>(a, at, first, half),
		(uint64_t)ranks * ROOM::block_m * ROOM::block_n};
	struct shares shares;

	/* The policy gives the owner, who is the last one, no slot. */
	give<ROOM>(a, at, first + (h->owns ? parts - 1 : h->slot - counter * (parts - 1)), half, d);
	/* Their registers are free from here on. */
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		d[i] = 0;
	ptx_sync(1 + half, 128);
	if (ptx_thread() % 128 == 0)
		r->shares[half] = meet(find_flag(a, at, counter, half), parts);
	ptx_sync(1 + half, 128);
	shares = r->shares[half];
	while (shares.own != NOBODY) {
		add_share<ROOM, SUMS>(a, &of, shares.own);
		shares.own = shares.left == 0 ? NOBODY : (uint32_t)__ffs((int)shares.left) - 1;
		shares.left &= shares.left - 1;
	}
	return true;
}

/* The same without sums; nobody waits for them, nor does anyone else add to their flag. */
TS_GPU void join_without(const struct ts_gemm_args *a, const struct place *at,
	const struct handed *, bool there, uint32_t counter, uint32_t half)
{
	if (there)
		tell(a, at, counter, half);
}

#endif
