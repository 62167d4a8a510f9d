/* The parts of `tilesim gpu verify`. */
#ifndef TS_GPU_VERIFY_H
#define TS_GPU_VERIFY_H

#include "sim/gpu_draw.h"
#include "sim/gpu_sweep.h"

struct ts_gpu_verify {
	struct ts_gpu_sweep sweep;
	struct ts_gpu_draw draw;
	uint64_t count, limit_s; /* runs, and when no more are begun; a failure is shrunk as long */
	uint64_t done;
	/* The first failure and the smallest like it, in words, and the commands that show them;
	 * NULL where there is none. */
	char *found, *found_command, *smallest, *smallest_command;
};

/* Runs until one fails. False and an error where the axes give nothing, or where the GPU failed so
 * that it takes no other launch; what had failed is then in the error. */
bool ts_gpu_verify_run(struct ts_gpu_verify *v, GError **error);
void ts_gpu_verify_finish(struct ts_gpu_verify *v);

#endif
