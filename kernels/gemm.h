/* The GEMM on a device: memory, random inputs and launches of one problem after another, by one of
 * several kernels. */
#ifndef TS_GEMM_H
#define TS_GEMM_H

#include "kernels/backend.h"
#include "kernels/gemm_args.h"
#include "kernels/leave.h"
#include "kernels/mma_args.h"

/* How the matrices are stored: rows of A, B and C are `gap` elements further apart than they are
 * long. */
struct ts_gemm_form {
	enum ts_mma_type type;
	enum ts_mma_layout layout; /* of B */
	uint32_t gap;
};

/* A matrix with contiguous rows, from that word of memory on. */
struct ts_gemm_matrix {
	uint64_t at, ld;
	uint32_t rows, cols;
};

/* Where the parts of a problem's memory begin, in words of 32 bits. Between them are guards. */
struct ts_gemm_layout {
	struct ts_gemm_matrix a, b, c; /* of all groups, one behind the other */
	struct ts_gemm_matrix wide_a, wide_b,
		wide_c; /* copies for a kernel; at 0 where there are none */
	uint64_t counters, flags, fault, workspace, log;
	uint64_t table;     /* of a plan with groups */
	uint64_t reference; /* in fp32 */
	uint64_t words;
	uint32_t counter_words; /* from one counter to the next */
};

enum { TS_GEMM_GUARD = 64 };

/* Two NaN: an element that was not written is never taken for a result. */
static const uint32_t TS_GEMM_POISON = 0x7fc07fc0;

/* One group of a plan: its rows of A and C, the first of them, and the first row of its B. */
struct ts_gemm_group {
	uint32_t g, rows;
	uint64_t row, row_b;
};

struct ts_gemm_kind;

enum { TS_GEMM_KERNELS = 20 };

struct ts_gemm {
	struct ts_backend gpu;
	const struct ts_gemm_kind *kind;
	struct ts_gemm_form form;
	const char *instructions; /* that the CPU acts as */
	bool hardware_domain;     /* a worker's domain is its XCD's number, not its own */
	struct ts_leave leave;    /* for launches in which workers may be asked to leave */
	bool recording;           /* launches write down what they do, where the kernel can */
	void *kernels[TS_GEMM_KERNELS], *random, *restride, *reference, *clock;
	uint64_t clocks; /* room for what `clock` writes, once launches were timed */
	uint64_t memory, memory_words;
	struct ts_gemm_layout layout; /* of the problem that is there */
	bool drawn;                   /* its A and B are, from that seed */
	uint64_t seed;
};

/* A family of kernels, behind --kernel. */
struct ts_gemm_kind {
	const char *name, *program;
	/* With kernels for plans that are not plain, and for some of those that are; NULL: none. */
	const char *groups_program, *static_program, *split_program;
	const char *blocks, *clusters; /* that it has, in words: "64x64x32 and ..." */
	/* Where none are given: blocks for one plan and for a comparison, and clusters for that. */
	const char *default_blocks[2], *default_clusters;
	/* Rows of the matrices begin at multiples of so many elements, or are copied; counters are
	 * so many words apart. */
	uint32_t align, counter_words;
	bool records;         /* what is done */
	bool hardware_domain; /* can be that of a worker */
	bool flags;           /* for parts of items, beside the plan's counters */
	/* Finds the kernels for g->form. */
	bool (*find)(struct ts_gemm *g, GError **error);
	bool (*has_block)(int64_t block_m, int64_t block_n, int64_t block_k);
	bool (*has_cluster)(int64_t cluster_m, int64_t cluster_n);
	void *(*kernel)(const struct ts_gemm *g, uint32_t block_m, uint32_t block_n, bool plain);
	/* The shape of a launch of `count` workers. */
	struct ts_backend_grid (*grid)(const struct ts_gemm *g, uint32_t count, uint32_t block_n,
		uint32_t cluster_m, uint32_t cluster_n);
	bool (*multiply)(struct ts_gemm *g, const struct ts_plan *plan, GError **error);
};

extern const struct ts_gemm_kind ts_gemm_sm90, ts_gemm_mma;

/* Opens a device of that backend, or the first there is where `ops` is NULL, with the kernels of
 * `kind`; where that is NULL with those of sm90 if it has them, else of mma.
 * `form` is kept. `instructions` names those that the CPU acts as; NULL: sm80. */
bool ts_gemm_open(struct ts_gemm *g, const struct ts_backend_ops *ops,
	const struct ts_gemm_kind *kind, const struct ts_gemm_form *form, const char *instructions,
	GError **error);
void ts_gemm_close(struct ts_gemm *g);

/* From now on for matrices of another form; and, where they are not NULL, by other instructions of
 * the CPU. */
bool ts_gemm_change(struct ts_gemm *g, const struct ts_gemm_form *form, const char *instructions,
	GError **error);

/* Workers of a kernel for plans that are `plain` or not, clusters or CTAs, that are resident at
 * once; 0 where there is no room. */
uint32_t ts_gemm_residency(const struct ts_gemm *g, bool plain, uint32_t block_m, uint32_t block_n,
	uint32_t cluster_m, uint32_t cluster_n);

/* Rows of A and C that all groups of the plan take, and of these those that are computed. */
uint64_t ts_gemm_rows(const struct ts_plan *plan);
uint64_t ts_gemm_used_rows(const struct ts_plan *plan);

/* Group `index` < plan.groups. A plain plan is one. */
struct ts_gemm_group ts_gemm_group(
	const struct ts_gemm *g, const struct ts_plan *plan, uint32_t index);

/* Words of memory that the plan needs. */
uint64_t ts_gemm_words(const struct ts_gemm *g, const struct ts_plan *plan);

/* Makes memory, all of it poisoned, and draws A and B. The rows of all groups, and those of all B,
 * are from 1 to 2^30, and so is N; K is from 0, and the same for all groups as N is; a kernel that
 * copies its operands wants K from 1. */
bool ts_gemm_prepare(struct ts_gemm *g, const struct ts_plan *plan, uint64_t seed, GError **error);

/* The same for a plan that is only timed: A and B aren't drawn again where the problem before had
 * the same, at the same place, even if its launches wrote where they should not. */
bool ts_gemm_prepare_again(
	struct ts_gemm *g, const struct ts_plan *plan, uint64_t seed, GError **error);

/* How many words stand for a counter of a plan with a workspace; none where it has none. */
uint64_t ts_gemm_flags(const struct ts_plan *plan);

/* How many floats the plan's workspace has. Owners have a slot too where all of a tile's workers
 * can add its parts. */
uint64_t ts_gemm_sums(const struct ts_gemm *g, const struct ts_plan *plan);

/* Zeroes the counters and launches; `events` are two that enclose it, or NULL. Doesn't wait. */
bool ts_gemm_start(
	struct ts_gemm *g, const struct ts_plan *plan, void *const *events, GError **error);

/* Computes the reference product by another kernel, in float64, and waits. */
bool ts_gemm_refer(struct ts_gemm *g, const struct ts_plan *plan, GError **error);

/* Fetches `words` words from word `from` on, when all launches are done. Free with g_free(). NULL
 * and an error. */
void *ts_gemm_fetch(struct ts_gemm *g, uint64_t from, uint64_t words, GError **error);

/* What the last launch wrote down, with the counters as they are now. Free ret_log->words. False
 * and an error. */
bool ts_gemm_log(struct ts_gemm *g, const struct ts_plan *plan, struct ts_probe_log *ret_log,
	GError **error);

/* The address of a word of that memory. */
uint64_t ts_gemm_at(const struct ts_gemm *g, uint64_t word);

#endif
