/* A raster in panels of four rows. The grid is padded to whole panels, and blocks without a tile
 * leave at once; right is a last panel that is lower. */
#include "item.h"

enum { WIDTH = 4 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = FIXED ? tiles(p) : ceil_div(p->rows, WIDTH) * WIDTH * p->cols;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t panel = w->id / (WIDTH * p->cols);
	uint32_t nth = w->id % (WIDTH * p->cols);
	uint32_t height = FIXED ? least(WIDTH, p->rows - panel * WIDTH) : WIDTH;
	uint32_t row = panel * WIDTH + nth % height;

	(void)answer;
	if (w->turn++ > 0 || row >= p->rows)
		return ts_stop();
	return tile(p, row, nth / height);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
