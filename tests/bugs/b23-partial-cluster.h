/* Whether a CTA has a tile is asked of its cluster, which always has one. */
#include "item.h"

static inline struct ts_tile cta_tile(
	const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	struct ts_tile t = ts_cta_tile(p, s, rank);

	t.valid = FIXED ? t.valid : s->m < p->rows && s->n < p->cols;
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
