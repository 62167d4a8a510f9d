/* kernels/mma.h on the CPU: the lanes of a warp meet, and the last one carries out the instruction
 * for all of them, by the layouts of kernels/mma_isa.h. */
#ifndef TS_MMA_CPU_H
#define TS_MMA_CPU_H

#include "kernels/mma_soft.h"

#if defined(TS_MMA_AS_SM80)

TS_GPU void mma_set(struct mma_fragment *f, uint32_t i, uint16_t value)
{
	uint32_t shift = i % 2 * 16;
	uint32_t *w = &f->part[0].w[i / 2];

	*w = (*w & 0xffff0000u >> shift) | (uint32_t)value << shift;
}

TS_GPU void mma_load_a(struct mma_fragment *f, const uint16_t *tile, uint32_t row, uint32_t k)
{
	for (uint32_t i = 0; i < MMA_AB; i++) {
		struct mma_element e = mma_element_a(MMA_SM80, gpu_lane(), i);

		mma_set(f, i, TS_READ(tile + mma_at_k(row + e.across, k + e.along)));
	}
}

TS_GPU void mma_load_b(struct mma_fragment *f, const uint16_t *tile, uint32_t col, uint32_t k,
	enum ts_mma_layout layout, uint32_t block_n)
{
	for (uint32_t i = 0; i < MMA_AB; i++) {
		struct mma_element e = mma_element_b(MMA_SM80, gpu_lane(), i % 4);
		uint32_t n = col + e.across + i / 4 * 8, at = k + e.along;

		mma_set(f, i,
			TS_READ(tile +
				(layout == TS_MMA_ALONG_K ? mma_at_k(n, at)
							  : mma_at_n(at, n, block_n))));
	}
}

#endif

/* What a lane brings to a step. */
struct mma_part {
	float (*c)[MMA_C];
	const struct mma_fragment *a, *b;
	uint32_t tiles_m, tiles_n;
	enum ts_mma_type type;
};

/* Where in a fragment the elements of an instruction begin. */
static inline const uint16_t *mma_elements(const struct mma_fragment *f, uint32_t instruction)
{
	uint32_t each = MMA_AB / (MMA_BESIDE * MMA_AFTER);

	return (const uint16_t *)(const void *)f + instruction * each;
}

/* The operand of one instruction out of all lanes' registers. */
static inline void mma_take(
	struct mma_operand *to, void *const *lanes, bool is_b, uint32_t tile, uint32_t instruction)
{
	const uint16_t *of[MMA_LANES];

	for (uint32_t lane = 0; lane < MMA_LANES; lane++) {
		const struct mma_part *p = (const struct mma_part *)lanes[lane];

		of[lane] = is_b ? mma_elements(&p->b[tile], instruction)
				: mma_elements(&p->a[tile], MMA_BESIDE == 2 ? 0 : instruction);
	}
	mma_soft_gather((enum mma_isa)MMA_ISA, is_b,
		((const struct mma_part *)lanes[0])->type == TS_MMA_FP16, of, to);
}

static inline void mma_whole(void *const *lanes, uint32_t count)
{
	const struct mma_part *first = (const struct mma_part *)lanes[0];
	struct mma_operand a[TS_MMA_LARGE / MMA_M], b;
	float *c[MMA_LANES];

	(void)count; /* a CTA has whole warps */
	for (uint32_t s = 0; s < MMA_BESIDE * MMA_AFTER; s++) {
		for (uint32_t i = 0; i < first->tiles_m; i++)
			mma_take(&a[i], lanes, false, i, s);
		for (uint32_t j = 0; j < first->tiles_n; j++) {
			mma_take(&b, lanes, true, j, s);
			for (uint32_t i = 0; i < first->tiles_m; i++) {
				for (uint32_t lane = 0; lane < MMA_LANES; lane++)
					c[lane] = ((const struct mma_part *)lanes[lane])
							  ->c[i * first->tiles_n + j] +
						(MMA_BESIDE == 2 ? s * 4 : 0);
				mma_soft_multiply((enum mma_isa)MMA_ISA, &a[i], &b, c);
			}
		}
	}
}

/* A macro: whoever waits for a warp is told where. */
#define mma_step(c, a, b, tiles_m, tiles_n, type)                                                  \
	do {                                                                                       \
		struct mma_part part = {(c), (a), (b), (tiles_m), (tiles_n), (type)};              \
		cpu_together(mma_whole, &part, MMA_LANES, CPU_HERE);                               \
	} while (0)

TS_GPU uint16_t mma_round(float value, enum ts_mma_type type)
{
	return mma_soft_round(value, type == TS_MMA_FP16);
}

#endif
