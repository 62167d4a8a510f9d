/* Scenarios: what happens to single CUs or SMs during a run. */
#ifndef TS_SCENARIO_H
#define TS_SCENARIO_H

#include "sim/device.h"

/* What a user asks for. Sets of units are comma separated: xcd3 (or gpc3), cu5, cu5-9 (or sm5-9),
 * any20: the first 20 in the order in which the hardware fills the device. Times are in us. */
struct ts_scenario_spec {
	char *mask;     /* SET: these never run anything */
	char **slow;    /* SET:FACTOR: items take FACTOR times as long, 1 or more */
	char **hold;    /* SET@FROM[:TO]: another kernel has them from FROM until TO, or the end */
	char **release; /* SET@TIME: their workers leave between items from TIME on */
	double jitter_percent; /* an item's time varies by up to this much, either way */
	int64_t seed;          /* of the jitter */
};

/* The same for each unit of a device. */
struct ts_unit {
	bool masked;
	double slow;                 /* 1 for the normal speed */
	uint64_t hold_from, hold_to; /* ps; equal where nothing is held */
	uint64_t release;            /* ps; UINT64_MAX for never */
};

struct ts_scenario {
	struct ts_unit *units; /* device.units of them */
	double jitter;         /* fraction */
	uint64_t seed;
};

/* False and a refusal where `spec` names units that the device lacks, or makes no sense. */
bool ts_scenario_make(struct ts_scenario *ret_scenario, const struct ts_scenario_spec *spec,
	const struct ts_device *device, GError **error);
void ts_scenario_finish(struct ts_scenario *s);

#endif
