/* The wait-for graph of workers that are all blocked: why a deadlock is one.
 *
 * Edges go from a worker that waits for a counter to each worker that could still raise it, and
 * from a worker that has no place yet to each that holds one. Who could raise a counter follows
 * from each worker's own steps: it is run ahead on a copy, alone, with every wait granted. Then
 * either some wait stays unmet even so, or the graph has a cycle (Holt, "Some Deadlock Properties
 * of Computer Systems", ACM Computing Surveys 4(3), 1972). */
#ifndef TS_WAIT_GRAPH_H
#define TS_WAIT_GRAPH_H

#include "verify/finding.h"

enum ts_presence {
	TS_IS_OUTSIDE, /* has not entered */
	TS_IS_WAITING, /* is resident, and blocked */
	TS_HAS_LEFT,   /* has stopped */
	TS_IS_GONE     /* was released, or never runs */
};

struct ts_waiter {
	enum ts_presence presence;
	struct ts_worker worker; /* as it goes on: where TS_IS_WAITING, past the wait */
	uint32_t counter,
		value;  /* of TS_IS_WAITING: goes on when the counter is at least `value` */
	uint32_t queue; /* of dispatch: one outside takes the place of one with the same only */
};

struct ts_wait_graph {
	const struct ts_plan *plan;
	const struct ts_rules *rules; /* NULL: the registered policies */
	const uint32_t *counters;     /* plan.counters values, where everybody is blocked */
	struct ts_waiter *waiters;    /* plan.workers, by id; for the caller to fill */
	uint32_t queues;              /* of dispatch; 1 unless the caller says otherwise */

	/* The rest is made by ts_wait_graph_solve(). */
	GArray **raisers; /* struct ts_raiser, by counter; NULL where nobody waits for it */
	uint64_t *own;    /* by worker: what it would add to its own counter */
	bool complete;    /* false if there are too many steps to run everybody ahead */
};

/* Somebody who would raise a counter, and by how much in all. Ascending by worker. */
struct ts_raiser {
	uint32_t worker;
	uint64_t added;
};

/* Everybody is outside, as workers of one queue. `counters` must outlive the graph. */
void ts_wait_graph_init(struct ts_wait_graph *g, const struct ts_plan *plan,
	const struct ts_rules *rules, const uint32_t *counters);
void ts_wait_graph_finish(struct ts_wait_graph *g);

/* Makes `ret_finding` the deadlock that this is: with a wait that nobody would end, else with the
 * shortest cycle. At least one worker must be waiting, for a counter of the plan each. */
void ts_wait_graph_solve(struct ts_wait_graph *g, struct ts_finding *ret_finding);

/* After that: who would raise the counter that `worker` waits for, the nearest to it first: one
 * that waits as well, one outside, one that is gone. False if nobody would. */
bool ts_wait_graph_raiser(const struct ts_wait_graph *g, uint32_t worker, uint32_t *ret_raiser);

#endif
