/* The CPU as a backend: kernels as C, watched by the executor of kernels/cpu.h. It is there only
 * for those who ask for it by name, since its times say nothing of a GPU. */
#ifndef TS_CPU_BACKEND_H
#define TS_CPU_BACKEND_H

#include "kernels/backend.h"

extern const struct ts_backend_ops ts_cpu_backend;

#endif
