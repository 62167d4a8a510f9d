/* Stream-K over units of k iterations, one a worker. Units are made for all SMs, workers are as
 * many as clusters of four fit into GPCs of 18 SMs. --workers is the number of SMs. */
#include "item.h"

enum { GPC = 18, CLUSTER = 4 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	uint32_t sms = (uint32_t)spec->workers;

	p->workers = sms / GPC * (GPC - GPC % CLUSTER) + sms % GPC / CLUSTER * CLUSTER;
	p->local_items = FIXED ? p->workers : sms;
	if (p->depth == 0)
		return TS_BAD_SIZE;
	return p->workers > 0 ? TS_OK : TS_BAD_WORKERS;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t units = p->local_items;
	uint32_t total = tiles(p) * p->depth;
	uint32_t end = share_first(total, units, w->id + 1);
	uint32_t at = w->turn == 0 ? share_first(total, units, w->id) : w->turn;
	uint32_t k = at % p->depth;
	uint32_t left = least(p->depth - k, end - at);
	uint32_t id = at / p->depth;

	(void)answer;
	if (at >= end)
		return ts_stop();
	w->turn = at + left;
	return part(id / p->cols, id % p->cols, k, k + left, k == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
