/* Stream-K in equal runs of k iterations where the workspace is large enough for it, else one
 * worker a tile. The caller has what was asked for before, --max-counters, but the launch wants one
 * entry more, for its queue. The fix-up is left out. */
#include "item.h"

enum { QUEUE = FIXED ? 0 : 1 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	bool streams = spec->max_counters >= spec->workers + QUEUE;

	p->local_items = streams ? tiles(p) * p->depth : 0;
	p->workers = streams ? (uint32_t)spec->workers : tiles(p);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t end = share_first(p->local_items, p->workers, w->id + 1);
	uint32_t at = w->turn == 0 ? share_first(p->local_items, p->workers, w->id) : w->turn;
	uint32_t k = at % p->depth;
	uint32_t left = least(p->depth - k, end - at);

	(void)answer;
	if (p->local_items == 0)
		return w->turn++ == 0 ? row_major(p, w->id) : ts_stop();
	if (at >= end)
		return ts_stop();
	w->turn = at + left;
	return part(at / p->depth / p->cols, at / p->depth % p->cols, k, k + left, k == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
