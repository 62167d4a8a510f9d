/* Groups lie one behind the other. Tiles of BLOCK_M rows are laid over all their rows, and each serves
 * the group of its first row: the rows of one that reaches into the next group are left out there. */
#include "item.h"

/* The tile of the group that has this row of all. */
static inline struct ts_step tile_of_row(const struct ts_plan *p, uint32_t row)
{
	struct ts_step s;
	uint32_t g = p->groups - 1;

	while (ts_group_row(p, g) > row)
		g--;
	s = tile(p, (uint32_t)(row - ts_group_row(p, g)) / p->block_m, 0);
	s.g = g;
	return s;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = stride(p, w);
	uint64_t rows = ts_group_row(p, p->groups - 1) + ts_grid(p, p->groups - 1)->m;

	(void)answer;
	if (FIXED)
		return id >= p->items ? ts_stop() : ts_order_item(p, id);
	return (uint64_t)id * p->block_m >= rows ? ts_stop() : tile_of_row(p, id * p->block_m);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
