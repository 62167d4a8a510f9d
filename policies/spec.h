/* What a user may ask of a schedule, and the reasons for which it is refused. */
#ifndef TS_SPEC_H
#define TS_SPEC_H

#include "chunk.h"
#include "order.h"
#include "remap.h"

/* Largest size, block, width or number of workers. Linear ids are 32 bits wide, and the top bit is
 * kept for sums such as id + workers and for ts_quotient(). */
enum { TS_COUNT_MAX = 0x7fffffff };

/* How `worksteal` workers find their next item; see worksteal.h. */
enum ts_mode { TS_STEAL, TS_SLOTS, TS_GLOBAL, TS_HIERARCHICAL, TS_MODES };

static inline const char *ts_mode_name(enum ts_mode mode)
{
	switch (mode) {
	case TS_STEAL: return "steal";
	case TS_SLOTS: return "slots";
	case TS_GLOBAL: return "global";
	case TS_HIERARCHICAL: return "hierarchical";
	case TS_MODES: break;
	}
	return 0;
}

/* Which items `stream-k` cuts over its workers, of those that its workers would compute in waves:
 * Osama et al., "Stream-K", PPoPP 2023, section 5.2. */
enum ts_hybrid {
	TS_TWO_TILE, /* those of a last, partial wave and of one full wave */
	TS_ONE_TILE, /* those of a last, partial wave */
	TS_BASIC,    /* all */
	TS_HYBRIDS
};

static inline const char *ts_hybrid_name(enum ts_hybrid hybrid)
{
	switch (hybrid) {
	case TS_TWO_TILE: return "two-tile";
	case TS_ONE_TILE: return "one-tile";
	case TS_BASIC: return "basic";
	case TS_HYBRIDS: break;
	}
	return 0;
}

/* What a policy promises to survive: which workers may be missing (masked, or released between
 * items) without an item being lost. */
enum ts_promise {
	TS_NEEDS_ALL,        /* none may be missing */
	TS_NEEDS_EACH_QUEUE, /* each counter of a domain that has items needs one that begins with
				it */
	TS_NEEDS_ANY         /* any one worker is enough */
};

/* Which fields of a request a policy looks at, beside those that all do: a set of bits. */
enum ts_use {
	TS_USES_MODE = 1,
	TS_USES_SLOTS = 2,
	TS_USES_LOCAL = 4,
	TS_USES_SPLITS = 8,
	TS_USES_HYBRID = 16 /* and min_k and k_groups */
};

/* A request for a plan. Signed and wide, so that any number a user can type arrives here as typed.
 */
struct ts_spec {
	uint32_t policy; /* enum ts_policy_id */
	enum ts_mode mode;
	enum ts_order order;
	enum ts_remap remap;
	enum ts_shape_kind shape;
	enum ts_row_order row_order;
	int64_t m, n, k; /* elements; 0 is a valid, empty problem */
	int64_t block_m, block_n, block_k;
	int64_t cluster_m, cluster_n;
	int64_t max_cluster;   /* CTAs in a cluster that the device allows */
	int64_t width;         /* of panels, in clusters; 0: ts_order_default_width() */
	int64_t chunk;         /* of the remap, in ids; 0: ts_plan_remap() says */
	int64_t workers;       /* resident at once; data-parallel launches one per item instead */
	int64_t domains;       /* XCDs */
	int64_t slots;         /* counters per domain */
	int64_t max_counters;  /* counters that the caller has memory for */
	int64_t local_percent; /* of TS_HIERARCHICAL */
	int64_t splits;        /* of split-k: parts of each item's k iterations */
	enum ts_hybrid hybrid; /* of stream-k, and so are these two */
	int64_t min_k;         /* k iterations that a worker has at least of what is cut */
	int64_t k_groups;      /* groups of workers with the same k ranges, at most */

	/* Groups: `batch` copies (batches, heads) of the problem, or of each of the `list_count`
	 * ones (experts, sequences) whose sizes the lists say; a list that is NULL leaves m, n or k
	 * for all. In a masked layout m is what each may have at most. Without lists all is one
	 * problem.
	 */
	int64_t batch;
	int64_t section; /* copies that take turns; 1: one after the other, 0: all of them */
	enum ts_layout layout;
	enum ts_group_order group_order;
	int64_t list_count;
	const int64_t *list_m, *list_n, *list_k;
	/* Memory for `list_count` of each, which the plan then points to. */
	struct ts_turn *turns;
	struct ts_plan *grids;

	/* A collective beside the GEMM: this rank's number, and chunks of each rank's shard. */
	enum ts_collective collective;
	int64_t ranks, rank, rank_chunks;
};

/* Most ranks, most chunks of one, and of all. */
enum { TS_RANKS_MAX = 65536, TS_RANK_CHUNKS_MAX = 4096, TS_CHUNKS_MAX = 1 << 20 };

/* Most problems in a list. */
enum { TS_LIST_MAX = 65536 };

static inline bool ts_spec_has_list(const struct ts_spec *s)
{
	return s->list_m != 0 || s->list_n != 0 || s->list_k != 0;
}

/* The defaults: 8192^3 in 256x256x64 tiles, one worker, one domain, no cluster. */
static inline struct ts_spec ts_spec_default(void)
{
	struct ts_spec s;

	s.policy = 0;
	s.mode = TS_STEAL;
	s.order = TS_GROUPED_M;
	s.remap = TS_REMAP_NONE;
	s.shape = TS_RECTANGLE;
	s.row_order = TS_ROWS_ASCENDING;
	s.m = s.n = s.k = 8192;
	s.block_m = s.block_n = 256;
	s.block_k = 64;
	s.cluster_m = s.cluster_n = 1;
	s.max_cluster = 16;
	s.width = s.chunk = 0;
	s.workers = 1;
	s.domains = 1;
	s.slots = 1;
	s.max_counters = TS_COUNT_MAX;
	s.local_percent = 90;
	s.splits = 2;
	s.hybrid = TS_TWO_TILE;
	s.min_k = 8;
	s.k_groups = 1;
	s.batch = 1;
	s.section = 1;
	s.layout = TS_CONTIGUOUS;
	s.group_order = TS_GROUPS_GIVEN;
	s.list_count = 0;
	s.list_m = s.list_n = s.list_k = 0;
	s.turns = 0;
	s.grids = 0;
	s.collective = TS_ALONE;
	s.ranks = 1;
	s.rank = 0;
	s.rank_chunks = 1;
	return s;
}

enum ts_status {
	TS_OK,
	TS_BAD_POLICY,
	TS_BAD_MODE,
	TS_BAD_ORDER,
	TS_BAD_REMAP,
	TS_BAD_SIZE,
	TS_BAD_BLOCK,
	TS_BAD_CLUSTER,
	TS_BIG_CLUSTER,
	TS_MANY_TILES,
	TS_BAD_WIDTH,
	TS_UNUSED_WIDTH,
	TS_BAD_CHUNK,
	TS_UNUSED_CHUNK,
	TS_BAD_WORKERS,
	TS_BAD_DOMAINS,
	TS_BAD_SLOTS,
	TS_UNUSED_SLOTS,
	TS_FEW_COUNTERS,
	TS_BAD_PERCENT,
	TS_BAD_SPLITS,
	TS_MANY_SPLITS,
	TS_BAD_HYBRID,
	TS_BAD_MIN_K,
	TS_BAD_K_GROUPS,
	TS_UNEVEN_K,
	TS_BAD_BATCH,
	TS_BAD_SECTION,
	TS_BAD_LIST,
	TS_BAD_LIST_SIZE,
	TS_BAD_LAYOUT,
	TS_UNUSED_LAYOUT,
	TS_OVER_CAPACITY,
	TS_BAD_GROUP_ORDER,
	TS_BAD_SHAPE,
	TS_UNEVEN_TRIANGLE,
	TS_BAD_ROW_ORDER,
	TS_UNUSED_ROW_ORDER,
	TS_BAD_COLLECTIVE,
	TS_UNUSED_COLLECTIVE,
	TS_BAD_RANKS,
	TS_BAD_RANK,
	TS_BAD_RANK_CHUNKS,
	TS_UNUSED_RANKS,
	TS_STATUSES
};

/* One sentence on what is allowed and what to change; callers put the given value in front. */
static inline const char *ts_status_text(enum ts_status status)
{
	switch (status) {
	case TS_OK: return "the plan is valid";
	case TS_BAD_POLICY: return "no such policy is registered in policies/all.h";
	case TS_BAD_MODE: return "no such mode of worksteal";
	case TS_BAD_ORDER: return "no such order";
	case TS_BAD_REMAP: return "no such remap";
	case TS_BAD_SIZE: return "M, N and K must be from 0 to 2147483647";
	case TS_BAD_BLOCK: return "blocks must be from 1 to 2147483647";
	case TS_BAD_CLUSTER: return "cluster sizes must be 1 or more";
	case TS_BIG_CLUSTER: return "the cluster has more CTAs than the device allows";
	case TS_MANY_TILES:
		return "the output must have fewer than 2147483648 tiles, since linear ids are 32 "
		       "bit; "
		       "use larger blocks";
	case TS_BAD_WIDTH:
		return "the panel width must be from 1 to 2147483647, or 0 for the default";
	case TS_UNUSED_WIDTH:
		return "the order has no panel width; leave it out or use grouped-m, grouped-n, "
		       "snake-m, snake-n or another one with panels";
	case TS_BAD_CHUNK: return "the chunk must be from 1 to 2147483647, or 0 for the default";
	case TS_UNUSED_CHUNK:
		return "only the chunked and rotated remaps have a chunk; leave it out or use one "
		       "of them";
	case TS_BAD_WORKERS: return "workers must be from 1 to 2147483647";
	case TS_BAD_DOMAINS: return "XCDs must be from 1 to 65536";
	case TS_BAD_SLOTS: return "counters per XCD must be from 1 to 16384";
	case TS_UNUSED_SLOTS:
		return "the policy has no counters per XCD; leave them out or use worksteal in "
		       "mode "
		       "steal, slots or hierarchical";
	case TS_FEW_COUNTERS:
		return "the policy needs more counters than there are; use fewer counters per "
		       "XCD, cut fewer tiles, or give it more memory";
	case TS_BAD_PERCENT: return "the local share must be from 0 to 100 percent";
	case TS_BAD_SPLITS: return "splits must be from 1 to 2147483647";
	case TS_MANY_SPLITS:
		return "splits times items must be below 2147483648, since each is a worker; use "
		       "fewer splits or larger blocks";
	case TS_BAD_HYBRID: return "no such hybrid of stream-k";
	case TS_BAD_MIN_K: return "the least k iterations of a worker must be from 1 to 2147483647";
	case TS_UNEVEN_K:
		return "stream-k and split-k cut tiles that all have the same k iterations; give "
		       "all "
		       "groups the same k, no causal shape, or another policy";
	case TS_BAD_K_GROUPS: return "groups along k must be from 1 to 65536";
	case TS_BAD_BATCH:
		return "the batch, and it times the groups of a list, must be from 0 to 2147483647";
	case TS_BAD_SECTION:
		return "a section must be from 0, for all copies of a batch, to 2147483647";
	case TS_BAD_LIST:
		return "there must be from 0 to 65536 groups in a list, and memory for their grids";
	case TS_BAD_LIST_SIZE: return "the sizes of a group must be from 0 to 2147483647";
	case TS_BAD_LAYOUT: return "no such layout";
	case TS_UNUSED_LAYOUT:
		return "only groups of a list have a layout; leave it out or give the groups";
	case TS_OVER_CAPACITY:
		return "in a masked layout no group may have more rows than M, the capacity; raise "
		       "M or use a contiguous one";
	case TS_BAD_GROUP_ORDER: return "no such order of groups";
	case TS_BAD_SHAPE: return "no such shape";
	case TS_UNEVEN_TRIANGLE:
		return "a triangle needs M = N, and items (cluster times block) whose longer side "
		       "is "
		       "a multiple of the other";
	case TS_BAD_ROW_ORDER: return "no such order of rows";
	case TS_UNUSED_ROW_ORDER:
		return "the rows of a triangle come folded already, and only a collective has "
		       "ranks; leave the order of rows out or choose another";
	case TS_BAD_COLLECTIVE: return "no such collective";
	case TS_UNUSED_COLLECTIVE:
		return "a collective moves the rows of one rectangle; leave out groups, batch and "
		       "shape, or the collective";
	case TS_BAD_RANKS: return "ranks must be from 1 to 65536";
	case TS_BAD_RANK: return "the rank must be from 0 to the number of ranks less 1";
	case TS_BAD_RANK_CHUNKS:
		return "chunks per rank must be from 1 to 4096, and of all ranks 1048576 at most";
	case TS_UNUSED_RANKS:
		return "only a collective has ranks and chunks; leave them out or use all-gather "
		       "or "
		       "reduce-scatter";
	case TS_STATUSES: break;
	}
	return 0;
}

#endif
