/* Traces: any bytes are refused, or make records that are the same when read a second time and when
 * written in the reader's slowest form and read back; and that the ledger, the comparison with a
 * plan and the report can take. */
#include "verify/trace.h"

#include <string.h>

#include "sim/check_report.h"
#include "tests/fuzz/target.h"
#include "verify/against.h"

/* The time of a report goes with the largest worker or SM: read as they are, they are small here.
 */
enum { RECORDS_MAX = 4096, IDS = 1 << 16 };

/* A grid that traces are held against, and the plan of its only group, if they are. */
struct grid {
	uint32_t rows, cols, depth, groups;
	uint32_t cluster_m, cluster_n;
	uint32_t policy;
	enum ts_mode mode;
	bool against, hardware;
};

static const struct grid grids[] = {
	{3, 2, 4, 1, 1, 1, TS_PERSISTENT, TS_STEAL, false, false},
	{4, 3, 1, 1, 1, 1, TS_PERSISTENT, TS_STEAL, true, false},
	{5, 3, 2, 1, 2, 1, TS_WORKSTEAL, TS_STEAL, true, false},
	{5, 3, 2, 1, 1, 2, TS_WORKSTEAL, TS_HIERARCHICAL, true, true},
	{3, 3, 0, 1, 1, 1, TS_DATA_PARALLEL, TS_STEAL, true, true},
	{2, 3, 8, 3, 2, 2, TS_PERSISTENT, TS_STEAL, false, false},
	{0, 3, 8, 2, 1, 1, TS_PERSISTENT, TS_STEAL, false, false},
};

/* All records up to the end or to the first bad line. */
static GArray *read_all(struct ts_trace *t, GError **error)
{
	GArray *records = g_array_new(FALSE, FALSE, sizeof(struct ts_record));
	struct ts_record record;

	while (records->len < RECORDS_MAX && ts_trace_next(t, &record, error) == TS_READ_RECORD)
		g_array_append_val(records, record);
	return records;
}

static void compare(const GArray *a, const GArray *b, bool same_lines)
{
	g_assert_cmpuint(a->len, ==, b->len);
	for (guint i = 0; i < a->len; i++) {
		const struct ts_record *x = &g_array_index(a, struct ts_record, i);
		const struct ts_record *y = &g_array_index(b, struct ts_record, i);

		g_assert_true(!same_lines || x->line == y->line);
		for (enum ts_col col = 0; col < TS_COLS; col++)
			g_assert_cmpint(x->value[col], ==, y->value[col]);
	}
}

static void put_value(GString *out, enum ts_col col, int64_t value)
{
	if (col == TS_COL_COUNTER && value == -1)
		g_string_append(out, "\"\"");
	else
		g_string_append_printf(out, "\"%" G_GINT64_FORMAT "\"", value);
}

/* The records of `t` in quotes, which the reader's quick paths do not take. */
static char *write_all(const struct ts_trace *t, const GArray *records, bool json)
{
	GString *out = g_string_new(NULL);

	for (enum ts_col col = 0; !json && col < TS_COLS; col++)
		if (ts_trace_has(t, col))
			g_string_append_printf(
				out, "%s%s", out->len == 0 ? "" : ",", ts_col_name(col));
	g_string_append(out, json ? "" : "\n");
	for (guint i = 0; i < records->len; i++) {
		const struct ts_record *r = &g_array_index(records, struct ts_record, i);
		const char *before = json ? "{" : "";

		for (enum ts_col col = 0; col < TS_COLS; col++) {
			if (!ts_trace_has(t, col))
				continue;
			g_string_append(out, before);
			if (json)
				g_string_append_printf(out, "\"%s\":", ts_col_name(col));
			put_value(out, col, r->value[col]);
			before = ",";
		}
		g_string_append(out, json ? "}\n" : "\n");
	}
	return g_string_free(out, FALSE);
}

static void check_again(const struct ts_trace *t, const GArray *records, bool json)
{
	g_autofree char *text = write_all(t, records, json);
	g_autoptr(GArray) again = NULL;
	g_autoptr(GError) error = NULL;
	struct ts_trace *u;

	/* tilesim's own records have a column that foreign traces lack. */
	if (ts_trace_has(t, TS_COL_DOMAIN) || (json && records->len == 0))
		return;
	u = ts_trace_open(ts_fuzz_file((const uint8_t *)text, strlen(text)), false, &error);
	g_assert_no_error(error);
	again = read_all(u, &error);
	g_assert_no_error(error);
	compare(records, again, false);
	ts_trace_close(u);
}

static void report(const struct ts_trace *t, const struct ts_ledger *ledger, bool against)
{
	struct ts_check c = {.trace = t,
		.ledger = ledger,
		.against = against ? "a plan" : NULL,
		.command = "tilesim check -",
		.workers = 4,
		.units = 6,
		.xcds = 2};
	g_autofree char *words = ts_check_report(&c, TS_TEXT);
	g_autofree char *json = ts_check_report(&c, TS_JSON);

	g_assert_true(g_utf8_validate(words, -1, NULL));
	ts_fuzz_json(json);
}

static struct ts_plan make_plan(const struct grid *g)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan;

	spec.policy = g->policy;
	spec.mode = g->mode;
	spec.m = g->rows;
	spec.n = g->cols;
	spec.k = g->depth;
	spec.block_m = spec.block_n = spec.block_k = 1;
	spec.cluster_m = g->cluster_m;
	spec.cluster_n = g->cluster_n;
	spec.workers = 4;
	spec.domains = 2;
	spec.width = 2;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	return plan;
}

/* As `tilesim check` does. */
static void hold(
	const struct ts_trace *t, const GArray *records, const struct grid *g, bool reports)
{
	struct ts_group groups[3];
	struct ts_tiling tiling = {.groups = groups,
		.count = g->groups,
		.cluster_m = g->cluster_m,
		.cluster_n = g->cluster_n};
	struct ts_ledger ledger;
	struct ts_against against;
	struct ts_plan plan = make_plan(g);
	bool compares = g->against && ts_trace_has(t, TS_COL_WORKER);

	if (g->hardware && !ts_trace_has(t, TS_COL_XCD) && !ts_trace_has(t, TS_COL_DOMAIN))
		compares = false;
	for (uint32_t i = 0; i < g->groups; i++) {
		groups[i] = (struct ts_group){g->rows, g->cols, g->depth, tiling.tiles};
		tiling.tiles += (uint64_t)g->rows * g->cols;
		tiling.there = tiling.tiles;
	}
	g_assert_true(ts_ledger_init(&ledger, &tiling, t->columns));
	if (compares)
		g_assert_true(
			ts_against_init(&against, &plan, NULL, g->hardware, &ledger.lapses, NULL));
	for (guint i = 0; i < records->len; i++) {
		struct ts_record r = g_array_index(records, struct ts_record, i);

		r.value[TS_COL_WORKER] %= IDS;
		r.value[TS_COL_SM] %= IDS;
		ts_ledger_add(&ledger, &r);
		if (compares)
			ts_against_add(&against, &r);
	}
	ts_ledger_close(&ledger);
	if (compares)
		ts_against_close(&against);
	if (ledger.lapses.kinds[TS_LAPSE_TWICE].count > 0)
		for (guint i = 0; i < records->len; i++)
			ts_ledger_covers(&ledger, &g_array_index(records, struct ts_record, i),
				&ledger.lapses.kinds[TS_LAPSE_TWICE].found);
	if (reports)
		report(t, &ledger, compares);
	if (compares)
		ts_against_finish(&against);
	ts_ledger_finish(&ledger);
}

/* What a trace holds is shown briefly, and with nothing that a terminal would act on. */
static void refused(GError *error)
{
	g_assert_cmpuint(strlen(error->message), <, 1000);
	for (const char *p = error->message; *p != '\0'; p++)
		g_assert_true(g_ascii_isprint(*p));
	ts_fuzz_refused(error);
}

static void check(struct ts_trace *t)
{
	GError *error = NULL, *error_again = NULL;
	g_autoptr(GArray) records = read_all(t, &error);
	g_autoptr(GArray) again = NULL;

	g_assert_true(ts_trace_rewind(t));
	again = read_all(t, &error_again);
	compare(records, again, true);
	g_assert_cmpstr(error == NULL ? NULL : error->message, ==,
		error_again == NULL ? NULL : error_again->message);
	/* One report is enough of what takes most of the time. */
	for (size_t i = 0; i < G_N_ELEMENTS(grids); i++)
		hold(t, records, &grids[i], i == records->len % G_N_ELEMENTS(grids));
	check_again(t, records, false);
	check_again(t, records, true);
	if (error != NULL)
		refused(error);
	g_clear_error(&error_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int ignore = 0; ignore < 2; ignore++) {
		GError *error = NULL;
		struct ts_trace *t = ts_trace_open(ts_fuzz_file(data, size), ignore != 0, &error);

		if (t == NULL) {
			refused(error);
			continue;
		}
		check(t);
		ts_trace_close(t);
		break;
	}
	return 0;
}
