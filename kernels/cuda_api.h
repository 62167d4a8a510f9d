/* The driver API: its few types and functions that are needed, found in libcuda.so.1. */
#ifndef TS_CUDA_API_H
#define TS_CUDA_API_H

#include <stddef.h>

#include "kernels/backend.h"

/* CUlaunchAttribute */
struct launch_attribute {
	int id;
	uint32_t pad;
	union {
		char pad[64];
		uint32_t cluster[3];
	} value;
};

/* CUlaunchConfig */
struct launch {
	uint32_t grid[3], block[3];
	uint32_t shared;
	void *stream;
	struct launch_attribute *attributes;
	uint32_t attribute_count;
};

struct api {
	int (*init)(unsigned flags);
	int (*driver_version)(int *version);
	int (*error_string)(int result, const char **text);
	int (*device_count)(int *count);
	int (*device_get)(int *device, int ordinal);
	int (*device_name)(char *name, int room, int device);
	int (*device_memory)(size_t *bytes, int device);
	int (*device_attribute)(int *value, int attribute, int device);
	int (*context_retain)(void **context, int device);
	int (*context_release)(int device);
	int (*context_use)(void *context);
	int (*module_load)(void **module, const void *image);
	int (*module_unload)(void *module);
	int (*module_function)(void **function, void *module, const char *name);
	int (*function_set)(void *function, int attribute, int value);
	int (*blocks)(int *count, void *function, int threads, size_t shared);
	int (*clusters)(int *count, void *function, const struct launch *launch);
	int (*alloc)(uint64_t *address, size_t bytes);
	int (*free)(uint64_t address);
	int (*fill)(uint64_t address, unsigned word, size_t words);
	int (*fetch)(void *to, uint64_t from, size_t bytes);
	int (*store)(uint64_t to, const void *from, size_t bytes);
	int (*share)(void **memory, size_t bytes, unsigned flags);
	int (*unshare)(void *memory);
	int (*stream_make)(void **stream, unsigned flags);
	int (*stream_free)(void *stream);
	int (*stream_wait)(void *stream);
	int (*launch)(const struct launch *launch, void *function, void **arguments, void **extra);
	int (*wait)(void);
	int (*encode)(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
		const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
		int swizzle, int promotion, int outside);
	int (*event_make)(void **event, unsigned flags);
	int (*event_free)(void *event);
	int (*event_record)(void *event, void *stream);
	int (*event_wait)(void *event);
	int (*event_ms)(float *ms, void *from, void *to);
};

static const struct ts_backend_symbol functions[] = {
	{"cuInit", offsetof(struct api, init)},
	{"cuDriverGetVersion", offsetof(struct api, driver_version)},
	{"cuGetErrorString", offsetof(struct api, error_string)},
	{"cuDeviceGetCount", offsetof(struct api, device_count)},
	{"cuDeviceGet", offsetof(struct api, device_get)},
	{"cuDeviceGetName", offsetof(struct api, device_name)},
	{"cuDeviceTotalMem_v2", offsetof(struct api, device_memory)},
	{"cuDeviceGetAttribute", offsetof(struct api, device_attribute)},
	{"cuDevicePrimaryCtxRetain", offsetof(struct api, context_retain)},
	{"cuDevicePrimaryCtxRelease_v2", offsetof(struct api, context_release)},
	{"cuCtxSetCurrent", offsetof(struct api, context_use)},
	{"cuModuleLoadData", offsetof(struct api, module_load)},
	{"cuModuleUnload", offsetof(struct api, module_unload)},
	{"cuModuleGetFunction", offsetof(struct api, module_function)},
	{"cuFuncSetAttribute", offsetof(struct api, function_set)},
	{"cuOccupancyMaxActiveBlocksPerMultiprocessor", offsetof(struct api, blocks)},
	{"cuOccupancyMaxActiveClusters", offsetof(struct api, clusters)},
	{"cuMemAlloc_v2", offsetof(struct api, alloc)},
	{"cuMemFree_v2", offsetof(struct api, free)},
	{"cuMemsetD32_v2", offsetof(struct api, fill)},
	{"cuMemcpyDtoH_v2", offsetof(struct api, fetch)},
	{"cuMemcpyHtoD_v2", offsetof(struct api, store)},
	{"cuMemHostAlloc", offsetof(struct api, share)},
	{"cuMemFreeHost", offsetof(struct api, unshare)},
	{"cuStreamCreate", offsetof(struct api, stream_make)},
	{"cuStreamDestroy_v2", offsetof(struct api, stream_free)},
	{"cuStreamSynchronize", offsetof(struct api, stream_wait)},
	{"cuLaunchKernelEx", offsetof(struct api, launch)},
	{"cuCtxSynchronize", offsetof(struct api, wait)},
	{"cuTensorMapEncodeTiled", offsetof(struct api, encode)},
	{"cuEventCreate", offsetof(struct api, event_make)},
	{"cuEventDestroy_v2", offsetof(struct api, event_free)},
	{"cuEventRecord", offsetof(struct api, event_record)},
	{"cuEventSynchronize", offsetof(struct api, event_wait)},
	{"cuEventElapsedTime", offsetof(struct api, event_ms)},
};

#endif
