/* Lapses: what a trace shows to be wrong, counted by kind, with the first of each kind. */
#ifndef TS_LAPSE_H
#define TS_LAPSE_H

#include "verify/trace.h"

/* In the order in which they are listed. */
enum ts_lapse_kind {
	TS_LAPSE_GROUP,     /* a group that there is not */
	TS_LAPSE_TILE,      /* a tile outside the grid */
	TS_LAPSE_K,         /* a k range that is empty or outside */
	TS_LAPSE_RANK,      /* a rank that the cluster does not have */
	TS_LAPSE_TWICE,     /* a k iteration of a tile is done again */
	TS_LAPSE_MISSING,   /* a tile, or a part of its k iterations, is not done */
	TS_LAPSE_OWNERS,    /* a tile has a second owner */
	TS_LAPSE_NO_OWNER,  /* a tile is done and has no owner */
	TS_LAPSE_BACKWARDS, /* an item ends before it begins */
	TS_LAPSE_OVERLAP,   /* an item begins before the last one of its place has ended */
	TS_LAPSE_ITERATION, /* a worker's iterations do not count up by one */
	TS_LAPSE_SM,        /* a worker moves to another SM */
	TS_LAPSE_XCD,       /* a worker moves to another XCD */
	/* Against a plan only. */
	TS_LAPSE_STRANGER, /* a worker that the plan does not have */
	TS_LAPSE_DOMAIN,   /* a domain that the plan does not have */
	TS_LAPSE_DIFFERS,  /* a worker's item is not the plan's */
	TS_LAPSE_EXTRA,    /* an item after the plan's last one of that worker */
	TS_LAPSE_UNDONE,   /* a worker has not done the plan's items for it */
	TS_LAPSE_QUEUE,  /* an item from a queue that the worker may not claim from, or not any more
			  */
	TS_LAPSE_CLAIMS, /* a worker's items of one queue are not in the order of its claims */
	TS_LAPSE_COUNTER, /* the counter that is recorded is not the item's */
	TS_LAPSES
};

struct ts_where {
	int64_t group, m, n, k_begin, k_end;
};

enum { TS_LAPSE_TILES = 8 };

struct ts_lapse {
	uint64_t count;
	/* The rest is about the first one. Line 0: it belongs to no line. */
	struct ts_record record;
	struct ts_where found, wanted;
	uint64_t nth;          /* the worker's item, from 0 */
	int64_t number, bound; /* what was found and what is allowed */
	uint64_t other_line;   /* of TS_LAPSE_TWICE: where it was done first, 0 if not known */
	int64_t other_worker;  /* -1 if not known */
	struct ts_where tiles[TS_LAPSE_TILES]; /* of TS_LAPSE_MISSING and TS_LAPSE_NO_OWNER */
};

struct ts_lapses {
	uint32_t columns; /* of the trace */
	struct ts_lapse kinds[TS_LAPSES];
	uint64_t count;
	enum ts_lapse_kind first; /* the kind of the first line with a lapse; valid if count > 0 */
};

const char *ts_lapse_name(enum ts_lapse_kind kind);

/* Counts one more. If it is the first of its kind, returns it for its other fields to be set, with
 * `record` and `found` being set from the record and `number` 0; else NULL. The record may be NULL.
 */
struct ts_lapse *ts_lapses_note(
	struct ts_lapses *l, enum ts_lapse_kind kind, const struct ts_record *record);

/* One sentence about the first lapse of a kind. Free with g_free(). */
char *ts_lapse_text(const struct ts_lapses *l, enum ts_lapse_kind kind);

#endif
