/* Worker 0 publishes a tile's number and then a flag, worker 1 polls the flag and reads the number.
 * Without release the flag may arrive first; that is written out here as the order of two steps. */
#include "item.h"

enum { DATA, FLAG, READ, WORDS };
enum { READS = 8 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->workers = 2;
	p->counters = WORDS;
	return TS_OK;
}

static inline struct ts_step publish(const struct ts_plan *p, struct ts_worker *w)
{
	uint32_t id = w->turn / 3;
	struct ts_step data = add_to(DATA, id == 0 ? 0 : READS);
	struct ts_step flag = add_to(FLAG, 1);

	if (id == tiles(p))
		return ts_stop();
	switch (w->turn++ % 3) {
	case 0: return wait_for(READ, id);
	case 1: return FIXED ? data : flag;
	}
	return FIXED ? flag : data;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t step = w->turn;

	if (w->id == 0)
		return publish(p, w);
	if (step / 4 == tiles(p))
		return ts_stop();
	w->turn++;
	switch (step % 4) {
	case 0: return wait_for(FLAG, step / 4 + 1);
	case 1: return ts_claim(DATA);
	case 2: w->claiming = answer / READS; return add_to(READ, 1);
	}
	return row_major(p, w->claiming);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
