/* Measured times: read, fitted and predicted. */
#include "sim/predict.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "call.h"
#include "sim/fit.h"
#include "sim/refuse.h"

enum { RUNS = 6 };

/* Two shapes by three schedules: measured times in us, and simulated ones. */
static const struct {
	const char *shape, *policy;
	double measured, simulated;
} rows[RUNS] = {
	{"one", "persistent", 100, 110}, /* + 10 % */
	{"one", "worksteal", 101, 109},  /* 1 % from the first: no pair */
	{"one", "persistent", 200, 108}, /* - 46 %, and simulated to be the fastest */
	{"two", "persistent", 40, 40}, {"two", "worksteal", 50, 44}, /* - 12 % */
	{"two", "persistent", 80, 84}                                /* + 5 % */
};

static char *rows_text(void)
{
	GString *out = g_string_new("{\"device\": \"NVIDIA H200\", \"runs\": [");

	/* The third of each shape has another block. */
	for (guint i = 0; i < RUNS; i++)
		g_string_append_printf(out,
			"%s{\"shape\": \"%s\", \"policy\": \"%s\", \"m\": 512, \"n\": 512, \"k\": "
			"512, "
			"\"block_m\": 128, \"block_n\": %d, \"block_k\": 64, \"cluster_m\": 1, "
			"\"cluster_n\": 1, \"workers\": 132, \"time\": {\"median_ms\": %g}}",
			i > 0 ? ", " : "", rows[i].shape, rows[i].policy, i % 3 == 2 ? 256 : 128,
			rows[i].measured / 1e3);
	g_string_append(out, "]}");
	return g_string_free(out, FALSE);
}

static GArray *rows_predictions(const struct ts_timings *t)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct ts_prediction));

	for (guint i = 0; i < RUNS; i++) {
		struct ts_prediction p = {&g_array_index(t->runs, struct ts_timing, i),
			(uint64_t)(rows[i].simulated * 1e6 + 0.5)};

		g_array_append_val(all, p);
	}
	return all;
}

static void test_accuracy(void)
{
	g_autofree char *text = rows_text();
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) all = NULL;
	struct ts_timings t;
	struct ts_accuracy a;

	g_assert_true(ts_timings_parse(&t, "rows", text, &error));
	g_assert_no_error(error);
	g_assert_cmpstr(t.gpu, ==, "NVIDIA H200");
	all = rows_predictions(&t);
	a = ts_accuracy_of(all);
	g_assert_cmpuint(a.runs, ==, 6);
	g_assert_cmpuint(a.shapes, ==, 2);
	/* 10 %, 8/101, 46 %, 0, 12 % and 5 %. */
	g_assert_cmpfloat_with_epsilon(
		a.mean_error, (0.1 + 8 / 101.0 + 0.46 + 0 + 0.12 + 0.05) / 6, 1e-9);
	g_assert_cmpfloat_with_epsilon(a.worst_error, 0.46, 1e-9);
	g_assert_cmpuint(a.worst, ==, 2);
	/* Of one: 100 and 101 against 200, both in the wrong order; of two: all three right. */
	g_assert_cmpuint(a.pairs, ==, 5);
	g_assert_cmpuint(a.pairs_right, ==, 3);
	/* Only those of equal blocks: 40 and 50. */
	g_assert_cmpuint(a.policy_pairs, ==, 1);
	g_assert_cmpuint(a.policy_pairs_right, ==, 1);
	/* The choice for one takes 200 instead of 100, that for two is the best. */
	g_assert_cmpfloat_with_epsilon(a.first, sqrt(0.5), 1e-9);
	g_assert_cmpfloat_with_epsilon(a.first_worst, 0.5, 1e-9);
	g_assert_cmpstr(a.first_worst_shape, ==, "one");
	g_assert_cmpfloat_with_epsilon(a.first_four, 1, 1e-9);
	ts_timings_finish(&t);
}

static void test_refusals(void)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "no list of runs"},
		{"{\"runs\": [", "not JSON"},
		{"{\"runs\": 3}", "no list of runs"},
		{"[]", "no list of runs"},
		{"{\"runs\": []}", "no run"},
		{"{\"runs\": [7]}", "run 1 has no shape"},
		{"{\"runs\": [{\"shape\": \"a\"}]}", "run 1 has no time.median_ms"},
		{"{\"runs\": [{\"shape\": \"a\", \"time\": {\"median_ms\": 1}}]}",
			"run 1 has no policy"},
		{"{\"runs\": [{\"shape\": \"a\", \"time\": {\"median_ms\": -1}, \"options\": "
		 "\"\"}]}",
			"run 1 has no time.median_ms"},
		{"{\"runs\": [{\"shape\": \"a\", \"time\": {\"median_ms\": 1}, \"options\": "
		 "\"--policy none\"}]}",
			"run 1: --policy"},
		/* A wrong product has no time that counts. */
		{"{\"runs\": [{\"shape\": \"a\", \"time\": {\"median_ms\": 1}, \"options\": \"\", "
		 "\"verdict\": \"wrong\"}]}",
			"no run with a right product"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		struct ts_timings t;

		g_assert_false(ts_timings_parse(&t, "file", cases[i].text, &error));
		g_assert_error(error, ts_refusal_quark(), 0);
		if (strstr(error->message, cases[i].says) == NULL ||
			!g_str_has_prefix(error->message, "file"))
			g_error("'%s': %s", cases[i].text, error->message);
		ts_timings_finish(&t);
	}
}

/* Two SMs at 1000 MHz, 1 FLOP a cycle in bf16. */
static const char small_device[] = "[device]\n"
				   "name=two\n"
				   "vendor=nvidia\n"
				   "sms=2\n"
				   "gpcs=2\n"
				   "max_cluster=2\n"
				   "clock_mhz=1000\n"
				   "flops_bf16=1\n"
				   "l2_bytes=64\n"
				   "dram_gbps=1\n"
				   "claim_ns=7\n"
				   "[calibrated]\n"
				   "clock_mhz=1000\n"
				   "launch_ns=1000\n"
				   "launch_cluster_ns=300\n"
				   "launch_handed_ns=20\n"
				   "start_ns=40\n"
				   "start_load_ns=100\n"
				   "item_cycles=5\n"
				   "store_cycles=2\n"
				   "lone_cycles=7\n"
				   "tensor_share=0.5\n"
				   "load_slowdown=1\n"
				   "line_ns=10\n"
				   "line_unaligned=2\n"
				   "line_split=2\n"
				   "line_apart=1\n"
				   "line_contention=0.5\n"
				   "line_missing=0.25\n"
				   "line_dealt=2\n"
				   "outside_ns=6\n"
				   "outside_wait_ns=440\n"
				   "part_ns=11\n"
				   "part_cycles=4\n"
				   "part_contention=1\n"
				   "dram_share=0.5\n";

static char *write_device(const char *text)
{
	g_autoptr(GError) error = NULL;
	char *path = NULL;
	int file = g_file_open_tmp("tilesim-XXXXXX.device", &path, &error);

	g_assert_no_error(error);
	g_close(file, NULL);
	g_file_set_contents(path, text, -1, &error);
	g_assert_no_error(error);
	return path;
}

/* What the program says of one member with these words for the device. */
static gint64 makespan_of(const char *device, const char *words)
{
	g_autofree char *json =
		g_strdup_printf("--device %s --memory calibrated --format json %s", device, words);
	struct call c = ts_call(NULL, json);
	const char *at;
	gint64 value;

	if (c.code != 0)
		g_error("%s: %s", json, c.err);
	at = strstr(c.out, "\"makespan_ps\" : ");
	g_assert_nonnull(at);
	value = g_ascii_strtoll(at + strlen("\"makespan_ps\" : "), NULL, 10);
	ts_call_finish(&c);
	return value;
}

/* Within two picoseconds: each step of a worker is rounded. */
static void check_makespan(const char *device, const char *words, double ns)
{
	gint64 ps = makespan_of(device, words);

	if (fabs((double)ps - ns * 1e3) > 2)
		g_error("%s: %" G_GINT64_FORMAT " ps instead of %.1f", words, ps, ns * 1e3);
}

/* The eighth root of the sum of eighth powers, and of that and DRAM's the fourth of fourth powers.
 */
static double overlap(double multiply, double fetch, double dram)
{
	return pow(pow(pow(multiply, 8) + pow(fetch, 8), 0.5) + pow(dram, 4), 0.25);
}

/* Pieces of 128 bytes, in rows of 32, that are asked for and given under this load. A piece is 10,
 * and by the load 20 for each of 0.75 further lines, since three of four rows of 32 bytes begin
 * within a line and end in the next; then 5 by the load for one that is given, and 2.5 for the
 * share of the matrices that 64 bytes of L2 lack. */
static double fetch(double asked, double given, double load, double bytes)
{
	double missing = bytes > 64 ? 1 - 64 / bytes : 0;

	return asked * (10 + 15 * load) + given * load * (5 + 2.5 * missing);
}

/* Costs by hand, in ns, which are cycles here. A tile of 2 x 2 by k 16 is 128 FLOPs or 256 cycles,
 * more by the square of the load. Its 4 rows of 32 bytes are one piece. An item is 5, and the last
 * is stored in 2 x 4. */
static void test_costs(void)
{
	/* Of DRAM, 0.5 bytes a ns, come 64 + 64 + 8 bytes, more than L2 holds; of two tiles 208,
	 * half of them each. */
	const double one = overlap(256 * 1.25, fetch(1, 1, 0.5, 136), 272);
	const double item = 5, store = 8;
	const double first = overlap(256 * 1.25, fetch(1, 1, 0.5, 208), 208);
	const double half = overlap(256 * 2, fetch(1, 1, 1, 208), 416);
	/* Three on two SMs are three quarters of the load, in the mean of two rounds, and five
	 * eighths in the mean of the squares. */
	const double third = overlap(256 * 1.625, fetch(1, 1, 0.75, 280), 280);
	/* Half of the columns come from the other: 3 rows of 32 bytes are asked for, 4 given. */
	const double pair = overlap(256 * 2, fetch(0.75, 1, 1, 208), 416);
	/* Two such of a cluster along n, one after the other: 288 bytes. */
	const double wide = overlap(256 * 2, fetch(0.75, 1, 1, 288), 288);
	const double dealt = overlap(256 * 2, fetch(0.75, 1, 1, 288) + 20, 288);
	/* Before the first operands are there 100 ns more, by the load. */
	const struct {
		const char *words;
		double ns;
	} cases[] = {
		{"--m 2 --n 2 --k 16 --block 2x2x16", 1050 + item + one + store},
		{"--m 4 --n 2 --k 16 --block 2x2x16", 1100 + item + half + store},
		/* Two items one after the other; only the last one's stores are waited for. */
		{"--m 4 --n 2 --k 16 --block 2x2x16 --workers 1",
			1050 + 2 * (item + first) + store},
		{"--m 6 --n 2 --k 16 --block 2x2x16", 1075 + 2 * (item + third) + store},
		/* The third CTA starts when one has left, which has stored its item. */
		{"--m 6 --n 2 --k 16 --block 2x2x16 --policy data-parallel",
			1075 + item + third + store + 40 + 75 + item + third + store},
		/* A cluster of both is one item, and its CTAs know it: they need not meet at the
		 * end, which takes others 300. */
		{"--m 4 --n 2 --k 16 --block 2x2x16 --cluster 2x1", 1100 + item + pair + store},
		/* Nobody brings clusters along n back into step where items are dealt out. */
		{"--m 4 --n 4 --k 16 --block 2x2x16 --cluster 1x2",
			1400 + 2 * (item + dealt) + store},
		{"--m 4 --n 4 --k 16 --block 2x2x16 --cluster 1x2 --policy worksteal",
			1420 + 2 * (item + wide) + store},
		{"--m 2 --n 4 --k 16 --block 2x2x16 --cluster 1x2", 1100 + item + pair + store},
		{"--m 2 --n 4 --k 16 --block 2x2x16 --cluster 1x2 --policy worksteal",
			1420 + item + pair + store},
		/* One thread hands on what it claims; all claims but for the first are hidden. */
		{"--m 2 --n 2 --k 16 --block 2x2x16 --policy worksteal", 1070 + item + one + store},
		/* All of a slow SM is slow, but for the launch. */
		{"--m 2 --n 2 --k 16 --block 2x2x16 --slow sm0-1:2",
			1050 + 2 * (item + one + store)},
		{"--m 6 --n 2 --k 16 --block 2x2x16 --policy data-parallel --slow sm0-1:2",
			1075 + 2 * (item + third + store + 40 + 75 + item + third + store)},
		/* Who comes after another kernel starts as late as who comes after another CTA. */
		{"--m 2 --n 2 --k 16 --block 2x2x16 --hold sm0-1@0:10",
			10000 + 40 + 50 + item + one + store},
	};
	g_autofree char *path = write_device(small_device);

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		check_makespan(path, cases[i].words, cases[i].ns);
	g_unlink(path);
}

/* Whoever gives its sums away has no epilogue, whatever the model of memory is. */
static void test_epilogues(void)
{
	static const char words[] = "--m 256 --n 256 --k 4096 --block 128x128x64 --policy split-k "
				    "--splits 4 --memory %s --epilogue-ns %d";
	static const char *const memories[] = {"roofline", "caches"};

	for (size_t i = 0; i < G_N_ELEMENTS(memories); i++) {
		g_autofree char *with = g_strdup_printf(words, memories[i], 10000);
		g_autofree char *without = g_strdup_printf(words, memories[i], 0);

		g_assert_cmpint(
			makespan_of("h200", with) - makespan_of("h200", without), ==, 10000000);
	}
}

/* A warpgroup has 64 rows, and multiplies nothing if all of them are below C; then an iteration of
 * the other takes 7 cycles more. Of two columns and 128 rows of a CTA's tile those outside A take
 * 6 ns by the load in place of the quarter of a piece, and everybody's operands 440 ns by the share
 * of units with such rows, of which one k iteration of eleven is an eleventh. */
static void test_edges(void)
{
	const double item = 5, store = 2 * 256;
	const struct {
		const char *words;
		double rows, load, launch, asked, given, outside, bytes;
	} cases[] = {
		{"--m 128 --block 128x2x16", 128, 0.5, 1050, 32.5, 32.5, 0, 128 * 36 + 64},
		{"--m 64 --block 128x2x16", 64, 0.5, 1050, 16.5, 16.5, 64 * 6 * 0.5 + 20,
			64 * 36 + 64},
		{"--m 65 --block 128x2x16", 128, 0.5, 1050, 16.75, 16.75, 63 * 6 * 0.5 + 20,
			65 * 36 + 64},
		/* The full tile of two waits as well. */
		{"--m 192 --block 128x2x16", 128, 1, 1100, 32.5, 32.5, 20, 192 * 36 + 64},
		/* In a cluster each asks for one column and is given two. The second CTA has no
		 * tile. */
		{"--m 64 --block 128x2x16 --cluster 2x1", 64, 1, 1100, 0.25, 0.5, 128 * 6 + 40,
			64 * 36 + 64},
		{"--m 128 --block 128x2x16 --cluster 2x1", 128, 1, 1100, 0.25, 0.5, 128 * 6 + 20,
			128 * 36 + 64},
		/* As long as the fuller of two multiplies, and as the other fetches. */
		{"--m 130 --block 128x2x16 --cluster 2x1", 128, 1, 1100, 0.75, 1, 126 * 6 + 20,
			130 * 36 + 64},
	};
	g_autofree char *path = write_device(small_device);

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *words = g_strdup_printf("--n 2 --k 16 %s", cases[i].words);
		double more = cases[i].rows > 64 ? 0 : 7;
		double multiply = (more + 2 * cases[i].rows * 2 * 16 * 2) *
			(1 + cases[i].load * cases[i].load);
		double operands =
			fetch(cases[i].asked, cases[i].given, cases[i].load, cases[i].bytes);

		check_makespan(path, words,
			cases[i].launch + item +
				overlap(multiply, operands + cases[i].outside, 2 * cases[i].bytes) +
				store);
	}
	g_unlink(path);
}

/* The same device with one number changed. One of its SMs works, but where two are named. */
static void test_changed_costs(void)
{
	const struct {
		const char *from, *to, *words;
		double ns;
	} cases[] = {
		/* A piece takes a hundred times as long. */
		{"line_ns=10\n", "line_ns=1000\n", "--m 2 --n 2 --k 16 --block 2x2x16",
			1063 + overlap(320, 100 * fetch(1, 1, 0.5, 136), 272)},
		/* Whole lines: 1000 x (1 + 0.5 x (0.5 + ...)), four times, for 64 rather than 16 k;
		 * L2 lacks 456 of 520 bytes. */
		{"line_ns=10\n", "line_ns=1000\n", "--m 2 --n 2 --k 64 --block 2x2x64",
			1063 + overlap(1024 * 1.25, 4000 * (1.25 + 0.125 * 456 / 520.0), 1040)},
		/* Rows of 30 bytes are stored as 32 each. */
		{"line_ns=10\n", "line_ns=1000\n", "--m 2 --n 2 --k 15 --block 2x2x16",
			1063 + overlap(320, 100 * fetch(1, 1, 0.5, 128), 256)},
		/* Of 16 bytes the half is unaligned, which is charged to all: 4 of them are half a
		 * piece, of 2 x (1 + 0.5 x 2 x 0.875), and given they are 0.5 / 2 x (0.5 + ...). */
		{"line_ns=10\n", "line_ns=1000\n", "--m 2 --n 2 --k 8 --block 2x2x8",
			1063 + overlap(128 * 1.25, 500 * (3.875 + 0.0625 * 8 / 72.0), 144)},
		/* In a cluster B is fetched once, but by two at once, and given to both: 3 and 4
		 * rows of 32 bytes. */
		{"line_ns=10\n", "line_ns=1000\n",
			"--m 4 --n 2 --k 16 --block 2x2x16 --cluster 2x1",
			1113 + overlap(512, 100 * fetch(0.75, 1, 1, 208), 416)},
		/* 136 bytes at 0.005 bytes a ns; of two tiles 208, half of them each, shared. */
		{"dram_gbps=1\n", "dram_gbps=0.01\n", "--m 2 --n 2 --k 16 --block 2x2x16",
			1063 + overlap(320, fetch(1, 1, 0.5, 136), 27200)},
		{"dram_gbps=1\n", "dram_gbps=0.01\n", "--m 4 --n 2 --k 16 --block 2x2x16",
			1113 + overlap(512, fetch(1, 1, 1, 208), 41600)},
		/* In an L2 that holds them they cost nothing. */
		{"l2_bytes=64\ndram_gbps=1\n", "l2_bytes=136\ndram_gbps=0.01\n",
			"--m 2 --n 2 --k 16 --block 2x2x16",
			1063 + overlap(320, fetch(1, 1, 0.5, 0), 0)},
		/* Half the load takes 1.25 times as long at 1000 MHz: power allows 800 MHz, and at
		 * 900 MHz too. What is not multiplied takes 10 / 9 ns a cycle; L2 has its own. */
		{"", "", "--m 2 --n 2 --k 16 --block 2x2x16 --clock 900",
			1050 + 13 / 0.9 + overlap(256 * 1.25, fetch(1, 1, 0.5, 136), 272)},
		/* Below that all cycles are of the clock. */
		{"", "", "--m 2 --n 2 --k 16 --block 2x2x16 --clock 400",
			1050 + 13 * 2.5 + overlap(256 * 2.5, fetch(1, 1, 0.5, 136), 272)},
		/* Both halves of a tile at once, 16 of 32 k: 512 each. Rows of 64 bytes lie in 1.5
		 * lines: 10 + 10 + 5. One writes its 4 sums, 4 cycles each, twice that under full
		 * load, and signals; the other waits for 11, adds them, at half the load, and then
		 * has its 5 and stores. Nobody claims. */
		{"l2_bytes=64", "l2_bytes=1000",
			"--m 2 --n 2 --k 32 --block 2x2x16 --policy split-k --splits 2 --order "
			"hilbert",
			1120 + overlap(512, 25, 0) + 32 + 11 + 24 + 13},
		/* In an order of rows all add a share, under full load; nothing is handed on. */
		{"l2_bytes=64", "l2_bytes=1000",
			"--m 2 --n 2 --k 32 --block 2x2x16 --policy split-k --splits 2",
			1100 + overlap(512, 25, 0) + 32 + 11 + 32 + 13},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(small_device);
		g_autofree char *path = NULL;

		if (cases[i].from[0] != '\0')
			g_assert_cmpuint(
				g_string_replace(text, cases[i].from, cases[i].to, 1), ==, 1);
		path = write_device(text->str);
		check_makespan(path, cases[i].words, cases[i].ns);
		g_unlink(path);
	}
}

/* Stream-K's parts, where lines take 1000 ns and L2 holds all. */
static void test_parts(void)
{
	/* 3 tiles of 2 k iterations on two units of 3: halfway between one tile and two, so that
	 * parts ask alone. With 2 parts to write 5 in 3 rounds of two are 5 / 6 of the load, 3 / 4
	 * in squares. */
	const double load = 5 / 6.0, multiply = 256 * 1.75;
	const double whole = overlap(multiply, 1000 * (1 + 1.5 * load), 0);
	const double part = overlap(multiply, 1000 * (1 + load + 1.5 * load), 0);
	/* One tile of 4 k iterations cut in two: each has its own k, as with split-k. */
	const double half = overlap(256 * 1.625, 1000 * (1 + 0.5 * 0.75), 0);
	const struct {
		const char *words;
		double ns;
	} cases[] = {
		/* The second has a whole tile and then the end of the first's, whose beginning has
		 * been there for long: to see that takes 11, to add 16 twice that, in full load. */
		{"--m 6 --n 2 --k 32", 1020 + 100 * load + 5 + 2 * whole + part + 11 + 32 + 13},
		/* The first writes 16 for 28 by the load; half of the units add. */
		{"--m 2 --n 2 --k 64", 1095 + 2 * half + 28 + 11 + 24 + 13},
	};
	g_autoptr(GString) text = g_string_new(small_device);
	g_autofree char *path = NULL;

	g_assert_cmpuint(g_string_replace(text, "line_ns=10\n", "line_ns=1000\n", 1), ==, 1);
	g_assert_cmpuint(g_string_replace(text, "l2_bytes=64", "l2_bytes=1000", 1), ==, 1);
	path = write_device(text->str);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *words = g_strdup_printf(
			"--block 2x2x16 --policy stream-k --min-k 1 %s", cases[i].words);

		check_makespan(path, words, cases[i].ns);
	}
	g_unlink(path);
}

/* Shapes that tell the parameters apart: short and long, aligned or not, small and larger than L2,
 * tiles that lie in C half or in all. */
static const char *const shapes[] = {"512 512 512", "1024 2048 1024", "2048 8192 4096",
	"256 256 8192", "2000 3000 1000", "1024 1024 4104", "1500 2000 2056", "128 28672 4096",
	"2560 1024 256", "64 640 640", "1024 2048 520", "2048 1024 2048"};
static const char *const schedules[] = {"--policy persistent --block 128x256x64",
	"--policy persistent --block 128x128x64", "--policy worksteal --block 128x128x64",
	"--policy persistent --block 128x128x64 --cluster 2x1",
	"--policy persistent --block 128x128x64 --cluster 1x2",
	"--policy split-k --splits 2 --block 128x256x64",
	"--policy split-k --splits 4 --block 128x128x64", "--policy stream-k --block 128x128x64"};

static char *planted_text(void)
{
	GString *out = g_string_new("{\"device\": \"NVIDIA H200\", \"runs\": [");

	for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
		g_auto(GStrv) sizes = g_strsplit(shapes[i], " ", 3);

		for (size_t j = 0; j < G_N_ELEMENTS(schedules); j++)
			g_string_append_printf(out,
				"%s{\"shape\": \"%s\", \"options\": \"--m %s --n %s --k %s %s "
				"--workers %d\", \"time\": {\"median_ms\": 1}, \"clock_mhz\": %d}",
				i + j > 0 ? ", " : "", shapes[i], sizes[0], sizes[1], sizes[2],
				schedules[j], strstr(schedules[j], "cluster") != NULL ? 66 : 132,
				1500 + 50 * (int)(i % 10));
	}
	g_string_append(out, "]}");
	return g_string_free(out, FALSE);
}

/* Another device than where the fit begins. */
static void plant(struct ts_calibration *c)
{
	static const double factors[] = {1.3, 0.6, 1.5, 0.8};

	c->clock_mhz = 1700;
	for (size_t i = 0; i < ts_calibration_key_count; i++)
		*ts_calibration_at(c, i) =
			CLAMP(ts_calibration_keys[i].guess * factors[i % G_N_ELEMENTS(factors)],
				ts_calibration_keys[i].from, ts_calibration_keys[i].to);
	/* What rows cost is seen only where it is more than multiplications. */
	c->tensor_share = 0.95;
	c->line_ns = 1;
}

/* Times that the simulator itself gives for the planted calibration. */
static void make_times(struct ts_timings *t, const struct ts_calibration *c)
{
	g_autofree char *text = planted_text();
	g_autofree char *device = NULL;
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) all = NULL;
	struct ts_device *d = ts_device_load("h200", &error);
	struct ts_settings settings = {.memory = (char *)(gpointer) "calibrated"};

	g_assert_no_error(error);
	ts_calibration_write(c, d->file, "planted", "none");
	device = g_key_file_to_data(d->file, NULL, NULL);
	ts_device_free(d);
	path = write_device(device);
	settings.device = path;
	g_assert_true(ts_timings_parse(t, "planted", text, &error));
	all = ts_predict(&settings, t, true, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < all->len; i++)
		g_array_index(t->runs, struct ts_timing, i).ps =
			g_array_index(all, struct ts_prediction, i).ps;
	g_unlink(path);
}

/* Each parameter of the fit within this share of what was planted; of a `disturbed` one only what
 * nearly all times depend on. */
static void check_fit(const struct ts_timings *t, const struct ts_calibration *planted,
	bool disturbed, double within)
{
	g_autoptr(GError) error = NULL;
	struct ts_device *d = ts_device_load("h200", &error);
	struct ts_calibration copy = *planted;
	struct ts_fit fit;

	g_assert_true(ts_fit_timings(&fit, d, t, &error));
	g_assert_no_error(error);
	g_assert_cmpuint(fit.guessed, ==, 0);
	g_assert_cmpuint(fit.shapes, ==, G_N_ELEMENTS(shapes));
	for (size_t i = 0; i < ts_calibration_key_count; i++) {
		double found = *ts_calibration_at(&fit.calibration, i);
		double right = *ts_calibration_at(&copy, i);

		if (disturbed && strcmp(ts_calibration_keys[i].name, "tensor_share") != 0)
			continue;
		if (fabs(found - right) > within * right)
			g_error("%s: %g instead of %g", ts_calibration_keys[i].name, found, right);
	}
	ts_device_free(d);
}

static void test_fit(void)
{
	struct ts_calibration planted = {0};
	struct ts_timings t;

	plant(&planted);
	make_times(&t, &planted);
	check_fit(&t, &planted, false, 0.01);
	/* One in 13 takes twice as long for no reason: 5.5 % in the mean. */
	for (guint i = 0; i < t.runs->len; i += 13)
		g_array_index(t.runs, struct ts_timing, i).ps *= 2;
	check_fit(&t, &planted, true, 0.03);
	ts_timings_finish(&t);
}

/* What no time depends on stays a guess, and is called one. */
static void test_guess(void)
{
	struct ts_calibration planted = {0};
	struct ts_timings t;
	g_autoptr(GError) error = NULL;
	struct ts_device *d = ts_device_load("h200", &error);
	struct ts_fit fit;

	plant(&planted);
	make_times(&t, &planted);
	/* The last three schedules of each shape are those that cut along k, and the only ones with
	 * more CTAs than places. */
	for (guint i = t.runs->len; i-- > 0;)
		if (i % G_N_ELEMENTS(schedules) >= 5)
			g_array_remove_index(t.runs, i);
	g_assert_true(ts_fit_timings(&fit, d, &t, &error));
	for (size_t i = 0; i < ts_calibration_key_count; i++) {
		bool guessed = g_str_has_prefix(ts_calibration_keys[i].name, "part_") ||
			strcmp(ts_calibration_keys[i].name, "line_apart") == 0 ||
			strcmp(ts_calibration_keys[i].name, "start_ns") == 0;

		g_assert_cmpint(fit.guessed >> i & 1, ==, guessed);
		if (guessed)
			g_assert_cmpfloat(*ts_calibration_at(&fit.calibration, i), ==,
				ts_calibration_keys[i].guess);
	}
	ts_timings_finish(&t);
	ts_device_free(d);
}

static void test_few(void)
{
	g_autofree char *text = rows_text();
	g_autoptr(GError) error = NULL;
	struct ts_device *d = ts_device_load("h200", &error);
	struct ts_timings t;
	struct ts_fit fit;

	g_assert_true(ts_timings_parse(&t, "rows", text, &error));
	g_assert_false(ts_fit_timings(&fit, d, &t, &error));
	g_assert_nonnull(strstr(error->message, "rows: 6 runs for"));
	ts_timings_finish(&t);
	ts_device_free(d);
}

/* Times of shapes that the H200's calibration has not seen. `--device` may say otherwise. */
static struct ts_accuracy judge(const char *device)
{
	g_autofree char *path =
		g_build_filename(g_getenv("TILESIM_SOURCE"), "tests/data/h200-times.json", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) all = NULL;
	struct ts_settings settings = {
		.device = (char *)(gpointer)device, .memory = (char *)(gpointer) "calibrated"};
	struct ts_timings t;
	struct ts_accuracy a;

	g_assert_true(ts_timings_load(&t, path, &error));
	g_assert_no_error(error);
	all = ts_predict(&settings, &t, true, &error);
	g_assert_no_error(error);
	a = ts_accuracy_of(all);
	a.first_worst_shape = NULL;
	ts_timings_finish(&t);
	return a;
}

static void test_h200(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	g_autofree char *path = NULL;
	struct ts_device *d = ts_device_load("h200", &error);
	struct ts_calibration wrong = d->calibration;
	struct ts_accuracy a = judge("h200");

	g_assert_cmpuint(a.shapes, ==, 12);
	g_assert_cmpfloat(a.mean_error, <=, 0.05);
	g_assert_cmpfloat(a.pairs_right, >=, 0.88 * a.pairs);
	g_assert_cmpfloat(a.first_four, >=, 0.99);
	/* A calibration that is off by a fifth is found out. */
	wrong.tensor_share *= 0.8;
	ts_calibration_write(&wrong, d->file, "wrong", "unknown");
	text = g_key_file_to_data(d->file, NULL, NULL);
	path = write_device(text);
	a = judge(path);
	g_assert_cmpfloat(a.mean_error, >, 0.1);
	g_unlink(path);
	ts_device_free(d);
}

/* A calibration of another model is refused, and not taken for one of this. */
static void test_old_calibration(void)
{
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{"launch_handed_ns=20\n", "launch_claim_ns=20\n",
			"no key of [calibrated] is called launch_claim_ns; remove the group"},
		{"line_split=2\n", "",
			"key line_split is missing from [calibrated]; remove the group"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(small_device);
		g_autoptr(GError) error = NULL;
		g_autofree char *path = NULL;

		g_assert_cmpuint(g_string_replace(text, cases[i].from, cases[i].to, 1), ==, 1);
		path = write_device(text->str);
		g_assert_null(ts_device_load(path, &error));
		g_assert_error(error, ts_refusal_quark(), 0);
		if (strstr(error->message, cases[i].says) == NULL)
			g_error("%s", error->message);
		g_unlink(path);
	}
}

static void test_commands(void)
{
	static const struct {
		const char *words;
		int code;
		const char *says;
	} cases[] = {
		{"gpu predict --from times.json", 0, "\nerror        "},
		{"gpu predict --from times.json --memory roofline", 0, "--memory roofline"},
		{"gpu predict --from times.json --device-clock", 0, "the clock of the device file"},
		{"gpu predict --from times.json --format csv", 0, "shape,m,n,k,policy,order,"},
		{"gpu predict --from times.json --format json", 0, "\"pairs_right\" : "},
		{"gpu calibrate --from times.json", 0, "tensor_share"},
		{"gpu predict --from nothing.json", 2, "nothing.json"},
		{"gpu predict --from times.json --repeat 3", 2, "leave out --shapes"},
		{"gpu predict --from times.json --rounds 3", 2, "leave out --shapes"},
		{"gpu predict --from times.json --policy persistent", 2, "--policy"},
		{"gpu predict --from times.json --slow sm0:2", 2, "--slow"},
		{"gpu predict --from times.json --plot p.gif", 2, ".png or .svg"},
		{"gpu predict --from times.json --device a100 --memory calibrated", 2,
			"no group [calibrated]"},
		{"gpu predict --from times.json --clock 0", 2, "--clock 0"},
		{"gpu calibrate --from times.json more", 2, "'more'"},
		{"gpu calibrate --from times.json --device none", 2, "'none'"},
		{"--memory calibrated", 2, "device mi300x has no group [calibrated]"},
	};
	g_autofree char *folder = g_dir_make_tmp("tilesim-predict-XXXXXX", NULL);
	g_autofree char *source =
		g_build_filename(g_getenv("TILESIM_SOURCE"), "tests/data/h200-times.json", NULL);
	g_autofree char *path = g_build_filename(folder, "times.json", NULL);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(source, &text, NULL, NULL));
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct call c = ts_call(folder, cases[i].words);

		if (c.code != cases[i].code ||
			strstr(c.code == 0 ? c.out : c.err, cases[i].says) == NULL)
			g_error("tilesim %s: %d, %s%s", cases[i].words, c.code, c.out, c.err);
		ts_call_finish(&c);
	}
	g_unlink(path);
	g_rmdir(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/predict/figures by hand", test_accuracy);
	g_test_add_func("/predict/files that are none", test_refusals);
	g_test_add_func("/predict/costs by hand", test_costs);
	g_test_add_func("/cost/one epilogue a tile", test_epilogues);
	g_test_add_func("/predict/costs of edges by hand", test_edges);
	g_test_add_func("/predict/other costs by hand", test_changed_costs);
	g_test_add_func("/predict/costs of parts by hand", test_parts);
	g_test_add_func("/predict/a fit finds what was planted", test_fit);
	g_test_add_func("/predict/what is only guessed", test_guess);
	g_test_add_func("/predict/too few times", test_few);
	g_test_add_func("/predict/times of an H200", test_h200);
	g_test_add_func("/predict/a calibration of another model", test_old_calibration);
	g_test_add_func("/predict/commands", test_commands);
	return g_test_run();
}
