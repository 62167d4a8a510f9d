/* The host's side of kernels/leave.h. */
#include "kernels/gemm_release.h"

#include <sched.h>
#include <time.h>

struct watch {
	const struct ts_plan *plan;
	const struct ts_release_when *when;
	uint32_t *asked;
	struct ts_leave_news *news;
	struct ts_release *r;
	uint64_t *gone_ns; /* for each worker; 0: it is still there */
	uint32_t *before; /* items of each worker when its domain was asked for, [domain][worker] */
	uint64_t first_ns; /* of the clock; 0: no item yet */
	int over;          /* the launch is */
};

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint32_t hear(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Asks for a domain. What its workers have begun is looked at after that, so that each may begin
 * one item more at most: the one that it was claiming. */
static void ask(struct watch *w, uint32_t domain)
{
	struct ts_released *d = &w->r->released[domain];

	__atomic_store_n(&w->asked[domain], 1, __ATOMIC_RELEASE);
	d->asked = true;
	d->asked_ns = clock_ns() - w->first_ns;
	for (uint32_t i = 0; i < w->plan->workers; i++)
		w->before[(uint64_t)domain * w->plan->workers + i] = hear(&w->news[i].items);
}

/* Looks at every worker once. */
static void look(struct watch *w)
{
	uint64_t now, items = 0;

	for (uint32_t i = 0; i < w->plan->workers; i++)
		items += hear(&w->news[i].items);
	now = clock_ns();
	if (items > 0 && w->first_ns == 0)
		w->first_ns = now;
	for (uint32_t i = 0; i < w->plan->workers; i++)
		if (w->gone_ns[i] == 0 && hear(&w->news[i].gone) != 0)
			w->gone_ns[i] = now;
	for (uint32_t d = 0; items > 0 && d < w->plan->domains; d++) {
		const struct ts_release_when *when = &w->when[d];
		double at = when->by_time ? (double)(now - w->first_ns) / 1e3
					  : 100 * (double)items / w->plan->items;

		if (when->wanted && !w->r->released[d].asked && at >= when->at)
			ask(w, d);
	}
	w->r->items = items;
}

static gpointer watch(gpointer data)
{
	struct watch *w = data;

	while (!__atomic_load_n(&w->over, __ATOMIC_ACQUIRE)) {
		look(w);
		sched_yield();
	}
	return NULL;
}

/* From what was seen to what became of each domain. */
static void sum_up(struct watch *w)
{
	for (uint32_t i = 0; i < w->plan->workers; i++) {
		uint32_t gone = hear(&w->news[i].gone), items = hear(&w->news[i].items);
		uint32_t domain = gone >> TS_GONE_DOMAIN;
		uint64_t left_ns = w->gone_ns[i] - MIN(w->first_ns, w->gone_ns[i]);
		struct ts_released *d;
		uint32_t after;

		/* Not to be trusted: a kernel with a fault writes anything. */
		if (gone == TS_NOT_GONE || domain >= w->plan->domains)
			continue;
		d = &w->r->released[domain];
		after = items - w->before[(uint64_t)domain * w->plan->workers + i];
		d->workers++;
		d->left_ns = MAX(d->left_ns, left_ns);
		w->r->end_ns = MAX(w->r->end_ns, left_ns);
		d->as_asked += (gone & ((1u << TS_GONE_DOMAIN) - 1)) == TS_GONE_AS_ASKED;
		if (!d->asked)
			continue;
		d->items_after += after;
		d->most_after = MAX(d->most_after, after);
	}
}

bool ts_gemm_release(struct ts_gemm *g, const struct ts_plan *p, const struct ts_release_when *when,
	struct ts_release *ret_release, GError **error)
{
	/* Each in lines of its own. */
	uint64_t asked_bytes = ((uint64_t)p->domains * sizeof(uint32_t) + 255) / 256 * 256;
	char *shared = g->gpu.ops->share(
		&g->gpu, asked_bytes + p->workers * sizeof(struct ts_leave_news), error);
	struct watch w = {.plan = p, .when = when, .r = ret_release};
	GThread *thread;
	bool good;

	if (shared == NULL)
		return false;
	ret_release->domains = p->domains;
	ret_release->released = g_new0(struct ts_released, p->domains);
	ret_release->end_ns = ret_release->items = 0;
	w.asked = (uint32_t *)(void *)shared;
	w.news = (struct ts_leave_news *)(void *)(shared + asked_bytes);
	w.gone_ns = g_new0(uint64_t, p->workers);
	w.before = g_new0(uint32_t, (uint64_t)p->workers * p->domains);
	g->leave.asked = w.asked;
	g->leave.news = w.news;
	thread = g_thread_new("watch", watch, &w);
	good = ts_gemm_start(g, p, NULL, error);
	/* Also where only a part was started: it writes to what is given back below. */
	good = g->gpu.ops->wait(&g->gpu, good ? error : NULL) && good;
	__atomic_store_n(&w.over, 1, __ATOMIC_RELEASE);
	g_thread_join(thread);
	look(&w);
	sum_up(&w);
	g->leave.asked = NULL;
	g->gpu.ops->unshare(&g->gpu, shared);
	g_free(w.gone_ns);
	g_free(w.before);
	if (!good)
		ts_release_finish(ret_release);
	return good;
}

void ts_release_finish(struct ts_release *r)
{
	g_clear_pointer(&r->released, g_free);
}
