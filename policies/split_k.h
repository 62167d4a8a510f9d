/* Split-K: the k iterations of each item are cut in `splits`, one worker each, as evenly as can be
 * and the longer parts first. More splits than k iterations are as many as those.
 *
 * The grid is as large as the problem times the splits, and the hardware starts the next worker
 * where one leaves. Ids run over all items of one split before the next, and the last split owns:
 * it waits only for workers with lower ids, which never wait themselves, so that any number of
 * places will do where workers start in the order of their ids.
 *
 * Each part but the last has a slot of its own, each item a counter of its parts. Counters start at
 * 0 and are reset between launches. The owner adds the parts in the order of k, so that C does not
 * depend on who was late. */
#ifndef TS_SPLIT_K_H
#define TS_SPLIT_K_H

#include "fix_up.h"
#include "order.h"
#include "remap.h"
#include "spec.h"

static inline uint32_t ts_split_k_uses(enum ts_mode mode)
{
	(void)mode;
	return TS_USES_SPLITS;
}

static inline enum ts_status ts_split_k_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	uint32_t most = p->depth > 0 ? p->depth : 1;
	uint32_t splits = most;

	if (spec->splits < 1 || spec->splits > TS_COUNT_MAX)
		return TS_BAD_SPLITS;
	if (spec->slots != 1)
		return TS_UNUSED_SLOTS;
	if (!ts_shape_is_even(p))
		return TS_UNEVEN_K;
	if (spec->splits < most)
		splits = (uint32_t)spec->splits;
	if ((uint64_t)p->items * splits > TS_COUNT_MAX)
		return TS_MANY_SPLITS;
	p->workers = p->items * splits;
	p->remap_span = p->items;
	p->splits = ts_divisor_make(splits);
	if (p->items > 0)
		p->per_split = ts_divisor_make(p->items);
	if (splits > 1) {
		p->workspace = p->items * (splits - 1);
		p->counters = p->items;
	}
	return TS_OK;
}

static inline TS_HD struct ts_step ts_split_k_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t split, item;
	struct ts_step s;

	(void)answer;
	if (w->turn > 0 && w->claiming == 0)
		return ts_stop();
	w->turn = 1;
	split = ts_quotient(w->id, p->per_split);
	if (split >= p->splits.by)
		return ts_stop();
	item = w->id - split * p->per_split.by;
	s = ts_order_item(p, ts_remap_id(p, item));
	s.k_begin = ts_share_first(p->depth, p->splits, split);
	s.k_end = s.k_begin + ts_share(p->depth, p->splits, split);
	s.owns = split == p->splits.by - 1;
	s.slot = item * (p->splits.by - 1) + (s.owns ? 0 : split);
	s.parts = s.owns ? p->splits.by - 1 : 0;
	return ts_with_fix_up(w, s, item);
}

#endif
