/* Plans with groups, or with shapes, in a device's memory: the plan, the grids and the turns, one
 * behind the other, which then point to each other there. Kernels that take such plans ask the one
 * that lies there, and not their argument: a plan that may be one of two cannot stay in registers,
 * and AMD's compiler would copy both to scratch memory.
 *
 * Such kernels are compiled from the same source as those for plain plans, with TS_GROUPS defined.
 */
#ifndef TS_GROUP_TABLE_H
#define TS_GROUP_TABLE_H

#include "policies/all.h"

/* The plan that a kernel asks: its argument, or the one at the beginning of a table. */
static inline TS_HD const struct ts_plan *ts_group_table_plan(
	const struct ts_plan *argument, const struct ts_plan *table)
{
#if defined(TS_GROUPS)
	(void)argument;
	return table;
#else
	(void)table;
	return argument;
#endif
}

/* Host only from here on. */

/* Words of 32 bits that the plan's table takes; 0 for a plain plan, which needs none. */
static inline uint64_t ts_group_table_words(const struct ts_plan *p)
{
	uint64_t grids = p->grids == 0 ? 0 : p->grid_count;

	if (p->plain)
		return 0;
	return ((grids + 1) * sizeof(struct ts_plan) + grids * sizeof(struct ts_turn)) /
		sizeof(uint32_t);
}

/* Writes the table of a plan that is not plain, as it will lie at `address`, to ret_words[], which
 * is aligned for pointers as the address is. */
static inline void ts_group_table_make(
	const struct ts_plan *p, uint64_t address, uint32_t *ret_words)
{
	struct ts_plan *plans = (struct ts_plan *)(void *)ret_words;
	struct ts_turn *turns;

	plans[0] = *p;
	if (p->grids == 0)
		return;
	turns = (struct ts_turn *)(void *)(plans + 1 + p->grid_count);
	for (uint32_t i = 0; i < p->grid_count; i++) {
		plans[1 + i] = p->grids[i];
		turns[i] = p->turns[i];
	}
	address += sizeof(struct ts_plan);
	plans[0].grids = (const struct ts_plan *)(uintptr_t)address;
	address += p->grid_count * sizeof(struct ts_plan);
	plans[0].turns = (const struct ts_turn *)(uintptr_t)address;
}

#endif
