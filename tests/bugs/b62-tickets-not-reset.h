/* Workers draw tickets, and whoever draws the last of the launch puts the counter back to 0.
 * Without that the next launch finds no tickets. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->counters = 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t draws = tiles(p) + p->workers;

	if (w->turn == 1)
		return ts_stop();
	w->claiming = !w->claiming;
	if (w->claiming)
		return ts_claim(0);
	if (answer < tiles(p))
		return row_major(p, answer);
	w->turn = 1;
	return FIXED && answer == draws - 1 ? add_to(0, 0 - draws) : ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
