/* The event loop: each place has one event to come at most. */
#include "sim/engine.h"

#include "policies/plan.h"
#include "sim/events.h"

enum state {
	EMPTY,   /* nobody there */
	READY,   /* the policy is to be asked */
	LACKS,   /* rows of its item that are on their way */
	FETCHES, /* with caches: at a k iteration of its item */
	WORKS,
	CLAIMS,
	WAITS, /* in no event: a signal wakes it */
	WOKEN, /* the flag that it waits for is on its way */
	FIXES,
	STORES, /* its last item, before it leaves */
	CLOSED  /* given back for good */
};

struct seat {
	enum state state;
	struct ts_worker worker;
	uint32_t answer;
	struct ts_step step;
	struct ts_price price;
	double scale;      /* of the item's times */
	uint32_t k;        /* of FETCHES */
	double k_ps;       /* of one k iteration without stalls */
	double stalled_ps; /* for the caches, in this item */
	uint64_t asked;    /* ps: when the item was handed out */
	uint64_t since;    /* ps: when the step began */
	uint32_t counter;  /* of the last claim */
	bool owned;        /* the last item, which is then stored here */
};

struct loop {
	const struct ts_engine *engine;
	const struct ts_plan *plan;
	struct seat *seats;
	struct ts_events events; /* one of a place at most */
	uint32_t *counters;
	uint64_t steps, steps_max;
	uint32_t waiting;
	struct ts_outcome outcome;
};

uint64_t ts_item_tiles(const struct ts_plan *p, const struct ts_step *s)
{
	const struct ts_plan *grid = s->g < p->groups ? ts_grid(p, s->g) : NULL;
	uint64_t tiles = 0;

	if (grid == NULL || !ts_shape_has_item(grid, s->m, s->n))
		return 0;
	if (grid->shape != TS_TRIANGLE)
		return (uint64_t)MIN(p->cluster_m, grid->rows - s->m) *
			MIN(p->cluster_n, grid->cols - s->n);
	for (uint32_t i = 0; i < p->cluster_m * p->cluster_n; i++)
		tiles += ts_shape_has(grid, s->m + i % p->cluster_m, s->n + i / p->cluster_m);
	return tiles;
}

static struct ts_step ask(const struct loop *l, struct seat *seat)
{
	if (l->engine->rules == NULL)
		return ts_next(l->plan, &seat->worker, seat->answer);
	return l->engine->rules->next(l->plan, &seat->worker, seat->answer);
}

/* SplitMix64's finaliser over the seed and the tile: an item's jitter is the same in every
 * schedule, so that schedules can be compared. */
static double jitter(const struct ts_scenario *s, const struct ts_step *step)
{
	uint64_t z = s->seed * 0x9e3779b97f4a7c15u + ((uint64_t)step->m << 32 | step->n);

	z += (uint64_t)step->g * 0xaef17502108ef2d9u;
	z += (uint64_t)step->k_begin * 0xd1342543de82ef95u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return 1 + s->jitter * ((double)(z >> 11) / (double)(UINT64_C(1) << 52) - 1);
}

/* Begins the item; its price in time becomes whole picoseconds here. */
static void work(struct loop *l, uint64_t now, uint32_t at)
{
	struct seat *seat = &l->seats[at];
	double scale = l->engine->machine->places[at].slow;

	seat->since = now;
	seat->price = ts_cost_item(l->engine->cost, &seat->step);
	if (l->engine->scenario->jitter > 0)
		scale *= jitter(l->engine->scenario, &seat->step);
	seat->price.fixed_ps *= scale;
	seat->price.k_ps *= scale;
	seat->price.padded_ps *= scale;
	seat->price.fix_up_ps *= scale;
	seat->state = seat->step.act == TS_WORK ? WORKS : FIXES;
	if (l->engine->caches == NULL || seat->state == FIXES) {
		ts_events_push(&l->events, now + (uint64_t)(ts_price_ps(&seat->price) + 0.5), at);
		return;
	}
	seat->state = FETCHES;
	seat->scale = scale;
	seat->k = seat->step.k_begin;
	seat->k_ps = seat->price.k_ps / (seat->step.k_end - seat->step.k_begin);
	ts_events_push(
		&l->events, now + (uint64_t)(l->engine->cost->prologue_ps * scale + 0.5), at);
}

/* An item is handed out: it begins when its rows are there. */
static void hand_out(struct loop *l, uint64_t now, uint32_t at)
{
	struct seat *seat = &l->seats[at];
	uint32_t m = seat->step.m;
	uint64_t ready = 0;

	seat->asked = now;
	if (l->engine->row_ready != NULL && m < l->plan->rows)
		ready = l->engine->row_ready[m / l->plan->cluster_m];
	if (ready <= now) {
		work(l, now, at);
		return;
	}
	seat->state = LACKS;
	ts_events_push(&l->events, ready, at);
}

/* One k iteration: the panels of the next are fetched while this one computes, and the longer of
 * the two is the time that it takes. After the last one comes the epilogue, or the writing of a
 * partial sum. */
static void fetch(struct loop *l, uint64_t now, uint32_t at)
{
	struct seat *seat = &l->seats[at];
	const struct ts_step *s = &seat->step;
	uint32_t group = l->engine->machine->places[at].group;
	double ready, stall, rest;

	if (seat->k >= s->k_end) {
		if (s->owns && s->parts == 0)
			ts_caches_store(l->engine->caches, (double)now, group, s);
		seat->state = WORKS;
		rest = seat->price.fix_up_ps;
		if (s->owns && s->parts == 0)
			rest += l->engine->cost->epilogue_ps * seat->scale;
		ts_events_push(&l->events, now + (uint64_t)(rest + 0.5), at);
		return;
	}
	ready = ts_caches_fetch(l->engine->caches, (double)now, group, s, seat->k) - (double)now;
	stall = MAX(ready - seat->k_ps, 0);
	seat->stalled_ps += stall;
	seat->k++;
	ts_events_push(&l->events, now + (uint64_t)(seat->k_ps + stall + 0.5), at);
}

/* Tells of a step that is done. */
static void tell_met(struct loop *l, uint64_t now, uint32_t at)
{
	const struct seat *seat = &l->seats[at];
	struct ts_met met = {.step = seat->step,
		.worker = seat->worker.id,
		.place = at,
		.group = l->engine->machine->places[at].group,
		.from = seat->since,
		.to = now};

	if (met.step.act == TS_FIX_UP)
		met.price = seat->price;
	for (size_t i = 0; i < l->engine->sink_count; i++)
		if (l->engine->sinks[i].met != NULL)
			l->engine->sinks[i].met(l->engine->sinks[i].data, &met);
}

static void finish_met(struct loop *l, uint64_t now, uint32_t at)
{
	struct seat *seat = &l->seats[at];

	if (seat->state == FIXES && seat->step.owns && l->engine->caches != NULL)
		ts_caches_store(l->engine->caches, (double)now,
			l->engine->machine->places[at].group, &seat->step);
	seat->state = READY;
	tell_met(l, now, at);
}

static void finish_item(struct loop *l, uint64_t now, uint32_t at)
{
	struct seat *seat = &l->seats[at];
	const struct ts_place *place = &l->engine->machine->places[at];
	struct ts_item item = {.step = seat->step,
		.price = seat->price,
		.worker = seat->worker.id,
		.place = at,
		.unit = place->unit,
		.group = place->group,
		.domain = seat->worker.domain,
		.counter = seat->counter,
		.asked = seat->asked,
		.from = seat->since,
		.to = now};

	if (seat->stalled_ps > 0) {
		item.price.padded_ps *= 1 + seat->stalled_ps / item.price.k_ps;
		item.price.k_ps += seat->stalled_ps;
		seat->stalled_ps = 0;
	}
	seat->counter = UINT32_MAX;
	seat->owned = seat->step.owns;
	seat->state = READY;
	for (size_t i = 0; i < l->engine->sink_count; i++)
		if (l->engine->sinks[i].item != NULL)
			l->engine->sinks[i].item(l->engine->sinks[i].data, &item);
}

/* A claim takes effect when its answer arrives. */
static void finish_claim(struct loop *l, uint64_t now, uint32_t at)
{
	struct seat *seat = &l->seats[at];
	struct ts_claimed claim = {.worker = seat->worker.id,
		.place = at,
		.group = l->engine->machine->places[at].group,
		.domain = seat->worker.domain,
		.counter = seat->step.counter,
		.from = seat->since,
		.to = now};

	seat->answer = l->counters[claim.counter]++;
	seat->counter = claim.counter;
	seat->state = READY;
	for (size_t i = 0; i < l->engine->sink_count; i++)
		if (l->engine->sinks[i].claim != NULL)
			l->engine->sinks[i].claim(l->engine->sinks[i].data, &claim);
}

static void give_signal(struct loop *l, uint64_t now, const struct ts_step *s)
{
	l->counters[s->counter] += s->value;
	for (uint32_t i = 0; l->waiting > 0 && i < l->engine->machine->count; i++) {
		struct seat *seat = &l->seats[i];

		if (seat->state != WAITS || seat->step.counter != s->counter ||
			l->counters[s->counter] < seat->step.value)
			continue;
		seat->state = WOKEN;
		l->waiting--;
		ts_events_push(&l->events, now + l->engine->cost->signal_ps, i);
	}
}

/* Fills an empty place, or leaves it empty: closed for good, held for now, or nobody is left. */
static bool enter(struct loop *l, uint64_t now, uint32_t at)
{
	const struct ts_place *place = &l->engine->machine->places[at];
	struct seat *seat = &l->seats[at];
	uint32_t worker, domain;

	seat->state = EMPTY;
	if (now >= place->release) {
		seat->state = CLOSED;
		return false;
	}
	if (place->hold_from <= now && now < place->hold_to) {
		if (place->hold_to != UINT64_MAX)
			ts_events_push(&l->events, place->hold_to, at);
		return false;
	}
	if (l->plan->launches == 1) {
		if (l->counters[0] >= l->plan->workers)
			return false;
		worker = l->counters[0]++;
	} else if (!ts_machine_enter(l->engine->machine, place, &worker)) {
		return false;
	}
	domain = (l->engine->hardware_domain ? place->group : worker) % l->plan->domains;
	seat->worker = ts_worker_make(worker, domain);
	seat->answer = 0;
	seat->counter = UINT32_MAX;
	seat->owned = false;
	seat->state = READY;
	l->outcome.entered++;
	return true;
}

/* A time of the place's own, which no item has a part in. */
static uint64_t slowed(const struct loop *l, uint32_t at, uint64_t ps)
{
	return (uint64_t)((double)ps * l->engine->machine->places[at].slow + 0.5);
}

/* Lets the next worker into a place, which takes it some time to start. */
static void start(struct loop *l, uint64_t now, uint32_t at)
{
	if (enter(l, now, at))
		ts_events_push(&l->events, now + slowed(l, at, l->engine->cost->start_ps), at);
}

static void leave(struct loop *l, uint64_t now, uint32_t at)
{
	l->outcome.makespan = MAX(l->outcome.makespan, now);
	start(l, now, at);
}

/* A worker that is done leaves when its last item is stored. */
static void stop(struct loop *l, uint64_t now, uint32_t at)
{
	struct seat *seat = &l->seats[at];

	if (!seat->owned || l->engine->cost->store_ps == 0) {
		leave(l, now, at);
		return;
	}
	seat->state = STORES;
	ts_events_push(&l->events, now + slowed(l, at, l->engine->cost->store_ps), at);
}

static bool counter_exists(struct loop *l, const struct seat *seat)
{
	if (seat->step.counter < l->plan->counters)
		return true;
	l->outcome.end = TS_BAD_COUNTER;
	l->outcome.worker = seat->worker.id;
	l->outcome.counter = seat->step.counter;
	return false;
}

/* Asks the policy of a ready worker until it does something that takes time. */
static bool proceed(struct loop *l, uint64_t now, uint32_t at)
{
	struct seat *seat = &l->seats[at];
	const struct ts_place *place = &l->engine->machine->places[at];

	while (seat->state == READY) {
		/* Asked to leave: between items only, and an item claimed ahead is finished first.
		 */
		if (now >= place->release && !ts_worker_holds(l->plan, &seat->worker))
			return stop(l, now, at), true;
		seat->step = ask(l, seat);
		seat->since = now;
		if (++l->steps > l->steps_max) {
			l->outcome.end = TS_NO_END;
			l->outcome.worker = seat->worker.id;
			return false;
		}
		switch (seat->step.act) {
		case TS_WORK: hand_out(l, now, at); break;
		case TS_FIX_UP: work(l, now, at); break;
		case TS_CLAIM:
			if (!counter_exists(l, seat))
				return false;
			seat->state = CLAIMS;
			ts_events_push(&l->events, now + l->engine->cost->claim_ps, at);
			break;
		case TS_WAIT:
			if (!counter_exists(l, seat))
				return false;
			/* To look costs as much as to be told. */
			if (l->counters[seat->step.counter] >= seat->step.value) {
				seat->state = WOKEN;
				ts_events_push(&l->events, now + l->engine->cost->signal_ps, at);
				break;
			}
			seat->state = WAITS;
			l->waiting++;
			break;
		case TS_SIGNAL:
			if (!counter_exists(l, seat))
				return false;
			give_signal(l, now, &seat->step);
			tell_met(l, now, at);
			break;
		case TS_STOP:
			tell_met(l, now, at);
			stop(l, now, at);
			return true;
		}
		if ((uint32_t)seat->step.act > TS_FIX_UP) {
			l->outcome.end = TS_BAD_STEP;
			l->outcome.worker = seat->worker.id;
			l->outcome.counter = (uint32_t)seat->step.act;
			return false;
		}
	}
	return true;
}

static bool step(struct loop *l, struct ts_event e)
{
	switch (l->seats[e.place].state) {
	case LACKS: work(l, e.time, e.place); return true;
	case FETCHES: fetch(l, e.time, e.place); return true;
	case WORKS: finish_item(l, e.time, e.place); break;
	case CLAIMS: finish_claim(l, e.time, e.place); break;
	case STORES: leave(l, e.time, e.place); return true;
	case WOKEN:
	case FIXES: finish_met(l, e.time, e.place); break;
	case EMPTY:
		/* The launch has the start of its first workers in it. */
		if (l->engine->cost->start_ps > 0 && e.time > l->engine->cost->launch_ps) {
			start(l, e.time, e.place);
			return true;
		}
		if (!enter(l, e.time, e.place))
			return true;
		break;
	case READY:
	case WAITS:
	case CLOSED: break;
	}
	return proceed(l, e.time, e.place);
}

/* From the last place on, so that the outcome is about the first. */
static void tell_stuck(struct loop *l)
{
	l->outcome.end = TS_ALL_WAIT;
	for (uint32_t at = l->engine->machine->count; at-- > 0;) {
		const struct seat *seat = &l->seats[at];
		struct ts_stuck stuck = {seat->worker, seat->step, l->counters};

		if (seat->state != WAITS)
			continue;
		l->outcome.worker = seat->worker.id;
		l->outcome.counter = seat->step.counter;
		for (size_t i = 0; i < l->engine->sink_count; i++)
			if (l->engine->sinks[i].stuck != NULL)
				l->engine->sinks[i].stuck(l->engine->sinks[i].data, &stuck);
	}
}

struct ts_outcome ts_engine_run(const struct ts_engine *engine)
{
	const struct ts_plan *p = engine->plan;
	uint32_t places = engine->machine->count;
	struct loop l = {.engine = engine,
		.plan = p,
		.outcome = {.launch = p->items > 0 ? engine->cost->launch_ps : 0}};

	if (p->items == 0)
		return l.outcome;
	l.steps_max = ts_plan_steps_max(p);
	l.seats = g_new0(struct seat, MAX(places, 1));
	ts_events_init(&l.events, places);
	l.counters = g_new0(uint32_t, MAX(p->counters, 1));
	for (uint32_t i = 0; i < places; i++)
		ts_events_push(&l.events, engine->cost->launch_ps, i);
	while (!ts_events_empty(&l.events) && step(&l, ts_events_pop(&l.events)))
		continue;
	if (l.outcome.end == TS_ALL_LEFT && l.waiting > 0)
		tell_stuck(&l);
	l.outcome.steps = l.steps;
	g_free(l.seats);
	ts_events_finish(&l.events);
	g_free(l.counters);
	return l.outcome;
}
