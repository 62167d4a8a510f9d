/* The kernels of kernels/mma_kernel.c, as compiled for the CPU, which acts as one of these. */
#ifndef TS_MMA_KERNEL_H
#define TS_MMA_KERNEL_H

#include "kernels/cpu_hooks.h"

extern const struct cpu_kernel ts_mma_bf16_nk_128_sm80, ts_mma_bf16_nk_64_sm80,
	ts_mma_bf16_kn_128_sm80, ts_mma_bf16_kn_64_sm80, ts_mma_fp16_nk_128_sm80,
	ts_mma_fp16_nk_64_sm80, ts_mma_fp16_kn_128_sm80, ts_mma_fp16_kn_64_sm80;
extern const struct cpu_kernel ts_mma_bf16_nk_128_gfx942, ts_mma_bf16_nk_64_gfx942,
	ts_mma_bf16_kn_128_gfx942, ts_mma_bf16_kn_64_gfx942, ts_mma_fp16_nk_128_gfx942,
	ts_mma_fp16_nk_64_gfx942, ts_mma_fp16_kn_128_gfx942, ts_mma_fp16_kn_64_gfx942;
extern const struct cpu_kernel ts_mma_bf16_nk_128_gfx950, ts_mma_bf16_nk_64_gfx950,
	ts_mma_bf16_kn_128_gfx950, ts_mma_bf16_kn_64_gfx950, ts_mma_fp16_nk_128_gfx950,
	ts_mma_fp16_nk_64_gfx950, ts_mma_fp16_kn_128_gfx950, ts_mma_fp16_kn_64_gfx950;
extern const struct cpu_kernel ts_mma_bf16_nk_128_gfx1100, ts_mma_bf16_nk_64_gfx1100,
	ts_mma_bf16_kn_128_gfx1100, ts_mma_bf16_kn_64_gfx1100, ts_mma_fp16_nk_128_gfx1100,
	ts_mma_fp16_nk_64_gfx1100, ts_mma_fp16_kn_128_gfx1100, ts_mma_fp16_kn_64_gfx1100;
extern const struct cpu_kernel ts_mma_bf16_nk_128_gfx1200, ts_mma_bf16_nk_64_gfx1200,
	ts_mma_bf16_kn_128_gfx1200, ts_mma_bf16_kn_64_gfx1200, ts_mma_fp16_nk_128_gfx1200,
	ts_mma_fp16_nk_64_gfx1200, ts_mma_fp16_kn_128_gfx1200, ts_mma_fp16_kn_64_gfx1200;

#endif
