/* Schedules: one order of events, as a list that can be read. */
#ifndef TS_SCHEDULE_H
#define TS_SCHEDULE_H

#include <glib.h>

#include "policies/rules.h"

enum ts_happened {
	TS_ENTERED,
	TS_STEPPED, /* carried out `step` */
	TS_BLOCKED, /* asked for `step`, a wait, and has to */
	TS_RELEASED /* left, or never started, before its next step */
};

struct ts_event {
	enum ts_happened happened;
	uint32_t worker;
	struct ts_step step;
	uint32_t value; /* of the counter, before the step */
};

/* "worker 1 claims from counter 0 and gets 3". Free with g_free(). */
char *ts_event_text(const struct ts_event *e, const struct ts_plan *p);

/* A worker that waits for ever, and one that could end that. */
struct ts_blocked {
	uint32_t worker, counter;
	uint32_t value, has; /* waits for `value`, the counter has `has` */
	enum ts_helper {
		TS_HELPER_NONE,    /* nobody who is left could */
		TS_HELPER_WAITS,   /* waits as well */
		TS_HELPER_OUTSIDE, /* has no place to run */
		TS_HELPER_GONE     /* was released, or never starts */
	} state;
	uint32_t helper;
};

/* One sentence. Free with g_free(). */
char *ts_blocked_text(const struct ts_blocked *b);

#endif
