/* Data-parallel: one worker per item. The grid is as large as the problem, and the hardware starts
 * the next worker where one leaves. */
#ifndef TS_DATA_PARALLEL_H
#define TS_DATA_PARALLEL_H

#include "order.h"
#include "remap.h"
#include "spec.h"

static inline enum ts_status ts_data_parallel_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = p->items;
	p->remap_span = p->items;
	return TS_OK;
}

static inline TS_HD struct ts_step ts_data_parallel_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	if (w->turn > 0 || w->id >= p->items)
		return ts_stop();
	w->turn = 1;
	return ts_order_item(p, ts_remap_id(p, w->id));
}

#endif
