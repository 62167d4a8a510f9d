/* Adding items, and the verdict on what is there. */
#include "verify/computed.h"

#include <string.h>

struct ts_computed ts_computed_make(const struct ts_plan *plan, const struct ts_rules *rules)
{
	struct ts_computed c = {.plan = plan, .rules = rules};

	c.units = MAX(plan->depth, 1);
	c.tiles = plan->rows * plan->cols;
	c.words = ((uint64_t)c.tiles * c.units + 2 * (uint64_t)c.tiles + 31) / 32;
	return c;
}

/* Sets a bit; true if it was set. */
static bool set(uint32_t *words, uint64_t at)
{
	uint32_t bit = (uint32_t)1 << at % 32;
	bool was = (words[at / 32] & bit) != 0;

	words[at / 32] |= bit;
	return was;
}

static bool get(const uint32_t *words, uint64_t at)
{
	return (words[at / 32] >> at % 32 & 1) != 0;
}

static bool outside(const struct ts_plan *p, uint32_t m, uint32_t n)
{
	return m >= p->rows || n >= p->cols;
}

static enum ts_fault add_tile(
	const struct ts_computed *c, uint32_t *words, const struct ts_step *s, struct ts_tile tile)
{
	const struct ts_plan *p = c->plan;
	uint64_t index = (uint64_t)tile.m * p->cols + tile.n;
	uint64_t owners = (uint64_t)c->tiles * c->units + 2 * index;
	uint32_t end = p->depth == 0 ? 1 : s->k_end;
	bool twice = false;

	if (outside(p, tile.m, tile.n))
		return TS_OUTSIDE;
	if (s->k_end > p->depth || (p->depth > 0 && s->k_begin >= s->k_end))
		return TS_K_RANGE;
	for (uint32_t k = p->depth == 0 ? 0 : s->k_begin; k < end; k++)
		twice |= set(words, index * c->units + k);
	if (s->owns && set(words, owners))
		set(words, owners + 1);
	return twice ? TS_TILE_TWICE : TS_SOUND;
}

uint32_t ts_computed_item(const struct ts_computed *c, uint32_t *words, uint32_t worker,
	const struct ts_step *s, struct ts_finding *ret_finding)
{
	uint32_t ranks = c->plan->cluster_m * c->plan->cluster_n;
	uint32_t faults = 0;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		struct ts_tile tile = c->rules == NULL ? ts_cta_tile(c->plan, s, rank)
						       : c->rules->cta_tile(c->plan, s, rank);
		enum ts_fault fault = TS_SOUND;

		/* The first tile of an item is in the grid, whatever its CTAs say. */
		if (tile.valid || (rank == 0 && outside(c->plan, s->m, s->n)))
			fault = add_tile(c, words, s, tile);
		if (fault == TS_SOUND)
			continue;
		if (faults == 0) {
			memset(ret_finding, 0, sizeof *ret_finding);
			ret_finding->fault = fault;
			ret_finding->worker = worker;
			ret_finding->rank = rank;
			ret_finding->tiles[0].m = tile.m;
			ret_finding->tiles[0].n = tile.n;
			ret_finding->count = 1;
			ret_finding->k_begin = s->k_begin;
			ret_finding->k_end = s->k_end;
		}
		faults |= (uint32_t)1 << fault;
	}
	return faults;
}

static bool is_done(const struct ts_computed *c, const uint32_t *words, uint32_t tile)
{
	for (uint32_t k = 0; k < c->units; k++)
		if (!get(words, (uint64_t)tile * c->units + k))
			return false;
	return true;
}

bool ts_computed_verdict(const struct ts_computed *c, const uint32_t *words,
	const uint32_t *counters, struct ts_finding *ret_finding)
{
	struct ts_finding missing = {0}, owners = {0};

	for (uint32_t tile = 0; tile < c->tiles; tile++) {
		uint64_t at = (uint64_t)c->tiles * c->units + 2 * (uint64_t)tile;
		uint32_t row = tile / c->plan->cols, col = tile % c->plan->cols;

		if (!is_done(c, words, tile)) {
			if (missing.count < TS_FINDING_TILES) {
				missing.tiles[missing.count].m = row;
				missing.tiles[missing.count].n = col;
			}
			missing.count++;
		} else if (owners.fault == TS_SOUND && (!get(words, at) || get(words, at + 1))) {
			owners.fault = TS_OWNERS;
			owners.tiles[0].m = row;
			owners.tiles[0].n = col;
			owners.count = get(words, at) ? 2 : 0;
		}
	}
	if (missing.count > 0) {
		missing.fault = TS_TILE_MISSING;
		ts_finding_blame(&missing, c->plan, c->rules, counters);
		*ret_finding = missing;
		return false;
	}
	if (owners.fault != TS_SOUND)
		*ret_finding = owners;
	return owners.fault == TS_SOUND;
}
