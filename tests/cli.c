/* The program from end to end: what it prints, what it writes, and how it ends. */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "policies/all.h"
#include "tests/call.h"

static char *folder; /* where the calls run and write, empty before each test */

static struct call call(const char *words)
{
	return ts_call(folder, words);
}

static void done(struct call *c)
{
	ts_call_finish(c);
}

static void expect(const char *words, const struct call *c, int code)
{
	if (c->code != code)
		g_error("tilesim %s: exit code %d, not %d: %s%s", words, c->code, code, c->out,
			c->err);
}

static bool has_all(const char *text, const char *parts)
{
	g_auto(GStrv) words = g_strsplit(parts, "|", -1);

	for (size_t i = 0; words[i] != NULL; i++)
		if (strstr(text, words[i]) == NULL)
			return false;
	return true;
}

/* Removes the files in the folder; returns how many there were. */
static int clean(void)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;
	int count = 0;

	while ((name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_assert_cmpint(g_unlink(path), ==, 0);
		count++;
	}
	return count;
}

static char *contents(const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autoptr(GError) error = NULL;
	char *text;

	g_file_get_contents(path, &text, NULL, &error);
	g_assert_no_error(error);
	return text;
}

static void refuse(const char *words, const char *says)
{
	struct call c = call(words);
	const char *end = strchr(c.err, '\n');

	expect(words, &c, 2);
	if (c.out[0] != '\0' || end == NULL || end[1] != '\0' ||
		!g_str_has_prefix(c.err, "tilesim: ") || !has_all(c.err, says))
		g_error("tilesim %s: not one line with %s, but: %s%s", words, says, c.out, c.err);
	g_assert_cmpint(clean(), ==, 0);
	done(&c);
}

/* data/refusals.txt has command lines, and below each what the refusal must say. */
static void test_refusals(void)
{
	g_autofree char *path =
		g_strdup_printf("%s/tests/data/refusals.txt", g_getenv("TILESIM_SOURCE"));
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	const char *words = NULL;
	size_t count = 0;

	g_file_get_contents(path, &text, NULL, &error);
	g_assert_no_error(error);
	lines = g_strsplit(text, "\n", -1);
	for (size_t i = 0; lines[i] != NULL; i++) {
		if (lines[i][0] == '\t') {
			refuse(words, lines[i] + 1);
			count++;
		} else if (lines[i][0] != '\0' && lines[i][0] != '#') {
			words = lines[i];
		}
	}
	g_assert_cmpuint(count, >=, 40);
}

/* Options that would have no effect, or not the one that was asked for. */
static void test_ignored(void)
{
	refuse("verify --format csv", "csv|text|json");
	refuse("compare --m 4 --shapes llama3-8b", "--m|--shapes");
}

/* A refusal leaves no file behind, whichever part of the work it comes from. */
static void test_nothing_half_written(void)
{
	static const char *const cases[] = {"--m -1", "--policy banana", "--domain nowhere",
		"--format yaml", "--dtype int8", "--mask xcd9", "--hold any20",
		"--trace no/such.json", "--records no/such.csv", "--trace .", "--records ."};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *words = g_strconcat(
			"--m 256 --n 256 --records r.csv --trace t.json ", cases[i], NULL);
		struct call c = call(words);

		expect(words, &c, 2);
		g_assert_cmpint(clean(), ==, 0);
		done(&c);
	}
}

static int count_files(void)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	int count = 0;

	while (g_dir_read_name(dir) != NULL)
		count++;
	return count;
}

/* Nor does who is ended while writing: here a run of minutes. */
static void test_ended(void)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGTERM};

	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
		const char *argv[] = {g_getenv("TILESIM"), "--m", "2147483647", "--records",
			"r.csv", "--trace", "t.json", NULL};
		g_autoptr(GError) error = NULL;
		GPid id;
		int status;

		/* A child ignores what a script that starts this one does. */
		signal(ends[i], SIG_DFL);
		g_spawn_async(folder, (char **)(gpointer)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
			NULL, NULL, &id, &error);
		g_assert_no_error(error);
		while (count_files() < 2)
			g_usleep(1000);
		g_assert_cmpint(kill(id, ends[i]), ==, 0);
		g_assert_cmpint(waitpid(id, &status, 0), ==, id);
		g_assert_true(WIFSIGNALED(status));
		g_assert_cmpint(WTERMSIG(status), ==, ends[i]);
		g_assert_cmpint(clean(), ==, 0);
	}
}

static void test_help(void)
{
	static const struct {
		const char *words, *says;
	} cases[] = {{"help", "verify|compare|plot|policies|devices|Exit codes"},
		{"--help",
			"--policy|--records|--mask|--claim-ns|--min-useful|--max-idle|--no-slower-"
			"than"},
		{"verify --help", "--random|--jobs|--policy|--residency|--max-empty|--min-split"},
		{"compare --help", "--shapes|--policy"}, {"devices", "mi300x|h200|rtx5090"},
		{"devices mi300x", "clock_mhz|data sheet"},
		{"policies", "data-parallel|persistent|worksteal|snake-n|chunked|hierarchical"},
		{"policies worksteal", "source|--mode steal|guarantee"},
		{"policies", "hilbert|cutlass-2|tilelang-persistent|--policy persistent --order"},
		{"policies persistent", "static|the same bits|every worker must run|deepgemm"},
		{"policies hilbert", "--order hilbert|map|each cluster once|source"},
		{"policies chunked", "--remap chunked|--chunk|HipKittens"},
		{"policies hipkittens", "stands for|--chunk 64"},
		{"policies slots", "dynamic|2 for 2 XCDs|needs one worker that begins with it"},
		{"policies --projects", "CUTLASS|Y ships it|--order hilbert|--remap chunked|cuda"},
		{"policies --help", "--projects|--format"}, {"policies", "stream-k|clc|two-tile"},
		{"policies stream-k",
			"--hybrid|in the order of k|lower ids|zero before each launch"},
		{"policies clc", "not launched|any one worker"}};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct call c = call(cases[i].words);

		expect(cases[i].words, &c, 0);
		g_assert_cmpstr(c.err, ==, "");
		if (!has_all(c.out, cases[i].says))
			g_error("tilesim %s does not say %s", cases[i].words, cases[i].says);
		done(&c);
	}
}

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
	struct call c =
		call("--m 1000 --n 3000 --k 640 --policy worksteal --jitter 5 --format json");
	g_autoptr(JsonNode) root = parse(c.out);
	JsonObject *o = json_node_get_object(root);
	double sum = 0;

	expect("--format json", &c, 0);
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
	done(&c);
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
	struct call c = call("policies --format json");
	g_autoptr(JsonNode) root = parse(c.out);
	JsonArray *entries = json_node_get_array(root);
	struct call p = call("policies --projects --format json");
	g_autoptr(JsonNode) projects = parse(p.out);

	expect("policies --format json", &c, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool found = false;

		for (guint j = 0; j < json_array_get_length(entries); j++) {
			JsonObject *o = json_array_get_object_element(entries, j);

			if (strcmp(json_object_get_string_member(o, "name"), cases[i].name) != 0)
				continue;
			found = true;
			if (!has_all(json_object_get_string_member(o, cases[i].key), cases[i].says))
				g_error("%s of %s does not say %s", cases[i].key, cases[i].name,
					cases[i].says);
		}
		g_assert_true(found);
	}
	for (guint j = 0; j < json_array_get_length(entries); j++)
		g_assert_true(json_object_has_member(
			json_array_get_object_element(entries, j), "summary"));
	expect("policies --projects --format json", &p, 0);
	g_assert_cmpuint(json_array_get_length(json_node_get_array(projects)), >, 20);
	g_assert_cmpstr(
		json_object_get_string_member(
			json_array_get_object_element(json_node_get_array(projects), 0), "Triton"),
		==, "Y");
	done(&c);
	done(&p);
}

static void test_json_lists(void)
{
	struct call c = call("verify --m 1:600:100 --n 300 --policy all --format json");
	struct call d = call("compare --m 256,512 --n 300 --policy all --format json");
	g_autoptr(JsonNode) verified = parse(c.out);
	g_autoptr(JsonNode) compared = parse(d.out);
	JsonArray *rows = json_node_get_array(compared);

	expect("verify", &c, 0);
	expect("compare", &d, 0);
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
	done(&c);
	done(&d);
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
		struct call c = call(cases[i].words);
		g_auto(GStrv) lines = g_strsplit(c.out, "\n", -1);

		expect(cases[i].words, &c, 0);
		g_assert_cmpstr(lines[0], ==, cases[i].header);
		g_assert_cmpuint(g_strv_length(lines), ==, cases[i].lines + 1);
		done(&c);
	}
}

/* Checks the records of 5 x 9 tiles against nothing but the numbers in them. */
static void check_records(const char *words, guint cluster_m, guint cluster_n)
{
	g_autofree char *text = contents("r.csv");
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
	g_autofree char *text = contents("t.json");
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
		struct call c = call(words);

		expect(words, &c, 0);
		check_records(words, cases[i].cluster_m, cases[i].cluster_n);
		check_trace(cases[i].processes, cases[i].tracks);
		g_assert_cmpint(clean(), ==, 2);
		done(&c);
	}
}

/* The same bytes each time, and with any number of threads. */
static void same_bytes(const char *const *cases, size_t count)
{
	static const char *const jobs[] = {"1", "2", "5", "1"};

	for (size_t i = 0; i < count; i++) {
		struct call first = {0};

		for (size_t j = 0; j < G_N_ELEMENTS(jobs); j++) {
			g_auto(GStrv) halves = g_strsplit(cases[i], "%s", 2);
			g_autofree char *words = g_strjoinv(jobs[j], halves);
			struct call c = call(words);

			if (j == 0) {
				first = c;
				continue;
			}
			if (c.code != first.code || strcmp(c.out, first.out) != 0 ||
				strcmp(c.err, first.err) != 0)
				g_error("tilesim %s: differs from that with --jobs 1:\n%s%s\n%s%s",
					words, first.out, first.err, c.out, c.err);
			done(&c);
		}
		done(&first);
	}
}

static void test_same_bytes(void)
{
	static const char *const cases[] = {
		"--m 5000 --n 3000 --policy worksteal --jitter 20 --seed 3",
		"--m 5000 --n 3000 --format json --slow xcd1:1.3",
		"verify --m 1:900:41 --n 1:900:57 --policy all --mode all",
		"verify --random 300 --seed 9 --m 0:2000 --n 0:2000 --policy all --order all "
		"--jobs %s",
		"verify --policy worksteal --mode slots,steal --m 1:5000:33 --n 300 --mask xcd3 "
		"--jobs %s",
		"verify --policy worksteal --mode steal,slots --m 1:9000:33 --n 3000 --mask xcd3 "
		"--jobs %s",
		"compare --m 64:4096:500 --n 1000 --k 512 --jobs %s",
		"compare --m 64:4096:500 --n 1000 --k 512 --jitter 9 --format csv --jobs %s",
		"compare --m 999,64 --n 1000 --k 512 --mask xcd3 --format json --jobs %s",
	};

	same_bytes(cases, G_N_ELEMENTS(cases));
}

/* A refusal too, though each thread meets other requests first. */
static void test_same_refusal(void)
{
	static const char *const cases[] = {
		"verify --random 50 --m -9:-1 --order row,column --jobs %s",
		"verify --random 33 --m -9:-1 --jobs %s", "verify --m -90:-1 --jobs %s",
		"verify --block 0x1x1 --m 1:90 --jobs %s",
		"verify --order row --swizzle 1:80 --jobs %s"};

	same_bytes(cases, G_N_ELEMENTS(cases));
}

/* The command that a report names gives that report again. */
static void test_repeat_with(void)
{
	static const char *const cases[] = {"", "--m 0", "--m 257 --n 300 --k 0",
		"--policy data-parallel --order column --remap chiplet --m 999",
		"--policy worksteal --mode global --swizzle 3",
		"--policy worksteal --mode global --remap none",
		"--policy worksteal --mode hierarchical --local 33 --counters 2 --remap chunked "
		"--chunk 5",
		"--policy worksteal --mode slots --counters 4 --max-counters 40 --domain hardware",
		"--device h200 --cluster 2x1 --dtype fp8 --edge real --workers 50 --k 777",
		"--cus 100 --xcds 4 --occupancy 2 --clock 1500 --claim-ns 3.5 --prologue-ns 0 "
		"--epilogue-ns 1e3",
		"--mask xcd3,cu5-9 --slow xcd1:2 --slow cu0:1.5 --policy worksteal --jitter 3 "
		"--seed 77",
		"--hold any20@0:500 --hold cu37@3 --release xcd2@40 --policy worksteal",
		"--policy worksteal --mode slots --mask xcd3",
		"--order snake-n --window 5 --block 128x64x32",
		"--order auto --m 3000 --n 20000 --remap chiplet", "--policy deepgemm --cus 100",
		"--policy cutlass-persistent --swizzle 8 --device h200 --cluster 2x1",
		"--policy hipkittens --window 5 --chunk 25 --m 20000",
		"--policy tritonblas-worksteal --counters 2 --order hilbert",
		"--policy stream-k --device h200 --m 700 --n 900 --block 128x128x64",
		"--policy stream-k --hybrid basic --min-k 2 --k-groups 4 --m 384 --workers 40",
		"--policy split-k --splits 5 --m 384 --k 700", "--policy clc --device b200",
		"--memory caches --m 999 --edge real",
		"--device 'a file.device' --max-cluster 3 --cluster 1x3"};
	g_autofree char *path = g_build_filename(folder, "a file.device", NULL);

	g_file_set_contents(path,
		"[device]\nname=A\nvendor=amd\nxcds=2\ncus_per_xcd=9\n"
		"clock_mhz=1000\nflops_bf16=512\ndram_gbps=900\n",
		-1, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct call c = call(cases[i]), again;
		const char *at = strstr(c.out, "repeat with  tilesim ");
		g_autofree char *words = NULL;

		g_assert_nonnull(at);
		words = g_strchomp(g_strdup(at + strlen("repeat with  tilesim ")));
		again = call(words);
		expect(words, &again, c.code);
		g_assert_cmpstr(again.out, ==, c.out);
		done(&c);
		done(&again);
	}
	clean();
}

/* Sound or not, and what is said about it. */
static const struct {
	const char *words;
	int code;
	const char *says;
} verdicts[] = {
	{"--m 257 --n 300 --k 64", 0, "sound: 4 tiles"},
	{"verify --m 257 --n 1:3000:113 --k 64 --policy all --mode all --remap all --order all", 0,
		"sound"},
	{"verify --m 257 --n 257 --block 128x128x64,256x128x64 --device h200 --cluster "
	 "1x1,2x1,1x2,2x2 "
	 "--policy all --order all",
		0, "sound"},
	{"--m 65536 --n 65536 --k 8192", 0, "sound: 65536 tiles"},
	{"--m 65536 --n 65536 --k 8192 --policy worksteal --block 128x128x64", 0,
		"sound: 262144 tiles"},
	{"--m 0", 0, "sound: 0 tiles"},
	/* Sixteen workers man two of the four counters of each XCD. */
	{"--policy worksteal --mode slots --counters 4 --workers 16 --m 2048 --n 2048", 1,
		"starvation|counter 2 (XCD 0, slot 2)|32 tiles: (4,0) (4,1)"},
	{"verify --policy worksteal --mode slots --counters 4 --workers 16 --m 2048 --n 2048", 1,
		"FAILED|starvation|smallest|repeat with"},
	{"--policy worksteal --mode steal --counters 4 --workers 16 --m 2048 --n 2048", 0, "sound"},
	{"--policy worksteal --mode slots --mask xcd3 --m 2048 --n 2048", 1,
		"starvation|counter 3|XCD 3"},
	{"--policy worksteal --mode steal --mask xcd3 --m 2048 --n 2048", 0, "sound: 64 tiles"},
	{"--policy persistent --mask xcd3 --m 2048 --n 2048", 1, "missing tile|8 tiles"},
	{"verify --policy worksteal --mode slots --mask xcd3 --m 2048", 1, "starvation"},
	{"verify --policy worksteal --mode steal,global --mask xcd3 --m 2048", 0, "sound"},
	{"compare --policy worksteal --mode slots,steal --mask xcd3 --m 2048", 1, "UNSOUND"},
	{"verify --m 1:2000:371 --n 64,128,1000:1010 --policy persistent,worksteal", 0,
		"156 schedules"},
	{"verify --random 200 --seed 5 --m 0:3000 --n 0:3000 --policy all --mode all --xcds 1:9", 0,
		"sound|200 schedules"},
	{"verify --order row,grouped-m --swizzle 0,4 --m 300", 0, "sound|3 schedules"},
	{"compare --m 100:120:10,64,7:8 --n 64 --k 64 --policy persistent --format csv", 0,
		"\n100x64x64,|\n110x64x64,|\n120x64x64,|\n64x64x64,|\n7x64x64,|\n8x64x64,"},
	{"compare --shapes gemm-suite --policy persistent", 0, "square_8192|best TFLOP/s"},
	/* An alias is its axes, and what is given beside it goes first. */
	{"--policy hipkittens --m 20000 --n 20000", 0,
		"data-parallel, order grouped-m of width 8, remap chunked by 64|sound"},
	{"--policy hipkittens --window 5 --chunk 25", 0, "of width 5, remap chunked by 25"},
	{"--policy hipkittens --order row --remap chiplet", 0,
		"order row, remap chiplet, cl|sound"},
	{"--policy tritonblas-worksteal", 0, "worksteal slots|32 counters|sound"},
	{"--policy tritonblas-worksteal --mode steal --counters 2", 0,
		"worksteal steal|16 counters"},
	{"--policy tritonblas-worksteal --mode global", 0, "worksteal global|1 counter\n"},
	{"--policy cutlass-persistent --swizzle 8 --m 9000 --n 3000", 0,
		"persistent, order cutlass: grouped-m of width 8|--order cutlass --swizzle 8"},
	{"--order auto --m 1000 --n 60000 --block 128x128x64", 0,
		"order auto: grouped-|--order auto"},
	{"verify --policy deepgemm,quack-persistent,worksteal --mode steal,slots --m 3000", 0,
		"sound|4 schedules"},
	{"compare --policy tilelang-persistent,triton-grouped --m 3000", 0,
		"persistent, grouped-n 8|data-parallel, grouped-m 8"},
	/* Tiles cut along k. */
	{"--policy stream-k --device h200 --m 384 --n 384 --k 32768 --block 128x128x64", 0,
		"sound: 9 tiles|9 items cut over 132 workers|a workspace of 132 slots|fix-up"},
	{"--policy split-k --splits 3 --m 600 --n 300 --k 700", 0,
		"sound: 6 tiles|in 3 parts|12 workspace slots"},
	{"--policy stream-k --hybrid basic --mask xcd3 --m 2048 --n 2048", 1, "deadlock"},
	{"--policy clc --mask xcd3 --m 2048 --n 2048", 0, "sound: 64 tiles"},
	{"verify --policy stream-k,split-k --hybrid all --splits 1:4 --min-k 1,8 --k-groups 1,8 "
	 "--cluster 1x1,2x1 --m 300,900 --n 300 --k 0:3000:700",
		0, "sound"},
	{"explore --policy stream-k --hybrid basic --min-k 1 --k 3 --m 3 --n 2 --residency 1", 0,
		"sound"},
	{"explore --policy stream-k --hybrid basic --min-k 1 --k 3 --m 3 --n 2 --workers 4 --dirty",
		1, "partial sum read too early|adds 1 partial sum to tile"},
	{"explore --policy clc --m 4 --n 1 --residency 2 --late --release --dirty", 0, "sound"},
};

static void test_verdicts(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verdicts); i++) {
		struct call c = call(verdicts[i].words);

		expect(verdicts[i].words, &c, verdicts[i].code);
		if (!has_all(c.out, verdicts[i].says))
			g_error("tilesim %s: does not say %s: %s", verdicts[i].words,
				verdicts[i].says, c.out);
		done(&c);
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
		struct call made = call(words), checked;
		g_autofree char *trace = contents("t.json");
		g_autoptr(JsonNode) root = parse(trace);

		expect(words, &made, 0);
		g_assert_nonnull(root);
		g_assert_true(has_all(trace, "\"fix-up (2,2)\"|\"wait 0\""));
		checked = call(check);
		expect(check, &checked, 0);
		g_assert_true(has_all(checked.out, "sound: 9 tiles"));
		done(&made);
		done(&checked);
	}
	clean();
}

/* What one option allows, another must not refuse on the way. */
static void test_allowed(void)
{
	static const char *const cases[] = {"--cus 4 --xcds 2 --m 512 --n 512",
		"--k 0 --m 300 --n 300 --jitter 30",
		"verify --random 20 --m 1:3000 --n 1:3000 --k 0:2147483647 --workers 1:4000"};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct call c = call(cases[i]);

		expect(cases[i], &c, 0);
		done(&c);
	}
}

/* What `verify` found is found again by the commands that it prints. */
static void test_failure_repeats(void)
{
	struct call c = call("verify --policy worksteal --mode slots --counters 1:4 --workers 16 "
			     "--m 1:4000:731 --n 3000");
	g_auto(GStrv) lines = g_strsplit(c.out, "\n", -1);
	int seen = 0;

	expect("verify", &c, 1);
	for (size_t i = 0; lines[i] != NULL; i++) {
		const char *at = strstr(lines[i], "  tilesim ");
		struct call again;

		if (at == NULL)
			continue;
		again = call(at + strlen("  tilesim "));
		expect(at, &again, 1);
		g_assert_nonnull(strstr(again.out, "starvation"));
		seen++;
		done(&again);
	}
	g_assert_cmpint(seen, ==, 2);
	done(&c);
}

static void test_shape_file(void)
{
	g_autofree char *path = g_build_filename(folder, "my.csv", NULL);
	struct call c;

	g_file_set_contents(path, "# mine\nname,m,n,k\none,256,512,64\nnone,0,5,5\n", -1, NULL);
	c = call("compare --shapes my.csv --policy persistent,data-parallel --format csv");
	expect("compare --shapes my.csv", &c, 0);
	g_assert_true(has_all(c.out, "\none,256,512,64,|\nnone,0,5,5,"));
	done(&c);
	g_file_set_contents(path, "name,m,n,k\none,256,512\n", -1, NULL);
	c = call("compare --shapes my.csv");
	expect("compare --shapes my.csv", &c, 2);
	g_assert_true(has_all(c.err, "my.csv|line 2|one,256,512"));
	done(&c);
	clean();
}

int main(int argc, char **argv)
{
	int code;

	g_test_init(&argc, &argv, NULL);
	/* Messages of the C library are compared below. */
	g_setenv("LC_ALL", "C.UTF-8", TRUE);
	folder = g_dir_make_tmp("tilesim-XXXXXX", NULL);
	g_assert_nonnull(folder);
	g_test_add_func("/cli/refusals are one line that says what is allowed", test_refusals);
	g_test_add_func("/cli/help", test_help);
	g_test_add_func("/cli/json of a run", test_json);
	g_test_add_func("/cli/json of verify and compare", test_json_lists);
	g_test_add_func("/cli/json of policies", test_json_policies);
	g_test_add_func("/cli/csv", test_csv);
	g_test_add_func("/cli/records and traces", test_records_and_trace);
	g_test_add_func("/cli/the same bytes each time", test_same_bytes);
	g_test_add_func("/cli/the command that repeats a run", test_repeat_with);
	g_test_add_func("/cli/verdicts", test_verdicts);
	g_test_add_func("/cli/records of cut tiles", test_cut_records);
	g_test_add_func("/cli/a failure is found again", test_failure_repeats);
	g_test_add_func("/cli/shape files", test_shape_file);
	g_test_add_func("/cli/nothing is half written", test_nothing_half_written);
	g_test_add_func("/cli/nothing is left of who is ended", test_ended);
	g_test_add_func("/cli/the same refusal each time", test_same_refusal);
	g_test_add_func("/cli/options that would be ignored", test_ignored);
	g_test_add_func("/cli/options that go together", test_allowed);
	code = g_test_run();
	clean();
	g_rmdir(folder);
	g_free(folder);
	return code;
}
