/* Chunks: a GEMM beside a collective, on one of several ranks (GPUs).
 *
 * The rows of M are cut into `ranks` shards of equal length, each into chunks, the last of which
 * may be short or empty. An all-gather brings the rows of A: this rank's shard is there from the
 * start, those of the ranks after it arrive one after the other, and an item waits for all chunks
 * that it reads. A reduce-scatter takes the rows of C away: a chunk may leave when all items that
 * write to it are done, that of the next rank first and this rank's own last. Tiles need not divide
 * shards: an item can belong to several chunks.
 *
 * Which policy deals the items, and in what order, is free. With TS_ROWS_RANK the rows of clusters
 * are turned round so that they come in the order of the chunks (Flux; Triton-distributed; QuACK,
 * for tiles that divide the shards). */
#ifndef TS_CHUNK_H
#define TS_CHUNK_H

#include "shape.h"

enum ts_collective { TS_ALONE, TS_ALL_GATHER, TS_REDUCE_SCATTER, TS_COLLECTIVES };

static inline const char *ts_collective_name(enum ts_collective collective)
{
	switch (collective) {
	case TS_ALONE: return "none";
	case TS_ALL_GATHER: return "all-gather";
	case TS_REDUCE_SCATTER: return "reduce-scatter";
	case TS_COLLECTIVES: break;
	}
	return 0;
}

/* Chunks [first, after). */
struct ts_chunks {
	uint32_t first, after;
};

/* The chunks that the rows of an item at tile row `m` < plan.rows belong to: of an all-gather those
 * that must be there before it begins, of a reduce-scatter those of which it is a part. */
static inline TS_HD struct ts_chunks ts_chunks_of(const struct ts_plan *p, uint32_t m)
{
	uint64_t end = ((uint64_t)m + p->cluster_m) * p->block_m;
	struct ts_chunks c;

	end = end < p->m ? end : p->m;
	c.first = ts_quotient(m * p->block_m, p->chunk_rows);
	c.after = ts_quotient((uint32_t)end - 1, p->chunk_rows) + 1;
	return c;
}

/* The first row of chunk `chunk`, of all chunks after the last row M. */
static inline TS_HD uint32_t ts_chunk_begin(const struct ts_plan *p, uint32_t chunk)
{
	uint64_t begin = (uint64_t)chunk * p->chunk_rows.by;

	return begin < p->m ? (uint32_t)begin : p->m;
}

/* The items that have rows of the chunk: what a counter of finished ones must reach. */
static inline TS_HD uint32_t ts_chunk_items(const struct ts_plan *p, uint32_t chunk)
{
	uint64_t item_m = (uint64_t)p->block_m * p->cluster_m;
	uint32_t begin = ts_chunk_begin(p, chunk);
	uint32_t end = ts_chunk_begin(p, chunk + 1);

	if (begin == end)
		return 0;
	return (uint32_t)((end - 1) / item_m - begin / item_m + 1) * p->cluster_cols;
}

/* Which chunk arrives, or leaves, as number `turn` < plan.chunks. */
static inline TS_HD uint32_t ts_chunk_at(const struct ts_plan *p, uint32_t turn)
{
	uint32_t after = p->rank + (p->collective == TS_REDUCE_SCATTER ? 1 : 0);
	uint32_t shard = (turn / p->rank_chunks + after) % p->ranks;

	return shard * p->rank_chunks + turn % p->rank_chunks;
}

/* Host only. Sets what the functions above and ts_row_at() need. A row of clusters that lies in two
 * shards comes when the later one does of an all-gather, and of a reduce-scatter when the earlier
 * one needs it. */
static inline void ts_plan_chunks(struct ts_plan *p, enum ts_collective collective, uint32_t ranks,
	uint32_t rank, uint32_t rank_chunks)
{
	uint64_t item_m = (uint64_t)p->block_m * p->cluster_m;
	uint64_t first;

	p->collective = collective;
	p->ranks = ranks;
	p->rank = rank;
	p->rank_chunks = rank_chunks;
	p->chunks = ranks * rank_chunks;
	p->chunk_rows = ts_divisor_make(p->m > 0 ? (p->m - 1) / p->chunks + 1 : 1);
	first = ts_chunk_begin(p, ts_chunk_at(p, 0));
	if (first == p->m) /* an empty shard, as are those after it: rank 0's is next */
		first = 0;
	if (collective == TS_ALL_GATHER)
		first += item_m - 1;
	p->row_shift = (uint32_t)(first / item_m);
	if (p->row_shift >= p->cluster_rows)
		p->row_shift = 0;
}

#endif
