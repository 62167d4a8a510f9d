/* The driver of the verifier: one loop that carries out steps. */
#include "verify/walk.h"

#include <string.h>

#include "policies/plan.h"
#include "verify/wait_graph.h"

/* Passed to ts_walk's loops by value, so that the compiler can inline the built-in policies. */
typedef struct ts_step next_fn(const struct ts_plan *, struct ts_worker *, uint32_t);
typedef struct ts_tile cta_tile_fn(const struct ts_plan *, const struct ts_step *, uint32_t);
typedef void item_fn(void *data, uint32_t worker, const struct ts_step *item);

/* A resident worker, with the wait it has not been able to finish. */
struct seat {
	struct ts_worker worker;
	uint32_t answer;
	uint32_t waits; /* 1 while blocked */
	uint32_t counter, value;
	struct ts_hand hand;
};

/* Small plans, of which there are most in a box, take no memory for their seats. */
enum { FEW = 16 };

struct run {
	const struct ts_walk *walk;
	const struct ts_plan *plan;
	const struct ts_rules *rules;
	struct ts_coverage *coverage;
	struct seat *seats;
	uint32_t count;   /* seats taken */
	uint32_t entered; /* workers that have been let in or skipped */
	uint64_t steps, steps_max;
};

const char *ts_pick_name(enum ts_pick pick)
{
	switch (pick) {
	case TS_IN_TURNS: return "in turns";
	case TS_FIRST_ONE: return "first worker alone";
	case TS_LAST_ONE: return "last worker alone";
	case TS_ANY_ONE: return "at random";
	case TS_PICKS: break;
	}
	return NULL;
}

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A number from 0 to `count` - 1. */
static uint32_t below(uint64_t *state, uint32_t count)
{
	return (uint32_t)((draw(state) >> 32) * count >> 32);
}

/* Lets the next live worker into `seat`; false when none is left. */
static bool enter(struct run *r, struct seat *seat)
{
	const struct ts_plan *p = r->plan;

	/* The launches of the hardware go by its own counter, and take whom nobody has cancelled.
	 */
	if (p->launches == 1)
		r->entered = MIN(r->coverage->claimed[0], p->workers);
	while (r->entered < p->workers) {
		uint32_t id = r->entered++;

		if (p->launches == 1)
			r->coverage->claimed[0]++;
		if (p->launches == 0 && r->walk->live != NULL && r->walk->live[id] == 0) {
			r->coverage->idle_workers++;
			continue;
		}
		seat->worker = ts_worker_make(id, id % p->domains);
		seat->answer = 0;
		seat->waits = 0;
		seat->counter = 0;
		seat->value = 0;
		memset(&seat->hand, 0, sizeof seat->hand);
		return true;
	}
	return false;
}

static uint32_t count_live(const struct ts_plan *p, const uint8_t *live)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->workers; i++)
		count += live[i] != 0;
	return count;
}

static void fault(struct run *r, enum ts_fault kind, const struct seat *seat)
{
	struct ts_finding f = {0};

	f.fault = kind;
	f.worker = seat->worker.id;
	f.counter = seat->counter;
	f.count = r->steps;
	ts_coverage_fault(r->coverage, &f);
}

/* All that are resident wait. */
static void deadlock(struct run *r)
{
	struct ts_wait_graph graph;
	struct ts_finding f;

	ts_wait_graph_init(&graph, r->plan, r->rules, r->coverage->claimed);
	for (uint32_t id = 0; id < r->plan->workers; id++)
		if (r->walk->live != NULL && r->walk->live[id] == 0)
			graph.waiters[id].presence = TS_IS_GONE;
		else if (id < r->entered)
			graph.waiters[id].presence = TS_HAS_LEFT;
	for (uint32_t i = 0; i < r->count; i++) {
		struct ts_waiter *w = &graph.waiters[r->seats[i].worker.id];

		w->presence = TS_IS_WAITING;
		w->worker = r->seats[i].worker;
		w->counter = r->seats[i].counter;
		w->value = r->seats[i].value;
	}
	ts_wait_graph_solve(&graph, &f);
	ts_coverage_fault(r->coverage, &f);
	ts_wait_graph_finish(&graph);
}

enum moved { MOVED, BLOCKED, LEFT, FAILED };

/* Can a seat that waits go on? */
static enum moved wait_on(const struct run *r, struct seat *seat)
{
	seat->waits = r->coverage->claimed[seat->counter] < seat->value;
	return seat->waits ? BLOCKED : MOVED;
}

/* WAIT and SIGNAL, which only policies with a fix-up use. Counters are one array: claims, signals
 * and waits all see the same value. */
static enum moved wait_or_signal(struct run *r, struct seat *seat, struct ts_step s)
{
	if (!ts_coverage_step(r->coverage, &seat->hand, seat->worker.id, &s))
		return FAILED;
	if (s.act == TS_SIGNAL)
		return MOVED;
	seat->counter = s.counter;
	seat->value = s.value;
	return wait_on(r, seat);
}

/* What a step means for partial sums, of which most plans have none. */
static enum moved partial(struct run *r, struct seat *seat, struct ts_step s, enum moved how)
{
	return ts_coverage_step(r->coverage, &seat->hand, seat->worker.id, &s) ? how : FAILED;
}

/* One turn of a worker: a step, and where that is an item of a plan with counters but no partial
 * sums, also the step behind it. Such items touch no counter and their marks are a set, so an item
 * commutes with all steps of other workers: any order of single steps ends like the order of turns
 * in which each item is moved up to its worker's next step. Half the turns are saved, and no order
 * of claims is lost. Steps are handed on by value where that is rare, to stay in registers
 * elsewhere. */
G_ALWAYS_INLINE static inline enum moved turn(struct run *r, const struct ts_plan *p,
	struct ts_coverage *c, struct seat *seat, uint64_t *steps, next_fn *next,
	cta_tile_fn *cta_tile, item_fn *item)
{
	struct ts_worker w = seat->worker;
	struct ts_step s;

	if (seat->waits)
		return wait_on(r, seat);
	s = next(p, &w, seat->answer);
	++*steps;
	if (s.act == TS_WORK && p->counters > 0 && p->workspace == 0) {
		ts_coverage_mark(c, p, w.id, &s, cta_tile);
		if (item != NULL)
			item(r->walk->data, w.id, &s);
		s = next(p, &w, seat->answer);
		++*steps;
	}
	seat->worker = w;
	switch (s.act) {
	case TS_WORK:
		ts_coverage_mark(c, p, w.id, &s, cta_tile);
		if (item != NULL)
			item(r->walk->data, w.id, &s);
		return p->workspace > 0 ? partial(r, seat, s, MOVED) : MOVED;
	case TS_CLAIM: return ts_coverage_claim(c, w.id, s.counter, &seat->answer) ? MOVED : FAILED;
	case TS_WAIT:
	case TS_SIGNAL: return wait_or_signal(r, seat, s);
	case TS_FIX_UP: return partial(r, seat, s, MOVED);
	case TS_STOP: return p->workspace > 0 ? partial(r, seat, s, LEFT) : LEFT;
	}
	/* Only a policy file or a test gets here. */
	seat->counter = (uint32_t)s.act;
	r->steps = *steps;
	fault(r, TS_NO_STEP, seat);
	return FAILED;
}

static bool all_wait(struct run *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (!r->seats[i].waits || wait_on(r, &r->seats[i]) == MOVED)
			return false;
	return true;
}

/* The loop: as many turns as there are seats, then the checks, and again until all have left. */
G_ALWAYS_INLINE static inline bool drive(
	struct run *r, const struct ts_plan *p, next_fn *next, cta_tile_fn *cta_tile, item_fn *item)
{
	struct ts_coverage *c = r->coverage;
	bool random = r->walk->pick == TS_ANY_ONE;
	bool alone = r->walk->pick == TS_FIRST_ONE || r->walk->pick == TS_LAST_ONE;
	uint64_t state = r->walk->seed;
	uint64_t steps = 0;

	while (r->count > 0) {
		uint32_t kept = 0;
		bool stuck = true;

		for (uint32_t i = 0; i < r->count; i++) {
			uint32_t at = random ? below(&state, r->count) : i;
			struct seat *seat = &r->seats[at];
			enum moved how;
			bool entered; /* and nobody could have come between */

			do {
				how = turn(r, p, c, seat, &steps, next, cta_tile, item);
				stuck = stuck && how == BLOCKED;
				entered = how == LEFT && enter(r, seat);
				if (entered)
					how = MOVED;
			} while ((entered && p->counters == 0) ||
				(alone && how == MOVED && steps <= r->steps_max));
			if (how == FAILED)
				return false;
			if (random && how == LEFT)
				*seat = r->seats[--r->count];
			if (how == LEFT)
				continue;
			if (kept != i && !random)
				r->seats[kept] = *seat;
			kept++;
		}
		r->steps = steps;
		if (!random)
			r->count = kept;
		if (stuck && r->count > 0 && all_wait(r))
			return deadlock(r), false;
		if (steps > r->steps_max)
			return fault(r, TS_ENDLESS, &r->seats[0]), false;
	}
	return true;
}

/* The loop once more for a policy and mode that cut no item, known to the compiler, and with a copy
 * of the plan that no store in the loop can change. Without either it takes half as long again. */
G_ALWAYS_INLINE static inline bool known(struct run *r, next_fn *next, enum ts_mode mode)
{
	struct ts_plan plan = *r->plan;

	plan.mode = mode;
	plan.workspace = 0;
	return drive(r, &plan, next, ts_cta_tile, NULL);
}

static inline bool worksteal(struct run *r)
{
	switch ((enum ts_mode)r->plan->mode) {
	case TS_STEAL: return known(r, ts_worksteal_next, TS_STEAL);
	case TS_SLOTS: return known(r, ts_worksteal_next, TS_SLOTS);
	case TS_GLOBAL: return known(r, ts_worksteal_next, TS_GLOBAL);
	case TS_HIERARCHICAL: return known(r, ts_worksteal_next, TS_HIERARCHICAL);
	case TS_MODES: break;
	}
	return false;
}

__attribute__((flatten)) static bool registered(struct run *r)
{
	switch ((enum ts_policy_id)r->plan->policy) {
	case TS_DATA_PARALLEL: return known(r, ts_data_parallel_next, TS_STEAL);
	case TS_PERSISTENT: return known(r, ts_persistent_next, TS_STEAL);
	case TS_WORKSTEAL: return worksteal(r);
	case TS_CLC: return known(r, ts_clc_next, TS_STEAL);
	case TS_STREAM_K:
	case TS_SPLIT_K:
	case TS_POLICIES: break;
	}
	return drive(r, r->plan, ts_next, ts_cta_tile, NULL);
}

/* The loop goes through the seats in their order; the last worker is the one that came last. */
static void reverse(struct seat *seats, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		struct seat swapped = seats[i];

		seats[i] = seats[count - 1 - i];
		seats[count - 1 - i] = swapped;
	}
}

bool ts_walk_run(const struct ts_walk *walk, const struct ts_plan *plan,
	const struct ts_rules *rules, struct ts_coverage *c)
{
	struct run r = {.walk = walk, .plan = plan, .rules = rules, .coverage = c};
	uint32_t seats = MIN(walk->resident, plan->workers);
	struct seat few[FEW];
	bool ran;

	ts_coverage_reset(c, plan);
	c->rules = rules;
	if (plan->items == 0)
		return true;
	r.steps_max = ts_plan_steps_max(plan);
	/* Who is missing there is a place that is, not an id. */
	if (plan->launches == 1 && walk->live != NULL)
		seats = MIN(seats, count_live(plan, walk->live));
	r.seats = seats <= FEW ? few : g_new(struct seat, seats);
	while (r.count < seats && enter(&r, &r.seats[r.count]))
		r.count++;
	if (walk->pick == TS_LAST_ONE)
		reverse(r.seats, r.count);
	if (rules == NULL && walk->item == NULL)
		ran = registered(&r);
	else
		ran = drive(&r, plan, rules == NULL ? ts_next : rules->next,
			rules == NULL ? ts_cta_tile : rules->cta_tile, walk->item);
	if (r.seats != few)
		g_free(r.seats);
	return ts_coverage_verdict(c) && ran;
}

/* The counter that a worker claims from first; plan.counters where it does something else. */
static uint32_t first_counter(const struct ts_plan *plan, const struct ts_rules *rules, uint32_t id)
{
	struct ts_worker w = ts_worker_make(id, id % plan->domains);
	struct ts_step s = rules == NULL ? ts_next(plan, &w, 0) : rules->next(plan, &w, 0);

	return s.act == TS_CLAIM ? MIN(s.counter, plan->counters) : plan->counters;
}

bool ts_walk_survives(const struct ts_plan *plan, const struct ts_rules *rules, const uint8_t *live)
{
	struct ts_policy policy = ts_rules_policy(rules, plan->policy);
	enum ts_promise promise = policy.promise(plan);
	g_autofree uint8_t *manned = g_new0(uint8_t, (size_t)plan->counters + 1);
	uint32_t owned = plan->queue_domains * plan->slots.by;
	uint32_t alive = 0;

	for (uint32_t i = 0; i < plan->workers; i++) {
		if (live != NULL && live[i] == 0)
			continue;
		alive++;
		if (promise == TS_NEEDS_EACH_QUEUE)
			manned[first_counter(plan, rules, i)] = 1;
	}
	if (promise != TS_NEEDS_EACH_QUEUE || alive == 0)
		return alive >= (promise == TS_NEEDS_ALL ? plan->workers : 1);
	for (uint32_t i = 0; policy.counter_items != NULL && i < MIN(owned, plan->counters); i++)
		if (manned[i] == 0 && policy.counter_items(plan, i) > 0)
			return false;
	return true;
}

bool ts_walk_fewest(
	const struct ts_plan *plan, const struct ts_rules *rules, uint64_t seed, uint8_t *live)
{
	enum ts_promise promise = ts_rules_policy(rules, plan->policy).promise(plan);
	uint64_t random = seed;
	uint32_t start = plan->workers > 0 ? (uint32_t)(draw(&random) % plan->workers) : 0;
	uint8_t *manned;

	for (uint32_t i = 0; i < plan->workers; i++)
		live[i] = promise == TS_NEEDS_ALL;
	if (promise == TS_NEEDS_ALL || plan->items == 0)
		return false;
	if (promise == TS_NEEDS_ANY) {
		live[start] = 1;
		return true;
	}
	manned = g_new0(uint8_t, (size_t)plan->counters + 1);
	for (uint32_t i = 0; i < plan->workers; i++) {
		uint32_t id = (start + i) % plan->workers;
		uint32_t counter = first_counter(plan, rules, id);

		live[id] = counter < plan->counters && manned[counter] == 0;
		manned[counter] = 1;
	}
	g_free(manned);
	return true;
}
