/* The kernels as machine code for all GPUs that the compiler knew, inside the program. */
#ifndef TS_IMAGES_H
#define TS_IMAGES_H

#include <stdint.h>

/* Fat binaries of probe_kernel.c, matrices.cu and gemm_sm90.cu; 0 bytes in a program that was built
 * without CUDA's compiler. */
extern const unsigned char ts_probe_image[], ts_gemm_image[], ts_matrices_image[];
extern const uint64_t ts_probe_image_bytes;

#endif
