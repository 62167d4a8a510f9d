/* How long the GEMM takes, and cuBLAS beside it. */
#ifndef TS_GEMM_TIME_H
#define TS_GEMM_TIME_H

#include "kernels/cublas.h"
#include "kernels/gemm.h"

struct ts_gemm_times {
	double median_ms, least_ms, most_ms;
	double clock_mhz; /* of an SM between the launches; 0 where it can't be measured */
};

enum { TS_GEMM_REPEAT_MAX = 10000 };

/* Times `repeat` launches, 1 to TS_GEMM_REPEAT_MAX, of a prepared plan by events, after some to
 * warm up; the counters' reset is not in the times, the copies of odd sizes are. Where `b` is not
 * NULL its fastest algorithm runs after each of them, and C's reference is overwritten; of groups
 * that are one call for each that has rows, each with the algorithm that is fastest for its size.
 */
bool ts_gemm_time(struct ts_gemm *g, const struct ts_plan *plan, uint32_t repeat,
	struct ts_cublas *b, struct ts_gemm_times *ret_ours, struct ts_gemm_times *ret_theirs,
	GError **error);

#endif
