/* Reports of `tilesim verify`. */
#ifndef TS_VERIFY_REPORT_H
#define TS_VERIFY_REPORT_H

#include "policies/plan.h"
#include "sim/report.h"

/* Sums over all requests. */
struct ts_verified {
	uint64_t plans, starved; /* starved: as the policy says, among the plans */
	uint64_t walks, tiles;
	uint64_t refused[TS_STATUSES];
};

/* A failure as it was found, and the smallest like it. */
struct ts_failure {
	const char *verdict;
	char *found, *found_command;
	char *smallest, *smallest_command;
};

void ts_verified_print(const struct ts_verified *v, enum ts_format format);

/* What was found, before it is shrunk: nothing where all is one JSON object. */
void ts_failure_print_found(const struct ts_failure *f, enum ts_format format);

/* The rest. */
void ts_failure_print_smallest(const struct ts_failure *f, enum ts_format format);

void ts_failure_finish(struct ts_failure *f);

#endif
