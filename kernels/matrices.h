/* What the kernels on matrices take, for them and for their host. Elements are 16 bits wide. */
#ifndef TS_MATRICES_H
#define TS_MATRICES_H

#include "kernels/mma_args.h"

enum {
	TS_MATRIX_THREADS = 256,
	TS_MATRIX_SIDE = 64 /* of the block of C that a CTA of ts_reference computes */
};

/* ts_random: rows of random elements, `ld` apart; what is between them stays as it is. */
struct ts_random_args {
	uint16_t *to;
	uint64_t ld, seed;
	uint32_t rows, cols;
	enum ts_mma_type type;
};

/* ts_restride: copies rows between arrays of these row strides. */
struct ts_restride_args {
	uint16_t *to;
	const uint16_t *from;
	uint64_t to_ld, from_ld;
	uint32_t rows, cols;
};

/* ts_reference: c = A B in float64, rounded to fp32, rows of c without gaps. B's element (k, n) is
 * at k * b_k + n * b_n. */
struct ts_reference_args {
	float *c;
	const uint16_t *a, *b;
	uint64_t lda, b_k, b_n;
	uint32_t m, n, k;
	enum ts_mma_type type;
};

/* ts_clock: writes how many cycles of an SM passed in `ns` ns or a little more, and how many ns. */
struct ts_clock_args {
	uint64_t *to; /* two of them */
	uint64_t ns;
};

#endif
