/* Adding items, and the verdict on what is there. */
#include "verify/computed.h"

#include <string.h>

struct ts_computed ts_computed_make(const struct ts_plan *plan, const struct ts_rules *rules)
{
	struct ts_computed c = {.plan = plan, .rules = rules};

	c.units = MAX(plan->depth, 1);
	c.tiles = (uint32_t)plan->cells;
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

static enum ts_fault add_tile(
	const struct ts_computed *c, uint32_t *words, const struct ts_step *s, struct ts_tile tile)
{
	const struct ts_plan *p = c->plan;
	const struct ts_plan *grid = s->g < p->groups ? ts_grid(p, s->g) : NULL;
	uint64_t index, owners;
	uint32_t depth, end;
	bool twice = false;

	if (grid == NULL || !ts_shape_has(grid, tile.m, tile.n))
		return TS_OUTSIDE;
	depth = ts_shape_depth(grid, tile.m);
	if (s->k_end > depth || (depth > 0 && s->k_begin >= s->k_end))
		return TS_K_RANGE;
	index = ts_tile_index(p, s->g, tile.m, tile.n);
	owners = (uint64_t)c->tiles * c->units + 2 * index;
	end = depth == 0 ? 1 : s->k_end;
	for (uint32_t k = depth == 0 ? 0 : s->k_begin; k < end; k++)
		twice |= set(words, index * c->units + k);
	if (s->owns && set(words, owners))
		set(words, owners + 1);
	return twice ? TS_TILE_TWICE : TS_SOUND;
}

/* An item begins in a grid, whatever its CTAs say. */
static bool begins_outside(const struct ts_plan *p, const struct ts_step *s)
{
	return s->g >= p->groups || !ts_shape_has_item(ts_grid(p, s->g), s->m, s->n);
}

uint32_t ts_computed_item(const struct ts_computed *c, uint32_t *words, uint32_t worker,
	const struct ts_step *s, struct ts_finding *ret_finding)
{
	bool nowhere = begins_outside(c->plan, s);
	uint32_t ranks = nowhere ? 1 : c->plan->cluster_m * c->plan->cluster_n;
	uint32_t faults = 0;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		struct ts_tile tile = {s->m, s->n, true};
		enum ts_fault fault = TS_SOUND;

		if (!nowhere)
			tile = c->rules == NULL ? ts_cta_tile(c->plan, s, rank)
						: c->rules->cta_tile(c->plan, s, rank);
		if (tile.valid)
			fault = add_tile(c, words, s, tile);
		if (fault == TS_SOUND)
			continue;
		if (faults == 0) {
			memset(ret_finding, 0, sizeof *ret_finding);
			ret_finding->fault = fault;
			ret_finding->worker = worker;
			ret_finding->rank = rank;
			ret_finding->tiles[0] = (struct ts_found_tile){s->g, tile.m, tile.n};
			ret_finding->count = 1;
			ret_finding->k_begin = s->k_begin;
			ret_finding->k_end = s->k_end;
		}
		faults |= (uint32_t)1 << fault;
	}
	return faults;
}

static bool is_done(
	const struct ts_computed *c, const uint32_t *words, uint64_t index, uint32_t depth)
{
	for (uint32_t k = 0; k < MAX(depth, 1); k++)
		if (!get(words, index * c->units + k))
			return false;
	return true;
}

/* Looks at one tile; notes it where it is missing or not owned by one. */
static void judge(const struct ts_computed *c, const uint32_t *words, struct ts_found_tile tile,
	struct ts_finding *missing, struct ts_finding *owners)
{
	uint64_t index = ts_tile_index(c->plan, tile.g, tile.m, tile.n);
	uint64_t at = (uint64_t)c->tiles * c->units + 2 * index;

	if (!is_done(c, words, index, ts_shape_depth(ts_grid(c->plan, tile.g), tile.m))) {
		if (missing->count < TS_FINDING_TILES)
			missing->tiles[missing->count] = tile;
		missing->count++;
	} else if (owners->fault == TS_SOUND && (!get(words, at) || get(words, at + 1))) {
		owners->fault = TS_OWNERS;
		owners->tiles[0] = tile;
		owners->count = get(words, at) ? 2 : 0;
	}
}

bool ts_computed_verdict(const struct ts_computed *c, const uint32_t *words,
	const uint32_t *counters, struct ts_finding *ret_finding)
{
	struct ts_finding missing = {0}, owners = {0};

	for (uint32_t g = 0; g < c->plan->groups; g++) {
		const struct ts_plan *grid = ts_grid(c->plan, g);

		for (uint32_t i = 0; i < grid->rows * grid->cols; i++) {
			struct ts_found_tile tile = {g, i / grid->cols, i % grid->cols};

			if (ts_shape_has(grid, tile.m, tile.n))
				judge(c, words, tile, &missing, &owners);
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
