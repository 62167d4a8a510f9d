/* What the portable GEMM takes, for its kernels and their host: C = A B in bf16 or fp16, sums in
 * fp32, by any plan. A[m,k] and C[m,n] are row-major; B is [n,k] or [k,n], row-major too. Of
 * groups, A and C have the rows of all of them, where ts_group_row() says, and B is [g,n,k] or
 * [g,k,n]. */
#ifndef TS_MMA_ARGS_H
#define TS_MMA_ARGS_H

#include "kernels/leave.h"
#include "kernels/probe.h"

enum ts_mma_type { TS_MMA_BF16, TS_MMA_FP16, TS_MMA_TYPES };

/* What the rows of B run along. */
enum ts_mma_layout { TS_MMA_ALONG_K, TS_MMA_ALONG_N, TS_MMA_LAYOUTS };

enum {
	TS_MMA_LARGE = 128, /* BLOCK_M and BLOCK_N of one kernel */
	TS_MMA_SMALL = 64,  /* and of the other */
	TS_MMA_BLOCK_K = 32
};

/* Why a worker left before its policy let it. */
enum ts_mma_fault {
	TS_MMA_NO_FAULT,
	TS_MMA_NO_COUNTER, /* a counter that the plan has not */
	TS_MMA_PARTIAL,    /* part of an item, but no place for its sums, or no steps to add them */
	TS_MMA_STUCK,      /* a counter that nobody signals */
	TS_MMA_NO_RECORD   /* more items or claims than there is room to write down */
};

/* Matrices' elements are 16 bit words; `ld` counts them from one row to the next. */
struct ts_mma_args {
	const uint16_t *a, *b;
	uint16_t *c;
	uint64_t lda, ldb, ldc;
	struct ts_plan plan;
	const struct ts_plan *table; /* of a plan that is not plain, see group_table.h */
	uint32_t *counters;
	uint32_t counter_words;   /* from one counter to the next: each has its cache line */
	uint32_t hardware_domain; /* 1: a worker's domain is its XCD, else its id, modulo domains */
	float *workspace; /* as the plan has it: partial sums, in an order that only kernels know */
	uint32_t *fault;  /* enum ts_mma_fault of the last worker that met one */
	/* What was done, as the probe writes it down; `cursors` is NULL where nobody asks. */
	struct ts_probe_cursors *cursors;
	uint32_t group_room, event_room;
	struct ts_probe_record *records;
	struct ts_probe_event *events;
	struct ts_leave leave;
};

#endif
