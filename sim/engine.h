/* The engine: discrete events in integer picoseconds. It drives every worker of a plan through a
 * policy on the places of a machine, and tells its sinks what happened. Deterministic: events at
 * the same time happen in the order of their places. */
#ifndef TS_ENGINE_H
#define TS_ENGINE_H

#include "policies/rules.h"
#include "sim/cache.h"
#include "sim/cost.h"
#include "sim/machine.h"

/* An item that is done. Everything else that is shown about a run is made of these and of claims.
 */
struct ts_item {
	struct ts_step step;
	struct ts_price price;
	uint32_t worker, place, unit, group, domain;
	uint32_t counter;         /* that the item was claimed from, or UINT32_MAX */
	uint64_t asked, from, to; /* ps; before `from` it waits for rows of A */
};

/* Tiles of the item `s`; 0 where it begins outside its group's grid. */
uint64_t ts_item_tiles(const struct ts_plan *plan, const struct ts_step *s);

/* A claim that has been answered. */
struct ts_claimed {
	uint32_t worker, place, group, domain, counter;
	uint64_t from, to;
};

/* A worker that waits when nothing can happen any more. */
struct ts_stuck {
	struct ts_worker worker;  /* as it would go on */
	struct ts_step step;      /* its wait */
	const uint32_t *counters; /* what all of them hold */
};

/* A wait, a signal or a fix-up that is done, or a worker that stops: how those meet that work on
 * one item. Of a fix-up `price` is what it cost. */
struct ts_met {
	struct ts_step step;
	struct ts_price price;
	uint32_t worker, place, group;
	uint64_t from, to;
};

/* Told of each event in the order of time. A function may be NULL. */
struct ts_sink {
	void *data;
	void (*item)(void *data, const struct ts_item *item);
	void (*claim)(void *data, const struct ts_claimed *claim);
	void (*met)(void *data, const struct ts_met *met);
	void (*stuck)(void *data, const struct ts_stuck *stuck);
};

/* How a run came to its end. */
enum ts_end {
	TS_ALL_LEFT,
	TS_ALL_WAIT,    /* every resident worker waits for a counter, and the sinks know */
	TS_NO_END,      /* a policy went on and on */
	TS_BAD_COUNTER, /* a counter that the plan does not have */
	TS_BAD_STEP     /* an answer that is no step */
};

struct ts_engine {
	const struct ts_plan *plan;
	const struct ts_rules *rules; /* NULL for the registered policies */
	const struct ts_scenario *scenario;
	struct ts_machine *machine; /* fresh from ts_machine_init() */
	const struct ts_cost *cost;
	const uint64_t *row_ready; /* ps, by row of clusters: when it can begin; NULL: at once */
	struct ts_caches *caches;  /* NULL: the cost says all of an item's time when it begins */
	const struct ts_sink *sinks;
	size_t sink_count;
	bool hardware_domain; /* a worker's domain is its group, not its id */
};

struct ts_outcome {
	enum ts_end end;
	uint32_t worker, counter; /* who, and on what, where `end` is bad; the first that waits */
	uint64_t steps;           /* answers of the policy */
	uint64_t makespan;        /* ps, until the last worker leaves */
	uint64_t entered;         /* workers that ran */
};

struct ts_outcome ts_engine_run(const struct ts_engine *engine);

#endif
