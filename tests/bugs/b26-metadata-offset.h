/* Counters are a buffer of one number a row, without the ticket that may stand in front of them.
 * The rows' numbers are read behind that place all the same. */
#include "item.h"

enum { HAS_TICKET = 0 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->counters = HAS_TICKET + p->rows;
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
		return ts_claim((FIXED ? HAS_TICKET : 1) + id / p->cols);
	w->turn++;
	return row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
