/* Cluster launch control: dynamic persistent by the hardware's own queue (Blackwell; CUTLASS' sm100
 * tile scheduler). The grid is as large as the problem. A worker computes the item of its own id,
 * and then asks for another worker that has not been launched yet (try_cancel): that one never
 * starts, and whoever asked computes its item. It fails where none is left. Where a place becomes
 * free instead, the hardware launches the next one itself.
 *
 * Launches and cancellations take ids from one row, in ascending order. The plan says so by
 * `launches`: counter 0 is that row. A launch adds 1 and its worker's id is the old value; a claim
 * does the same, and its answer is the id of the worker that is cancelled, or `workers` and more.
 * On hardware the counter is no memory: a kernel takes its id from its place in the grid and the
 * answer from the response, and does not decode a response that says no. Without such hardware it
 * is a counter in memory that starts at the number of clusters launched, as many as are resident.
 *
 * So any worker may be missing: before its launch it is cancelled, and where it leaves between
 * items the next is launched in its place. A claim that fails too early ends its worker only. */
#ifndef TS_CLC_H
#define TS_CLC_H

#include "order.h"
#include "remap.h"
#include "spec.h"

static inline enum ts_status ts_clc_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = p->items;
	p->remap_span = p->items;
	p->counters = 1;
	p->launches = 1;
	return TS_OK;
}

static inline TS_HD uint32_t ts_clc_counter_items(const struct ts_plan *p, uint32_t counter)
{
	return counter == 0 ? p->items : 0;
}

static inline enum ts_promise ts_clc_promise(const struct ts_plan *p)
{
	(void)p;
	return TS_NEEDS_ANY;
}

static inline TS_HD struct ts_step ts_clc_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->turn == 0 ? w->id : answer;

	if (w->turn == 1 && w->claiming == 0) {
		w->claiming = 1;
		return ts_claim(0);
	}
	w->turn = 1;
	w->claiming = 0;
	if (id >= p->items)
		return ts_stop();
	return ts_order_item(p, ts_remap_id(p, id));
}

#endif
