/* The module API: its few functions that are needed, found in libamdhip64.so. */
#ifndef TS_HIP_API_H
#define TS_HIP_API_H

#include <stddef.h>

#include "kernels/backend.h"

struct api {
	int (*init)(unsigned flags);
	int (*runtime_version)(int *version);
	const char *(*error_string)(int result);
	int (*device_count)(int *count);
	int (*device_use)(int device);
	int (*device_name)(char *name, int room, int device);
	int (*device_memory)(size_t *bytes, int device);
	int (*device_attribute)(int *value, int attribute, int device);
	int (*device_properties)(void *properties, int device);
	int (*module_load)(void **module, const void *image);
	int (*module_unload)(void *module);
	int (*module_function)(void **function, void *module, const char *name);
	int (*blocks)(int *count, void *function, int threads, size_t shared);
	int (*alloc)(void **address, size_t bytes);
	int (*free)(void *address);
	int (*fill)(void *address, int word, size_t words);
	int (*fetch)(void *to, void *from, size_t bytes);
	int (*store)(void *to, const void *from, size_t bytes);
	int (*share)(void **memory, size_t bytes, unsigned flags);
	int (*unshare)(void *memory);
	int (*stream_make)(void **stream, unsigned flags);
	int (*stream_free)(void *stream);
	int (*stream_wait)(void *stream);
	int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
		unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
		void **arguments, void **extra);
	int (*wait)(void);
	int (*event_make)(void **event);
	int (*event_free)(void *event);
	int (*event_record)(void *event, void *stream);
	int (*event_wait)(void *event);
	int (*event_ms)(float *ms, void *from, void *to);
};

static const struct ts_backend_symbol functions[] = {
	{"hipInit", offsetof(struct api, init)},
	{"hipRuntimeGetVersion", offsetof(struct api, runtime_version)},
	{"hipGetErrorString", offsetof(struct api, error_string)},
	{"hipGetDeviceCount", offsetof(struct api, device_count)},
	{"hipSetDevice", offsetof(struct api, device_use)},
	{"hipDeviceGetName", offsetof(struct api, device_name)},
	{"hipDeviceTotalMem", offsetof(struct api, device_memory)},
	{"hipDeviceGetAttribute", offsetof(struct api, device_attribute)},
	{"hipModuleLoadData", offsetof(struct api, module_load)},
	{"hipModuleUnload", offsetof(struct api, module_unload)},
	{"hipModuleGetFunction", offsetof(struct api, module_function)},
	{"hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", offsetof(struct api, blocks)},
	{"hipMalloc", offsetof(struct api, alloc)},
	{"hipFree", offsetof(struct api, free)},
	{"hipMemsetD32", offsetof(struct api, fill)},
	{"hipMemcpyDtoH", offsetof(struct api, fetch)},
	{"hipMemcpyHtoD", offsetof(struct api, store)},
	{"hipHostMalloc", offsetof(struct api, share)},
	{"hipHostFree", offsetof(struct api, unshare)},
	{"hipStreamCreateWithFlags", offsetof(struct api, stream_make)},
	{"hipStreamDestroy", offsetof(struct api, stream_free)},
	{"hipStreamSynchronize", offsetof(struct api, stream_wait)},
	{"hipModuleLaunchKernel", offsetof(struct api, launch)},
	{"hipDeviceSynchronize", offsetof(struct api, wait)},
	{"hipEventCreate", offsetof(struct api, event_make)},
	{"hipEventDestroy", offsetof(struct api, event_free)},
	{"hipEventRecord", offsetof(struct api, event_record)},
	{"hipEventSynchronize", offsetof(struct api, event_wait)},
	{"hipEventElapsedTime", offsetof(struct api, event_ms)},
};

static const struct ts_backend_symbol properties_since_6 = {
	"hipGetDevicePropertiesR0600", offsetof(struct api, device_properties)};
static const struct ts_backend_symbol properties_before_6 = {
	"hipGetDeviceProperties", offsetof(struct api, device_properties)};

#endif
