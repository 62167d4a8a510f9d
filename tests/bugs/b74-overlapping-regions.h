/* Rows are those of a workspace with a region for each of four splits, each a row longer than what
 * a split needs. The kernel writes whole tiles, so the regions must not be laid out without that
 * row. */
#include "item.h"

enum { SPLITS = 4 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = SPLITS;
	return p->rows % SPLITS == 0 ? TS_OK : TS_BAD_SIZE;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t written = p->rows / SPLITS;
	uint32_t apart = FIXED ? written : written - 1;
	uint32_t row = w->turn++;

	(void)answer;
	return row == written ? ts_stop() : tile(p, w->id * apart + row, 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
