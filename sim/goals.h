/* Goals: what is asked of a schedule beside being sound. One table of options; a goal that is
 * missed is told in a sentence with its figures. */
#ifndef TS_GOALS_H
#define TS_GOALS_H

#include "sim/balance.h"
#include "sim/locality.h"

enum ts_goal {
	TS_GOAL_IDLE,
	TS_GOAL_EMPTY,
	TS_GOAL_SPLIT,
	TS_GOAL_PANELS,
	TS_GOAL_A_PANELS,
	TS_GOAL_B_PANELS,
	TS_GOAL_USEFUL, /* from here on those that need simulated time */
	TS_GOALS
};

struct ts_goals {
	char *texts[TS_GOALS]; /* as typed; NULL where not asked for */
	double limits[TS_GOALS];
};

/* What a run had. */
struct ts_measured {
	const struct ts_balance *balance;
	const struct ts_locality *locality;
	double useful; /* fraction of the places' time */
};

/* Adds the options to a parser; those that need time only if `timed`. */
void ts_goals_add(struct ts_goals *g, GOptionContext *context, bool timed);
bool ts_goals_read(struct ts_goals *g, GError **error);
void ts_goals_finish(struct ts_goals *g);

/* Is there any goal? */
bool ts_goals_any(const struct ts_goals *g);

/* What is too large or too small, in two words. */
const char *ts_goal_name(enum ts_goal goal);

/* Whether the goal is missed, and in what way; NULL if it is met or was not asked for. Free with
 * g_free(). */
char *ts_goals_missed(const struct ts_goals *g, enum ts_goal goal, const struct ts_measured *had);

/* Appends the options as they were given, each in front with a space. */
void ts_goals_options(const struct ts_goals *g, GString *out);

#endif
