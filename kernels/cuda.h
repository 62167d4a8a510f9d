/* NVIDIA GPUs through the CUDA driver: nothing is linked, and no CUDA header is needed to build. */
#ifndef TS_CUDA_H
#define TS_CUDA_H

#include "kernels/backend.h"

extern const struct ts_backend_ops ts_cuda_backend;

/* An array of 16 bit elements with contiguous rows, read or written in boxes; all but the address
 * in elements. */
struct ts_cuda_array {
	uint64_t address, rows, cols, stride;
	uint64_t layers; /* such arrays one behind the other, a third dimension; 0: there is none */
	uint32_t box_rows, box_cols;
};

/* Encodes it for the copy engine: 128 bytes at `map`, 64 byte aligned. A box has rows of 128 bytes
 * at most and is swizzled by as many; address and stride are multiples of 16 bytes. `b` is a device
 * of this backend. */
bool ts_cuda_map(
	struct ts_backend *b, void *map, const struct ts_cuda_array *array, GError **error);

#endif
