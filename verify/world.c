/* Moves: the only place where states change. */
#include "verify/world.h"

#include "policies/plan.h"

#include <string.h>

static void note(struct ts_world *w, uint32_t *state, const struct ts_finding *f)
{
	state[0] |= (uint32_t)1 << f->fault;
	if (w->finding.fault == TS_SOUND)
		w->finding = *f;
}

static void event(struct ts_world *w, enum ts_happened happened, uint32_t id,
	const struct ts_step *s, uint32_t value)
{
	struct ts_event e = {.happened = happened, .worker = id, .value = value};

	if (w->events == NULL || w->finding.fault != TS_SOUND)
		return;
	if (s != NULL)
		e.step = *s;
	g_array_append_val(w->events, e);
}

/* Highest answer that claims are expected to give. Only a guess, since an exploration that gets a
 * higher one starts anew. */
static uint64_t expected_answer(const struct ts_world *w)
{
	uint64_t most = 0;

	for (uint32_t i = 0; w->how->counters != NULL && i < w->plan->counters; i++)
		most = MAX(most, w->how->counters[i]);
	return most + w->plan->items + 2 * (uint64_t)w->plan->workers + 2;
}

/* The queues that the promise speaks of. */
static void find_queues(struct ts_world *w)
{
	const struct ts_plan *p = w->plan;
	struct ts_policy policy = ts_rules_policy(w->how->rules, p->policy);
	uint32_t owned = MIN(p->queue_domains * p->slots.by, p->counters);

	w->promise = policy.promise(p);
	w->fixed_sum = policy.fixed_sum;
	for (uint32_t id = 0; id < p->workers; id++) {
		const struct ts_step *s = &ts_locals_at(&w->locals, w->entrants[id])->step;
		bool needed = s->act == TS_CLAIM && s->counter < owned &&
			policy.counter_items != NULL && policy.counter_items(p, s->counter) > 0;

		w->begins[id] = needed ? s->counter : p->counters;
	}
}

void ts_world_init(struct ts_world *w, const struct ts_explore *how, const struct ts_plan *plan)
{
	uint64_t answer_max;

	memset(w, 0, sizeof *w);
	w->how = how;
	w->plan = plan;
	ts_locals_init(&w->locals, plan, how->rules);
	w->computed = ts_computed_make(plan, how->rules);
	w->words = 1 + (uint64_t)plan->counters + plan->workers + w->computed.words +
		ts_world_slot_words(plan);
	w->resident = how->resident == 0 ? plan->workers : MIN(how->resident, plan->workers);
	w->launches = plan->launches == 1;
	w->any_entry = how->late && (w->resident < plan->workers || w->launches);
	w->locals.keep_apart = how->brute;
	w->locals.keep_started = how->late && !w->any_entry && !how->release;
	w->steps_max = ts_plan_steps_max(plan);
	answer_max = expected_answer(w);
	if (answer_max < UINT16_MAX)
		ts_locals_close(&w->locals, (uint32_t)answer_max);
	w->begins = g_new(uint32_t, plan->workers);
	w->entrants = g_new(uint32_t, plan->workers);
	for (uint32_t id = 0; id < plan->workers; id++)
		w->entrants[id] = ts_locals_enter(&w->locals, id);
	find_queues(w);
}

void ts_world_finish(struct ts_world *w)
{
	ts_locals_finish(&w->locals);
	g_free(w->begins);
	g_free(w->entrants);
}

/* Does the policy survive without `id` too? Somebody is needed in any case, and whoever has stopped
 * by himself was not missing. */
static bool may_miss(const struct ts_world *w, const uint32_t *state, uint32_t id)
{
	const uint32_t *locals = ts_world_seen(w, state);
	bool by_queue = w->promise == TS_NEEDS_EACH_QUEUE && w->begins[id] < w->plan->counters;

	for (uint32_t other = 0; other < w->plan->workers; other++)
		if (other != id && locals[other] != TS_MISSED &&
			(!by_queue || w->begins[other] == w->begins[id]))
			return w->promise != TS_NEEDS_ALL;
	return false;
}

/* May worker `id`, being there, be gone before its next step? */
static bool is_spare(const struct ts_world *w, const uint32_t *state, uint32_t id)
{
	const struct ts_local *local = ts_locals_at(&w->locals, ts_world_seen(w, state)[id]);
	bool leaves = w->how->release && local->between;
	bool starts = w->how->late && !w->any_entry && !w->how->release &&
		(local->flags & TS_STARTED) == 0;

	return (leaves || starts) && (local->flags & TS_ASKED) == 0 && may_miss(w, state, id);
}

static uint32_t present(const struct ts_world *w, const uint32_t *state)
{
	const uint32_t *locals = ts_world_seen(w, state);
	uint32_t count = 0;

	for (uint32_t id = 0; id < w->plan->workers; id++)
		count += locals[id] >= TS_LOCALS_FROM;
	return count;
}

static void enter(struct ts_world *w, uint32_t *state, uint32_t id)
{
	event(w, TS_ENTERED, id, NULL, 0);
	ts_world_locals(w, state)[id] = w->entrants[id];
	if (w->launches)
		ts_world_counters(state)[0]++;
}

static void leave(struct ts_world *w, uint32_t *state, uint32_t id, enum ts_absent how)
{
	uint32_t *locals = ts_world_locals(w, state);

	locals[id] = how;
	if (w->any_entry)
		return;
	if (w->launches) {
		uint32_t next = ts_world_counters(state)[0];

		if (next < w->plan->workers && locals[next] == TS_QUEUED)
			enter(w, state, next);
		return;
	}
	for (uint32_t next = 0; next < w->plan->workers; next++)
		if (locals[next] == TS_QUEUED) {
			enter(w, state, next);
			return;
		}
}

static void give_up(struct ts_world *w, uint32_t *state, uint32_t id, enum ts_fault fault)
{
	const struct ts_local *local = ts_locals_at(&w->locals, ts_world_seen(w, state)[id]);
	struct ts_finding f = {.fault = fault, .worker = id, .counter = local->step.counter};

	if (fault == TS_ENDLESS)
		f.count = w->steps_max;
	if (fault == TS_NO_STEP)
		f.counter = (uint32_t)local->step.act;
	note(w, state, &f);
	leave(w, state, id, TS_FINISHED);
}

/* Would worker `id`, alone, go on for ever without changing a counter? */
static bool is_endless(struct ts_world *w, uint32_t *state, uint32_t id)
{
	const uint32_t *counters = ts_world_counters(state);
	uint32_t number = ts_world_locals(w, state)[id];

	for (uint64_t steps = 0; steps <= w->steps_max; steps++) {
		const struct ts_step s = ts_locals_at(&w->locals, number)->step;
		bool goes_on = s.act == TS_WORK || s.act == TS_FIX_UP;

		if (s.act == TS_WAIT && s.counter < w->plan->counters)
			goes_on = counters[s.counter] >= s.value;
		if (s.act == TS_SIGNAL)
			goes_on = s.value == 0;
		if (!goes_on)
			return false;
		number = ts_locals_then(&w->locals, number, 0);
	}
	return true;
}

/* What the step means for partial sums. */
static void use_workspace(struct ts_world *w, uint32_t *state, uint32_t id, const struct ts_step *s)
{
	const struct ts_plan *p = w->plan;
	struct ts_hand hand = {0};
	uint32_t *held = NULL;
	uint32_t has = s->act == TS_SIGNAL ? ts_world_counters(state)[s->counter] : 0;
	struct ts_workspace workspace = {p, w->fixed_sum, NULL};
	struct ts_finding f;

	if (p->workspace > 0) {
		uint32_t *slots = ts_world_slots(w, state);

		workspace.slots = (struct ts_slot *)(gpointer)slots;
		held = slots + (uint64_t)p->workspace * TS_SLOT_WORDS +
			(uint64_t)id * TS_HAND_WORDS;
		memcpy(&hand, held, sizeof hand);
	}
	if (!ts_workspace_step(&workspace, &hand, id, s, has, &f))
		note(w, state, &f);
	if (held != NULL)
		memcpy(held, &hand, sizeof hand);
}

static void use_counter(struct ts_world *w, uint32_t *state, uint32_t id, const struct ts_step *s)
{
	uint32_t *local = &ts_world_locals(w, state)[id];
	uint32_t *counter = &ts_world_counters(state)[s->counter];
	bool is_clean = w->how->counters == NULL || (w->launches && s->counter == 0);
	uint32_t first = is_clean ? 0 : w->how->counters[s->counter];
	uint32_t old = *counter;
	uint32_t added = s->act == TS_CLAIM ? 1 : s->act == TS_SIGNAL ? s->value : 0;

	if (s->act == TS_WAIT && old < s->value) {
		event(w, TS_BLOCKED, id, s, old);
		*local = ts_locals_ask(&w->locals, *local);
		return;
	}
	event(w, TS_STEPPED, id, s, old);
	*counter = old + added;
	/* A claim of a worker that is not launched: it never is. */
	if (w->launches && s->counter == 0 && s->act == TS_CLAIM && old < w->plan->workers &&
		ts_world_locals(w, state)[old] == TS_QUEUED)
		ts_world_locals(w, state)[old] = TS_FINISHED;
	if (s->act != TS_CLAIM)
		use_workspace(w, state, id, s);
	w->lowered |= *counter < old;
	w->most_added = MAX(w->most_added, added);
	*local = ts_locals_then(&w->locals, *local, old);
	if (added == 0 ? is_endless(w, state, id) : *counter - first > w->steps_max * w->most_added)
		give_up(w, state, id, TS_ENDLESS);
}

/* The next step of a worker that is there. */
static void carry_out(struct ts_world *w, uint32_t *state, uint32_t id)
{
	uint32_t *local = &ts_world_locals(w, state)[id];
	const struct ts_step s = ts_locals_at(&w->locals, *local)->step;
	struct ts_finding f;
	uint32_t faults;

	switch (s.act) {
	case TS_STOP:
		event(w, TS_STEPPED, id, &s, 0);
		use_workspace(w, state, id, &s);
		leave(w, state, id, TS_FINISHED);
		return;
	case TS_WORK:
	case TS_FIX_UP:
		event(w, TS_STEPPED, id, &s, 0);
		faults = 0;
		if (s.act == TS_WORK)
			faults = ts_computed_item(
				&w->computed, ts_world_computed(w, state), id, &s, &f);
		if (faults != 0)
			note(w, state, &f);
		state[0] |= faults;
		use_workspace(w, state, id, &s);
		*local = ts_locals_then(&w->locals, *local, 0);
		if (is_endless(w, state, id))
			give_up(w, state, id, TS_ENDLESS);
		return;
	case TS_CLAIM:
	case TS_WAIT:
	case TS_SIGNAL:
		if (s.counter < w->plan->counters) {
			use_counter(w, state, id, &s);
			return;
		}
		event(w, TS_STEPPED, id, &s, 0);
		give_up(w, state, id, TS_COUNTER);
		return;
	}
	/* Only a policy file or a test gets here. */
	give_up(w, state, id, TS_NO_STEP);
}

/* Carries out steps that nobody else notices, so that their order does not matter. A worker that
 * may be gone before its work is at a crossing, and stays there; before a stop both ways are one.
 */
static void settle(struct ts_world *w, uint32_t *state)
{
	const uint32_t *locals = ts_world_seen(w, state);

	/* Who enters because of this has a higher id. */
	for (uint32_t id = 0; !w->how->brute && id < w->plan->workers; id++)
		while (locals[id] >= TS_LOCALS_FROM) {
			enum ts_act act = ts_locals_at(&w->locals, locals[id])->step.act;

			if (act != TS_STOP && act != TS_FIX_UP &&
				(act != TS_WORK || is_spare(w, state, id)))
				break;
			/* Somebody else will be launched. */
			if (act == TS_STOP && w->launches &&
				ts_world_counters(state)[0] < w->plan->workers)
				break;
			carry_out(w, state, id);
		}
}

void ts_world_start(struct ts_world *w, uint32_t *state)
{
	uint32_t *locals = ts_world_locals(w, state);

	memset(state, 0, w->words * sizeof *state);
	for (uint32_t i = 0; w->how->counters != NULL && i < w->plan->counters; i++)
		ts_world_counters(state)[i] = w->how->counters[i];
	for (uint32_t id = 0; id < w->plan->workers; id++)
		locals[id] = id < w->resident && !w->any_entry ? w->entrants[id] : TS_QUEUED;
	if (w->launches)
		ts_world_counters(state)[0] = w->any_entry ? 0 : w->resident;
	settle(w, state);
}

unsigned ts_world_moves(struct ts_world *w, const uint32_t *state, uint32_t id)
{
	uint32_t number = ts_world_seen(w, state)[id];
	bool spare, stuck;
	struct ts_step s;

	if (number == TS_QUEUED) {
		bool place = w->any_entry && present(w, state) < w->resident;
		bool never = w->any_entry && !w->launches && may_miss(w, state, id);

		if (w->launches && state[1] != id)
			return 0;
		return (place ? 1u << TS_MOVE_ENTER : 0) | (never ? 1u << TS_MOVE_MISS : 0);
	}
	if (number < TS_LOCALS_FROM)
		return 0;
	s = ts_locals_at(&w->locals, number)->step;
	spare = is_spare(w, state, id);
	stuck = s.act == TS_WAIT && s.counter < w->plan->counters && !spare &&
		state[1 + s.counter] < s.value;
	return (stuck ? 0 : 1u << TS_MOVE_STEP) | (spare ? 1u << TS_MOVE_MISS : 0);
}

void ts_world_move(struct ts_world *w, uint32_t *state, uint32_t id, enum ts_move move)
{
	switch (move) {
	case TS_MOVE_STEP: carry_out(w, state, id); break;
	case TS_MOVE_ENTER: enter(w, state, id); break;
	case TS_MOVE_MISS:
		event(w, TS_RELEASED, id, NULL, 0);
		if (ts_world_locals(w, state)[id] == TS_QUEUED)
			ts_world_locals(w, state)[id] = TS_MISSED;
		else
			leave(w, state, id, TS_MISSED);
		break;
	case TS_MOVES: break;
	}
	settle(w, state);
}

void ts_world_end(struct ts_world *w, uint32_t *state)
{
	const uint32_t *locals = ts_world_locals(w, state);
	struct ts_finding f = {.fault = TS_DEADLOCK};

	for (uint32_t id = w->plan->workers; id-- > 0;) {
		const struct ts_step *s;

		if (locals[id] < TS_LOCALS_FROM)
			continue;
		s = &ts_locals_at(&w->locals, locals[id])->step;
		f.worker = id;
		f.counter = s->counter;
		f.counter_items = s->value;
		f.claimed = ts_world_counters(state)[s->counter];
		f.count++;
	}
	if (f.count > 0) {
		note(w, state, &f);
		return;
	}
	if (state[0] != 0)
		return;
	if (w->plan->workspace > 0) {
		const struct ts_workspace workspace = {w->plan, w->fixed_sum,
			(struct ts_slot *)(gpointer)ts_world_slots(w, state)};

		if (!ts_workspace_verdict(&workspace, &f)) {
			note(w, state, &f);
			return;
		}
	}
	if (ts_computed_verdict(
		    &w->computed, ts_world_computed(w, state), ts_world_counters(state), &f))
		return;
	for (uint32_t id = 0; id < w->plan->workers; id++)
		f.idle_workers += locals[id] == TS_MISSED;
	note(w, state, &f);
}

/* Somebody who would raise the counter, those who are nearest to it first. */
static void find_helper(struct ts_world *w, const uint32_t *locals, struct ts_blocked *b)
{
	uint64_t bit = ts_counter_bit(w->plan, b->counter);

	for (uint32_t id = w->plan->workers; id-- > 0;) {
		bool there = locals[id] >= TS_LOCALS_FROM;
		enum ts_helper state = there      ? TS_HELPER_WAITS
			: locals[id] == TS_QUEUED ? TS_HELPER_OUTSIDE
						  : TS_HELPER_GONE;
		uint32_t number = there ? locals[id] : w->entrants[id];

		if (id == b->worker || locals[id] == TS_FINISHED ||
			(ts_locals_at(&w->locals, number)->raises & bit) == 0)
			continue;
		if (b->state != TS_HELPER_NONE && state > b->state)
			continue;
		b->state = state;
		b->helper = id;
	}
}

void ts_world_blocked(struct ts_world *w, const uint32_t *state, GArray *ret_blocked)
{
	const uint32_t *locals = ts_world_seen(w, state);

	for (uint32_t id = 0; id < w->plan->workers; id++) {
		struct ts_blocked b = {.worker = id};
		const struct ts_step *s;

		if (locals[id] < TS_LOCALS_FROM)
			continue;
		s = &ts_locals_at(&w->locals, locals[id])->step;
		b.counter = s->counter;
		b.value = s->value;
		b.has = state[1 + s->counter];
		find_helper(w, locals, &b);
		g_array_append_val(ret_blocked, b);
	}
}
