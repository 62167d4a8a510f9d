/* Even and odd workers are launches on two streams, over the upper and the lower tiles. Both draw
 * from the one ticket counter of the device. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = p->workers < 2 ? 2 : p->workers;
	p->counters = 2;
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t stream = w->id % 2;
	uint32_t upper = tiles(p) / 2;
	uint32_t count = stream == 0 ? upper : tiles(p) - upper;

	if (w->claiming == 0) {
		w->claiming = 1;
		return ts_claim(FIXED ? stream : 0);
	}
	w->claiming = 0;
	return answer >= count ? ts_stop() : row_major(p, stream * upper + answer);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
