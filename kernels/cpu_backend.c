/* The backend's functions on the executor's; a launch is over when it has begun. */
#include "kernels/cpu_backend.h"

#include <string.h>
#include <unistd.h>

#include "kernels/cpu.h"
#include "kernels/matrices_kernel.h"
#include "kernels/mma_kernel.h"
#include "kernels/probe_kernel.h"

/* The kernels of the GEMM that acts as one of the devices, for plain plans or for others. */
#define MMA_OF(program, bf16, fp16, as)                                                            \
	{program, &bf16##_nk_128_##as}, {program, &bf16##_nk_64_##as},                             \
		{program, &bf16##_kn_128_##as}, {program, &bf16##_kn_64_##as},                     \
		{program, &fp16##_nk_128_##as}, {program, &fp16##_nk_64_##as},                     \
		{program, &fp16##_kn_128_##as},                                                    \
	{                                                                                          \
		program, &fp16##_kn_64_##as                                                        \
	}
#define MMA(as)                                                                                    \
	MMA_OF("mma", ts_mma_bf16, ts_mma_fp16, as),                                               \
		MMA_OF("mma_groups", ts_mma_groups_bf16, ts_mma_groups_fp16, as)

/* The kernels of each program. */
static const struct {
	const char *program;
	const struct cpu_kernel *kernel;
} kernels[] = {
	{"probe", &ts_probe},
	{"probe", &ts_latency},
	{"probe_groups", &ts_probe_groups},
	{"probe", &ts_hold},
	{"matrices", &ts_random},
	{"matrices", &ts_restride},
	{"matrices", &ts_reference},
	{"matrices", &ts_clock},
	MMA(sm80),
	MMA(gfx942),
	MMA(gfx950),
	MMA(gfx1100),
	MMA(gfx1200),
};

struct cpu {
	struct ts_cpu *cpu;
	struct ts_cpu_way way;
};

static struct cpu *find(const struct ts_backend *b)
{
	return b->state;
}

static bool fail(GError **error, const char *what)
{
	g_set_error(error, ts_backend_error_quark(), TS_BACKEND_FAILED, "CPU: %s", what);
	return false;
}

static bool open_cpu(struct ts_backend *b, GError **error)
{
	struct ts_backend_properties *is = &b->is;
	struct cpu *c = g_new0(struct cpu, 1);

	c->cpu = ts_cpu_new();
	if (c->cpu == NULL) {
		g_free(c);
		return fail(error, "no memory");
	}
	b->state = c;
	g_strlcpy(is->name, "CPU", sizeof is->name);
	g_strlcpy(is->target, "cpu", sizeof is->target);
	g_snprintf(
		is->about, sizeof is->about, "%u processors, kernels in C", g_get_num_processors());
	is->units = is->max_cluster = TS_CPU_UNITS;
	is->domains = 1;
	is->lanes = 32;
	is->shared_bytes = TS_CPU_SHARED;
	is->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

static void close_cpu(struct ts_backend *b)
{
	ts_cpu_free(find(b)->cpu);
	g_free(b->state);
}

static bool load(struct ts_backend *b, const char *program, GError **error)
{
	(void)b;
	for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++)
		if (strcmp(kernels[i].program, program) == 0)
			return true;
	return ts_backend_absent(error, "the program %s is not there for the CPU", program);
}

static void *find_kernel(struct ts_backend *b, const char *name, uint32_t shared, GError **error)
{
	g_autofree char *what = g_strdup_printf("there is no kernel %s", name);

	(void)b;
	(void)shared;
	for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++)
		if (strcmp(kernels[i].kernel->name, name) == 0)
			return (void *)(uintptr_t)kernels[i].kernel;
	fail(error, what);
	return NULL;
}

static struct ts_cpu_grid make_grid(const struct ts_backend_grid *grid)
{
	struct ts_cpu_grid g = {
		grid->count, {grid->cluster[0], grid->cluster[1]}, grid->threads, grid->shared};

	return g;
}

static uint32_t residency(
	const struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid)
{
	struct ts_cpu_grid g = make_grid(grid);

	(void)b;
	(void)kernel;
	return ts_cpu_residency(&g);
}

static uint64_t alloc(struct ts_backend *b, uint64_t bytes, GError **error)
{
	void *memory = cpu_memory_alloc(ts_cpu_memory(find(b)->cpu), bytes, "device memory");

	if (memory == NULL)
		fail(error, "no memory");
	return (uintptr_t)memory;
}

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void free_memory(struct ts_backend *b, uint64_t address)
{
	cpu_memory_free(ts_cpu_memory(find(b)->cpu), pointer(address));
}

/* All memory is the host's, and new memory is zero. */
static void *share(struct ts_backend *b, uint64_t bytes, GError **error)
{
	return pointer(alloc(b, bytes, error));
}

static void unshare(struct ts_backend *b, void *memory)
{
	cpu_memory_free(ts_cpu_memory(find(b)->cpu), memory);
}

static void name_parts(
	struct ts_backend *b, uint64_t address, const struct ts_backend_part *parts, uint32_t count)
{
	struct cpu_memory *m = ts_cpu_memory(find(b)->cpu);

	cpu_memory_forget(m, pointer(address));
	for (uint32_t i = 0; i < count; i++)
		g_assert(cpu_memory_name(
			m, pointer(parts[i].address), parts[i].bytes, parts[i].name));
}

static bool fill(
	struct ts_backend *b, uint64_t address, uint32_t word, uint64_t words, GError **error)
{
	uint32_t *to = pointer(address);

	(void)b;
	(void)error;
	for (uint64_t i = 0; i < words; i++)
		to[i] = word;
	return true;
}

static bool fetch(struct ts_backend *b, void *to, uint64_t address, uint64_t bytes, GError **error)
{
	(void)b;
	(void)error;
	memcpy(to, pointer(address), bytes);
	return true;
}

static bool store(
	struct ts_backend *b, uint64_t address, const void *from, uint64_t bytes, GError **error)
{
	(void)b;
	(void)error;
	memcpy(pointer(address), from, bytes);
	return true;
}

/* Kernels have one argument. */
static bool start(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
	void **arguments, GError **error)
{
	struct ts_cpu_grid g = make_grid(grid);
	char fault[TS_CPU_FAULT];

	return ts_cpu_launch(find(b)->cpu, kernel, &g, &find(b)->way, arguments[0], fault) ||
		fail(error, fault);
}

static bool wait_for_all(struct ts_backend *b, GError **error)
{
	(void)b;
	(void)error;
	return true;
}

static void seed(struct ts_backend *b, uint64_t number)
{
	find(b)->way.seeded = true;
	find(b)->way.seed = number;
}

/* An event is the time at which it happened. */
static bool event_make(struct ts_backend *b, void **ret_event, GError **error)
{
	(void)b;
	(void)error;
	*ret_event = g_new0(int64_t, 1);
	return true;
}

static void event_free(struct ts_backend *b, void *event)
{
	(void)b;
	g_free(event);
}

static bool event_record(struct ts_backend *b, void *event, GError **error)
{
	(void)b;
	(void)error;
	*(int64_t *)event = g_get_monotonic_time();
	return true;
}

static bool event_ms(struct ts_backend *b, void *from, void *to, float *ret_ms, GError **error)
{
	(void)b;
	(void)error;
	*ret_ms = (float)(*(int64_t *)to - *(int64_t *)from) / 1000;
	return true;
}

const struct ts_backend_ops ts_cpu_backend = {.name = "cpu",
	.vendor = "cpu",
	.unit = "unit",
	.group = "group",
	.only_by_name = true,
	.open = open_cpu,
	.close = close_cpu,
	.load = load,
	.kernel = find_kernel,
	.residency = residency,
	.alloc = alloc,
	.free = free_memory,
	.share = share,
	.unshare = unshare,
	.name_parts = name_parts,
	.fill = fill,
	.fetch = fetch,
	.store = store,
	.start = start,
	.wait = wait_for_all,
	.seed = seed,
	.event_make = event_make,
	.event_free = event_free,
	.event_record = event_record,
	.event_ms = event_ms};
