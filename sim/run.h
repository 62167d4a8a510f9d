/* A run: one request simulated on a device and verified on the way. */
#ifndef TS_RUN_H
#define TS_RUN_H

#include "sim/collective.h"
#include "sim/settings.h"
#include "sim/summary.h"
#include "verify/coverage.h"

struct ts_run {
	struct ts_spec spec;
	struct ts_plan plan;
	struct ts_group_room room; /* that the plan points to */
	struct ts_device *device;
	enum ts_dtype dtype;
	struct ts_scenario scenario;
	struct ts_machine machine;
	struct ts_cost cost;
	struct ts_exchange exchange; /* of a collective; all zero without one */
	struct ts_caches *caches;    /* NULL where memory is a roofline */
	struct ts_summary summary;
	struct ts_coverage coverage;
	struct ts_hand *hands; /* by place, where there are partial sums */
	char *note;            /* the command, for a policy file that traps */
	bool shows_progress;   /* on a terminal; to be set before it is simulated */
	bool sound;            /* else coverage.finding says why not */
};

/* Makes plan, machine and cost for `spec`, whose `workers` of 0 become what is resident. */
bool ts_run_init(struct ts_run *r, const struct ts_settings *settings, const struct ts_spec *spec,
	GError **error);
void ts_run_finish(struct ts_run *r);

/* False and a refusal of what could take so long that sums of picoseconds would not fit 64 bits. */
bool ts_run_fits(const struct ts_run *r, GError **error);

/* Simulates; `extra` is told of items and claims too, and may be NULL. Call it once. False and a
 * refusal for settings that make no sense; an unsound schedule is no error but r->sound. */
bool ts_run_simulate(struct ts_run *r, const struct ts_settings *settings,
	const struct ts_sink *extra, GError **error);

/* Picoseconds until all is done: the kernel, and a collective beside it. */
uint64_t ts_run_end(const struct ts_run *r);

#endif
