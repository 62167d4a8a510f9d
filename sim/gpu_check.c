/* From records to a verdict. */
#include "sim/gpu_check.h"

#include <string.h>

#include "verify/coverage.h"

/* What belongs to one worker, as the first of a list of indices; NONE ends it. */
struct lists {
	uint32_t *first, *next;
};

static const uint32_t NONE = UINT32_MAX;

struct check {
	const struct ts_plan *plan;
	const struct ts_probe_log *log;
	const struct ts_probe_record *records;
	const struct ts_probe_event *events;
	const uint32_t *counters;
	uint32_t ranks, groups, event_count;
	bool hardware_domain;
	uint32_t units;
	const bool *asked; /* for each domain: its workers may leave; NULL: none may */
	struct lists of_groups, of_events;
	char *fault;
};

/* Keeps the first fault. Returns false. */
G_GNUC_PRINTF(2, 3)
static bool fault(struct check *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (k->fault == NULL)
		k->fault = g_strdup_vprintf(format, args);
	va_end(args);
	return false;
}

static bool untouched(struct check *k, uint64_t from, uint64_t to, const char *where)
{
	for (uint64_t i = from; i < to; i++)
		if (k->log->words[i] != TS_PROBE_POISON)
			return fault(k, "word %" G_GUINT64_FORMAT " %s was overwritten with 0x%08x",
				i - from, where, k->log->words[i]);
	return true;
}

/* Guards, and the room that was not needed. */
static bool check_memory(struct check *k)
{
	const struct ts_probe_layout *l = &k->log->layout;
	const struct ts_probe_cursors *cursors = ts_probe_cursors(k->log);
	uint64_t record = sizeof(struct ts_probe_record) / sizeof(uint32_t);
	uint64_t event = sizeof(struct ts_probe_event) / sizeof(uint32_t);

	if (cursors->groups > l->group_room)
		return fault(k,
			"%u items were begun, with room for %" G_GUINT64_FORMAT
			": a worker goes on and on",
			cursors->groups, l->group_room);
	if (cursors->events > l->event_room)
		return fault(k,
			"%u claims and signals were made, with room for %" G_GUINT64_FORMAT
			": a worker goes on and on",
			cursors->events, l->event_room);
	k->groups = cursors->groups;
	k->event_count = cursors->events;
	return untouched(k, 0, l->cursors, "in front of the cursors") &&
		untouched(k, l->cursors + 2, l->counters, "in front of the counters") &&
		untouched(k, l->counters + k->plan->counters, l->records, "after the counters") &&
		untouched(k, l->records + record * k->groups * k->ranks, l->events,
			"after the records") &&
		untouched(k, l->events + event * k->event_count, l->words, "after the events");
}

static bool check_record(struct check *k, uint32_t group, uint32_t rank)
{
	const struct ts_probe_record *first = &k->records[(uint64_t)group * k->ranks];
	const struct ts_probe_record *r = first + rank;
	uint64_t never = (uint64_t)TS_PROBE_POISON << 32 | TS_PROBE_POISON;

	if (r->worker == TS_PROBE_POISON || r->from == never || r->to == never)
		return fault(k, "item %u: CTA %u wrote no record", group, rank);
	if (r->worker >= k->plan->workers || r->domain >= k->plan->domains || r->rank != rank ||
		r->unit >= k->units || r->valid > 1 || r->owns > 1)
		return fault(k,
			"item %u: CTA %u wrote worker %u, domain %u, rank %u, SM %u: out of range",
			group, rank, r->worker, r->domain, r->rank, r->unit);
	/* A policy and the verifier look its grid up. */
	if (r->g >= k->plan->groups)
		return fault(k, "item %u: CTA %u wrote group %u of %u", group, rank, r->g,
			k->plan->groups);
	if (r->worker != first->worker || r->domain != first->domain ||
		r->counter != first->counter || r->answer != first->answer || r->g != first->g ||
		r->k_begin != first->k_begin || r->k_end != first->k_end || r->owns != first->owns)
		return fault(k, "item %u: CTA %u of worker %u got another step than CTA 0", group,
			rank, first->worker);
	if (r->to < r->from)
		return fault(k, "item %u: CTA %u ended before it began", group, rank);
	return true;
}

/* Does CTA `rank` of item `next` go on where it was in `group`, the worker's item before? */
static bool check_life(struct check *k, uint32_t group, uint32_t next, uint32_t rank)
{
	const struct ts_probe_record *r = &k->records[(uint64_t)group * k->ranks + rank];
	const struct ts_probe_record *n = &k->records[(uint64_t)next * k->ranks + rank];

	if (n->unit != r->unit)
		return fault(k, "worker %u: CTA %u moved from SM %u to SM %u", r->worker, rank,
			r->unit, n->unit);
	if (n->from < r->to)
		return fault(k, "worker %u: CTA %u began item %u before it ended item %u",
			r->worker, rank, next, group);
	return true;
}

static struct lists make_lists(uint32_t workers, uint32_t count)
{
	struct lists l = {g_new(uint32_t, MAX(workers, 1)), g_new(uint32_t, MAX(count, 1))};

	for (uint32_t i = 0; i < workers; i++)
		l.first[i] = NONE;
	return l;
}

static void push(struct lists *l, uint32_t worker, uint32_t index)
{
	l->next[index] = l->first[worker];
	l->first[worker] = index;
}

/* Every record and event by itself, and lists of them by worker, in the order of the cursors. */
static bool check_entries(struct check *k)
{
	for (uint32_t i = k->groups; i-- > 0;) {
		for (uint32_t rank = 0; rank < k->ranks; rank++)
			if (!check_record(k, i, rank))
				return false;
		push(&k->of_groups, k->records[(uint64_t)i * k->ranks].worker, i);
	}
	for (uint32_t i = k->event_count; i-- > 0;) {
		const struct ts_probe_event *e = &k->events[i];

		if (e->worker >= k->plan->workers || e->domain >= k->plan->domains ||
			e->unit >= k->units)
			return fault(k, "event %u: worker %u, domain %u, SM %u: out of range", i,
				e->worker, e->domain, e->unit);
		if (e->counter >= k->plan->counters)
			return fault(k, "worker %u used counter %u of %u", e->worker, e->counter,
				k->plan->counters);
		if (e->act == TS_WAIT)
			return fault(k, "worker %u waited for ever for counter %u to reach %u",
				e->worker, e->counter, e->value);
		push(&k->of_events, e->worker, i);
	}
	return true;
}

/* The policy's step and the record of it. */
static bool check_work(struct check *k, const struct ts_worker *w, const struct ts_step *s,
	uint32_t group, uint32_t counter, uint32_t answer)
{
	for (uint32_t rank = 0; rank < k->ranks; rank++) {
		const struct ts_probe_record *r = &k->records[(uint64_t)group * k->ranks + rank];
		struct ts_tile tile = ts_cta_tile(k->plan, s, rank);

		if (r->g != s->g)
			return fault(k,
				"worker %u: CTA %u had tile (%u, %u) of group %u, where the policy "
				"gives one of group %u",
				w->id, rank, r->m, r->n, r->g, s->g);
		if (r->m != tile.m || r->n != tile.n || (r->valid == 1) != tile.valid)
			return fault(k,
				"worker %u: CTA %u had tile (%u, %u)%s, where the policy gives "
				"(%u, %u)%s",
				w->id, rank, r->m, r->n, r->valid == 1 ? "" : " outside", tile.m,
				tile.n, tile.valid ? "" : " outside");
		if (r->slot != s->slot)
			return fault(k,
				"worker %u: tile (%u, %u) had workspace slot %u, where the policy "
				"gives %u",
				w->id, r->m, r->n, r->slot, s->slot);
		if (r->k_begin != s->k_begin || r->k_end != s->k_end || (r->owns == 1) != s->owns)
			return fault(k,
				"worker %u: tile (%u, %u) had k iterations [%u, %u)%s, where the "
				"policy gives [%u, %u)%s",
				w->id, r->m, r->n, r->k_begin, r->k_end,
				r->owns == 1 ? " and the output" : "", s->k_begin, s->k_end,
				s->owns ? " and the output" : "");
		if (r->counter != counter || r->answer != answer || r->domain != w->domain)
			return fault(k,
				"worker %u: tile (%u, %u) names another claim or domain than its "
				"worker had",
				w->id, r->m, r->n);
	}
	return true;
}

/* Where a worker has got to in its lists. */
struct replay {
	struct ts_worker w;
	uint32_t group, event;    /* the next ones */
	uint32_t counter, answer; /* of the claim before */
};

/* Carries out one step of the policy on the records. */
static bool replay_step(struct check *k, struct replay *r, const struct ts_step *s)
{
	const struct ts_probe_event *e;
	uint32_t group = r->group;

	if (s->act == TS_WAIT || s->act == TS_FIX_UP)
		return true;
	if (s->act == TS_WORK) {
		if (group == NONE)
			return fault(
				k, "worker %u never computed tile (%u, %u)", r->w.id, s->m, s->n);
		r->group = k->of_groups.next[group];
		for (uint32_t rank = 0; r->group != NONE && rank < k->ranks; rank++)
			if (!check_life(k, group, r->group, rank))
				return false;
		return check_work(k, &r->w, s, group, r->counter, r->answer);
	}
	e = r->event == NONE ? NULL : &k->events[r->event];
	if (e == NULL || e->act != (uint32_t)s->act || e->counter != s->counter ||
		(s->act == TS_SIGNAL && e->value != s->value))
		return fault(k, "worker %u: its %s counter %u is not on record", r->w.id,
			s->act == TS_CLAIM ? "claim of" : "signal to", s->counter);
	r->event = k->of_events.next[r->event];
	if (s->act == TS_CLAIM) {
		r->counter = e->counter;
		r->answer = e->value;
	}
	return true;
}

/* Was the worker asked to leave, free to, and has it done nothing since? */
static bool left_as_asked(const struct check *k, const struct replay *r)
{
	uint32_t first = r->w.domain, last = first;

	if (k->asked == NULL || r->group != NONE || r->event != NONE ||
		ts_worker_holds(k->plan, &r->w))
		return false;
	/* Who did nothing at all left no trace of the domain that the hardware gave it. */
	if (k->hardware_domain && r->w.turn == 0 && k->of_groups.first[r->w.id] == NONE &&
		k->of_events.first[r->w.id] == NONE) {
		first = 0;
		last = k->plan->domains - 1;
	}
	for (uint32_t d = first; d <= last; d++)
		if (k->asked[d])
			return true;
	return false;
}

/* Asks the policy here what the worker did there, and compares. */
static bool replay_worker(struct check *k, uint32_t worker)
{
	struct replay r = {.group = k->of_groups.first[worker],
		.event = k->of_events.first[worker],
		.counter = (uint32_t)TS_PROBE_NONE};
	uint64_t steps_max = 8 * ((uint64_t)k->groups + k->event_count + 8);
	uint32_t domain = worker % k->plan->domains;
	struct ts_step s = ts_stop();

	if (k->hardware_domain && r.event != NONE)
		domain = k->events[r.event].domain;
	else if (k->hardware_domain && r.group != NONE)
		domain = k->records[(uint64_t)r.group * k->ranks].domain;
	r.w = ts_worker_make(worker, domain);
	for (uint64_t steps = 0; steps < steps_max; steps++) {
		s = ts_stop();
		if (left_as_asked(k, &r))
			break;
		s = ts_next(k->plan, &r.w, r.answer);
		if (s.act == TS_STOP)
			break;
		if (!replay_step(k, &r, &s))
			return false;
		if (s.act == TS_WORK || s.act == TS_SIGNAL) {
			r.counter = (uint32_t)TS_PROBE_NONE;
			r.answer = 0;
		}
	}
	if (s.act != TS_STOP || r.group != NONE || r.event != NONE)
		return fault(k, "worker %u did not leave when the policy says", worker);
	return true;
}

/* The claims of each counter got 0, 1, 2, ... in some order, if nothing else was added to it. */
static bool check_counters(struct check *k, struct ts_gpu_verdict *v)
{
	uint32_t count = k->plan->counters;
	g_autofree uint32_t *claims = g_new0(uint32_t, MAX(count, 1));
	g_autofree uint32_t *signals = g_new0(uint32_t, MAX(count, 1));
	g_autofree uint64_t *begin = g_new0(uint64_t, (uint64_t)count + 1);
	g_autofree uint8_t *seen = g_new0(uint8_t, MAX(k->event_count, 1));

	for (uint32_t i = 0; i < k->event_count; i++) {
		const struct ts_probe_event *e = &k->events[i];

		if (e->act == TS_CLAIM)
			claims[e->counter]++, v->claims++;
		else
			signals[e->counter] += e->value, v->signals++;
	}
	for (uint32_t i = 0; i < count; i++) {
		begin[i + 1] = begin[i] + claims[i];
		if (k->counters[i] != claims[i] + signals[i])
			return fault(k, "counter %u ends at %u after %u claims and %u signalled", i,
				k->counters[i], claims[i], signals[i]);
	}
	for (uint32_t i = 0; i < k->event_count; i++) {
		const struct ts_probe_event *e = &k->events[i];

		if (e->act != TS_CLAIM || signals[e->counter] > 0)
			continue;
		if (e->value >= claims[e->counter] || seen[begin[e->counter] + e->value]++ > 0)
			return fault(k, "counter %u gave %u twice, or beyond its %u claims",
				e->counter, e->value, claims[e->counter]);
	}
	return true;
}

/* The verifier's rules over the recorded items. */
static bool check_coverage(struct check *k, struct ts_gpu_verdict *v)
{
	g_autofree char *text = NULL;
	struct ts_coverage c;
	uint32_t old;
	bool good = true;

	ts_coverage_init(&c);
	ts_coverage_reset(&c, k->plan);
	for (uint32_t i = 0; i < k->event_count; i++)
		if (k->events[i].act == TS_CLAIM)
			ts_coverage_claim(&c, k->events[i].worker, k->events[i].counter, &old);
	for (uint32_t i = 0; i < k->groups; i++) {
		const struct ts_probe_record *r = &k->records[(uint64_t)i * k->ranks];
		struct ts_step s = ts_step_make(TS_WORK);

		s.g = r->g;
		s.m = r->m;
		s.n = r->n;
		s.k_begin = r->k_begin;
		s.k_end = r->k_end;
		s.owns = r->owns == 1;
		ts_coverage_item(&c, r->worker, &s, ts_cta_tile);
		for (uint32_t rank = 0; rank < k->ranks; rank++)
			v->tiles += r[rank].valid != 0 && s.owns;
	}
	v->items = k->groups;
	if (!ts_coverage_verdict(&c)) {
		text = ts_finding_text(&c.finding, k->plan);
		good = fault(k, "%s: %s", ts_fault_name(c.finding.fault), text);
	}
	ts_coverage_finish(&c);
	return good;
}

struct ts_gpu_verdict ts_gpu_check(const struct ts_plan *plan, const struct ts_probe_log *log,
	bool hardware_domain, uint32_t units)
{
	return ts_gpu_check_asked(plan, log, hardware_domain, units, NULL);
}

struct ts_gpu_verdict ts_gpu_check_asked(const struct ts_plan *plan, const struct ts_probe_log *log,
	bool hardware_domain, uint32_t units, const bool *asked)
{
	struct check k = {.plan = plan,
		.log = log,
		.records = ts_probe_records(log),
		.events = ts_probe_events(log),
		.counters = log->words + log->layout.counters,
		.ranks = plan->cluster_m * plan->cluster_n,
		.hardware_domain = hardware_domain,
		.units = units,
		.asked = asked};
	struct ts_gpu_verdict v = {0};
	bool good = check_memory(&k);

	if (good) {
		k.of_groups = make_lists(plan->workers, k.groups);
		k.of_events = make_lists(plan->workers, k.event_count);
		good = check_entries(&k) && check_coverage(&k, &v) && check_counters(&k, &v);
		for (uint32_t i = 0; good && plan->items > 0 && i < plan->workers; i++)
			good = replay_worker(&k, i);
	}
	g_free(k.of_groups.first);
	g_free(k.of_groups.next);
	g_free(k.of_events.first);
	g_free(k.of_events.next);
	v.sound = good;
	v.fault = k.fault;
	return v;
}
