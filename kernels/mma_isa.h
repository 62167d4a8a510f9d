/* Matrix instructions, and which lane of a warp has which element in which of its registers.
 *
 * Each multiplies D[m,n] = A[m,k] B[k,n] + C[m,n] for one warp (wave), 16 bit operands, fp32 sums.
 * Where the layouts come from:
 *   sm_80        NVIDIA, "PTX ISA", section "Matrix Fragments for mma.m16n8k16 with floating point
 *                type"
 *   gfx90a, ...  AMD, "CDNA3 Instruction Set Architecture" (MI300), chapter "Matrix Arithmetic
 *                Instructions", and ROCm's Matrix Instruction Calculator:
 * V_MFMA_F32_32X32X8_BF16_1K and _F16, and V_MFMA_F32_32X32X16_BF16 and _F16 of CDNA4 gfx1100 AMD,
 * "RDNA3 Instruction Set Architecture", section "Wave Matrix Multiply Accumulate", and GPUOpen,
 * "How to accelerate AI applications on RDNA 3 using WMMA": V_WMMA_F32_16X16X16_BF16 and _F16 of a
 * wave of 32 gfx1200      AMD, "RDNA4 Instruction Set Architecture", and GPUOpen, "Using the Matrix
 * Cores of AMD RDNA 4 architecture GPUs": the same, without RDNA3's duplicates */
#ifndef TS_MMA_ISA_H
#define TS_MMA_ISA_H

#include "policies/policy.h"

enum mma_isa {
	MMA_SM80,
	MMA_GFX90A, /* and gfx942 */
	MMA_GFX950,
	MMA_GFX1100,
	MMA_GFX1200,
	MMA_ISAS
};

/* Rows, columns and depth of the product; lanes of the warp; elements that each of them has. */
struct mma_shape {
	uint32_t m, n, k, lanes;
	uint32_t a, b, c;
};

/* An element: `across` is its row in A, its column in B; `along` is its place along K. Of C they
 * are row and column. */
struct mma_element {
	uint32_t across, along;
};

static inline TS_HD struct mma_shape mma_shape_make(
	uint32_t m, uint32_t n, uint32_t k, uint32_t lanes, uint32_t duplicates)
{
	struct mma_shape s;

	s.m = m;
	s.n = n;
	s.k = k;
	s.lanes = lanes;
	s.a = m * k * duplicates / lanes;
	s.b = n * k * duplicates / lanes;
	s.c = m * n / lanes;
	return s;
}

static inline TS_HD struct mma_shape mma_shape(enum mma_isa isa)
{
	switch (isa) {
	case MMA_SM80: return mma_shape_make(16, 8, 16, 32, 1);
	case MMA_GFX90A: return mma_shape_make(32, 32, 8, 64, 1);
	case MMA_GFX950: return mma_shape_make(32, 32, 16, 64, 1);
	case MMA_GFX1100: return mma_shape_make(16, 16, 16, 32, 2);
	case MMA_GFX1200: return mma_shape_make(16, 16, 16, 32, 1);
	case MMA_ISAS: break;
	}
	return mma_shape_make(0, 0, 0, 1, 0);
}

static inline TS_HD struct mma_element mma_element_make(uint32_t across, uint32_t along)
{
	struct mma_element e;

	e.across = across;
	e.along = along;
	return e;
}

/* The element of A that is number `i` of the lane, 0 <= i < mma_shape(isa).a. Two share a 32 bit
 * register, the even one in its lower half. */
static inline TS_HD struct mma_element mma_element_a(enum mma_isa isa, uint32_t lane, uint32_t i)
{
	switch (isa) {
	case MMA_SM80:
		return mma_element_make(lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8);
	case MMA_GFX90A: return mma_element_make(lane % 32, lane / 32 * 4 + i);
	case MMA_GFX950: return mma_element_make(lane % 32, lane / 32 * 8 + i);
	case MMA_GFX1100: return mma_element_make(lane % 16, i);
	case MMA_GFX1200: return mma_element_make(lane % 16, lane / 16 * 8 + i);
	case MMA_ISAS: break;
	}
	return mma_element_make(0, 0);
}

/* The same for B, 0 <= i < mma_shape(isa).b. */
static inline TS_HD struct mma_element mma_element_b(enum mma_isa isa, uint32_t lane, uint32_t i)
{
	/* AMD's are those of A, transposed. */
	if (isa != MMA_SM80)
		return mma_element_a(isa, lane, i);
	return mma_element_make(lane / 4, lane % 4 * 2 + i % 2 + i / 2 * 8);
}

/* Row and column of the lane's sum number `i`, 0 <= i < mma_shape(isa).c. */
static inline TS_HD struct mma_element mma_element_c(enum mma_isa isa, uint32_t lane, uint32_t i)
{
	switch (isa) {
	case MMA_SM80: return mma_element_make(lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2);
	case MMA_GFX90A:
	case MMA_GFX950: return mma_element_make(i / 4 * 8 + lane / 32 * 4 + i % 4, lane % 32);
	case MMA_GFX1100: return mma_element_make(i * 2 + lane / 16, lane % 16);
	case MMA_GFX1200: return mma_element_make(lane / 16 * 8 + i, lane % 16);
	case MMA_ISAS: break;
	}
	return mma_element_make(0, 0);
}

#endif
