/* The ticket counter is set to 0 by worker 0, inside the kernel: it takes away what it finds there,
 * when others may have drawn already. */
#include "item.h"

enum { BEGUN, FOUND, READY, DRAWN };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->counters = 1;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t turn = w->turn;

	if (turn == FOUND) {
		w->turn = READY;
		return add_to(0, 0 - (answer + 1));
	}
	if (turn == DRAWN) {
		w->turn = READY;
		return answer >= tiles(p) ? ts_stop() : row_major(p, answer);
	}
	w->turn = turn == BEGUN && w->id == 0 && !FIXED ? FOUND : DRAWN;
	return ts_claim(0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
