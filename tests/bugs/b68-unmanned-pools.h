/* Each XCD has a pool of tiles, what is left over is for all. With fewer workers than XCDs some
 * pools have nobody. Counters are the pools', then the one for all. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->queue_domains = FIXED ? least(p->workers, p->domains) : p->domains;
	p->counters = p->queue_domains + 1;
	p->local_items = tiles(p) / p->domains * p->queue_domains;
	return TS_OK;
}

static inline uint32_t counter_items(const struct ts_plan *p, uint32_t counter)
{
	if (counter < p->queue_domains)
		return p->local_items / p->queue_domains;
	return tiles(p) - p->local_items;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t pool = w->turn == 0 ? w->domain : p->queue_domains;

	w->claiming = !w->claiming;
	if (w->claiming)
		return ts_claim(pool);
	if (answer < counter_items(p, pool))
		return row_major(p, counter_items(p, 0) * pool + answer);
	if (w->turn++ == 1)
		return ts_stop();
	w->claiming = 1;
	return ts_claim(p->queue_domains);
}

static inline struct ts_rules ts_user_rules(void)
{
	struct ts_rules rules = rules_with(next, plan);

	rules.policy.counter_items = counter_items;
	return rules;
}
