/* Another kernel that holds SMs or CUs while the GEMM runs. */
#ifndef TS_GEMM_HOLD_H
#define TS_GEMM_HOLD_H

#include "kernels/gemm.h"

struct ts_hold {
	struct ts_backend *gpu;
	void *kernel;
	uint32_t shared_bytes; /* of a CTA, so that it has its unit for itself */
	uint32_t units;        /* that are held */
	uint32_t *words;       /* that the host and the kernel share; NULL: nothing is held */
};

/* Loads the kernel. False and an error, also where the backend can't run two kernels at once. */
bool ts_hold_open(struct ts_hold *h, struct ts_backend *gpu, GError **error);

/* Holds so many units, which are free, for so long at most, and waits until it does. From then on
 * until ts_hold_end() nobody may wait for all of the device, launch a kernel for the first time,
 * nor allocate or free memory. False and an error, and nothing is held. */
bool ts_hold_begin(struct ts_hold *h, uint32_t units, uint64_t most_ns, GError **error);

/* Lets them go. False and an error also where they were not held until now. Does nothing where
 * nothing is held. */
bool ts_hold_end(struct ts_hold *h, GError **error);

#endif
