/* Shrinking: from a request that fails to the smallest one nearby that still fails. */
#ifndef TS_SHRINK_H
#define TS_SHRINK_H

#include "policies/plan.h"

/* Does `spec` fail in the way that is being shrunk? Must be a pure function of `spec`; requests
 * that ts_plan_make() refuses do not fail. */
typedef bool ts_fails_fn(void *data, const struct ts_spec *spec);

/* Makes the numbers of `spec` smaller one by one, as long as it still fails, until none can shrink.
 * Lists of groups become copies, which lose groups and rows; free them with ts_shrink_free(). */
void ts_shrink(struct ts_spec *spec, ts_fails_fn *fails, void *data);

void ts_shrink_free(struct ts_spec *spec);

#endif
