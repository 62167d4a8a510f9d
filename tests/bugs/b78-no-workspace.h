/* Four slices of k. The hook that would give them a workspace is not called in the mode that needs
 * it, and each slice is written behind the one before, where C has no rows any more. */
#include "item.h"

enum { SLICES = 4 };

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t at = stride(p, w);
	uint32_t slice = at / tiles(p);
	uint32_t id = at % tiles(p);
	uint32_t begin = share_first(p->depth, SLICES, slice);
	uint32_t row = id / p->cols + (FIXED ? 0 : slice * p->rows);

	(void)answer;
	if (slice >= SLICES || (slice > 0 && slice >= p->depth))
		return ts_stop();
	return part(row, id % p->cols, begin, share_first(p->depth, SLICES, slice + 1), slice == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
