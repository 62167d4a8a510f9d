/* A shared ticket counter and the lowest index that failed. pthreads and C11 atomics, since GLib's
 * own locks are opaque to the thread sanitizer. */
#include "sim/parallel.h"

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "sim/progress.h"

enum { BATCH = 16, TICK_US = 100000 };

struct shared {
	const struct ts_loop *loop;
	_Atomic uint64_t next, stop, done;
};

struct thread {
	struct shared *shared;
	void *state;
	pthread_t id;
};

static void lower(_Atomic uint64_t *value, uint64_t to)
{
	uint64_t seen = atomic_load(value);

	while (to < seen && !atomic_compare_exchange_weak(value, &seen, to))
		continue;
}

static void *run(void *argument)
{
	struct thread *t = argument;
	struct shared *s = t->shared;
	const struct ts_loop *loop = s->loop;

	for (;;) {
		uint64_t from = atomic_fetch_add(&s->next, BATCH);
		uint64_t to = MIN(from + BATCH, loop->count);

		for (uint64_t i = from; i < to && i < atomic_load(&s->stop); i++) {
			if (!loop->work(loop->data, t->state, i))
				lower(&s->stop, i);
			atomic_fetch_add(&s->done, 1);
		}
		if (to >= loop->count || to > atomic_load(&s->stop))
			return NULL;
	}
}

uint64_t ts_loop_run(const struct ts_loop *loop)
{
	struct shared s = {.loop = loop, .stop = loop->count};
	g_autofree struct thread *threads = g_new0(struct thread, loop->threads);
	struct ts_progress progress = ts_progress_begin(loop->progress, loop->count);
	bool visible = progress.visible;
	unsigned started = 0;

	for (unsigned i = 0; i < loop->threads; i++) {
		threads[i].shared = &s;
		threads[i].state = loop->states == NULL ? NULL : loop->states[i];
	}
	/* The first thread's share is done here, unless this thread shows the progress. */
	for (unsigned i = visible ? 0 : 1; i < loop->threads; i++) {
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0)
			break;
		started++;
	}
	if (!visible || started == 0)
		run(&threads[0]);
	while (visible && atomic_load(&s.done) < atomic_load(&s.stop)) {
		ts_progress_show(&progress, atomic_load(&s.done));
		usleep(TICK_US);
	}
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[visible ? i : i + 1].id, NULL);
	ts_progress_end(&progress);
	return atomic_load(&s.stop);
}

unsigned ts_loop_threads(void)
{
	return g_get_num_processors();
}
