/* Summary: the figures of one run, from its items and claims. */
#ifndef TS_SUMMARY_H
#define TS_SUMMARY_H

#include "sim/balance.h"
#include "sim/locality.h"

/* Sums over one XCD or GPC, or over one place. Times in ps. */
struct ts_sums {
	uint64_t items, tiles, claims, steals;
	uint64_t busy, claim_time, wait_time;
	uint64_t kept;    /* of these: while another kernel waits for the place */
	uint64_t last;    /* when its last item or claim ended */
	uint32_t workers; /* that did something */
};

struct ts_summary {
	const struct ts_plan *plan;
	const struct ts_machine *machine;
	struct ts_sums *groups, *places;
	uint32_t *present; /* per place: 1 + the worker seen last */
	struct ts_sums all;
	struct ts_locality locality;
	struct ts_balance balance;
	double fixed_ps, padded_ps, fix_up_ps;

	/* Filled by ts_summary_close(). */
	struct ts_outcome outcome;
	double flops;    /* of the problem */
	double capacity; /* ps: the places' time from 0 to the makespan, as far as they are the
			    kernel's */
	/* Fractions of the capacity; they add up to 1. */
	double useful, padding, fixed, claims, quantization, imbalance;
	double fix_up, waits; /* partial sums written and added; waits for them, or for
				chunks of a collective */
	double unmanned; /* places without a worker, where there are fewer workers than places */
};

/* `asked`: workers that the plan was asked for. */
void ts_summary_init(struct ts_summary *s, const struct ts_plan *plan,
	const struct ts_machine *machine, int64_t asked);
void ts_summary_finish(struct ts_summary *s);

/* Takes items and claims; `data` of the sink is the summary. */
struct ts_sink ts_summary_sink(struct ts_summary *s);

void ts_summary_close(struct ts_summary *s, const struct ts_outcome *outcome);

/* Fraction of the capacity in which places compute items: useful, padding and fixed. */
double ts_summary_utilisation(const struct ts_summary *s);

/* TFLOP/s of the problem's own FLOPs; 0 for an empty run. */
double ts_summary_tflops(const struct ts_summary *s);

#endif
