/* The matrix instructions of kernels/mma_isa.h in software, exact to one rounding of each sum. */
#ifndef TS_MMA_SOFT_H
#define TS_MMA_SOFT_H

#include <stdbool.h>

#include "kernels/mma_isa.h"

enum { MMA_SIDE_MAX = 32, MMA_DEPTH_MAX = 16 };

/* A, or B transposed: `across` first. */
struct mma_operand {
	double at[MMA_SIDE_MAX][MMA_DEPTH_MAX];
};

/* bf16, or IEEE half precision, as a number. */
double mma_soft_widen(uint16_t bits, bool half);

/* To nearest, ties to even; NaN stays one. */
uint16_t mma_soft_round(float value, bool half);

/* The operand that the lanes have in their registers: lanes[lane] are their elements. Where an
 * element is in two lanes that differ, which the instruction set forbids, it is NaN. */
void mma_soft_gather(enum mma_isa isa, bool is_b, bool half, const uint16_t *const *lanes,
	struct mma_operand *ret);

/* c += A B, where c[lane] are the lane's sums. */
void mma_soft_multiply(enum mma_isa isa, const struct mma_operand *a, const struct mma_operand *b,
	float *const *c);

#endif
