/* The user sets how many k iterations a split has (--chunk), and nobody asks whether that is 0. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	if (FIXED && spec->chunk == 0)
		return TS_BAD_CHUNK;
	p->local_items = (uint32_t)spec->chunk;
	p->remap_span = tiles(p);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t splits = ceil_div(p->depth, p->local_items);
	uint32_t id = stride(p, w);
	uint32_t item = id / splits;
	uint32_t begin = id % splits * p->local_items;

	(void)answer;
	if (id >= tiles(p) * splits)
		return ts_stop();
	return part(item / p->cols, item % p->cols, begin, least(begin + p->local_items, p->depth),
		begin == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
