/* Two groups of tiles, the second with one k iteration only; CTAs 2i and 2i + 1 meet at a barrier
 * in every iteration. A pair across both groups does not meet as often. Counters are the barriers.
 */
#include "item.h"

static inline uint32_t group_ids(const struct ts_plan *p)
{
	uint32_t count = p->rows / 2 * p->cols;

	return FIXED ? count + count % 2 : count;
}

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = 2 * group_ids(p);
	p->counters = ceil_div(p->workers, 2);
	return p->rows % 2 == 0 ? TS_OK : TS_BAD_SIZE;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t group = w->id / group_ids(p);
	uint32_t within = w->id % group_ids(p);
	uint32_t trips = group == 0 ? p->depth : least(1, p->depth);
	uint32_t step = w->turn++;

	(void)answer;
	if (step < 2 * trips && step % 2 == 0)
		return add_to(w->id / 2, 1);
	if (step < 2 * trips)
		return wait_for(w->id / 2, step + 1);
	if (step > 2 * trips || within >= p->rows / 2 * p->cols)
		return ts_stop();
	return tile(p, group * (p->rows / 2) + within / p->cols, within % p->cols);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
