/* Lapses in words. */
#include "verify/lapse.h"

#include <inttypes.h>

const char *ts_lapse_name(enum ts_lapse_kind kind)
{
	switch (kind) {
	case TS_LAPSE_GROUP: return "no such group";
	case TS_LAPSE_TILE: return "tile outside the grid";
	case TS_LAPSE_K: return "wrong k range";
	case TS_LAPSE_RANK: return "no such rank";
	case TS_LAPSE_TWICE: return "tile computed twice";
	case TS_LAPSE_MISSING: return "missing tile";
	case TS_LAPSE_OWNERS: return "second owner";
	case TS_LAPSE_NO_OWNER: return "no owner";
	case TS_LAPSE_BACKWARDS: return "ends before it begins";
	case TS_LAPSE_OVERLAP: return "two items at once";
	case TS_LAPSE_ITERATION: return "iteration out of step";
	case TS_LAPSE_SM: return "worker moves to another SM";
	case TS_LAPSE_XCD: return "worker moves to another XCD";
	case TS_LAPSE_STRANGER: return "no such worker";
	case TS_LAPSE_DOMAIN: return "no such domain";
	case TS_LAPSE_DIFFERS: return "not the plan's item";
	case TS_LAPSE_EXTRA: return "item beyond the plan";
	case TS_LAPSE_UNDONE: return "items of the plan left out";
	case TS_LAPSE_QUEUE: return "not the worker's queue";
	case TS_LAPSE_CLAIMS: return "out of the order of claims";
	case TS_LAPSE_COUNTER: return "wrong counter";
	case TS_LAPSES: break;
	}
	return NULL;
}

struct ts_lapse *ts_lapses_note(
	struct ts_lapses *l, enum ts_lapse_kind kind, const struct ts_record *record)
{
	struct ts_lapse *lapse = &l->kinds[kind];

	if (l->count++ == 0)
		l->first = kind;
	if (lapse->count++ > 0)
		return NULL;
	lapse->other_worker = -1;
	if (record == NULL)
		return lapse;
	lapse->record = *record;
	lapse->found = (struct ts_where){record->value[TS_COL_GROUP], record->value[TS_COL_M],
		record->value[TS_COL_N], record->value[TS_COL_K_BEGIN],
		record->value[TS_COL_K_END]};
	return lapse;
}

static bool has(const struct ts_lapses *l, enum ts_col col)
{
	return (l->columns >> col & 1) != 0;
}

/* "line 7: worker 3, rank 1," or "line 7: a worker". */
static void put_who(GString *out, const struct ts_lapses *l, const struct ts_record *r)
{
	if (r->line > 0)
		g_string_append_printf(out, "line %" PRIu64 ": ", r->line);
	if (!has(l, TS_COL_WORKER)) {
		g_string_append(out, "a worker");
		return;
	}
	g_string_append_printf(out, "worker %" PRId64, r->value[TS_COL_WORKER]);
	if (has(l, TS_COL_RANK))
		g_string_append_printf(out, ", rank %" PRId64 ",", r->value[TS_COL_RANK]);
}

static void put_tile(GString *out, const struct ts_lapses *l, const struct ts_where *w)
{
	g_string_append_printf(out, "(%" PRId64 ",%" PRId64 ")", w->m, w->n);
	if (has(l, TS_COL_GROUP))
		g_string_append_printf(out, " of group %" PRId64, w->group);
}

static void put_item(GString *out, const struct ts_lapses *l, const struct ts_where *w)
{
	g_string_append(out, "tile ");
	put_tile(out, l, w);
	g_string_append_printf(out, " k [%" PRId64 ", %" PRId64 ")", w->k_begin, w->k_end);
}

/* The tiles that lack something, which no line is to blame for. */
static void put_tiles(GString *out, const struct ts_lapses *l, const struct ts_lapse *lapse)
{
	uint64_t shown = MIN(lapse->count, TS_LAPSE_TILES);

	g_string_append_printf(
		out, "%" PRIu64 " %s: ", lapse->count, lapse->count == 1 ? "tile" : "tiles");
	for (uint64_t i = 0; i < shown; i++) {
		g_string_append(out, i == 0 ? "" : " ");
		put_tile(out, l, &lapse->tiles[i]);
	}
	g_string_append(out, lapse->count > shown ? " ..." : "");
}

static void put_missing(GString *out, const struct ts_lapses *l, const struct ts_lapse *lapse)
{
	g_string_append(out, "nobody computes ");
	put_tiles(out, l, lapse);
	if (lapse->number > 0)
		g_string_append_printf(out,
			"; of the first one %" PRId64 " of %" PRId64
			" k iterations are done, from %" PRId64 " on they are missing",
			lapse->number, lapse->bound, lapse->tiles[0].k_begin);
}

static void put_twice(GString *out, const struct ts_lapses *l, const struct ts_lapse *lapse)
{
	g_string_append(out, " computes ");
	put_item(out, l, &lapse->found);
	if (lapse->other_line == 0) {
		g_string_append(out,
			", some of which was already done (by whom is only known for a "
			"file, which can be read twice)");
		return;
	}
	g_string_append(out, ", some of which ");
	if (lapse->other_worker >= 0)
		g_string_append_printf(out, "worker %" PRId64 " already did", lapse->other_worker);
	else
		g_string_append(out, "was already done");
	g_string_append_printf(out, " in line %" PRIu64, lapse->other_line);
}

/* Bounds. */
static void put_bounds(GString *out, const struct ts_lapses *l, enum ts_lapse_kind kind,
	const struct ts_lapse *lapse)
{
	g_string_append(out, " computes ");
	put_item(out, l, &lapse->found);
	if (kind == TS_LAPSE_GROUP)
		g_string_append_printf(out, ", but groups are from 0 to %" PRId64, lapse->bound);
	else if (kind == TS_LAPSE_K)
		g_string_append_printf(out, ", which has %" PRId64 " k iterations", lapse->bound);
	else if (kind == TS_LAPSE_RANK)
		g_string_append_printf(out, ", but ranks are from 0 to %" PRId64, lapse->bound);
	else
		g_string_append_printf(out, "; the grid has %" PRId64 " x %" PRId64 " tiles",
			lapse->wanted.m, lapse->wanted.n);
}

/* Time and place. */
static void put_order(GString *out, const struct ts_lapses *l, enum ts_lapse_kind kind,
	const struct ts_lapse *lapse)
{
	const int64_t *value = lapse->record.value;

	g_string_append(out, " has ");
	put_item(out, l, &lapse->found);
	if (kind == TS_LAPSE_OWNERS)
		g_string_append(out, " as its owner, which already has one");
	else if (kind == TS_LAPSE_BACKWARDS)
		g_string_append_printf(out, " from t0 %" PRId64 " to t1 %" PRId64, value[TS_COL_T0],
			value[TS_COL_T1]);
	else if (kind == TS_LAPSE_OVERLAP)
		g_string_append_printf(out,
			" from %" PRId64 " on, but its item in an earlier line ends at %" PRId64
			" (lines of one worker must be in the order of time)",
			lapse->number, lapse->bound);
	else if (kind == TS_LAPSE_ITERATION)
		g_string_append_printf(out,
			" as iteration %" PRId64 ", where %" PRId64 "%s comes next", lapse->number,
			lapse->bound, lapse->bound == 0 ? " or 1" : "");
	else
		g_string_append_printf(out, " on %s %" PRId64 ", but before it was on %" PRId64,
			kind == TS_LAPSE_SM ? "SM" : "XCD", lapse->number, lapse->bound);
}

static void put_against(GString *out, const struct ts_lapses *l, enum ts_lapse_kind kind,
	const struct ts_lapse *lapse)
{
	if (kind == TS_LAPSE_UNDONE) {
		g_string_append_printf(out,
			" has done %" PRIu64 " items; the plan's next one for it is ", lapse->nth);
		put_item(out, l, &lapse->wanted);
		return;
	}
	g_string_append_printf(out, " has as its item %" PRIu64 " ", lapse->nth);
	put_item(out, l, &lapse->found);
	if (kind == TS_LAPSE_STRANGER) {
		g_string_append_printf(
			out, ", but the plan has workers 0 to %" PRId64, lapse->bound);
	} else if (kind == TS_LAPSE_DOMAIN) {
		g_string_append_printf(out,
			" in domain %" PRId64 ", but the plan has domains 0 to %" PRId64,
			lapse->number, lapse->bound);
	} else if (kind == TS_LAPSE_DIFFERS) {
		g_string_append(out, ", where the plan has ");
		put_item(out, l, &lapse->wanted);
	} else if (kind == TS_LAPSE_EXTRA) {
		g_string_append(out, ", where the plan lets it stop");
	} else if (kind == TS_LAPSE_QUEUE && lapse->number < 0) {
		g_string_append(out, ", which no counter of the plan gives out");
	} else if (kind == TS_LAPSE_QUEUE) {
		g_string_append_printf(out,
			" of counter %" PRId64
			", which it may not claim from, or has left as empty before",
			lapse->number);
	} else if (kind == TS_LAPSE_CLAIMS) {
		g_string_append_printf(out,
			", number %" PRId64 " of its counter, after having claimed number %" PRId64,
			lapse->number, lapse->bound);
	} else {
		g_string_append_printf(out,
			" from counter %" PRId64 ", but it belongs to counter %" PRId64,
			lapse->number, lapse->bound);
	}
}

char *ts_lapse_text(const struct ts_lapses *l, enum ts_lapse_kind kind)
{
	const struct ts_lapse *lapse = &l->kinds[kind];
	GString *out = g_string_new(NULL);

	if (kind == TS_LAPSE_MISSING) {
		put_missing(out, l, lapse);
		return g_string_free(out, FALSE);
	}
	if (kind == TS_LAPSE_NO_OWNER) {
		g_string_append(out, "nobody owns ");
		put_tiles(out, l, lapse);
		return g_string_free(out, FALSE);
	}
	put_who(out, l, &lapse->record);
	if (kind <= TS_LAPSE_RANK)
		put_bounds(out, l, kind, lapse);
	else if (kind == TS_LAPSE_TWICE)
		put_twice(out, l, lapse);
	else if (kind <= TS_LAPSE_XCD)
		put_order(out, l, kind, lapse);
	else
		put_against(out, l, kind, lapse);
	return g_string_free(out, FALSE);
}
