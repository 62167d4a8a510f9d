/* The driver of the verifier: who is there, how a walk begins, and what it seldom meets. */
#include "policies/plan.h"
#include "verify/drive.h"
#include "verify/wait_graph.h"

/* Small plans, of which there are most in a box, take no memory for their seats. */
enum { FEW = 16 };

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

bool ts_drive_fault(struct ts_run *r, enum ts_fault kind, const struct ts_seat *seat)
{
	struct ts_finding f = {0};

	f.fault = kind;
	f.worker = seat->worker.id;
	f.counter = seat->counter;
	f.count = r->steps;
	ts_coverage_fault(r->coverage, &f);
	return false;
}

/* All that are resident wait. */
bool ts_drive_deadlock(struct ts_run *r)
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
	return false;
}

/* WAIT and SIGNAL, which only policies with a fix-up use. Counters are one array: claims, signals
 * and waits all see the same value. */
enum ts_moved ts_drive_wait_or_signal(struct ts_run *r, struct ts_seat *seat, struct ts_step s)
{
	if (!ts_coverage_step(r->coverage, &r->hands[seat->hand], seat->worker.id, &s))
		return TS_TURN_FAILED;
	if (s.act == TS_SIGNAL)
		return TS_TURN_MOVED;
	seat->counter = s.counter;
	seat->value = s.value;
	return ts_drive_wait_on(r, seat);
}

/* What a step means for partial sums, of which most plans have none. */
enum ts_moved ts_drive_partial(struct ts_run *r, struct ts_seat *seat, struct ts_step s)
{
	return ts_coverage_step(r->coverage, &r->hands[seat->hand], seat->worker.id, &s)
		? TS_TURN_MOVED
		: TS_TURN_FAILED;
}

bool ts_drive_all_wait(struct ts_run *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (!r->seats[i].waits || ts_drive_wait_on(r, &r->seats[i]) == TS_TURN_MOVED)
			return false;
	return true;
}

/* Takes out the empty seats; the others keep their order. */
void ts_drive_close_up(struct ts_run *r)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->count; i++)
		if (!r->seats[i].empty)
			r->seats[kept++] = r->seats[i];
	r->count = kept;
}

static uint32_t count_live(const struct ts_plan *p, const uint8_t *live)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->workers; i++)
		count += live[i] != 0;
	return count;
}

/* The loop goes through the seats in their order; the last worker is the one that came last. */
static void reverse(struct ts_seat *seats, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		struct ts_seat swapped = seats[i];

		seats[i] = seats[count - 1 - i];
		seats[count - 1 - i] = swapped;
	}
}

bool ts_drive_run(const struct ts_walk *walk, const struct ts_plan *plan,
	const struct ts_rules *rules, struct ts_coverage *c, bool (*loop)(struct ts_run *r))
{
	struct ts_run r = {.walk = walk, .plan = plan, .rules = rules, .coverage = c};
	uint32_t seats = MIN(walk->resident, plan->workers);
	struct ts_seat few[FEW];
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
	r.seats = seats <= FEW ? few : g_new(struct ts_seat, seats);
	if (rules != NULL || plan->workspace > 0)
		r.hands = seats <= FEW ? few_hands : g_new(struct ts_hand, seats);
	for (uint32_t i = 0; i < seats; i++) {
		r.seats[i].hand = i;
		r.seats[i].empty = false;
	}
	while (r.count < seats && ts_drive_enter(&r, plan, &r.seats[r.count]))
		r.count++;
	if (walk->pick == TS_LAST_ONE)
		reverse(r.seats, r.count);
	ran = loop(&r);
	if (seats > FEW) {
		g_free(r.seats);
		g_free(r.hands);
	}
	return ran;
}

static bool mark(struct ts_run *r, const struct ts_plan *p, uint32_t worker, struct ts_step item)
{
	ts_coverage_mark(
		r->coverage, p, worker, &item, r->rules == NULL ? ts_cta_tile : r->rules->cta_tile);
	if (r->walk->item != NULL)
		r->walk->item(r->walk->data, worker, &item);
	return true;
}

/* Of any rules, and with anybody who is told. */
static bool general(struct ts_run *r)
{
	return ts_drive(r, r->plan, r->rules == NULL ? ts_next : r->rules->next, mark,
		r->walk->item != NULL);
}

bool ts_walk_run(const struct ts_walk *walk, const struct ts_plan *plan,
	const struct ts_rules *rules, struct ts_coverage *c)
{
	bool registered = rules == NULL && walk->item == NULL;
	bool ran = ts_drive_run(walk, plan, rules, c, registered ? ts_drive_registered : general);

	return plan->items == 0 || (ts_coverage_verdict(c) && ran && ts_coverage_drained(c));
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
	uint32_t start = plan->workers > 0 ? (uint32_t)(ts_drive_draw(&random) % plan->workers) : 0;
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
