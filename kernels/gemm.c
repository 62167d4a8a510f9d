/* Memory and launches of the GEMM. */
#include "kernels/gemm.h"

#include <string.h>

#include "kernels/gemm_args.h"
#include "kernels/gemm_random.h"
#include "kernels/matrices.h"
#include "kernels/mma_soft.h"

/* CTAs of the kernels on matrices at most; and elements up to which the host is as fast. */
enum { MATRIX_CTAS = 2048, DRAWN_HERE = 1 << 18 };

static bool find_others(struct ts_gemm *g, GError **error)
{
	if (!ts_backend_load(&g->gpu, "matrices", error))
		return false;
	g->random = g->gpu.ops->kernel(&g->gpu, "ts_random", 0, error);
	if (g->random != NULL)
		g->restride = g->gpu.ops->kernel(&g->gpu, "ts_restride", 0, error);
	if (g->restride != NULL)
		g->reference = g->gpu.ops->kernel(&g->gpu, "ts_reference", 0, error);
	if (g->reference != NULL)
		g->clock = g->gpu.ops->kernel(&g->gpu, "ts_clock", 0, error);
	return g->clock != NULL;
}

static bool load_more(struct ts_gemm *g, const char *program, GError **error)
{
	return program == NULL || ts_backend_load(&g->gpu, program, error);
}

/* Opens the device with that kind's programs. */
static bool open_kind(struct ts_gemm *g, const struct ts_backend_ops *ops,
	const struct ts_gemm_kind *kind, GError **error)
{
	g->kind = kind;
	if (!ts_backend_open(&g->gpu, ops, kind->program, error))
		return false;
	if (load_more(g, kind->groups_program, error) &&
		load_more(g, kind->static_program, error) &&
		load_more(g, kind->split_program, error) && kind->find(g, error) &&
		find_others(g, error))
		return true;
	ts_gemm_close(g);
	return false;
}

bool ts_gemm_open(struct ts_gemm *g, const struct ts_backend_ops *ops,
	const struct ts_gemm_kind *kind, const struct ts_gemm_form *form, const char *instructions,
	GError **error)
{
	struct ts_gemm blank = {
		.form = *form, .instructions = instructions == NULL ? "sm80" : instructions};

	*g = blank;
	if (kind != NULL)
		return open_kind(g, ops, kind, error);
	if (open_kind(g, ops, &ts_gemm_sm90, NULL))
		return true;
	*g = blank;
	return open_kind(g, ops, &ts_gemm_mma, error);
}

void ts_gemm_close(struct ts_gemm *g)
{
	ts_backend_free(&g->gpu, g->memory);
	ts_backend_free(&g->gpu, g->clocks);
	ts_backend_close(&g->gpu);
	memset(g, 0, sizeof *g);
}

bool ts_gemm_change(struct ts_gemm *g, const struct ts_gemm_form *form, const char *instructions,
	GError **error)
{
	g->form = *form;
	g->drawn = false;
	if (instructions != NULL)
		g->instructions = instructions;
	return g->kind->find(g, error);
}

uint32_t ts_gemm_residency(const struct ts_gemm *g, bool plain, uint32_t block_m, uint32_t block_n,
	uint32_t cluster_m, uint32_t cluster_n)
{
	struct ts_backend_grid grid = g->kind->grid(g, 1, block_n, cluster_m, cluster_n);

	return g->gpu.ops->residency(&g->gpu, g->kind->kernel(g, block_m, block_n, plain), &grid);
}

/* Grid number `i` of those that the plan has: a list's, or its own. */
static const struct ts_plan *find_grid(const struct ts_plan *p, uint32_t i)
{
	return p->grids == NULL ? p : &p->grids[i];
}

uint64_t ts_gemm_rows(const struct ts_plan *p)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < p->grid_count; i++) {
		const struct ts_plan *grid = find_grid(p, i);
		uint64_t each = p->layout == TS_MASKED ? p->m : grid->m;

		rows = MAX(rows, grid->first_row + p->batch.by * each);
	}
	return rows;
}

uint64_t ts_gemm_used_rows(const struct ts_plan *p)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < p->grid_count; i++)
		rows += (uint64_t)find_grid(p, i)->m * p->batch.by;
	return rows;
}

/* Rows of the B of one group. */
static uint32_t count_rows_b(const struct ts_gemm *g, const struct ts_plan *p)
{
	return g->form.layout == TS_MMA_ALONG_K ? p->n : p->k;
}

struct ts_gemm_group ts_gemm_group(const struct ts_gemm *g, const struct ts_plan *p, uint32_t index)
{
	struct ts_gemm_group group = {index, ts_grid(p, index)->m, ts_group_row(p, index),
		(uint64_t)index * count_rows_b(g, p)};

	return group;
}

/* Room for so many bytes, and a guard behind them. Returns where it begins. */
static uint64_t add(struct ts_gemm_layout *l, uint64_t bytes)
{
	uint64_t at = l->words;

	l->words += (bytes + 255) / 256 * 256 / sizeof(uint32_t) + TS_GEMM_GUARD;
	return at;
}

static struct ts_gemm_matrix add_matrix(
	struct ts_gemm_layout *l, uint32_t rows, uint32_t cols, uint64_t ld)
{
	struct ts_gemm_matrix x = {.ld = ld, .rows = rows, .cols = cols};

	x.at = add(l, rows * ld * sizeof(uint16_t));
	return x;
}

/* A copy with rows that the kernel can take, where the matrix has others. */
static struct ts_gemm_matrix widen(
	struct ts_gemm_layout *l, struct ts_gemm_matrix x, uint32_t align)
{
	static const struct ts_gemm_matrix none;

	if (x.ld % align == 0)
		return none;
	return add_matrix(l, x.rows, x.cols, (x.cols + align - 1) / align * align);
}

uint64_t ts_gemm_flags(const struct ts_plan *p)
{
	if (p->workspace == 0)
		return 0;
	return (uint64_t)p->counters * p->cluster_m * p->cluster_n * TS_GEMM_HALVES * TS_GEMM_FLAG;
}

uint64_t ts_gemm_sums(const struct ts_gemm *g, const struct ts_plan *p)
{
	uint64_t slots = p->workspace;

	if (g->kind->flags && ts_gemm_is_shared(p, g->gpu.is.units))
		slots += p->counters;
	return slots * p->cluster_m * p->cluster_n * p->block_m * p->block_n;
}

static struct ts_gemm_layout make_layout(const struct ts_gemm *g, const struct ts_plan *p)
{
	struct ts_gemm_layout l = {.words = TS_GEMM_GUARD, .counter_words = g->kind->counter_words};
	uint64_t gap = g->form.gap;
	bool along_k = g->form.layout == TS_MMA_ALONG_K;
	uint32_t rows = (uint32_t)ts_gemm_rows(p);
	uint32_t cols_b = along_k ? p->k : p->n;

	l.a = add_matrix(&l, rows, p->k, p->k + gap);
	l.b = add_matrix(&l, p->groups * count_rows_b(g, p), cols_b, cols_b + gap);
	l.c = add_matrix(&l, rows, p->n, p->n + gap);
	l.wide_a = widen(&l, l.a, g->kind->align);
	l.wide_b = widen(&l, l.b, g->kind->align);
	/* What is written in units of `align` must not reach what lies behind a row. */
	if (p->n % g->kind->align != 0)
		l.wide_c = add_matrix(&l, rows, p->n,
			(p->n + g->kind->align - 1) / g->kind->align * g->kind->align);
	else
		l.wide_c = widen(&l, l.c, g->kind->align);
	l.counters = add(&l, (uint64_t)p->counters * l.counter_words * sizeof(uint32_t));
	l.flags = add(&l, g->kind->flags ? ts_gemm_flags(p) * sizeof(uint32_t) : 0);
	l.fault = add(&l, sizeof(uint32_t));
	l.workspace = add(&l, ts_gemm_sums(g, p) * sizeof(float));
	if (g->kind->records)
		l.log = add(&l, ts_probe_layout_make(p).words * sizeof(uint32_t));
	if (!p->plain)
		l.table = add(&l, ts_group_table_words(p) * sizeof(uint32_t));
	l.reference = add(&l, (uint64_t)rows * p->n * sizeof(float));
	return l;
}

uint64_t ts_gemm_words(const struct ts_gemm *g, const struct ts_plan *plan)
{
	return make_layout(g, plan).words;
}

uint64_t ts_gemm_at(const struct ts_gemm *g, uint64_t word)
{
	return g->memory + word * sizeof(uint32_t);
}

static void *pointer(const struct ts_gemm *g, uint64_t word)
{
	return (void *)(uintptr_t)ts_gemm_at(g, word);
}

/* Draws a small matrix here. */
static bool draw_here(
	struct ts_gemm *g, const struct ts_gemm_matrix *x, uint64_t seed, GError **error)
{
	uint64_t words = (x->rows * x->ld + 1) / 2;
	g_autofree uint16_t *to = ts_gemm_fetch(g, x->at, words, error);

	if (to == NULL)
		return false;
	for (uint64_t i = 0; i < (uint64_t)x->rows * x->cols; i++)
		to[i / x->cols * x->ld + i % x->cols] =
			mma_soft_round(ts_gemm_random(seed, i), g->form.type == TS_MMA_FP16);
	return words == 0 ||
		g->gpu.ops->store(
			&g->gpu, ts_gemm_at(g, x->at), to, words * sizeof(uint32_t), error);
}

static struct ts_backend_grid matrix_grid(uint64_t ctas)
{
	struct ts_backend_grid grid = {
		(uint32_t)MIN(ctas, MATRIX_CTAS), {1, 1}, TS_MATRIX_THREADS, 0};

	return grid;
}

static bool draw(struct ts_gemm *g, const struct ts_gemm_matrix *x, uint64_t seed, GError **error)
{
	struct ts_backend_grid grid = matrix_grid(MATRIX_CTAS);
	struct ts_random_args args = {
		pointer(g, x->at), x->ld, seed, x->rows, x->cols, g->form.type};
	void *arguments[] = {&args};

	if ((uint64_t)x->rows * x->cols <= DRAWN_HERE)
		return draw_here(g, x, seed, error);
	return g->gpu.ops->start(&g->gpu, g->random, &grid, arguments, error);
}

/* Tells a backend that wants to know what is where. */
static void name_parts(struct ts_gemm *g, const struct ts_plan *p)
{
	const struct ts_gemm_layout *l = &g->layout;
	const struct ts_gemm_matrix *matrices[] = {
		&l->a, &l->b, &l->c, &l->wide_a, &l->wide_b, &l->wide_c};
	static const char *const names[] = {"A", "B", "C", "A's copy", "B's copy", "C's copy"};
	struct ts_backend_part parts[12] = {{0}};
	uint32_t count = 0;

	if (g->gpu.ops->name_parts == NULL)
		return;
	for (uint32_t i = 0; i < G_N_ELEMENTS(matrices); i++)
		if (matrices[i]->at != 0 && matrices[i]->rows * matrices[i]->ld > 0)
			parts[count++] = (struct ts_backend_part){ts_gemm_at(g, matrices[i]->at),
				matrices[i]->rows * matrices[i]->ld * sizeof(uint16_t), names[i]};
	if (p->counters > 0)
		parts[count++] = (struct ts_backend_part){ts_gemm_at(g, l->counters),
			(uint64_t)p->counters * l->counter_words * sizeof(uint32_t),
			"the counters"};
	if (p->workspace > 0)
		parts[count++] = (struct ts_backend_part){ts_gemm_at(g, l->workspace),
			ts_gemm_sums(g, p) * sizeof(float), "the workspace"};
	if (l->log != 0)
		parts[count++] = (struct ts_backend_part){ts_gemm_at(g, l->log),
			ts_probe_layout_make(p).words * sizeof(uint32_t), "the records"};
	if (l->table != 0)
		parts[count++] = (struct ts_backend_part){ts_gemm_at(g, l->table),
			ts_group_table_words(p) * sizeof(uint32_t), "the groups"};
	parts[count++] =
		(struct ts_backend_part){ts_gemm_at(g, l->fault), sizeof(uint32_t), "the fault"};
	parts[count++] = (struct ts_backend_part){ts_gemm_at(g, l->reference),
		(uint64_t)l->c.rows * p->n * sizeof(float), "the reference"};
	g->gpu.ops->name_parts(&g->gpu, g->memory, parts, count);
}

/* The plan's groups, where it has a table. */
static bool store_table(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	uint64_t words = ts_group_table_words(p);
	g_autofree uint32_t *table = g_new(uint32_t, MAX(words, 1));
	uint64_t address = ts_gemm_at(g, g->layout.table);

	if (words == 0)
		return true;
	ts_group_table_make(p, address, table);
	return g->gpu.ops->store(&g->gpu, address, table, words * sizeof(uint32_t), error);
}

/* Room for so many words, as the memory that there is or in place of it. */
static bool make_room(struct ts_gemm *g, uint64_t words, GError **error)
{
	if (words <= g->memory_words)
		return true;
	ts_backend_free(&g->gpu, g->memory);
	g->memory_words = 0;
	g->drawn = false;
	g->memory = g->gpu.ops->alloc(&g->gpu, words * sizeof(uint32_t), error);
	if (g->memory == 0)
		return false;
	g->memory_words = words;
	return true;
}

static bool draw_both(struct ts_gemm *g, uint64_t seed, GError **error)
{
	if (g->drawn)
		return true;
	g->drawn = draw(g, &g->layout.a, 2 * seed, error) &&
		draw(g, &g->layout.b, 2 * seed + 1, error);
	g->seed = seed;
	return g->drawn;
}

static bool is_same(const struct ts_gemm_matrix *a, const struct ts_gemm_matrix *b)
{
	return a->at == b->at && a->ld == b->ld && a->rows == b->rows && a->cols == b->cols;
}

bool ts_gemm_prepare_again(
	struct ts_gemm *g, const struct ts_plan *p, uint64_t seed, GError **error)
{
	uint64_t log_words = ts_probe_layout_make(p).words, from;
	struct ts_gemm_layout before = g->layout;

	g->layout = make_layout(g, p);
	g->recording = g->kind->records;
	g->drawn = g->drawn && g->seed == seed && is_same(&g->layout.a, &before.a) &&
		is_same(&g->layout.b, &before.b);
	if (!make_room(g, g->layout.words, error))
		return false;
	name_parts(g, p);
	/* C is the first behind the inputs. */
	from = g->drawn ? g->layout.c.at : 0;
	return g->gpu.ops->fill(&g->gpu, ts_gemm_at(g, from), TS_GEMM_POISON,
		       g->layout.words - from, error) &&
		g->gpu.ops->fill(
			&g->gpu, ts_gemm_at(g, g->layout.fault), TS_GEMM_NO_FAULT, 1, error) &&
		(g->layout.log == 0 ||
			g->gpu.ops->fill(&g->gpu, ts_gemm_at(g, g->layout.log), TS_PROBE_POISON,
				log_words, error)) &&
		store_table(g, p, error) && draw_both(g, seed, error);
}

bool ts_gemm_prepare(struct ts_gemm *g, const struct ts_plan *p, uint64_t seed, GError **error)
{
	g->drawn = false;
	return ts_gemm_prepare_again(g, p, seed, error);
}

/* Copies a matrix to one with other rows, if there is one. */
static bool restride(struct ts_gemm *g, const struct ts_gemm_matrix *to,
	const struct ts_gemm_matrix *from, GError **error)
{
	struct ts_backend_grid grid = matrix_grid(MATRIX_CTAS);
	struct ts_restride_args args = {
		pointer(g, to->at), pointer(g, from->at), to->ld, from->ld, from->rows, from->cols};
	void *arguments[] = {&args};

	if (to->at == 0 || from->at == 0)
		return true;
	return g->gpu.ops->start(&g->gpu, g->restride, &grid, arguments, error);
}

/* Counters and records of the launch before are gone. */
static bool reset(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	const struct ts_gemm_layout *l = &g->layout;
	struct ts_probe_layout log = ts_probe_layout_make(p);

	if (p->counters > 0 &&
		!g->gpu.ops->fill(&g->gpu, ts_gemm_at(g, l->counters), 0,
			(uint64_t)p->counters * l->counter_words, error))
		return false;
	if (g->kind->flags && p->workspace > 0 &&
		!g->gpu.ops->fill(&g->gpu, ts_gemm_at(g, l->flags), 0, ts_gemm_flags(p), error))
		return false;
	return !g->recording ||
		g->gpu.ops->fill(&g->gpu, ts_gemm_at(g, l->log + log.cursors), 0,
			sizeof(struct ts_probe_cursors) / sizeof(uint32_t), error);
}

bool ts_gemm_start(struct ts_gemm *g, const struct ts_plan *p, void *const *events, GError **error)
{
	const struct ts_gemm_layout *l = &g->layout;

	return reset(g, p, error) &&
		(events == NULL || g->gpu.ops->event_record(&g->gpu, events[0], error)) &&
		restride(g, &l->wide_a, &l->a, error) && restride(g, &l->wide_b, &l->b, error) &&
		g->kind->multiply(g, p, error) &&
		restride(g, l->wide_c.at != 0 ? &l->c : &l->wide_c, &l->wide_c, error) &&
		(events == NULL || g->gpu.ops->event_record(&g->gpu, events[1], error));
}

/* Begins the reference product of one group. */
static bool start_reference(struct ts_gemm *g, const struct ts_plan *p,
	const struct ts_gemm_group *group, GError **error)
{
	const struct ts_gemm_layout *l = &g->layout;
	bool along_k = g->form.layout == TS_MMA_ALONG_K;
	struct ts_reference_args args = {.c = (float *)pointer(g, l->reference) + group->row * p->n,
		.a = (uint16_t *)pointer(g, l->a.at) + group->row * l->a.ld,
		.b = (uint16_t *)pointer(g, l->b.at) + group->row_b * l->b.ld,
		.lda = l->a.ld,
		.b_k = along_k ? 1 : l->b.ld,
		.b_n = along_k ? l->b.ld : 1,
		.m = group->rows,
		.n = p->n,
		.k = p->k,
		.type = g->form.type};
	uint32_t down = (group->rows + TS_MATRIX_SIDE - 1) / TS_MATRIX_SIDE;
	uint32_t across = (p->n + TS_MATRIX_SIDE - 1) / TS_MATRIX_SIDE;
	struct ts_backend_grid grid = {down * across, {1, 1}, TS_MATRIX_THREADS, 0};
	void *arguments[] = {&args};

	return group->rows == 0 ||
		g->gpu.ops->start(&g->gpu, g->reference, &grid, arguments, error);
}

bool ts_gemm_refer(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	for (uint32_t i = 0; i < p->groups; i++) {
		struct ts_gemm_group group = ts_gemm_group(g, p, i);

		if (!start_reference(g, p, &group, error))
			return false;
	}
	return g->gpu.ops->wait(&g->gpu, error);
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

bool ts_gemm_log(
	struct ts_gemm *g, const struct ts_plan *p, struct ts_probe_log *ret_log, GError **error)
{
	struct ts_probe_log log = {.layout = ts_probe_layout_make(p)};
	uint64_t apart = g->layout.counter_words;
	g_autofree uint32_t *counters =
		ts_gemm_fetch(g, g->layout.counters, p->counters * apart, error);

	if (counters == NULL)
		return false;
	log.words = ts_gemm_fetch(g, g->layout.log, log.layout.words, error);
	if (log.words == NULL)
		return false;
	for (uint64_t i = 0; i < p->counters; i++)
		log.words[log.layout.counters + i] = counters[i * apart];
	*ret_log = log;
	return true;
}
