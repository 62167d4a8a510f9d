/* Worker 0 writes a map of rows, worker 1 reads it in pairs. Of an odd number of entries the last
 * pair's second one was never written. Counters are the entries, then a flag. */
#include "item.h"

static inline uint32_t entries(const struct ts_plan *p)
{
	return ceil_div(p->rows, 2) * 2;
}

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = 2;
	p->counters = entries(p) + 1;
	return TS_OK;
}

static inline struct ts_step route(const struct ts_plan *p, struct ts_worker *w)
{
	uint32_t row = w->turn++;

	if (row > p->rows)
		return ts_stop();
	return row == p->rows ? add_to(entries(p), 1) : add_to(row, row);
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	if (w->id == 0)
		return route(p, w);
	if (w->claiming) {
		w->claiming = 0;
		return tile(p, answer, 0);
	}
	if (w->turn++ == 0)
		return wait_for(entries(p), 1);
	if (w->turn - 1 > (FIXED ? p->rows : entries(p)))
		return ts_stop();
	w->claiming = 1;
	return ts_claim(w->turn - 2);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
