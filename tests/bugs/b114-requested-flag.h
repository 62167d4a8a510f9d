/* Dynamic scheduling is asked for and not supported. The host's grid knows, and is static; the
 * kernel is the one that was asked for, which does one tile and leaves the rest to the hardware. */
#include "item.h"

enum { REQUESTED = 1, EFFECTIVE = 0 };

static inline struct ts_step next(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	bool dynamic = FIXED ? EFFECTIVE : REQUESTED;
	uint32_t id = stride(p, w);

	(void)answer;
	return id >= tiles(p) || (dynamic && w->turn > 1) ? ts_stop() : row_major(p, id);
}

static inline struct ts_rules ts_user_rules(void)
{
	return rules_of(next);
}
