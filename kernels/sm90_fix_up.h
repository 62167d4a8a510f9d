/* How the parts of a tile become one in the GEMM for Hopper: its owner adds those of the others. */
#ifndef TS_SM90_FIX_UP_H
#define TS_SM90_FIX_UP_H

#include "kernels/sm90_sums.h"

/* A group of this thread's sums in a slot. */
template <int COUNT> TS_GPU void read_sums(const float *from, int group, float (&v)[COUNT])
{
#pragma unroll
	for (int i = 0; i < COUNT / 4; i++)
		ptx_read_4(from + (group * (COUNT / 4) + i) * 512, &v[4 * i]);
}

/* The owner adds the parts of the others, in the order of their slots. So many loads are always in
 * flight, those of the next part too. */
template <class ROOM, int SUMS>
TS_GPU void fix_up(const struct ts_gemm_args *a, const struct place *at, const struct handed *h,
	uint32_t counter, uint32_t half, float (&d)[SUMS])
{
	enum {
		/* Loads that are waited for together: fewer where registers are short. */
		GROUP = SUMS > 96 && MORE < 224 ? 4 : 8,
		GROUPS = SUMS / 4 / GROUP, /* of a part */
		FLYING = GROUPS == 1  ? 4
			: GROUPS == 3 ? 3
				      : 2,
		TURN = FLYING > GROUPS ? FLYING : GROUPS
	};
	const uint32_t slot = at->cluster_m * at->cluster_n * ROOM::block_m * ROOM::block_n;
	const float *from = find_sums<ROOM>(a, at, h->slot, half);
	float next[FLYING][4 * GROUP];

	if (gpu_thread() % 128 == 0 && counter != NOBODY)
		while (gpu_acquire(find_flag(a, at, counter, half)) < h->parts)
			ptx_pause();
	ptx_sync(1 + half, 128);
#pragma unroll
	for (int i = 0; i < FLYING; i++)
		if ((uint32_t)i / GROUPS < h->parts)
			read_sums(from + i / GROUPS * slot, i % GROUPS, next[i]);
#pragma unroll 1
	for (uint32_t part = 0; part < h->parts; part += TURN / GROUPS) {
#pragma unroll
		for (int i = 0; i < TURN; i++) {
			int then = i + FLYING;

			if (part + (uint32_t)i / GROUPS >= h->parts)
				continue;
#pragma unroll
			for (int j = 0; j < 4 * GROUP; j++)
				d[i % GROUPS * 4 * GROUP + j] += next[i % FLYING][j];
			if (part + (uint32_t)then / GROUPS < h->parts)
				read_sums(from + then / GROUPS * slot, then % GROUPS,
					next[i % FLYING]);
		}
		from += TURN / GROUPS * slot;
	}
}

/* What a warpgroup does with the sums of an item that others share; true where they are not those
 * of C then. */
template <class ROOM, int SUMS>
TS_GPU bool join(const struct ts_gemm_args *a, ROOM *, const struct place *at,
	const struct handed *h, uint32_t, uint32_t, uint32_t counter, uint32_t half,
	float (&d)[SUMS])
{
	if (is_part(h)) {
		give<ROOM>(a, at, h->slot, half, d);
		tell(a, at, counter, half);
		return true;
	}
	if (has_parts(h))
		fix_up<ROOM>(a, at, h, counter, half, d);
	return false;
}

/* The same without sums, of a tile that is there or not. */
TS_GPU void join_without(const struct ts_gemm_args *a, const struct place *at,
	const struct handed *h, bool there, uint32_t counter, uint32_t half)
{
	if (there && is_part(h))
		tell(a, at, counter, half);
}

#endif
