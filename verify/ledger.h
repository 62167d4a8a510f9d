/* The ledger: the checks of a trace that need no plan. Fed line by line; its memory is that of the
 * tiles, of the places and of the tiles whose k range is not complete, not that of the lines. */
#ifndef TS_LEDGER_H
#define TS_LEDGER_H

#include "policies/group.h"
#include "policies/shape.h"
#include "verify/lapse.h"
#include "verify/marks.h"
#include "verify/pages.h"

/* One group of tiles: a GEMM of a batch, an expert. */
struct ts_group {
	uint32_t rows, cols, depth;
	uint64_t first; /* index of its first tile */
};

struct ts_tiling {
	struct ts_group *groups;
	uint32_t count;             /* of groups, >= 1 */
	uint64_t tiles;             /* of the grids, whether they exist or not */
	uint64_t there;             /* of these, that exist */
	const struct ts_plan *plan; /* with the same groups, whose shape says which; NULL: all do */
	uint32_t cluster_m, cluster_n; /* tiles that one item covers, >= 1 */
};

static inline bool ts_tiling_has(const struct ts_tiling *t, uint32_t group, uint32_t m, uint32_t n)
{
	return t->plan == NULL || ts_shape_has(ts_grid(t->plan, group), m, n);
}

/* The k iterations of the tiles in row `m`. */
static inline uint32_t ts_tiling_depth(const struct ts_tiling *t, uint32_t group, uint32_t m)
{
	return t->plan == NULL ? t->groups[group].depth
			       : ts_shape_depth(ts_grid(t->plan, group), m);
}

/* What is known of one place: a worker, or one CTA of it if there are ranks. Without a worker
 * column, an SM. */
struct ts_lane {
	uint64_t tiles, k, busy; /* sums; of a split tile each part counts as a tile */
	int64_t end;             /* of the last item */
	uint32_t items, iteration;
	uint32_t sm;
	uint16_t xcd;
	uint16_t seen; /* 1 once it has an item */
};

struct ts_ledger {
	const struct ts_tiling *tiling;
	struct ts_lapses lapses;
	struct ts_marks marks;
	uint64_t *owned;       /* one bit a tile, or NULL without an owner column */
	struct ts_pages lanes; /* table: rank, or XCD where there is no worker; id: worker or SM */
	uint32_t ids;          /* 1 + the largest id */
	uint64_t items, lane_count;
	uint64_t tiles;     /* in range, each part of a split one being counted */
	int64_t begin, end; /* of all items; valid if there is one */
};

/* `columns` are the trace's. False where there is no memory for so many tiles. */
bool ts_ledger_init(struct ts_ledger *l, const struct ts_tiling *tiling, uint32_t columns);
void ts_ledger_finish(struct ts_ledger *l);

/* Checks one line, and puts the values in that its missing columns stand for. */
void ts_ledger_add(struct ts_ledger *l, struct ts_record *record);

/* To be called once, after the last line. */
void ts_ledger_close(struct ts_ledger *l);

/* Does the line compute some of k [where->k_begin, where->k_end) of the tile `where`? */
bool ts_ledger_covers(
	const struct ts_ledger *l, const struct ts_record *record, const struct ts_where *where);

/* More lines are refused, since counts of items are 32 bits wide. */
enum { TS_LEDGER_LINES = INT32_MAX };

static inline bool ts_ledger_has(const struct ts_ledger *l, enum ts_col col)
{
	return (l->lapses.columns >> col & 1) != 0;
}

#endif
