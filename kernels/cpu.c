/* Launches, and what stays between them. */
#include "kernels/cpu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/cpu_race.h"
#include "kernels/cpu_run.h"
#include "kernels/cpu_shared.h"
#include "kernels/cpu_signal.h"

struct ts_cpu {
	struct cpu_memory memory;
	/* Kept from launch to launch, while their shape is the same. */
	struct ts_cpu_grid shape;
	struct cpu_place *places;
	uint32_t place_count;
	struct cpu_worker *workers;
	uint32_t worker_count;
};

struct ts_cpu *ts_cpu_new(void)
{
	return calloc(1, sizeof(struct ts_cpu));
}

static void free_places(struct ts_cpu *c)
{
	uint32_t ranks = c->shape.cluster[0] * c->shape.cluster[1];

	for (uint32_t i = 0; i < c->place_count; i++) {
		struct cpu_place *p = &c->places[i];

		for (uint32_t rank = 0; p->ctas != NULL && rank < ranks; rank++) {
			cpu_race_free(&p->ctas[rank]);
			cpu_shared_free(&p->ctas[rank], c->shape.shared);
			free(p->ctas[rank].warps);
		}
		for (uint32_t t = 0; p->threads != NULL && t < ranks * c->shape.threads; t++)
			free(p->threads[t].flights);
		free(p->ctas);
		free(p->threads);
		free(p->ready);
	}
	free(c->places);
	c->places = NULL;
	c->place_count = 0;
}

static void free_workers(struct ts_cpu *c)
{
	for (uint32_t i = 0; i < c->worker_count; i++)
		while (c->workers[i].fibers != NULL) {
			struct cpu_fiber *f = c->workers[i].fibers;

			c->workers[i].fibers = f->all;
			cpu_fiber_free(f);
		}
	free(c->workers);
	c->workers = NULL;
	c->worker_count = 0;
}

void ts_cpu_free(struct ts_cpu *c)
{
	if (c == NULL)
		return;
	free_places(c);
	free_workers(c);
	cpu_memory_finish(&c->memory);
	free(c);
}

struct cpu_memory *ts_cpu_memory(struct ts_cpu *c)
{
	return &c->memory;
}

uint32_t ts_cpu_residency(const struct ts_cpu_grid *grid)
{
	uint64_t ranks = (uint64_t)grid->cluster[0] * grid->cluster[1];

	if (ranks == 0 || ranks > TS_CPU_UNITS || grid->threads == 0 ||
		grid->threads > TS_CPU_THREADS || grid->shared > TS_CPU_SHARED)
		return 0;
	return TS_CPU_UNITS / (uint32_t)ranks;
}

static bool make_place(struct cpu_place *p, const struct ts_cpu_grid *grid, uint32_t index)
{
	uint32_t ranks = grid->cluster[0] * grid->cluster[1];

	p->index = index;
	p->ctas = calloc(ranks, sizeof *p->ctas);
	p->threads = calloc((size_t)ranks * grid->threads, sizeof *p->threads);
	p->ready = calloc((size_t)ranks * grid->threads, sizeof(struct cpu_thread *));
	if (p->ctas == NULL || p->threads == NULL || p->ready == NULL)
		return false;
	for (uint32_t rank = 0; rank < ranks; rank++) {
		struct cpu_cta *cta = &p->ctas[rank];

		cta->place = p;
		cta->threads = p->threads + (size_t)rank * grid->threads;
		cta->warps = calloc(grid->threads / 32 + (size_t)1, sizeof *cta->warps);
		if (cta->warps == NULL || !cpu_shared_make(cta, grid->shared))
			return false;
		for (uint32_t i = 0; i < grid->threads; i++) {
			struct cpu_thread *t = &cta->threads[i];

			t->cta = cta;
			t->self.thread = i;
			t->self.threads = grid->threads;
			t->self.rank = rank;
			t->self.unit = index * ranks + rank;
		}
	}
	return true;
}

static bool same_shape(const struct ts_cpu_grid *a, const struct ts_cpu_grid *b)
{
	return a->cluster[0] == b->cluster[0] && a->cluster[1] == b->cluster[1] &&
		a->threads == b->threads && a->shared == b->shared;
}

/* Makes sure of so many places of this shape. */
static bool make_places(struct ts_cpu *c, const struct ts_cpu_grid *grid, uint32_t count)
{
	if (same_shape(&c->shape, grid) && c->place_count >= count)
		return true;
	free_places(c);
	c->shape = *grid;
	c->places = calloc(count, sizeof *c->places);
	if (c->places == NULL)
		return false;
	c->place_count = count;
	for (uint32_t i = 0; i < count; i++)
		if (!make_place(&c->places[i], grid, i))
			return false;
	return true;
}

static bool make_workers(struct ts_cpu *c, uint32_t count)
{
	struct cpu_worker *workers;

	if (count <= c->worker_count)
		return true;
	workers = realloc(c->workers, count * sizeof *workers);
	if (workers == NULL)
		return false;
	memset(workers + c->worker_count, 0, (count - c->worker_count) * sizeof *workers);
	c->workers = workers;
	c->worker_count = count;
	return true;
}

static bool prepare_worker(struct cpu_worker *w, struct cpu_launch *l, uint32_t index)
{
	bool good = true;

	w->launch = l;
	w->first = index;
	w->step = l->worker_count;
	w->stuck = CPU_BUSY;
	w->idle = NULL;
	for (struct cpu_fiber *f = w->fibers; f != NULL; f = f->all) {
		f->next = w->idle;
		w->idle = f;
	}
	for (uint32_t i = index; i < l->place_count; i += l->worker_count) {
		l->places[i].worker = w;
		l->places[i].launch = l;
		l->places[i].live = false;
		cpu_shared_launch(&l->places[i]);
		for (uint32_t rank = 0; l->seeded && rank < l->ranks; rank++)
			good = good && cpu_race_make(&l->places[i].ctas[rank]);
	}
	return good;
}

static uint32_t processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : count > TS_CPU_UNITS ? TS_CPU_UNITS : (uint32_t)count;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void settle(struct cpu_launch *l)
{
	const void *written = cpu_memory_settle(&l->cpu->memory);
	char text[160];

	if (written == NULL)
		return;
	cpu_memory_describe(&l->cpu->memory, written, text, sizeof text);
	cpu_fault(l, NULL, "a thread wrote to %p, without TS_WRITE(): %s", written, text);
}

bool ts_cpu_launch(struct ts_cpu *c, const struct cpu_kernel *kernel,
	const struct ts_cpu_grid *grid, const struct ts_cpu_way *way, const void *args,
	char ret_fault[TS_CPU_FAULT])
{
	struct cpu_launch l = {.cpu = c,
		.kernel = kernel,
		.grid = *grid,
		.args = args,
		.seeded = way->seeded,
		.fault = ret_fault};
	uint32_t fit = ts_cpu_residency(grid);
	uint32_t places = least(grid->count, way->places > 0 ? least(way->places, fit) : fit);
	uint32_t workers = way->pthreads > 0 ? way->pthreads : processors();

	l.ranks = grid->cluster[0] * grid->cluster[1];
	l.threads = l.ranks * grid->threads;
	ret_fault[0] = '\0';
	if (fit == 0 || grid->threads > kernel->threads_max) {
		cpu_fault(&l, NULL,
			"clusters of %ux%u CTAs with %u threads and %u bytes of shared memory: a "
			"cluster has at most %d CTAs, a CTA %u threads and %d bytes",
			grid->cluster[0], grid->cluster[1], grid->threads, grid->shared,
			TS_CPU_UNITS, least(kernel->threads_max, TS_CPU_THREADS), TS_CPU_SHARED);
		return false;
	}
	if (places == 0)
		return true;
	workers = way->seeded ? 1 : least(workers, places);
	if (!make_places(c, grid, places) || !make_workers(c, workers)) {
		free_places(c);
		cpu_fault(&l, NULL, "no memory for %u groups", places);
		return false;
	}
	l.places = c->places;
	l.place_count = places;
	l.workers = c->workers;
	l.worker_count = workers;
	for (uint32_t i = 0; i < workers; i++)
		if (!prepare_worker(&c->workers[i], &l, i)) {
			cpu_fault(&l, NULL, "no memory to look for races");
			return false;
		}
	c->workers[0].random = way->seed;
	cpu_signal_install();
	cpu_run(&l);
	cpu_signal_remove();
	if (l.deadlock)
		cpu_report_deadlock(&l);
	settle(&l);
	if (cpu_has_failed(&l))
		free_places(c);
	return !cpu_has_failed(&l);
}
