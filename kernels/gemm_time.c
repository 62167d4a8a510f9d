/* Launches between events, all enqueued while the GPU is busy: it never waits for the host. */
#include "kernels/gemm_time.h"

#include <stdlib.h>

#include "kernels/matrices.h"

/* Launches; and ns in which cycles are counted after one. */
enum { WARM_UP = 3, TRIALS = 3, CLOCK_NS = 10000 };

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

static int by_mhz(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median; 0 where there are no cycles. */
static bool read_clocks(const struct clocks *c, double *ret_mhz, GError **error)
{
	g_autofree uint64_t *pairs = g_new(uint64_t, 2 * (gsize)c->count);
	g_autofree double *mhz = g_new(double, c->count);

	*ret_mhz = 0;
	if (c->memory == 0)
		return true;
	if (!c->g->gpu.ops->fetch(
		    &c->g->gpu, pairs, c->memory, 2 * sizeof(uint64_t) * c->count, error))
		return false;
	for (uint32_t i = 0; i < c->count; i++)
		mhz[i] = 1e3 * (double)pairs[2 * i] / (double)MAX(pairs[2 * i + 1], 1);
	qsort(mhz, c->count, sizeof *mhz, by_mhz);
	*ret_mhz = (mhz[(c->count - 1) / 2] + mhz[c->count / 2]) / 2;
	return true;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* Of the launches first, first + step, first + 2 step, ... */
static bool summarise(const struct events *e, uint32_t first, uint32_t step,
	struct ts_gemm_times *ret_times, GError **error)
{
	g_autofree float *ms = g_new(float, e->count);
	uint32_t count = 0;

	for (uint32_t i = first; i < e->count / 2; i += step)
		if (!e->gpu->ops->event_ms(
			    e->gpu, e->all[2 * i], e->all[2 * i + 1], &ms[count++], error))
			return false;
	qsort(ms, count, sizeof *ms, by_size);
	ret_times->median_ms = (double)(ms[(count - 1) / 2] + ms[count / 2]) / 2;
	ret_times->least_ms = (double)ms[0];
	ret_times->most_ms = (double)ms[count - 1];
	ret_times->clock_mhz = 0;
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

/* The algorithm of each of cuBLAS' problems. */
struct theirs {
	struct ts_cublas *library; /* NULL: it is not asked */
	GArray *best;              /* uint32_t */
};

/* One problem with one algorithm. */
static bool start_one(struct ts_backend *gpu, struct ts_cublas *b, uint32_t problem, uint32_t index,
	void **events, GError **error)
{
	return gpu->ops->event_record(gpu, events[0], error) &&
		ts_cublas_start(b, problem, index, error) &&
		gpu->ops->event_record(gpu, events[1], error);
}

/* All problems. */
static bool start_theirs(
	struct ts_backend *gpu, const struct theirs *t, void **events, GError **error)
{
	if (!gpu->ops->event_record(gpu, events[0], error))
		return false;
	for (uint32_t i = 0; i < t->best->len; i++)
		if (!ts_cublas_start(t->library, i, g_array_index(t->best, uint32_t, i), error))
			return false;
	return gpu->ops->event_record(gpu, events[1], error);
}

/* The algorithm with the shortest of a few times. */
static bool choose(struct ts_gemm *g, const struct ts_plan *p, struct ts_cublas *b,
	uint32_t problem, uint32_t count, uint32_t *ret_best, GError **error)
{
	struct ts_gemm_times times;
	struct events e;
	double least = 0;
	bool good = make_events(&e, &g->gpu, count * TRIALS, error) && hold(g, p, error);

	for (uint32_t i = 0; good && i < count * TRIALS; i++)
		good = start_one(&g->gpu, b, problem, i % count, &e.all[2 * i], error);
	for (uint32_t i = 0; good && i < count; i++) {
		good = summarise(&e, i, count, &times, error);
		if (good && (i == 0 || times.least_ms < least)) {
			*ret_best = i;
			least = times.least_ms;
		}
	}
	free_events(&e);
	return good;
}

/* A problem for each group with rows. The algorithm is looked for once for each size: there may be
 * hundreds of groups. */
static bool prepare_theirs(
	struct ts_gemm *g, const struct ts_plan *p, struct theirs *t, GError **error)
{
	const struct ts_gemm_layout *l = &g->layout;

	ts_cublas_clear(t->library);
	for (uint32_t i = 0; i < p->groups; i++) {
		struct ts_gemm_group group = ts_gemm_group(g, p, i);
		struct ts_cublas_problem problem = {group.rows, p->n, p->k,
			ts_gemm_at(g, l->a.at) + group.row * l->a.ld * sizeof(uint16_t),
			ts_gemm_at(g, l->b.at) + group.row_b * l->b.ld * sizeof(uint16_t),
			ts_gemm_at(g, l->reference) + group.row * p->n * sizeof(uint16_t)};
		uint32_t count, best, index = t->best->len;

		if (group.rows == 0)
			continue;
		if (!ts_cublas_add(t->library, &problem, &count, error))
			return false;
		if (!ts_cublas_best(t->library, index, &best)) {
			if (!choose(g, p, t->library, index, count, &best, error))
				return false;
			ts_cublas_tell_best(t->library, index, best);
		}
		g_array_append_val(t->best, best);
	}
	return true;
}

/* `repeat` launches of ours, each followed by theirs where they are asked. */
static bool measure(struct ts_gemm *g, const struct ts_plan *p, uint32_t repeat,
	const struct theirs *t, struct ts_gemm_times *ret_ours, struct ts_gemm_times *ret_theirs,
	GError **error)
{
	uint32_t kinds = t->library == NULL ? 1 : 2;
	struct clocks c = {.g = g, .count = repeat};
	struct events e;
	bool good;

	good = make_events(&e, &g->gpu, repeat * kinds, error) && make_clocks(&c, error) &&
		hold(g, p, error);
	for (uint32_t i = 0; good && i < WARM_UP; i++)
		good = ts_gemm_start(g, p, NULL, error);
	for (uint32_t i = 0; good && i < repeat; i++) {
		good = ts_gemm_start(g, p, &e.all[2 * kinds * i], error) &&
			start_clock(&c, i, error);
		/* Both begin after the same pause. */
		if (good && t->library != NULL)
			good = start_theirs(&g->gpu, t, &e.all[2 * (kinds * i + 1)], error) &&
				start_clock(&c, repeat, error);
	}
	good = good && summarise(&e, 0, kinds, ret_ours, error) &&
		(t->library == NULL || summarise(&e, 1, kinds, ret_theirs, error)) &&
		read_clocks(&c, &ret_ours->clock_mhz, error);
	free_events(&e);
	return good;
}

bool ts_gemm_time(struct ts_gemm *g, const struct ts_plan *p, uint32_t repeat, struct ts_cublas *b,
	struct ts_gemm_times *ret_ours, struct ts_gemm_times *ret_theirs, GError **error)
{
	struct theirs t = {b, g_array_new(FALSE, FALSE, sizeof(uint32_t))};
	bool good = b == NULL || prepare_theirs(g, p, &t, error);

	/* Nobody reads what these would write down. */
	g->recording = false;
	good = good && measure(g, p, repeat, &t, ret_ours, ret_theirs, error);
	g_array_unref(t.best);
	return good;
}
