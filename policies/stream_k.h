/* Stream-K: the k iterations of many items, one after the other, are one row that is cut evenly
 * over the workers, wherever that cuts a tile (Osama et al., "Stream-K", PPoPP 2023).
 *
 * Which items those are says the hybrid; the others are dealt with a static stride afterwards. A
 * worker goes through its run from the back: first the beginning of a tile that a worker with a
 * higher id finishes, then whole tiles, last the end of a tile that others began. Whoever has a
 * tile's last k iteration owns it. So a worker writes at most one partial sum, into the slot of its
 * own, as its very first step and before it waits for anybody, and it waits only for workers with
 * lower ids: any number of places will do where workers start in the order of their ids.
 *
 * Groups along k, as in CUTLASS: the row is dealt to `k_groups` groups, item by item, and so are
 * the workers. The workers number j of all groups then have the same k range of neighbouring tiles,
 * whose operands they share.
 *
 * Each item that is cut has a counter of its parts. Counters start at 0 and are reset between
 * launches. The owner adds the parts in the order of k, so that C does not depend on who was late.
 * Of the remap, ids are those of items: one of workers would break the order of their ids. */
#ifndef TS_STREAM_K_H
#define TS_STREAM_K_H

#include "fix_up.h"
#include "order.h"
#include "remap.h"
#include "spec.h"

static inline uint32_t ts_stream_k_uses(enum ts_mode mode)
{
	(void)mode;
	return TS_USES_HYBRID;
}

/* How many of the items are cut over the workers. */
static inline uint32_t ts_stream_k_shared(const struct ts_plan *p, enum ts_hybrid hybrid)
{
	uint32_t waves = p->items / p->workers;
	uint32_t last = p->items - waves * p->workers;

	if (hybrid == TS_BASIC)
		return p->items;
	if (hybrid == TS_ONE_TILE || last == 0 || waves == 0)
		return last;
	return last + p->workers;
}

/* The largest number up to `most` that divides both. */
static inline uint32_t ts_stream_k_groups(uint32_t items, uint32_t units, uint64_t most)
{
	uint32_t a = items, b = units, groups;

	while (b != 0) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	groups = most < a ? (uint32_t)most : a;
	while (a % groups != 0)
		groups--;
	return groups;
}

static inline enum ts_status ts_stream_k_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	uint64_t row, units, groups;

	if ((uint32_t)spec->hybrid >= TS_HYBRIDS)
		return TS_BAD_HYBRID;
	if (spec->min_k < 1 || spec->min_k > TS_COUNT_MAX)
		return TS_BAD_MIN_K;
	if (spec->k_groups < 1 || spec->k_groups > 65536)
		return TS_BAD_K_GROUPS;
	if (spec->slots != 1)
		return TS_UNUSED_SLOTS;
	if (!ts_shape_is_even(p))
		return TS_UNEVEN_K;
	p->hybrid = spec->hybrid;
	p->remap_span = p->items;
	p->shared_items = ts_stream_k_shared(p, spec->hybrid);
	/* Shorter than this, a tile is not worth cutting, and with more each unit has a tile's
	 * worth or several have parts of one. */
	if (p->depth <= (uint64_t)spec->min_k)
		p->shared_items = 0;
	if (p->shared_items == 0)
		return TS_OK; /* only the static stride */
	row = (uint64_t)p->shared_items * p->depth;
	units = row / (uint64_t)spec->min_k;
	p->units = units < p->workers ? (uint32_t)units : p->workers;
	groups = ts_stream_k_groups(p->shared_items, p->units, (uint64_t)spec->k_groups);
	p->k_groups = ts_divisor_make((uint32_t)groups);
	row /= groups;
	p->unit_k = row / (p->units / groups);
	p->longer_units = (uint32_t)(row % (p->units / groups));
	/* Where each unit has whole tiles nothing is cut. */
	if (p->longer_units > 0 || p->unit_k % p->depth != 0) {
		p->counters = p->shared_items;
		p->workspace = p->units;
	}
	return TS_OK;
}

/* n / d of 64 bits, fast where they are not needed. */
static inline TS_HD uint64_t ts_stream_k_quotient(uint64_t n, uint64_t d)
{
	return (n | d) >> 32 == 0 ? (uint32_t)n / (uint32_t)d : n / d;
}

/* Where the run of unit number `nth` of a group begins in the group's row. */
static inline TS_HD uint64_t ts_stream_k_begin(const struct ts_plan *p, uint32_t nth)
{
	return nth * p->unit_k + (nth < p->longer_units ? nth : p->longer_units);
}

/* Which unit of a group has iteration `at` of its row. */
static inline TS_HD uint32_t ts_stream_k_unit(const struct ts_plan *p, uint64_t at)
{
	if (at < p->longer_units * (p->unit_k + 1))
		return (uint32_t)ts_stream_k_quotient(at, p->unit_k + 1);
	return (uint32_t)ts_stream_k_quotient(at - p->longer_units, p->unit_k);
}

/* Part number `turn` of the run of unit `id`, from its back: its step, and in `ret_item` the item,
 * 0 <= item < shared_items. TS_STOP after the last one. */
static inline TS_HD struct ts_step ts_stream_k_part(
	const struct ts_plan *p, uint32_t id, uint32_t turn, uint32_t *ret_item)
{
	uint32_t nth = ts_quotient(id, p->k_groups);
	uint32_t group = id - nth * p->k_groups.by;
	uint64_t begin = ts_stream_k_begin(p, nth);
	uint64_t end = ts_stream_k_begin(p, nth + 1);
	uint32_t first = (uint32_t)ts_stream_k_quotient(begin, p->depth);
	uint32_t last = (uint32_t)ts_stream_k_quotient(end - 1, p->depth);
	uint32_t local;
	uint64_t from;
	struct ts_step s;

	if (turn > last - first)
		return ts_stop();
	local = last - turn;
	from = (uint64_t)local * p->depth;
	*ret_item = local * p->k_groups.by + group;
	s = ts_order_item(p, ts_remap_id(p, *ret_item));
	s.k_begin = begin > from ? (uint32_t)(begin - from) : 0;
	s.k_end = end - from < p->depth ? (uint32_t)(end - from) : p->depth;
	s.owns = s.k_end == p->depth;
	if (!s.owns)
		s.parts = 0;
	else if (s.k_begin > 0)
		s.parts = nth - ts_stream_k_unit(p, from);
	/* Slots go by groups, so that those of an item lie beside each other. */
	if (!s.owns || s.parts > 0)
		s.slot = group * ts_quotient(p->units, p->k_groups) + nth - s.parts;
	return s;
}

static inline TS_HD struct ts_step ts_stream_k_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t item = 0;
	struct ts_step s = ts_stop();

	(void)answer;
	if (w->id < p->units) {
		s = ts_stream_k_part(p, w->id, w->part, &item);
		if (s.act != TS_STOP) {
			s = ts_with_fix_up(w, s, item);
			w->part += w->claiming == 0 ? 1 : 0;
			return s;
		}
	}
	item = w->turn == 0 ? p->shared_items + w->id : w->turn - 1;
	if (item >= p->items)
		return ts_stop();
	w->turn = item + p->workers + 1;
	return ts_order_item(p, ts_remap_id(p, item));
}

#endif
