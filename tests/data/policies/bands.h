/* An example of a policy file: bands of `width` rows walked by a static stride. */
#include <tilesim/rules.h>

static inline TS_HD struct ts_step bands_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->id + w->turn * p->workers;

	(void)answer;
	if (id >= p->items)
		return ts_stop();
	w->turn++;
	return ts_order_item(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return ts_rules_make("bands", "bands of rows, static stride", bands_next);
}
