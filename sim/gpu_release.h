/* The parts of `tilesim gpu release`. */
#ifndef TS_GPU_RELEASE_H
#define TS_GPU_RELEASE_H

#include "kernels/gemm_release.h"
#include "sim/gpu_gemm.h"

/* One run in which domains were released, to be reported. */
struct ts_gpu_release {
	struct ts_gpu_gemm *gemm;
	struct ts_plan plan;
	struct ts_release_when *when; /* for each of its domains */
	struct ts_release run;
	uint64_t plain_ns; /* the same without a request */
	struct ts_gemm_verdict verdict;
};

/* Items that a worker may begin after the host has asked it to leave: the one that it was claiming,
 * and one more until the request gets there. */
enum { TS_RELEASE_AFTER_MAX = 2 };

/* Launches the plan, first without a request, then with those of `when`, and checks product,
 * records and what the workers told: everything is in the verdict. False where the GPU failed. */
bool ts_gpu_release_run(struct ts_gpu_release *r, GError **error);
void ts_gpu_release_finish(struct ts_gpu_release *r);

/* In text or JSON. Free with g_free(). */
char *ts_gpu_release_report(const struct ts_gpu_release *r, const char *command);

#endif
