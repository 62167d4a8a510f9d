/* Balance without time: who gets something to do, and how small the parts of split tiles are. */
#ifndef TS_BALANCE_H
#define TS_BALANCE_H

#include <glib.h>

#include "policies/policy.h"

struct ts_balance {
	const struct ts_plan *plan;
	uint64_t places; /* workers that could be there at once */
	uint8_t *busy;   /* per worker: has it computed something? */
	uint32_t busy_workers;
	uint32_t least_worker; /* that computed the smallest part of a split tile: */
	struct ts_step least;  /* k_end is 0 where no tile is split */
};

/* `places`: as many workers as the plan was asked for. */
void ts_balance_init(struct ts_balance *b, const struct ts_plan *plan, int64_t places);
void ts_balance_finish(struct ts_balance *b);

/* Worker `id` computes item `s`. */
void ts_balance_item(struct ts_balance *b, uint32_t id, const struct ts_step *s);

/* Workers of the launch that computed nothing. */
uint32_t ts_balance_empty(const struct ts_balance *b);

/* The first of them; there must be one. */
uint32_t ts_balance_first_empty(const struct ts_balance *b);

/* As many workers as there are places or k iterations of all items, whatever is fewer: so many
 * could have had something to do. */
uint64_t ts_balance_could(const struct ts_balance *b);

/* Those of them that had nothing. */
uint64_t ts_balance_idle(const struct ts_balance *b);

/* The fewest k iterations of a part; 0 where no tile is split. */
uint32_t ts_balance_least(const struct ts_balance *b);

#endif
