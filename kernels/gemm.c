/* Memory and launches of the GEMM. */
#include "kernels/gemm.h"

#include <string.h>

#include "kernels/cuda.h"

/* Threads and CTAs of the kernels in matrices.cu, and the side of a reference block. */
enum { MATRIX_THREADS = 256, MATRIX_CTAS = 2048, REFERENCE_SIDE = 64 };

static bool find_gemms(struct ts_gemm *g, GError **error)
{
	g->wide = g->gpu.ops->kernel(&g->gpu, "ts_gemm_wide", TS_GEMM_SHARED, error);
	if (g->wide != NULL)
		g->slim = g->gpu.ops->kernel(&g->gpu, "ts_gemm_slim", TS_GEMM_SHARED, error);
	return g->slim != NULL;
}

static bool find_others(struct ts_gemm *g, GError **error)
{
	g->random = g->gpu.ops->kernel(&g->gpu, "ts_random", 0, error);
	if (g->random != NULL)
		g->restride = g->gpu.ops->kernel(&g->gpu, "ts_restride", 0, error);
	if (g->restride != NULL)
		g->reference = g->gpu.ops->kernel(&g->gpu, "ts_reference", 0, error);
	return g->reference != NULL;
}

bool ts_gemm_open(struct ts_gemm *g, const struct ts_backend_ops *ops, GError **error)
{
	memset(g, 0, sizeof *g);
	if (!ts_backend_open(&g->gpu, ops, "gemm_sm90", error))
		return false;
	if (find_gemms(g, error) && ts_backend_load(&g->gpu, "matrices", error) &&
		find_others(g, error))
		return true;
	ts_gemm_close(g);
	return false;
}

void ts_gemm_close(struct ts_gemm *g)
{
	ts_backend_free(&g->gpu, g->memory);
	ts_backend_close(&g->gpu);
	memset(g, 0, sizeof *g);
}

bool ts_gemm_has_block(int64_t block_m, int64_t block_n, int64_t block_k)
{
	return block_m == TS_GEMM_BLOCK_M && block_k == TS_GEMM_BLOCK_K &&
		(block_n == TS_GEMM_WIDE || block_n == TS_GEMM_SLIM);
}

bool ts_gemm_has_cluster(int64_t cluster_m, int64_t cluster_n)
{
	return (cluster_m == 1 || cluster_m == 2 || cluster_m == 4) &&
		(cluster_n == 1 || cluster_n == 2 || cluster_n == 4) &&
		cluster_m * cluster_n <= TS_GEMM_RANKS;
}

static void *find_kernel(const struct ts_gemm *g, uint32_t block_n)
{
	return block_n == TS_GEMM_WIDE ? g->wide : g->slim;
}

static struct ts_backend_grid make_grid(uint32_t count, uint32_t cluster_m, uint32_t cluster_n)
{
	struct ts_backend_grid grid = {
		count, {cluster_m, cluster_n}, TS_GEMM_THREADS, TS_GEMM_SHARED};

	return grid;
}

uint32_t ts_gemm_residency(
	const struct ts_gemm *g, uint32_t block_n, uint32_t cluster_m, uint32_t cluster_n)
{
	struct ts_backend_grid grid = make_grid(1, cluster_m, cluster_n);

	return g->gpu.ops->residency(&g->gpu, find_kernel(g, block_n), &grid);
}

/* The row length that the copy engine can take. */
static uint64_t widen(uint32_t cols)
{
	return ((uint64_t)cols + 7) / 8 * 8;
}

/* Room for so many bytes, and a guard behind them. Returns where it begins. */
static uint64_t add(struct ts_gemm_layout *l, uint64_t bytes)
{
	uint64_t at = l->words;

	l->words += (bytes + 255) / 256 * 256 / sizeof(uint32_t) + TS_GEMM_GUARD;
	return at;
}

uint64_t ts_gemm_flags(const struct ts_plan *p)
{
	if (p->workspace == 0)
		return 0;
	return (uint64_t)p->counters * p->cluster_m * p->cluster_n * TS_GEMM_HALVES;
}

static struct ts_gemm_layout make_layout(const struct ts_plan *p)
{
	struct ts_gemm_layout l = {.words = TS_GEMM_GUARD};
	uint64_t m = p->m, n = p->n, k = p->k;
	uint64_t wide_k = widen(p->k), wide_n = widen(p->n);
	uint64_t slot =
		(uint64_t)p->cluster_m * p->cluster_n * p->block_m * p->block_n * sizeof(float);

	l.a = add(&l, m * k * 2);
	l.b = add(&l, n * k * 2);
	l.c = add(&l, m * n * 2);
	l.wide_a = wide_k == k ? 0 : add(&l, m * wide_k * 2);
	l.wide_b = wide_k == k ? 0 : add(&l, n * wide_k * 2);
	l.wide_c = wide_n == n ? 0 : add(&l, m * wide_n * 2);
	l.counters = add(&l, (uint64_t)p->counters * sizeof(uint32_t));
	l.flags = add(&l, ts_gemm_flags(p) * sizeof(uint32_t));
	l.workspace = add(&l, p->workspace * slot);
	l.fault = add(&l, sizeof(uint32_t));
	l.reference = add(&l, m * n * sizeof(float));
	return l;
}

uint64_t ts_gemm_words(const struct ts_plan *plan)
{
	return make_layout(plan).words;
}

uint64_t ts_gemm_at(const struct ts_gemm *g, uint64_t word)
{
	return g->memory + word * sizeof(uint32_t);
}

static void *pointer(const struct ts_gemm *g, uint64_t word)
{
	return (void *)(uintptr_t)ts_gemm_at(g, word);
}

static bool draw(struct ts_gemm *g, uint64_t to, uint64_t count, uint64_t seed, GError **error)
{
	struct ts_backend_grid grid = {MATRIX_CTAS, {1, 1}, MATRIX_THREADS, 0};
	void *address = pointer(g, to);
	void *arguments[] = {&address, &count, &seed};

	return g->gpu.ops->start(&g->gpu, g->random, &grid, arguments, error);
}

bool ts_gemm_prepare(struct ts_gemm *g, const struct ts_plan *p, uint64_t seed, GError **error)
{
	g->layout = make_layout(p);
	if (g->layout.words > g->memory_words) {
		ts_backend_free(&g->gpu, g->memory);
		g->memory_words = 0;
		g->memory = g->gpu.ops->alloc(&g->gpu, g->layout.words * sizeof(uint32_t), error);
		if (g->memory == 0)
			return false;
		g->memory_words = g->layout.words;
	}
	return g->gpu.ops->fill(&g->gpu, g->memory, TS_GEMM_POISON, g->layout.words, error) &&
		g->gpu.ops->fill(
			&g->gpu, ts_gemm_at(g, g->layout.fault), TS_GEMM_NO_FAULT, 1, error) &&
		draw(g, g->layout.a, (uint64_t)p->m * p->k, 2 * seed, error) &&
		draw(g, g->layout.b, (uint64_t)p->n * p->k, 2 * seed + 1, error);
}

/* An array with contiguous rows, of `stride` elements each with what is between them. */
struct matrix {
	uint64_t at, stride;
};

static bool restride(struct ts_gemm *g, struct matrix to, struct matrix from, uint32_t rows,
	uint32_t cols, GError **error)
{
	struct ts_backend_grid grid = {MATRIX_CTAS, {1, 1}, MATRIX_THREADS, 0};
	void *to_address = pointer(g, to.at), *from_address = pointer(g, from.at);
	void *arguments[] = {&to_address, &to.stride, &from_address, &from.stride, &rows, &cols};

	return g->gpu.ops->start(&g->gpu, g->restride, &grid, arguments, error);
}

/* What the copy engine has to know of one of the three matrices. */
static bool encode(struct ts_gemm *g, struct ts_gemm_map *map, struct matrix x, uint32_t rows,
	uint32_t cols, uint32_t box_rows, GError **error)
{
	struct ts_cuda_array array = {.address = ts_gemm_at(g, x.at),
		.rows = rows,
		.cols = cols,
		.stride = x.stride,
		.box_rows = box_rows,
		.box_cols = TS_GEMM_BOX};

	return ts_cuda_map(&g->gpu, map, &array, error);
}

/* The GEMM alone. */
static bool multiply(struct ts_gemm *g, const struct ts_plan *p, struct matrix a, struct matrix b,
	struct matrix c, GError **error)
{
	struct ts_backend_grid grid = make_grid(p->workers, p->cluster_m, p->cluster_n);
	struct ts_gemm_args args = {.plan = *p,
		.counters = pointer(g, g->layout.counters),
		.workspace = pointer(g, g->layout.workspace),
		.flags = pointer(g, g->layout.flags),
		.fault = pointer(g, g->layout.fault)};
	void *arguments[] = {&args};

	return encode(g, &args.a, a, p->m, p->k, p->block_m / p->cluster_n, error) &&
		encode(g, &args.b, b, p->n, p->k, p->block_n / p->cluster_m, error) &&
		encode(g, &args.c, c, p->m, p->n, TS_GEMM_BOX, error) &&
		g->gpu.ops->start(&g->gpu, find_kernel(g, p->block_n), &grid, arguments, error);
}

bool ts_gemm_start(struct ts_gemm *g, const struct ts_plan *p, void *const *events, GError **error)
{
	const struct ts_gemm_layout *l = &g->layout;
	struct matrix a = {l->a, p->k}, b = {l->b, p->k}, c = {l->c, p->n};
	struct matrix wide_a = {l->wide_a, widen(p->k)}, wide_b = {l->wide_b, widen(p->k)};
	struct matrix wide_c = {l->wide_c, widen(p->n)};

	if (p->counters > 0 &&
		!g->gpu.ops->fill(&g->gpu, ts_gemm_at(g, l->counters), 0, p->counters, error))
		return false;
	if (p->workspace > 0 &&
		!g->gpu.ops->fill(&g->gpu, ts_gemm_at(g, l->flags), 0, ts_gemm_flags(p), error))
		return false;
	if (events != NULL && !g->gpu.ops->event_record(&g->gpu, events[0], error))
		return false;
	if (l->wide_a != 0 &&
		(!restride(g, wide_a, a, p->m, p->k, error) ||
			!restride(g, wide_b, b, p->n, p->k, error)))
		return false;
	if (!multiply(g, p, l->wide_a != 0 ? wide_a : a, l->wide_b != 0 ? wide_b : b,
		    l->wide_c != 0 ? wide_c : c, error))
		return false;
	if (l->wide_c != 0 && !restride(g, c, wide_c, p->m, p->n, error))
		return false;
	return events == NULL || g->gpu.ops->event_record(&g->gpu, events[1], error);
}

bool ts_gemm_refer(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	uint32_t down = (p->m + REFERENCE_SIDE - 1) / REFERENCE_SIDE;
	uint32_t across = (p->n + REFERENCE_SIDE - 1) / REFERENCE_SIDE;
	struct ts_backend_grid grid = {down * across, {1, 1}, MATRIX_THREADS, 0};
	void *a = pointer(g, g->layout.a), *b = pointer(g, g->layout.b);
	void *c = pointer(g, g->layout.reference);
	uint32_t m = p->m, n = p->n, k = p->k;
	void *arguments[] = {&c, &a, &b, &m, &n, &k};

	return ts_backend_run(&g->gpu, g->reference, &grid, arguments, error);
}

void *ts_gemm_fetch(struct ts_gemm *g, uint64_t from, uint64_t words, GError **error)
{
	g_autofree uint32_t *to = g_new(uint32_t, MAX(words, 1));

	if (words > 0 &&
		!g->gpu.ops->fetch(
			&g->gpu, to, ts_gemm_at(g, from), words * sizeof(uint32_t), error))
		return NULL;
	return g_steal_pointer(&to);
}
