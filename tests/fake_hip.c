/* A libamdhip64 without a GPU: device memory is the host's, and the probe kernel is compiled into
 * it and runs workgroup after workgroup. MAJOR is the ROCm version that it plays; LACK_MEMSET and
 * LACK_PROPERTIES leave functions out. What it pretends is in the environment:
 *   FAKE_HIP_TARGET   name of the target (default gfx942:sramecc+:xnack-)
 *   FAKE_HIP_DEVICES  how many there are (default 1)
 *   FAKE_HIP_FAIL     FUNCTION=CODE: that one returns the code
 *   FAKE_HIP_LOSE     claims that are not counted: 1 in so many
 *   FAKE_HIP_LOG      file to which the name of each call is appended */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DEVICE = 100, NO_BINARY = 209, INVALID = 1, NOT_FOUND = 500, OUT_OF_RESOURCES = 701 };
enum { XCDS = 8, CUS = 5, SHARED_BYTES = 65536, STATIC_SHARED = 92 };

/* The workgroup that runs, a clock, and claims so far. */
static uint32_t workgroup;
static uint64_t now;
static uint32_t claims;

static uint32_t lose(void)
{
	const char *text = getenv("FAKE_HIP_LOSE");

	return text == NULL ? 0 : (uint32_t)atoi(text);
}

/* In place of kernels/gpu.h: all workgroups have one thread that does anything. */
#define TS_GPU_H
#define TS_KERNEL(name, type, threads) static void name(const type args)
#define TS_GPU static inline
#define TS_SHARED(type, name, count) static type name[count]
#define TS_READ(p) (*(p))
#define TS_WRITE(p, value) (*(p) = (value))

TS_GPU uint32_t gpu_thread(void)
{
	return 0;
}

TS_GPU uint32_t gpu_rank(void)
{
	return 0;
}

TS_GPU uint32_t gpu_cluster(void)
{
	return workgroup;
}

TS_GPU uint32_t gpu_cta(void)
{
	return workgroup;
}

/* Workgroups go to XCDs in turn; of ten CUs every other one is switched off. */
TS_GPU uint32_t gpu_domain(void)
{
	return workgroup % XCDS;
}

TS_GPU uint32_t gpu_unit(void)
{
	return gpu_domain() << 8 | workgroup / XCDS % CUS * 2;
}

TS_GPU void gpu_cluster_sync(void)
{
}

TS_GPU const void *gpu_shared_of(const void *p, uint32_t rank)
{
	(void)rank;
	return p;
}

TS_GPU uint32_t gpu_claim(uint32_t *counter)
{
	now += 500;
	if (lose() > 0 && ++claims % lose() == 0)
		return *counter;
	return (*counter)++;
}

TS_GPU void gpu_signal(uint32_t *counter, uint32_t value)
{
	*counter += value;
}

TS_GPU uint32_t gpu_acquire(const uint32_t *counter)
{
	return *counter;
}

TS_GPU uint64_t gpu_time_ns(void)
{
	return now += 10;
}

TS_GPU uint64_t gpu_cycles(void)
{
	return now * 2;
}

TS_GPU void gpu_tile(uint32_t m, uint32_t n)
{
	(void)m;
	(void)n;
}

#include "kernels/probe_kernel.c"

/* Notes the call; what it is to return at once. */
static int enter(const char *name)
{
	const char *path = getenv("FAKE_HIP_LOG"), *fail = getenv("FAKE_HIP_FAIL");
	size_t length = strlen(name);

	if (path != NULL) {
		FILE *f = fopen(path, "a");

		fprintf(f, "%s\n", name);
		fclose(f);
	}
	if (fail != NULL && strncmp(fail, name, length) == 0 && fail[length] == '=')
		return atoi(fail + length + 1);
	return 0;
}

static const char *target(void)
{
	const char *name = getenv("FAKE_HIP_TARGET");

	return name == NULL ? "gfx942:sramecc+:xnack-" : name;
}

static int devices(void)
{
	const char *text = getenv("FAKE_HIP_DEVICES");

	return text == NULL ? 1 : atoi(text);
}

/* Device memory that is in use. */
static struct {
	char *begin;
	size_t bytes;
} memory[64];

enum { BLOCKS = sizeof memory / sizeof *memory };

/* Is all of it inside one allocation? */
static int inside(const void *p, size_t bytes)
{
	uintptr_t at = (uintptr_t)p;

	for (int i = 0; i < BLOCKS; i++) {
		uintptr_t begin = (uintptr_t)memory[i].begin;

		if (begin != 0 && at >= begin && at + bytes <= begin + memory[i].bytes)
			return 1;
	}
	return 0;
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

static const struct kernel {
	const char *name;
	int argument_bytes;
} kernels[] = {
	{"ts_probe", sizeof(struct ts_probe_args)}, {"ts_latency", sizeof(struct ts_latency_args)}};

int hipModuleGetFunction(const void **function, void *module, const char *name);
int hipModuleGetFunction(const void **function, void *module, const char *name)
{
	int result = enter("hipModuleGetFunction");

	(void)module;
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (strcmp(kernels[i].name, name) == 0) {
			*function = &kernels[i];
			return result;
		}
	return NOT_FOUND;
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

	for (int i = 0; result == 0 && i < BLOCKS; i++) {
		if (memory[i].begin != NULL)
			continue;
		*address = memory[i].begin = malloc(bytes);
		memory[i].bytes = bytes;
		return 0;
	}
	return result == 0 ? 2 : result;
}

int hipFree(void *address);
int hipFree(void *address)
{
	for (int i = 0; i < BLOCKS; i++) {
		if (memory[i].begin != address)
			continue;
		free(address);
		memory[i].begin = NULL;
		return enter("hipFree");
	}
	return INVALID;
}

#ifndef LACK_MEMSET
int hipMemsetD32(void *address, int word, size_t words);
int hipMemsetD32(void *address, int word, size_t words)
{
	int result = enter("hipMemsetD32");

	if (result != 0 || !inside(address, words * sizeof(int)))
		return result != 0 ? result : INVALID;
	for (size_t i = 0; i < words; i++)
		((int *)address)[i] = word;
	return 0;
}
#endif

int hipMemcpyDtoH(void *to, void *from, size_t bytes);
int hipMemcpyDtoH(void *to, void *from, size_t bytes)
{
	int result = enter("hipMemcpyDtoH");

	if (result != 0 || !inside(from, bytes))
		return result != 0 ? result : INVALID;
	memcpy(to, from, bytes);
	return 0;
}

int hipMemcpyHtoD(void *to, const void *from, size_t bytes);
int hipMemcpyHtoD(void *to, const void *from, size_t bytes)
{
	int result = enter("hipMemcpyHtoD");

	if (result != 0 || !inside(to, bytes))
		return result != 0 ? result : INVALID;
	memcpy(to, from, bytes);
	return 0;
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
		block_y != 1 || block_z != 1 || stream != NULL || extra != NULL)
		return INVALID;
	if (shared + STATIC_SHARED > SHARED_BYTES)
		return OUT_OF_RESOURCES;
	for (workgroup = 0; workgroup < grid_x; workgroup++) {
		if (kernel == &kernels[0])
			ts_probe(*(const struct ts_probe_args *)arguments[0]);
		else
			ts_latency(*(const struct ts_latency_args *)arguments[0]);
	}
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
