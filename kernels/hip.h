/* AMD GPUs through ROCm's HIP library: nothing is linked, and no HIP header is needed to build. */
#ifndef TS_HIP_H
#define TS_HIP_H

#include "kernels/backend.h"

extern const struct ts_backend_ops ts_hip_backend;

#endif
