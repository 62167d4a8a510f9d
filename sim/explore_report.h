/* Reports of explorations. */
#ifndef TS_EXPLORE_REPORT_H
#define TS_EXPLORE_REPORT_H

#include <json-glib/json-glib.h>

#include "policies/plan.h"
#include "sim/groups.h"
#include "verify/explore.h"

/* One request and what came of it. */
struct ts_exploration {
	struct ts_spec spec;
	struct ts_plan plan;
	struct ts_group_room room; /* that the plan points to */
	struct ts_explored explored;
	char *command; /* does it again */
};

/* In full, for people. `smallest` is the smallest request found that fails in the same way, NULL
 * where nothing failed. */
void ts_exploration_print(const struct ts_exploration *x, const struct ts_exploration *smallest);

/* One line of many; two where it failed. */
void ts_exploration_print_row(const struct ts_exploration *x);

/* As a JSON object; `smallest` may be NULL in any case. */
void ts_exploration_add(
	JsonBuilder *b, const struct ts_exploration *x, const struct ts_exploration *smallest);

#endif
