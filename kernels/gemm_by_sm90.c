/* The GEMM by the kernels of gemm_sm90.cu. */
#include "kernels/cuda.h"
#include "kernels/gemm.h"

/* A kernel for each shape of tiles: large ones for large problems; small ones for small problems,
 * which more SMs share then. */
static const struct {
	uint32_t block_m, block_n;
} kernels[] = {{128, 256}, {128, 192}, {128, 128}, {128, 64}, {64, 128}};

/* What kernels of each shape are for. */
enum use { PLAIN, GROUPS, STATIC, SPLIT, USES };

static const char *const prefixes[USES] = {"", "groups_", "static_", "split_"};

static bool find(struct ts_gemm *g, GError **error)
{
	for (size_t i = 0; i < USES * G_N_ELEMENTS(kernels); i++) {
		size_t shape = i % G_N_ELEMENTS(kernels);
		g_autofree char *name = g_strdup_printf("ts_gemm_%s%s_%s_%ux%u",
			prefixes[i / G_N_ELEMENTS(kernels)],
			g->form.type == TS_MMA_BF16 ? "bf16" : "fp16",
			g->form.layout == TS_MMA_ALONG_K ? "nk" : "kn", kernels[shape].block_m,
			kernels[shape].block_n);

		g->kernels[i] = g->gpu.ops->kernel(&g->gpu, name, TS_GEMM_SHARED, error);
		if (g->kernels[i] == NULL)
			return false;
	}
	return true;
}

static void *kernel_for(const struct ts_gemm *g, uint32_t block_m, uint32_t block_n, enum use use)
{
	for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++)
		if (kernels[i].block_m == block_m && kernels[i].block_n == block_n)
			return g->kernels[use * G_N_ELEMENTS(kernels) + i];
	return NULL;
}

static void *kernel(const struct ts_gemm *g, uint32_t block_m, uint32_t block_n, bool plain)
{
	return kernel_for(g, block_m, block_n, plain ? PLAIN : GROUPS);
}

static bool has_block(int64_t block_m, int64_t block_n, int64_t block_k)
{
	for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++)
		if (kernels[i].block_m == block_m && kernels[i].block_n == block_n)
			return block_k == TS_GEMM_BLOCK_K;
	return false;
}

static bool has_cluster(int64_t cluster_m, int64_t cluster_n)
{
	return (cluster_m == 1 || cluster_m == 2 || cluster_m == 4) &&
		(cluster_n == 1 || cluster_n == 2 || cluster_n == 4) &&
		cluster_m * cluster_n <= TS_GEMM_RANKS;
}

static struct ts_backend_grid make_grid(const struct ts_gemm *g, uint32_t count, uint32_t block_n,
	uint32_t cluster_m, uint32_t cluster_n)
{
	struct ts_backend_grid grid = {
		count, {cluster_m, cluster_n}, TS_GEMM_THREADS, TS_GEMM_SHARED};

	(void)g;
	(void)block_n;
	return grid;
}

/* What the copy engine has to know of a matrix, or of its copy. */
static struct ts_cuda_array describe(const struct ts_gemm *g, const struct ts_gemm_matrix *x,
	const struct ts_gemm_matrix *wide, uint32_t box_rows)
{
	const struct ts_gemm_matrix *of = wide->at != 0 ? wide : x;
	struct ts_cuda_array array = {.address = ts_gemm_at(g, of->at),
		.rows = of->rows,
		.cols = of->cols,
		.stride = of->ld,
		.box_rows = box_rows,
		.box_cols = TS_GEMM_BOX};

	return array;
}

/* Of B with rows along N, K must end with each group: a layer for each. The CTAs of a cluster that
 * share it divide its rows in both layouts. */
static struct ts_cuda_array describe_b(const struct ts_gemm *g, const struct ts_plan *p)
{
	bool along_k = g->form.layout == TS_MMA_ALONG_K;
	uint32_t rows = along_k ? p->block_n : (uint32_t)TS_GEMM_BLOCK_K;
	struct ts_cuda_array b = describe(g, &g->layout.b, &g->layout.wide_b, rows / p->cluster_m);

	if (!along_k) {
		b.rows = p->k;
		b.layers = p->groups;
	}
	return b;
}

static bool multiply(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	const struct ts_gemm_layout *l = &g->layout;
	struct ts_backend_grid grid =
		make_grid(g, p->workers, p->block_n, p->cluster_m, p->cluster_n);
	const struct ts_gemm_matrix *c = l->wide_c.at != 0 ? &l->wide_c : &l->c;
	struct ts_gemm_args args = {.plan = *p,
		.table =
			(const struct ts_plan *)(uintptr_t)(p->plain ? 0 : ts_gemm_at(g, l->table)),
		.c_rows = (uint16_t *)(uintptr_t)ts_gemm_at(g, c->at),
		.ldc = c->ld,
		.counters = (uint32_t *)(uintptr_t)ts_gemm_at(g, l->counters),
		.workspace = (float *)(uintptr_t)ts_gemm_at(g, l->workspace),
		.flags = (uint32_t *)(uintptr_t)ts_gemm_at(g, l->flags),
		.fault = (uint32_t *)(uintptr_t)ts_gemm_at(g, l->fault),
		.group_b = g->form.layout == TS_MMA_ALONG_K ? p->n : 1,
		.leave = g->leave};
	struct ts_cuda_array a = describe(g, &l->a, &l->wide_a, p->block_m / p->cluster_n);
	struct ts_cuda_array b = describe_b(g, p);
	struct ts_cuda_array to = describe(g, &l->c, &l->wide_c, TS_GEMM_BOX);
	void *arguments[] = {&args};
	enum use use = p->plain ? PLAIN : GROUPS;

	if (ts_gemm_is_static(p) && g->leave.asked == NULL)
		use = STATIC;
	if (ts_gemm_is_shared(p, g->gpu.is.units) && g->leave.asked == NULL)
		use = SPLIT;
	return ts_cuda_map(&g->gpu, &args.a, &a, error) &&
		ts_cuda_map(&g->gpu, &args.b, &b, error) &&
		ts_cuda_map(&g->gpu, &args.c, &to, error) &&
		g->gpu.ops->start(&g->gpu, kernel_for(g, p->block_m, p->block_n, use), &grid,
			arguments, error);
}

/* The copy engine takes rows that begin at multiples of 16 bytes; copies of others belong to the
 * launch and to its time. */
const struct ts_gemm_kind ts_gemm_sm90 = {.name = "sm90",
	.program = "gemm_sm90",
	.groups_program = "gemm_sm90_groups",
	.static_program = "gemm_sm90_static",
	.split_program = "gemm_sm90_split",
	.blocks = "128x256x64, 128x192x64, 128x128x64, 128x64x64 and 64x128x64",
	.clusters = "1, 2 or 4 CTAs either way, and 8 in all at most",
	.default_blocks = {"128x256x64", "128x256x64,128x192x64,128x128x64,64x128x64"},
	.default_clusters = "1x1,2x1,1x2",
	.align = 8,
	.counter_words = 1,
	.flags = true,
	.find = find,
	.has_block = has_block,
	.has_cluster = has_cluster,
	.kernel = kernel,
	.grid = make_grid,
	.multiply = multiply};
