/* Slices of k of variable length, as the class of the fault. Each tile's first k iterations, the
 * unsynchronised prefix, are computed by one worker; what is left of all tiles is one line, of
 * which each worker has a slice of equal length. A slice that is shorter than the prefix counts its
 * tiles down from its last one, while its k iterations go up. */
#include "item.h"

enum { PREFIX = 6 };

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	return p->depth > PREFIX ? TS_OK : TS_BAD_SIZE;
}

/* The part of the slice that begins at `at`. */
static inline struct ts_step sliced(
	const struct ts_plan *p, struct ts_worker *w, uint32_t begin, uint32_t end)
{
	uint32_t rest = p->depth - PREFIX;
	uint32_t at = w->claiming == 0 ? begin : w->claiming;
	uint32_t left = least(rest - at % rest, end - at);
	uint32_t id = at / rest;

	if (!FIXED && end - begin < PREFIX)
		id = (end - 1) / rest - (id - begin / rest);
	w->claiming = at + left;
	return part(
		id / p->cols, id % p->cols, PREFIX + at % rest, PREFIX + at % rest + left, false);
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t line = tiles(p) * (p->depth - PREFIX);
	uint32_t begin = share_first(line, p->workers, w->id);
	uint32_t end = share_first(line, p->workers, w->id + 1);
	uint32_t id = w->id + w->turn * p->workers;

	(void)answer;
	if (id < tiles(p)) {
		w->turn++;
		return part(id / p->cols, id % p->cols, 0, PREFIX, true);
	}
	if (w->claiming == 0 ? begin < end : w->claiming < end)
		return sliced(p, w, begin, end);
	return ts_stop();
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
