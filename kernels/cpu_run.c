/* Places, pthreads, and who runs next. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu_run.h"
#include "kernels/cpu_shared.h"
#include "kernels/cpu_signal.h"

/* Polls without a change after which a thread is taken to wait, and not to try a few times. */
enum { IDLE = 100 };

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

bool cpu_has_failed(const struct cpu_launch *l)
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
	if (cpu_has_failed(t->cta->place->launch))
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

		while (p->started < l->threads && !cpu_has_failed(l)) {
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
	if (!f->begun || f->torn)
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
		cta->warp = CPU_LANES / 2;
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
	if (cpu_has_failed(l) || p->ready_count > 0 || p->started < l->threads)
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
		if (__atomic_load_n(&w->stuck, __ATOMIC_RELAXED) != CPU_BUSY)
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
	while (!cpu_has_failed(l) && take_groups(w) > 0) {
		uint32_t turns;

		p = next_place(w, p);
		/* All threads of the group have a turn, so that caches stay warm, then those of the
		 * next one, so that groups share the work. */
		turns = l->seeded ? 1 : p->ready_count;

		do {
			run_one(w, p);
			look_for_deadlock(w, w->current);
			turns -= turns > 0;
		} while (p->live && !cpu_has_failed(l) &&
			(turns > 0 || (!l->seeded && p->started < l->threads)));
	}
	__atomic_store_n(&w->stuck, CPU_DONE, __ATOMIC_SEQ_CST);
	if (cpu_has_failed(l))
		give_up(w);
	cpu_run_as(NULL);
	cpu_signal_leave(&stack);
	return NULL;
}

void cpu_run(struct cpu_launch *l)
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
