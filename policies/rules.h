/* The two functions of a policy that drivers call, as values: so that the simulator, the verifier
 * and their tests drive the built-in policies, a user's, and deliberately broken ones alike. */
#ifndef TS_RULES_H
#define TS_RULES_H

#include "all.h"

/* Where a driver takes a pointer to these, NULL means the registered policies. */
struct ts_rules {
	struct ts_step (*next)(const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
	struct ts_tile (*cta_tile)(const struct ts_plan *p, const struct ts_step *s, uint32_t rank);
};

#endif
