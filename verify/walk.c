/* The driver of the verifier: one loop that carries out steps. */
#include <glib.h>

#include "policies/policy.h"

/* What runs once an item. The calls are many, and of a function this long in so long a file the
 * compiler would leave some; what it is told before the definition holds in this file only. */
G_ALWAYS_INLINE static inline struct ts_step ts_data_parallel_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_persistent_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_worksteal_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_clc_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_order_item(const struct ts_plan *p, uint32_t id);
G_ALWAYS_INLINE static inline struct ts_point ts_order_cell(const struct ts_plan *p, uint32_t id);
G_ALWAYS_INLINE static inline struct ts_spot ts_order_panels(const struct ts_plan *p, uint32_t id);

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
	uint32_t hand; /* its number in run.hands */
	bool empty;    /* nobody is left to enter */
};

/* Small plans, of which there are most in a box, take no memory for their seats. */
enum { FEW = 16 };

struct run {
	const struct ts_walk *walk;
	const struct ts_plan *plan;
	const struct ts_rules *rules;
	struct ts_coverage *coverage;
	struct seat *seats;
	struct ts_hand *hands; /* one a seat, or NULL where nobody can wait or keep a sum */
	uint32_t count;        /* seats taken */
	uint32_t entered;      /* workers that have been let in or skipped */
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
G_ALWAYS_INLINE static inline bool enter(struct run *r, const struct ts_plan *p, struct seat *seat)
{
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
		if (r->hands != NULL)
			memset(&r->hands[seat->hand], 0, sizeof r->hands[seat->hand]);
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

G_NO_INLINE static void fault(struct run *r, enum ts_fault kind, const struct seat *seat)
{
	struct ts_finding f = {0};

	f.fault = kind;
	f.worker = seat->worker.id;
	f.counter = seat->counter;
	f.count = r->steps;
	ts_coverage_fault(r->coverage, &f);
}

/* All that are resident wait. */
G_NO_INLINE static void deadlock(struct run *r)
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
G_NO_INLINE static enum moved wait_or_signal(struct run *r, struct seat *seat, struct ts_step s)
{
	if (!ts_coverage_step(r->coverage, &r->hands[seat->hand], seat->worker.id, &s))
		return FAILED;
	if (s.act == TS_SIGNAL)
		return MOVED;
	seat->counter = s.counter;
	seat->value = s.value;
	return wait_on(r, seat);
}

/* What a step means for partial sums, of which most plans have none. */
G_NO_INLINE static enum moved partial(struct run *r, struct seat *seat, struct ts_step s)
{
	return ts_coverage_step(r->coverage, &r->hands[seat->hand], seat->worker.id, &s) ? MOVED
											 : FAILED;
}

G_ALWAYS_INLINE static inline void mark(struct run *r, const struct ts_plan *p, uint32_t worker,
	struct ts_step s, cta_tile_fn *cta_tile, item_fn *item)
{
	ts_coverage_mark(r->coverage, p, worker, &s, cta_tile);
	if (item != NULL)
		item(r->walk->data, worker, &s);
}

/* One turn of a seat: a step, and where that is an item of a plan without partial sums, also the
 * step behind it. Such items touch no counter and their marks are a set, so an item commutes with
 * all steps of other workers: any order of single steps ends like the order of turns in which each
 * item is moved up to its worker's next step. Half the turns are saved, and no order of claims is
 * lost. Without counters all steps commute, and who is told of items hears of one a turn. Where the
 * worker stops the next one enters. Steps are handed on by value where that is rare, to stay in
 * registers elsewhere. */
G_ALWAYS_INLINE static inline enum moved turn(struct run *r, const struct ts_plan *p,
	struct seat *seat, uint64_t *steps, next_fn *next, cta_tile_fn *cta_tile, item_fn *item)
{
	struct ts_worker *w = &seat->worker;
	struct ts_step s;

	if (seat->waits)
		return wait_on(r, seat);
	s = next(p, w, seat->answer);
	++*steps;
	if (s.act == TS_WORK) {
		mark(r, p, w->id, s, cta_tile, item);
		if (p->workspace > 0)
			return partial(r, seat, s);
		if (p->counters == 0 && item != NULL)
			return MOVED;
		s = next(p, w, seat->answer);
		++*steps;
	}
	/* Before the others, for what most turns end with. */
	if (s.act == TS_CLAIM)
		return ts_coverage_claim(r->coverage, w->id, s.counter, &seat->answer) ? MOVED
										       : FAILED;
	switch (s.act) {
	case TS_WORK: return mark(r, p, w->id, s, cta_tile, item), MOVED;
	case TS_WAIT:
	case TS_SIGNAL: return wait_or_signal(r, seat, s);
	case TS_FIX_UP: return partial(r, seat, s);
	case TS_STOP:
		if (p->workspace > 0 && partial(r, seat, s) == FAILED)
			return FAILED;
		return enter(r, p, seat) ? MOVED : LEFT;
	case TS_CLAIM: break;
	}
	/* Only a policy file or a test gets here. */
	seat->counter = (uint32_t)s.act;
	r->steps = *steps;
	fault(r, TS_NO_STEP, seat);
	return FAILED;
}

G_NO_INLINE static bool all_wait(struct run *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (!r->seats[i].waits || wait_on(r, &r->seats[i]) == MOVED)
			return false;
	return true;
}

/* Takes out the empty seats; the others keep their order. */
G_NO_INLINE static void close_up(struct run *r)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->count; i++)
		if (!r->seats[i].empty)
			r->seats[kept++] = r->seats[i];
	r->count = kept;
}

/* The loop: as many turns as there are seats, then the checks, and again until all have left. */
G_ALWAYS_INLINE static inline bool drive(
	struct run *r, const struct ts_plan *p, next_fn *next, cta_tile_fn *cta_tile, item_fn *item)
{
	bool random = r->walk->pick == TS_ANY_ONE;
	bool alone = r->walk->pick == TS_FIRST_ONE || r->walk->pick == TS_LAST_ONE;
	uint64_t state = r->walk->seed;
	uint64_t steps = 0;

	while (r->count > 0) {
		uint32_t left = 0;
		bool stuck = true;

		for (uint32_t i = 0; i < r->count; i++) {
			struct seat *seat = &r->seats[random ? below(&state, r->count) : i];
			enum moved how;

			do
				how = turn(r, p, seat, &steps, next, cta_tile, item);
			while (alone && how == MOVED && steps <= r->steps_max);
			if (how == MOVED) {
				stuck = false;
				continue;
			}
			if (how == FAILED)
				return false;
			if (how == BLOCKED)
				continue;
			stuck = false;
			if (random) {
				*seat = r->seats[--r->count];
			} else {
				seat->empty = true;
				left++;
			}
		}
		r->steps = steps;
		if (left > 0)
			close_up(r);
		if (stuck && r->count > 0 && all_wait(r))
			return deadlock(r), false;
		if (steps > r->steps_max)
			return fault(r, TS_ENDLESS, &r->seats[0]), false;
	}
	return true;
}

/* May the plan go through the loops below? Curves take much longer than any loop. */
static bool is_simple(const struct ts_plan *p)
{
	return p->plain && !ts_order_is_curve((enum ts_order)p->order);
}

/* The loop once more for a simple plan of a policy and mode that cut no item, known to the
 * compiler, and with a copy of the plan that no store in the loop can change. Without any of this
 * it takes half as long again. */
G_ALWAYS_INLINE static inline bool known(
	struct run *r, enum ts_policy_id policy, next_fn *next, enum ts_mode mode)
{
	enum ts_order order = (enum ts_order)r->plan->order;
	struct ts_plan plan = *r->plan;

	/* For the compiler. */
	if (ts_order_is_curve(order))
		return false;
	plan.plain = true;
	plan.order = order;
	plan.mode = mode;
	plan.workspace = 0;
	plan.launches = policy == TS_CLC ? 1 : 0;
	if (policy == TS_DATA_PARALLEL || policy == TS_PERSISTENT)
		plan.counters = 0;
	return drive(r, &plan, next, ts_cta_tile, NULL);
}

/* Each is a function of its own: the compiler stops inlining in one that has grown too large. */
G_NO_INLINE static bool data_parallel(struct run *r)
{
	return known(r, TS_DATA_PARALLEL, ts_data_parallel_next, TS_STEAL);
}

G_NO_INLINE static bool persistent(struct run *r)
{
	return known(r, TS_PERSISTENT, ts_persistent_next, TS_STEAL);
}

G_NO_INLINE static bool steal(struct run *r)
{
	return known(r, TS_WORKSTEAL, ts_worksteal_next, TS_STEAL);
}

G_NO_INLINE static bool slots(struct run *r)
{
	return known(r, TS_WORKSTEAL, ts_worksteal_next, TS_SLOTS);
}

G_NO_INLINE static bool global(struct run *r)
{
	return known(r, TS_WORKSTEAL, ts_worksteal_next, TS_GLOBAL);
}

G_NO_INLINE static bool hierarchical(struct run *r)
{
	return known(r, TS_WORKSTEAL, ts_worksteal_next, TS_HIERARCHICAL);
}

G_NO_INLINE static bool clc(struct run *r)
{
	return known(r, TS_CLC, ts_clc_next, TS_STEAL);
}

static bool worksteal(struct run *r)
{
	switch ((enum ts_mode)r->plan->mode) {
	case TS_STEAL: return steal(r);
	case TS_SLOTS: return slots(r);
	case TS_GLOBAL: return global(r);
	case TS_HIERARCHICAL: return hierarchical(r);
	case TS_MODES: break;
	}
	return false;
}

static bool registered(struct run *r)
{
	if (!is_simple(r->plan))
		return drive(r, r->plan, ts_next, ts_cta_tile, NULL);
	switch ((enum ts_policy_id)r->plan->policy) {
	case TS_DATA_PARALLEL: return data_parallel(r);
	case TS_PERSISTENT: return persistent(r);
	case TS_WORKSTEAL: return worksteal(r);
	case TS_CLC: return clc(r);
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
	struct ts_hand few_hands[FEW];
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
	if (rules != NULL || plan->workspace > 0)
		r.hands = seats <= FEW ? few_hands : g_new(struct ts_hand, seats);
	for (uint32_t i = 0; i < seats; i++) {
		r.seats[i].hand = i;
		r.seats[i].empty = false;
	}
	while (r.count < seats && enter(&r, plan, &r.seats[r.count]))
		r.count++;
	if (walk->pick == TS_LAST_ONE)
		reverse(r.seats, r.count);
	if (rules == NULL && walk->item == NULL)
		ran = registered(&r);
	else
		ran = drive(&r, plan, rules == NULL ? ts_next : rules->next,
			rules == NULL ? ts_cta_tile : rules->cta_tile, walk->item);
	if (seats > FEW) {
		g_free(r.seats);
		g_free(r.hands);
	}
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
