/* Workspace: is every partial sum written before it is read, read once, in the order of k, and its
 * slot not written again too early? Fed with the steps of a run, in any order, from any driver.
 *
 * Who reads a slot must have waited for a signal that its writer gave after writing, and who writes
 * it again must be its reader, or have waited for a signal of the reader: whether it came later in
 * this one run proves nothing. A writer's first signal after a slot is the one that counts. */
#ifndef TS_WORKSPACE_H
#define TS_WORKSPACE_H

#include "verify/finding.h"

/* One slot: words only, all 0 at first, so that it can be part of a state. */
struct ts_slot {
	uint32_t state; /* enum slot_state in workspace.c */
	uint32_t worker;
	uint32_t next; /* 1 + the slot that its worker used before, both since its last signal */
	uint32_t g, m, n, k_begin, k_end;
	uint32_t counter, at; /* the signal: of which counter, and what that had afterwards */
};

/* What one worker holds between its steps; words only, all 0 at first. */
struct ts_hand {
	uint32_t used;                    /* 1 + the last slot it used since its last signal */
	uint32_t waits, counter, value;   /* 1 if it has waited, and for what, the last time */
	uint32_t keeps;                   /* 1 while it keeps the sums of an item that it owns */
	uint32_t g, m, n, k_begin, k_end; /* of that item */
	uint32_t done, left;              /* its sum is complete up to there; parts to be added */
};

enum {
	TS_SLOT_WORDS = sizeof(struct ts_slot) / sizeof(uint32_t),
	TS_HAND_WORDS = sizeof(struct ts_hand) / sizeof(uint32_t)
};

struct ts_workspace {
	const struct ts_plan *plan;
	bool fixed_sum;        /* ts_policy.fixed_sum */
	struct ts_slot *slots; /* plan.workspace */
};

/* Worker `worker`, holding `hand`, carries out a step. `has` is what the step's counter has then.
 * True if all is well, else `ret_finding`. Plans without a workspace may cut items as they like. */
bool ts_workspace_step(const struct ts_workspace *w, struct ts_hand *hand, uint32_t worker,
	const struct ts_step *s, uint32_t has, struct ts_finding *ret_finding);

/* When nobody is left: has each partial sum been added? */
bool ts_workspace_verdict(const struct ts_workspace *w, struct ts_finding *ret_finding);

#endif
