/* Is what the probe kernel wrote down a run of its plan? Shares nothing with the simulator. */
#ifndef TS_GPU_CHECK_H
#define TS_GPU_CHECK_H

#include <glib.h>

#include "kernels/probe.h"

struct ts_gpu_verdict {
	bool sound;
	char *fault; /* the first one, in a sentence; NULL where sound. Free with g_free(). */
	uint64_t items, tiles, claims, signals;
};

/* Checks the memory after a launch of `plan` on a device of `units` SMs:
 *   guards and unused records are as before, and every used word was written;
 *   each worker did step by step what the policy answers here, given the same claims;
 *   each CTA's tile is that of ts_cta_tile(), and it stayed on one SM, in the order of time;
 *   each counter's claims got 0, 1, 2, ... once each, and it ends as what was added to it;
 *   every k iteration of every tile was computed once, by the verifier's rules.
 * `hardware_domain` is as the kernel was told. */
struct ts_gpu_verdict ts_gpu_check(const struct ts_plan *plan, const struct ts_probe_log *log,
	bool hardware_domain, uint32_t units);

/* The same of a launch during which workers were asked to leave: those of each domain whose word of
 * `asked` is true may be gone before their policy says so, but not with an item that they claimed.
 */
struct ts_gpu_verdict ts_gpu_check_asked(const struct ts_plan *plan, const struct ts_probe_log *log,
	bool hardware_domain, uint32_t units, const bool *asked);

#endif
