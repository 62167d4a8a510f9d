/* A libcuda.so.1 without a GPU: one with compute capability 9.0, whose clusters have no room but
 * for FAKE_GPU_CLUSTERS of them. Kernels of matrices compute nothing. LACK_ENCODE leaves a function
 * out. */
#include "tests/fake/gpu.h"

enum { INVALID = 1, NOT_FOUND = 500, OUT_OF_RESOURCES = 701 };
enum { SMS = 12, SHARED_BYTES = 232448 };

static uint32_t find_domain(uint32_t block)
{
	return block;
}

static uint32_t find_unit(uint32_t block)
{
	return block % SMS;
}

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
	(void)flags;
	return enter("cuInit");
}

int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
	*version = 13010;
	return enter("cuDriverGetVersion");
}

int cuGetErrorString(int code, const char **text);
int cuGetErrorString(int code, const char **text)
{
	*text = code == 2 ? "out of memory" : "fake trouble";
	return 0;
}

int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
	*count = devices();
	return enter("cuDeviceGetCount");
}

int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return enter("cuDeviceGet");
}

int cuDeviceGetName(char *name, int room, int device);
int cuDeviceGetName(char *name, int room, int device)
{
	(void)device;
	snprintf(name, (size_t)room, "NVIDIA Fake");
	return enter("cuDeviceGetName");
}

int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	(void)device;
	*bytes = (size_t)141 << 30;
	return enter("cuDeviceTotalMem_v2");
}

/* By the enumerators of CUdevice_attribute. */
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	static const int values[][2] = {
		{10, 32},           /* WARP_SIZE */
		{13, 1980000},      /* CLOCK_RATE */
		{16, SMS},          /* MULTIPROCESSOR_COUNT */
		{36, 3201000},      /* MEMORY_CLOCK_RATE */
		{37, 6144},         /* GLOBAL_MEMORY_BUS_WIDTH */
		{38, 62914560},     /* L2_CACHE_SIZE */
		{75, 9},            /* COMPUTE_CAPABILITY_MAJOR */
		{76, 0},            /* COMPUTE_CAPABILITY_MINOR */
		{97, SHARED_BYTES}, /* MAX_SHARED_MEMORY_PER_BLOCK_OPTIN */
		{120, 1},           /* CLUSTER_LAUNCH */
	};
	int result = enter("cuDeviceGetAttribute");

	(void)device;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i][0] == attribute) {
			*value = values[i][1];
			return result;
		}
	return INVALID;
}

int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device)
{
	static char one;

	(void)device;
	*context = &one;
	return enter("cuDevicePrimaryCtxRetain");
}

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device)
{
	(void)device;
	return enter("cuDevicePrimaryCtxRelease_v2");
}

int cuCtxSetCurrent(void *context);
int cuCtxSetCurrent(void *context)
{
	(void)context;
	return enter("cuCtxSetCurrent");
}

/* Takes fat binaries, by the number at their beginning. */
int cuModuleLoadData(void **module, const void *image);
int cuModuleLoadData(void **module, const void *image)
{
	static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};
	int result = enter("cuModuleLoadData");

	if (result != 0 || memcmp(image, magic, sizeof magic) != 0)
		return result != 0 ? result : 200;
	*module = malloc(1);
	return 0;
}

int cuModuleUnload(void *module);
int cuModuleUnload(void *module)
{
	free(module);
	return enter("cuModuleUnload");
}

/* Those of the GEMM for Hopper, by what plans they are for, and beside it, which do nothing. */
static const struct kernel gemms[] = {
	{"ts_gemm_"}, {"ts_gemm_groups_"}, {"ts_gemm_static_"}, {"ts_gemm_split_"}};
static const struct kernel others[] = {
	{"ts_random"}, {"ts_restride"}, {"ts_reference"}, {"ts_clock"}};

enum { USES = sizeof gemms / sizeof *gemms, OTHERS = sizeof others / sizeof *others };

static const struct kernel *find_idle_kernel(const char *name)
{
	static const char *const forms[] = {"bf16_nk", "bf16_kn", "fp16_nk", "fp16_kn"};
	static const char *const tiles[] = {"128x256", "128x192", "128x128", "128x64", "64x128"};
	char known[64];

	for (unsigned i = 0; i < USES * 4 * 5; i++) {
		snprintf(known, sizeof known, "%s%s_%s", gemms[i / 20].name, forms[i / 5 % 4],
			tiles[i % 5]);
		if (strcmp(name, known) == 0)
			return &gemms[i / 20];
	}
	for (unsigned i = 0; i < OTHERS; i++)
		if (strcmp(name, others[i].name) == 0)
			return &others[i];
	return NULL;
}

int cuModuleGetFunction(const void **function, void *module, const char *name);
int cuModuleGetFunction(const void **function, void *module, const char *name)
{
	int result = enter("cuModuleGetFunction");

	(void)module;
	*function = find_kernel(name);
	if (*function == NULL)
		*function = find_idle_kernel(name);
	return *function == NULL ? NOT_FOUND : result;
}

/* MAX_DYNAMIC_SHARED_SIZE_BYTES and NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuFuncSetAttribute(void *function, int attribute, int value)
{
	int result = enter("cuFuncSetAttribute");

	(void)function;
	if (attribute == 8 && value <= SHARED_BYTES)
		return result;
	return attribute == 14 && value == 1 ? result : INVALID;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(
	int *count, void *function, int threads, size_t shared);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(
	int *count, void *function, int threads, size_t shared)
{
	(void)function;
	*count = 2048 / threads;
	if (*count > SHARED_BYTES / (int)(shared + 1024))
		*count = SHARED_BYTES / (int)(shared + 1024);
	return enter("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

static int clusters(void)
{
	const char *text = getenv("FAKE_GPU_CLUSTERS");

	return text == NULL ? 0 : atoi(text);
}

int cuOccupancyMaxActiveClusters(int *count, void *function, const void *config);
int cuOccupancyMaxActiveClusters(int *count, void *function, const void *config)
{
	(void)function;
	(void)config;
	*count = clusters();
	return enter("cuOccupancyMaxActiveClusters");
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
	int result = enter("cuMemAlloc_v2");

	if (result == 0)
		*address = (uintptr_t)take(bytes);
	return result;
}

int cuMemFree_v2(uint64_t address);
int cuMemFree_v2(uint64_t address)
{
	int result = enter("cuMemFree_v2");

	return give_back((void *)(uintptr_t)address) ? result : INVALID;
}

int cuMemsetD32_v2(uint64_t address, unsigned word, size_t words);
int cuMemsetD32_v2(uint64_t address, unsigned word, size_t words)
{
	int result = enter("cuMemsetD32_v2");

	if (result != 0)
		return result;
	return fill((void *)(uintptr_t)address, (int)word, words) ? 0 : INVALID;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
	const void *device = (const void *)(uintptr_t)from;
	int result = enter("cuMemcpyDtoH_v2");

	if (result != 0)
		return result;
	return copy(to, device, bytes, device) ? 0 : INVALID;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
	void *device = (void *)(uintptr_t)to;
	int result = enter("cuMemcpyHtoD_v2");

	if (result != 0)
		return result;
	return copy(device, from, bytes, device) ? 0 : INVALID;
}

/* Memory that the device sees too, and a stream beside the default one. */
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
	int result = enter("cuMemHostAlloc");

	(void)flags;
	if (result == 0)
		*memory = take(bytes);
	return result;
}

int cuMemFreeHost(void *memory);
int cuMemFreeHost(void *memory)
{
	int result = enter("cuMemFreeHost");

	return give_back(memory) ? result : INVALID;
}

static char beside;

int cuStreamCreate(void **stream, unsigned flags);
int cuStreamCreate(void **stream, unsigned flags)
{
	int result = enter("cuStreamCreate");

	if (flags != 1)
		return INVALID;
	*stream = &beside;
	return result;
}

int cuStreamDestroy_v2(void *stream);
int cuStreamDestroy_v2(void *stream)
{
	int result = enter("cuStreamDestroy_v2");

	return stream == &beside ? result : INVALID;
}

int cuStreamSynchronize(void *stream);
int cuStreamSynchronize(void *stream)
{
	int result = enter("cuStreamSynchronize");

	return stream == &beside ? result : INVALID;
}

/* The beginning of CUlaunchConfig. */
struct config {
	unsigned grid[3], block[3];
	unsigned shared;
	void *stream;
	void *attributes;
	unsigned attribute_count;
};

int cuLaunchKernelEx(
	const struct config *config, const struct kernel *kernel, void **arguments, void **extra);
int cuLaunchKernelEx(
	const struct config *config, const struct kernel *kernel, void **arguments, void **extra)
{
	int result = enter("cuLaunchKernelEx");

	if (result != 0)
		return result;
	if (config->grid[0] == 0 || (config->grid[1] != 1 && clusters() == 0) ||
		config->grid[2] != 1 || config->block[0] == 0 || config->block[0] > 1024 ||
		config->block[1] != 1 || config->block[2] != 1 ||
		(config->stream != NULL && config->stream != &beside) ||
		(config->attribute_count != 0 && clusters() == 0) || extra != NULL)
		return INVALID;
	if (config->shared + 1024 > SHARED_BYTES)
		return OUT_OF_RESOURCES;
	launch(kernel, config->grid[0], arguments);
	for (unsigned i = 0; i < USES; i++)
		if (kernel == &gemms[i])
			write_line(gemms[i].name);
	return 0;
}

int cuCtxSynchronize(void);
int cuCtxSynchronize(void)
{
	return enter("cuCtxSynchronize");
}

#ifndef LACK_ENCODE
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
	const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
	int swizzle, int promotion, int outside);

/* Notes sizes, strides and box. Refuses what the driver's manual says is not allowed with a swizzle
 * of 128 bytes, of 16 bit elements. */
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
	const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
	int swizzle, int promotion, int outside)
{
	int result = enter("cuTensorMapEncodeTiled");
	char line[256] = "map";
	size_t length;

	(void)promotion;
	if (result != 0)
		return result;
	if ((uintptr_t)map % 64 != 0 || type != 9 || rank < 2 || rank > 5 ||
		(uintptr_t)address % 16 != 0 || interleave != 0 || swizzle != 3 || outside != 0 ||
		box[0] * 2 > 128 || box[0] * 2 % 16 != 0)
		return INVALID;
	for (uint32_t i = 0; i < rank; i++) {
		if (sizes[i] == 0 || sizes[i] > UINT64_C(1) << 32 || box[i] == 0 || box[i] > 256 ||
			steps[i] != 1)
			return INVALID;
		if (i > 0 &&
			(strides[i - 1] % 16 != 0 || strides[i - 1] >= UINT64_C(1) << 40 ||
				strides[i - 1] < sizes[i - 1] * (i == 1 ? 2 : strides[i - 2])))
			return INVALID;
		length = strlen(line);
		snprintf(line + length, sizeof line - length, " %u of %llu by %llu", box[i],
			(unsigned long long)sizes[i],
			(unsigned long long)(i == 0 ? 2 : strides[i - 1]));
	}
	write_line(line);
	return 0;
}
#endif

/* An event is when it was recorded. */
int cuEventCreate(void **event, unsigned flags);
int cuEventCreate(void **event, unsigned flags)
{
	int result = enter("cuEventCreate");

	(void)flags;
	if (result == 0)
		*event = calloc(1, sizeof(uint64_t));
	return result;
}

int cuEventDestroy_v2(void *event);
int cuEventDestroy_v2(void *event)
{
	free(event);
	return enter("cuEventDestroy_v2");
}

int cuEventRecord(void *event, void *stream);
int cuEventRecord(void *event, void *stream)
{
	(void)stream;
	*(uint64_t *)event = now;
	return enter("cuEventRecord");
}

int cuEventSynchronize(void *event);
int cuEventSynchronize(void *event)
{
	(void)event;
	return enter("cuEventSynchronize");
}

int cuEventElapsedTime(float *ms, const uint64_t *from, const uint64_t *to);
int cuEventElapsedTime(float *ms, const uint64_t *from, const uint64_t *to)
{
	*ms = (float)(*to - *from) / 1e6f;
	return enter("cuEventElapsedTime");
}
