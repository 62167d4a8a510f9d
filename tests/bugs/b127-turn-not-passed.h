/* Tiles are written in turns. One that the mask leaves empty, here one above the diagonal, is
 * written at once and leaves without passing on the turn that was counted for it. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = tiles(p);
	p->counters = 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	bool empty = w->id % p->cols > w->id / p->cols;

	(void)answer;
	w->turn += w->turn == 0 && empty && !FIXED ? 2 : 1;
	switch (w->turn) {
	case 1: return wait_for(0, w->id);
	case 2: return row_major(p, w->id);
	case 3: return empty && !FIXED ? ts_stop() : add_to(0, 1);
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
