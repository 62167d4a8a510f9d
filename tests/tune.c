/* tilesim tune: its ranking is what single simulations say, and its reasons name what differs. */
#include "sim/tune.h"

#include <string.h>

#include "tests/call.h"

/* Runs tilesim with these words, parses what it prints as JSON. Free with json_node_unref(). */
static JsonNode *run(const char *words)
{
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char *out = NULL;
	JsonNode *root;
	int status;

	g_shell_parse_argv(line, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status, &error);
	g_assert_no_error(error);
	g_spawn_check_wait_status(status, &error);
	g_assert_no_error(error);
	root = json_from_string(out, &error);
	g_assert_no_error(error);
	return root;
}

static const char *const requests[] = {"tune 1000 3000 512 --device a100 --top 4",
	"tune 777 4100 640 --device h200 --top 3 --cluster 1x1,2x1",
	"tune --device mi300x --memory caches --top 4 4352 4352 1024",
	"tune 300 300 4096 --device mi355x --memory caches --order snake-m,row --top 2",
	"tune 512 512 512 --device b200 --policy persistent --block 128x128x64,64x64x64 --top 9"};

/* Each row's own command gives that row's time, and no row is faster than the one above it. */
static void test_ranking(const void *data)
{
	g_autofree char *words = g_strconcat(data, " --format json", NULL);
	g_autoptr(JsonNode) root = run(words);
	JsonObject *o = json_array_get_object_element(json_node_get_array(root), 0);
	JsonArray *rows = json_object_get_array_member(o, "ranking");
	gint64 above = 0;

	g_assert_cmpuint(json_array_get_length(rows), >=, 2);
	for (guint i = 0; i < json_array_get_length(rows); i++) {
		JsonObject *row = json_array_get_object_element(rows, i);
		gint64 makespan = json_object_get_int_member(row, "makespan_ps");
		const char *command = json_object_get_string_member(row, "command");
		g_autofree char *again =
			g_strconcat(command + strlen("tilesim"), " --format json", NULL);
		g_autoptr(JsonNode) single = run(again);

		g_assert_cmpint(makespan, >=, above);
		g_assert_cmpint(
			json_object_get_int_member(json_node_get_object(single), "makespan_ps"), ==,
			makespan);
		above = makespan;
	}
}

static const char *const pruned[] = {"2048 2048 2048", "1300 1600 512 --memory caches --top 1",
	"4000 900 640 --device h200 --memory caches --top 2", "4096 4096 512 --device h200",
	"1000 3000 640 --device h200 --top 3", "128 7168 4096 --device h200 --top 1",
	"1 1 1 --device h200", "300 5000 1 --device mi355x --edge real --top 4",
	"2000 1300 900 --device a100 --slow cu1:2.5", "1111 2222 777 --device b200",
	"777 4100 640 --block 64x64x64,128x128x64 --policy all --hybrid all --mode all",
	"4096 4096 256 --device h200 --policy data-parallel --block 64x64x64,128x128x64 --top 1"};

/* Whoever asks for all rows has all configurations simulated; the first rows, the counts and the
 * reason are the same for who asks for fewer. */
static void test_pruned(const void *data)
{
	g_autofree char *few_words = g_strconcat("tune ", data, " --format json", NULL);
	g_autofree char *all_words = g_strconcat("tune ", data, " --format json --top 20000", NULL);
	g_autoptr(JsonNode) few_root = run(few_words);
	g_autoptr(JsonNode) all_root = run(all_words);
	JsonObject *few = json_array_get_object_element(json_node_get_array(few_root), 0);
	JsonObject *all = json_array_get_object_element(json_node_get_array(all_root), 0);
	JsonArray *few_rows = json_object_get_array_member(few, "ranking");
	JsonArray *all_rows = json_object_get_array_member(all, "ranking");

	g_assert_cmpint(json_object_get_int_member(all, "configurations"), ==,
		json_array_get_length(all_rows));
	g_assert_cmpuint(json_array_get_length(few_rows), >=, 1);
	while (json_array_get_length(all_rows) > json_array_get_length(few_rows))
		json_array_remove_element(all_rows, json_array_get_length(few_rows));
	g_assert_true(json_node_equal(few_root, all_root));
}

/* The first is the best of all that compare finds in the same product. */
static void test_best(void)
{
	static const char axes[] =
		"--device h200 --memory calibrated --policy persistent,data-parallel "
		"--block 128x256x64,128x128x64,64x256x64 --cluster 1x1,2x1 --k 900 "
		"--m 1300 --n 5000 --format json";
	g_autofree char *tune = g_strconcat("tune ", axes, NULL);
	g_autofree char *compare = g_strconcat("compare ", axes, NULL);
	g_autoptr(JsonNode) tuned = run(tune);
	g_autoptr(JsonNode) compared = run(compare);
	JsonObject *o = json_array_get_object_element(json_node_get_array(tuned), 0);
	JsonArray *rows = json_node_get_array(compared);
	JsonObject *first =
		json_array_get_object_element(json_object_get_array_member(o, "ranking"), 0);
	gint64 least = G_MAXINT64;

	for (guint i = 0; i < json_array_get_length(rows); i++)
		least = MIN(least,
			json_object_get_int_member(
				json_array_get_object_element(rows, i), "makespan_ps"));
	g_assert_cmpuint(json_array_get_length(rows), ==, 12);
	g_assert_cmpint(json_object_get_int_member(o, "configurations"), ==, 12);
	g_assert_cmpint(json_object_get_int_member(first, "makespan_ps"), ==, least);
}

/* Two made-up results: the second takes a quarter longer, all of it in wave quantization. */
static void test_reason(void)
{
	struct ts_tuned all[2] = {
		{.spec = ts_spec_default(), .makespan = 1000, .useful = 0.9, .quantization = 0.1},
		{.spec = ts_spec_default(),
			.makespan = 1250,
			.useful = 0.72,
			.quantization = 0.28}};
	struct ts_tuning t = {.all = all, .count = 2};
	g_autofree char *text = NULL;
	g_autofree char *alone = NULL;
	g_autofree char *equal = NULL;
	g_autofree char *measured = NULL;

	all[1].spec.block_m = 64;
	text = ts_tune_reason(&t);
	g_assert_true(g_str_has_suffix(text,
		"64x256x64 takes 25.0 % longer, mostly in wave quantization: 35.0 % of the first's "
		"time instead of 10.0 %"));
	all[1].makespan = 1000;
	equal = ts_tune_reason(&t);
	g_assert_true(g_str_has_prefix(equal, "as fast as "));
	t.measured = 2;
	measured = ts_tune_reason(&t);
	g_assert_cmpstr(measured, ==, "the fastest of 2 that were measured");
	t.measured = 0;
	t.count = 1;
	alone = ts_tune_reason(&t);
	g_assert_cmpstr(alone, ==, "there is nothing else to choose from");
}

static void test_refusals(void)
{
	ts_call_expect("tune 4096 4096", 2, "tune 4096 4096: give all three of M N K");
	ts_call_expect("tune --top 1 5 6 7 8", 2, "tune 5 6 7 8: give only M N K");
	ts_call_expect("tune --n 5 1 2 3", 2,
		"tune 1 2 3 and --n 5: the sizes are given twice; leave out one");
	ts_call_expect("tune 1 2 3 --shapes llama3-8b", 2, "leave out M, N and K");
	ts_call_expect("tune 512 512 512 --device mi300x --cluster 2x1", 2,
		"no configuration of 77 is possible on AMD Instinct MI300X; the first: cluster 2x1 "
		"on a device whose clusters have at most 1 CTAs");
	ts_call_expect(
		"tune 2147483647 2147483647 1 --block 64x64x64,128x128x64", 2, "use larger blocks");
}

/* Settings only where a project can express them. */
static void test_settings(void)
{
	struct ts_device nvidia = {.amd = false}, amd = {.amd = true};
	struct ts_tuned first = {.spec = ts_spec_default()};
	struct ts_tuning t = {.device = &nvidia, .all = &first, .count = 1};
	g_autoptr(GString) out = g_string_new(NULL);

	first.spec.policy = TS_PERSISTENT;
	first.spec.workers = 132;
	first.spec.block_m = 128;
	first.spec.width = 4;
	ts_tune_settings(&t, out);
	g_assert_cmpstr(out->str, ==,
		"CUTLASS      TileShape_MNK 128x256x64, ClusterShape_MNK 1x1x1, "
		"PersistentScheduler, raster_order AlongN, max_swizzle_size 4\n"
		"Triton       BLOCK_SIZE_M=128 BLOCK_SIZE_N=256 BLOCK_SIZE_K=64 GROUP_SIZE_M=4, "
		"grid 132, persistent\n"
		"TileLang     block_M=128 block_N=256 block_K=64, "
		"PersistentTileScheduler(swizzle_size=4, column_major=False, cluster_size=1)\n");
	t.device = &amd;
	first.spec.block_m = 192;
	g_string_truncate(out, 0);
	ts_tune_settings(&t, out);
	g_assert_null(strstr(out->str, "CUTLASS"));
	g_assert_null(strstr(out->str, "Triton"));
	g_assert_nonnull(strstr(out->str, "TileLang"));
	first.spec.policy = TS_WORKSTEAL;
	g_string_truncate(out, 0);
	ts_tune_settings(&t, out);
	g_assert_cmpstr(out->str, ==, "");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(requests); i++) {
		g_autofree char *path = g_strconcat("/tune/", requests[i], NULL);

		g_test_add_data_func(path, requests[i], test_ranking);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(pruned); i++) {
		g_autofree char *path = g_strconcat("/tune/pruned/", pruned[i], NULL);

		g_test_add_data_func(path, pruned[i], test_pruned);
	}
	g_test_add_func("/tune/the best of the product", test_best);
	g_test_add_func("/tune/reason", test_reason);
	g_test_add_func("/tune/refusals", test_refusals);
	g_test_add_func("/tune/settings", test_settings);
	return g_test_run();
}
