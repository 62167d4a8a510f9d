/* Two sequences, the second of them empty. The grid is an upper bound over both, and the CTAs that
 * it has too many decode a sequence that is not there. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = (p->m + 2 * (p->block_m - 1)) / p->block_m * p->cols;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t row = w->id / p->cols;
	bool valid = FIXED ? row < p->rows : true;

	(void)answer;
	return w->turn++ > 0 || !valid ? ts_stop() : tile(p, row, w->id % p->cols);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
