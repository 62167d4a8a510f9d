/* Roles: do the roles of a warp-specialised persistent kernel agree on items, stage and parity?
 *
 * One worker, a CTA or a cluster of them, runs over a list of items. Its roles are a producer that
 * loads operands into a ring of stages, consumers that multiply, and optionally an epilogue behind
 * a ring of accumulators and a scheduler that publishes the items through a ring of slots. Each
 * entry of a ring has a full and an empty barrier. All interleavings are explored. */
#ifndef TS_ROLES_H
#define TS_ROLES_H

#include <glib.h>

#include "policies/pipeline.h"

enum {
	TS_CTAS_MAX = 4,
	TS_CONSUMERS_MAX = 4,
	TS_STAGES_MAX = 16,
	TS_ROLE_ITEMS_MAX = 64,
	TS_ROLE_K_MAX = 1024,
	TS_GUARDED = 2 + TS_CONSUMERS_MAX
};

/* From what a role derives its place in a ring. For the operand ring a use is a k iteration, for
 * the others an item. */
enum ts_phase {
	TS_BY_COUNT, /* uses made so far: right */
	TS_BY_TILE,  /* the k iteration within the item, so 0 again for each item */
	TS_BY_WAVE,  /* index of the item in the list x depth + k iteration within the item */
	TS_BY_LOOP,  /* the right stage, but a parity that changes with every use */
	TS_PHASES
};

/* What a role does with an item. */
enum ts_guard {
	TS_RUNS,
	TS_SKIPS, /* as if it were not in the list */
	TS_COUNTS /* runs nothing of it, but counts its uses as made */
};

enum ts_ring { TS_STAGE, TS_ACCUMULATOR, TS_SLOT, TS_RINGS };

/* Rows of the guards. */
enum ts_guarded { TS_GUARD_PRODUCER, TS_GUARD_EPILOGUE, TS_GUARD_CONSUMER };

struct ts_roles {
	uint32_t ctas;      /* of the cluster; each loads a part of every stage for all of them */
	uint32_t stages;    /* of operands, in each CTA */
	uint32_t consumers; /* in each CTA; all of them read every stage */
	uint32_t accumulators; /* 0: no epilogue role, each consumer stores what it computed */
	uint32_t slots;        /* 0: no scheduler, each role works out the items itself */
	uint32_t items;
	uint32_t k[TS_ROLE_ITEMS_MAX]; /* iterations per item, 0 allowed */
	uint32_t depth;                /* k iterations that TS_BY_WAVE takes each item to have */
	/* For the producer's wait on empty stages, the consumers' on full stages and on empty
	 * accumulators, the epilogue's on full accumulators, and everybody's on full slots. */
	enum ts_phase producer, consumer, issuer, epilogue, reader;
	/* enum ts_guard per CTA, role (consumer c is row TS_GUARD_CONSUMER + c) and item. */
	uint8_t guards[TS_CTAS_MAX][TS_GUARDED][TS_ROLE_ITEMS_MAX];
	/* Per ring: readers that its empty barriers expect, 0 for as many as there are. */
	uint32_t readers[TS_RINGS];
	bool released_early[TS_RINGS]; /* readers arrive on the empty barrier, then read */
	bool peeled;    /* consumers run the first k iteration even where there is none */
	bool one_sided; /* for an item without k iterations consumers do not wait for the
			   accumulator, but arrive on both its barriers */
	bool at_once;   /* loads are complete when they are issued; else later, in any order */
};

enum ts_roles_fault {
	TS_ROLES_SOUND,
	TS_ROLES_DEADLOCK,  /* nobody can go on and somebody is not done */
	TS_ROLES_OVERRUN,   /* a stage is overwritten that has not been read */
	TS_ROLES_EARLY,     /* a stage is read that does not have its data yet */
	TS_ROLES_ACC_LOST,  /* an accumulator is overwritten that has not been read */
	TS_ROLES_ACC_EARLY, /* an accumulator is read that is not complete */
	TS_ROLES_ITEMS,     /* two roles have different items in hand */
	TS_ROLES_ARRIVALS,  /* an arrival that belongs to another phase of its barrier */
	TS_ROLES_LEFT_OVER, /* something that was written is never read */
	TS_ROLES_UNDECIDED, /* more states than allowed */
	TS_ROLES_FAULTS
};

/* Free the texts with ts_roles_result_clear(). */
struct ts_roles_result {
	enum ts_roles_fault fault;
	uint64_t states;
	char *finding; /* one sentence; NULL if sound or undecided */
	char **steps;  /* a shortest way there, a sentence each; NULL-terminated */
};

/* A sound model of 3 stages and 2 consumers, without an item. */
struct ts_roles ts_roles_default(void);

/* Appends an item; false when there are TS_ROLE_ITEMS_MAX. Raises the depth to `k`. */
bool ts_roles_add(struct ts_roles *m, uint32_t k);

/* Why the model cannot be explored, or NULL. */
const char *ts_roles_refusal(const struct ts_roles *m);

/* Explores all interleavings of a model that is not refused, up to `states_max` states. */
struct ts_roles_result ts_roles_check(const struct ts_roles *m, uint64_t states_max);
void ts_roles_result_clear(struct ts_roles_result *r);

/* Makes the model smaller as long as it keeps its fault: fewer CTAs, roles, stages, items and k
 * iterations, and fewer deviations from what is right. */
void ts_roles_shrink(struct ts_roles *m, uint64_t states_max);

const char *ts_roles_fault_name(enum ts_roles_fault fault);
const char *ts_phase_name(enum ts_phase phase);
const char *ts_ring_name(enum ts_ring ring);

#endif
