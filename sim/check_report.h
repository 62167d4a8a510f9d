/* What `tilesim check` prints: the verdict on a trace, and how its work was balanced. */
#ifndef TS_CHECK_REPORT_H
#define TS_CHECK_REPORT_H

#include "sim/report.h"
#include "verify/ledger.h"

/* All that a check has found out. */
struct ts_check {
	const struct ts_trace *trace;
	const struct ts_ledger *ledger;
	const char *against; /* the plan in words and what was compared with it, or NULL */
	const char *command;
	/* How many there are whether they have items or not; 0 where not known. */
	uint32_t workers, units, xcds;
};

/* Text or JSON. Free with g_free(). */
char *ts_check_report(const struct ts_check *c, enum ts_format format);

#endif
