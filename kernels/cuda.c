/* CUDA as a backend, by its driver API. */
#include "kernels/cuda.h"

#include <dlfcn.h>
#include <string.h>

#include "kernels/cuda_api.h"
#include "kernels/images.h"

/* CUresult, CUdevice_attribute, CUfunction_attribute and CUlaunchAttributeID: values that are part
 * of the ABI. */
enum { CUDA_NO_DEVICE = 100, CUDA_NO_BINARY = 209, CUDA_NOT_FOUND = 500 };
enum {
	DEVICE_LANES = 10,
	DEVICE_CLOCK_KHZ = 13,
	DEVICE_UNITS = 16,
	DEVICE_MEMORY_CLOCK_KHZ = 36,
	DEVICE_MEMORY_BITS = 37,
	DEVICE_L2_BYTES = 38,
	DEVICE_MAJOR = 75,
	DEVICE_MINOR = 76,
	DEVICE_SHARED_BYTES = 97, /* that one CTA may ask for */
	DEVICE_CLUSTERS = 120     /* 1 where CTAs can be launched in clusters */
};
/* The largest cluster of any device with clusters, if a kernel asks for such. */
enum { CLUSTER_MAX = 16 };
enum { FUNCTION_SHARED_BYTES = 8, FUNCTION_LARGE_CLUSTERS = 14 };
enum { LAUNCH_CLUSTER = 4 };
/* CU_MEMHOSTALLOC_DEVICEMAP and CU_STREAM_NON_BLOCKING */
enum { SHARE_MAPPED = 2, STREAM_BESIDE = 1 };
/* CUtensorMapDataType, CUtensorMapSwizzle and CUtensorMapL2promotion. */
enum { MAP_BF16 = 9, MAP_SWIZZLE_128B = 3, MAP_PROMOTE_128B = 2 };

enum { MODULES = 8 };

struct cuda {
	struct api api;
	int device;
	bool in_use; /* the device's context */
	void *modules[MODULES];
	uint32_t module_count;
	void *beside; /* a stream; NULL where none was needed */
};

static struct cuda *find(const struct ts_backend *b)
{
	return b->state;
}

static const char *explain(const struct cuda *c, int result)
{
	const char *text = NULL;

	return c->api.error_string(result, &text) == 0 && text != NULL ? text : "unknown error";
}

/* True where `result` is CUDA_SUCCESS, else an error about `what`. */
static bool good(const struct ts_backend *b, int result, const char *what, GError **error)
{
	if (result != 0)
		g_set_error(error, ts_backend_error_quark(), TS_BACKEND_FAILED,
			"CUDA: %s: %s (error %d)", what, explain(find(b), result), result);
	return result == 0;
}

/* 0 where the driver does not know. */
static uint32_t attribute(const struct ts_backend *b, int which)
{
	const struct cuda *c = find(b);
	int value = 0;

	return c->api.device_attribute(&value, which, c->device) == 0 ? (uint32_t)MAX(value, 0) : 0;
}

static bool open_driver(struct cuda *c, GError **error)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	const char *lacks;

	if (library == NULL)
		return ts_backend_absent(error, "the CUDA driver (libcuda.so.1) is not installed");
	lacks = ts_backend_symbols(library, functions, G_N_ELEMENTS(functions), &c->api);
	if (lacks != NULL)
		return ts_backend_absent(error,
			"the CUDA driver is too old, it has no %s; 12.0 or newer is needed", lacks);
	return true;
}

static void describe(struct ts_backend *b, int driver)
{
	struct ts_backend_properties *is = &b->is;
	uint32_t major = attribute(b, DEVICE_MAJOR), minor = attribute(b, DEVICE_MINOR);

	g_snprintf(is->target, sizeof is->target, "sm_%u%u", major, minor);
	g_snprintf(is->about, sizeof is->about, "compute capability %u.%u, driver for CUDA %d.%d",
		major, minor, driver / 1000, driver % 1000 / 10);
	is->units = MAX(attribute(b, DEVICE_UNITS), 1);
	is->domains = 1;
	is->max_cluster = attribute(b, DEVICE_CLUSTERS) == 1 ? CLUSTER_MAX : 1;
	is->lanes = attribute(b, DEVICE_LANES);
	is->shared_bytes = attribute(b, DEVICE_SHARED_BYTES);
	is->l2_bytes = attribute(b, DEVICE_L2_BYTES);
	is->clock_khz = attribute(b, DEVICE_CLOCK_KHZ);
	is->memory_clock_khz = attribute(b, DEVICE_MEMORY_CLOCK_KHZ);
	is->memory_bits = attribute(b, DEVICE_MEMORY_BITS);
	is->memory_rate = 2;
}

static bool open_device(struct ts_backend *b, GError **error)
{
	struct cuda *c = find(b);
	size_t memory = 0;
	int count = 0, driver = 0;
	void *context;
	int result = c->api.init(0);

	if (result != 0)
		return ts_backend_absent(error, "the CUDA driver does not start: %s (error %d)",
			explain(c, result), result);
	result = c->api.device_count(&count);
	if (result == CUDA_NO_DEVICE || (result == 0 && count == 0))
		return ts_backend_absent(error, "the CUDA driver sees no device");
	if (!good(b, result, "cuDeviceGetCount", error) ||
		!good(b, c->api.device_get(&c->device, 0), "cuDeviceGet", error) ||
		!good(b, c->api.device_name(b->is.name, sizeof b->is.name, c->device),
			"cuDeviceGetName", error) ||
		!good(b, c->api.device_memory(&memory, c->device), "cuDeviceTotalMem", error) ||
		!good(b, c->api.driver_version(&driver), "cuDriverGetVersion", error) ||
		!good(b, c->api.context_retain(&context, c->device), "cuDevicePrimaryCtxRetain",
			error))
		return false;
	c->in_use = true;
	b->is.memory_bytes = memory;
	describe(b, driver);
	return good(b, c->api.context_use(context), "cuCtxSetCurrent", error);
}

static void close_device(struct ts_backend *b)
{
	struct cuda *c = find(b);

	if (c->beside != NULL)
		c->api.stream_free(c->beside);
	while (c->module_count > 0)
		c->api.module_unload(c->modules[--c->module_count]);
	if (c->in_use)
		c->api.context_release(c->device);
	/* The driver starts threads and handlers of its own: it stays loaded. */
	g_clear_pointer(&b->state, g_free);
}

static bool open(struct ts_backend *b, GError **error)
{
	if (ts_image_find("probe", "cuda") == NULL)
		return ts_backend_absent(
			error, "this tilesim was built without CUDA kernels, for lack of nvcc");
	b->state = g_new0(struct cuda, 1);
	if (open_driver(b->state, error) && open_device(b, error))
		return true;
	close_device(b);
	return false;
}

static bool load(struct ts_backend *b, const char *program, GError **error)
{
	const struct ts_image *image = ts_image_find(program, "cuda");
	struct cuda *c = find(b);
	int result;

	g_assert(image != NULL && c->module_count < MODULES);
	result = c->api.module_load(&c->modules[c->module_count], image->bytes);
	if (result == CUDA_NO_BINARY)
		return ts_backend_absent(error,
			"%s has compute capability %u.%u, for which this tilesim has no kernels",
			b->is.name, attribute(b, DEVICE_MAJOR), attribute(b, DEVICE_MINOR));
	if (!good(b, result, "cuModuleLoadData", error))
		return false;
	c->module_count++;
	return true;
}

static void *kernel(struct ts_backend *b, const char *name, uint32_t shared, GError **error)
{
	const struct cuda *c = find(b);
	void *found = NULL;
	int result = CUDA_NOT_FOUND;

	/* The newest program first: that is the one whose kernels are asked for, and a search in
	 * vain counts as an error where a tool looks on. */
	for (uint32_t i = c->module_count; i-- > 0 && result == CUDA_NOT_FOUND;)
		result = c->api.module_function(&found, c->modules[i], name);
	if (!good(b, result, name, error) ||
		!good(b, c->api.function_set(found, FUNCTION_SHARED_BYTES, (int)shared), name,
			error))
		return NULL;
	if (b->is.max_cluster > 1 &&
		!good(b, c->api.function_set(found, FUNCTION_LARGE_CLUSTERS, 1), name, error))
		return NULL;
	return found;
}

static struct launch make_launch(
	const struct ts_backend_grid *grid, struct launch_attribute *cluster)
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

static uint32_t residency(
	const struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid)
{
	const struct cuda *c = find(b);
	struct launch_attribute cluster;
	struct launch launch = make_launch(grid, &cluster);
	int count = 0;
	int result;

	if (launch.attribute_count == 0) {
		result = c->api.blocks(&count, kernel, (int)grid->threads, grid->shared);
		count *= (int)b->is.units;
	} else {
		result = c->api.clusters(&count, kernel, &launch);
	}
	return result == 0 && count > 0 ? (uint32_t)count : 0;
}

static uint64_t alloc(struct ts_backend *b, uint64_t bytes, GError **error)
{
	uint64_t address = 0;

	return good(b, find(b)->api.alloc(&address, bytes), "cuMemAlloc", error) ? address : 0;
}

static void release(struct ts_backend *b, uint64_t address)
{
	find(b)->api.free(address);
}

static void *share(struct ts_backend *b, uint64_t bytes, GError **error)
{
	void *memory = NULL;

	if (!good(b, find(b)->api.share(&memory, bytes, SHARE_MAPPED), "cuMemHostAlloc", error))
		return NULL;
	return memset(memory, 0, bytes);
}

static void unshare(struct ts_backend *b, void *memory)
{
	find(b)->api.unshare(memory);
}

static bool fill(
	struct ts_backend *b, uint64_t address, uint32_t word, uint64_t words, GError **error)
{
	return good(b, find(b)->api.fill(address, word, words), "cuMemsetD32", error);
}

static bool fetch(struct ts_backend *b, void *to, uint64_t address, uint64_t bytes, GError **error)
{
	return good(b, find(b)->api.fetch(to, address, bytes), "cuMemcpyDtoH", error);
}

static bool store(
	struct ts_backend *b, uint64_t address, const void *from, uint64_t bytes, GError **error)
{
	return good(b, find(b)->api.store(address, from, bytes), "cuMemcpyHtoD", error);
}

/* On a stream, NULL for the one that all the rest is on. */
static bool start_on(struct ts_backend *b, void *stream, void *kernel,
	const struct ts_backend_grid *grid, void **arguments, GError **error)
{
	struct launch_attribute cluster;
	struct launch launch = make_launch(grid, &cluster);

	launch.stream = stream;
	return good(b, find(b)->api.launch(&launch, kernel, arguments, NULL), "cuLaunchKernelEx",
		error);
}

static bool start(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
	void **arguments, GError **error)
{
	return start_on(b, NULL, kernel, grid, arguments, error);
}

static bool start_beside(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
	void **arguments, GError **error)
{
	struct cuda *c = find(b);

	if (c->beside == NULL &&
		!good(b, c->api.stream_make(&c->beside, STREAM_BESIDE), "cuStreamCreate", error))
		return false;
	return start_on(b, c->beside, kernel, grid, arguments, error);
}

static bool wait_beside(struct ts_backend *b, GError **error)
{
	return good(b, find(b)->api.stream_wait(find(b)->beside), "the kernel beside", error);
}

static bool wait_for_all(struct ts_backend *b, GError **error)
{
	return good(b, find(b)->api.wait(), "the kernel", error);
}

static bool event_make(struct ts_backend *b, void **ret_event, GError **error)
{
	return good(b, find(b)->api.event_make(ret_event, 0), "cuEventCreate", error);
}

static void event_free(struct ts_backend *b, void *event)
{
	find(b)->api.event_free(event);
}

static bool event_record(struct ts_backend *b, void *event, GError **error)
{
	return good(b, find(b)->api.event_record(event, NULL), "cuEventRecord", error);
}

static bool event_ms(struct ts_backend *b, void *from, void *to, float *ret_ms, GError **error)
{
	return good(b, find(b)->api.event_wait(to), "the kernel", error) &&
		good(b, find(b)->api.event_ms(ret_ms, from, to), "cuEventElapsedTime", error);
}

const struct ts_backend_ops ts_cuda_backend = {
	.name = "cuda",
	.vendor = "nvidia",
	.unit = "SM",
	.group = "GPC",
	.open = open,
	.close = close_device,
	.load = load,
	.kernel = kernel,
	.residency = residency,
	.alloc = alloc,
	.free = release,
	.share = share,
	.unshare = unshare,
	.fill = fill,
	.fetch = fetch,
	.store = store,
	.start = start,
	.start_beside = start_beside,
	.wait_beside = wait_beside,
	.wait = wait_for_all,
	.event_make = event_make,
	.event_free = event_free,
	.event_record = event_record,
	.event_ms = event_ms,
};

bool ts_cuda_map(struct ts_backend *b, void *map, const struct ts_cuda_array *a, GError **error)
{
	const uint64_t row = a->stride * sizeof(uint16_t);
	const uint64_t sizes[3] = {a->cols, a->rows, a->layers}, strides[2] = {row, a->rows * row};
	const uint32_t box[3] = {a->box_cols, a->box_rows, 1}, steps[3] = {1, 1, 1};

	return good(b,
		find(b)->api.encode(map, MAP_BF16, a->layers == 0 ? 2 : 3,
			(void *)(uintptr_t)a->address, sizes, strides, box, steps, 0,
			MAP_SWIZZLE_128B, MAP_PROMOTE_128B, 0),
		"cuTensorMapEncodeTiled", error);
}
