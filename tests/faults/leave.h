/* Faults in how workers leave when they are asked to, for kernels in which one of these stands for
 * leave_now(). */
#ifndef TS_TESTS_LEAVE_H
#define TS_TESTS_LEAVE_H

#include "kernels/leave_steps.h"

/* With a claim that was answered, whose item nobody then computes. */
TS_GPU bool leave_holding(
	const struct ts_leave *l, const struct ts_plan *p, const struct ts_worker *w)
{
	return l->asked != 0 && ts_worker_holds(p, w) && gpu_hear(&l->asked[w->domain]) != 0;
}

/* Not at all. */
TS_GPU bool leave_never(
	const struct ts_leave *l, const struct ts_plan *p, const struct ts_worker *w)
{
	return leave_now(l, p, w) && false;
}

#endif
