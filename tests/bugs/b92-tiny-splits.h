/* Decoding over `depth` tokens. The number of splits grows with the logarithm of the length and the
 * share of SMs, up to 29 for 256 tokens, which is what is taken here for all lengths; right is one
 * split for each 256 tokens. */
#include "item.h"

enum { SPLITS = 29, CHUNK = 256 };

static inline uint32_t splits(const struct ts_plan *p)
{
	return FIXED ? ceil_div(p->depth, CHUNK) : SPLITS;
}

static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	if (p->depth < SPLITS)
		return TS_BAD_SIZE;
	p->workers = tiles(p) * splits(p);
	return TS_OK;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->id / splits(p);
	uint32_t split = w->id % splits(p);

	(void)answer;
	if (w->turn++ > 0)
		return ts_stop();
	return part(id / p->cols, id % p->cols, share_first(p->depth, splits(p), split),
		share_first(p->depth, splits(p), split + 1), split == 0);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_with(next, plan);
}
