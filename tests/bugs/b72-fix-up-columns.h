/* Stream-K: each worker has a run of k iterations over all tiles. What it adds to a tile that
 * another one began goes to the first columns, wherever the tile is. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	return p->depth > 0 ? TS_OK : TS_BAD_SIZE;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t total = tiles(p) * p->depth;
	uint32_t end = share_first(total, p->workers, w->id + 1);
	uint32_t at = w->turn == 0 ? share_first(total, p->workers, w->id) : w->turn;
	uint32_t k = at % p->depth;
	uint32_t left = least(p->depth - k, end - at);
	uint32_t id = at / p->depth;
	bool whose = k == 0;

	(void)answer;
	if (at >= end)
		return ts_stop();
	w->turn = at + left;
	return part(id / p->cols, whose || FIXED ? id % p->cols : 0, k, k + left, whose);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
