/* Coverage: is every k iteration of every tile computed exactly once, inside the grid, with one
 * owner a tile? Fed with the items and claims of a run, in any order, from any driver. */
#ifndef TS_COVERAGE_H
#define TS_COVERAGE_H

#include "policies/rules.h"
#include "verify/workspace.h"

/* One bit a tile, and lists only for tiles whose k range is split. Can be reset for another plan,
 * and then keeps its memory. */
struct ts_coverage {
	const struct ts_plan *plan;
	const struct ts_rules *rules; /* whose counters these are; NULL for the registered ones */
	uint64_t *bits;
	size_t words_made;
	GHashTable *parts; /* tile -> struct part, or NULL while there is none */
	uint32_t counters; /* of the plan */
	uint32_t *claimed; /* per counter: claims seen */
	size_t claimed_made;
	struct ts_workspace workspace;
	size_t slots_made;
	uint64_t idle_workers;
	struct ts_finding finding; /* the first one */
};

void ts_coverage_init(struct ts_coverage *c);
void ts_coverage_finish(struct ts_coverage *c);

/* Bytes that a run of `plan` takes there, but for what cut tiles take as they are computed. */
uint64_t ts_coverage_bytes(const struct ts_plan *plan);

/* Empties `c` for a run of `plan`, which must outlive it. */
void ts_coverage_reset(struct ts_coverage *c, const struct ts_plan *plan);

/* Worker `worker`, holding `hand`, carries out any step; items and claims are noted beside this.
 * What its counter has is known from the claims and from here. False where it is wrong. */
bool ts_coverage_step(
	struct ts_coverage *c, struct ts_hand *hand, uint32_t worker, const struct ts_step *s);

/* To be called when no worker is left. True if all is well, else c->finding says what is not. */
bool ts_coverage_verdict(struct ts_coverage *c);

/* After a verdict that is sound, of a run whose claims were all marked: has each counter given out
 * as many items as the policy says that it has? */
bool ts_coverage_drained(struct ts_coverage *c);

/* Notes the first finding only. */
void ts_coverage_fault(struct ts_coverage *c, const struct ts_finding *f);

/* The slow half of ts_coverage_item(): a tile that is not simply new, whole and inside. */
void ts_coverage_odd(struct ts_coverage *c, uint32_t worker, uint32_t rank, uint32_t g, uint32_t m,
	uint32_t n, uint32_t k_begin, uint32_t k_end, bool owns);

/* The slow half of ts_coverage_claim(): the plan has no such counter. */
void ts_coverage_no_counter(struct ts_coverage *c, uint32_t worker, uint32_t counter);

/* Worker `worker` claims from `counter`. Returns the counter's old value, or false where the plan
 * has no such counter. */
static inline bool ts_coverage_claim(
	struct ts_coverage *c, uint32_t worker, uint32_t counter, uint32_t *ret_old)
{
	if (counter >= c->counters)
		return ts_coverage_no_counter(c, worker, counter), false;
	*ret_old = c->claimed[counter]++;
	return true;
}

/* The same for plans of several grids, or of shapes that are no rectangle. */
void ts_coverage_mark_grids(struct ts_coverage *c, uint32_t worker, struct ts_step s,
	struct ts_tile (*cta_tile)(const struct ts_plan *, const struct ts_step *, uint32_t));

/* Worker `worker` computes CTA `rank`'s part of item `s` of a plain plan. */
G_ALWAYS_INLINE static inline void ts_coverage_tile(struct ts_coverage *c, const struct ts_plan *p,
	uint32_t worker, const struct ts_step *s, uint32_t rank, struct ts_tile tile)
{
	uint64_t index = (uint64_t)tile.m * p->cols + tile.n;
	uint64_t bit = (uint64_t)1 << (index & 63);
	bool whole = s->k_begin == 0 && s->k_end == p->depth && s->owns && c->parts == NULL;

	if (whole && tile.m < p->rows && tile.n < p->cols && s->g == 0 &&
		(c->bits[index >> 6] & bit) == 0)
		c->bits[index >> 6] |= bit;
	else
		ts_coverage_odd(
			c, worker, rank, s->g, tile.m, tile.n, s->k_begin, s->k_end, s->owns);
}

/* Worker `worker` computes item `s` of `p`, which equals the plan that `c` was reset for. A loop
 * hands in its own copy, and `cta_tile`, for the compiler to see through. */
G_ALWAYS_INLINE static inline void ts_coverage_mark(struct ts_coverage *c, const struct ts_plan *p,
	uint32_t worker, const struct ts_step *s,
	struct ts_tile (*cta_tile)(const struct ts_plan *, const struct ts_step *, uint32_t))
{
	uint32_t ranks = p->cluster_m * p->cluster_n;
	struct ts_tile tile;

	if (!p->plain) {
		ts_coverage_mark_grids(c, worker, *s, cta_tile);
		return;
	}
	tile = cta_tile(p, s, 0);
	/* A guard does not make an item outside right: its first tile is always inside. */
	if (tile.valid || s->m >= p->rows || s->n >= p->cols || s->g != 0)
		ts_coverage_tile(c, p, worker, s, 0, tile);
	for (uint32_t rank = 1; rank < ranks; rank++) {
		tile = cta_tile(p, s, rank);
		if (tile.valid)
			ts_coverage_tile(c, p, worker, s, rank, tile);
	}
}

/* The same for any other driver. */
static inline void ts_coverage_item(struct ts_coverage *c, uint32_t worker, const struct ts_step *s,
	struct ts_tile (*cta_tile)(const struct ts_plan *, const struct ts_step *, uint32_t))
{
	ts_coverage_mark(c, c->plan, worker, s, cta_tile);
}

#endif
