/* Pipeline: where a role of a warp-specialised kernel is in a ring of stages.
 *
 * A ring has `stages` stages, each with a full and an empty barrier whose phases complete in turn.
 * The place follows from the number of uses that this worker has really made of the ring, over all
 * its items: k iterations for the operand ring, tiles for the accumulator ring, items for the ring
 * of a scheduler. Never from a wave index or from the iteration within one tile: roles that skip
 * the same items then agree, whatever they skip, and barriers keep their history between tiles. */
#ifndef TS_PIPELINE_H
#define TS_PIPELINE_H

#include "policy.h"

/* Start from {0, 0}, which is ts_pipeline_at(0, stages), once per launch. */
struct ts_pipeline {
	uint32_t stage;  /* 0 <= stage < stages */
	uint32_t parity; /* of the full barrier's phase that belongs to this use: 0 or 1 */
};

/* The place of use number `count`, from 0, in a ring of `stages` >= 1. */
static inline TS_HD struct ts_pipeline ts_pipeline_at(uint64_t count, uint32_t stages)
{
	struct ts_pipeline place;

	place.stage = (uint32_t)(count % stages);
	place.parity = (uint32_t)(count / stages) & 1;
	return place;
}

/* The place after `place`: once per k iteration or tile that was executed, and for no other. */
static inline TS_HD struct ts_pipeline ts_pipeline_next(struct ts_pipeline place, uint32_t stages)
{
	place.stage++;
	if (place.stage == stages) {
		place.stage = 0;
		place.parity ^= 1;
	}
	return place;
}

/* The place `uses` uses further on. */
static inline TS_HD struct ts_pipeline ts_pipeline_after(
	struct ts_pipeline place, uint64_t uses, uint32_t stages)
{
	return ts_pipeline_at((uint64_t)place.parity * stages + place.stage + uses, stages);
}

/* What a reader gives mbarrier.try_wait.parity on the stage's full barrier. */
static inline TS_HD uint32_t ts_full_parity(struct ts_pipeline place)
{
	return place.parity;
}

/* What a writer gives it on the stage's empty barrier. Use u of a stage waits until the readers
 * have completed phase u - 1; the first use passes at once, since a barrier that is still in phase
 * 0 counts the phase before that, of parity 1, as completed. */
static inline TS_HD uint32_t ts_empty_parity(struct ts_pipeline place)
{
	return place.parity ^ 1;
}

#endif
