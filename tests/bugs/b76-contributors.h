/* Stream-K: counters are a slot for each part of a tile. How many parts a tile can have is worked
 * out as if each worker began where a tile begins. */
#include "item.h"

static inline uint32_t parts_most(const struct ts_plan *p)
{
	uint32_t each = tiles(p) * p->depth / p->workers;

	each = each == 0 ? 1 : each;
	if (FIXED)
		return ceil_div(p->depth - 1, each) + 1;
	return each >= p->depth ? 1 : ceil_div(p->depth, each);
}

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	if (p->depth == 0)
		return TS_BAD_SIZE;
	p->counters = tiles(p) * parts_most(p);
	return TS_OK;
}

/* Workers that have begun a part of the tile before worker `id` does. */
static inline uint32_t parts_before(const struct ts_plan *p, uint32_t tile_id, uint32_t id)
{
	uint32_t total = tiles(p) * p->depth;
	uint32_t count = 0;

	while (count < id && share_first(total, p->workers, id - count) > tile_id * p->depth)
		count++;
	return count;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t total = tiles(p) * p->depth;
	uint32_t end = share_first(total, p->workers, w->id + 1);
	uint32_t at = w->turn == 0 ? share_first(total, p->workers, w->id) : w->turn;
	uint32_t id = at / p->depth;
	uint32_t k = at % p->depth;
	uint32_t left = least(p->depth - k, end - at);

	(void)answer;
	if (at >= end)
		return ts_stop();
	w->claiming = !w->claiming;
	if (w->claiming)
		return add_to(parts_before(p, id, w->id) * tiles(p) + id, 1);
	w->turn = at + left;
	return part(id / p->cols, id % p->cols, k, k + left, k == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
