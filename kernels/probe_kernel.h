/* The kernels of kernels/probe_kernel.c, as compiled for the CPU. */
#ifndef TS_PROBE_KERNEL_H
#define TS_PROBE_KERNEL_H

#include "kernels/cpu_hooks.h"

extern const struct cpu_kernel ts_probe, ts_probe_groups, ts_latency, ts_hold;

#endif
