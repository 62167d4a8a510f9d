/* The truth about a listing: each k iteration of each tile is counted, one by one. */
#include "tests/mutation/listing.h"

enum { DEPTH_MAX = 16 };

struct tile {
	uint32_t done[DEPTH_MAX]; /* times, per k iteration */
	uint32_t items, owners;
};

static uint32_t rounded_up(int64_t size, int64_t block)
{
	return (uint32_t)((size + block - 1) / block);
}

static void add_item(struct ts_truth *t, struct tile *tile, const struct ts_step *s, uint32_t depth)
{
	if (s->k_begin > s->k_end || s->k_end > depth || (s->k_begin == s->k_end && depth > 0)) {
		t->faults[TS_K_RANGE] = true;
		return;
	}
	tile->items++;
	tile->owners += s->owns ? 1 : 0;
	if (depth == 0 && tile->items > 1)
		t->faults[TS_TILE_TWICE] = true;
	for (uint32_t k = s->k_begin; k < s->k_end; k++)
		if (tile->done[k]++ > 0)
			t->faults[TS_TILE_TWICE] = true;
}

static void end_tile(struct ts_truth *t, const struct tile *tile, uint32_t depth)
{
	bool all = tile->items > 0;

	for (uint32_t k = 0; k < depth; k++)
		all = all && tile->done[k] > 0;
	if (!all)
		t->missing++;
	else if (tile->owners != 1)
		t->faults[TS_OWNERS] = true;
}

/* Tiles are missing by starvation where a counter has given less than it did. */
static void count_claims(struct ts_truth *t, const struct ts_listing *l)
{
	g_autofree uint32_t *claims = g_new0(uint32_t, l->plan.counters + 1);

	for (uint32_t i = 0; i < l->events->len; i++) {
		const struct ts_step *s = &ts_listing_at(l, i)->step;

		if (s->act != TS_CLAIM)
			continue;
		if (s->counter >= l->plan.counters)
			t->faults[TS_COUNTER] = true;
		else
			claims[s->counter]++;
	}
	if (t->missing == 0)
		return;
	for (uint32_t i = 0; i < l->plan.counters; i++)
		if (claims[i] < l->given[i])
			t->faults[TS_STARVED] = true;
	t->faults[TS_TILE_MISSING] = !t->faults[TS_STARVED];
}

struct ts_truth ts_truth_of(const struct ts_listing *l)
{
	const struct ts_spec *spec = &l->spec;
	uint32_t rows = rounded_up(spec->m, spec->block_m);
	uint32_t cols = rounded_up(spec->n, spec->block_n);
	uint32_t depth = rounded_up(spec->k, spec->block_k);
	uint32_t height = (uint32_t)spec->cluster_m, ranks = height * (uint32_t)spec->cluster_n;
	g_autofree struct tile *tiles = g_new0(struct tile, rows * cols + 1);
	struct ts_truth t = {0};

	g_assert_cmpuint(depth, <=, DEPTH_MAX);
	for (uint32_t i = 0; i < l->events->len; i++) {
		const struct ts_step *s = &ts_listing_at(l, i)->step;

		if (s->act == TS_WORK && (s->m >= rows || s->n >= cols))
			t.faults[TS_OUTSIDE] = true;
		for (uint32_t rank = 0; s->act == TS_WORK && rank < ranks; rank++) {
			uint64_t m = (uint64_t)s->m + rank % height;
			uint64_t n = (uint64_t)s->n + rank / height;

			if (s->counter == rank + 1)
				continue;
			if (m < rows && n < cols)
				add_item(&t, &tiles[m * cols + n], s, depth);
			else if (s->value == rank + 1)
				t.faults[TS_OUTSIDE] = true;
		}
	}
	for (uint32_t i = 0; i < rows * cols; i++)
		end_tile(&t, &tiles[i], depth);
	count_claims(&t, l);
	t.faults[TS_SOUND] = true;
	for (size_t i = TS_SOUND + 1; i < TS_FAULTS; i++)
		t.faults[TS_SOUND] = t.faults[TS_SOUND] && !t.faults[i];
	return t;
}
