/* The driver API: its few types and functions that are needed, found in libcuda.so.1. */
#include "kernels/cuda.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "kernels/images.h"

G_DEFINE_QUARK(ts - cuda - error, ts_cuda_error)

/* CUresult, CUfunction_attribute and CUlaunchAttributeID: values that are part of the ABI. */
enum { CUDA_NO_DEVICE = 100, CUDA_NO_BINARY = 209 };
enum { FUNCTION_SHARED_BYTES = 8, FUNCTION_LARGE_CLUSTERS = 14 };
enum { LAUNCH_CLUSTER = 4 };
/* CUtensorMapDataType, CUtensorMapSwizzle and CUtensorMapL2promotion. */
enum { MAP_BF16 = 9, MAP_SWIZZLE_128B = 3, MAP_PROMOTE_256B = 3 };

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

struct ts_cuda_api {
	int (*init)(unsigned flags);
	int (*driver_version)(int *version);
	int (*error_string)(int result, const char **text);
	int (*device_count)(int *count);
	int (*device_get)(int *device, int ordinal);
	int (*device_name)(char *name, int room, int device);
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

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{"cuInit", offsetof(struct ts_cuda_api, init)},
	{"cuDriverGetVersion", offsetof(struct ts_cuda_api, driver_version)},
	{"cuGetErrorString", offsetof(struct ts_cuda_api, error_string)},
	{"cuDeviceGetCount", offsetof(struct ts_cuda_api, device_count)},
	{"cuDeviceGet", offsetof(struct ts_cuda_api, device_get)},
	{"cuDeviceGetName", offsetof(struct ts_cuda_api, device_name)},
	{"cuDeviceGetAttribute", offsetof(struct ts_cuda_api, device_attribute)},
	{"cuDevicePrimaryCtxRetain", offsetof(struct ts_cuda_api, context_retain)},
	{"cuDevicePrimaryCtxRelease_v2", offsetof(struct ts_cuda_api, context_release)},
	{"cuCtxSetCurrent", offsetof(struct ts_cuda_api, context_use)},
	{"cuModuleLoadData", offsetof(struct ts_cuda_api, module_load)},
	{"cuModuleUnload", offsetof(struct ts_cuda_api, module_unload)},
	{"cuModuleGetFunction", offsetof(struct ts_cuda_api, module_function)},
	{"cuFuncSetAttribute", offsetof(struct ts_cuda_api, function_set)},
	{"cuOccupancyMaxActiveBlocksPerMultiprocessor", offsetof(struct ts_cuda_api, blocks)},
	{"cuOccupancyMaxActiveClusters", offsetof(struct ts_cuda_api, clusters)},
	{"cuMemAlloc_v2", offsetof(struct ts_cuda_api, alloc)},
	{"cuMemFree_v2", offsetof(struct ts_cuda_api, free)},
	{"cuMemsetD32_v2", offsetof(struct ts_cuda_api, fill)},
	{"cuMemcpyDtoH_v2", offsetof(struct ts_cuda_api, fetch)},
	{"cuLaunchKernelEx", offsetof(struct ts_cuda_api, launch)},
	{"cuCtxSynchronize", offsetof(struct ts_cuda_api, wait)},
	{"cuTensorMapEncodeTiled", offsetof(struct ts_cuda_api, encode)},
	{"cuEventCreate", offsetof(struct ts_cuda_api, event_make)},
	{"cuEventDestroy_v2", offsetof(struct ts_cuda_api, event_free)},
	{"cuEventRecord", offsetof(struct ts_cuda_api, event_record)},
	{"cuEventSynchronize", offsetof(struct ts_cuda_api, event_wait)},
	{"cuEventElapsedTime", offsetof(struct ts_cuda_api, event_ms)},
};

/* True where `result` is CUDA_SUCCESS, else an error about `what`. */
static bool good(const struct ts_cuda *c, int result, const char *what, GError **error)
{
	const char *text = NULL;

	if (result == 0)
		return true;
	if (c->api->error_string(result, &text) != 0)
		text = "unknown error";
	g_set_error(error, ts_cuda_error_quark(), TS_CUDA_FAILED, "CUDA: %s: %s (error %d)", what,
		text, result);
	return false;
}

static bool absent(GError **error, const char *why)
{
	g_set_error(error, ts_cuda_error_quark(), TS_CUDA_ABSENT, "no GPU: %s", why);
	return false;
}

static bool open_driver(struct ts_cuda *c, GError **error)
{
	c->api = g_new0(struct ts_cuda_api, 1);
	c->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (c->library == NULL)
		return absent(error, "the CUDA driver (libcuda.so.1) is not installed");
	for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
		void *symbol = dlsym(c->library, functions[i].name);
		g_autofree char *why = NULL;

		/* Not an assignment: C has no cast from an object's to a function's address. */
		memcpy((char *)c->api + functions[i].offset, &symbol, sizeof symbol);
		if (symbol == NULL) {
			why = g_strdup_printf(
				"the CUDA driver is too old, it has no %s; 12.0 or newer is needed",
				functions[i].name);
			return absent(error, why);
		}
	}
	return true;
}

static bool open_device(struct ts_cuda *c, GError **error)
{
	g_autofree char *why = NULL;
	const char *text = NULL;
	void *context;
	int count = 0;
	int result = c->api->init(0);

	if (result != 0) {
		c->api->error_string(result, &text);
		why = g_strdup_printf("the CUDA driver does not start: %s (error %d)",
			text == NULL ? "unknown error" : text, result);
		return absent(error, why);
	}
	result = c->api->device_count(&count);
	if (result == CUDA_NO_DEVICE || (result == 0 && count == 0))
		return absent(error, "the CUDA driver sees no device");
	if (!good(c, result, "cuDeviceGetCount", error) ||
		!good(c, c->api->device_get(&c->device, 0), "cuDeviceGet", error) ||
		!good(c, c->api->device_name(c->name, sizeof c->name, c->device), "cuDeviceGetName",
			error) ||
		!good(c, c->api->driver_version(&c->driver), "cuDriverGetVersion", error) ||
		!good(c, c->api->context_retain(&context, c->device), "cuDevicePrimaryCtxRetain",
			error))
		return false;
	return good(c, c->api->context_use(context), "cuCtxSetCurrent", error);
}

bool ts_cuda_open(struct ts_cuda *c, const void *image, GError **error)
{
	memset(c, 0, sizeof *c);
	c->device = -1;
	if (ts_probe_image_bytes == 0)
		return absent(error,
			"this tilesim was built without CUDA kernels; build it where nvcc is");
	if (open_driver(c, error) && open_device(c, error) && ts_cuda_load(c, image, error))
		return true;
	ts_cuda_close(c);
	return false;
}

bool ts_cuda_load(struct ts_cuda *c, const void *image, GError **error)
{
	g_autofree char *why = NULL;
	int result;

	g_assert(c->module_count < TS_CUDA_MODULES);
	result = c->api->module_load(&c->modules[c->module_count], image);
	if (result == 0) {
		c->module_count++;
		return true;
	}
	why = g_strdup_printf("%s has compute capability %d.%d, for which this tilesim has no "
			      "kernels",
		c->name, ts_cuda_attribute(c, TS_CUDA_MAJOR), ts_cuda_attribute(c, TS_CUDA_MINOR));
	if (result == CUDA_NO_BINARY)
		absent(error, why);
	else
		good(c, result, "cuModuleLoadData", error);
	return false;
}

void ts_cuda_close(struct ts_cuda *c)
{
	while (c->module_count > 0)
		c->api->module_unload(c->modules[--c->module_count]);
	if (c->library != NULL && c->device >= 0)
		c->api->context_release(c->device);
	/* The driver starts threads and handlers of its own: it stays loaded. */
	g_clear_pointer(&c->api, g_free);
	memset(c, 0, sizeof *c);
}

int ts_cuda_attribute(const struct ts_cuda *c, enum ts_cuda_attribute attribute)
{
	int value = 0;

	return c->api->device_attribute(&value, (int)attribute, c->device) == 0 ? value : 0;
}

void *ts_cuda_kernel(struct ts_cuda *c, const char *name, uint32_t shared, GError **error)
{
	void *module = c->modules[c->module_count - 1];
	void *kernel = NULL;

	if (!good(c, c->api->module_function(&kernel, module, name), name, error) ||
		!good(c, c->api->function_set(kernel, FUNCTION_SHARED_BYTES, (int)shared), name,
			error))
		return NULL;
	return kernel;
}

bool ts_cuda_allow_clusters(struct ts_cuda *c, void *kernel, GError **error)
{
	if (ts_cuda_attribute(c, TS_CUDA_CLUSTERS) != 1)
		return true;
	return good(c, c->api->function_set(kernel, FUNCTION_LARGE_CLUSTERS, 1),
		"cuFuncSetAttribute", error);
}

static struct launch make_launch(const struct ts_cuda_grid *grid, struct launch_attribute *cluster)
{
	struct launch launch = {0};

	memset(cluster, 0, sizeof *cluster);
	cluster->id = LAUNCH_CLUSTER;
	cluster->value.cluster[0] = grid->cluster[0];
	cluster->value.cluster[1] = grid->cluster[1];
	cluster->value.cluster[2] = 1;
	launch.grid[0] = grid->count * grid->cluster[0];
	launch.grid[1] = grid->cluster[1];
	launch.grid[2] = 1;
	launch.block[0] = grid->threads;
	launch.block[1] = launch.block[2] = 1;
	launch.shared = grid->shared;
	launch.attributes = cluster;
	launch.attribute_count = grid->cluster[0] * grid->cluster[1] > 1 ? 1 : 0;
	return launch;
}

uint32_t ts_cuda_residency(const struct ts_cuda *c, void *kernel, const struct ts_cuda_grid *grid)
{
	struct launch_attribute cluster;
	struct launch launch = make_launch(grid, &cluster);
	int count = 0;
	int result;

	if (launch.attribute_count == 0) {
		result = c->api->blocks(&count, kernel, (int)grid->threads, grid->shared);
		count *= ts_cuda_attribute(c, TS_CUDA_UNITS);
	} else {
		result = c->api->clusters(&count, kernel, &launch);
	}
	return result == 0 && count > 0 ? (uint32_t)count : 0;
}

uint64_t ts_cuda_alloc(struct ts_cuda *c, uint64_t words, GError **error)
{
	uint64_t address = 0;

	return good(c, c->api->alloc(&address, words * sizeof(uint32_t)), "cuMemAlloc", error)
		? address
		: 0;
}

void ts_cuda_free(struct ts_cuda *c, uint64_t address)
{
	if (address != 0)
		c->api->free(address);
}

bool ts_cuda_fill(
	struct ts_cuda *c, uint64_t address, uint32_t word, uint64_t words, GError **error)
{
	return good(c, c->api->fill(address, word, words), "cuMemsetD32", error);
}

bool ts_cuda_fetch(struct ts_cuda *c, void *to, uint64_t address, uint64_t bytes, GError **error)
{
	return good(c, c->api->fetch(to, address, bytes), "cuMemcpyDtoH", error);
}

bool ts_cuda_start(struct ts_cuda *c, void *kernel, const struct ts_cuda_grid *grid,
	void **arguments, GError **error)
{
	struct launch_attribute cluster;
	struct launch launch = make_launch(grid, &cluster);

	return good(c, c->api->launch(&launch, kernel, arguments, NULL), "cuLaunchKernelEx", error);
}

bool ts_cuda_run(struct ts_cuda *c, void *kernel, const struct ts_cuda_grid *grid, void **arguments,
	GError **error)
{
	return ts_cuda_start(c, kernel, grid, arguments, error) &&
		good(c, c->api->wait(), "the kernel", error);
}

bool ts_cuda_map(struct ts_cuda *c, void *map, const struct ts_cuda_array *a, GError **error)
{
	const uint64_t sizes[2] = {a->cols, a->rows}, stride = a->stride * sizeof(uint16_t);
	const uint32_t box[2] = {a->box_cols, a->box_rows}, steps[2] = {1, 1};

	return good(c,
		c->api->encode(map, MAP_BF16, 2, (void *)(uintptr_t)a->address, sizes, &stride, box,
			steps, 0, MAP_SWIZZLE_128B, MAP_PROMOTE_256B, 0),
		"cuTensorMapEncodeTiled", error);
}

bool ts_cuda_event_make(struct ts_cuda *c, void **ret_event, GError **error)
{
	return good(c, c->api->event_make(ret_event, 0), "cuEventCreate", error);
}

void ts_cuda_event_free(struct ts_cuda *c, void *event)
{
	if (event != NULL)
		c->api->event_free(event);
}

bool ts_cuda_event_record(struct ts_cuda *c, void *event, GError **error)
{
	return good(c, c->api->event_record(event, NULL), "cuEventRecord", error);
}

bool ts_cuda_event_ms(struct ts_cuda *c, void *from, void *to, float *ret_ms, GError **error)
{
	return good(c, c->api->event_wait(to), "the kernel", error) &&
		good(c, c->api->event_ms(ret_ms, from, to), "cuEventElapsedTime", error);
}
