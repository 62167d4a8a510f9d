/* The search, breadth first, and the choice of the moves that suffice. */
#include "verify/explore.h"

#include <string.h>

#include "verify/state.h"
#include "verify/world.h"

static const uint64_t words_max = 1 << 16;           /* of a state */
static const uint64_t bytes_max = (uint64_t)4 << 30; /* of all states */
static const uint64_t shorten_max = 200000;          /* states, see shorten() */

/* What a worker's moves are now, and what it may do later. */
struct outlook {
	uint64_t next, touches; /* counters, as in struct ts_local: by the next step, by any */
	unsigned moves;
	bool gone, enters;
};

struct search {
	struct ts_world world;
	struct ts_states states;
	struct ts_explored *found;
	bool reduces;             /* persistent sets are known */
	uint32_t *from, *to;      /* a state and the one that a move makes of it */
	struct outlook *outlooks; /* by worker, as the next ones */
	uint8_t *chosen, *best;
	uint32_t *members;
	/* The fault: in the state that `fault_move` makes of `fault_from`, or there if it is none.
	 */
	uint32_t fault_from, fault_move;
};

static const uint32_t no_move = UINT32_MAX;

bool ts_explore_fits(const struct ts_plan *p)
{
	return ts_computed_make(p, NULL).words + p->counters + p->workers + ts_world_slot_words(p) <
		words_max;
}

/* Looks up once a state what choosing needs of each worker. */
static void look(struct search *x, const uint32_t *state)
{
	struct ts_world *w = &x->world;
	const uint32_t *locals = ts_world_seen(w, state);

	for (uint32_t id = 0; id < w->plan->workers; id++) {
		struct outlook *o = &x->outlooks[id];
		uint32_t number = locals[id] == TS_QUEUED ? w->entrants[id] : locals[id];
		const struct ts_local *local;

		memset(o, 0, sizeof *o);
		o->enters = locals[id] == TS_QUEUED;
		o->gone = number < TS_LOCALS_FROM;
		if (o->gone)
			continue;
		local = ts_locals_at(&w->locals, number);
		o->next = ts_step_touches(w->plan, &local->step);
		o->touches = local->touches;
		o->moves = o->enters ? 0 : ts_world_moves(w, state, id);
	}
}

/* Must `id` be chosen too, `member` being so? */
static bool depends(const struct search *x, uint32_t member, uint32_t id)
{
	const struct outlook *mine = &x->outlooks[member];

	return (mine->next & x->outlooks[id].touches) != 0 ||
		((mine->moves & 1u << TS_MOVE_MISS) != 0 && ts_world_rivals(&x->world, member, id));
}

/* Chooses `seed` and all on whom the next moves of the chosen depend: whatever the others do, now
 * and later, neither enables, disables nor changes those moves. Returns how many that are, or 0 if
 * there is no such set but all of them. */
static uint32_t close_over(struct search *x, uint32_t seed)
{
	uint32_t workers = x->world.plan->workers;
	uint32_t count = 1;

	memset(x->chosen, 0, workers);
	x->chosen[seed] = 1;
	x->members[0] = seed;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t id = 0; id < workers; id++) {
			if (x->chosen[id] || x->outlooks[id].gone || !depends(x, x->members[i], id))
				continue;
			/* It enters when anybody leaves. */
			if (x->outlooks[id].enters)
				return 0;
			x->chosen[id] = 1;
			x->members[count++] = id;
		}
	return count;
}

/* Fills x->best with the workers whose moves are to be tried in `state`. */
static void choose(struct search *x, const uint32_t *state)
{
	uint32_t workers = x->world.plan->workers;
	uint32_t least = workers;

	memset(x->best, 1, workers);
	if (!x->reduces)
		return;
	look(x, state);
	for (uint32_t seed = 0; least > 1 && seed < workers; seed++) {
		uint32_t count;

		if (x->outlooks[seed].moves == 0)
			continue;
		count = close_over(x, seed);
		if (count == 0 || count >= least)
			continue;
		least = count;
		memcpy(x->best, x->chosen, workers);
	}
}

/* Keeps the first fault. */
static void note(struct search *x, uint32_t from, uint32_t move, const uint32_t *state)
{
	x->found->faults |= state[0];
	if (x->found->finding.fault != TS_SOUND || x->world.finding.fault == TS_SOUND)
		return;
	x->found->finding = x->world.finding;
	x->fault_from = from;
	x->fault_move = move;
}

static bool is_over(const struct search *x)
{
	return x->found->limit == TS_LIMIT_STATES ||
		(x->found->finding.fault != TS_SOUND && !x->world.how->go_on);
}

static void end(struct search *x, uint32_t index)
{
	const struct ts_world *w = &x->world;
	GByteArray *outcome = g_byte_array_new();

	x->found->ends++;
	memset(&x->world.finding, 0, sizeof x->world.finding);
	ts_world_end(&x->world, x->from);
	note(x, index, no_move, x->from);
	g_byte_array_append(outcome, (const guint8 *)x->from, sizeof *x->from);
	g_byte_array_append(outcome, (const guint8 *)ts_world_computed(w, x->from),
		(guint)(w->computed.words * sizeof *x->from));
	g_hash_table_add(x->found->outcomes, g_byte_array_free_to_bytes(outcome));
}

static void expand(struct search *x, uint32_t index)
{
	size_t bytes = x->world.words * sizeof *x->from;
	bool moved = false;

	memcpy(x->from, ts_states_at(&x->states, index), bytes);
	choose(x, x->from);
	for (uint32_t id = 0; id < x->world.plan->workers; id++) {
		unsigned moves = x->best[id] ? ts_world_moves(&x->world, x->from, id) : 0;

		for (unsigned i = 0; i < TS_MOVES && !is_over(x); i++) {
			uint32_t move = id * TS_MOVES + i;

			if ((moves & 1u << i) == 0)
				continue;
			moved = true;
			memcpy(x->to, x->from, bytes);
			memset(&x->world.finding, 0, sizeof x->world.finding);
			ts_world_move(&x->world, x->to, id, (enum ts_move)i);
			x->found->moves++;
			note(x, index, move, x->to);
			if (ts_states_put(&x->states, x->to, index, move) == ts_no_state)
				x->found->limit = TS_LIMIT_STATES;
		}
	}
	if (!moved)
		end(x, index);
}

static void search(struct search *x)
{
	uint32_t level = 1; /* the first state that needs more moves than the one looked at */

	ts_world_start(&x->world, x->to);
	note(x, ts_no_state, no_move, x->to);
	ts_states_put(&x->states, x->to, ts_no_state, no_move);
	for (uint32_t i = 0; i < x->states.count && !is_over(x); i++) {
		if (i == level) {
			x->found->depth++;
			level = x->states.count;
		}
		expand(x, i);
		/* What persistent sets rest on has turned out wrong. */
		if (x->reduces && x->world.locals.escaped)
			return;
	}
	x->found->states = x->states.count;
	if (x->found->limit == TS_LIMIT_NONE && x->world.lowered &&
		x->found->finding.fault == TS_SOUND)
		x->found->limit = TS_LIMIT_LOWERED;
}

/* Goes the way to the fault once more, and writes it down. */
static void retrace(struct search *x)
{
	struct ts_world *w = &x->world;
	g_autoptr(GArray) moves = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t at = x->fault_from, move = x->fault_move;

	while (at != ts_no_state) {
		if (move != no_move)
			g_array_append_val(moves, move);
		at = ts_states_from(&x->states, at, &move);
	}
	memset(&w->finding, 0, sizeof w->finding);
	w->events = x->found->schedule;
	ts_world_start(w, x->to);
	for (guint i = moves->len; i-- > 0;) {
		move = g_array_index(moves, uint32_t, i);
		ts_world_move(w, x->to, move / TS_MOVES, (enum ts_move)(move % TS_MOVES));
	}
	w->events = NULL;
	if (x->found->finding.fault == TS_DEADLOCK)
		ts_world_blocked(w, x->to, x->found->blocked);
}

static void reset(struct ts_explored *e)
{
	memset(e, 0, sizeof *e);
	e->schedule = g_array_new(FALSE, FALSE, sizeof(struct ts_event));
	e->blocked = g_array_new(FALSE, FALSE, sizeof(struct ts_blocked));
	e->outcomes = g_hash_table_new_full(
		g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
}

/* One search; false if it must be done again without persistent sets. */
static bool try(const struct ts_explore *how, const struct ts_plan *plan, bool reduces,
	struct ts_explored *found)
{
	struct search x = {.found = found, .fault_from = ts_no_state, .fault_move = no_move};
	bool good;

	reset(found);
	ts_world_init(&x.world, how, plan);
	/* Entering in any order, or by a counter, makes each worker depend on all. */
	x.reduces = reduces && x.world.locals.closed && !x.world.any_entry && !x.world.launches;
	ts_states_init(&x.states, x.world.words,
		how->states_max == 0 ? UINT64_MAX : how->states_max, bytes_max);
	x.from = g_new(uint32_t, x.world.words);
	x.to = g_new(uint32_t, x.world.words);
	x.chosen = g_new(uint8_t, plan->workers);
	x.best = g_new(uint8_t, plan->workers);
	x.members = g_new(uint32_t, plan->workers);
	x.outlooks = g_new(struct outlook, plan->workers);
	search(&x);
	good = !x.reduces || !x.world.locals.escaped;
	if (good && found->finding.fault != TS_SOUND)
		retrace(&x);
	found->shortest = !x.reduces;
	g_free(x.from);
	g_free(x.to);
	g_free(x.chosen);
	g_free(x.best);
	g_free(x.members);
	g_free(x.outlooks);
	ts_states_finish(&x.states);
	ts_world_finish(&x.world);
	return good;
}

/* Persistent sets can leave out the shortest way to a fault. Looks for it without them, unless that
 * takes long. */
static void shorten(
	const struct ts_explore *how, const struct ts_plan *plan, struct ts_explored *found)
{
	struct ts_explore again = *how;
	struct ts_explored shorter;

	again.states_max = MIN(shorten_max, how->states_max == 0 ? UINT64_MAX : how->states_max);
	try(&again, plan, false, &shorter);
	if (shorter.finding.fault == TS_SOUND) {
		ts_explored_finish(&shorter);
		return;
	}
	ts_explored_finish(found);
	*found = shorter;
}

bool ts_explore_run(
	const struct ts_explore *how, const struct ts_plan *plan, struct ts_explored *ret)
{
	g_assert(ts_explore_fits(plan));
	if (plan->items == 0) {
		reset(ret);
		ret->states = ret->ends = 1;
		g_hash_table_add(ret->outcomes, g_bytes_new(NULL, 0));
		return true;
	}
	if (!try(how, plan, !how->brute, ret)) {
		ts_explored_finish(ret);
		try(how, plan, false, ret);
	} else if (ret->finding.fault != TS_SOUND && !how->go_on) {
		shorten(how, plan, ret);
	}
	return ret->finding.fault == TS_SOUND;
}

void ts_explored_finish(struct ts_explored *e)
{
	g_array_unref(e->schedule);
	g_array_unref(e->blocked);
	g_hash_table_unref(e->outcomes);
}
