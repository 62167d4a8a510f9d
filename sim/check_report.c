/* Balance from the ledger's lanes, and the report. */
#include "sim/check_report.h"

#include <inttypes.h>
#include <string.h>

enum quantity { ITEMS, TILES, K_ITERATIONS, BUSY, QUANTITIES };

static const char *const quantity_names[QUANTITIES] = {"items", "tiles", "k_iterations", "busy"};

struct spread {
	uint64_t least, most;
	double sum;
};

/* Over workers, SMs or XCDs. */
struct level {
	const char *name;
	uint64_t count, idle; /* idle ones are in the count */
	struct spread spread[QUANTITIES];
};

struct levels {
	struct level level[3];
	uint32_t count;
	uint32_t quantities;
};

static void put_sample(struct level *level, const uint64_t *sample)
{
	for (enum quantity i = 0; i < QUANTITIES; i++) {
		struct spread *s = &level->spread[i];

		s->least = level->count == 0 ? sample[i] : MIN(s->least, sample[i]);
		s->most = MAX(s->most, sample[i]);
		s->sum += (double)sample[i];
	}
	level->count++;
}

/* Those that there are and that did nothing. */
static void put_idle(struct level *level, uint64_t known)
{
	if (known <= level->count)
		return;
	level->idle = known - level->count;
	level->count = known;
	for (enum quantity i = 0; i < QUANTITIES; i++)
		level->spread[i].least = 0;
}

static void sample_of(const struct ts_lane *lane, uint64_t *ret_sample)
{
	ret_sample[ITEMS] = lane->items;
	ret_sample[TILES] = lane->tiles;
	ret_sample[K_ITERATIONS] = lane->k;
	ret_sample[BUSY] = lane->busy;
}

/* Calls `visit` for each lane with items. */
static void each_lane(
	const struct ts_ledger *l, void (*visit)(void *, const struct ts_lane *), void *data)
{
	for (uint32_t table = 0; table < l->lanes.count; table++) {
		uint64_t ids = MIN(l->ids, (uint64_t)l->lanes.tables[table].count * TS_PAGE);

		for (uint64_t id = 0; id < ids; id++) {
			const struct ts_lane *lane = ts_pages_peek(&l->lanes, table, (uint32_t)id);

			if (lane == NULL)
				id |= TS_PAGE - 1;
			else if (lane->seen != 0)
				visit(data, lane);
		}
	}
}

static void visit_worker(void *data, const struct ts_lane *lane)
{
	uint64_t sample[QUANTITIES];

	sample_of(lane, sample);
	put_sample(data, sample);
}

/* Sums of lanes with the same key. An SM's id may be unique on its XCD only. */
struct sums {
	GHashTable *table; /* int64 -> uint64_t[QUANTITIES] */
	bool by_sm;
};

static void visit_place(void *data, const struct ts_lane *lane)
{
	struct sums *sums = data;
	gint64 key = (gint64)((uint64_t)lane->xcd << 32 | (sums->by_sm ? lane->sm : 0));
	uint64_t *sum = g_hash_table_lookup(sums->table, &key);
	uint64_t sample[QUANTITIES];

	if (sum == NULL) {
		sum = g_new0(uint64_t, QUANTITIES);
		g_hash_table_insert(sums->table, g_memdup2(&key, sizeof key), sum);
	}
	sample_of(lane, sample);
	for (enum quantity i = 0; i < QUANTITIES; i++)
		sum[i] += sample[i];
}

static void put_places(const struct ts_ledger *l, struct level *level, bool by_sm)
{
	struct sums sums = {
		g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free), by_sm};
	GHashTableIter iter;
	gpointer sum;

	each_lane(l, visit_place, &sums);
	g_hash_table_iter_init(&iter, sums.table);
	while (g_hash_table_iter_next(&iter, NULL, &sum))
		put_sample(level, sum);
	g_hash_table_unref(sums.table);
}

static void balance(const struct ts_check *c, struct levels *ret)
{
	const struct ts_ledger *l = c->ledger;
	struct level *level = ret->level;
	bool ranks = ts_ledger_has(l, TS_COL_RANK);

	memset(ret, 0, sizeof *ret);
	ret->quantities =
		ts_ledger_has(l, TS_COL_T0) && ts_ledger_has(l, TS_COL_T1) ? QUANTITIES : BUSY;
	if (ts_ledger_has(l, TS_COL_WORKER)) {
		level->name = ranks ? "cta" : "worker";
		each_lane(l, visit_worker, level);
		/* The CTAs of a tail cluster may rightly have nothing. */
		if (!ranks)
			put_idle(level, MAX(c->workers, l->ids));
		level++;
	}
	if (ts_ledger_has(l, TS_COL_SM)) {
		level->name = "sm";
		put_places(l, level, true);
		put_idle(level, c->units);
		level++;
	}
	if (ts_ledger_has(l, TS_COL_XCD)) {
		level->name = "xcd";
		put_places(l, level, false);
		put_idle(level, c->xcds);
		level++;
	}
	ret->count = (uint32_t)(level - ret->level);
}

static double mean(const struct level *level, enum quantity q)
{
	return level->count > 0 ? level->spread[q].sum / (double)level->count : 0;
}

static double imbalance(const struct level *level, enum quantity q)
{
	return level->spread[q].sum > 0 ? (double)level->spread[q].most / mean(level, q) : 1;
}

static uint64_t makespan(const struct ts_ledger *l)
{
	return l->items == 0 || l->end < l->begin ? 0 : (uint64_t)l->end - (uint64_t)l->begin;
}

static void put_columns(GString *out, const struct ts_trace *t)
{
	bool first = true;

	for (enum ts_col i = 0; i < TS_COLS; i++) {
		if (!ts_trace_has(t, i))
			continue;
		g_string_append_printf(out, "%s%s", first ? "" : ", ", ts_col_name(i));
		first = false;
	}
}

static void put_grid(GString *out, const struct ts_tiling *t)
{
	const struct ts_group *g = &t->groups[0];

	if (t->count == 1)
		g_string_append_printf(
			out, "%u x %u tiles of %u k iterations", g->rows, g->cols, g->depth);
	else
		g_string_append_printf(out, "%u groups with %" PRIu64 " tiles", t->count, t->tiles);
	if (t->cluster_m * t->cluster_n > 1)
		g_string_append_printf(out, ", clusters of %ux%u", t->cluster_m, t->cluster_n);
}

static void put_table(GString *out, const struct levels *levels)
{
	if (levels->count == 0)
		return;
	g_string_append_printf(out, "\n%-7s %8s %6s  %-12s %12s %14s %12s %9s\n", "of each",
		"count", "idle", "", "min", "mean", "max", "max/mean");
	for (uint32_t i = 0; i < levels->count; i++) {
		const struct level *level = &levels->level[i];

		for (enum quantity q = 0; q < levels->quantities; q++)
			g_string_append_printf(out,
				"%-7s %8" PRIu64 " %6" PRIu64 "  %-12s %12" PRIu64
				" %14.2f %12" PRIu64 " %9.3f\n",
				level->name, level->count, level->idle, quantity_names[q],
				level->spread[q].least, mean(level, q), level->spread[q].most,
				imbalance(level, q));
	}
}

static void put_verdict(GString *out, const struct ts_ledger *l)
{
	const struct ts_lapses *lapses = &l->lapses;
	g_autofree char *text = NULL;

	if (lapses->count == 0) {
		g_string_append_printf(out,
			"verified     sound: %" PRIu64 " tiles in %" PRIu64
			" items, each k iteration "
			"once, none out of bounds\n",
			l->tiling->tiles, l->items);
		return;
	}
	text = ts_lapse_text(lapses, lapses->first);
	g_string_append_printf(out, "FAILED       %s: %s\n", ts_lapse_name(lapses->first), text);
	g_string_append_printf(out, "faults       %" PRIu64 " in all\n", lapses->count);
	for (enum ts_lapse_kind i = 0; i < TS_LAPSES; i++) {
		g_autofree char *first = NULL;

		if (lapses->kinds[i].count == 0)
			continue;
		first = ts_lapse_text(lapses, i);
		g_string_append_printf(out, "  %10" PRIu64 " %s; the first: %s\n",
			lapses->kinds[i].count, ts_lapse_name(i), first);
	}
}

static char *text_report(const struct ts_check *c)
{
	const struct ts_ledger *l = c->ledger;
	GString *out = g_string_new(NULL);
	struct levels levels;

	balance(c, &levels);
	g_string_append_printf(out, "trace        %s: %" PRIu64 " items as %s with ",
		c->trace->name, l->items, c->trace->json ? "JSON lines" : "CSV");
	put_columns(out, c->trace);
	g_string_append(out, "\ngrid         ");
	put_grid(out, l->tiling);
	g_string_append(out, "\n");
	if (c->against != NULL)
		g_string_append_printf(out, "against      %s\n", c->against);
	put_verdict(out, l);
	if (levels.quantities > BUSY && levels.count > 0) {
		const struct level *level = &levels.level[0];
		double all = (double)level->count * (double)makespan(l);

		g_string_append_printf(out,
			"time         makespan %" PRIu64 ", of which a %s is busy %.1f %%\n",
			makespan(l), level->name,
			all > 0 ? 100 * level->spread[BUSY].sum / all : 0);
	}
	put_table(out, &levels);
	g_string_append_printf(out, "\nrepeat with  %s\n", c->command);
	return g_string_free(out, FALSE);
}

static void json_faults(JsonBuilder *b, const struct ts_lapses *lapses)
{
	json_builder_set_member_name(b, "faults");
	json_builder_begin_array(b);
	for (enum ts_lapse_kind i = 0; i < TS_LAPSES; i++) {
		g_autofree char *text = NULL;

		if (lapses->kinds[i].count == 0)
			continue;
		text = ts_lapse_text(lapses, i);
		json_builder_begin_object(b);
		ts_json_text_member(b, "fault", ts_lapse_name(i));
		ts_json_count(b, "count", lapses->kinds[i].count);
		ts_json_count(b, "line", lapses->kinds[i].record.line);
		ts_json_text_member(b, "finding", text);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static void json_balance(JsonBuilder *b, const struct levels *levels)
{
	json_builder_set_member_name(b, "balance");
	json_builder_begin_array(b);
	for (uint32_t i = 0; i < levels->count; i++) {
		const struct level *level = &levels->level[i];

		json_builder_begin_object(b);
		ts_json_text_member(b, "of", level->name);
		ts_json_count(b, "count", level->count);
		ts_json_count(b, "idle", level->idle);
		for (enum quantity q = 0; q < levels->quantities; q++) {
			json_builder_set_member_name(b, quantity_names[q]);
			json_builder_begin_object(b);
			ts_json_count(b, "min", level->spread[q].least);
			ts_json_number(b, "mean", mean(level, q));
			ts_json_count(b, "max", level->spread[q].most);
			ts_json_number(b, "imbalance", imbalance(level, q));
			json_builder_end_object(b);
		}
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static char *json_report(const struct ts_check *c)
{
	const struct ts_ledger *l = c->ledger;
	const struct ts_lapses *lapses = &l->lapses;
	g_autofree char *finding = NULL;
	JsonBuilder *b = json_builder_new();
	struct levels levels;

	balance(c, &levels);
	if (lapses->count > 0)
		finding = ts_lapse_text(lapses, lapses->first);
	json_builder_begin_object(b);
	ts_json_text_member(b, "command", c->command);
	ts_json_text_member(b, "trace", c->trace->name);
	ts_json_count(b, "groups", l->tiling->count);
	ts_json_count(b, "grid_tiles", l->tiling->tiles);
	ts_json_count(b, "items", l->items);
	ts_json_count(b, "tiles", l->tiles);
	if (c->against != NULL)
		ts_json_text_member(b, "against", c->against);
	ts_json_text_member(
		b, "verdict", lapses->count == 0 ? "sound" : ts_lapse_name(lapses->first));
	ts_json_text_member(b, "finding", finding == NULL ? "every property holds" : finding);
	json_faults(b, lapses);
	if (levels.quantities > BUSY)
		ts_json_count(b, "makespan", makespan(l));
	json_balance(b, &levels);
	json_builder_end_object(b);
	return ts_json_text(b);
}

char *ts_check_report(const struct ts_check *c, enum ts_format format)
{
	return format == TS_JSON ? json_report(c) : text_report(c);
}
