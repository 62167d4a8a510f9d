/* The kernels as machine code for all GPUs that the compiler knew, inside the program. */
#ifndef TS_IMAGES_H
#define TS_IMAGES_H

#include <stdint.h>

/* A fat binary of probe.cu; 0 bytes in a program that was built without CUDA's compiler. */
extern const unsigned char ts_probe_image[];
extern const uint64_t ts_probe_image_bytes;

#endif
