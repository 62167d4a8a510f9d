/* The grid is right, but a coordinate is taken modulo half of its extent. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t extent = FIXED ? p->rows : ceil_div(p->rows, 2);
	uint32_t id = stride(p, w);

	(void)answer;
	return id >= tiles(p) ? ts_stop() : tile(p, id / p->cols % extent, id % p->cols);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
