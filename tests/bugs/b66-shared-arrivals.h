/* Each row is a launch of its own that splits one tile over k; of its workers the one that arrives
 * last adds up and writes. With one counter for all launches, and none left at 0 after them, some
 * launch has no last one. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = p->rows * p->depth;
	p->counters = p->rows;
	return p->cols == 1 && p->depth > 0 ? TS_OK : TS_BAD_SIZE;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t launch = w->id % p->rows;
	uint32_t k = w->id / p->rows;
	bool last = answer == p->depth - 1;

	switch (w->turn++) {
	case 0: return ts_claim(FIXED ? launch : 0);
	case 1: w->claiming = last; return part(launch, 0, k, k + 1, last);
	case 2: return FIXED && w->claiming ? add_to(launch, 0 - p->depth) : ts_stop();
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
