/* Locals: what one worker can be between two of its steps. A policy is a pure function, so a local
 * is asked once what comes next, and from then on is only a number in the states of an exploration.
 */
#ifndef TS_LOCAL_H
#define TS_LOCAL_H

#include <glib.h>

#include "policies/rules.h"

/* Numbers that are no local: a worker that is not there. */
enum ts_absent {
	TS_QUEUED,   /* has not entered */
	TS_FINISHED, /* has stopped by itself */
	TS_MISSED,   /* was released, or never starts */
	TS_LOCALS_FROM
};

enum ts_local_flags {
	TS_STARTED = 1, /* has made a step; only kept where ts_locals.keep_started */
	TS_ASKED = 2    /* waits, and so can be released no more */
};

/* Two locals with the same next step, after which they are the same, are one: an answer that no
 * longer matters leaves no trace. */
struct ts_local {
	struct ts_step step;    /* what it does next */
	struct ts_worker after; /* what it is after that */
	bool between;           /* two items: it has claimed nothing that is not yet worked on */
	uint32_t flags;         /* enum ts_local_flags */
	/* What it came from; 0 unless such locals are kept apart. */
	struct ts_worker worker;
	uint32_t answer;

	/* The rest follows from that. */
	uint64_t touches; /* bit c % 64: may still use counter c; all bits while unknown */
	uint32_t *then;   /* numbers of what follows, by answer; 0 while unknown */
	uint32_t then_made;
};

struct ts_locals {
	const struct ts_plan *plan;
	struct ts_step (*next)(const struct ts_plan *, struct ts_worker *, uint32_t);
	bool keep_started; /* TS_STARTED */
	bool keep_apart;   /* locals that came about differently */
	GPtrArray *all;    /* struct ts_local, by number */
	GHashTable *numbers;
	bool closed;  /* touches are known */
	bool escaped; /* but then one went on to use a counter that was not foreseen */
};

void ts_locals_init(struct ts_locals *l, const struct ts_plan *plan, const struct ts_rules *rules);
void ts_locals_finish(struct ts_locals *l);

static inline struct ts_local *ts_locals_at(const struct ts_locals *l, uint32_t number)
{
	return g_ptr_array_index(l->all, number);
}

/* The number of worker `id` as it enters. */
uint32_t ts_locals_enter(struct ts_locals *l, uint32_t id);

/* The number of what local `number` becomes by its step. `answer` counts only where that is a
 * claim. */
uint32_t ts_locals_then(struct ts_locals *l, uint32_t number, uint32_t answer);

/* The number of local `number` once it waits. */
uint32_t ts_locals_ask(struct ts_locals *l, uint32_t number);

/* Finds everything that workers can become with answers up to `answer_max`, and with it the
 * counters that each local may still use. Gives up, and leaves them unknown, if that is too much.
 */
void ts_locals_close(struct ts_locals *l, uint32_t answer_max);

/* Bit of a counter in touches; 0 for one that the plan does not have. */
static inline uint64_t ts_counter_bit(const struct ts_plan *p, uint32_t counter)
{
	return counter < p->counters ? (uint64_t)1 << counter % 64 : 0;
}

/* Bit of the counter that the step uses; 0 if it uses none. */
uint64_t ts_step_touches(const struct ts_plan *p, const struct ts_step *s);

#endif
