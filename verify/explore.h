/* Exploration: every order in which the claims, waits and signals of a plan's workers can take
 * effect, and every point at which a worker may be missing, for plans small enough. Unlike a walk
 * it is a proof: what it finds sound has no unsound schedule.
 *
 * A state is what all workers are, what all counters hold and what has been computed; states are
 * kept exactly, and each is looked at once, those that few moves lead to first, so that the
 * schedule of the first fault is short.
 *
 * Two reductions leave out orders that cannot differ from those tried. Steps that nobody else
 * notices (work, stop) are carried out at once. And where some workers' next steps use counters
 * that no other worker will ever use, the others may as well wait (persistent sets: Godefroid,
 * "Partial-Order Methods for the Verification of Concurrent Systems", LNCS 1032). Neither loses a
 * final state or a fault. Both take for granted that a worker's own loop ends or changes a counter,
 * which is checked on the way. */
#ifndef TS_EXPLORE_H
#define TS_EXPLORE_H

#include "verify/finding.h"
#include "verify/schedule.h"

struct ts_explore {
	const struct ts_rules *rules; /* NULL: the registered policies */
	uint32_t resident;        /* workers that can be there at once; 0: all. Others enter, lowest
				     id first, as these leave */
	const uint32_t *counters; /* what they hold at first; NULL: 0 each */
	bool release; /* workers leave between items, as far as the policy promises to survive it */
	bool late;    /* they start in any order, and never, as far as it promises that */
	bool brute;   /* every step by itself, in every order: for tests of the reductions */
	bool go_on;   /* after the first fault, to find the others */
	uint64_t states_max; /* 0: as many as memory allows */
};

enum ts_limit {
	TS_LIMIT_NONE,   /* explored to the end, or to the first fault */
	TS_LIMIT_STATES, /* more states than allowed */
	TS_LIMIT_LOWERED /* a signal lowers a counter: an endless loop would go unseen */
};

struct ts_explored {
	uint64_t states, moves, ends; /* ends: states in which nobody can move */
	uint64_t depth;               /* every order of up to this many moves was tried */
	enum ts_limit limit;
	uint32_t faults;           /* one bit for each enum ts_fault that was met */
	struct ts_finding finding; /* the first */
	GArray *schedule;          /* struct ts_event: to that one */
	bool shortest;             /* none with fewer moves leads to a fault */
	GArray *blocked;           /* struct ts_blocked: who waits there, if it is a deadlock */
	/* GBytes: what is computed, and which faults were met, at an end. */
	GHashTable *outcomes;
};

/* Is a state of this plan small enough at all? */
bool ts_explore_fits(const struct ts_plan *plan);

/* True if nothing was found; exact if also ret->limit is TS_LIMIT_NONE. The plan must fit. Free
 * with ts_explored_finish(), whatever was found. */
bool ts_explore_run(
	const struct ts_explore *how, const struct ts_plan *plan, struct ts_explored *ret);
void ts_explored_finish(struct ts_explored *e);

#endif
