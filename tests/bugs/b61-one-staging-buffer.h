/* Worker 0 is the host: it writes a plan, here a tile, into a staging buffer, queues its copy, and
 * goes on to the next. Worker 1 copies when its turn comes, and finds what is in the buffer then.
 */
#include "item.h"

enum { BUFFER, QUEUED, COPIED, WORDS };
enum { READS = 8 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = 2;
	p->counters = WORDS;
	return TS_OK;
}

static inline struct ts_step host(const struct ts_plan *p, struct ts_worker *w)
{
	uint32_t id = w->turn / 3;

	if (id == tiles(p))
		return ts_stop();
	switch (w->turn++ % 3) {
	case 0: return wait_for(COPIED, FIXED ? id : 0);
	case 1: return add_to(BUFFER, id == 0 ? 0 : READS);
	}
	return add_to(QUEUED, 1);
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t step = w->turn;

	if (w->id == 0)
		return host(p, w);
	if (step / 4 == tiles(p))
		return ts_stop();
	w->turn++;
	switch (step % 4) {
	case 0: return wait_for(QUEUED, step / 4 + 1);
	case 1: return ts_claim(BUFFER);
	case 2: w->claiming = answer / READS; return add_to(COPIED, 1);
	}
	return row_major(p, w->claiming);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
