/* All-gather and reduce-scatter beside a GEMM. */
#include "sim/collective.h"

#include <string.h>

#include "policies/chunk.h"

static uint32_t chunk_rows(const struct ts_plan *p, uint32_t chunk)
{
	return ts_chunk_begin(p, chunk + 1) - ts_chunk_begin(p, chunk);
}

/* Chunks of others arrive one behind the other; those of this rank are there. */
static void gather(struct ts_exchange *x)
{
	const struct ts_plan *p = x->plan;
	g_autofree uint64_t *ready = g_new0(uint64_t, p->chunks);

	for (uint32_t turn = p->rank_chunks; turn < p->chunks; turn++) {
		uint32_t chunk = ts_chunk_at(p, turn);

		x->received += chunk_rows(p, chunk);
		x->arrived = (double)x->received * x->ps_per_row;
		/* Longer than any run may take, and within 64 bits. */
		ready[chunk] = (uint64_t)(MIN(x->arrived, 4e18) + 0.5);
	}
	x->row_ready = g_new0(uint64_t, p->cluster_rows);
	for (uint32_t row = 0; row < p->cluster_rows; row++) {
		struct ts_chunks c = ts_chunks_of(p, row * p->cluster_m);

		for (uint32_t i = c.first; i < c.after; i++)
			x->row_ready[row] = MAX(x->row_ready[row], ready[i]);
	}
}

void ts_exchange_init(
	struct ts_exchange *x, const struct ts_plan *plan, uint32_t bytes, double gbps)
{
	bool gathers = plan->collective == TS_ALL_GATHER;
	double row_bytes = (double)(gathers ? plan->k : plan->n) * bytes;

	memset(x, 0, sizeof *x);
	x->plan = plan;
	/* 1 GB/s is a byte in 1000 ps. */
	x->ps_per_row = row_bytes * 1000 / gbps;
	if (plan->items > 0 && gathers)
		gather(x);
	if (plan->items == 0 || plan->collective != TS_REDUCE_SCATTER)
		return;
	x->left = g_new(uint32_t, plan->chunks);
	for (uint32_t i = 0; i < plan->chunks; i++)
		x->left[i] = ts_chunk_items(plan, i);
}

void ts_exchange_finish(struct ts_exchange *x)
{
	g_clear_pointer(&x->row_ready, g_free);
	g_clear_pointer(&x->left, g_free);
}

/* The output of the item at tile row `m` is in memory. */
static void written(struct ts_exchange *x, uint32_t m, uint64_t now)
{
	const struct ts_plan *p = x->plan;
	struct ts_chunks c;

	if (x->left == NULL || m >= p->rows)
		return;
	c = ts_chunks_of(p, m);
	for (uint32_t i = c.first; i < c.after; i++) {
		/* Of a schedule that computes an item twice, the first time counts. */
		if (x->left[i] == 0 || --x->left[i] > 0 || i / p->rank_chunks == p->rank)
			continue;
		x->sent += chunk_rows(p, i);
		x->link_free = MAX(x->link_free, (double)now) + chunk_rows(p, i) * x->ps_per_row;
	}
}

static void on_item(void *data, const struct ts_item *item)
{
	struct ts_exchange *x = data;

	x->waited += item->from - item->asked;
	if (item->step.owns && item->step.parts == 0)
		written(x, item->step.m, item->to);
}

static void on_met(void *data, const struct ts_met *met)
{
	if (met->step.act == TS_FIX_UP && met->step.owns)
		written(data, met->step.m, met->to);
}

struct ts_sink ts_exchange_sink(struct ts_exchange *x)
{
	struct ts_sink sink = {x, .item = on_item, .met = on_met};

	return sink;
}

uint64_t ts_exchange_end(const struct ts_exchange *x, uint64_t makespan)
{
	return MAX(makespan, (uint64_t)(MAX(x->link_free, x->arrived) + 0.5));
}
