/* One NVIDIA GPU through the CUDA driver, which is opened when the program runs: nothing is linked,
 * and no CUDA header is needed to build. */
#ifndef TS_CUDA_H
#define TS_CUDA_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum ts_cuda_error {
	TS_CUDA_ABSENT, /* no driver, no GPU, or no kernel for it: nothing can run here */
	TS_CUDA_FAILED  /* a call or a kernel failed */
};

/* The domain of those errors. */
GQuark ts_cuda_error_quark(void);

/* What the driver says of a device; the values are the driver API's. */
enum ts_cuda_attribute {
	TS_CUDA_CLOCK_KHZ = 13,
	TS_CUDA_UNITS = 16,
	TS_CUDA_MEMORY_CLOCK_KHZ = 36,
	TS_CUDA_MEMORY_BITS = 37,
	TS_CUDA_L2_BYTES = 38,
	TS_CUDA_MAJOR = 75,
	TS_CUDA_MINOR = 76,
	TS_CUDA_SHARED_BYTES = 97, /* that one CTA may have */
	TS_CUDA_CLUSTERS = 120     /* 1 where CTAs can be launched in clusters */
};

struct ts_cuda_api;

enum { TS_CUDA_MODULES = 2 };

struct ts_cuda {
	struct ts_cuda_api *api;
	void *library;
	int device;
	void *modules[TS_CUDA_MODULES];
	uint32_t module_count;
	char name[128];
	int driver; /* version: 1000 * major + 10 * minor */
};

/* The shape of a launch: `count` clusters of cluster[0] x cluster[1] CTAs along x, `threads`
 * threads and `shared` bytes of dynamic shared memory in each CTA. */
struct ts_cuda_grid {
	uint32_t count;
	uint32_t cluster[2];
	uint32_t threads, shared;
};

/* Opens the first device and loads the kernels of an image. Where it fails `c` is finished. */
bool ts_cuda_open(struct ts_cuda *c, const void *image, GError **error);

/* Loads the kernels of one more. */
bool ts_cuda_load(struct ts_cuda *c, const void *image, GError **error);
void ts_cuda_close(struct ts_cuda *c);

/* The kernel called `name` of the image that was loaded last, ready for `shared` bytes of dynamic
 * shared memory; NULL and an error. */
void *ts_cuda_kernel(struct ts_cuda *c, const char *name, uint32_t shared, GError **error);

/* Makes the kernel ready for clusters larger than all GPUs allow, where the device has clusters. */
bool ts_cuda_allow_clusters(struct ts_cuda *c, void *kernel, GError **error);

/* 0 where the driver does not know. */
int ts_cuda_attribute(const struct ts_cuda *c, enum ts_cuda_attribute attribute);

/* How many clusters of such a grid are resident at once; 0 where none can be. */
uint32_t ts_cuda_residency(const struct ts_cuda *c, void *kernel, const struct ts_cuda_grid *grid);

/* Device memory, in words of 32 bits. An address of 0 is an error, or nothing to free. */
uint64_t ts_cuda_alloc(struct ts_cuda *c, uint64_t words, GError **error);
void ts_cuda_free(struct ts_cuda *c, uint64_t address);
bool ts_cuda_fill(
	struct ts_cuda *c, uint64_t address, uint32_t word, uint64_t words, GError **error);
bool ts_cuda_fetch(struct ts_cuda *c, void *to, uint64_t address, uint64_t bytes, GError **error);

/* Runs the kernel to its end. `arguments` points to a pointer to each argument. */
bool ts_cuda_run(struct ts_cuda *c, void *kernel, const struct ts_cuda_grid *grid, void **arguments,
	GError **error);

/* The same, without waiting. */
bool ts_cuda_start(struct ts_cuda *c, void *kernel, const struct ts_cuda_grid *grid,
	void **arguments, GError **error);

/* A bf16 array with contiguous rows, read or written in boxes; all but the address in elements. */
struct ts_cuda_array {
	uint64_t address, rows, cols, stride;
	uint32_t box_rows, box_cols;
};

/* Encodes it for the copy engine: 128 bytes at `map`, 64 byte aligned. A box has rows of 128 bytes
 * at most and is swizzled by as many; address and stride are multiples of 16 bytes. */
bool ts_cuda_map(struct ts_cuda *c, void *map, const struct ts_cuda_array *a, GError **error);

/* Events, which happen when the GPU gets to them. */
bool ts_cuda_event_make(struct ts_cuda *c, void **ret_event, GError **error);
void ts_cuda_event_free(struct ts_cuda *c, void *event);
bool ts_cuda_event_record(struct ts_cuda *c, void *event, GError **error);

/* Waits for `to`; the time from the other to it. */
bool ts_cuda_event_ms(struct ts_cuda *c, void *from, void *to, float *ret_ms, GError **error);

#endif
