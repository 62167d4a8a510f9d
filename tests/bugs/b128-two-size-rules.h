/* Counters are a number for each row of work. Where the buffer is made, the rule takes a prefix
 * that all share for a batch of one. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->counters = FIXED ? p->rows : 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->id + w->turn * p->workers;

	(void)answer;
	if (id >= tiles(p))
		return ts_stop();
	w->claiming = !w->claiming;
	if (w->claiming)
		return add_to(id / p->cols, 1);
	w->turn++;
	return row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
