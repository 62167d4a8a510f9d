/* What policies and maps guarantee: not what somebody wrote of them, but what they do and promise.
 */
#ifndef TS_GUARANTEES_H
#define TS_GUARANTEES_H

#include "policies/all.h"

/* In words; NULL where the policy makes no plan in that mode. */
struct ts_guarantees {
	const char *placement; /* static or dynamic */
	const char *sums;      /* whether the order of additions is fixed */
	char *counters;        /* how many; free with g_free() */
	const char *waits;
	const char *promise; /* which workers may be missing, as the verifier is told */
};

struct ts_guarantees ts_guarantees(enum ts_policy_id id, enum ts_mode mode);

/* Tries the order and the remap on every small grid, with some widths, chunks and XCDs. */
const char *ts_guarantee_of_map(enum ts_order order, enum ts_remap remap);

#endif
