/* What the GEMM kernels take, for them and for their host: C[m,n] = A[m,k] B in bf16 or fp16, sums
 * in fp32, by any plan but one of launches; items may be cut along k. B is [n,k] or [k,n]. Of
 * groups, A and C have the rows of all of them, where ts_group_row() says, and B is [g,n,k] or
 * [g,k,n]. Maps know nothing of groups, but for that of the latter, which has three dimensions: K
 * ends within a group there, and what comes after must be zero. */
#ifndef TS_GEMM_ARGS_H
#define TS_GEMM_ARGS_H

#include "kernels/group_table.h"
#include "kernels/leave.h"

enum {
	TS_GEMM_BLOCK_K = 64,
	TS_GEMM_THREADS = 384,
	TS_GEMM_HALVES = 2,  /* of a tile at most, each with a warpgroup that multiplies */
	TS_GEMM_FLAG = 2,    /* words of a flag, of which the second counts parts */
	TS_GEMM_SHARES = 32, /* bits of the first of them */
	TS_GEMM_BOX = 64,    /* rows and columns of the copy engine's boxes of C; columns of all */
	TS_GEMM_RANKS = 8    /* CTAs in a cluster at most */
};

/* A two-dimensional array for the copy engine, as the driver encodes it. */
struct ts_gemm_map {
	uint64_t words[16];
} __attribute__((aligned(64)));

struct ts_gemm_args {
	struct ts_gemm_map a, b, c;
	struct ts_plan plan;
	const struct ts_plan *table; /* of a plan that is not plain, see group_table.h */
	/* C, or its copy, where the copy engine would write rows of the next group. */
	uint16_t *c_rows;
	uint64_t ldc;
	uint32_t *counters;
	/* Of a plan with a workspace: its slots, and for each counter, rank and half of the tile a
	 * flag. */
	float *workspace;
	uint32_t *flags;
	uint32_t *fault; /* enum ts_gemm_fault of the last worker that met one */
	/* From one group's B to the next: rows of [g,n,k], 1 in the third dimension of [g,k,n]. */
	uint32_t group_b;
	struct ts_leave leave;
};

/* Does it go over one rectangle in rows or panels? */
static inline TS_HD bool ts_gemm_in_panels(const struct ts_plan *p)
{
	return p->plain && p->remap == TS_REMAP_NONE && p->order <= TS_SNAKE_N;
}

/* Is it a plan of whole tiles by a static stride, in rows or panels? There are kernels that know no
 * others, nor workers that are asked to leave. */
static inline TS_HD bool ts_gemm_is_static(const struct ts_plan *p)
{
	return ts_gemm_in_panels(p) &&
		(p->policy == TS_DATA_PARALLEL || p->policy == TS_PERSISTENT);
}

/* Is it a plan of split-k of which all workers are on the device's SMs at once, in rows or panels?
 * Larger clusters than pairs leave some SMs out. There are kernels for those in which all workers
 * of a tile add its parts, each a share. Its flags have a bit for each part. */
static inline TS_HD bool ts_gemm_is_shared(const struct ts_plan *p, uint32_t units)
{
	return ts_gemm_in_panels(p) && p->policy == TS_SPLIT_K && p->splits.by > 1 &&
		p->splits.by <= TS_GEMM_SHARES && p->cluster_m * p->cluster_n <= 2 &&
		(uint64_t)p->workers * p->cluster_m * p->cluster_n <= units;
}

/* Why a worker left before its policy let it. */
enum ts_gemm_fault {
	TS_GEMM_NO_FAULT,
	TS_GEMM_NO_COUNTER, /* a claim of a counter that the plan has not */
	TS_GEMM_PARTIAL     /* steps between workers that are not those of fix_up.h */
};

/* Bytes of dynamic shared memory, of which a kernel needs less. */
enum { TS_GEMM_SHARED = 226 * 1024 };

#endif
