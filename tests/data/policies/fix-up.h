/* Two workers a tile: one computes the first half of its k iterations and signals, the other one,
 * its owner, waits for that and computes the rest. Owners have the ids in front of all others or,
 * with OWNERS_LAST, behind them. */
#include <tilesim/rules.h>

static inline enum ts_status fix_up_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	if (p->depth < 2)
		return TS_BAD_SIZE;
	p->remap_span = p->items;
	p->workers = 2 * p->items;
	p->counters = p->items;
	return TS_OK;
}

static inline struct ts_step fix_up_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t item = w->id % p->items;
	bool owner = OWNERS_LAST ? w->id >= p->items : w->id < p->items;
	struct ts_step s = ts_order_item(p, item);
	uint32_t turn = w->turn++;

	(void)answer;
	if (turn == 2)
		return ts_stop();
	if (turn == (owner ? 0 : 1)) {
		s = ts_step_make(owner ? TS_WAIT : TS_SIGNAL);
		s.counter = item;
		s.value = 1;
		return s;
	}
	s.k_begin = owner ? p->depth / 2 : 0;
	s.k_end = owner ? p->depth : p->depth / 2;
	s.owns = owner;
	return s;
}

static inline struct ts_rules ts_user_rules(void)
{
	struct ts_rules rules = ts_rules_make("fix-up", "two workers a tile", fix_up_next);

	rules.policy.plan = fix_up_plan;
	return rules;
}
