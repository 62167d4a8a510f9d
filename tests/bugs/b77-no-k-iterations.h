/* The first k iteration makes the accumulator zero and thereby a result; without one there is none.
 */
#include "item.h"

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = stride(p, w);
	bool writes = FIXED || p->depth > 0;

	(void)answer;
	return id >= tiles(p) || !writes ? ts_stop() : row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
