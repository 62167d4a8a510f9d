/* Running ahead, waits that nobody would end, and the shortest cycle. */
#include "verify/wait_graph.h"

#include "policies/plan.h"

#include <string.h>

/* Of all workers together: a second or so. */
static const uint64_t ahead_max = 1 << 26;

static const uint32_t nobody = UINT32_MAX;

void ts_wait_graph_init(struct ts_wait_graph *g, const struct ts_plan *plan,
	const struct ts_rules *rules, const uint32_t *counters)
{
	memset(g, 0, sizeof *g);
	g->plan = plan;
	g->rules = rules;
	g->counters = counters;
	g->waiters = g_new0(struct ts_waiter, MAX(plan->workers, 1));
	for (uint32_t id = 0; id < plan->workers; id++)
		g->waiters[id].worker = ts_worker_make(id, id % plan->domains);
	g->raisers = g_new0(GArray *, MAX(plan->counters, 1));
	g->own = g_new0(uint64_t, MAX(plan->workers, 1));
	g->queues = 1;
	g->complete = true;
}

void ts_wait_graph_finish(struct ts_wait_graph *g)
{
	for (uint32_t i = 0; i < g->plan->counters; i++)
		g_clear_pointer(&g->raisers[i], g_array_unref);
	g_free(g->raisers);
	g_free(g->waiters);
	g_free(g->own);
}

/* Whoever is outside and finds nobody in its queue that could make room never runs. */
static void find_gone(struct ts_wait_graph *g)
{
	g_autofree bool *held = g_new0(bool, g->queues);

	for (uint32_t id = 0; id < g->plan->workers; id++)
		held[g->waiters[id].queue] |= g->waiters[id].presence == TS_IS_WAITING;
	for (uint32_t id = 0; id < g->plan->workers; id++) {
		struct ts_waiter *w = &g->waiters[id];

		if (w->presence == TS_IS_OUTSIDE && !held[w->queue])
			w->presence = TS_IS_GONE;
	}
}

/* Notes that worker `id` would add `value` to `counter`. */
static void add_raiser(struct ts_wait_graph *g, uint32_t id, uint32_t counter, uint32_t value)
{
	GArray *raisers = g->raisers[counter];
	struct ts_raiser *last;
	struct ts_raiser new = {.worker = id};

	if (raisers == NULL || value == 0)
		return;
	if (raisers->len == 0 ||
		g_array_index(raisers, struct ts_raiser, raisers->len - 1).worker != id)
		g_array_append_val(raisers, new);
	last = &g_array_index(raisers, struct ts_raiser, raisers->len - 1);
	last->added += value;
	if (g->waiters[id].presence == TS_IS_WAITING && g->waiters[id].counter == counter)
		g->own[id] = last->added;
}

/* Carries out the rest of one worker's steps as if nobody else moved, with every wait granted.
 * `now` has the counters' values, and has them again afterwards. Returns the steps. */
static uint64_t run_ahead(
	struct ts_wait_graph *g, uint32_t id, uint32_t *now, GArray *changed, uint64_t steps_max)
{
	const struct ts_plan *p = g->plan;
	struct ts_worker w = g->waiters[id].worker;
	uint64_t steps = 0;
	uint32_t answer = 0;

	g_array_set_size(changed, 0);
	for (; steps < steps_max; steps++) {
		struct ts_step s =
			g->rules == NULL ? ts_next(p, &w, answer) : g->rules->next(p, &w, answer);
		uint32_t added = s.act == TS_CLAIM ? 1 : s.value;

		if (s.act == TS_WORK || s.act == TS_FIX_UP || s.act == TS_WAIT)
			continue;
		if ((s.act != TS_CLAIM && s.act != TS_SIGNAL) || s.counter >= p->counters)
			break;
		if (s.act == TS_CLAIM)
			answer = now[s.counter];
		add_raiser(g, id, s.counter, added);
		now[s.counter] += added;
		g_array_append_val(changed, s.counter);
	}
	for (guint i = 0; i < changed->len; i++) {
		uint32_t counter = g_array_index(changed, uint32_t, i);

		now[counter] = g->counters[counter];
	}
	return steps;
}

static void find_raisers(struct ts_wait_graph *g)
{
	const struct ts_plan *p = g->plan;
	g_autofree uint32_t *now = g_memdup2(g->counters, p->counters * sizeof *now);
	g_autoptr(GArray) changed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint64_t left = ahead_max;

	for (uint32_t id = 0; id < p->workers; id++) {
		const struct ts_waiter *w = &g->waiters[id];

		if (w->presence == TS_IS_WAITING && g->raisers[w->counter] == NULL)
			g->raisers[w->counter] =
				g_array_new(FALSE, FALSE, sizeof(struct ts_raiser));
	}
	for (uint32_t id = 0; id < p->workers; id++) {
		uint64_t most = ts_plan_steps_max(p);

		if (g->waiters[id].presence == TS_HAS_LEFT)
			continue;
		left -= run_ahead(g, id, now, changed, MIN(left, most));
		if (left == 0) {
			g->complete = false;
			return;
		}
	}
}

bool ts_wait_graph_raiser(const struct ts_wait_graph *g, uint32_t worker, uint32_t *ret_raiser)
{
	static const enum ts_presence nearest[] = {TS_IS_WAITING, TS_IS_OUTSIDE, TS_IS_GONE};
	const GArray *raisers = g->raisers[g->waiters[worker].counter];

	for (size_t i = 0; i < G_N_ELEMENTS(nearest); i++)
		for (guint j = 0; j < raisers->len; j++) {
			uint32_t id = g_array_index(raisers, struct ts_raiser, j).worker;

			if (id == worker || g->waiters[id].presence != nearest[i])
				continue;
			*ret_raiser = id;
			return true;
		}
	return false;
}

/* What all who are left would add to a counter; UINT64_MAX if it is that much. */
static uint64_t sum_of(const struct ts_wait_graph *g, uint32_t counter)
{
	const GArray *raisers = g->raisers[counter];
	uint64_t sum = 0;

	for (guint i = 0; i < raisers->len; i++) {
		const struct ts_raiser *r = &g_array_index(raisers, struct ts_raiser, i);

		if (g->waiters[r->worker].presence != TS_IS_GONE)
			sum += MIN(r->added, UINT64_MAX - sum);
	}
	return sum;
}

static void put_waiter(const struct ts_wait_graph *g, uint32_t id, struct ts_finding *f)
{
	f->worker = id;
	f->counter = g->waiters[id].counter;
	f->counter_items = g->waiters[id].value;
	f->claimed = g->counters[f->counter];
}

/* Would one that is gone raise the counter? */
static bool has_gone(const struct ts_wait_graph *g, uint32_t counter, uint32_t *ret_raiser)
{
	const GArray *raisers = g->raisers[counter];

	for (guint i = 0; i < raisers->len; i++) {
		*ret_raiser = g_array_index(raisers, struct ts_raiser, i).worker;
		if (g->waiters[*ret_raiser].presence == TS_IS_GONE)
			return true;
	}
	return false;
}

/* Is there a wait that would not end even if everybody else went on? */
static bool find_unmet(const struct ts_wait_graph *g, struct ts_finding *f)
{
	g_autofree uint64_t *sums = g_new(uint64_t, g->plan->counters);

	for (uint32_t i = 0; i < g->plan->counters; i++)
		sums[i] = g->raisers[i] == NULL ? 0 : sum_of(g, i);
	for (uint32_t id = 0; id < g->plan->workers; id++) {
		const struct ts_waiter *w = &g->waiters[id];
		uint64_t others;
		uint32_t raiser;

		if (w->presence != TS_IS_WAITING)
			continue;
		others = sums[w->counter] - g->own[id];
		if (g->counters[w->counter] + MIN(others, UINT32_MAX) >= w->value)
			continue;
		put_waiter(g, id, f);
		f->deadlock.cause = TS_CAUSE_UNMET;
		f->deadlock.added = others;
		if (has_gone(g, w->counter, &raiser)) {
			f->deadlock.cause = TS_CAUSE_GONE;
			f->deadlock.links[0].worker = raiser;
		}
		return true;
	}
	return false;
}

/* A search for the shortest way from a waiting worker back to itself. */
struct search {
	const struct ts_wait_graph *g;
	uint32_t source;
	bool *raised;   /* by counter: would the source raise it? */
	bool *seen;     /* by counter: its raisers are in the queue */
	bool *held;     /* by dispatch queue: who has its places is in the queue */
	uint32_t *from; /* by worker: who waits for it; `nobody` if it is not in the queue */
	uint32_t *queue, *depth;
	uint32_t count;
};

static void visit(struct search *x, uint32_t id, uint32_t from)
{
	if (x->from[id] != nobody)
		return;
	x->from[id] = from;
	x->depth[id] = x->depth[from] + 1;
	x->queue[x->count++] = id;
}

static void visit_raisers(struct search *x, uint32_t id)
{
	uint32_t counter = x->g->waiters[id].counter;
	const GArray *raisers = x->g->raisers[counter];

	if (x->seen[counter])
		return;
	x->seen[counter] = true;
	for (guint i = 0; i < raisers->len; i++) {
		uint32_t raiser = g_array_index(raisers, struct ts_raiser, i).worker;

		if (raiser != id && x->g->waiters[raiser].presence != TS_IS_GONE)
			visit(x, raiser, id);
	}
}

static void visit_holders(struct search *x, uint32_t id)
{
	const struct ts_waiter *waiters = x->g->waiters;

	if (x->held[waiters[id].queue])
		return;
	x->held[waiters[id].queue] = true;
	for (uint32_t other = 0; other < x->g->plan->workers; other++)
		if (waiters[other].presence == TS_IS_WAITING &&
			waiters[other].queue == waiters[id].queue)
			visit(x, other, id);
}

/* Does `id` wait for the source? */
static bool closes(const struct search *x, uint32_t id)
{
	const struct ts_waiter *w = &x->g->waiters[id];

	if (id == x->source)
		return false;
	if (w->presence == TS_IS_WAITING)
		return x->raised[w->counter];
	return w->queue == x->g->waiters[x->source].queue;
}

static void start(struct search *x, uint32_t source)
{
	const struct ts_plan *p = x->g->plan;

	x->source = source;
	memset(x->raised, 0, p->counters * sizeof *x->raised);
	memset(x->seen, 0, p->counters * sizeof *x->seen);
	memset(x->held, 0, x->g->queues * sizeof *x->held);
	for (uint32_t id = 0; id < p->workers; id++)
		x->from[id] = nobody;
	for (uint32_t i = 0; i < p->counters; i++)
		for (guint j = 0; x->g->raisers[i] != NULL && j < x->g->raisers[i]->len; j++)
			x->raised[i] |=
				g_array_index(x->g->raisers[i], struct ts_raiser, j).worker ==
				source;
	x->from[source] = source;
	x->depth[source] = 0;
	x->queue[0] = source;
	x->count = 1;
}

/* The last worker of a shortest cycle through the source with fewer than `limit` workers; `nobody`
 * if there is none. */
static uint32_t find_last(struct search *x, uint32_t limit)
{
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t id = x->queue[i];

		if (x->depth[id] + 1 >= limit)
			return nobody;
		if (closes(x, id))
			return id;
		if (x->g->waiters[id].presence == TS_IS_WAITING)
			visit_raisers(x, id);
		else
			visit_holders(x, id);
	}
	return nobody;
}

/* How many others than `id` would raise its counter. */
static uint32_t raisers_of(const struct ts_wait_graph *g, uint32_t id)
{
	const GArray *raisers = g->raisers[g->waiters[id].counter];
	uint32_t count = 0;

	for (guint i = 0; i < raisers->len; i++) {
		uint32_t raiser = g_array_index(raisers, struct ts_raiser, i).worker;

		count += raiser != id && g->waiters[raiser].presence != TS_IS_GONE;
	}
	return count;
}

static void keep_cycle(const struct search *x, uint32_t last, struct ts_finding *f)
{
	struct ts_deadlock *d = &f->deadlock;

	d->cause = TS_CAUSE_CYCLE;
	d->length = x->depth[last] + 1;
	put_waiter(x->g, x->source, f);
	for (uint32_t id = last, i = d->length; i-- > 0; id = x->from[id]) {
		const struct ts_waiter *w = &x->g->waiters[id];

		if (i >= TS_FINDING_LINKS)
			continue;
		d->links[i].worker = id;
		d->links[i].outside = w->presence == TS_IS_OUTSIDE;
		d->links[i].counter = d->links[i].outside ? 0 : w->counter;
		d->links[i].raisers = d->links[i].outside ? 0 : raisers_of(x->g, id);
	}
}

static void find_cycle(const struct ts_wait_graph *g, struct ts_finding *f)
{
	const struct ts_plan *p = g->plan;
	struct search x = {.g = g};
	uint32_t limit = nobody; /* cycles must be shorter; none is shorter than 2 */

	x.raised = g_new(bool, p->counters);
	x.seen = g_new(bool, p->counters);
	x.held = g_new(bool, g->queues);
	x.from = g_new(uint32_t, p->workers);
	x.queue = g_new(uint32_t, p->workers);
	x.depth = g_new(uint32_t, p->workers);
	for (uint32_t id = 0; id < p->workers && limit > 2; id++) {
		uint32_t last;

		if (g->waiters[id].presence != TS_IS_WAITING)
			continue;
		start(&x, id);
		last = find_last(&x, limit);
		if (last == nobody)
			continue;
		limit = x.depth[last] + 1;
		keep_cycle(&x, last, f);
	}
	g_free(x.raised);
	g_free(x.seen);
	g_free(x.held);
	g_free(x.from);
	g_free(x.queue);
	g_free(x.depth);
}

void ts_wait_graph_solve(struct ts_wait_graph *g, struct ts_finding *ret_finding)
{
	struct ts_finding f = {.fault = TS_DEADLOCK};

	for (uint32_t id = g->plan->workers; id-- > 0;) {
		if (g->waiters[id].presence != TS_IS_WAITING)
			continue;
		put_waiter(g, id, &f);
		f.count++;
	}
	find_gone(g);
	find_raisers(g);
	if (!g->complete || !find_unmet(g, &f))
		find_cycle(g, &f);
	*ret_finding = f;
}
