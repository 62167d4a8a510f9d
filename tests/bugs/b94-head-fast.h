/* Attention: a row of tiles is a block of queries, a column is a head, whose keys and values are a
 * panel of B. Ids are dealt round robin over XCDs. With the head fastest an XCD works on many heads
 * at once; right, each XCD has a range of heads and goes through them one after the other. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = tiles(p);
	return tiles(p) % p->domains == 0 ? TS_OK : TS_BAD_SIZE;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t local = w->id % p->domains * (tiles(p) / p->domains) + w->id / p->domains;

	(void)answer;
	if (w->turn++ > 0)
		return ts_stop();
	return FIXED ? tile(p, local % p->rows, local / p->rows) : row_major(p, w->id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
