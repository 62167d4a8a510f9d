/* The world of an exploration: all workers and counters as one state, and its moves. */
#ifndef TS_WORLD_H
#define TS_WORLD_H

#include "verify/computed.h"
#include "verify/explore.h"
#include "verify/local.h"
#include "verify/workspace.h"

/* A state is an array of `words`: the faults met so far, counters, workers' locals, what is
 * computed, and where there is a workspace its slots and what workers hold of them. */
struct ts_world {
	const struct ts_explore *how;
	const struct ts_plan *plan;
	struct ts_locals locals;
	struct ts_computed computed;
	uint64_t words;
	bool fixed_sum; /* ts_policy.fixed_sum */
	uint32_t resident;
	bool any_entry; /* who enters next is open */
	bool launches;  /* plan.launches */
	enum ts_promise promise;
	uint32_t *begins;          /* counter of a domain that has items and that the
				       worker claims from first; plan.counters if none */
	uint32_t *entrants;        /* its local as it enters */
	uint64_t steps_max;        /* no worker does more between two changes of a counter */
	uint32_t most_added;       /* the largest step that a counter has made at once */
	bool lowered;              /* a signal has lowered a counter */
	struct ts_finding finding; /* the first fault since it was last cleared */
	GArray *events;            /* struct ts_event, if somebody wants them; up to the fault */
};

/* What a worker can do; a set of them is a sum of bits 1 << move. */
enum ts_move {
	TS_MOVE_STEP,
	TS_MOVE_MISS, /* be gone from now on */
	TS_MOVE_ENTER,
	TS_MOVES
};

void ts_world_init(struct ts_world *w, const struct ts_explore *how, const struct ts_plan *plan);
void ts_world_finish(struct ts_world *w);

/* Fills `state` with the first one. */
void ts_world_start(struct ts_world *w, uint32_t *state);

/* The moves of worker `id`. */
unsigned ts_world_moves(struct ts_world *w, const uint32_t *state, uint32_t id);

/* Makes a move, and what follows from it unseen by others. */
void ts_world_move(struct ts_world *w, uint32_t *state, uint32_t id, enum ts_move move);

/* To be called where nobody has a move: notes what is wrong with this end. */
void ts_world_end(struct ts_world *w, uint32_t *state);

/* Who waits in `state`, and who could help. */
void ts_world_blocked(struct ts_world *w, const uint32_t *state, GArray *ret_blocked);

static inline uint32_t *ts_world_counters(uint32_t *state)
{
	return state + 1;
}

/* Each worker's local, or an enum ts_absent. */
static inline uint32_t *ts_world_locals(const struct ts_world *w, uint32_t *state)
{
	return state + 1 + w->plan->counters;
}

static inline uint32_t *ts_world_computed(const struct ts_world *w, uint32_t *state)
{
	return state + 1 + w->plan->counters + w->plan->workers;
}

static inline uint32_t *ts_world_slots(const struct ts_world *w, uint32_t *state)
{
	return ts_world_computed(w, state) + w->computed.words;
}

/* Words of the slots and hands of a plan. */
static inline uint64_t ts_world_slot_words(const struct ts_plan *p)
{
	if (p->workspace == 0)
		return 0;
	return (uint64_t)p->workspace * TS_SLOT_WORDS + (uint64_t)p->workers * TS_HAND_WORDS;
}

/* Those of a state that is only read. */
static inline const uint32_t *ts_world_seen(const struct ts_world *w, const uint32_t *state)
{
	return state + 1 + w->plan->counters;
}

/* May the absence of one of the two keep the other from being missing? */
static inline bool ts_world_rivals(const struct ts_world *w, uint32_t id, uint32_t other)
{
	uint32_t none = w->plan->counters;

	return w->promise == TS_NEEDS_ANY || w->begins[id] == w->begins[other] ||
		w->begins[id] == none || w->begins[other] == none;
}

#endif
