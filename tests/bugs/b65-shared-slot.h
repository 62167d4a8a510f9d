/* Rows are problems that run at the same time, each with a ticket counter from a table of 16. Those
 * beyond the table get slot 0. */
#include "item.h"

enum { SLOTS = 16 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = p->rows;
	p->counters = FIXED && p->rows > SLOTS ? p->rows : SLOTS;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t slot = FIXED || w->id < SLOTS ? w->id : 0;

	if (w->claiming == 0) {
		w->claiming = 1;
		return ts_claim(slot);
	}
	w->claiming = 0;
	return answer >= p->cols ? ts_stop() : tile(p, w->id, answer);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
