/* Shared memory of the GEMM for Hopper, and where a CTA stands in its cluster. */
#ifndef TS_SM90_ROOM_H
#define TS_SM90_ROOM_H

#include "kernels/gemm_args.h"
#include "kernels/ptx.h"
#include "policies/pipeline.h"

enum { BLOCK_K = TS_GEMM_BLOCK_K, BOX = TS_GEMM_BOX };

/* Registers of a thread in the warpgroup with the loader and the scheduler, and in one that
 * multiplies. A policy with groups takes more. */
#if defined(TS_GROUPS)
enum { FEWER = 72, MORE = 216 };
#else
enum { FEWER = 56, MORE = 224 };
#endif

/* Items in the scheduler's ring: roles can be one item apart. Of two items that were taken and one
 * that was handed on the counter may not have been read yet. */
enum { ITEMS = 2, METS = 4 };

/* The counter of an item whose steps went wrong: it is neither signalled nor waited for. */
static const uint32_t NOBODY = UINT32_MAX;

/* An item as it is handed on; k_end 0 means that there is none and that the roles leave. Of an item
 * whose k iterations are cut, with what follows in policies/fix_up.h: whether to signal its
 * counter, or to wait for it and to add `parts`. Which counter is handed on later, since it takes
 * the policy's next steps. */
struct alignas(16) handed {
	uint32_t m, n, k_begin, k_end;
	uint32_t slot, parts, owns, lacks;
#if defined(TS_GROUPS)
	/* Of the item's group: how many rows it has in A and C, and the first of them, and where
	 * its B begins in its map. 16 bytes are handed on at a time. */
	uint32_t rows, row, row_b, spare;
#endif
};

/* Steps that the scheduler still expects after it. */
enum { LACKS_NOTHING, LACKS_COUNTER, LACKS_FIX_UP };

enum { WORDS = sizeof(struct handed) / sizeof(uint32_t) };

#if defined(TS_GROUPS)

TS_GPU void find_group(const struct ts_gemm_args *a, uint32_t g, struct handed *h)
{
	const struct ts_plan *p = ts_group_table_plan(&a->plan, a->table);

	h->rows = ts_grid(p, g)->m;
	h->row = (uint32_t)ts_group_row(p, g);
	h->row_b = g * a->group_b;
}

TS_GPU uint32_t group_rows(const struct ts_gemm_args *a, const struct handed *h)
{
	(void)a;
	return h->rows;
}

TS_GPU uint32_t group_row(const struct handed *h)
{
	return h->row;
}

TS_GPU uint32_t group_row_b(const struct handed *h)
{
	return h->row_b;
}

#else

TS_GPU void find_group(const struct ts_gemm_args *a, uint32_t g, struct handed *h)
{
	(void)a;
	(void)g;
	(void)h;
}

TS_GPU uint32_t group_rows(const struct ts_gemm_args *a, const struct handed *h)
{
	(void)h;
	return a->plan.m;
}

TS_GPU uint32_t group_row(const struct handed *h)
{
	(void)h;
	return 0;
}

TS_GPU uint32_t group_row_b(const struct handed *h)
{
	(void)h;
	return 0;
}

#endif

/* The shares of a tile that a worker adds: its own, or NOBODY's, and a bit for each other. */
struct shares {
	uint32_t own, left;
};

/* What rows of B run along: K, or N. */
enum layout_b { nk, kn };

/* All shared memory of a CTA. Operands and output boxes are swizzled by the copy engine, which
 * needs 1024 byte alignment. */
template <class TYPE, layout_b LAYOUT, int BLOCK_M, int BLOCK_N, int STAGES, int OUTPUTS>
struct room {
	using type = TYPE;
	enum {
		along_n = LAYOUT == kn,
		block_m = BLOCK_M,
		block_n = BLOCK_N,
		stages = STAGES,
		outputs = OUTPUTS, /* boxes of C in flight for each warpgroup */
		halves = BLOCK_M / BOX,
		boxes = BLOCK_N / BOX,
		/* K iterations before the end of an item's loads at which the next one is asked
		 * for: long enough for the answers of a few atomics, and no longer, since what a
		 * worker has claimed is lost to the others. */
		ahead = 4 * 128 * 256 / (BLOCK_M * BLOCK_N)
	};
	uint16_t a[STAGES][BLOCK_M * BLOCK_K];
	uint16_t b[STAGES][BLOCK_N * BLOCK_K];
	uint16_t c[halves][OUTPUTS][BOX * BOX];
	struct handed items[ITEMS];
	struct alignas(16) {
		uint32_t counter, unused[3];
	} mets[METS];
	uint64_t full[STAGES], empty[STAGES];
	uint64_t item_full[ITEMS], item_empty[ITEMS], met[METS];
	uint64_t wanted; /* the loader wants the next item */
	uint32_t touched[TS_GEMM_THREADS / 32];
	/* Of each half, where all workers of a tile add its parts: see sm90_share.h. */
	struct shares shares[halves];
};

/* Where a CTA stands in its cluster. CTAs in a row of the cluster share A and those in a column
 * share B: each loads so many rows for all of them, of N or, where those of B run along N, of K:
 * whichever tile, that leaves the copy engine whole groups of the 8 rows that it swizzles by. */
struct place {
	uint32_t rank, m, n; /* m + n * cluster_m = rank */
	uint32_t cluster_m, cluster_n;
	uint32_t rows_a, rows_b;
};

template <class ROOM> TS_GPU struct place find_place(const struct ts_plan *p)
{
	struct place at;

	at.rank = gpu_rank();
	at.cluster_m = p->cluster_m;
	at.cluster_n = p->cluster_n;
	at.n = at.rank < p->cluster_m ? 0 : at.rank / p->cluster_m;
	at.m = at.rank - at.n * p->cluster_m;
	/* The sides of a cluster are 1, 2 or 4. */
	at.rows_a = ROOM::block_m >> p->cluster_n / 2;
	at.rows_b = (ROOM::along_n ? (int)BLOCK_K : (int)ROOM::block_n) >> p->cluster_m / 2;
	return at;
}

/* The barriers of the stages. */
template <class ROOM> TS_GPU void set_up_stages(ROOM *r, const struct place *at)
{
	uint32_t writers = at->cluster_m + at->cluster_n - 1;

	for (int i = 0; i < ROOM::stages; i++) {
		ptx_barrier_init(&r->full[i], 1);
		ptx_barrier_init(&r->empty[i], 8 * writers);
	}
}

#endif
