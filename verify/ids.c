/* Walks over linear ids: the text of the policies, with no remap and no order behind a claim. */
#include <glib.h>

#include "policies/order.h"
#include "policies/remap.h"

/* Odd, and what it times is 1 modulo 2^32. */
#define SCATTER 0x9e3779b1u
#define GATHER 0x0e8b2f51u

/* Shows in the item that the id went through here, and unchanged from here to the order: what is
 * near to an id's number is none of a small id's. */
static inline uint32_t id_remap(const struct ts_plan *p, uint32_t id)
{
	(void)p;
	return id * SCATTER;
}

/* Says which id was asked for in both coordinates; all else is as ts_order_item() has it. */
static inline struct ts_step id_item(const struct ts_plan *p, uint32_t remapped)
{
	struct ts_step s = ts_step_make(TS_WORK);

	s.m = remapped * GATHER;
	s.n = remapped;
	s.k_end = p->depth;
	s.owns = true;
	return s;
}

/* See loops.c. */
G_ALWAYS_INLINE static inline struct ts_step ts_worksteal_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
G_ALWAYS_INLINE static inline struct ts_step ts_clc_next(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer);

/* The policies know both by name only. */
#define ts_remap_id id_remap
#define ts_order_item id_item
#include "policies/all.h"
#undef ts_remap_id
#undef ts_order_item

#include "verify/drive.h"

/* One bit an id. A policy that hands out anything but what the order gave it is not for here. */
G_ALWAYS_INLINE static inline bool mark(
	struct ts_run *r, const struct ts_plan *p, uint32_t worker, struct ts_step item)
{
	struct ts_step asked = id_item(p, id_remap(p, item.m));
	uint64_t *word, bit = (uint64_t)1 << item.m % 64;

	(void)worker;
	if (item.m >= p->items || item.n != asked.n || item.g != asked.g ||
		item.k_begin != asked.k_begin || item.k_end != asked.k_end ||
		item.slot != asked.slot || item.parts != asked.parts || !item.owns)
		return false;
	word = &r->coverage->bits[item.m / 64];
	if ((*word & bit) != 0)
		return false;
	*word |= bit;
	return true;
}

/* All is known as it is: there is no order to look into. */
G_ALWAYS_INLINE static inline bool narrow(struct ts_plan *plan)
{
	(void)plan;
	return true;
}

#include "verify/loops.h"

struct ts_step ts_drive_id_step(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	return ts_next(p, w, answer);
}

bool ts_walk_has_ids(const struct ts_plan *plan)
{
	return find_loop(plan) != NULL && plan->items <= plan->cells;
}

bool ts_walk_ids(const struct ts_walk *walk, const struct ts_plan *plan, struct ts_coverage *c)
{
	uint64_t gaps = 0;

	if (!ts_drive_run(walk, plan, NULL, c, find_loop(plan)))
		return false;
	for (size_t i = 0; i < plan->items / 64; i++)
		gaps |= ~c->bits[i];
	if (plan->items % 64 != 0)
		gaps |= ~c->bits[plan->items / 64] << (64 - plan->items % 64);
	return gaps == 0 && ts_coverage_drained(c);
}
