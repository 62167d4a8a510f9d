/* Each row is a stream-K launch on a stream of its own, with one tile in two parts: a helper sets a
 * flag, the owner waits for it and clears it. One flag for all streams is set twice and cleared
 * once. Setting is a claim, taken back where the flag was set already. */
#include "item.h"

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = 2 * p->rows;
	p->counters = p->rows;
	return p->cols == 1 && p->depth > 1 ? TS_OK : TS_BAD_SIZE;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t stream = w->id / 2;
	uint32_t flag = FIXED ? stream : 0;

	if (w->id % 2 == 0) {
		switch (w->turn++) {
		case 0: return part(stream, 0, 0, 1, false);
		case 1: return ts_claim(flag);
		case 2: return answer > 0 ? add_to(flag, 0 - 1u) : ts_stop();
		}
		return ts_stop();
	}
	switch (w->turn++) {
	case 0: return wait_for(flag, 1);
	case 1: return add_to(flag, 0 - 1u);
	case 2: return part(stream, 0, 1, p->depth, true);
	}
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
