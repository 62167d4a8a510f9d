/* Eight warps count rows in slices of 31: each begins at its own slice, but goes on to the next
 * one, which is another warp's. */
#include "item.h"

enum { WARPS = 8, SLICE = 31 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = WARPS;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t apart = FIXED ? WARPS * SLICE : SLICE;
	uint32_t row = w->id * SLICE + w->turn / SLICE * apart + w->turn % SLICE;

	(void)answer;
	w->turn++;
	return row >= p->rows ? ts_stop() : tile(p, row, 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
