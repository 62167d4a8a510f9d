/* A collective beside the GEMM, over a link of fixed rate: when the rows of A are there, and when
 * those of C have left. */
#ifndef TS_COLLECTIVE_H
#define TS_COLLECTIVE_H

#include "sim/engine.h"

struct ts_exchange {
	const struct ts_plan *plan;
	double ps_per_row;   /* of A or C, on the link */
	uint64_t *row_ready; /* all-gather; by row of clusters, ps: all its chunks are there */
	uint32_t *left;      /* reduce-scatter; by chunk: items that are still to be done */
	double link_free;    /* ps: when the last chunk that was sent has left */
	uint64_t received, sent, waited; /* rows, rows, and ps of all items */
	double arrived;                  /* ps: when the last chunk is there */
};

/* `bytes` of an element of A and C; `gbps` of the link in one direction, > 0. */
void ts_exchange_init(
	struct ts_exchange *x, const struct ts_plan *plan, uint32_t bytes, double gbps);
void ts_exchange_finish(struct ts_exchange *x);

/* Notes what is done, and sends the chunks that are complete, one after the other. */
struct ts_sink ts_exchange_sink(struct ts_exchange *x);

/* Time of the run together with the collective, where the kernel alone takes `makespan`, in ps. */
uint64_t ts_exchange_end(const struct ts_exchange *x, uint64_t makespan);

#endif
