/* Findings in words. */
#include "verify/finding.h"

void ts_finding_blame(struct ts_finding *f, const struct ts_plan *p, const struct ts_rules *rules,
	const uint32_t *claimed)
{
	struct ts_policy policy = ts_rules_policy(rules, p->policy);

	for (uint32_t i = 0; policy.counter_items != NULL && i < p->counters; i++) {
		uint32_t items = policy.counter_items(p, i);

		if (claimed[i] < items) {
			f->fault = TS_STARVED;
			f->counter = i;
			f->counter_items = items;
			f->claimed = claimed[i];
			return;
		}
	}
}

const char *ts_fault_name(enum ts_fault fault)
{
	switch (fault) {
	case TS_SOUND: return "sound";
	case TS_TILE_MISSING: return "missing tile";
	case TS_TILE_TWICE: return "tile computed twice";
	case TS_OUTSIDE: return "out of bounds";
	case TS_K_RANGE: return "wrong k range";
	case TS_OWNERS: return "wrong owner";
	case TS_COUNTER: return "counter out of range";
	case TS_STARVED: return "starvation";
	case TS_NOT_DRAINED: return "counter not drained";
	case TS_DEADLOCK: return "deadlock";
	case TS_ENDLESS: return "endless";
	case TS_NO_STEP: return "unknown step";
	case TS_NO_SLOT: return "slot out of range";
	case TS_SLOT_BUSY: return "slot reused too early";
	case TS_SLOT_EARLY: return "partial sum read too early";
	case TS_SLOT_OTHER: return "wrong partial sum";
	case TS_NOT_ADDED: return "partial sum not added";
	case TS_CHUNK: return "wrong chunk";
	case TS_FAULTS: break;
	}
	return NULL;
}

/* "(1,2)", and its group where there are several. */
static void put_tile(GString *out, struct ts_found_tile tile, const struct ts_plan *p)
{
	g_string_append_printf(out, "(%u,%u)", tile.m, tile.n);
	if (p->groups > 1)
		g_string_append_printf(out, " of group %u", tile.g);
}

static void put_tiles(GString *out, const struct ts_finding *f, const struct ts_plan *p)
{
	uint64_t shown = MIN(f->count, TS_FINDING_TILES);

	g_string_append_printf(
		out, "%" G_GUINT64_FORMAT " %s", f->count, f->count == 1 ? "tile" : "tiles");
	for (uint64_t i = 0; i < shown; i++) {
		g_string_append(out, i == 0 ? ": " : " ");
		put_tile(out, f->tiles[i], p);
	}
	if (f->count > shown)
		g_string_append(out, " ...");
}

static void put_twice(GString *out, const struct ts_finding *f, const struct ts_plan *p)
{
	const struct ts_found_tile *tile = &f->tiles[0];
	bool part = f->k_begin != 0 || f->k_end != ts_shape_depth(ts_grid(p, tile->g), tile->m);

	g_string_append_printf(out, "worker %u computes ", f->worker);
	if (part)
		g_string_append_printf(out, "k iterations [%u, %u) of ", f->k_begin, f->k_end);
	g_string_append(out, "tile ");
	put_tile(out, *tile, p);
	g_string_append_printf(
		out, ", %s already computed", part ? "part of which is" : "which is");
}

static void put_outside(GString *out, const struct ts_finding *f, const struct ts_plan *p)
{
	const struct ts_found_tile *tile = &f->tiles[0];
	const struct ts_plan *grid = tile->g < p->groups ? ts_grid(p, tile->g) : NULL;
	bool below = grid != NULL && tile->m >= grid->rows;
	uint32_t at = below ? tile->m : tile->n;
	uint32_t block = below ? p->block_m : p->block_n;
	uint64_t first = (uint64_t)at * block;

	g_string_append_printf(out, "worker %u, rank %u of its cluster, computes tile (%u,%u)",
		f->worker, f->rank, tile->m, tile->n);
	if (grid == NULL) {
		g_string_append_printf(
			out, " of group %u, but there are %u groups", tile->g, p->groups);
		return;
	}
	if (p->groups > 1)
		g_string_append_printf(out, " of group %u", tile->g);
	if (!below && tile->n < grid->cols) {
		g_string_append(out, ", which lies above the diagonal of a triangle");
		return;
	}
	g_string_append_printf(out,
		": tile %s %u of a grid of %u x %u tiles, elements %" G_GUINT64_FORMAT
		"..%" G_GUINT64_FORMAT " of a C with %u %s",
		below ? "row" : "column", at, grid->rows, grid->cols, first, first + block - 1,
		below ? grid->m : grid->n, below ? "rows" : "columns");
}

/* What a counter still has. */
static void put_left(GString *out, const struct ts_finding *f, const struct ts_plan *p)
{
	uint32_t owned = p->queue_domains * p->slots.by;

	g_string_append_printf(out, "counter %u", f->counter);
	if (f->counter < owned)
		g_string_append_printf(out, " (XCD %u, slot %u)", f->counter / p->slots.by,
			f->counter % p->slots.by);
	else if (ts_worksteal_has_global((enum ts_mode)p->mode))
		g_string_append(out, " (global)");
	g_string_append_printf(out, " has %u of its %u items left",
		f->counter_items - MIN(f->claimed, f->counter_items), f->counter_items);
}

static void put_link(GString *out, const struct ts_link *link, uint32_t next)
{
	if (link->outside) {
		g_string_append_printf(out,
			"worker %u is not resident and waits for a place, which worker %u holds",
			link->worker, next);
		return;
	}
	g_string_append_printf(out, "worker %u waits for counter %u, which worker %u", link->worker,
		link->counter, next);
	if (link->raisers > 1)
		g_string_append_printf(out, ", one of %u,", link->raisers);
	g_string_append(out, " would signal");
}

static void put_cycle(GString *out, const struct ts_deadlock *d)
{
	uint32_t shown = MIN(d->length, TS_FINDING_LINKS);

	g_string_append_printf(out, "; a cycle of %u: ", d->length);
	for (uint32_t i = 0; i < shown; i++) {
		g_string_append(out, i == 0 ? "" : "; ");
		if (i + 1 < shown)
			put_link(out, &d->links[i], d->links[i + 1].worker);
		else if (shown == d->length)
			put_link(out, &d->links[i], d->links[0].worker);
		else
			g_string_append(out, "...");
	}
}

static void put_deadlock(GString *out, const struct ts_finding *f)
{
	const struct ts_deadlock *d = &f->deadlock;

	g_string_append_printf(out,
		"all %" G_GUINT64_FORMAT
		" resident workers wait; worker %u waits for counter %u to reach %u, it has %u",
		f->count, f->worker, f->counter, f->counter_items, f->claimed);
	switch (d->cause) {
	case TS_CAUSE_UNKNOWN: break;
	case TS_CAUSE_CYCLE: put_cycle(out, d); break;
	case TS_CAUSE_UNMET:
		if (d->added == 0)
			g_string_append(out, ", and nobody else who is left would signal it");
		else
			g_string_append_printf(out,
				", and all others who are left would add only %" G_GUINT64_FORMAT,
				d->added);
		break;
	case TS_CAUSE_GONE:
		g_string_append_printf(out,
			", and worker %u, which would signal it, never runs or is gone",
			d->links[0].worker);
		break;
	}
}

/* Slots of the workspace. */
static void put_slot(GString *out, const struct ts_finding *f, const struct ts_plan *p)
{
	g_string_append_printf(out, "worker %u, ", f->worker);
	if (f->fault == TS_NO_SLOT)
		g_string_append_printf(
			out, "tile (%u,%u): uses slot %u", f->tiles[0].m, f->tiles[0].n, f->slot);
	else if (f->fault == TS_SLOT_BUSY)
		g_string_append_printf(out,
			"k iterations [%u, %u) of tile (%u,%u): writes slot %u, which worker %u "
			"used "
			"last and may still need",
			f->k_begin, f->k_end, f->tiles[0].m, f->tiles[0].n, f->slot, f->other);
	else
		g_string_append_printf(out, "fix-up of tile (%u,%u): adds slot %u, ", f->tiles[0].m,
			f->tiles[0].n, f->slot);
	if (f->fault == TS_NO_SLOT)
		g_string_append_printf(out, ", but the plan has %u", p->workspace);
	else if (f->fault == TS_SLOT_EARLY)
		g_string_append(
			out, "which holds no sums yet whose signal the worker has waited for");
	else if (f->fault == TS_SLOT_OTHER)
		g_string_append(
			out, "which is another tile's, or not the next one in the order of k");
}

/* Chunks of a collective. */
static void put_chunk(GString *out, const struct ts_finding *f, const struct ts_plan *p)
{
	struct ts_chunks c;

	if (f->tiles[0].m == UINT32_MAX) {
		g_string_append_printf(out, "chunk %u of %u ", f->chunk, p->chunks);
		if (f->count == ts_chunk_items(p, f->chunk))
			g_string_append(out, "never has its turn");
		else
			g_string_append_printf(out,
				"is said to have %u items, and has %" G_GUINT64_FORMAT,
				ts_chunk_items(p, f->chunk), f->count);
		return;
	}
	c = ts_chunks_of(p, f->tiles[0].m);
	g_string_append_printf(out,
		"the item at tile row %u waits for chunks [%u, %u), which is wrong about chunk %u "
		"or its "
		"turn",
		f->tiles[0].m, c.first, c.after, f->chunk);
}

char *ts_finding_text(const struct ts_finding *f, const struct ts_plan *p)
{
	GString *out = g_string_new(NULL);

	switch (f->fault) {
	case TS_SOUND: g_string_append(out, "every property holds"); break;
	case TS_TILE_MISSING:
		g_string_append(out, "nobody computes ");
		put_tiles(out, f, p);
		if (f->idle_workers > 0)
			g_string_append_printf(out,
				"; %" G_GUINT64_FORMAT " of %u workers never ran, or left early",
				f->idle_workers, p->workers);
		break;
	case TS_TILE_TWICE: put_twice(out, f, p); break;
	case TS_OUTSIDE: put_outside(out, f, p); break;
	case TS_K_RANGE:
		g_string_append_printf(out, "worker %u is given k iterations [%u, %u) of tile ",
			f->worker, f->k_begin, f->k_end);
		put_tile(out, f->tiles[0], p);
		g_string_append_printf(out, ", which has %u",
			ts_shape_depth(ts_grid(p, f->tiles[0].g), f->tiles[0].m));
		break;
	case TS_OWNERS:
		g_string_append(out, "tile ");
		put_tile(out, f->tiles[0], p);
		g_string_append_printf(out, " must have one owner that writes it, has %s",
			f->count == 0 ? "none" : "several");
		break;
	case TS_COUNTER:
		g_string_append_printf(out,
			"worker %u uses counter %u, but the plan has %u counters", f->worker,
			f->counter, p->counters);
		break;
	case TS_STARVED:
		put_left(out, f, p);
		g_string_append(out, " and no worker that would claim them; nobody computes ");
		put_tiles(out, f, p);
		break;
	case TS_NOT_DRAINED:
		put_left(out, f, p);
		g_string_append(out,
			", though all tiles are computed: it was said to give out more items than "
			"are claimed from it");
		break;
	case TS_DEADLOCK: put_deadlock(out, f); break;
	case TS_ENDLESS:
		g_string_append_printf(out,
			"worker %u still goes on after %" G_GUINT64_FORMAT
			" steps, more than any schedule of this plan needs",
			f->worker, f->count);
		break;
	case TS_NO_STEP:
		g_string_append_printf(out,
			"worker %u answers act %u, which is none of TS_STOP (%d) to TS_FIX_UP (%d)",
			f->worker, f->counter, TS_STOP, TS_FIX_UP);
		break;
	case TS_NO_SLOT:
	case TS_SLOT_BUSY:
	case TS_SLOT_EARLY:
	case TS_SLOT_OTHER: put_slot(out, f, p); break;
	case TS_NOT_ADDED:
		g_string_append_printf(out,
			"worker %u, tile (%u,%u): a partial sum is written and never added to the "
			"output",
			f->worker, f->tiles[0].m, f->tiles[0].n);
		break;
	case TS_CHUNK: put_chunk(out, f, p); break;
	case TS_FAULTS: break;
	}
	return g_string_free(out, FALSE);
}
