/* HIP as a backend, by its module API. */
#include "kernels/hip.h"

#include <dlfcn.h>
#include <string.h>

#include "kernels/hip_api.h"
#include "kernels/images.h"

/* hipError_t */
enum { HIP_NO_DEVICE = 100, HIP_NO_BINARY = 209, HIP_NOT_FOUND = 500 };

/* hipDeviceAttribute_t: these values hold in the headers of the majors 5, 6 and 7. Those of 4 are
 * others, and the last one is new in 7. */
enum {
	DEVICE_CLOCK_KHZ = 5,
	DEVICE_L2_BYTES = 19,
	DEVICE_MEMORY_BITS = 59,
	DEVICE_MEMORY_CLOCK_KHZ = 60,
	DEVICE_UNITS = 63,
	DEVICE_SHARED_BYTES = 74, /* that one workgroup may have */
	DEVICE_LANES = 87,
	DEVICE_XCDS = 10018
};
enum { XCDS_SINCE = 7 };

/* Where hipDeviceProp_t has the name of the target, which there is no other function for: the
 * struct changed with major 6, whose function has a name of its own. No version's struct is as
 * large as the room. */
enum { TARGET_SINCE_6 = 1160, TARGET_BEFORE_6 = 396, PROPERTIES_ROOM = 8192 };

/* The libraries that are tried, the newest first. */
static const struct library {
	const char *name;
	int major;
} libraries[] = {{"libamdhip64.so.7", 7}, {"libamdhip64.so.6", 6}, {"libamdhip64.so.5", 5}};

/* The data sheets' Gbit/s a pin over the clock that the library reports: 3.2 at 1600 MHz, 5.2 at
 * 1300, 8 at 2000, and 20 at 1250. */
static const struct {
	const char *target;
	uint32_t memory_rate;
} rates[] = {{"gfx90a", 2}, {"gfx942", 4}, {"gfx950", 4}, {"gfx1100", 16}, {"gfx1200", 16}};

/* hipHostMallocMapped and hipHostMallocCoherent, and hipStreamNonBlocking */
enum { SHARE_MAPPED = 0x40000002, STREAM_BESIDE = 1 };

enum { MODULES = 8 };

struct hip {
	struct api api;
	const struct library *library;
	size_t target_at; /* in the properties */
	void *modules[MODULES];
	uint32_t module_count;
	void *beside; /* a stream; NULL where none was needed */
};

static struct hip *find(const struct ts_backend *b)
{
	return b->state;
}

static const char *explain(const struct hip *h, int result)
{
	const char *text = h->api.error_string(result);

	return text == NULL ? "unknown error" : text;
}

/* True where `result` is hipSuccess, else an error about `what`. */
static bool good(const struct ts_backend *b, int result, const char *what, GError **error)
{
	if (result != 0)
		g_set_error(error, ts_backend_error_quark(), TS_BACKEND_FAILED,
			"HIP: %s: %s (error %d)", what, explain(find(b), result), result);
	return result == 0;
}

/* 0 where the library does not know. */
static uint32_t attribute(const struct ts_backend *b, int which)
{
	int value = 0;

	return find(b)->api.device_attribute(&value, which, 0) == 0 ? (uint32_t)MAX(value, 0) : 0;
}

static bool open_library(struct hip *h, GError **error)
{
	const struct ts_backend_symbol *properties = &properties_since_6;
	void *library = NULL;
	const char *lacks;

	for (size_t i = 0; library == NULL && i < G_N_ELEMENTS(libraries); i++) {
		h->library = &libraries[i];
		library = dlopen(h->library->name, RTLD_NOW | RTLD_LOCAL);
	}
	if (library == NULL)
		return ts_backend_absent(
			error, "AMD's HIP library (libamdhip64.so.7, .6 or .5) is not installed");
	h->target_at = TARGET_SINCE_6;
	if (h->library->major < 6) {
		h->target_at = TARGET_BEFORE_6;
		properties = &properties_before_6;
	}
	lacks = ts_backend_symbols(library, functions, G_N_ELEMENTS(functions), &h->api);
	if (lacks == NULL)
		lacks = ts_backend_symbols(library, properties, 1, &h->api);
	if (lacks != NULL)
		return ts_backend_absent(
			error, "%s has no %s; install ROCm 5.0 or newer", h->library->name, lacks);
	return true;
}

/* The target without features: code for it runs whatever xnack and sramecc are, since it was made
 * for either. */
static bool find_target(struct ts_backend *b, GError **error)
{
	const struct hip *h = find(b);
	g_autofree char *properties = g_malloc0(PROPERTIES_ROOM);
	const char *target = properties + h->target_at;

	if (!good(b, h->api.device_properties(properties, 0), "hipGetDeviceProperties", error))
		return false;
	if (!g_str_has_prefix(target, "gfx")) {
		g_set_error(error, ts_backend_error_quark(), TS_BACKEND_FAILED,
			"HIP: %s names no target where hipGetDeviceProperties should have it",
			h->library->name);
		return false;
	}
	g_strlcpy(b->is.target, target, MIN(strcspn(target, ":") + 1, sizeof b->is.target));
	return true;
}

static void describe(struct ts_backend *b, int version)
{
	struct ts_backend_properties *is = &b->is;

	g_snprintf(is->about, sizeof is->about, "%s, HIP %d.%d", is->target, version / 10000000,
		version / 100000 % 100);
	is->domains = 1;
	if (find(b)->library->major >= XCDS_SINCE)
		is->domains = MAX(attribute(b, DEVICE_XCDS), 1);
	is->max_cluster = 1;
	is->lanes = attribute(b, DEVICE_LANES);
	is->shared_bytes = attribute(b, DEVICE_SHARED_BYTES);
	is->l2_bytes = attribute(b, DEVICE_L2_BYTES);
	is->clock_khz = attribute(b, DEVICE_CLOCK_KHZ);
	is->memory_clock_khz = attribute(b, DEVICE_MEMORY_CLOCK_KHZ);
	is->memory_bits = attribute(b, DEVICE_MEMORY_BITS);
	for (size_t i = 0; i < G_N_ELEMENTS(rates); i++)
		if (strcmp(rates[i].target, is->target) == 0)
			is->memory_rate = rates[i].memory_rate;
	is->sparse_units = true;
}

static bool open_device(struct ts_backend *b, GError **error)
{
	const struct hip *h = find(b);
	int count = 0, version = 0, units = 0;
	size_t memory = 0;
	int result = h->api.init(0);

	if (result != 0 && result != HIP_NO_DEVICE)
		return ts_backend_absent(error, "%s does not start: %s (error %d)",
			h->library->name, explain(h, result), result);
	if (result == 0)
		result = h->api.device_count(&count);
	if (result == HIP_NO_DEVICE || (result == 0 && count == 0))
		return ts_backend_absent(error, "%s sees no device", h->library->name);
	if (!good(b, result, "hipGetDeviceCount", error) ||
		!good(b, h->api.device_use(0), "hipSetDevice", error) ||
		!good(b, h->api.device_name(b->is.name, sizeof b->is.name, 0), "hipDeviceGetName",
			error) ||
		!good(b, h->api.device_memory(&memory, 0), "hipDeviceTotalMem", error) ||
		!good(b, h->api.device_attribute(&units, DEVICE_UNITS, 0), "hipDeviceGetAttribute",
			error) ||
		!good(b, h->api.runtime_version(&version), "hipRuntimeGetVersion", error) ||
		!find_target(b, error))
		return false;
	b->is.memory_bytes = memory;
	b->is.units = (uint32_t)MAX(units, 1);
	describe(b, version);
	return true;
}

static void close_device(struct ts_backend *b)
{
	struct hip *h = find(b);

	if (h->beside != NULL)
		h->api.stream_free(h->beside);
	while (h->module_count > 0)
		h->api.module_unload(h->modules[--h->module_count]);
	/* The library starts threads and handlers of its own: it stays loaded. */
	g_clear_pointer(&b->state, g_free);
}

/* The targets of a program, with commas; NULL where it has none. Free with g_free(). */
static char *list_targets(const char *program)
{
	GString *out = g_string_new(NULL);

	for (const struct ts_image *i = ts_images; i->program != NULL; i++)
		if (strcmp(i->program, program) == 0 && g_str_has_prefix(i->target, "gfx"))
			g_string_append_printf(out, "%s%s", out->len == 0 ? "" : ", ", i->target);
	return g_string_free(out, out->len == 0);
}

static bool open(struct ts_backend *b, GError **error)
{
	g_autofree char *targets = list_targets("probe");

	if (targets == NULL)
		return ts_backend_absent(error,
			"this tilesim was built without AMD kernels, for lack of clang++-22");
	b->state = g_new0(struct hip, 1);
	if (open_library(b->state, error) && open_device(b, error))
		return true;
	close_device(b);
	return false;
}

static bool load(struct ts_backend *b, const char *program, GError **error)
{
	const struct ts_image *image = ts_image_find(program, b->is.target);
	g_autofree char *targets = list_targets(program);
	struct hip *h = find(b);
	int result;

	g_assert(h->module_count < MODULES);
	if (image == NULL)
		return ts_backend_absent(error,
			"%s is a %s, for which this tilesim has no %s kernel; it has them for %s",
			b->is.name, b->is.target, program, targets == NULL ? "none" : targets);
	result = h->api.module_load(&h->modules[h->module_count], image->bytes);
	if (result == HIP_NO_BINARY)
		return ts_backend_absent(error,
			"%s does not take the kernels for %s that this tilesim has",
			h->library->name, b->is.target);
	if (!good(b, result, "hipModuleLoadData", error))
		return false;
	h->module_count++;
	return true;
}

static void *kernel(struct ts_backend *b, const char *name, uint32_t shared, GError **error)
{
	const struct hip *h = find(b);
	void *found = NULL;
	int result = HIP_NOT_FOUND;

	(void)shared; /* is said with each launch */
	for (uint32_t i = 0; i < h->module_count && result == HIP_NOT_FOUND; i++)
		result = h->api.module_function(&found, h->modules[i], name);
	return good(b, result, name, error) ? found : NULL;
}

static uint32_t residency(
	const struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid)
{
	int count = 0;

	if (grid->cluster[0] * grid->cluster[1] != 1 ||
		find(b)->api.blocks(&count, kernel, (int)grid->threads, grid->shared) != 0)
		return 0;
	return (uint32_t)MAX(count, 0) * b->is.units;
}

static uint64_t alloc(struct ts_backend *b, uint64_t bytes, GError **error)
{
	void *address = NULL;

	return good(b, find(b)->api.alloc(&address, bytes), "hipMalloc", error)
		? (uint64_t)(uintptr_t)address
		: 0;
}

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void release(struct ts_backend *b, uint64_t address)
{
	find(b)->api.free(pointer(address));
}

static void *share(struct ts_backend *b, uint64_t bytes, GError **error)
{
	void *memory = NULL;

	if (!good(b, find(b)->api.share(&memory, bytes, SHARE_MAPPED), "hipHostMalloc", error))
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
	return good(
		b, find(b)->api.fill(pointer(address), (int)word, words), "hipMemsetD32", error);
}

static bool fetch(struct ts_backend *b, void *to, uint64_t address, uint64_t bytes, GError **error)
{
	return good(b, find(b)->api.fetch(to, pointer(address), bytes), "hipMemcpyDtoH", error);
}

static bool store(
	struct ts_backend *b, uint64_t address, const void *from, uint64_t bytes, GError **error)
{
	return good(b, find(b)->api.store(pointer(address), from, bytes), "hipMemcpyHtoD", error);
}

/* On a stream, NULL for the one that all the rest is on. */
static bool start_on(struct ts_backend *b, void *stream, void *kernel,
	const struct ts_backend_grid *grid, void **arguments, GError **error)
{
	g_assert(grid->cluster[0] * grid->cluster[1] == 1);
	return good(b,
		find(b)->api.launch(kernel, grid->count, 1, 1, grid->threads, 1, 1, grid->shared,
			stream, arguments, NULL),
		"hipModuleLaunchKernel", error);
}

static bool start(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
	void **arguments, GError **error)
{
	return start_on(b, NULL, kernel, grid, arguments, error);
}

static bool start_beside(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
	void **arguments, GError **error)
{
	struct hip *h = find(b);

	if (h->beside == NULL &&
		!good(b, h->api.stream_make(&h->beside, STREAM_BESIDE), "hipStreamCreateWithFlags",
			error))
		return false;
	return start_on(b, h->beside, kernel, grid, arguments, error);
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
	return good(b, find(b)->api.event_make(ret_event), "hipEventCreate", error);
}

static void event_free(struct ts_backend *b, void *event)
{
	find(b)->api.event_free(event);
}

static bool event_record(struct ts_backend *b, void *event, GError **error)
{
	return good(b, find(b)->api.event_record(event, NULL), "hipEventRecord", error);
}

static bool event_ms(struct ts_backend *b, void *from, void *to, float *ret_ms, GError **error)
{
	return good(b, find(b)->api.event_wait(to), "the kernel", error) &&
		good(b, find(b)->api.event_ms(ret_ms, from, to), "hipEventElapsedTime", error);
}

const struct ts_backend_ops ts_hip_backend = {
	.name = "hip",
	.vendor = "amd",
	.unit = "CU",
	.group = "XCD",
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
