/* Persistent: a static stride over resident workers. Worker w takes items w, w + workers,
 * w + 2 workers, ... (CUTLASS' static persistent scheduler, tritonBLAS, DeepGEMM and many more).
 * A remap acts on the start, modulo workers, and leaves the stride as it is. */
#ifndef TS_PERSISTENT_H
#define TS_PERSISTENT_H

#include "order.h"
#include "remap.h"
#include "spec.h"

static inline enum ts_status ts_persistent_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->remap_span = p->workers;
	return TS_OK;
}

/* `turn` is 0 before the first item and from then on 1 + the id after the last one. That sum stays
 * below 2^32, since ids and workers are below 2^31. */
static inline TS_HD struct ts_step ts_persistent_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->turn == 0 ? ts_remap_id(p, w->id) : w->turn - 1;

	(void)answer;
	if (id >= p->items)
		return ts_stop();
	w->turn = id + p->workers + 1;
	return ts_order_item(p, id);
}

#endif
