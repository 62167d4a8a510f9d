/* Many plans of the GEMM, one after another: what `gpu gemm` does with lists, and `gpu verify`. */
#ifndef TS_GPU_SWEEP_H
#define TS_GPU_SWEEP_H

#include "sim/gpu_gemm.h"

/* Of all runs of one policy and mode. */
struct ts_gpu_tally {
	char *name;
	GHashTable *sizes; /* the different M, N and K among them */
	uint64_t runs, shapes, tiles, elements, failures;
	double error, worst; /* the largest ones */
};

struct ts_gpu_sweep {
	struct ts_gpu_gemm *gemm;
	GArray *tallies; /* struct ts_gpu_tally */
};

void ts_gpu_sweep_init(struct ts_gpu_sweep *s, struct ts_gpu_gemm *gemm);
void ts_gpu_sweep_finish(struct ts_gpu_sweep *s);

/* Computes, checks and counts a plan that ts_gpu_gemm_plan() made of `spec`; `launches` more are
 * compared with the first. The fault goes to `ret_fault`, NULL where there is none; free with
 * g_free(). What the CPU finds in a kernel is a fault like any other; false where a GPU failed,
 * which then takes no other launch. */
bool ts_gpu_sweep_run(struct ts_gpu_sweep *s, const struct ts_spec *spec,
	const struct ts_plan *plan, int64_t seed, uint32_t launches, char **ret_fault,
	GError **error);

/* Of all policies. */
struct ts_gpu_tally ts_gpu_sweep_sum(const struct ts_gpu_sweep *s);

/* A row for each policy and one for all. */
void ts_gpu_sweep_text(const struct ts_gpu_sweep *s, GString *out);

/* The same as members of the object that is being built. */
void ts_gpu_sweep_json(const struct ts_gpu_sweep *s, JsonBuilder *b);

#endif
