/* The grid is an upper bound for 128 sequences, times the columns, and lies on the z axis, which a
 * launch with more than 65535 does not get past. */
#include "item.h"

enum { SEQUENCES = 128, Z_MOST = 65535 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	uint64_t rows = ((uint64_t)p->m + SEQUENCES * (p->block_m - 1)) / p->block_m;

	(void)spec;
	p->workers = (uint32_t)(rows * p->cols);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	bool launched = FIXED || p->workers <= Z_MOST;

	(void)answer;
	if (w->turn++ > 0 || !launched || w->id >= tiles(p))
		return ts_stop();
	return row_major(p, w->id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
