/* The device's side of kernels/leave.h: for the one thread that asks the policy. */
#ifndef TS_LEAVE_STEPS_H
#define TS_LEAVE_STEPS_H

#include "kernels/gpu.h"
/* Not before it: HIP's words are from there. */
#include "kernels/leave.h"

/* Is the worker to leave, and free to? What it has claimed it must compute. */
TS_GPU bool leave_now(const struct ts_leave *l, const struct ts_plan *p, const struct ts_worker *w)
{
	return l->asked != 0 && !ts_worker_holds(p, w) && gpu_hear(&l->asked[w->domain]) != 0;
}

/* The worker has got so many items. */
TS_GPU void leave_tell_items(const struct ts_leave *l, const struct ts_worker *w, uint32_t items)
{
	if (l->asked != 0)
		gpu_tell(&l->news[w->id].items, items);
}

/* The worker has done all its work. */
TS_GPU void leave_tell_gone(const struct ts_leave *l, const struct ts_worker *w, enum ts_gone gone)
{
	if (l->asked != 0)
		gpu_tell(&l->news[w->id].gone, (uint32_t)gone | w->domain << TS_GONE_DOMAIN);
}

#endif
