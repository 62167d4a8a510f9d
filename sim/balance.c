/* Counts of workers and parts. */
#include "sim/balance.h"

#include <string.h>

void ts_balance_init(struct ts_balance *b, const struct ts_plan *plan, int64_t places)
{
	memset(b, 0, sizeof *b);
	b->plan = plan;
	b->places = (uint64_t)MAX(places, 1);
	b->busy = g_new0(uint8_t, MAX(plan->workers, 1));
}

void ts_balance_finish(struct ts_balance *b)
{
	g_clear_pointer(&b->busy, g_free);
}

void ts_balance_item(struct ts_balance *b, uint32_t id, const struct ts_step *s)
{
	uint32_t least = ts_balance_least(b);

	b->busy_workers += b->busy[id] == 0;
	b->busy[id] = 1;
	if (s->k_end <= s->k_begin || s->k_end - s->k_begin >= b->plan->depth)
		return;
	if (least != 0 && s->k_end - s->k_begin >= least)
		return;
	b->least = *s;
	b->least_worker = id;
}

uint32_t ts_balance_empty(const struct ts_balance *b)
{
	return b->plan->items > 0 ? b->plan->workers - b->busy_workers : 0;
}

uint32_t ts_balance_first_empty(const struct ts_balance *b)
{
	uint32_t id = 0;

	while (b->busy[id] != 0)
		id++;
	return id;
}

uint64_t ts_balance_could(const struct ts_balance *b)
{
	uint64_t work = (uint64_t)b->plan->items * MAX(b->plan->depth, 1);

	return MIN(b->places, work);
}

uint64_t ts_balance_idle(const struct ts_balance *b)
{
	uint64_t could = ts_balance_could(b);

	return could - MIN(could, b->busy_workers);
}

uint32_t ts_balance_least(const struct ts_balance *b)
{
	return b->least.k_end - b->least.k_begin;
}
