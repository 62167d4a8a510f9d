/* The executor: places, pthreads, and who runs next. */
#include "kernels/cpu.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/cpu_run.h"
#include "kernels/cpu_shared.h"
#include "kernels/cpu_signal.h"

/* Polls without a change after which a thread is taken to wait, and not to try a few times. */
enum { IDLE = 100 };

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

/* SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
uint64_t cpu_random(struct cpu_worker *w)
{
	uint64_t x = w->random += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void cpu_make_ready(struct cpu_thread *t)
{
	struct cpu_place *p = t->cta->place;

	t->state = CPU_READY;
	p->ready[(p->ready_first + p->ready_count++) % p->launch->threads] = t;
}

static bool has_failed(const struct cpu_launch *l)
{
	return __atomic_load_n(&l->failed, __ATOMIC_ACQUIRE) != 0;
}

void cpu_give_way(struct cpu_thread *t)
{
	cpu_go_on(t);
	cpu_fiber_leave(t->fiber, false);
	cpu_go_on(t);
}

static _Noreturn void stop(struct cpu_thread *t)
{
	t->gone = true;
	cpu_fiber_leave(t->fiber, true);
	abort();
}

void cpu_go_on(struct cpu_thread *t)
{
	if (has_failed(t->cta->place->launch))
		stop(t);
}

void cpu_fail(const char *format, ...)
{
	struct cpu_thread *t = cpu_thread();
	char text[TS_CPU_FAULT / 2];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	cpu_fault(t->cta->place->launch, t, "%s", text);
	stop(t);
}

/* --- Threads -----------------------------------------------------------------------------------
 */

/* A fiber runs one thread after another to its end, and starts the next one as long as the group
 * has more: threads that never wait need no change of stacks. */
static void run_threads(struct cpu_fiber *f)
{
	for (;;) {
		struct cpu_place *p = f->user;
		struct cpu_launch *l = p->launch;

		while (p->started < l->threads && !has_failed(l)) {
			struct cpu_thread *t = &p->threads[p->started++];

			t->fiber = f;
			t->state = CPU_READY;
			cpu_run_as(t);
			p->worker->current = t;
			l->kernel->enter(l->args);
			cpu_leave(t);
		}
		f->next = p->worker->idle;
		p->worker->idle = f;
		p->worker->current = NULL;
		cpu_fiber_leave(f, false);
	}
}

/* A fiber that has no thread; NULL where there is no memory for one more. */
static struct cpu_fiber *take_fiber(struct cpu_worker *w)
{
	struct cpu_fiber *f = w->idle;

	if (f != NULL) {
		w->idle = f->next;
	} else {
		f = cpu_fiber_new();
		if (f == NULL)
			return NULL;
		f->all = w->fibers;
		w->fibers = f;
	}
	if (!f->begun)
		cpu_fiber_begin(f, run_threads);
	return f;
}

static void start_threads(struct cpu_worker *w, struct cpu_place *p)
{
	struct cpu_fiber *f = take_fiber(w);

	if (f == NULL) {
		cpu_fault(w->launch, NULL, "no memory for the stack of one more thread");
		return;
	}
	f->user = p;
	cpu_fiber_enter(f);
}

/* The thread that has been ready for longest, or any. */
static struct cpu_thread *take_ready(struct cpu_worker *w, struct cpu_place *p)
{
	uint32_t size = p->launch->threads;
	struct cpu_thread **first = &p->ready[p->ready_first], *t;

	if (w->launch->seeded) {
		uint32_t other = (uint32_t)(cpu_random(w) % p->ready_count);
		struct cpu_thread **chosen = &p->ready[(p->ready_first + other) % size];

		t = *chosen;
		*chosen = *first;
		*first = t;
	}
	t = *first;
	p->ready_first = (p->ready_first + 1) % size;
	p->ready_count--;
	return t;
}

/* --- Groups ------------------------------------------------------------------------------------
 */

static void begin_group(struct cpu_place *p, uint32_t cluster)
{
	struct cpu_launch *l = p->launch;

	p->live = true;
	p->cluster = cluster;
	p->started = p->left = 0;
	p->ready_first = p->ready_count = 0;
	memset(&p->barrier, 0, sizeof p->barrier);
	cpu_shared_group(p);
	for (uint32_t rank = 0; rank < l->ranks; rank++) {
		struct cpu_cta *cta = &p->ctas[rank];

		cta->left = 0;
		cta->has_tile = false;
		memset(&cta->barrier, 0, sizeof cta->barrier);
		memset(cta->warps, 0, (l->grid.threads / 32 + (size_t)1) * sizeof *cta->warps);
		for (uint32_t i = 0; i < l->grid.threads; i++) {
			struct cpu_thread *t = &cta->threads[i];
			struct cpu_self *s = &t->self;

			s->cluster = cluster;
			s->cta = cluster * l->grid.cluster[0] + rank % l->grid.cluster[0];
			s->ctas = l->grid.count * l->grid.cluster[0];
			t->state = CPU_UNSTARTED;
			t->idle = 0;
			t->wrote = t->gone = false;
			t->flight_count = t->flight_group = 0;
		}
	}
}

/* Fills places as long as there are groups. */
static uint32_t take_groups(struct cpu_worker *w)
{
	struct cpu_launch *l = w->launch;
	uint32_t live = 0;

	for (uint32_t i = w->first; i < l->place_count; i += w->step) {
		struct cpu_place *p = &l->places[i];

		if (!p->live && __atomic_load_n(&l->next_group, __ATOMIC_RELAXED) < l->grid.count) {
			uint32_t group = __atomic_fetch_add(&l->next_group, 1, __ATOMIC_RELAXED);

			if (group < l->grid.count)
				begin_group(p, group);
		}
		live += p->live;
	}
	return live;
}

/* Runs one thread until it waits, or starts some. */
static void run_one(struct cpu_worker *w, struct cpu_place *p)
{
	struct cpu_launch *l = w->launch;
	bool fresh = p->started < l->threads;

	w->current = NULL;
	if (fresh && p->ready_count > 0 && l->seeded)
		fresh = cpu_random(w) % 2 == 0;
	if (fresh) {
		start_threads(w, p);
	} else {
		struct cpu_thread *t = take_ready(w, p);

		w->current = t;
		cpu_run_as(t);
		cpu_fiber_enter(t->fiber);
	}
	if (has_failed(l) || p->ready_count > 0 || p->started < l->threads)
		return;
	if (p->left < l->threads) {
		cpu_report_group(p);
		return;
	}
	cpu_shared_check(p);
	p->live = false;
}

/* --- Deadlocks ---------------------------------------------------------------------------------
 */

/* Do all threads of this pthread that could run do nothing but wait since `epoch`? */
static bool is_stuck(const struct cpu_worker *w, uint64_t epoch)
{
	const struct cpu_launch *l = w->launch;

	for (uint32_t i = w->first; i < l->place_count; i += w->step) {
		const struct cpu_place *p = &l->places[i];

		if (p->live && p->started < l->threads)
			return false;
		for (uint32_t k = 0; p->live && k < p->ready_count; k++) {
			const struct cpu_thread *t = p->ready[(p->ready_first + k) % l->threads];

			if (t->idle < IDLE || t->epoch != epoch)
				return false;
		}
	}
	return true;
}

/* Has nothing changed since all others got stuck? Whoever goes on says so before it changes
 * anything. */
static bool all_stuck(const struct cpu_launch *l, uint64_t epoch)
{
	for (uint32_t i = 0; i < l->worker_count; i++) {
		uint64_t stuck = __atomic_load_n(&l->workers[i].stuck, __ATOMIC_SEQ_CST);

		if (stuck != CPU_DONE && stuck != epoch)
			return false;
	}
	return __atomic_load_n(&l->epoch, __ATOMIC_SEQ_CST) == epoch;
}

/* Called after each thread that waits for a counter. */
static void look_for_deadlock(struct cpu_worker *w, const struct cpu_thread *t)
{
	struct cpu_launch *l = w->launch;

	if (t == NULL || t->state != CPU_READY || t->idle < IDLE) {
		__atomic_store_n(&w->stuck, CPU_BUSY, __ATOMIC_SEQ_CST);
		return;
	}
	if (t->idle % IDLE != 0 || !is_stuck(w, t->epoch))
		return;
	__atomic_store_n(&w->stuck, t->epoch, __ATOMIC_SEQ_CST);
	if (all_stuck(l, t->epoch))
		cpu_stop_deadlock(l);
	else
		sched_yield();
}

/* --- Pthreads ----------------------------------------------------------------------------------
 */

static struct cpu_place *next_place(struct cpu_worker *w, struct cpu_place *last)
{
	struct cpu_launch *l = w->launch;
	uint32_t own = (l->place_count - w->first + w->step - 1) / w->step;
	uint32_t i = last == NULL ? 0 : (last->index - w->first) / w->step + 1;

	if (l->seeded)
		i = (uint32_t)(cpu_random(w) % own);
	for (;; i++) {
		struct cpu_place *p = &l->places[w->first + i % own * w->step];

		if (p->live)
			return p;
	}
}

/* Threads that wait in the middle leave for good: their stacks are used anew. */
static void give_up(struct cpu_worker *w)
{
	for (uint32_t i = w->first; i < w->launch->place_count; i += w->step) {
		struct cpu_place *p = &w->launch->places[i];

		for (uint32_t k = 0; p->live && k < p->started; k++) {
			struct cpu_thread *t = &p->threads[k];

			if (t->state != CPU_LEFT && !t->gone) {
				cpu_run_as(t);
				cpu_fiber_enter(t->fiber);
			}
		}
	}
}

static void *work(void *user)
{
	struct cpu_worker *w = user;
	struct cpu_launch *l = w->launch;
	struct cpu_signal_stack stack;
	struct cpu_place *p = NULL;

	cpu_signal_enter(&stack);
	while (!has_failed(l) && take_groups(w) > 0) {
		p = next_place(w, p);
		/* Threads of a group run one after another, so that caches stay warm. */
		for (uint32_t i = 0; p->live && i < l->threads && !has_failed(l); i++) {
			run_one(w, p);
			look_for_deadlock(w, w->current);
			if (l->seeded || (w->current != NULL && w->current->idle > 0))
				break;
		}
	}
	__atomic_store_n(&w->stuck, CPU_DONE, __ATOMIC_SEQ_CST);
	if (has_failed(l))
		give_up(w);
	cpu_run_as(NULL);
	cpu_signal_leave(&stack);
	return NULL;
}

static void run_workers(struct cpu_launch *l)
{
	pthread_t *threads = calloc(l->worker_count, sizeof *threads);
	uint32_t made = 1;

	if (threads == NULL) {
		cpu_fault(l, NULL, "no memory");
		return;
	}
	for (; made < l->worker_count; made++)
		if (pthread_create(&threads[made], NULL, work, &l->workers[made]) != 0) {
			cpu_fault(l, NULL, "no more pthreads than %u", made);
			break;
		}
	work(&l->workers[0]);
	for (uint32_t i = 1; i < made; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

/* --- Launches ----------------------------------------------------------------------------------
 */

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

static void prepare_worker(struct cpu_worker *w, struct cpu_launch *l, uint32_t index)
{
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
	}
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
		prepare_worker(&c->workers[i], &l, i);
	c->workers[0].random = way->seed;
	cpu_signal_install();
	run_workers(&l);
	cpu_signal_remove();
	if (l.deadlock)
		cpu_report_deadlock(&l);
	settle(&l);
	if (has_failed(&l))
		free_places(c);
	return !has_failed(&l);
}
