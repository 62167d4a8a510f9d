/* Random runs of the GEMM: what `gpu verify` tries. */
#ifndef TS_GPU_DRAW_H
#define TS_GPU_DRAW_H

#include "sim/gpu_gemm.h"

/* What is drawn; what the user gave stays as given. */
struct ts_gpu_draw {
	struct ts_gpu_gemm *gemm;
	bool type, layout, gap, as; /* drawn */
};

/* Gives the axes that were not given all the values that a kernel can take. Before the GPU is
 * opened. */
void ts_gpu_draw_presets(struct ts_settings *s);

/* Draws run number `index`: a request that has a plan and a kernel, which all of its workers carry
 * out. Sizes that were not given are tiny, odd, round the edges of tiles and of clusters, or any.
 * The kernels of the form that was drawn are then in use. False and an error; a refusal where the
 * axes give no such request. */
bool ts_gpu_draw_next(struct ts_gpu_draw *d, uint64_t index, struct ts_spec *ret_spec,
	struct ts_plan *ret_plan, GError **error);

/* Uses the kernels for x->form and x->as. */
bool ts_gpu_draw_use(struct ts_gpu_gemm *x, GError **error);

/* Takes out what policy, order and remap don't look at, and so refuse or ignore. */
void ts_gpu_draw_tidy(struct ts_spec *s);

/* The plan of a request that all of its workers carry out; false where there is none. */
bool ts_gpu_draw_plan(struct ts_gpu_gemm *x, const struct ts_spec *spec, struct ts_plan *ret_plan);

#endif
