/* Launches between events, all enqueued while the GPU is busy: it never waits for the host. */
#include "kernels/gemm_time.h"

#include "kernels/matrices.h"

/* Launches; and ns in which cycles are counted after one. */
enum { WARM_UP = 3, TRIALS = 9, CLOCK_NS = 10000 };

/* Random numbers that one CTA draws in about a millisecond. */
enum { HELD = 1 << 20 };

/* Two events for each launch. */
struct events {
	struct ts_backend *gpu;
	void **all;
	uint32_t count;
};

static void free_events(struct events *e)
{
	for (uint32_t i = 0; i < e->count; i++)
		e->gpu->ops->event_free(e->gpu, e->all[i]);
	g_free(e->all);
}

static bool make_events(struct events *e, struct ts_backend *gpu, uint32_t launches, GError **error)
{
	e->gpu = gpu;
	e->all = g_new0(void *, 2 * (gsize)launches);
	for (e->count = 0; e->count < 2 * launches; e->count++)
		if (!gpu->ops->event_make(gpu, &e->all[e->count], error))
			return false;
	return true;
}

/* What ts_clock writes after each launch; behind the last is room for those that nobody reads. */
struct clocks {
	struct ts_gemm *g;
	uint64_t memory; /* 0: none */
	uint32_t count;
};

/* The CPU has no clock that is worth a look. The memory is kept: to free some would wait for all of
 * the device, and so for another kernel that holds a part of it. */
static bool make_clocks(struct clocks *c, GError **error)
{
	struct ts_backend *gpu = &c->g->gpu;

	if (gpu->ops->only_by_name)
		return true;
	if (c->g->clocks == 0)
		c->g->clocks = gpu->ops->alloc(
			gpu, 2 * sizeof(uint64_t) * (TS_GEMM_REPEAT_MAX + 1), error);
	c->memory = c->g->clocks;
	return c->memory != 0;
}

static bool start_clock(const struct clocks *c, uint32_t launch, GError **error)
{
	struct ts_clock_args args = {
		(uint64_t *)(uintptr_t)(c->memory + 2 * sizeof(uint64_t) * launch), CLOCK_NS};
	struct ts_backend_grid grid = {1, {1, 1}, TS_MATRIX_THREADS, 0};
	void *arguments[] = {&args};

	return c->memory == 0 ||
		c->g->gpu.ops->start(&c->g->gpu, c->g->clock, &grid, arguments, error);
}

/* NULL where there are no cycles. Free with g_free(). */
static bool read_clocks(const struct clocks *c, double **ret_mhz, GError **error)
{
	g_autofree uint64_t *pairs = g_new(uint64_t, 2 * (gsize)c->count);

	*ret_mhz = NULL;
	if (c->memory == 0)
		return true;
	if (!c->g->gpu.ops->fetch(
		    &c->g->gpu, pairs, c->memory, 2 * sizeof(uint64_t) * c->count, error))
		return false;
	*ret_mhz = g_new(double, c->count);
	for (uint32_t i = 0; i < c->count; i++)
		(*ret_mhz)[i] = 1e3 * (double)pairs[2 * i] / (double)MAX(pairs[2 * i + 1], 1);
	return true;
}

static bool read_time(const struct events *e, uint32_t launch, double *ret_ms, GError **error)
{
	float ms;

	if (!e->gpu->ops->event_ms(e->gpu, e->all[2 * launch], e->all[2 * launch + 1], &ms, error))
		return false;
	*ret_ms = (double)ms;
	return true;
}

/* A round of the launches first, first + step, first + 2 step, ... */
static bool add_round(const struct events *e, uint32_t first, uint32_t step, const double *mhz,
	struct ts_gemm_series *s, GError **error)
{
	g_autofree double *ms = g_new(double, e->count);
	uint32_t count = 0;

	for (uint32_t i = first; i < e->count / 2; i += step)
		if (!read_time(e, i, &ms[count++], error))
			return false;
	ts_gemm_series_add(s, ms, mhz, count);
	return true;
}

/* Keeps the GPU busy for as long as it takes to enqueue the launches, which then start without a
 * wait for the host even where they are shorter than that takes. What is overwritten is cuBLAS'
 * output. */
static bool hold(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	struct ts_backend_grid grid = {1, {1, 1}, TS_MATRIX_THREADS, 0};
	uint32_t count = (uint32_t)MIN((uint64_t)p->m * p->n * 2, HELD);
	struct ts_random_args args = {(void *)(uintptr_t)ts_gemm_at(g, g->layout.reference), count,
		1, 1, count, g->form.type};
	void *arguments[] = {&args};

	return g->gpu.ops->only_by_name ||
		g->gpu.ops->start(&g->gpu, g->random, &grid, arguments, error);
}

/* One problem with one algorithm. */
static bool start_one(struct ts_backend *gpu, struct ts_cublas *b, uint32_t problem, uint32_t index,
	void **events, GError **error)
{
	return gpu->ops->event_record(gpu, events[0], error) &&
		ts_cublas_start(b, problem, index, error) &&
		gpu->ops->event_record(gpu, events[1], error);
}

/* All problems, each with the algorithm that was chosen for it; `events` may be NULL. */
static bool start_theirs(struct ts_backend *gpu, struct ts_cublas *b, void **events, GError **error)
{
	if (events != NULL && !gpu->ops->event_record(gpu, events[0], error))
		return false;
	for (uint32_t i = 0; i < ts_cublas_problems(b); i++)
		if (!ts_cublas_start(b, i, 0, error))
			return false;
	return events == NULL || gpu->ops->event_record(gpu, events[1], error);
}

/* Leaves a problem the algorithm with the shortest of a few times. */
static bool choose(struct ts_gemm *g, const struct ts_plan *p, struct ts_cublas *b,
	uint32_t problem, uint32_t count, GError **error)
{
	struct events e;
	uint32_t best = 0;
	double least = 0, ms;
	bool good = make_events(&e, &g->gpu, count * TRIALS, error) && hold(g, p, error);

	for (uint32_t i = 0; good && i < count * TRIALS; i++)
		good = start_one(&g->gpu, b, problem, i % count, &e.all[2 * i], error);
	for (uint32_t i = 0; good && i < count * TRIALS; i++) {
		good = read_time(&e, i, &ms, error);
		if (good && (i == 0 || ms < least)) {
			best = i % count;
			least = ms;
		}
	}
	if (good)
		ts_cublas_choose(b, problem, best);
	free_events(&e);
	return good;
}

/* A problem for each group with rows. The algorithm is looked for once for each size: there may be
 * hundreds of groups, and the rounds of all schedules are to have the same. */
static bool prepare_theirs(
	struct ts_gemm *g, const struct ts_plan *p, struct ts_cublas *b, GError **error)
{
	const struct ts_gemm_layout *l = &g->layout;

	ts_cublas_clear(b);
	for (uint32_t i = 0; i < p->groups; i++) {
		struct ts_gemm_group group = ts_gemm_group(g, p, i);
		struct ts_cublas_problem problem = {group.rows, p->n, p->k,
			ts_gemm_at(g, l->a.at) + group.row * l->a.ld * sizeof(uint16_t),
			ts_gemm_at(g, l->b.at) + group.row_b * l->b.ld * sizeof(uint16_t),
			ts_gemm_at(g, l->reference) + group.row * p->n * sizeof(uint16_t)};
		uint32_t count;

		if (group.rows == 0)
			continue;
		if (!ts_cublas_add(b, &problem, &count, error))
			return false;
		if (count > 1 && !choose(g, p, b, ts_cublas_problems(b) - 1, count, error))
			return false;
	}
	return true;
}

bool ts_gemm_time(struct ts_gemm *g, const struct ts_plan *p, uint32_t launches,
	struct ts_cublas *b, struct ts_gemm_series *ours, struct ts_gemm_series *theirs,
	GError **error)
{
	uint32_t kinds = b == NULL ? 1 : 2;
	struct clocks c = {.g = g, .count = launches};
	g_autofree double *mhz = NULL;
	struct events e;
	bool good;

	if (b != NULL && !prepare_theirs(g, p, b, error))
		return false;
	/* Nobody reads what these would write down. */
	g->recording = false;
	good = make_events(&e, &g->gpu, launches * kinds, error) && make_clocks(&c, error) &&
		hold(g, p, error);
	for (uint32_t i = 0; good && i < WARM_UP; i++)
		good = ts_gemm_start(g, p, NULL, error);
	/* The first of each round is to find what the others find. */
	good = good && (b == NULL || start_theirs(&g->gpu, b, NULL, error));
	for (uint32_t i = 0; good && i < launches; i++) {
		good = ts_gemm_start(g, p, &e.all[2 * kinds * i], error) &&
			start_clock(&c, i, error);
		/* Both begin after the same pause. */
		if (good && b != NULL)
			good = start_theirs(&g->gpu, b, &e.all[2 * (kinds * i + 1)], error) &&
				start_clock(&c, launches, error);
	}
	good = good && read_clocks(&c, &mhz, error) && add_round(&e, 0, kinds, mhz, ours, error) &&
		(b == NULL || add_round(&e, 1, kinds, NULL, theirs, error));
	free_events(&e);
	return good;
}
