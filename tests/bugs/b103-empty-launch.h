/* Columns are done by two launches: whole fours, and the rest. A launch never has fewer than one
 * column, not even where there is no rest. Workers are both launches' columns. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	uint32_t rest = p->cols % 4;

	(void)spec;
	p->workers = p->cols - rest + (rest == 0 && !FIXED ? 1 : rest);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return w->turn == p->rows ? ts_stop() : tile(p, w->turn++, w->id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
