/* Records: every item of a run as a line of a file, for people, scripts and trace viewers. */
#ifndef TS_RECORDS_H
#define TS_RECORDS_H

#include "sim/engine.h"
#include "sim/output.h"

struct ts_records {
	const struct ts_plan *plan;
	const struct ts_machine *machine;
	struct ts_output csv, trace; /* either may be closed */
	uint64_t lines;
};

/* Opens what is wanted: a CSV file of items, and a Chrome trace of items and claims (one process
 * per XCD or GPC, one track per CU or SM) that ui.perfetto.dev opens. NULL for none. */
bool ts_records_open(struct ts_records *r, const struct ts_plan *plan,
	const struct ts_machine *machine, const char *csv, const char *trace, GError **error);

/* `data` of the sink is the records. */
struct ts_sink ts_records_sink(struct ts_records *r);

/* Completes the files; on failure, or if `keep` is false, none of them stays. */
bool ts_records_close(struct ts_records *r, bool keep, GError **error);

#endif
