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

/* Cycles after which the others are taken to be late; and what a part adds to the flag. */
enum { PATIENCE = 1 << 15 };
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

/* The slot of part number `part` of a tile with that counter. That of its owner, the last one,
 * which the policy gives none, is behind all others. */
TS_GPU uint32_t find_slot(const struct ts_gemm_args *a, uint32_t counter, uint32_t part)
{
	uint32_t given = a->plan.splits.by - 1;

	return part < given ? counter * given + part : a->plan.workspace + counter;
}

/* Adds share `share` of this half of the tile, and stores it. Units are what a warp has in a group
 * of columns: 16 rows of 8. The stages have room for those of all parts. */
template <class ROOM, int SUMS>
TS_GPU void add_share(const struct ts_gemm_args *a, ROOM *r, const struct place *at,
	uint32_t counter, uint32_t half, uint32_t share, uint32_t parity, uint32_t x, uint32_t y)
{
	enum {
		UNIT = 16 * 8 * sizeof(float),
		ROOM_BYTES = (sizeof r->a + sizeof r->b) / ROOM::halves
	};
	uint32_t parts = a->plan.splits.by, thread = ptx_thread() % 128;
	uint32_t first = share * SUMS / parts, units = (share + 1) * SUMS / parts - first;
	char *room = (char *)r->a + half * ROOM_BYTES;
	uint64_t *brought = &r->brought[half];

	static_assert(
		(SUMS + TS_GEMM_SHARES) * UNIT <= ROOM_BYTES, "room for a share of all parts");
	static_assert(TS_GEMM_SHARES <= SUMS, "a unit for each");
	if (thread < 32) {
		if (thread == 0)
			ptx_barrier_expect(brought, parts * units * UNIT);
		__syncwarp();
		ptx_fence_all_copies();
		for (uint32_t part = thread; part < parts; part += 32) {
			uint64_t slot = (uint64_t)find_slot(a, counter, part) *
					(at->cluster_m * at->cluster_n) +
				at->rank;
			const float *from =
				a->workspace + (ROOM::halves * slot + half) * (BOX * ROOM::block_n);

			ptx_copy_bytes(brought, room + part * units * UNIT,
				(const char *)from + first * UNIT, units * UNIT);
		}
	}
	ptx_barrier_wait(brought, parity);
#pragma unroll 1
	for (uint32_t i = thread; i < units * 32; i += 128) {
		uint32_t unit = first + i / 32, lane = i % 32;
		uint32_t row = y + unit % 4 * 16 + lane / 4, col = x + unit / 4 * 8 + lane % 4 * 2;
		const float4 *from = (const float4 *)room + i;
		float4 sum = *from;
		uint16_t *to = a->c_rows + (uint64_t)row * a->ldc + col;

#pragma unroll 4
		for (uint32_t part = 1; part < parts; part++) {
			float4 v = from[part * units * 32];

			sum = {sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w};
		}
		if (col < a->plan.n && row < a->plan.m)
			*(uint32_t *)to = ptx_pack<typename ROOM::type>(sum.x, sum.y);
		if (col < a->plan.n && row + 8 < a->plan.m)
			*(uint32_t *)(to + 8 * a->ldc) =
				ptx_pack<typename ROOM::type>(sum.z, sum.w);
	}
}

/* What a warpgroup does with its sums, of the tile at (x, y): true, since they are not those of C.
 */
template <class ROOM, int SUMS>
TS_GPU bool join(const struct ts_gemm_args *a, ROOM *r, const struct place *at,
	const struct handed *h, uint32_t x, uint32_t y, uint32_t counter, uint32_t half,
	float (&d)[SUMS])
{
	uint32_t parts = a->plan.splits.by, thread = ptx_thread() % 128, parity = 0;
	struct shares shares;

	give<ROOM>(a, at, h->owns ? find_slot(a, counter, parts - 1) : h->slot, half, d);
	/* What this warpgroup wrote is there, and the other one is done with the stages too. */
	ptx_sync(3, 256);
	if (thread == 0)
		r->shares[half] = meet(find_flag(a, at, counter, half), parts);
	ptx_sync(1 + half, 128);
	shares = r->shares[half];
	while (shares.own != NOBODY) {
		add_share<ROOM, SUMS>(a, r, at, counter, half, shares.own, parity, x, y);
		shares.own = shares.left == 0 ? NOBODY : (uint32_t)__ffs((int)shares.left) - 1;
		shares.left &= shares.left - 1;
		parity ^= 1;
		/* All have read what is overwritten then. */
		ptx_sync(1 + half, 128);
	}
	return true;
}

/* The same without sums; nobody waits for them. */
TS_GPU void join_without(const struct ts_gemm_args *a, const struct place *at,
	const struct handed *, bool there, uint32_t counter, uint32_t half)
{
	ptx_sync(3, 256);
	if (there)
		tell(a, at, counter, half);
}

#endif
