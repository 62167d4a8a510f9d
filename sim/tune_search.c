/* Which of many configurations are the best, without simulating those that cannot be. */
#include <pthread.h>

#include "sim/bound.h"
#include "sim/parallel.h"
#include "sim/tune.h"

/* In the order in which they are simulated: the most promising first. */
struct candidate {
	uint64_t least; /* ps */
	guint index;
};

struct search {
	const struct ts_settings *settings;
	GArray *all;   /* struct ts_tuned */
	GArray *queue; /* struct candidate */
	guint want;
	pthread_mutex_t mutex; /* of what follows */
	GArray *best;          /* struct ts_tuned *, those that are sound, the fastest first */
	uint64_t limit;        /* ps: who takes longer is not asked for */
};

bool ts_tune_same_tiles(const struct ts_spec *a, const struct ts_spec *b)
{
	return a->block_m == b->block_m && a->block_n == b->block_n && a->block_k == b->block_k &&
		a->cluster_m == b->cluster_m && a->cluster_n == b->cluster_n;
}

/* Are all schedules sound, and all times as priced, or longer by stalls? Registered policies are,
 * with the workers that are resident and nothing that takes places away. */
static bool is_certain(const struct ts_settings *s)
{
	bool by_hardware;

	return ts_settings_hardware_domain(s, &by_hardware, NULL) && !by_hardware &&
		ts_settings_rules(s) == NULL && s->axes[TS_AXIS_WORKERS] == NULL &&
		s->axes[TS_AXIS_XCDS] == NULL && s->jitter == NULL && s->mask == NULL &&
		s->hold == NULL && s->release == NULL;
}

static bool bound(void *data, void *state, uint64_t index)
{
	struct search *s = data;
	struct ts_tuned *t = &g_array_index(s->all, struct ts_tuned, index);
	struct candidate *c = &g_array_index(s->queue, struct candidate, index);
	struct ts_run run;

	(void)state;
	c->index = (guint)index;
	t->makespan = UINT64_MAX;
	t->sound = ts_run_init(&run, s->settings, &t->spec, NULL) && ts_run_fits(&run, NULL);
	if (t->sound && s->want < s->all->len)
		c->least = ts_bound_makespan(&run.plan, &run.cost, &run.machine);
	ts_run_finish(&run);
	return true;
}

/* Takes in a result. The limit is what the last of those asked for takes, and the first that has
 * other tiles than the best, which the best is compared with. */
static void note(struct search *s, const struct ts_tuned *t)
{
	const struct ts_tuned *first;
	guint at = s->best->len, other = 1;

	while (at > 0 && g_array_index(s->best, struct ts_tuned *, at - 1)->makespan > t->makespan)
		at--;
	g_array_insert_val(s->best, at, t);
	if (s->best->len < s->want)
		return;
	first = g_array_index(s->best, struct ts_tuned *, 0);
	while (other < s->best->len &&
		ts_tune_same_tiles(
			&first->spec, &g_array_index(s->best, struct ts_tuned *, other)->spec))
		other++;
	if (other < s->best->len)
		s->limit = g_array_index(s->best, struct ts_tuned *, MAX(other, s->want - 1))
				   ->makespan;
}

static void simulate(const struct ts_settings *settings, struct ts_tuned *t)
{
	struct ts_run run;

	t->sound = ts_run_init(&run, settings, &t->spec, NULL) &&
		ts_run_simulate(&run, settings, NULL, NULL) && run.sound;
	if (t->sound) {
		const struct ts_summary *sum = &run.summary;

		t->spec = run.spec;
		t->makespan = ts_run_end(&run);
		t->tflops = ts_summary_tflops(sum);
		t->useful = sum->useful;
		t->quantization = sum->quantization;
		t->imbalance = sum->imbalance;
		t->unmanned = sum->unmanned;
		t->claims = sum->claims;
		t->fixed = sum->fixed + sum->launch;
		t->padding = sum->padding;
		t->fix_up = sum->fix_up + sum->waits;
		t->missed = 0;
		for (uint32_t i = 0; run.caches != NULL && i < ts_caches_l2s(run.caches); i++)
			t->missed += ts_caches_l2(run.caches, i).miss_bytes;
	}
	ts_run_finish(&run);
}

static bool work(void *data, void *state, uint64_t index)
{
	struct search *s = data;
	const struct candidate *c = &g_array_index(s->queue, struct candidate, index);
	struct ts_tuned *t = &g_array_index(s->all, struct ts_tuned, c->index);
	bool is_beyond;

	(void)state;
	pthread_mutex_lock(&s->mutex);
	is_beyond = c->least > s->limit;
	pthread_mutex_unlock(&s->mutex);
	if (!t->sound || is_beyond)
		return true;
	simulate(s->settings, t);
	pthread_mutex_lock(&s->mutex);
	if (t->sound)
		note(s, t);
	pthread_mutex_unlock(&s->mutex);
	return true;
}

static gint by_least(gconstpointer a, gconstpointer b)
{
	const struct candidate *x = a, *y = b;

	return (x->least > y->least) - (x->least < y->least);
}

/* The best first; of equals the one that asks less of memory, and of those again the one that comes
 * first in the product, which is the plainer. */
static gint by_makespan(gconstpointer a, gconstpointer b)
{
	const struct ts_tuned *x = a, *y = b;

	if (x->sound != y->sound)
		return x->sound ? -1 : 1;
	if (x->makespan != y->makespan)
		return x->makespan < y->makespan ? -1 : 1;
	return (x->missed > y->missed) - (x->missed < y->missed);
}

void ts_tune_search(GArray *all, const struct ts_settings *settings, unsigned threads, guint want)
{
	struct search s = {.settings = settings,
		.all = all,
		.queue = g_array_sized_new(FALSE, TRUE, sizeof(struct candidate), all->len),
		.want = is_certain(settings) ? MAX(want, 2) : all->len,
		.best = g_array_new(FALSE, FALSE, sizeof(struct ts_tuned *)),
		.limit = UINT64_MAX};
	struct ts_loop loop = {.count = all->len, .threads = threads, .work = bound, .data = &s};

	pthread_mutex_init(&s.mutex, NULL);
	g_array_set_size(s.queue, all->len);
	ts_loop_run(&loop);
	g_array_sort(s.queue, by_least);
	loop.progress = "simulations";
	loop.work = work;
	ts_loop_run(&loop);
	g_array_sort(all, by_makespan);
	pthread_mutex_destroy(&s.mutex);
	g_array_unref(s.queue);
	g_array_unref(s.best);
}
