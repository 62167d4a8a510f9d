/* How long the GEMM takes, and cuBLAS beside it. */
#ifndef TS_GEMM_TIME_H
#define TS_GEMM_TIME_H

#include "kernels/cublas.h"
#include "kernels/gemm.h"
#include "kernels/gemm_series.h"

enum { TS_GEMM_REPEAT_MAX = 10000 };

/* Times a round of `launches`, 1 to TS_GEMM_REPEAT_MAX, of a prepared plan by events, after some to
 * warm both up, and adds it to `ours`; the counters' reset is not in the times, the copies of odd
 * sizes are. Where `b` is not NULL its fastest algorithm runs after each of them, for `theirs`, and
 * C's reference is overwritten; of groups that are one call for each that has rows, each with the
 * algorithm that is fastest for its size. */
bool ts_gemm_time(struct ts_gemm *g, const struct ts_plan *plan, uint32_t launches,
	struct ts_cublas *b, struct ts_gemm_series *ours, struct ts_gemm_series *theirs,
	GError **error);

#endif
