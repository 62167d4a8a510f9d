/* The vendor's GEMM on the same matrices, to measure against: cublasLt, which is opened when the
 * program runs and needs no header to build. */
#ifndef TS_CUBLAS_H
#define TS_CUBLAS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/mma_args.h"

struct ts_cublas;

/* After the GPU was opened, for problems of one type and layout of B; the workspace is its memory
 * at that address. NULL and an error, which says so where the library is not there. Free with
 * ts_cublas_free(). */
struct ts_cublas *ts_cublas_new(enum ts_mma_type type, enum ts_mma_layout layout,
	uint64_t workspace, uint64_t workspace_bytes, GError **error);
void ts_cublas_free(struct ts_cublas *b);

/* C[m,n] = A[m,k] B, sums in fp32, at these addresses; rows follow each other without gaps. */
struct ts_cublas_problem {
	uint32_t m, n, k;
	uint64_t a, b, c;
};

/* Forgets all problems, not what was chosen. */
void ts_cublas_clear(struct ts_cublas *b);

/* Adds a problem. It has the algorithm that was chosen for its size; where none was, the library is
 * asked for some, the best first by its guess; at least one. Problems are numbered from 0 on. */
bool ts_cublas_add(struct ts_cublas *b, const struct ts_cublas_problem *p, uint32_t *ret_count,
	GError **error);
uint32_t ts_cublas_problems(const struct ts_cublas *b);

/* Leaves a problem, and all of its size that are added from now on, that one algorithm. */
void ts_cublas_choose(struct ts_cublas *b, uint32_t problem, uint32_t index);

/* Launches a problem with algorithm number `index` of its own. Doesn't wait. */
bool ts_cublas_start(struct ts_cublas *b, uint32_t problem, uint32_t index, GError **error);

#endif
