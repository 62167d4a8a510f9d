/* Four splits of k, rounded up: the last can be empty, and is worked on as if it were not. */
#include "item.h"

enum { SPLITS = 4 };

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t each = ceil_div(p->depth, SPLITS);
	uint32_t id = stride(p, w);
	uint32_t begin = least(id % SPLITS * each, p->depth);

	(void)answer;
	while (FIXED && begin == p->depth && id % SPLITS > 0) {
		id = stride(p, w);
		begin = least(id % SPLITS * each, p->depth);
	}
	if (id >= tiles(p) * SPLITS)
		return ts_stop();
	return part(id / SPLITS / p->cols, id / SPLITS % p->cols, begin,
		least(begin + each, p->depth), begin == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
