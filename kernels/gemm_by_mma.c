/* The GEMM by the kernels of mma_kernel.c. */
#include <string.h>

#include "kernels/gemm.h"

enum { LARGE, SMALL, BLOCKS };

/* What a kernel is compiled for: threads of a CTA, and stages in shared memory. */
static const struct {
	const char *target; /* how the device's target begins, and what the CPU acts as */
	const char *name;
	uint32_t threads, stages;
} targets[] = {
	{"sm_", "sm80", 256, 4},
	{"gfx950", "gfx950", 256, 2},
	{"gfx9", "gfx942", 256, 2},
	{"gfx11", "gfx1100", 256, 2},
	{"gfx12", "gfx1200", 256, 2},
};

static bool is_cpu(const struct ts_gemm *g)
{
	return strcmp(g->gpu.is.target, "cpu") == 0;
}

/* The row of `targets`. */
static size_t find_target(const struct ts_gemm *g)
{
	for (size_t i = 0; i < G_N_ELEMENTS(targets); i++)
		if (is_cpu(g) ? strcmp(targets[i].name, g->instructions) == 0
			      : g_str_has_prefix(g->gpu.is.target, targets[i].target))
			return i;
	return 0;
}

static uint32_t shared_bytes(const struct ts_gemm *g, uint32_t block)
{
	return targets[find_target(g)].stages * 2 * block * TS_MMA_BLOCK_K * 2;
}

static uint32_t block_of(uint32_t i)
{
	return i == LARGE ? TS_MMA_LARGE : TS_MMA_SMALL;
}

static bool find(struct ts_gemm *g, GError **error)
{
	/* First those for plain plans, then those for others. */
	for (uint32_t i = 0; i < 2 * BLOCKS; i++) {
		uint32_t block = block_of(i % BLOCKS);
		g_autofree char *name = g_strdup_printf("ts_mma_%s%s_%s_%u%s%s",
			i < BLOCKS ? "" : "groups_", g->form.type == TS_MMA_BF16 ? "bf16" : "fp16",
			g->form.layout == TS_MMA_ALONG_K ? "nk" : "kn", block, is_cpu(g) ? "_" : "",
			is_cpu(g) ? targets[find_target(g)].name : "");

		g->kernels[i] = g->gpu.ops->kernel(&g->gpu, name, shared_bytes(g, block), error);
		if (g->kernels[i] == NULL)
			return false;
	}
	return true;
}

static bool has_block(int64_t block_m, int64_t block_n, int64_t block_k)
{
	return block_m == block_n && (block_n == TS_MMA_LARGE || block_n == TS_MMA_SMALL) &&
		block_k == TS_MMA_BLOCK_K;
}

/* One CTA computes them all. */
static bool has_cluster(int64_t cluster_m, int64_t cluster_n)
{
	return cluster_m >= 1 && cluster_n >= 1;
}

static void *kernel(const struct ts_gemm *g, uint32_t block_m, uint32_t block_n, bool plain)
{
	(void)block_m;
	return g->kernels[(block_n == TS_MMA_LARGE ? LARGE : SMALL) + (plain ? 0 : BLOCKS)];
}

static struct ts_backend_grid make_grid(const struct ts_gemm *g, uint32_t count, uint32_t block_n,
	uint32_t cluster_m, uint32_t cluster_n)
{
	struct ts_backend_grid grid = {
		count, {1, 1}, targets[find_target(g)].threads, shared_bytes(g, block_n)};

	(void)cluster_m;
	(void)cluster_n;
	return grid;
}

static void *pointer(const struct ts_gemm *g, uint64_t word)
{
	return (void *)(uintptr_t)ts_gemm_at(g, word);
}

static bool multiply(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	const struct ts_gemm_layout *l = &g->layout;
	struct ts_backend_grid grid = make_grid(g, p->workers, p->block_n, 1, 1);
	struct ts_probe_layout log = ts_probe_layout_make(p);
	struct ts_mma_args args = {.a = pointer(g, l->a.at),
		.b = pointer(g, l->b.at),
		.c = pointer(g, l->c.at),
		.lda = l->a.ld,
		.ldb = l->b.ld,
		.ldc = l->c.ld,
		.plan = *p,
		.table = p->plain ? NULL : pointer(g, l->table),
		.counters = pointer(g, l->counters),
		.counter_words = l->counter_words,
		.hardware_domain = g->hardware_domain,
		.workspace = pointer(g, l->workspace),
		.fault = pointer(g, l->fault),
		.leave = g->leave};
	void *arguments[] = {&args};

	if (g->recording) {
		args.cursors = pointer(g, l->log + log.cursors);
		args.records = pointer(g, l->log + log.records);
		args.events = pointer(g, l->log + log.events);
		args.group_room = (uint32_t)MIN(log.group_room, UINT32_MAX);
		args.event_room = (uint32_t)MIN(log.event_room, UINT32_MAX);
	}
	return g->gpu.ops->start(&g->gpu, g->kind->kernel(g, p->block_m, p->block_n, p->plain),
		&grid, arguments, error);
}

/* A cache line of any of the devices has 256 bytes at most. */
const struct ts_gemm_kind ts_gemm_mma = {.name = "mma",
	.program = "mma",
	.groups_program = "mma_groups",
	.blocks = "128x128x32 and 64x64x32",
	.clusters = "any",
	.default_blocks = {"128x128x32", "128x128x32,64x64x32"},
	.default_clusters = "1x1",
	.align = 1,
	.counter_words = 64,
	.records = true,
	.hardware_domain = true,
	.find = find,
	.has_block = has_block,
	.has_cluster = has_cluster,
	.kernel = kernel,
	.grid = make_grid,
	.multiply = multiply};
