/* The driver of the verifier: one loop that carries out steps. */
#include "verify/walk.h"

#include <string.h>

#include "policies/plan.h"

/* Passed to ts_walk's loops by value, so that the compiler can inline the built-in policies. */
typedef struct ts_step next_fn(const struct ts_plan *, struct ts_worker *, uint32_t);
typedef struct ts_tile cta_tile_fn(const struct ts_plan *, const struct ts_step *, uint32_t);

/* A resident worker, with the wait it has not been able to finish. */
struct seat {
	struct ts_worker worker;
	uint32_t answer;
	uint32_t waits; /* 1 while blocked */
	uint32_t counter, value;
	struct ts_hand hand;
};

struct run {
	const struct ts_walk *walk;
	const struct ts_plan *plan;
	struct ts_coverage *coverage;
	struct seat *seats;
	uint32_t count;   /* seats taken */
	uint32_t entered; /* workers that have been let in or skipped */
	uint64_t steps, steps_max;
	uint64_t random;
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
		else if (r->walk->pick == TS_LAST_ONE)
			id = p->workers - 1 - id;
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
	f.counter_items = seat->value;
	f.claimed = f.counter < r->plan->counters ? r->coverage->claimed[f.counter] : 0;
	f.count = kind == TS_DEADLOCK ? r->count : r->steps;
	ts_coverage_fault(r->coverage, &f);
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
static enum moved wait_or_signal(struct run *r, struct seat *seat, const struct ts_step *s)
{
	if (!ts_coverage_step(r->coverage, &seat->hand, seat->worker.id, s))
		return FAILED;
	if (s->act == TS_SIGNAL)
		return MOVED;
	seat->counter = s->counter;
	seat->value = s->value;
	return wait_on(r, seat);
}

/* What a step means for partial sums, of which most plans have none. */
static inline enum moved partial(
	struct run *r, struct seat *seat, const struct ts_step *s, enum moved how)
{
	if (r->plan->workspace > 0 &&
		!ts_coverage_step(r->coverage, &seat->hand, seat->worker.id, s))
		return FAILED;
	return how;
}

G_ALWAYS_INLINE static inline enum moved move(
	struct run *r, struct seat *seat, next_fn *next, cta_tile_fn *cta_tile)
{
	struct ts_step s;

	if (seat->waits)
		return wait_on(r, seat);
	s = next(r->plan, &seat->worker, seat->answer);
	r->steps++;
	switch (s.act) {
	case TS_WORK:
		ts_coverage_item(r->coverage, seat->worker.id, &s, cta_tile);
		return partial(r, seat, &s, MOVED);
	case TS_CLAIM:
		if (ts_coverage_claim(r->coverage, seat->worker.id, s.counter, &seat->answer))
			return MOVED;
		return FAILED;
	case TS_WAIT:
	case TS_SIGNAL: return wait_or_signal(r, seat, &s);
	case TS_FIX_UP:
		return ts_coverage_step(r->coverage, &seat->hand, seat->worker.id, &s) ? MOVED
										       : FAILED;
	case TS_STOP: return partial(r, seat, &s, LEFT);
	}
	/* Only a policy file or a test gets here. */
	seat->counter = (uint32_t)s.act;
	fault(r, TS_NO_STEP, seat);
	return FAILED;
}

/* Closes the gap that a worker leaves, keeping the order, unless somebody enters in its place. */
static void leave(struct run *r, uint32_t at)
{
	if (enter(r, &r->seats[at]))
		return;
	r->count--;
	for (uint32_t i = at; i < r->count; i++)
		r->seats[i] = r->seats[i + 1];
}

G_ALWAYS_INLINE static inline bool in_turns(struct run *r, next_fn *next, cta_tile_fn *cta_tile)
{
	while (r->count > 0) {
		uint32_t kept = 0;
		uint32_t moved = 0;

		for (uint32_t i = 0; i < r->count; i++) {
			struct seat *seat = &r->seats[i];

			switch (move(r, seat, next, cta_tile)) {
			case MOVED: moved++; break;
			case BLOCKED: break;
			case FAILED: return false;
			case LEFT:
				moved++;
				if (!enter(r, seat))
					continue;
				break;
			}
			if (kept != i)
				r->seats[kept] = *seat;
			kept++;
		}
		r->count = kept;
		if (moved == 0)
			return fault(r, TS_DEADLOCK, &r->seats[0]), false;
		if (r->steps > r->steps_max)
			return fault(r, TS_ENDLESS, &r->seats[0]), false;
	}
	return true;
}

/* The registered policies with everything inlined: a quarter fewer instructions a tile than through
 * pointers, and this loop is where large boxes spend their time. */
__attribute__((flatten)) static bool registered_in_turns(struct run *r)
{
	return in_turns(r, ts_next, ts_cta_tile);
}

static bool one_by_one(struct run *r, next_fn *next, cta_tile_fn *cta_tile)
{
	uint32_t blocked = 0; /* tries in a row that found the worker waiting */

	while (r->count > 0) {
		uint32_t at = blocked % r->count;

		if (r->walk->pick == TS_ANY_ONE)
			at = (uint32_t)((draw(&r->random) + blocked) % r->count);
		switch (move(r, &r->seats[at], next, cta_tile)) {
		case MOVED: blocked = 0; break;
		case BLOCKED: blocked++; break;
		case FAILED: return false;
		case LEFT:
			blocked = 0;
			leave(r, at);
			break;
		}
		/* With a random pick, waiting often in a row is no proof; look at each in turn. */
		if (blocked > 4 * r->count + 64) {
			uint32_t waiting = 0;

			for (uint32_t i = 0; i < r->count; i++)
				waiting += r->seats[i].waits && wait_on(r, &r->seats[i]) == BLOCKED;
			if (waiting == r->count)
				return fault(r, TS_DEADLOCK, &r->seats[0]), false;
			blocked = 0;
		}
		if (r->steps > r->steps_max)
			return fault(r, TS_ENDLESS, &r->seats[MIN(at, r->count - 1)]), false;
	}
	return true;
}

bool ts_walk_run(const struct ts_walk *walk, const struct ts_plan *plan,
	const struct ts_rules *rules, struct ts_coverage *c)
{
	struct run r = {.walk = walk, .plan = plan, .coverage = c, .random = walk->seed};
	uint32_t seats = MIN(walk->resident, plan->workers);
	bool ran;

	ts_coverage_reset(c, plan);
	c->rules = rules;
	if (plan->items == 0)
		return true;
	r.steps_max = ts_plan_steps_max(plan);
	/* Who is missing there is a place that is, not an id. */
	if (plan->launches == 1 && walk->live != NULL)
		seats = MIN(seats, count_live(plan, walk->live));
	r.seats = g_new(struct seat, seats);
	while (r.count < seats && enter(&r, &r.seats[r.count]))
		r.count++;
	if (walk->pick != TS_IN_TURNS)
		ran = one_by_one(&r, rules == NULL ? ts_next : rules->next,
			rules == NULL ? ts_cta_tile : rules->cta_tile);
	else if (rules == NULL)
		ran = registered_in_turns(&r);
	else
		ran = in_turns(&r, rules->next, rules->cta_tile);
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
