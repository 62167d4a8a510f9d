/* Workers begin at their id and go on by tickets. An id behind the last tile is legal and must only
 * leave; asserting that there is none traps. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->counters = 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->turn == 0 ? w->id : p->workers + answer;

	if (!FIXED && w->turn == 0 && id >= tiles(p))
		__builtin_trap();
	w->claiming = w->turn > 0 && !w->claiming;
	if (w->claiming)
		return ts_claim(0);
	w->turn = 1;
	return id >= tiles(p) ? ts_stop() : row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
