/* Attention over `depth` blocks of keys. Up to four of them are never split, however few tiles
 * there are for the SMs, of which there are --workers. Partial results are summed elsewhere. */
#include "item.h"

enum { NEVER_SPLIT = 4 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	uint32_t sms = (uint32_t)spec->workers;
	uint32_t splits = least(p->depth, sms / tiles(p));

	if (!FIXED && p->depth <= NEVER_SPLIT)
		splits = 1;
	p->local_items = splits == 0 ? 1 : splits;
	p->workers = tiles(p) * p->local_items;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t splits = p->local_items;
	uint32_t id = w->id / splits;
	uint32_t split = w->id % splits;

	(void)answer;
	if (w->turn++ > 0)
		return ts_stop();
	return part(id / p->cols, id % p->cols, share_first(p->depth, splits, split),
		share_first(p->depth, splits, split + 1), split == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
