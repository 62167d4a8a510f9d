/* A run of the GEMM in which the host asks for the CUs of domains while it goes on. */
#ifndef TS_GEMM_RELEASE_H
#define TS_GEMM_RELEASE_H

#include "kernels/gemm.h"

/* When a domain is asked for: so many percent of the items begun, or so long after the first. */
struct ts_release_when {
	bool wanted;
	bool by_time;
	double at; /* percent, or us */
};

/* What became of a domain. Times are in ns by the host's clock, from the first item that it heard
 * of. */
struct ts_released {
	bool asked;
	uint64_t asked_ns;
	uint64_t left_ns; /* its last worker */
	uint32_t workers,
		as_asked;     /* that it had, and those of them that left since they were asked */
	uint32_t items_after; /* begun by them after the request, in all and at most by one of them
			       */
	uint32_t most_after;
};

struct ts_release {
	uint32_t domains;
	struct ts_released *released; /* for each domain */
	uint64_t end_ns;              /* the last worker of all */
	uint64_t items;
};

/* Launches a prepared plan; `when` is for each domain. Watches on a thread of its own. False where
 * the GPU failed. */
bool ts_gemm_release(struct ts_gemm *g, const struct ts_plan *plan,
	const struct ts_release_when *when, struct ts_release *ret_release, GError **error);
void ts_release_finish(struct ts_release *r);

#endif
