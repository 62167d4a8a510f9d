/* Worker 0 loads the list of columns of a tile, worker 1 computes the tile and then reads the list
 * again to write it back. Without a barrier behind that, the list may be the next tile's by then.
 */
#include "item.h"

enum { LIST, LOADED, WRITTEN, WORDS };
enum { READS = 8 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = 2;
	p->counters = WORDS;
	return TS_OK;
}

static inline struct ts_step load(const struct ts_plan *p, struct ts_worker *w)
{
	uint32_t id = w->turn / 3;

	if (id == tiles(p))
		return ts_stop();
	switch (w->turn++ % 3) {
	case 0: return FIXED ? wait_for(WRITTEN, id) : wait_for(LOADED, id);
	case 1: return add_to(LIST, id == 0 ? 0 : READS);
	}
	return add_to(LOADED, 1);
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t step = w->turn;

	if (w->id == 0)
		return load(p, w);
	if (step / 4 == tiles(p))
		return ts_stop();
	w->turn++;
	switch (step % 4) {
	case 0: return wait_for(LOADED, step / 4 + 1);
	case 1: return ts_claim(LIST);
	case 2: w->claiming = answer / READS; return add_to(WRITTEN, 1);
	}
	return row_major(p, w->claiming);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
