/* A worker asks for its next tile before it works on the one in hand. Worker 0 retires after its
 * first tile, and must still do the one that it asked for, or nobody does. */
#include "item.h"

enum { BEGUN, ASKED, AHEAD, WORKED, RETIRED };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = p->workers < 2 ? 2 : p->workers;
	p->counters = 1;
	return TS_OK;
}

/* After the first answer, `claiming` is the tile in hand. */
static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t in_hand = w->claiming;

	switch (w->turn) {
	case BEGUN: w->turn = ASKED; return ts_claim(0);
	case ASKED:
		w->claiming = answer;
		w->turn = AHEAD;
		return answer < tiles(p) ? ts_claim(0) : ts_stop();
	case AHEAD:
		w->claiming = answer;
		w->turn = WORKED;
		return row_major(p, in_hand);
	case WORKED:
		if (in_hand >= tiles(p))
			break;
		w->turn = w->id == 0 ? RETIRED : AHEAD;
		if (w->id > 0)
			return ts_claim(0);
		return FIXED ? row_major(p, in_hand) : ts_stop();
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
