/* What the verifier found wrong: one violated property, where, and who. */
#ifndef TS_FINDING_H
#define TS_FINDING_H

#include <glib.h>

#include "policies/rules.h"

enum ts_fault {
	TS_SOUND,        /* nothing is wrong */
	TS_TILE_MISSING, /* nobody computed these tiles, or not all of their k iterations */
	TS_TILE_TWICE,   /* a k iteration of a tile was computed twice */
	TS_OUTSIDE,      /* a tile outside its group's grid, or a group that there is not: its
			    elements lie outside M x N, or belong to another group */
	TS_K_RANGE,      /* a k range that is empty or outside the tile's */
	TS_OWNERS,       /* a tile without an owner, or with two */
	TS_COUNTER,      /* a counter that the plan does not have */
	TS_STARVED,      /* a counter still has items and no worker that would claim them */
	TS_NOT_DRAINED,  /* all is computed, but a counter would still give out items */
	TS_DEADLOCK,     /* all resident workers wait */
	TS_ENDLESS,      /* more steps than any schedule of this plan needs */
	TS_NO_STEP,      /* an answer that is no step of the contract */
	TS_NO_SLOT,      /* a slot for partial sums that the plan does not have */
	TS_SLOT_BUSY,    /* a slot written again before it was surely read */
	TS_SLOT_EARLY,   /* a slot read before it was surely written, or twice */
	TS_SLOT_OTHER,   /* a slot with another tile's sums, or not the next in the order of k */
	TS_NOT_ADDED,    /* partial sums that nobody adds, or an output without some of them */
	TS_CHUNK,        /* rows and chunks of a collective that do not belong together */
	TS_FAULTS
};

enum { TS_FINDING_TILES = 8, TS_FINDING_LINKS = 6 };

/* One worker of a cycle of waits. It waits for `counter`, which the next one would raise, or from
 * outside for a place, which the next one holds. */
struct ts_link {
	uint32_t worker, counter;
	uint32_t raisers; /* of the counter, the next one among them */
	bool outside;
};

/* Why a deadlock is one. */
struct ts_deadlock {
	enum ts_cause {
		TS_CAUSE_UNKNOWN, /* too many steps to find out */
		TS_CAUSE_CYCLE,   /* the finding's worker is the first of a cycle */
		TS_CAUSE_UNMET,   /* what it waits for does not come even if all others go on */
		TS_CAUSE_GONE     /* nor does that, since links[0].worker is gone */
	} cause;
	uint32_t length; /* of the cycle; its first links are there */
	struct ts_link links[TS_FINDING_LINKS];
	uint64_t added; /* of TS_CAUSE_UNMET: by all others */
};

struct ts_found_tile {
	uint32_t g, m, n;
};

/* Fields that a fault has no use for are 0. */
struct ts_finding {
	enum ts_fault fault;
	uint32_t worker, rank;
	struct ts_found_tile tiles[TS_FINDING_TILES]; /* the first of them, row by row */
	uint64_t count;                               /* all of them */
	uint32_t k_begin, k_end;
	uint32_t counter, counter_items, claimed;
	uint32_t chunk;        /* and the tile row, or UINT32_MAX where `count` items have it */
	uint32_t slot, other;  /* and the worker that used the slot last */
	uint64_t idle_workers; /* that never ran, being masked or released too early */
	struct ts_deadlock deadlock;
};

/* Makes a finding of missing tiles one of starvation where a counter, of which `claimed` says how
 * often each was claimed, still has items. `rules` NULL: the registered policies. */
void ts_finding_blame(struct ts_finding *f, const struct ts_plan *p, const struct ts_rules *rules,
	const uint32_t *claimed);

/* The fault's name, as printed in front of ts_finding_text(). */
const char *ts_fault_name(enum ts_fault fault);

/* One sentence that names tiles, workers and elements. Free with g_free(). */
char *ts_finding_text(const struct ts_finding *f, const struct ts_plan *p);

#endif
