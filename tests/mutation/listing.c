/* Listings: recorded from the policies, and where those do not do so, cut along k. */
#include "tests/mutation/listing.h"

#include "policies/plan.h"

struct ts_event *ts_listing_at(const struct ts_listing *l, uint32_t i)
{
	return &g_array_index(l->events, struct ts_event, i);
}

uint32_t ts_listing_draw(struct ts_listing *l, uint32_t end)
{
	return (uint32_t)g_rand_int_range(l->random, 0, (gint32)end);
}

/* All workers are resident, and one that is drawn moves. A wait is in the list where it ends. */
static void record(struct ts_listing *l)
{
	const struct ts_plan *p = &l->plan;
	g_autofree struct ts_worker *workers = g_new0(struct ts_worker, p->workers + 1);
	g_autofree struct ts_event *last = g_new0(struct ts_event, p->workers + 1);
	g_autofree uint32_t *counters = g_new0(uint32_t, p->counters + 1);
	uint32_t count = p->items > 0 ? p->workers : 0;

	for (uint32_t id = 0; id < count; id++)
		workers[id] = ts_worker_make(id, id % p->domains);
	while (count > 0) {
		uint32_t i = ts_listing_draw(l, count);
		struct ts_event *e = &last[i];

		bool waits = e->step.act == TS_WAIT && counters[e->step.counter] < e->step.value;

		if (waits)
			continue;
		if (e->step.act == TS_WAIT)
			g_array_append_val(l->events, *e);
		e->worker = workers[i].id;
		e->step = ts_next(p, &workers[i], e->answer);
		switch (e->step.act) {
		case TS_STOP:
			g_array_append_val(l->events, *e);
			workers[i] = workers[--count];
			last[i] = last[count];
			break;
		case TS_CLAIM:
			g_assert_cmpuint(e->step.counter, <, p->counters);
			e->counter = e->step.counter;
			e->answer = counters[e->counter]++;
			g_array_append_val(l->events, *e);
			break;
		case TS_WORK:
			if (p->counters > 0 && p->workspace == 0)
				l->given[e->counter]++;
			g_array_append_val(l->events, *e);
			break;
		case TS_SIGNAL:
			counters[e->step.counter] += e->step.value;
			g_array_append_val(l->events, *e);
			break;
		case TS_FIX_UP: g_array_append_val(l->events, *e); break;
		case TS_WAIT: break;
		}
	}
}

void ts_listing_cut(struct ts_listing *l, uint32_t i)
{
	struct ts_event rest = *ts_listing_at(l, i);
	struct ts_step *first = &ts_listing_at(l, i)->step;

	if (first->act != TS_WORK || first->k_end - first->k_begin < 2)
		return;
	rest.worker = ts_listing_draw(l, l->plan.workers);
	rest.step.k_begin += 1 + ts_listing_draw(l, first->k_end - first->k_begin - 1);
	first->k_end = rest.step.k_begin;
	if (ts_listing_draw(l, 2) == 0)
		first->owns = false;
	else
		rest.step.owns = false;
	g_array_append_val(l->events, rest);
}

void ts_listing_shuffle(struct ts_listing *l)
{
	for (uint32_t i = l->events->len; i > 1; i--) {
		uint32_t j = ts_listing_draw(l, i);
		struct ts_event moved = *ts_listing_at(l, i - 1);

		*ts_listing_at(l, i - 1) = *ts_listing_at(l, j);
		*ts_listing_at(l, j) = moved;
	}
}

bool ts_listing_make(struct ts_listing *l, const struct ts_spec *spec, uint32_t seed)
{
	if (ts_plan_make(&l->plan, spec) != TS_OK)
		return false;
	l->spec = *spec;
	l->random = g_rand_new_with_seed(seed);
	l->events = g_array_new(FALSE, FALSE, sizeof(struct ts_event));
	l->given = g_new0(uint32_t, l->plan.counters + 1);
	record(l);
	if (l->plan.workspace > 0)
		return true;
	/* Of three listings one is cut in no place, the others in as many as twice the items. */
	if (l->events->len > 0 && ts_listing_draw(l, 3) > 0)
		for (uint32_t cuts = ts_listing_draw(l, 2 * l->plan.items + 2); cuts > 0; cuts--)
			ts_listing_cut(l, ts_listing_draw(l, l->events->len));
	if (ts_listing_draw(l, 2) == 0)
		ts_listing_shuffle(l);
	return true;
}

void ts_listing_clear(struct ts_listing *l)
{
	g_array_unref(l->events);
	g_rand_free(l->random);
	g_free(l->given);
}
