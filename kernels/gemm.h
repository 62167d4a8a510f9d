/* The GEMM on the GPU: memory, random inputs and launches of one problem after another.
 *
 * The copy engine takes rows that begin at multiples of 16 bytes. Where K is no multiple of 8, A
 * and B are copied with such rows in front of the GEMM, and where N is none, C after it: those
 * copies belong to the launch and to its time. */
#ifndef TS_GEMM_H
#define TS_GEMM_H

#include "kernels/backend.h"
#include "kernels/gemm_args.h"

/* Where the parts of a problem's memory begin, in words of 32 bits. Between them are guards. */
struct ts_gemm_layout {
	uint64_t a, b, c;                    /* as the user has them: rows without gaps */
	uint64_t wide_a, wide_b, wide_c;     /* copies with longer rows; 0 where there are none */
	uint64_t counters, flags, workspace; /* the last in fp32, as is the reference */
	uint64_t fault, reference;
	uint64_t words;
};

enum { TS_GEMM_GUARD = 64 };

/* Two NaN: an element that was not written is never taken for a result. */
static const uint32_t TS_GEMM_POISON = 0x7fc07fc0;

struct ts_gemm {
	struct ts_backend gpu;
	void *wide, *slim, *random, *restride, *reference;
	uint64_t memory, memory_words;
	struct ts_gemm_layout layout; /* of the problem that is there */
};

/* Opens a GPU of that backend, or the first there is where `ops` is NULL. */
bool ts_gemm_open(struct ts_gemm *g, const struct ts_backend_ops *ops, GError **error);
void ts_gemm_close(struct ts_gemm *g);

/* Is there a kernel for such tiles and clusters? Blocks are 128x256x64 and 128x128x64; a cluster
 * has 1, 2 or 4 CTAs along each axis and 8 at most. */
bool ts_gemm_has_block(int64_t block_m, int64_t block_n, int64_t block_k);
bool ts_gemm_has_cluster(int64_t cluster_m, int64_t cluster_n);

/* Clusters of the plan's kernel that are resident at once; 0 where there is no room. */
uint32_t ts_gemm_residency(
	const struct ts_gemm *g, uint32_t block_n, uint32_t cluster_m, uint32_t cluster_n);

/* Words of memory that the plan needs. */
uint64_t ts_gemm_words(const struct ts_plan *plan);

/* Makes memory, all of it poisoned, and draws A and B. M, N and K are from 1 to 2^30. */
bool ts_gemm_prepare(struct ts_gemm *g, const struct ts_plan *plan, uint64_t seed, GError **error);

/* How many words stand for a counter of a plan with a workspace; none where it has none. */
uint64_t ts_gemm_flags(const struct ts_plan *plan);

/* Zeroes the counters and launches; `events` are two that enclose it, or NULL. Doesn't wait. */
bool ts_gemm_start(
	struct ts_gemm *g, const struct ts_plan *plan, void *const *events, GError **error);

/* Computes the reference product by another kernel, in float64, and waits. */
bool ts_gemm_refer(struct ts_gemm *g, const struct ts_plan *plan, GError **error);

/* Fetches `words` words from word `from` on, when all launches are done. Free with g_free(). NULL
 * and an error. */
void *ts_gemm_fetch(struct ts_gemm *g, uint64_t from, uint64_t words, GError **error);

/* The address of a word of that memory. */
uint64_t ts_gemm_at(const struct ts_gemm *g, uint64_t word);

#endif
