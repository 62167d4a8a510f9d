/* Each XCD's part of the tiles is worked out by dividing by a number of XCDs that a device with a
 * single die reports as 0. */
#include "item.h"

static inline uint32_t reported_xcds(const struct ts_plan *p)
{
	return p->domains == 1 ? 0 : p->domains;
}

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t xcds = FIXED ? p->domains : reported_xcds(p);
	uint32_t budget = ceil_div(tiles(p), xcds);
	uint32_t members = ceil_div(p->workers - w->domain, p->domains);
	uint32_t within = w->id / p->domains + w->turn++ * members;
	uint32_t id = w->domain * budget + within;

	(void)answer;
	return within >= budget || id >= tiles(p) ? ts_stop() : row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
