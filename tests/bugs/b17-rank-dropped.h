/* Every CTA of a cluster takes the coordinates of the cluster for those of its tile. */
#include "item.h"

static inline struct ts_tile cta_tile(
	const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	struct ts_tile t = ts_cta_tile(p, s, rank);

	t.m = FIXED ? t.m : s->m / p->cluster_m;
	t.n = FIXED ? t.n : s->n / p->cluster_n;
	return t;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = stride(p, w);

	(void)answer;
	return id >= p->items ? ts_stop() : ts_order_item(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	struct ts_rules rules = rules_of(next);

	rules.cta_tile = cta_tile;
	return rules;
}
