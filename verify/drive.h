/* Inside of the walks: the loop that carries out steps, and the seats of those who take them. Each
 * file with loops of its own includes it, for the compiler to make one for each policy. */
#ifndef TS_DRIVE_H
#define TS_DRIVE_H

#include <string.h>

#include "verify/walk.h"

/* A resident worker, with the wait it has not been able to finish. */
struct ts_seat {
	struct ts_worker worker;
	uint32_t answer;
	uint32_t waits; /* 1 while blocked */
	uint32_t counter, value;
	uint32_t hand; /* its number in ts_run.hands */
	bool empty;    /* nobody is left to enter */
};

struct ts_run {
	const struct ts_walk *walk;
	const struct ts_plan *plan;
	const struct ts_rules *rules;
	struct ts_coverage *coverage;
	struct ts_seat *seats;
	struct ts_hand *hands; /* one a seat, or NULL where nobody can wait or keep a sum */
	uint32_t count;        /* seats taken */
	uint32_t entered;      /* workers that have been let in or skipped */
	uint64_t steps, steps_max;
};

/* Passed to the loop by value, so that the compiler can inline the built-in policies. */
typedef struct ts_step ts_drive_next(const struct ts_plan *, struct ts_worker *, uint32_t);
/* Worker `worker` computes an item. False ends the walk. */
typedef bool ts_drive_mark(
	struct ts_run *r, const struct ts_plan *p, uint32_t worker, struct ts_step item);

enum ts_moved { TS_TURN_MOVED, TS_TURN_BLOCKED, TS_TURN_LEFT, TS_TURN_FAILED };

/* Resets `c` for a plan with items, seats the workers, and leaves the rest to `loop`, whose answer
 * it returns. */
bool ts_drive_run(const struct ts_walk *walk, const struct ts_plan *plan,
	const struct ts_rules *rules, struct ts_coverage *c, bool (*loop)(struct ts_run *r));

/* The loops of loops.c: of a plan of a registered policy, with nobody who is told of items. */
bool ts_drive_registered(struct ts_run *r);

/* ts_next() as the loops of ids.c ask it: an item has its id in `m`. */
struct ts_step ts_drive_id_step(const struct ts_plan *p, struct ts_worker *w, uint32_t answer);

/* The rare half of the loop below. */
bool ts_drive_deadlock(struct ts_run *r);
bool ts_drive_fault(struct ts_run *r, enum ts_fault kind, const struct ts_seat *seat);
bool ts_drive_all_wait(struct ts_run *r);
void ts_drive_close_up(struct ts_run *r);
enum ts_moved ts_drive_wait_or_signal(struct ts_run *r, struct ts_seat *seat, struct ts_step s);
enum ts_moved ts_drive_partial(struct ts_run *r, struct ts_seat *seat, struct ts_step s);

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t ts_drive_draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A number from 0 to `count` - 1. */
static inline uint32_t ts_drive_below(uint64_t *state, uint32_t count)
{
	return (uint32_t)((ts_drive_draw(state) >> 32) * count >> 32);
}

/* Lets the next live worker into `seat`; false when none is left. */
G_ALWAYS_INLINE static inline bool ts_drive_enter(
	struct ts_run *r, const struct ts_plan *p, struct ts_seat *seat)
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

/* Can a seat that waits go on? */
static inline enum ts_moved ts_drive_wait_on(const struct ts_run *r, struct ts_seat *seat)
{
	seat->waits = r->coverage->claimed[seat->counter] < seat->value;
	return seat->waits ? TS_TURN_BLOCKED : TS_TURN_MOVED;
}

/* One turn of a seat: a step, and where that is an item of a plan without partial sums, also the
 * step behind it. Such items touch no counter and their marks are a set, so an item commutes with
 * all steps of other workers: any order of single steps ends like the order of turns in which each
 * item is moved up to its worker's next step. Half the turns are saved, and no order of claims is
 * lost. Without counters all steps commute, and who is told of items hears of one a turn, which
 * `told` says. Where the worker stops the next one enters. Steps are handed on by value where that
 * is rare, to stay in registers elsewhere. */
G_ALWAYS_INLINE static inline enum ts_moved ts_drive_turn(struct ts_run *r, const struct ts_plan *p,
	struct ts_seat *seat, uint64_t *steps, ts_drive_next *next, ts_drive_mark *mark, bool told)
{
	struct ts_worker *w = &seat->worker;
	struct ts_step s;

	if (seat->waits)
		return ts_drive_wait_on(r, seat);
	s = next(p, w, seat->answer);
	++*steps;
	if (s.act == TS_WORK) {
		if (!mark(r, p, w->id, s))
			return TS_TURN_FAILED;
		if (p->workspace > 0)
			return ts_drive_partial(r, seat, s);
		if (p->counters == 0 && told)
			return TS_TURN_MOVED;
		s = next(p, w, seat->answer);
		++*steps;
	}
	/* Before the others, for what most turns end with. */
	if (s.act == TS_CLAIM)
		return ts_coverage_claim(r->coverage, w->id, s.counter, &seat->answer)
			? TS_TURN_MOVED
			: TS_TURN_FAILED;
	switch (s.act) {
	case TS_WORK: return mark(r, p, w->id, s) ? TS_TURN_MOVED : TS_TURN_FAILED;
	case TS_WAIT:
	case TS_SIGNAL: return ts_drive_wait_or_signal(r, seat, s);
	case TS_FIX_UP: return ts_drive_partial(r, seat, s);
	case TS_STOP:
		if (p->workspace > 0 && ts_drive_partial(r, seat, s) == TS_TURN_FAILED)
			return TS_TURN_FAILED;
		return ts_drive_enter(r, p, seat) ? TS_TURN_MOVED : TS_TURN_LEFT;
	case TS_CLAIM: break;
	}
	/* Only a policy file or a test gets here. */
	seat->counter = (uint32_t)s.act;
	r->steps = *steps;
	ts_drive_fault(r, TS_NO_STEP, seat);
	return TS_TURN_FAILED;
}

/* The loop: as many turns as there are seats, then the checks, and again until all have left. */
G_ALWAYS_INLINE static inline bool ts_drive(struct ts_run *r, const struct ts_plan *p,
	ts_drive_next *next, ts_drive_mark *mark, bool told)
{
	bool random = r->walk->pick == TS_ANY_ONE;
	bool alone = r->walk->pick == TS_FIRST_ONE || r->walk->pick == TS_LAST_ONE;
	uint64_t state = r->walk->seed;
	uint64_t steps = 0;

	while (r->count > 0) {
		uint32_t left = 0;
		bool stuck = true;

		for (uint32_t i = 0; i < r->count; i++) {
			struct ts_seat *seat =
				&r->seats[random ? ts_drive_below(&state, r->count) : i];
			enum ts_moved how;

			do
				how = ts_drive_turn(r, p, seat, &steps, next, mark, told);
			while (alone && how == TS_TURN_MOVED && steps <= r->steps_max);
			if (how == TS_TURN_MOVED) {
				stuck = false;
				continue;
			}
			if (how == TS_TURN_FAILED)
				return false;
			if (how == TS_TURN_BLOCKED)
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
			ts_drive_close_up(r);
		if (stuck && r->count > 0 && ts_drive_all_wait(r))
			return ts_drive_deadlock(r);
		if (steps > r->steps_max)
			return ts_drive_fault(r, TS_ENDLESS, &r->seats[0]);
	}
	return true;
}

#endif
