/* Fix-up: how the workers that compute parts of one item meet.
 *
 * One of them owns the item. The plan's workspace has slots, each with room for the fp32 sums of
 * one item: cluster_m * cluster_n * block_m * block_n floats, of which the CTA of rank r has the
 * r-th share. The steps are
 *
 *   others: TS_WORK that doesn't own: multiply, then write the sums to `slot`
 *           TS_SIGNAL of the item's counter
 *   owner:  TS_WORK that owns, with `parts` > 0: multiply and keep the sums
 *           TS_WAIT until the counter says that all parts are there
 *           TS_FIX_UP: add slots [slot, slot + parts) to the sums, in this order, and write the
 *           output if it owns. More than one is allowed, each behind its wait, the last one owns.
 *
 * A kernel may look ahead and hand the steps of a part on as one: a policy is only asked. A slot
 * that was read may be written again by its reader, and by others after a wait for its signal. */
#ifndef TS_FIX_UP_H
#define TS_FIX_UP_H

#include "policy.h"

/* The next one of the steps of part `s`, a TS_WORK: asked until w->claiming is 0 again. */
static inline TS_HD struct ts_step ts_with_fix_up(
	struct ts_worker *w, struct ts_step s, uint32_t counter)
{
	enum { FIRST, SIGNAL, WAIT, FIX_UP };

	switch (w->claiming) {
	case SIGNAL: w->claiming = FIRST; return ts_signal(counter, 1);
	case WAIT: w->claiming = FIX_UP; return ts_wait(counter, s.parts);
	case FIX_UP:
		w->claiming = FIRST;
		s.act = TS_FIX_UP;
		return s;
	case FIRST: break;
	}
	if (!s.owns)
		w->claiming = SIGNAL;
	else if (s.parts > 0)
		w->claiming = WAIT;
	return s;
}

#endif
