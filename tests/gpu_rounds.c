/* Rounds of tilesim gpu bench: medians over them, the order of launches on the CPU with made up
 * times, what of a problem is kept, and the options. */
#include <glib/gstdio.h>
#include <string.h>

#include "kernels/cpu_backend.h"
#include "sim/gpu_bench.h"
#include "sim/gpu_gemm.h"
#include "tests/call.h"

enum { GOOD = 1, BAD = 10 };

/* Adds a round of three launches, which took ms. */
static void add(struct ts_gemm_series *s, double ms)
{
	const double all[] = {ms, ms, ms};

	ts_gemm_series_add(s, all, NULL, G_N_ELEMENTS(all));
}

static void test_median(void)
{
	struct ts_gemm_series s = {0};
	struct ts_gemm_times t;

	add(&s, GOOD);
	add(&s, BAD);
	add(&s, GOOD);
	t = ts_gemm_series_times(&s);
	/* The mean of the rounds would be 4. */
	g_assert_cmpfloat(t.median_ms, ==, GOOD);
	g_assert_cmpfloat(t.least_ms, ==, GOOD);
	g_assert_cmpfloat(t.most_ms, ==, BAD);
	g_assert_cmpfloat(t.clock_mhz, ==, 0);
	g_assert_cmpuint(s.rounds->len, ==, 3);
	for (guint i = 0; i < 3; i++)
		g_assert_cmpfloat(g_array_index(s.rounds, double, i), ==, i == 1 ? BAD : GOOD);
	/* Half of them are too many. */
	add(&s, BAD);
	g_assert_cmpfloat(ts_gemm_series_times(&s).median_ms, ==, (GOOD + BAD) / 2.0);
	ts_gemm_series_finish(&s);
	g_assert_null(s.ms);
}

/* Rounds of different lengths, out of order, with clocks. */
static void test_launches(void)
{
	static const double first[] = {4, 1, 8}, second[] = {2};
	static const double clocks[] = {1000, 1500, 1700};
	struct ts_gemm_series s = {0};
	struct ts_gemm_times t;

	ts_gemm_series_add(&s, first, clocks, 3);
	ts_gemm_series_add(&s, second, &clocks[2], 1);
	t = ts_gemm_series_times(&s);
	/* Of 1, 2, 4 and 8; and of 1000, 1500, 1700 and 1700. */
	g_assert_cmpfloat(t.median_ms, ==, 3);
	g_assert_cmpfloat(t.least_ms, ==, 1);
	g_assert_cmpfloat(t.most_ms, ==, 8);
	g_assert_cmpfloat(t.clock_mhz, ==, 1600);
	g_assert_cmpfloat(g_array_index(s.rounds, double, 0), ==, 4);
	g_assert_cmpfloat(g_array_index(s.rounds, double, 1), ==, 2);
	ts_gemm_series_finish(&s);
}

static void test_shares(void)
{
	static const uint32_t rows[][4] = {{21, 7, 7, 7}, {5, 2, 2, 1}, {4, 2, 1, 1}, {3, 1, 1, 1}};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		for (uint32_t r = 0; r < 3; r++)
			g_assert_cmpuint(
				ts_gemm_series_share(rows[i][0], 3, r), ==, rows[i][1 + r]);
	g_assert_cmpuint(ts_gemm_series_share(21, 1, 0), ==, 21);
}

/* The CPU, but that it writes down what it is asked to do, and says when a made up clock struck. */
static struct {
	struct ts_gpu_gemm x;
	GString *log;   /* "draw ", and "A5 ": five launches of the first schedule */
	char schedule;  /* of the launches that are counted */
	uint32_t count; /* of them */
	uint32_t timed; /* launches whose times were asked for */
	uint32_t bad;   /* so many of these, the first, are slow */
	double ms[2];   /* of the others, by schedule */
} watch;

static void write_count(void)
{
	if (watch.count > 0)
		g_string_append_printf(watch.log, "%c%u ", watch.schedule, watch.count);
	watch.count = 0;
}

static bool start(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
	void **arguments, GError **error)
{
	for (size_t i = 0; i < TS_GEMM_KERNELS; i++)
		if (kernel == watch.x.gemm.kernels[i]) {
			const struct ts_mma_args *args = arguments[0];
			char schedule = args->plan.policy == TS_PERSISTENT ? 'A' : 'B';

			if (schedule != watch.schedule)
				write_count();
			watch.schedule = schedule;
			watch.count++;
			break;
		}
	return ts_cpu_backend.start(b, kernel, grid, arguments, error);
}

static bool store(
	struct ts_backend *b, uint64_t address, const void *from, uint64_t bytes, GError **error)
{
	write_count();
	g_string_append(watch.log, "draw ");
	return ts_cpu_backend.store(b, address, from, bytes, error);
}

static bool event_ms(struct ts_backend *b, void *from, void *to, float *ret_ms, GError **error)
{
	(void)b;
	(void)from;
	(void)to;
	(void)error;
	*ret_ms = watch.timed++ < watch.bad ? BAD : (float)watch.ms[watch.schedule - 'A'];
	return true;
}

/* Two schedules of two shapes, so many launches of each. Free with drop(). */
static struct ts_bench run(uint32_t repeat, uint32_t rounds, bool checked, uint32_t bad)
{
	static struct ts_backend_ops ops;
	struct ts_settings settings, nothing = {0};
	struct ts_bench b = {.shapes = ts_shapes_new(),
		.schedules = g_array_new(FALSE, FALSE, sizeof(struct ts_spec)),
		.cells = g_new0(struct ts_bench_cell, 4),
		.repeat = repeat,
		.rounds = rounds,
		.checked = checked};
	g_autoptr(GError) error = NULL;

	ops = ts_cpu_backend;
	ops.start = start;
	ops.store = store;
	ops.event_ms = event_ms;
	memset(&watch, 0, sizeof watch);
	watch.log = g_string_new(NULL);
	watch.ms[0] = GOOD;
	watch.ms[1] = 2 * GOOD;
	watch.bad = bad;
	watch.x = (struct ts_gpu_gemm){
		.settings = &settings, .ops = &ts_cpu_backend, .repeat = repeat, .seed = 1};
	ts_shapes_add(b.shapes, g_strdup("one"), 70, 40, 32);
	ts_shapes_add(b.shapes, g_strdup("two"), 40, 70, 32);
	g_assert_true(ts_settings_vary(
		&settings, &nothing, "--policy persistent,worksteal --block 64x64x32", &error));
	if (!ts_gpu_gemm_open(&watch.x, false, &error))
		g_error("%s", error->message);
	watch.x.gemm.gpu.ops = &ops;
	for (uint64_t i = 0; i < 4; i++) {
		g_assert_true(ts_axes_spec(&watch.x.axes, i % 2, &b.cells[i].spec));
		if (i < 2)
			g_array_append_val(b.schedules, b.cells[i].spec);
		ts_shape_set(&g_array_index(b.shapes, struct ts_shape, i / 2), &b.cells[i].spec);
	}
	if (!ts_bench_run(&watch.x, &b, &error))
		g_error("%s", error->message);
	write_count();
	ts_gpu_gemm_close(&watch.x);
	ts_settings_finish(&settings);
	return b;
}

static void drop(struct ts_bench *b)
{
	for (size_t i = 0; i < 4; i++) {
		g_assert_null(b->cells[i].fault);
		ts_bench_cell_finish(&b->cells[i]);
	}
	g_free(b->cells);
	g_array_unref(b->shapes);
	g_array_unref(b->schedules);
	g_string_free(watch.log, TRUE);
}

/* Each turn warms up by three launches. The first of a checked schedule has one more, which is
 * checked, and fresh inputs; those of a shape that is not checked are drawn once, but where memory
 * has to grow: the second schedule has a counter. */
static void test_turns(void)
{
	static const struct {
		uint32_t repeat, rounds;
		bool checked;
		const char *turns[2]; /* of each shape; the second is not the larger one */
	} rows[] = {
		{5, 3, true,
			{"draw draw A6 draw draw B6 A5 B5 A4 B4 ",
				"draw draw A6 draw draw B6 A5 B5 A4 B4 "}},
		{5, 3, false,
			{"draw draw A5 draw draw B5 A5 B5 A4 B4 ", "draw draw A5 B5 A5 B5 A4 B4 "}},
		{5, 1, true, {"draw draw A9 draw draw B9 ", "draw draw A9 draw draw B9 "}},
		{5, 1, false, {"draw draw A8 draw draw B8 ", "draw draw A8 B8 "}},
		{2, 2, false, {"draw draw A4 draw draw B4 A4 B4 ", "draw draw A4 B4 A4 B4 "}},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_bench b = run(rows[i].repeat, rows[i].rounds, rows[i].checked, 0);
		g_autofree char *both = g_strconcat(rows[i].turns[0], rows[i].turns[1], NULL);

		g_assert_cmpstr(watch.log->str, ==, both);
		g_assert_cmpuint(watch.timed, ==, 4 * rows[i].repeat);
		for (size_t j = 0; j < 4; j++) {
			g_assert_true(b.cells[j].there);
			g_assert_cmpuint(b.cells[j].our_rounds->len, ==, rows[i].rounds);
			g_assert_null(b.cells[j].their_rounds);
			g_assert_cmpfloat(b.cells[j].ours.median_ms, ==, j % 2 == 0 ? 1 : 2);
		}
		drop(&b);
	}
}

/* Four slow launches are most of one schedule's six where they follow each other, which makes the
 * faster schedule the slower; and two of the six of each where they take turns. */
static void test_transient(void)
{
	struct ts_bench b = run(6, 1, false, 4);

	g_assert_cmpfloat(b.cells[0].ours.median_ms, ==, BAD);
	g_assert_cmpfloat(b.cells[1].ours.median_ms, ==, 2 * GOOD);
	g_assert_cmpint(ts_bench_best(&b, 0), ==, 1);
	drop(&b);
	b = run(6, 3, false, 4);
	g_assert_cmpfloat(b.cells[0].ours.median_ms, ==, GOOD);
	g_assert_cmpfloat(b.cells[1].ours.median_ms, ==, 2 * GOOD);
	g_assert_cmpint(ts_bench_best(&b, 0), ==, 0);
	/* It is seen in the rounds. */
	g_assert_cmpfloat(g_array_index(b.cells[0].our_rounds, double, 0), ==, BAD);
	g_assert_cmpfloat(g_array_index(b.cells[0].our_rounds, double, 1), ==, GOOD);
	g_assert_cmpfloat(ts_bench_noise(&b.cells[0]), ==, BAD - GOOD);
	g_assert_cmpfloat(ts_bench_noise(&b.cells[1]), ==, BAD / 2.0 - GOOD);
	g_assert_cmpfloat(ts_bench_noise(&b.cells[2]), ==, 0);
	drop(&b);
}

/* A and B with what is between and before them. Free with g_free(). */
static uint32_t *fetch_inputs(struct ts_gemm *g, uint64_t *ret_words)
{
	g_autoptr(GError) error = NULL;
	uint32_t *words;

	*ret_words = g->layout.c.at;
	words = ts_gemm_fetch(g, 0, *ret_words, &error);
	g_assert_no_error(error);
	return words;
}

/* What a plan finds that was prepared again is what it finds otherwise, after whatever other plan
 * and seed, and its product is right. */
static void test_kept(void)
{
	static const struct {
		const char *words;
		uint64_t seed;
		bool kept; /* A and B of the row before */
	} rows[] = {
		/* Its memory is long enough for all up to the last three. */
		{"--m 200 --n 200 --k 100 --policy split-k --splits 2", 1, false},
		{"--m 70 --n 40 --k 100 --policy persistent", 1, false},
		{"--m 70 --n 40 --k 100 --policy split-k --splits 2", 1, true},
		{"--m 70 --n 40 --k 100 --policy persistent", 1, true},
		{"--m 70 --n 40 --k 100 --policy persistent", 2, false},
		{"--m 70 --n 41 --k 100 --policy persistent", 2, false},
		{"--m 69 --n 41 --k 100 --policy persistent", 2, false},
		{"--m 100 --n 41 --k 70 --policy worksteal", 2, false},
		{"--m 140 --n 82 --k 35 --policy worksteal", 2, false},
		{"--m 140 --n 82 --k 35 --policy persistent", 2, true},
		{"--m 300 --n 300 --k 100 --policy persistent", 2, false},
		{"--m 300 --n 300 --k 100 --policy split-k --splits 2", 2, false},
		{"--m 300 --n 300 --k 100 --policy persistent", 2, true},
	};
	const struct ts_gemm_form form = {.type = TS_MMA_BF16, .layout = TS_MMA_ALONG_K};
	const uint32_t mark = 0x3f803f80;
	struct ts_gemm g;
	g_autoptr(GError) error = NULL;

	g_assert_true(ts_gemm_open(&g, &ts_cpu_backend, NULL, &form, NULL, &error));
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_settings settings, nothing = {0};
		struct ts_device *device = ts_device_load("h200", NULL);
		g_autofree uint32_t *again = NULL;
		g_autofree uint32_t *fresh = NULL;
		g_autofree char *words =
			g_strconcat(rows[i].words, " --block 64x64x32 --workers 4", NULL);
		uint64_t count, fresh_count;
		struct ts_gemm_verdict v = {0};
		struct ts_spec spec;
		struct ts_plan plan;
		bool kept;

		g_assert_true(ts_settings_vary(&settings, &nothing, words, &error));
		g_assert_true(ts_settings_spec(&settings, device, &spec, &error));
		g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
		/* Where A is kept, so is what is written over the beginning of it. */
		if (i > 0)
			g.gpu.ops->store(
				&g.gpu, ts_gemm_at(&g, g.layout.a.at), &mark, sizeof mark, NULL);
		g_assert_true(ts_gemm_prepare_again(&g, &plan, rows[i].seed, &error));
		again = fetch_inputs(&g, &count);
		kept = again[g.layout.a.at] == mark;
		g_assert_true(kept == rows[i].kept);
		g_assert_true(ts_gemm_prepare(&g, &plan, rows[i].seed, &error));
		fresh = fetch_inputs(&g, &fresh_count);
		g_assert_cmpuint(count, ==, fresh_count);
		g_assert_cmpuint(fresh[g.layout.a.at], !=, mark);
		if (kept)
			again[g.layout.a.at] = fresh[g.layout.a.at];
		g_assert_true(memcmp(again, fresh, count * sizeof *fresh) == 0);
		g_assert_true(ts_gemm_prepare_again(&g, &plan, rows[i].seed, &error));
		g_assert_true(ts_gemm_start(&g, &plan, NULL, &error));
		g_assert_true(ts_gemm_check(&g, &plan, NULL, TS_GEMM_FULL, &v, &error));
		if (!v.sound)
			g_error("%s: %s", words, v.fault);
		ts_device_free(device);
		ts_settings_finish(&settings);
	}
	ts_gemm_close(&g);
}

static const char shapes[] = "name,m,n,k\nfirst,70,40,64\n";

/* Runs tilesim where there is a file of shapes, and perhaps cuBLAS. */
static struct call call(const char *words, bool cublas)
{
	g_autofree char *folder = g_dir_make_tmp("tilesim-rounds-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "s.csv", NULL);
	g_autofree char *library = g_path_get_dirname(g_getenv("FAKE_CUBLAS"));
	g_autofree char *before = g_strdup(g_getenv("LD_LIBRARY_PATH"));
	struct call c;

	g_assert_true(g_file_set_contents(path, shapes, -1, NULL));
	if (cublas)
		g_setenv("LD_LIBRARY_PATH", library, TRUE);
	c = ts_call(folder, words);
	if (before != NULL)
		g_setenv("LD_LIBRARY_PATH", before, TRUE);
	else
		g_unsetenv("LD_LIBRARY_PATH");
	g_unlink(path);
	g_rmdir(folder);
	return c;
}

#define BENCH "gpu bench --backend cpu --shapes s.csv --block 64x64x32 "

/* cuBLAS is asked once for its two algorithms, each of which is tried nine times, however many
 * schedules and rounds there are; then it runs after each launch of the two schedules, and before
 * the first of each round. */
static void test_choice(void)
{
	static const struct {
		const char *words, *says;
	} rows[] = {
		{BENCH "--repeat 5 --rounds 1",
			"cublasLt: 1 problems, 30 products, 0 layouts left"},
		{BENCH "--repeat 5", "cublasLt: 1 problems, 34 products, 0 layouts left"},
		{BENCH "--repeat 5 --rounds 5 --check none",
			"cublasLt: 1 problems, 38 products, 0 layouts left"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct call c = call(rows[i].words, true);

		if (c.code != 0 || strstr(c.err, rows[i].says) == NULL)
			g_error("tilesim %s: %d, %s", rows[i].words, c.code, c.err);
		ts_call_finish(&c);
	}
}

static void test_options(void)
{
	static const struct {
		const char *words;
		int code;
		const char *says;
	} rows[] = {
		{BENCH "--alone --repeat 5 --rounds 2", 0,
			"medians of 5 launches in 2 rounds; bf16"},
		{BENCH "--alone --repeat 5 --rounds 2", 0, "\na schedule's 2 rounds are "},
		{BENCH "--alone --repeat 5 --rounds 2", 0, " --repeat 5 --rounds 2 --seed 1 "},
		{BENCH "--alone --repeat 2 --rounds 1", 0,
			"medians of 2 launches in 1 round; bf16"},
		/* Three, or as many as there are launches. */
		{BENCH "--alone --repeat 4", 0, " --repeat 4 --rounds 3 --seed 1 "},
		{BENCH "--alone --repeat 2", 0, " --repeat 2 --rounds 2 --seed 1 "},
		{BENCH "--alone --repeat 2 --format json", 0, "\"rounds\" : 2,"},
		{BENCH "--alone --repeat 2 --format json", 0, "\"round_medians_ms\" : ["},
		{BENCH "--repeat 3 --rounds 4", 2,
			"--rounds 4: must be a whole number from 1 to the 3 launches of --repeat"},
		{BENCH "--rounds 22", 2, "--rounds 22: must be a whole number from 1 to the 21"},
		{BENCH "--rounds 0", 2, "--rounds 0: must be"},
		{BENCH "--rounds -1", 2, "--rounds -1: must be"},
		{BENCH "--rounds 2.5", 2, "--rounds 2.5: must be"},
		{"gpu calibrate --rounds 22", 2, "--rounds 22: must be"},
		{"gpu predict --repeat 2 --rounds 3", 2, "--rounds 3: must be"},
		{"gpu predict --from s.csv --rounds 3", 2,
			"leave out --shapes, --repeat, --rounds"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct call c = call(rows[i].words, false);

		if (c.code != rows[i].code ||
			strstr(c.code == 0 ? c.out : c.err, rows[i].says) == NULL)
			g_error("tilesim %s: not '%s' but %d, %s%s", rows[i].words, rows[i].says,
				c.code, c.out, c.err);
		ts_call_finish(&c);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gpu rounds/a bad round does not move the median", test_median);
	g_test_add_func("/gpu rounds/medians and clocks", test_launches);
	g_test_add_func("/gpu rounds/shares", test_shares);
	g_test_add_func("/gpu rounds/schedules take turns", test_turns);
	g_test_add_func("/gpu rounds/slow launches in a row", test_transient);
	g_test_add_func("/gpu rounds/inputs that are kept", test_kept);
	g_test_add_func("/gpu rounds/cuBLAS' algorithm is chosen once", test_choice);
	g_test_add_func("/gpu rounds/options", test_options);
	return g_test_run();
}
