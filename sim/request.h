/* Requests in words: why one is refused, what a plan is, and the command that repeats it. */
#ifndef TS_REQUEST_H
#define TS_REQUEST_H

#include "policies/plan.h"
#include "sim/device.h"
#include "sim/groups.h"

/* ts_plan_make(), with a refusal that says what was given. */
bool ts_request_plan(struct ts_plan *ret_plan, const struct ts_spec *spec, GError **error);

/* The same for a policy that need not be registered; NULL for the registered ones. */
bool ts_request_plan_as(struct ts_plan *ret_plan, const struct ts_spec *spec,
	const struct ts_rules *rules, GError **error);

/* Is there memory to check a run of the plan, and for `more` bytes? A refusal where there is none.
 */
bool ts_request_fits(const struct ts_plan *p, uint64_t more, GError **error);

/* Appends the options that give exactly this request, each in front with a space. Lists of groups
 * are called by their names in `lists`, which may be NULL. */
void ts_request_options(const struct ts_spec *spec, const GPtrArray *lists, GString *out);

/* "worksteal steal, order grouped-m of width 16, ..." in one line. Free with g_free(). */
char *ts_request_plan_text(const struct ts_plan *p);

/* Bytes of the workspace for partial sums; UINT64_MAX where they are more. */
uint64_t ts_request_workspace(const struct ts_plan *p);

/* "persistent, row, chiplet, 128x256x64": what distinguishes one schedule from another, whatever
 * the sizes. Free with g_free(). */
char *ts_request_schedule_text(const struct ts_spec *spec);

/* "worksteal steal": policy and, if it has one, mode. Free with g_free(). */
char *ts_request_policy_text(const struct ts_spec *spec);

#endif
