/* What the program writes: JSON and CSV on its output, records and traces in files. */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "policies/all.h"
#include "tests/call.h"

static char *folder; /* where the calls run and write, empty before each test */

static JsonNode *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	JsonNode *root = json_from_string(text, &error);

	g_assert_no_error(error);
	return root;
}

static void test_json(void)
{
	static const char *const texts[] = {
		"command", "device", "dtype", "policy", "order", "remap", "verdict", "finding"};
	static const char *const counts[] = {"m", "n", "k", "tile_rows", "tile_columns",
		"k_iterations", "swizzle", "cluster_m", "cluster_n", "items", "workers", "domains",
		"counters", "makespan_ps", "first_wave_block_loads"};
	static const char *const parts[] = {"useful", "wave_quantization", "imbalance",
		"places_without_worker", "claims", "prologue_epilogue", "edges"};
	struct call c = ts_call(
		folder, "--m 1000 --n 3000 --k 640 --policy worksteal --jitter 5 --format json");
	g_autoptr(JsonNode) root = parse(c.out);
	JsonObject *o = json_node_get_object(root);
	double sum = 0;

	ts_call_ends("--format json", &c, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		g_assert_nonnull(json_object_get_string_member(o, texts[i]));
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
		g_assert_true(json_node_get_value_type(json_object_get_member(o, counts[i])) ==
			G_TYPE_INT64);
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		sum += json_object_get_double_member(o, parts[i]);
	g_assert_cmpfloat_with_epsilon(sum, 1, 1e-9);
	g_assert_cmpstr(json_object_get_string_member(o, "verdict"), ==, "sound");
	g_assert_cmpint(json_object_get_int_member(o, "items"), ==, 4 * 12);
	g_assert_cmpint(json_object_get_int_member(o, "k_iterations"), ==, 10);
	g_assert_cmpfloat_with_epsilon(json_object_get_double_member(o, "tflops"),
		2.0 * 1000 * 3000 * 640 / (double)json_object_get_int_member(o, "makespan_ps"),
		1e-6);
	g_assert_cmpuint(json_array_get_length(json_object_get_array_member(o, "groups")), ==, 8);
	ts_call_finish(&c);
}

/* Each name with its guarantees; these come from asking the policies. */
static void test_json_policies(void)
{
	static const struct {
		const char *name, *key, *says;
	} cases[] = {{"persistent", "guarantee", "every worker must run"},
		{"persistent", "counters", "none"}, {"steal", "guarantee", "any one worker"},
		{"global", "counters", "1 for 2 XCDs"},
		{"hierarchical", "counters", "3 for 2 XCDs"},
		{"data-parallel", "placement", "static"}, {"global", "placement", "dynamic"},
		{"auto", "guarantee", "each cluster once"}, {"chiplet", "guarantee", "each"},
		{"paired-n", "source", "DeepGEMM"}, {"triton-grouped", "stands for", "--swizzle 8"},
		{"grouped-m", "aliases", "hipkittens, thunderkittens"}};
	struct call c = ts_call(folder, "policies --format json");
	g_autoptr(JsonNode) root = parse(c.out);
	JsonArray *entries = json_node_get_array(root);
	struct call p = ts_call(folder, "policies --projects --format json");
	g_autoptr(JsonNode) projects = parse(p.out);

	ts_call_ends("policies --format json", &c, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool found = false;

		for (guint j = 0; j < json_array_get_length(entries); j++) {
			JsonObject *o = json_array_get_object_element(entries, j);

			if (strcmp(json_object_get_string_member(o, "name"), cases[i].name) != 0)
				continue;
			found = true;
			if (!ts_call_says(
				    json_object_get_string_member(o, cases[i].key), cases[i].says))
				g_error("%s of %s does not say %s", cases[i].key, cases[i].name,
					cases[i].says);
		}
		g_assert_true(found);
	}
	for (guint j = 0; j < json_array_get_length(entries); j++)
		g_assert_true(json_object_has_member(
			json_array_get_object_element(entries, j), "summary"));
	ts_call_ends("policies --projects --format json", &p, 0);
	g_assert_cmpuint(json_array_get_length(json_node_get_array(projects)), >, 20);
	g_assert_cmpstr(
		json_object_get_string_member(
			json_array_get_object_element(json_node_get_array(projects), 0), "Triton"),
		==, "Y");
	ts_call_finish(&c);
	ts_call_finish(&p);
}

static void test_json_lists(void)
{
	struct call c = ts_call(folder, "verify --m 1:600:100 --n 300 --policy all --format json");
	struct call d = ts_call(folder, "compare --m 256,512 --n 300 --policy all --format json");
	g_autoptr(JsonNode) verified = parse(c.out);
	g_autoptr(JsonNode) compared = parse(d.out);
	JsonArray *rows = json_node_get_array(compared);

	ts_call_ends("verify", &c, 0);
	ts_call_ends("compare", &d, 0);
	g_assert_cmpint(json_object_get_int_member(json_node_get_object(verified), "schedules"), ==,
		6 * TS_POLICIES);
	g_assert_cmpuint(json_array_get_length(rows), ==, 2 * TS_POLICIES);
	for (guint i = 0; i < 2 * TS_POLICIES; i++) {
		JsonObject *o = json_array_get_object_element(rows, i);

		g_assert_cmpint(
			json_object_get_int_member(o, "m"), ==, i < TS_POLICIES ? 256 : 512);
		g_assert_cmpstr(json_object_get_string_member(o, "verdict"), ==, "sound");
		g_assert_true(g_str_has_prefix(
			json_object_get_string_member(o, "command"), "tilesim --device mi300x"));
	}
	ts_call_finish(&c);
	ts_call_finish(&d);
}

static void test_csv(void)
{
	static const struct {
		const char *words, *header;
		guint lines; /* with the header */
	} cases[] = {
		{"--m 999 --n 999 --format csv",
			"group,places,workers,tiles,busy_percent,claims,steals,last_finish_ps", 9},
		{"compare --m 64,999 --n 64 --policy all --format csv",
			"shape,m,n,k,schedule,verdict,makespan_ps,tflops,utilisation,best",
			1 + 2 * TS_POLICIES}};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct call c = ts_call(folder, cases[i].words);
		g_auto(GStrv) lines = g_strsplit(c.out, "\n", -1);

		ts_call_ends(cases[i].words, &c, 0);
		g_assert_cmpstr(lines[0], ==, cases[i].header);
		g_assert_cmpuint(g_strv_length(lines), ==, cases[i].lines + 1);
		ts_call_finish(&c);
	}
}

/* Checks the records of 5 x 9 tiles against nothing but the numbers in them. */
static void check_records(const char *words, guint cluster_m, guint cluster_n)
{
	g_autofree char *text = ts_call_read(folder, "r.csv");
	g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
	guint seen[5][9] = {{0}};
	guint items = (5 + cluster_m - 1) / cluster_m * ((9 + cluster_n - 1) / cluster_n);

	g_assert_cmpstr(lines[0], ==,
		"worker,unit,group,domain,m,n,k_begin,k_end,owns,counter,t0_ps,t1_ps");
	if (g_strv_length(lines) != items + 1)
		g_error("tilesim %s: %u records, not %u", words, g_strv_length(lines) - 1, items);
	for (guint i = 1; i <= items; i++) {
		g_auto(GStrv) f = g_strsplit(lines[i], ",", -1);
		guint64 m, n;

		g_assert_cmpuint(g_strv_length(f), ==, 12);
		m = g_ascii_strtoull(f[4], NULL, 10);
		n = g_ascii_strtoull(f[5], NULL, 10);
		g_assert_cmpstr(f[6], ==, "0");
		g_assert_cmpstr(f[7], ==, "3");
		g_assert_cmpstr(f[8], ==, "1");
		g_assert_cmpuint(
			g_ascii_strtoull(f[10], NULL, 10), <, g_ascii_strtoull(f[11], NULL, 10));
		for (guint j = 0; j < cluster_m * cluster_n; j++)
			if (m + j % cluster_m < 5 && n + j / cluster_m < 9)
				seen[m + j % cluster_m][n + j / cluster_m]++;
	}
	for (guint i = 0; i < 45; i++)
		g_assert_cmpuint(seen[i / 9][i % 9], ==, 1);
}

struct event {
	guint64 track, from, to;
};

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void check_trace(guint processes, guint tracks)
{
	g_autofree char *text = ts_call_read(folder, "t.json");
	g_autoptr(JsonNode) root = parse(text);
	JsonArray *events = json_object_get_array_member(json_node_get_object(root), "traceEvents");
	g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(struct event));
	guint named[2] = {0, 0};

	for (guint i = 0; i < json_array_get_length(events); i++) {
		JsonObject *o = json_array_get_object_element(events, i);
		struct event e;

		if (strcmp(json_object_get_string_member(o, "ph"), "M") == 0) {
			named[strcmp(json_object_get_string_member(o, "name"), "thread_name") ==
				0]++;
			continue;
		}
		e.track = (guint64)json_object_get_int_member(o, "pid") << 32 |
			(guint64)json_object_get_int_member(o, "tid");
		e.from = (guint64)llround(json_object_get_double_member(o, "ts") * 1e6);
		e.to = e.from + (guint64)llround(json_object_get_double_member(o, "dur") * 1e6);
		g_array_append_val(spans, e);
	}
	g_assert_cmpuint(named[0], ==, processes);
	g_assert_cmpuint(named[1], ==, tracks);
	g_assert_cmpuint(spans->len, >, 0);
	g_array_sort(spans, by_time);
	for (guint i = 1; i < spans->len; i++) {
		const struct event *e = &g_array_index(spans, struct event, i);

		if (e->track == e[-1].track)
			g_assert_cmpuint(e->from, >=, e[-1].to);
	}
}

static void test_records_and_trace(void)
{
	static const struct {
		const char *words;
		guint cluster_m, cluster_n, processes, tracks;
	} cases[] = {
		{"", 1, 1, 8, 304},
		{"--policy data-parallel --cus 16 --jitter 30", 1, 1, 8, 16},
		{"--policy worksteal --cus 8 --xcds 8 --slow xcd3:2", 1, 1, 8, 8},
		{"--policy worksteal --mode global --cus 16 --occupancy 2", 1, 1, 8, 32},
		{"--policy worksteal --mode hierarchical --cus 24 --counters 2", 1, 1, 8, 24},
		{"--device h200 --cluster 2x1", 2, 1, 12, 66},
		{"--device h200 --cluster 2x2 --policy worksteal --cus 60", 2, 2, 12, 12},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *words = g_strconcat("--m 1100 --n 2100 --k 192 --order snake "
						     "--records r.csv --trace t.json ",
			cases[i].words, NULL);
		struct call c = ts_call(folder, words);

		ts_call_ends(words, &c, 0);
		check_records(words, cases[i].cluster_m, cases[i].cluster_n);
		check_trace(cases[i].processes, cases[i].tracks);
		g_assert_cmpint(ts_call_clean(folder), ==, 2);
		ts_call_finish(&c);
	}
}

/* Records of cut tiles are a trace that `check` takes, and the trace shows waits and fix-ups. */
static void test_cut_records(void)
{
	static const char *const cases[] = {
		"--policy stream-k --device h200 --m 384 --n 384 --k 32768 --block 128x128x64",
		"--policy split-k --splits 3 --m 384 --n 384 --k 32768 --block 128x128x64"};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *words =
			g_strconcat(cases[i], " --records r.csv --trace t.json", NULL);
		g_autofree char *check = g_strconcat(
			"check r.csv --against --xcds 1 --workers 132 ", cases[i], NULL);
		struct call made = ts_call(folder, words), checked;
		g_autofree char *trace = ts_call_read(folder, "t.json");
		g_autoptr(JsonNode) root = parse(trace);

		ts_call_ends(words, &made, 0);
		g_assert_nonnull(root);
		g_assert_true(ts_call_says(trace, "\"fix-up (2,2)\"|\"wait 0\""));
		checked = ts_call(folder, check);
		ts_call_ends(check, &checked, 0);
		g_assert_true(ts_call_says(checked.out, "sound: 9 tiles"));
		ts_call_finish(&made);
		ts_call_finish(&checked);
	}
	ts_call_clean(folder);
}

int main(int argc, char **argv)
{
	int code;

	g_test_init(&argc, &argv, NULL);
	folder = g_dir_make_tmp("tilesim-XXXXXX", NULL);
	g_assert_nonnull(folder);
	g_test_add_func("/formats/json of a run", test_json);
	g_test_add_func("/formats/json of verify and compare", test_json_lists);
	g_test_add_func("/formats/json of policies", test_json_policies);
	g_test_add_func("/formats/csv", test_csv);
	g_test_add_func("/formats/records and traces", test_records_and_trace);
	g_test_add_func("/formats/records of cut tiles", test_cut_records);
	code = g_test_run();
	ts_call_clean(folder);
	g_rmdir(folder);
	g_free(folder);
	return code;
}
