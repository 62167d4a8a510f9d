/* Two groups of tiles, upper and lower rows. The host counts tiles, the device's ids are padded to
 * the swizzle of each group. */
#include "item.h"

static inline uint32_t swizzle_log(uint32_t rows, uint32_t cols)
{
	uint32_t narrow = least(rows, cols);

	return narrow >= 3 ? 2 : narrow >= 2 ? 1 : 0;
}

static inline uint32_t padded(uint32_t size, uint32_t log)
{
	return ceil_div(size, 1u << log) << log;
}

static inline uint32_t group_ids(uint32_t rows, uint32_t cols)
{
	uint32_t log = swizzle_log(rows, cols);

	return padded(rows, log) * padded(cols, log);
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t upper = p->rows / 2;
	uint32_t total = group_ids(upper, p->cols) + group_ids(p->rows - upper, p->cols);
	uint32_t ids = FIXED ? total : tiles(p);

	(void)answer;
	for (;;) {
		uint32_t id = stride(p, w);
		bool below = id >= group_ids(upper, p->cols);
		uint32_t rows = below ? p->rows - upper : upper;
		uint32_t log = swizzle_log(rows, p->cols);
		uint32_t wide = padded(p->cols, log);
		uint32_t row, col;

		if (id >= ids)
			return ts_stop();
		id -= below ? group_ids(upper, p->cols) : 0;
		row = ((id >> log) / wide << log) + (id & ((1u << log) - 1));
		col = (id >> log) % wide;
		if (row < rows && col < p->cols)
			return tile(p, row + (below ? upper : 0), col);
	}
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
