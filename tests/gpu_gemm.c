/* tilesim gpu gemm: what it refuses, and products where there is a GPU. The complete sweep is
 * kernels/check_gemm.sh. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "sim/gpu_bench.h"

enum { NO_GPU = 77 };

/* Runs tilesim with these words; returns its exit code. Free `ret_err`. */
static int call(const char *words, char **ret_err)
{
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	int status;

	g_shell_parse_argv(line, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, ret_err,
		&status, &error);
	g_assert_no_error(error);
	if (g_spawn_check_wait_status(status, &error))
		return 0;
	return error->domain == G_SPAWN_EXIT_ERROR ? error->code : -1;
}

/* What a command exits with, and whether that needs a GPU. */
static const struct {
	const char *name, *words;
	int code;
	gboolean needs_gpu;
} cases[] = {
	{"a repeat that is no number", "gpu gemm --repeat x", 2, FALSE},
	{"a negative repeat", "gpu gemm --repeat -1", 2, FALSE},
	{"an unknown check", "gpu gemm --check none", 2, FALSE},
	{"CSV", "gpu gemm --format csv", 2, FALSE},
	{"a negative seed", "gpu gemm --seed -1", 2, FALSE},
	{"a device of the simulator", "gpu gemm --device h200", 2, FALSE},
	{"a clock of the simulator", "gpu gemm --clock 1000", 2, FALSE},
	{"an unknown kernel", "gpu gemm --kernel sm70", 2, FALSE},
	{"an unknown type", "gpu gemm --dtype fp8", 2, FALSE},
	{"an unknown layout", "gpu gemm --layout tn", 2, FALSE},
	{"two layouts of B", "gpu gemm --layout kn,nk", 2, FALSE},
	{"a negative gap", "gpu gemm --gap -1", 2, FALSE},
	{"a GPU that acts as another", "gpu gemm --as gfx942", 2, FALSE},
	{"a type that the kernels lack", "gpu gemm --kernel sm90 --dtype fp32", 2, FALSE},
	{"cuBLAS with gaps between rows", "gpu gemm --cublas --gap 8", 2, FALSE},
	{"a kernel that the CPU lacks", "gpu gemm --backend cpu --kernel sm90", 2, FALSE},
	{"a kernel that AMD lacks", "gpu gemm --backend hip --kernel sm90", 2, FALSE},
	{"a product that takes the CPU hours", "gpu gemm --backend cpu", 2, FALSE},
	{"a product on the CPU",
		"gpu gemm --backend cpu --m 130 --n 70 --k 50 --repeat 1 --format json", 0, FALSE},
	{"every policy on the CPU",
		"gpu gemm --backend cpu --as gfx942 --policy all --mode all --block 64x64x32 "
		"--cluster 1x1,3x2 --xcds 2 --dtype fp16 --layout kn --gap 5 --m 130 --n 70 --k "
		"0,99",
		0, FALSE},
	/* Every policy is in mma_gemm; with sanitizers these take minutes. */
	{"groups on the CPU",
		"gpu gemm --backend cpu --as gfx950 --policy persistent,worksteal,split-k --block "
		"64x64x32 --cluster 1x1,2x1 --xcds 2 --groups '70,0,3;1' --batch 2 --n 70 --k 99",
		0, FALSE},
	{"groups by every policy in Hopper's kernel",
		"gpu gemm --kernel sm90 --policy all --mode all --cluster 1x1,2x1,1x2 --xcds 3 "
		"--block 128x256x64,128x128x64 --groups '300,0,5,128,129;1,64' --batch 1,2 --n "
		"129,520 --k 200",
		0, TRUE},
	{"groups", "gpu gemm --groups 300,0,5,128 --n 520 --k 200", 0, TRUE},
	{"domains from the hardware",
		"gpu gemm --backend cpu --domain hardware --policy worksteal --block 64x64x32 "
		"--xcds 3 --m 200 --n 200 --k 40",
		0, FALSE},
	{"domains from the hardware, which the kernel lacks",
		"gpu gemm --kernel sm90 --domain hardware", 2, TRUE},
	{"a block without a kernel", "gpu gemm --block 256x256x64", 2, TRUE},
	{"a block of two kernels' sides", "gpu gemm --kernel sm90 --block 64x256x64", 2, TRUE},
	{"a cluster without a kernel", "gpu gemm --kernel sm90 --cluster 3x1", 2, TRUE},
	{"an empty sum", "gpu gemm --kernel sm90 --k 0", 2, TRUE},
	{"a benchmark of one size", "gpu bench --m 300", 2, FALSE},
	{"a benchmark of a masked layout", "gpu bench --layout kn,masked", 2, FALSE},
	{"a benchmark of an unknown type", "gpu bench --dtype fp8", 2, FALSE},
	{"a benchmark of gaps beside cuBLAS", "gpu bench --gap 8", 2, FALSE},
	{"a benchmark that is not repeated", "gpu bench --repeat 0", 2, FALSE},
	{"a benchmark of no shapes", "gpu bench --shapes nothing", 2, FALSE},
	{"a picture of no kind", "gpu bench --plot bench.gif", 2, FALSE},
	{"the first of a tuning", "tune 1000 1000 1000 --device h200 --measure 2", 0, TRUE},
	{"a calibration of shapes that there are not", "gpu calibrate --shapes nothing", 2, FALSE},
	{"predictions of a small suite", "gpu predict --shapes gemm-suite --repeat 3", 0, TRUE},
	{"one product of the portable kernel",
		"gpu gemm --kernel mma --m 300 --n 520 --k 200 --gap 3", 0, TRUE},
	{"one product", "gpu gemm --m 300 --n 520 --k 200 --format json", 0, TRUE},
	{"products of odd sizes by every policy",
		"gpu gemm --kernel sm90 --policy all --mode all --cluster 1x1,2x1,1x2 --xcds 3 "
		"--block 128x256x64,128x192x64,128x128x64,128x64x64,64x128x64 --m 1,257 "
		"--n 129,520 --k 65,200",
		0, TRUE},
	{"the same in fp16 with rows of B along N",
		"gpu gemm --kernel sm90 --dtype fp16 --layout kn --policy all --mode all "
		"--cluster 1x1,2x1,4x1,1x2 --xcds 3 "
		"--block 128x256x64,128x192x64,128x128x64,128x64x64,64x128x64 --m 1,257 "
		"--n 129,520 --k 65,200",
		0, TRUE},
	{"groups of it, with K that ends within a k iteration",
		"gpu gemm --kernel sm90 --layout kn --policy persistent,worksteal --cluster "
		"1x1,2x1 --groups '300,0,5,128,129;1,64' --batch 1,2 --n 129,520 --k 1,200",
		0, TRUE},
};

static void test_case(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	g_autofree char *err = NULL;
	int code = call(cases[i].words, &err);

	if (cases[i].needs_gpu && code == NO_GPU) {
		g_assert_true(g_str_has_prefix(err, "tilesim: no GPU: "));
		g_assert_cmpuint((gsize)(strchr(err, '\n') - err), ==, strlen(err) - 1);
		g_test_skip("no GPU");
		return;
	}
	if (code != cases[i].code)
		g_error("tilesim %s: exit code %d, not %d: %s", cases[i].words, code, cases[i].code,
			err);
	if (code != 0)
		g_assert_true(g_str_has_prefix(err, "tilesim: "));
}

/* cuBLAS gets a call for each group that has rows, and one more to warm up. It is asked for
 * algorithms once for each size, and each of the two that it has is tried nine times: groups of
 * 70, 0, 3 and 70 rows have two sizes. */
static void test_calls(void)
{
	static const struct {
		const char *words, *says;
	} rows[] = {
		{"--groups 70,0,3,70 --repeat 5", "2 problems, 54 products, 0 layouts left"},
		{"--batch 4 --m 70 --repeat 5", "1 problems, 42 products, 0 layouts left"},
		{"--m 70 --repeat 5", "1 problems, 24 products, 0 layouts left"},
		/* CUDA_R_16BF and CUDA_R_16F; B's rows along K are columns to be transposed. */
		{"--m 70 --repeat 1", "; type 14, operation 1"},
		{"--m 70 --repeat 1 --dtype fp16", "; type 2, operation 1"},
		{"--m 70 --repeat 1 --layout kn", "; type 14, operation 0"},
		{"--m 70 --repeat 1 --dtype fp16 --layout kn", "; type 2, operation 0"},
	};
	g_autofree char *folder = g_path_get_dirname(g_getenv("FAKE_CUBLAS"));
	g_autofree char *before = g_strdup(g_getenv("LD_LIBRARY_PATH"));

	g_setenv("LD_LIBRARY_PATH", folder, TRUE);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *words = g_strconcat("gpu gemm --backend cpu --n 40 --k 64 "
						     "--block 64x64x32 --cublas ",
			rows[i].words, NULL);
		g_autofree char *err = NULL;

		g_assert_cmpint(call(words, &err), ==, 0);
		if (strstr(err, rows[i].says) == NULL)
			g_error("tilesim %s: not '%s' but '%s'", words, rows[i].says, err);
	}
	if (before == NULL)
		g_unsetenv("LD_LIBRARY_PATH");
	else
		g_setenv("LD_LIBRARY_PATH", before, TRUE);
}

/* Medians of the rounds of the first schedule of the first shape, in ms. */
static const double rounds[] = {2, 1, 4};

/* Three schedules of two shapes, in ms: the second schedule's first product is wrong and would be
 * the fastest, the third has no kernel for the second shape. */
static struct ts_bench make_bench(void)
{
	static const double ours[2][3] = {{2, 1, 4}, {1.25, 5, 0}};
	static const double theirs[2][3] = {{1, 1, 1}, {2.5, 2.5, 0}};
	struct ts_bench b = {.gpu = "made up",
		.shapes = ts_shapes_new(),
		.schedules = g_array_new(FALSE, FALSE, sizeof(struct ts_spec)),
		.cells = g_new0(struct ts_bench_cell, 6),
		.repeat = 3,
		.rounds = 3,
		.cublas = true,
		.checked = true};
	struct ts_spec spec = ts_spec_default();

	ts_shapes_add(b.shapes, g_strdup("one"), 1000, 1000, 1000);
	ts_shapes_add(b.shapes, g_strdup("two"), 2000, 1000, 1000);
	for (uint32_t i = 0; i < 3; i++) {
		spec.block_n = 64 << i;
		g_array_append_val(b.schedules, spec);
	}
	for (uint32_t i = 0; i < 6; i++) {
		struct ts_bench_cell *c = &b.cells[i];

		c->spec = g_array_index(b.schedules, struct ts_spec, i % 3);
		c->spec.m = i < 3 ? 1000 : 2000;
		c->spec.n = c->spec.k = 1000;
		c->there = ours[i / 3][i % 3] > 0;
		c->ours.median_ms = ours[i / 3][i % 3];
		c->theirs.median_ms = theirs[i / 3][i % 3];
	}
	b.cells[1].fault = g_strdup("wrong");
	b.cells[0].our_rounds = g_array_new(FALSE, FALSE, sizeof(double));
	g_array_append_vals(b.cells[0].our_rounds, rounds, 3);
	return b;
}

static void free_bench(struct ts_bench *b)
{
	g_free(b->cells[1].fault);
	g_array_unref(b->cells[0].our_rounds);
	g_free(b->cells);
	g_array_unref(b->shapes);
	g_array_unref(b->schedules);
}

/* Are they the first run's, and is there none of its cuBLAS? */
static void check_rounds(const char *json, const double *want, guint count)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	JsonObject *root, *run;
	JsonArray *found;

	g_assert_true(json_parser_load_from_data(parser, json, -1, NULL));
	root = json_node_get_object(json_parser_get_root(parser));
	g_assert_cmpint(json_object_get_int_member(root, "rounds"), ==, count);
	run = json_array_get_object_element(json_object_get_array_member(root, "runs"), 0);
	found = json_object_get_array_member(
		json_object_get_object_member(run, "time"), "round_medians_ms");
	g_assert_cmpuint(json_array_get_length(found), ==, count);
	for (guint i = 0; i < count; i++)
		g_assert_cmpfloat(json_array_get_double_element(found, i), ==, want[i]);
	found = json_object_get_array_member(
		json_object_get_object_member(run, "cublas"), "round_medians_ms");
	g_assert_cmpuint(json_array_get_length(found), ==, 0);
}

static void test_bench(void)
{
	struct ts_bench b = make_bench();
	g_autofree char *text = NULL;
	g_autofree char *json = NULL;
	g_auto(GStrv) parts = NULL;

	g_assert_cmpint(ts_bench_best(&b, 0), ==, 0);
	g_assert_cmpint(ts_bench_best(&b, 1), ==, 0);
	g_assert_cmpfloat(ts_bench_ratio(&b.cells[0]), ==, 0.5);
	/* The ratios are 1/2 and 2. */
	g_assert_cmpfloat_with_epsilon(ts_bench_mean(&b), 1, 1e-12);
	text = ts_bench_report(&b, "command");
	/* 2 GFLOP in 2 ms and 4 GFLOP in 1.25 ms; the slowest right schedules take 4 and 5 ms. */
	g_assert_nonnull(
		strstr(text, "    1000    1000    1000       1.0       2.0  0.500    2.00"));
	g_assert_nonnull(
		strstr(text, "    2000    1000    1000       3.2       1.6  2.000    4.00"));
	g_assert_nonnull(strstr(text, "geometric mean of the ratios 1.000\n"));
	/* 3 ms of 2, in the one of five that says so. */
	g_assert_nonnull(strstr(text,
		"\na schedule's 3 rounds are 30.0 % apart in the mean, 150.0 % at most: [1] of "
		"one\n"));
	b.format = TS_JSON;
	json = ts_bench_report(&b, "command");
	g_assert_nonnull(strstr(json, "\"verdict\" : \"wrong\""));
	check_rounds(json, rounds, 3);
	/* All that there are: one cell is not. */
	parts = g_strsplit(json, "\"schedule\"", -1);
	g_assert_cmpuint(g_strv_length(parts) - 1, ==, 5);
	free_bench(&b);
}

/* A shape whose products are all wrong, and one that has no kernel. */
static void test_bench_none(void)
{
	struct ts_bench b = make_bench();
	g_autofree char *text = NULL;

	b.cells[0].fault = g_strdup("wrong");
	b.cells[2].there = false;
	b.cells[3].there = b.cells[4].there = false;
	text = ts_bench_report(&b, "command");
	g_assert_nonnull(strstr(text, "    1000    1000    1000  no schedule is right\n"));
	g_assert_nonnull(strstr(
		text, "    2000    1000    1000  there is no kernel for any of these plans\n"));
	g_free(b.cells[0].fault);
	free_bench(&b);
}

static void test_bench_plot(void)
{
	struct ts_bench b = make_bench();
	g_autofree char *gnuplot = g_find_program_in_path("gnuplot");
	g_autofree char *folder = NULL;
	g_autofree char *path = NULL;
	g_autofree char *picture = NULL;
	g_autoptr(GError) error = NULL;

	if (gnuplot == NULL) {
		free_bench(&b);
		g_test_skip("no gnuplot");
		return;
	}
	folder = g_dir_make_tmp("tilesim-bench-XXXXXX", &error);
	g_assert_no_error(error);
	path = g_build_filename(folder, "bench.svg", NULL);
	ts_bench_plot(&b, path, &error);
	g_assert_no_error(error);
	g_file_get_contents(path, &picture, NULL, &error);
	g_assert_no_error(error);
	g_assert_nonnull(strstr(picture, "2000x1000x1000"));
	g_assert_nonnull(strstr(picture, "cuBLAS"));
	g_unlink(path);
	g_rmdir(folder);
	free_bench(&b);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gpu gemm/calls of cuBLAS", test_calls);
	g_test_add_func("/gpu bench/report", test_bench);
	g_test_add_func("/gpu bench/shapes without a best", test_bench_none);
	g_test_add_func("/gpu bench/picture", test_bench_plot);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/gpu gemm/", cases[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_case);
	}
	return g_test_run();
}
