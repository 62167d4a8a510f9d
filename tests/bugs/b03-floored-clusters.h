/* Clusters of two rows, counted by a floor division: an odd last row is in no cluster. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t cluster_rows = FIXED ? ceil_div(p->rows, 2) : p->rows / 2;
	uint32_t id = stride(p, w);

	(void)answer;
	if (id >= cluster_rows * p->cols)
		return ts_stop();
	return tile(p, id / p->cols * 2, id % p->cols);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
