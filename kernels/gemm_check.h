/* Is what the GEMM left in memory the product, and nothing else? */
#ifndef TS_GEMM_CHECK_H
#define TS_GEMM_CHECK_H

#include "kernels/gemm.h"

enum ts_gemm_effort {
	TS_GEMM_FULL,  /* every element */
	TS_GEMM_SAMPLE /* all of a small problem; else the edges of tiles and a few lines more */
};

struct ts_gemm_verdict {
	bool sound;
	char *fault;      /* the first one, in a sentence; NULL where sound. Free with g_free(). */
	uint64_t checked; /* elements of C */
	uint64_t on_host; /* of those, by float64 sums on the host; the others' are the GPU's */
	double error;     /* |C - reference| / |reference|, over those elements */
	double worst;     /* the largest error of one as a share of what is allowed; <= 1 */
};

/* Checks memory after one launch of a prepared plan: guards, the counters' last values, the
 * kernel's own complaint, and elements of C. An element may be off by half a unit of its type and
 * by what sums of K products in fp32 may lose. `asked` tells of each domain of the plan whether its
 * workers were asked to leave; NULL: none was. False where the GPU failed. */
bool ts_gemm_check(struct ts_gemm *g, const struct ts_plan *plan, const bool *asked,
	enum ts_gemm_effort effort, struct ts_gemm_verdict *ret_verdict, GError **error);

#endif
