/* Rows of the grid are rows of C. Blocks of BLOCK rows serve one of four groups each; laid over all
 * rows, one that reaches into the next group leaves out those rows. */
#include "item.h"

enum { BLOCK = 4, GROUPS = 4 };

static inline uint32_t group_rows(const struct ts_plan *p)
{
	return ceil_div(p->rows, GROUPS);
}

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = FIXED ? GROUPS * ceil_div(group_rows(p), BLOCK) : ceil_div(p->rows, BLOCK);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t size = group_rows(p);
	uint32_t blocks = ceil_div(size, BLOCK);
	uint32_t first = FIXED ? w->id / blocks * size + w->id % blocks * BLOCK : w->id * BLOCK;
	uint32_t group = FIXED ? w->id / blocks : first / size;
	uint32_t end = least(least(first + BLOCK, (group + 1) * size), p->rows);
	uint32_t row = first + w->turn++;

	(void)answer;
	return row >= end ? ts_stop() : tile(p, row, 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
