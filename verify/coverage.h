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
	size_t words, words_made;
	GHashTable *parts; /* tile -> struct part, or NULL while there is none */
	uint32_t *claimed; /* per counter: claims seen */
	size_t claimed_made;
	struct ts_workspace workspace;
	size_t slots_made;
	uint64_t idle_workers;
	struct ts_finding finding; /* the first one */
};

void ts_coverage_init(struct ts_coverage *c);
void ts_coverage_finish(struct ts_coverage *c);

/* Empties `c` for a run of `plan`, which must outlive it. */
void ts_coverage_reset(struct ts_coverage *c, const struct ts_plan *plan);

/* The slow half of ts_coverage_item(): a tile that is not simply new, whole and inside. */
void ts_coverage_odd(struct ts_coverage *c, uint32_t worker, const struct ts_step *s, uint32_t rank,
	struct ts_tile tile);

/* Worker `worker` claims from `counter`. Returns the counter's old value, or false where the plan
 * has no such counter. */
bool ts_coverage_claim(struct ts_coverage *c, uint32_t worker, uint32_t counter, uint32_t *ret_old);

/* Worker `worker`, holding `hand`, carries out any step; items and claims are noted beside this.
 * What its counter has is known from the claims and from here. False where it is wrong. */
bool ts_coverage_step(
	struct ts_coverage *c, struct ts_hand *hand, uint32_t worker, const struct ts_step *s);

/* To be called when no worker is left. True if all is well, else c->finding says what is not. */
bool ts_coverage_verdict(struct ts_coverage *c);

/* Notes the first finding only. */
void ts_coverage_fault(struct ts_coverage *c, const struct ts_finding *f);

/* Worker `worker` computes item `s`. `cta_tile` is a parameter so that it can be inlined. */
static inline void ts_coverage_item(struct ts_coverage *c, uint32_t worker, const struct ts_step *s,
	struct ts_tile (*cta_tile)(const struct ts_plan *, const struct ts_step *, uint32_t))
{
	const struct ts_plan *p = c->plan;
	uint32_t ranks = p->cluster_m * p->cluster_n;
	const struct ts_plan *grid = p;
	uint64_t first = 0;
	bool whole;

	if (s->g >= p->groups) {
		ts_coverage_odd(c, worker, s, 0, (struct ts_tile){s->m, s->n, true});
		return;
	}
	if (!p->plain) {
		grid = ts_grid(p, s->g);
		first = ts_tile_index(p, s->g, 0, 0);
	}
	if (!ts_shape_has_item(grid, s->m, s->n)) {
		ts_coverage_odd(c, worker, s, 0, (struct ts_tile){s->m, s->n, true});
		return;
	}
	whole = s->k_begin == 0 && s->k_end == ts_shape_depth(grid, s->m) && s->owns &&
		c->parts == NULL;
	for (uint32_t rank = 0; rank < ranks; rank++) {
		struct ts_tile tile = cta_tile(p, s, rank);
		uint64_t index = first + (uint64_t)tile.m * grid->cols + tile.n;
		uint64_t bit = (uint64_t)1 << (index & 63);

		if (!tile.valid)
			continue;
		if (whole && ts_shape_has(grid, tile.m, tile.n) &&
			(c->bits[index >> 6] & bit) == 0) {
			c->bits[index >> 6] |= bit;
		} else {
			ts_coverage_odd(c, worker, s, rank, tile);
		}
	}
}

#endif
