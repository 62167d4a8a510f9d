/* Computed: the k iterations done so far, exactly, as words that can be kept in a state. Where
 * coverage.h follows one run of any size, this is made to be copied, compared and hashed. */
#ifndef TS_COMPUTED_H
#define TS_COMPUTED_H

#include "policies/rules.h"
#include "verify/finding.h"

/* One bit a k iteration, then two bits a tile: has an owner, has two. The order in which items are
 * added leaves no trace. */
struct ts_computed {
	const struct ts_plan *plan;
	const struct ts_rules *rules; /* NULL: the registered policies */
	uint32_t units; /* k iterations of a tile; 1, its output's writing, where there are none */
	uint32_t tiles;
	uint64_t words; /* uint32_t that it takes */
};

struct ts_computed ts_computed_make(const struct ts_plan *plan, const struct ts_rules *rules);

/* Adds item `s`. Returns the faults, one bit each, and of the first one a finding. */
uint32_t ts_computed_item(const struct ts_computed *c, uint32_t *words, uint32_t worker,
	const struct ts_step *s, struct ts_finding *ret_finding);

/* When nobody is left: is something missing, or not owned by one? `counters` tells starvation from
 * other reasons. True if all is well, else `ret_finding`. */
bool ts_computed_verdict(const struct ts_computed *c, const uint32_t *words,
	const uint32_t *counters, struct ts_finding *ret_finding);

#endif
