/* The kernels of kernels/mma_kernel.c, as compiled for the CPU, which acts as one of these. */
#ifndef TS_MMA_KERNEL_H
#define TS_MMA_KERNEL_H

#include "kernels/cpu_hooks.h"

#define TS_MMA_KERNELS(bf16, fp16, as)                                                             \
	extern const struct cpu_kernel bf16##_nk_128_##as, bf16##_nk_64_##as, bf16##_kn_128_##as,  \
		bf16##_kn_64_##as, fp16##_nk_128_##as, fp16##_nk_64_##as, fp16##_kn_128_##as,      \
		fp16##_kn_64_##as

TS_MMA_KERNELS(ts_mma_bf16, ts_mma_fp16, sm80);
TS_MMA_KERNELS(ts_mma_bf16, ts_mma_fp16, gfx942);
TS_MMA_KERNELS(ts_mma_bf16, ts_mma_fp16, gfx950);
TS_MMA_KERNELS(ts_mma_bf16, ts_mma_fp16, gfx1100);
TS_MMA_KERNELS(ts_mma_bf16, ts_mma_fp16, gfx1200);

/* Those for plans that are not plain. */
TS_MMA_KERNELS(ts_mma_groups_bf16, ts_mma_groups_fp16, sm80);
TS_MMA_KERNELS(ts_mma_groups_bf16, ts_mma_groups_fp16, gfx942);
TS_MMA_KERNELS(ts_mma_groups_bf16, ts_mma_groups_fp16, gfx950);
TS_MMA_KERNELS(ts_mma_groups_bf16, ts_mma_groups_fp16, gfx1100);
TS_MMA_KERNELS(ts_mma_groups_bf16, ts_mma_groups_fp16, gfx1200);

#undef TS_MMA_KERNELS

#endif
