/* The kernels of kernels/matrices_kernel.c, as compiled for the CPU. */
#ifndef TS_MATRICES_KERNEL_H
#define TS_MATRICES_KERNEL_H

#include "kernels/cpu_hooks.h"

extern const struct cpu_kernel ts_random, ts_restride, ts_reference, ts_clock;

#endif
