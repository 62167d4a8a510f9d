/* The parts of `tilesim gpu hold`. */
#ifndef TS_GPU_HOLD_H
#define TS_GPU_HOLD_H

#include "kernels/gemm_hold.h"
#include "sim/gpu_gemm.h"

/* One schedule with so many SMs or CUs held by another kernel. */
struct ts_hold_cell {
	struct ts_spec spec;
	uint32_t held;
	struct ts_gemm_times times;
	double predicted_ms; /* 0 where there is no model of the device */
	char *fault;         /* the product is wrong, in words; NULL */
};

struct ts_hold_table {
	const char *gpu;
	const char *kernel;
	const char *model; /* the simulator's device; NULL */
	uint32_t repeat;
	GArray *cells; /* struct ts_hold_cell: of each schedule the one with none held first */
	enum ts_format format;
};

/* How many times as long as with nothing held, measured and predicted; 0 where that is not known.
 */
double ts_hold_slowdown(const struct ts_hold_table *t, guint cell);
double ts_hold_predicted(const struct ts_hold_table *t, guint cell);

/* The whole report. Free with g_free(). */
char *ts_hold_report(const struct ts_hold_table *t, const char *command);

#endif
