/* Work stealing: workers claim items from counters, one atomic add each.
 *
 * The items form queues, each with a counter: domain (XCD) d owns a contiguous region, cut over
 * `slots` counters; hierarchical and global have one more counter for all other items.
 * A worker drains the queues of its list in turn and leaves after the last one:
 *   slots         only its own (tritonBLAS' persistent work stealing, balanced to one item)
 *   steal         its own, its domain's others, then those of the next domains, all round
 *   hierarchical  its own, then the global one (tritonBLAS, Primus-Turbo)
 *   global        the global one; the remap spreads its ids over XCDs (tritonBLAS)
 * Fewer workers than queues are no reason to refuse a plan: which workers will run, and in which
 * domain, is only known at run time. What the modes survive is their promise, for the verifier.
 * A domain is chosen by the raw worker id or by the hardware, never by a remapped id; a remap acts
 * on ids, in front of the order. Counters start at 0 and are reset between launches. */
#ifndef TS_WORKSTEAL_H
#define TS_WORKSTEAL_H

#include "order.h"
#include "remap.h"
#include "spec.h"

/* A run of linear ids [first, first + size) served by one counter. */
struct ts_queue {
	uint32_t counter, first, size;
};

static inline TS_HD bool ts_worksteal_has_global(enum ts_mode mode)
{
	return mode == TS_GLOBAL || mode == TS_HIERARCHICAL;
}

static inline enum ts_status ts_worksteal_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	enum ts_mode mode = spec->mode;

	if ((uint32_t)mode >= TS_MODES)
		return TS_BAD_MODE;
	if (spec->local_percent < 0 || spec->local_percent > 100)
		return TS_BAD_PERCENT;
	p->mode = mode;
	p->remap_span = p->items;
	p->slots = ts_divisor_make((uint32_t)spec->slots);
	p->queue_domains = p->domains;
	p->local_items = p->items;
	if (mode == TS_GLOBAL) {
		p->queue_domains = 0;
		p->local_items = 0;
	}
	if (mode == TS_HIERARCHICAL) {
		p->local_items =
			(uint32_t)((uint64_t)p->items * (uint64_t)spec->local_percent / 100);
		/* With fewer workers than domains some domains would own items and no worker. */
		if (p->workers < p->domains)
			p->queue_domains = p->workers;
	}
	p->regions = ts_divisor_make(p->queue_domains > 0 ? p->queue_domains : 1);
	/* At most 65536 * 16384 + 1. */
	p->counters = p->queue_domains * p->slots.by + (ts_worksteal_has_global(mode) ? 1 : 0);
	return TS_OK;
}

/* Queue of `slot` in `domain`, or the global one where domain == plan.queue_domains. */
static inline TS_HD struct ts_queue ts_worksteal_queue(
	const struct ts_plan *p, uint32_t domain, uint32_t slot)
{
	struct ts_queue q;
	uint32_t region, size;

	if (domain >= p->queue_domains) {
		q.counter = p->queue_domains * p->slots.by;
		q.first = p->local_items;
		q.size = p->items - p->local_items;
		return q;
	}
	region = ts_share_first(p->local_items, p->regions, domain);
	size = ts_share(p->local_items, p->regions, domain);
	q.counter = domain * p->slots.by + slot;
	q.first = region;
	q.size = size;
	if (p->slots.by > 1) {
		q.first += ts_share_first(size, p->slots, slot);
		q.size = ts_share(size, p->slots, slot);
	}
	return q;
}

/* How many items the counter with index `counter` < plan.counters serves. */
static inline TS_HD uint32_t ts_worksteal_counter_items(const struct ts_plan *p, uint32_t counter)
{
	uint32_t domain = counter / p->slots.by;

	return ts_worksteal_queue(p, domain, counter - domain * p->slots.by).size;
}

static inline uint32_t ts_worksteal_uses(enum ts_mode mode)
{
	return TS_USES_MODE | (mode != TS_GLOBAL ? TS_USES_SLOTS : 0) |
		(mode == TS_HIERARCHICAL ? TS_USES_LOCAL : 0);
}

/* Claims of the global counter come from any XCD, so its ids are spread over them (tritonBLAS). */
static inline enum ts_remap ts_worksteal_remap(enum ts_mode mode)
{
	return mode == TS_GLOBAL ? TS_REMAP_CHIPLET : TS_REMAP_NONE;
}

static inline enum ts_promise ts_worksteal_promise(const struct ts_plan *p)
{
	switch ((enum ts_mode)p->mode) {
	case TS_STEAL:
	case TS_GLOBAL: return TS_NEEDS_ANY;
	case TS_SLOTS:
	case TS_HIERARCHICAL:
	case TS_MODES: break;
	}
	return TS_NEEDS_EACH_QUEUE;
}

/* How many queues a worker tries before it leaves. */
static inline TS_HD uint32_t ts_worksteal_tries(const struct ts_plan *p)
{
	switch ((enum ts_mode)p->mode) {
	case TS_STEAL: return p->queue_domains * p->slots.by;
	case TS_HIERARCHICAL: return 2;
	case TS_SLOTS:
	case TS_GLOBAL:
	case TS_MODES: break;
	}
	return 1;
}

/* The queue that a worker tries as number `turn`. Slots are dealt to the workers of a domain in the
 * order of their ids, which are `domains` apart. */
static inline TS_HD struct ts_queue ts_worksteal_try(const struct ts_plan *p, struct ts_worker w)
{
	uint32_t domain = w.domain;
	uint32_t hop = w.turn;
	uint32_t slot = 0;

	if (p->mode == TS_GLOBAL || (p->mode == TS_HIERARCHICAL && w.turn > 0))
		return ts_worksteal_queue(p, p->queue_domains, 0);
	/* Without the divisions in the common case. */
	if (p->slots.by > 1) {
		slot = ts_quotient(w.id, p->remap_domains);
		slot -= ts_quotient(slot, p->slots) * p->slots.by;
		hop = ts_quotient(w.turn, p->slots);
		slot += w.turn - hop * p->slots.by;
		slot -= slot >= p->slots.by ? p->slots.by : 0;
	}
	if (p->mode == TS_STEAL) {
		domain = w.domain + hop;
		domain -= domain >= p->domains ? p->domains : 0;
	}
	return ts_worksteal_queue(p, domain, slot);
}

static inline TS_HD struct ts_step ts_worksteal_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	if (w->claiming == 1) {
		struct ts_queue q = ts_worksteal_try(p, *w);

		w->claiming = 0;
		if (answer < q.size)
			return ts_order_item(p, ts_remap_id(p, q.first + answer));
		w->turn++;
		if (w->turn >= ts_worksteal_tries(p))
			return ts_stop();
	}
	w->claiming = 1;
	return ts_claim(ts_worksteal_try(p, *w).counter);
}

#endif
