/* A libamdhip64 without a GPU. MAJOR is the ROCm version that it plays; LACK_MEMSET and
 * LACK_PROPERTIES leave functions out. FAKE_GPU_TARGET is the target (default
 * gfx942:sramecc+:xnack-). */
#include <elf.h>

#include "tests/fake/gpu.h"

enum { NO_BINARY = 209, INVALID = 1, NOT_FOUND = 500, OUT_OF_RESOURCES = 701 };
enum { XCDS = 8, CUS = 5, SHARED_BYTES = 65536, STATIC_SHARED = 92 };

/* Workgroups go to XCDs in turn; of ten CUs every other one is switched off. */
static uint32_t find_domain(uint32_t workgroup)
{
	return workgroup % XCDS;
}

static uint32_t find_unit(uint32_t workgroup)
{
	return find_domain(workgroup) << 8 | workgroup / XCDS % CUS * 2;
}

static const char *target(void)
{
	const char *name = getenv("FAKE_GPU_TARGET");

	return name == NULL ? "gfx942:sramecc+:xnack-" : name;
}

int hipInit(unsigned flags);
int hipInit(unsigned flags)
{
	(void)flags;
	return enter("hipInit");
}

int hipRuntimeGetVersion(int *version);
int hipRuntimeGetVersion(int *version)
{
	*version = MAJOR * 10000000 + 2 * 100000 + 31;
	return enter("hipRuntimeGetVersion");
}

const char *hipGetErrorString(int code);
const char *hipGetErrorString(int code)
{
	return code == 2 ? "out of memory" : "fake trouble";
}

int hipGetDeviceCount(int *count);
int hipGetDeviceCount(int *count)
{
	int result = enter("hipGetDeviceCount");

	*count = devices();
	return result;
}

int hipSetDevice(int device);
int hipSetDevice(int device)
{
	int result = enter("hipSetDevice");

	return result != 0 ? result : device < devices() ? 0 : 101;
}

int hipDeviceGetName(char *name, int room, int device);
int hipDeviceGetName(char *name, int room, int device)
{
	(void)device;
	snprintf(name, (size_t)room, "AMD Instinct Fake");
	return enter("hipDeviceGetName");
}

int hipDeviceTotalMem(size_t *bytes, int device);
int hipDeviceTotalMem(size_t *bytes, int device)
{
	(void)device;
	*bytes = (size_t)192 << 30;
	return enter("hipDeviceTotalMem");
}

/* By the enumerators of hipDeviceAttribute_t in the headers of this major. */
int hipDeviceGetAttribute(int *value, int attribute, int device);
int hipDeviceGetAttribute(int *value, int attribute, int device)
{
	static const int values[][2] = {
		{5, 2100000},                    /* ClockRate */
		{19, 4194304},                   /* L2CacheSize */
		{59, 8192},                      /* MemoryBusWidth */
		{60, 1300000},                   /* MemoryClockRate */
		{63, XCDS * CUS},                /* MultiprocessorCount */
		{74, SHARED_BYTES},              /* MaxSharedMemoryPerBlock */
		{87, 64},                        /* WarpSize */
		{MAJOR >= 7 ? 10018 : -1, XCDS}, /* NumberOfXccs */
	};
	int result = enter("hipDeviceGetAttribute");

	(void)device;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i][0] == attribute) {
			*value = values[i][1];
			return result;
		}
	return INVALID;
}

/* The struct of the majors before 6. Later ones have that function too, for old programs. */
#ifndef LACK_PROPERTIES
int hipGetDeviceProperties(char *properties, int device);
int hipGetDeviceProperties(char *properties, int device)
{
	(void)device;
	memset(properties, 0, 792);
	strcpy(properties + 396, target());
	return enter("hipGetDeviceProperties");
}

#if MAJOR >= 6
int hipGetDevicePropertiesR0600(char *properties, int device);
int hipGetDevicePropertiesR0600(char *properties, int device)
{
	(void)device;
	memset(properties, 0, 1472);
	strcpy(properties + 1160, target());
	return enter("hipGetDevicePropertiesR0600");
}
#endif
#endif

/* Takes code objects for the target only. */
int hipModuleLoadData(void **module, const void *image);
int hipModuleLoadData(void **module, const void *image)
{
	static const struct {
		const char *target;
		unsigned machine; /* EF_AMDGPU_MACH of the ELF header's flags */
	} machines[] = {{"gfx90a", 0x3f}, {"gfx942", 0x4c}, {"gfx950", 0x4f}, {"gfx1100", 0x41},
		{"gfx1200", 0x48}};
	int result = enter("hipModuleLoadData");
	Elf64_Ehdr header;

	if (result != 0)
		return result;
	memcpy(&header, image, sizeof header);
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != 224)
		return 200;
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (strncmp(target(), machines[i].target, strcspn(target(), ":")) == 0 &&
			(header.e_flags & 0xff) == machines[i].machine) {
			*module = malloc(1);
			return 0;
		}
	return NO_BINARY;
}

int hipModuleUnload(void *module);
int hipModuleUnload(void *module)
{
	free(module);
	return enter("hipModuleUnload");
}

int hipModuleGetFunction(const void **function, void *module, const char *name);
int hipModuleGetFunction(const void **function, void *module, const char *name)
{
	int result = enter("hipModuleGetFunction");

	(void)module;
	*function = find_kernel(name);
	return *function == NULL ? NOT_FOUND : result;
}

int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
	int *count, void *function, int threads, size_t shared);
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
	int *count, void *function, int threads, size_t shared)
{
	(void)function;
	*count = 2048 / threads;
	if (*count > SHARED_BYTES / (int)(shared + STATIC_SHARED))
		*count = SHARED_BYTES / (int)(shared + STATIC_SHARED);
	return enter("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");
}

int hipMalloc(void **address, size_t bytes);
int hipMalloc(void **address, size_t bytes)
{
	int result = enter("hipMalloc");

	if (result == 0)
		*address = take(bytes);
	return result;
}

int hipFree(void *address);
int hipFree(void *address)
{
	int result = enter("hipFree");

	return give_back(address) ? result : INVALID;
}

#ifndef LACK_MEMSET
int hipMemsetD32(void *address, int word, size_t words);
int hipMemsetD32(void *address, int word, size_t words)
{
	int result = enter("hipMemsetD32");

	if (result != 0)
		return result;
	return fill(address, word, words) ? 0 : INVALID;
}
#endif

int hipMemcpyDtoH(void *to, void *from, size_t bytes);
int hipMemcpyDtoH(void *to, void *from, size_t bytes)
{
	int result = enter("hipMemcpyDtoH");

	if (result != 0)
		return result;
	return copy(to, from, bytes, from) ? 0 : INVALID;
}

int hipMemcpyHtoD(void *to, const void *from, size_t bytes);
int hipMemcpyHtoD(void *to, const void *from, size_t bytes)
{
	int result = enter("hipMemcpyHtoD");

	if (result != 0)
		return result;
	return copy(to, from, bytes, to) ? 0 : INVALID;
}

/* Memory that the device sees too, and a stream beside the default one. */
int hipHostMalloc(void **memory, size_t bytes, unsigned flags);
int hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
	int result = enter("hipHostMalloc");

	(void)flags;
	if (result == 0)
		*memory = take(bytes);
	return result;
}

int hipHostFree(void *memory);
int hipHostFree(void *memory)
{
	int result = enter("hipHostFree");

	return give_back(memory) ? result : INVALID;
}

static char beside;

int hipStreamCreateWithFlags(void **stream, unsigned flags);
int hipStreamCreateWithFlags(void **stream, unsigned flags)
{
	int result = enter("hipStreamCreateWithFlags");

	if (flags != 1)
		return INVALID;
	*stream = &beside;
	return result;
}

int hipStreamDestroy(void *stream);
int hipStreamDestroy(void *stream)
{
	int result = enter("hipStreamDestroy");

	return stream == &beside ? result : INVALID;
}

int hipStreamSynchronize(void *stream);
int hipStreamSynchronize(void *stream)
{
	int result = enter("hipStreamSynchronize");

	return stream == &beside ? result : INVALID;
}

int hipModuleLaunchKernel(const struct kernel *kernel, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
	void *stream, void **arguments, void **extra);
int hipModuleLaunchKernel(const struct kernel *kernel, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
	void *stream, void **arguments, void **extra)
{
	int result = enter("hipModuleLaunchKernel");

	if (result != 0)
		return result;
	if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0 || block_x > 1024 ||
		block_y != 1 || block_z != 1 || (stream != NULL && stream != &beside) ||
		extra != NULL)
		return INVALID;
	if (shared + STATIC_SHARED > SHARED_BYTES)
		return OUT_OF_RESOURCES;
	launch(kernel, grid_x, arguments);
	return 0;
}

int hipDeviceSynchronize(void);
int hipDeviceSynchronize(void)
{
	return enter("hipDeviceSynchronize");
}

/* An event is when it was recorded. */
int hipEventCreate(void **event);
int hipEventCreate(void **event)
{
	int result = enter("hipEventCreate");

	if (result == 0)
		*event = calloc(1, sizeof(uint64_t));
	return result;
}

int hipEventDestroy(void *event);
int hipEventDestroy(void *event)
{
	free(event);
	return enter("hipEventDestroy");
}

int hipEventRecord(void *event, void *stream);
int hipEventRecord(void *event, void *stream)
{
	(void)stream;
	*(uint64_t *)event = now;
	return enter("hipEventRecord");
}

int hipEventSynchronize(void *event);
int hipEventSynchronize(void *event)
{
	(void)event;
	return enter("hipEventSynchronize");
}

int hipEventElapsedTime(float *ms, const uint64_t *from, const uint64_t *to);
int hipEventElapsedTime(float *ms, const uint64_t *from, const uint64_t *to)
{
	*ms = (float)(*to - *from) / 1e6f;
	return enter("hipEventElapsedTime");
}
