/* Against a plan: are the items of a trace those that a policy gives its workers?
 *
 * Of a policy without claims each worker's list is the policy's, item by item and to its end. Of
 * one with claims the trace must be a possible outcome as far as single workers show it: an item
 * comes from a counter, the worker may claim from that counter at this point of its own list
 * (having left those before it as empty), its items of one counter are in the order of the counter,
 * and a counter that is recorded is the item's. Whether the claims of all workers together can have
 * happened in some order of time is not decided. Only the contract of policies/ is used. */
#ifndef TS_AGAINST_H
#define TS_AGAINST_H

#include "policies/rules.h"
#include "verify/lapse.h"
#include "verify/pages.h"

struct ts_against {
	const struct ts_plan *plan;
	struct ts_rules rules;
	bool claims;
	bool hardware;       /* a worker's domain is what the trace says, not its id % domains */
	uint32_t *positions; /* per first tile of an item: 1 + its place in the row of all counters'
				items; 0: none */
	uint32_t *first;     /* per counter: its first place in that row */
	struct ts_pages seats; /* table: rank */
	struct ts_lapses *lapses;
};

/* `rules` NULL means the registered policies. False, and an error, for a policy of which this can't
 * be checked. ts_against_finish() in either case. */
bool ts_against_init(struct ts_against *a, const struct ts_plan *plan, const struct ts_rules *rules,
	bool hardware, struct ts_lapses *lapses, GError **error);
void ts_against_finish(struct ts_against *a);

/* Compares a line, which ts_ledger_add() has completed. One lapse a worker: after its first it is
 * left alone. */
void ts_against_add(struct ts_against *a, const struct ts_record *record);

/* After the last line: have the workers of a policy without claims done all of their items? */
void ts_against_close(struct ts_against *a);

#endif
