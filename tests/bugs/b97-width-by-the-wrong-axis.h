/* A raster in panels of up to 16 rows, for a grid with more rows than columns. The width is limited
 * by the number of columns, not by that of rows, along which the panels lie. */
#include "item.h"

enum { WIDTH = 16 };

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t width = least(WIDTH, FIXED ? p->rows : p->cols);
	uint32_t id = stride(p, w);
	uint32_t panel = id / (width * p->cols);
	uint32_t nth = id % (width * p->cols);
	uint32_t height = least(width, p->rows - panel * width);

	(void)answer;
	if (id >= tiles(p))
		return ts_stop();
	return tile(p, panel * width + nth % height, nth / height);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
