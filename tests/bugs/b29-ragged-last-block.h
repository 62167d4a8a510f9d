/* K is counted in single elements, and split into three items of whole blocks of 64. */
#include "item.h"

enum { BLOCK = 64, ITEMS = 3 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = ITEMS;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t blocks = ceil_div(p->depth, BLOCK);
	uint32_t begin = share_first(blocks, ITEMS, w->id) * BLOCK;
	uint32_t end = share_first(blocks, ITEMS, w->id + 1) * BLOCK;
	uint32_t id = w->turn++;

	(void)answer;
	if (id >= tiles(p) || (begin >= end && w->id > 0))
		return ts_stop();
	end = FIXED ? least(end, p->depth) : end;
	return part(id / p->cols, id % p->cols, begin, end, w->id == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
