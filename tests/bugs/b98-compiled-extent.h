/* A raster in groups of four rows over ids that are made with the number of columns the kernel was
 * compiled for, not with the one it is launched with. */
#include "item.h"

enum { COMPILED = 32 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = tiles(p);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t cols = FIXED ? p->cols : COMPILED;
	uint32_t id = w->id / p->cols * cols + w->id % p->cols;
	uint32_t first = id / (4 * cols) * 4;
	uint32_t high = first < p->rows ? least(4, p->rows - first) : 1;
	uint32_t within = id % (4 * cols);

	(void)answer;
	return w->turn++ > 0 ? ts_stop() : tile(p, first + within % high, within / high);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
