/* Coverage marks, and the verdict at the end of a run. */
#include "verify/coverage.h"

#include <string.h>

#include "verify/chunks.h"

struct range {
	uint32_t begin, end;
};

/* The k ranges seen of one tile, ascending and disjoint, and how many claimed to own it. */
struct part {
	GArray *ranges;
	uint64_t done;
	uint64_t owners;
};

static void free_part(gpointer data)
{
	struct part *part = data;

	g_array_unref(part->ranges);
	g_free(part);
}

void ts_coverage_init(struct ts_coverage *c)
{
	memset(c, 0, sizeof *c);
}

void ts_coverage_finish(struct ts_coverage *c)
{
	g_clear_pointer(&c->parts, g_hash_table_unref);
	g_clear_pointer(&c->bits, g_free);
	g_clear_pointer(&c->claimed, g_free);
	g_clear_pointer(&c->workspace.slots, g_free);
}

uint64_t ts_coverage_bytes(const struct ts_plan *plan)
{
	return (plan->cells + 63) / 64 * sizeof(uint64_t) + plan->counters * sizeof(uint32_t) +
		plan->workspace * sizeof(struct ts_slot);
}

void ts_coverage_reset(struct ts_coverage *c, const struct ts_plan *plan)
{
	size_t words = (plan->cells + 63) / 64;

	c->plan = plan;
	if (words > c->words_made) {
		g_free(c->bits);
		c->bits = g_new(uint64_t, words);
		c->words_made = words;
	}
	if (words > 0)
		memset(c->bits, 0, words * sizeof *c->bits);
	if (plan->counters > c->claimed_made) {
		g_free(c->claimed);
		c->claimed = g_new(uint32_t, plan->counters);
		c->claimed_made = plan->counters;
	}
	if (plan->counters > 0)
		memset(c->claimed, 0, plan->counters * sizeof *c->claimed);
	if (plan->workspace > c->slots_made) {
		g_free(c->workspace.slots);
		c->workspace.slots = g_new(struct ts_slot, plan->workspace);
		c->slots_made = plan->workspace;
	}
	if (plan->workspace > 0)
		memset(c->workspace.slots, 0, plan->workspace * sizeof *c->workspace.slots);
	c->workspace.plan = plan;
	g_clear_pointer(&c->parts, g_hash_table_unref);
	c->counters = plan->counters;
	c->idle_workers = 0;
	memset(&c->finding, 0, sizeof c->finding);
}

void ts_coverage_fault(struct ts_coverage *c, const struct ts_finding *f)
{
	if (c->finding.fault == TS_SOUND)
		c->finding = *f;
}

static bool is_whole(const struct ts_coverage *c, uint64_t tile)
{
	return (c->bits[tile / 64] >> tile % 64 & 1) != 0;
}

/* Adds [begin, end); false if part of it was there already. */
static bool add_range(struct part *part, uint32_t begin, uint32_t end)
{
	struct range added = {begin, end};
	guint at = 0;

	while (at < part->ranges->len && g_array_index(part->ranges, struct range, at).end <= begin)
		at++;
	if (at < part->ranges->len && g_array_index(part->ranges, struct range, at).begin < end)
		return false;
	g_array_insert_val(part->ranges, at, added);
	part->done += end - begin;
	return true;
}

static struct part *find_part(struct ts_coverage *c, uint64_t tile)
{
	struct part *part;

	if (c->parts == NULL)
		c->parts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_part);
	part = g_hash_table_lookup(c->parts, &tile);
	if (part == NULL) {
		part = g_new0(struct part, 1);
		part->ranges = g_array_new(FALSE, FALSE, sizeof(struct range));
		g_hash_table_insert(c->parts, g_memdup2(&tile, sizeof tile), part);
	}
	return part;
}

void ts_coverage_odd(struct ts_coverage *c, uint32_t worker, uint32_t rank, uint32_t g, uint32_t m,
	uint32_t n, uint32_t k_begin, uint32_t k_end, bool owns)
{
	const struct ts_plan *p = c->plan;
	const struct ts_plan *grid = g < p->groups ? ts_grid(p, g) : NULL;
	bool there = grid != NULL && ts_shape_has(grid, m, n);
	uint64_t index = there ? ts_tile_index(p, g, m, n) : 0;
	uint32_t depth = there ? ts_shape_depth(grid, m) : 0;
	bool whole = k_begin == 0 && k_end == depth && owns;
	bool backwards = k_begin > k_end || (k_begin == k_end && depth > 0);
	struct ts_finding f = {0};
	struct part *part;

	f.worker = worker;
	f.rank = rank;
	f.tiles[0] = (struct ts_found_tile){g, m, n};
	f.count = 1;
	f.k_begin = k_begin;
	f.k_end = k_end;
	if (!there) {
		f.fault = TS_OUTSIDE;
	} else if (backwards || k_end > depth) {
		f.fault = TS_K_RANGE;
	} else if (is_whole(c, index)) {
		f.fault = TS_TILE_TWICE;
	} else if (whole && (c->parts == NULL || !g_hash_table_contains(c->parts, &index))) {
		c->bits[index / 64] |= (uint64_t)1 << index % 64;
	} else {
		part = find_part(c, index);
		part->owners += owns ? 1 : 0;
		if (!add_range(part, k_begin, k_end))
			f.fault = TS_TILE_TWICE;
	}
	if (f.fault != TS_SOUND)
		ts_coverage_fault(c, &f);
}

void ts_coverage_mark_grids(struct ts_coverage *c, uint32_t worker, struct ts_step s,
	struct ts_tile (*cta_tile)(const struct ts_plan *, const struct ts_step *, uint32_t))
{
	const struct ts_plan *p = c->plan;
	const struct ts_plan *grid = s.g < p->groups ? ts_grid(p, s.g) : NULL;
	uint64_t first;
	bool whole;

	if (grid == NULL || !ts_shape_has_item(grid, s.m, s.n)) {
		ts_coverage_odd(c, worker, 0, s.g, s.m, s.n, s.k_begin, s.k_end, s.owns);
		return;
	}
	first = ts_tile_index(p, s.g, 0, 0);
	whole = s.k_begin == 0 && s.k_end == ts_shape_depth(grid, s.m) && s.owns &&
		c->parts == NULL;
	for (uint32_t rank = 0; rank < p->cluster_m * p->cluster_n; rank++) {
		struct ts_tile tile = cta_tile(p, &s, rank);
		uint64_t index = first + (uint64_t)tile.m * grid->cols + tile.n;
		uint64_t bit = (uint64_t)1 << (index & 63);

		if (!tile.valid)
			continue;
		if (whole && ts_shape_has(grid, tile.m, tile.n) && (c->bits[index >> 6] & bit) == 0)
			c->bits[index >> 6] |= bit;
		else
			ts_coverage_odd(
				c, worker, rank, s.g, tile.m, tile.n, s.k_begin, s.k_end, s.owns);
	}
}

void ts_coverage_no_counter(struct ts_coverage *c, uint32_t worker, uint32_t counter)
{
	struct ts_finding f = {0};

	f.fault = TS_COUNTER;
	f.worker = worker;
	f.counter = counter;
	ts_coverage_fault(c, &f);
}

bool ts_coverage_step(
	struct ts_coverage *c, struct ts_hand *hand, uint32_t worker, const struct ts_step *s)
{
	struct ts_finding f = {0};
	uint32_t has = 0;

	if (s->act == TS_WAIT || s->act == TS_SIGNAL) {
		if (s->counter >= c->plan->counters) {
			f.fault = TS_COUNTER;
			f.worker = worker;
			f.counter = s->counter;
			ts_coverage_fault(c, &f);
			return false;
		}
		if (s->act == TS_SIGNAL)
			c->claimed[s->counter] += s->value;
		has = c->claimed[s->counter];
	}
	c->workspace.fixed_sum = ts_rules_policy(c->rules, c->plan->policy).fixed_sum;
	if (ts_workspace_step(&c->workspace, hand, worker, s, has, &f))
		return true;
	ts_coverage_fault(c, &f);
	return false;
}

/* Is every k iteration of the tile with number `index` done? Also notes a wrong number of owners.
 */
static bool is_done(struct ts_coverage *c, struct ts_found_tile tile, uint64_t index)
{
	struct ts_finding f = {0};
	struct part *part;

	if (is_whole(c, index))
		return true;
	part = c->parts == NULL ? NULL : g_hash_table_lookup(c->parts, &index);
	if (part == NULL || part->done != ts_shape_depth(ts_grid(c->plan, tile.g), tile.m))
		return false;
	if (part->owners == 1)
		return true;
	f.fault = TS_OWNERS;
	f.tiles[0] = tile;
	f.count = part->owners;
	ts_coverage_fault(c, &f);
	return true;
}

/* Adds the tiles of group `g` that are missing. */
static void find_missing(struct ts_coverage *c, uint32_t g, struct ts_finding *f)
{
	const struct ts_plan *grid = ts_grid(c->plan, g);
	uint64_t cells = (uint64_t)grid->rows * grid->cols;
	uint64_t first = ts_tile_index(c->plan, g, 0, 0);

	for (uint64_t i = 0; i < cells; i++) {
		struct ts_found_tile tile = {
			g, (uint32_t)(i / grid->cols), (uint32_t)(i % grid->cols)};

		if ((first + i) % 64 == 0 && c->bits[(first + i) / 64] == UINT64_MAX) {
			i += 63;
			continue;
		}
		if (!ts_shape_has(grid, tile.m, tile.n) || is_done(c, tile, first + i))
			continue;
		if (f->count < TS_FINDING_TILES)
			f->tiles[f->count] = tile;
		f->count++;
	}
}

bool ts_coverage_verdict(struct ts_coverage *c)
{
	uint64_t cells = c->plan->cells;
	uint64_t gaps = 0, whole = 0;
	struct ts_finding f = {0};

	if (c->finding.fault == TS_SOUND && !ts_workspace_verdict(&c->workspace, &f))
		ts_coverage_fault(c, &f);
	if (c->finding.fault == TS_SOUND && !ts_chunks_check(c->plan, &f))
		ts_coverage_fault(c, &f);
	memset(&f, 0, sizeof f);
	if (c->finding.fault != TS_SOUND)
		return false;
	if (c->plan->plain) {
		for (size_t i = 0; i < cells / 64; i++)
			gaps |= ~c->bits[i];
		if (cells % 64 != 0)
			gaps |= ~c->bits[cells / 64] << (64 - cells % 64);
	} else {
		for (size_t i = 0; i < (cells + 63) / 64; i++)
			whole += (uint64_t)__builtin_popcountll(c->bits[i]);
		gaps = c->plan->tiles - whole;
	}
	if (gaps == 0)
		return true;
	for (uint32_t g = 0; g < c->plan->groups; g++)
		find_missing(c, g, &f);
	if (f.count > 0) {
		f.fault = TS_TILE_MISSING;
		f.idle_workers = c->idle_workers;
		ts_finding_blame(&f, c->plan, c->rules, c->claimed);
		ts_coverage_fault(c, &f);
	}
	return c->finding.fault == TS_SOUND;
}

bool ts_coverage_drained(struct ts_coverage *c)
{
	struct ts_finding f = {0};

	ts_finding_blame(&f, c->plan, c->rules, c->claimed);
	if (f.fault == TS_SOUND)
		return true;
	f.fault = TS_NOT_DRAINED;
	ts_coverage_fault(c, &f);
	return false;
}
