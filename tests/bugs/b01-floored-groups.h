/* Groups of up to 8 columns, decoded from padded ids, but only as many ids as tiles are visited. */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t group = least(8, p->cols);
	uint32_t ids = FIXED ? p->rows * ceil_div(p->cols, group) * group : tiles(p);
	uint32_t id, col;

	(void)answer;
	do {
		id = stride(p, w);
		if (id >= ids)
			return ts_stop();
		col = id / (group * p->rows) * group + id % group;
	} while (col >= p->cols);
	return tile(p, id / group % p->rows, col);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
