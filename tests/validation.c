/* Published numbers about tile schedules that the simulator has to reproduce. */
#include <math.h>
#include <string.h>

#include "sim/machine.h"
#include "sim/run.h"

struct sim {
	struct ts_settings settings;
	struct ts_run run;
	GString *tiles;         /* in the order of worker ids */
	char **last;            /* tile of each worker */
	uint64_t iterations[4]; /* of the first workers */
	uint64_t parts, owners; /* items, by whether they write the output */
};

static void note_tile(void *data, const struct ts_item *item)
{
	struct sim *s = data;

	g_free(s->last[item->worker]);
	s->last[item->worker] = g_strdup_printf("(%u,%u)", item->step.m, item->step.n);
	if (item->worker < G_N_ELEMENTS(s->iterations))
		s->iterations[item->worker] += item->step.k_end - item->step.k_begin;
	*(item->step.owns ? &s->owners : &s->parts) += 1;
}

/* Runs `options`, on a device in tests/data unless `device` is NULL. */
static void simulate(struct sim *s, const char *device, const char *options)
{
	g_autofree char *line = g_strconcat("tilesim ", options, NULL);
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	g_autofree char **argv = g_memdup2(words, sizeof *words * (g_strv_length(words) + 1));
	g_autoptr(GOptionContext) context = ts_settings_context(&s->settings, "", "", NULL);
	g_autoptr(GError) error = NULL;
	struct ts_device *d;
	struct ts_spec spec;

	s->parts = s->owners = 0;
	memset(s->iterations, 0, sizeof s->iterations);
	ts_settings_parse(&s->settings, context, (int)g_strv_length(words), argv, &error);
	g_assert_no_error(error);
	if (device != NULL)
		s->settings.device = g_strdup_printf(
			"%s/tests/data/%s.device", g_getenv("TILESIM_SOURCE"), device);
	d = ts_settings_device(&s->settings, &error);
	g_assert_no_error(error);
	ts_settings_spec(&s->settings, d, &spec, &error);
	g_assert_no_error(error);
	ts_device_free(d);
	ts_run_init(&s->run, &s->settings, &spec, &error);
	g_assert_no_error(error);
	s->last = g_new0(char *, s->run.plan.workers);
	const struct ts_sink sink = {s, note_tile, NULL, NULL};

	ts_run_simulate(&s->run, &s->settings, &sink, &error);
	g_assert_no_error(error);
	g_assert_true(s->run.sound);
	s->tiles = g_string_new(NULL);
	for (uint32_t i = 0; i < s->run.plan.workers; i++) {
		g_string_append(s->tiles, s->last[i] == NULL ? "" : s->last[i]);
		g_free(s->last[i]);
	}
	g_clear_pointer(&s->last, g_free);
}

static void stop(struct sim *s)
{
	ts_run_finish(&s->run);
	ts_settings_finish(&s->settings);
	g_string_free(s->tiles, TRUE);
}

struct figures {
	const char *name, *device, *options;
	double utilisation, useful; /* 0 where nothing is published */
	double within;              /* half of the last published digit, or less */
};

static const struct figures figures[] = {
	/* Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix
	 * Multiplication on the GPU", figure 1: nine CTAs or eighteen half ones on four SMs. */
	{"Stream-K figure 1a: 128x128 tiles", "ideal-4",
		"--policy data-parallel --m 384 --n 384 --k 128 --block 128x128x4", 0.75, 0.75,
		1e-12},
	{"Stream-K figure 1b: 128x64 tiles", "ideal-4",
		"--policy data-parallel --m 384 --n 384 --k 128 --block 128x64x4", 0.9, 0.9, 1e-12},
	/* TraceLens, wave quantization of GEMMs on 304 CUs: 1280 tiles in 5 rounds. */
	{"TraceLens: 10240x2048 in 256x64 tiles", "ideal-304",
		"--policy data-parallel --m 10240 --n 2048 --k 64 --block 256x64x64", 0.842, 0.842,
		0.0005},
	/* The same: 576 tiles in 2 rounds are 0.947, and 0.9877 of their elements are real. Both
	 * published factors are rounded, so their product is off by up to 0.001. */
	{"TraceLens: 2048x10240 in 256x144 tiles", "ideal-304",
		"--policy data-parallel --m 2048 --n 10240 --k 64 --block 256x144x64", 0.947, 0.935,
		0.001},
	/* Figure 1c, on the 9437 us of 72 iterations: each partial sum takes 66 ps on this device.
	 */
	{"Stream-K figure 1c: stream-K with four workers", "ideal-4",
		"--policy stream-k --hybrid basic --m 384 --n 384 --k 128 --block 128x128x4", 1, 1,
		1e-7},
	{"Stream-K: two-tile stream-K + data-parallel on the same", "ideal-4",
		"--policy stream-k --hybrid two-tile --m 384 --n 384 --k 128 --block 128x128x4", 1,
		1, 1e-7},
};

static void test_figures(const void *data)
{
	const struct figures *row = data;
	struct sim s;

	simulate(&s, row->device, row->options);
	g_assert_cmpfloat_with_epsilon(
		ts_summary_utilisation(&s.run.summary), row->utilisation, row->within);
	g_assert_cmpfloat_with_epsilon(s.run.summary.useful, row->useful, row->within);
	stop(&s);
}

/* TraceLens' 0.9877 on its own. */
static void test_padding(void)
{
	struct sim s;

	simulate(&s, figures[3].device, figures[3].options);
	g_assert_cmpfloat_with_epsilon(
		s.run.summary.useful / ts_summary_utilisation(&s.run.summary), 0.9877, 0.00005);
	stop(&s);
}

struct counted {
	const char *name, *options;
	uint64_t first_loads; /* block loads of the first wave */
	double tile_times;    /* makespan, in times of one tile */
};

static const struct counted counted[] = {
	/* Triton tutorial 03, "L2 cache optimizations": 9x9 blocks of a 9 block deep product; the
	 * first nine outputs need 90 or 54 block loads. */
	{"Triton: row-major", "--cus 9 --m 9 --n 9 --k 9 --block 1x1x1 --order row", 90, 9},
	{"Triton: groups of three",
		"--cus 9 --m 9 --n 9 --k 9 --block 1x1x1 --order grouped-m --swizzle 3", 54, 9},
	/* CUTLASS, "Blackwell cluster launch control": 20x20 tiles on 100 SMs of which another
	 * kernel holds 20. */
	{"CLC: static persistent",
		"--cus 100 --hold any20@0 --policy persistent --m 20 --n 20 --k 1 --block 1x1x1", 0,
		8},
	{"CLC: dynamic persistent",
		"--cus 100 --hold any20@0 --policy worksteal --mode global --m 20 --n 20 --k 1 "
		"--block 1x1x1",
		0, 5},
	{"CLC: by cluster launch control",
		"--cus 100 --hold any20@0 --policy clc --m 20 --n 20 --k 1 --block 1x1x1", 0, 5},
	{"CLC: one CTA a tile",
		"--cus 100 --hold any20@0 --policy data-parallel --m 20 --n 20 --k 1 --block 1x1x1",
		0, 5},
	{"CLC: static persistent with all SMs",
		"--cus 100 --policy persistent --m 20 --n 20 --k 1 --block 1x1x1", 0, 4},
};

static void test_counted(const void *data)
{
	const struct counted *row = data;
	struct ts_step whole = ts_step_make(TS_WORK);
	struct ts_price price;
	struct sim s;

	simulate(&s, "ideal-4", row->options);
	whole.k_end = s.run.plan.depth;
	price = ts_cost_item(&s.run.cost, &whole);
	g_assert_cmpfloat((double)s.run.summary.outcome.makespan, ==,
		row->tile_times * (price.fixed_ps + price.k_ps));
	if (row->first_loads > 0)
		g_assert_cmpuint(s.run.summary.locality.first_panels * s.run.plan.depth, ==,
			row->first_loads);
	stop(&s);
}

/* HipKittens (arXiv 2511.08083), table 4: hit rates of L2 and memory side cache of an MI355X in
 * bf16 GEMMs of two sizes, by order. "Window 8, chunk 542" of 4332 tiles is a contiguous share per
 * XCD. */
static const struct cached {
	const char *name, *size, *order;
	double l2, llc; /* percent */
} cached[] = {
	{"9216, row-major", "9216", "--order row", 55, 95},
	{"9216, window 7, chunk 216", "9216",
		"--order grouped-m --window 7 --remap chunked --chunk 216", 79, 24},
	{"9216, window 5, chunk 25", "9216",
		"--order grouped-m --window 5 --remap chunked --chunk 25", 75, 93},
	{"14592, row-major", "14592", "--order row", 36, 76},
	{"14592, window 8, chunk 542", "14592", "--order grouped-m --window 8 --remap chiplet", 79,
		7},
	{"14592, window 8, chunk 64", "14592",
		"--order grouped-m --window 8 --remap chunked --chunk 64", 78, 55},
};

static void test_cached(const void *data)
{
	const struct cached *row = data;
	g_autofree char *options = g_strdup_printf(
		"--device mi355x --memory caches --policy data-parallel --block 192x256x64 "
		"--m %s --n %s --k %s %s",
		row->size, row->size, row->size, row->order);
	struct ts_cache_use l2 = {0};
	struct sim s;

	simulate(&s, NULL, options);
	for (uint32_t i = 0; i < ts_caches_l2s(s.run.caches); i++) {
		l2.hits += ts_caches_l2(s.run.caches, i).hits;
		l2.misses += ts_caches_l2(s.run.caches, i).misses;
	}
	g_assert_cmpfloat_with_epsilon(ts_cache_hit_percent(l2), row->l2, 6);
	g_assert_cmpfloat_with_epsilon(
		ts_cache_hit_percent(ts_caches_llc(s.run.caches)), row->llc, 6);
	stop(&s);
}

/* The rest of figure 1: 32 iterations a tile, 288 in all, 72 for each of the four workers; the
 * three tiles that are cut have two parts each, and nobody waits. */
static void test_iterations(void)
{
	struct sim s;

	simulate(&s, "ideal-4",
		"--policy stream-k --hybrid basic --m 384 --n 384 --k 128 --block 128x128x4");
	g_assert_cmpuint(s.run.plan.depth, ==, 32);
	g_assert_cmpuint(s.run.plan.shared_items * s.run.plan.depth, ==, 288);
	for (int i = 0; i < 4; i++)
		g_assert_cmpuint(s.iterations[i], ==, 72);
	g_assert_cmpuint(s.parts, ==, 3);
	g_assert_cmpuint(s.owners, ==, 9);
	g_assert_cmpuint(s.run.summary.all.wait_time, ==, 0);
	stop(&s);
}

/* Published values of cudaOccupancyMaxActiveClusters. */
static void test_residency(void)
{
	static const struct {
		const char *device;
		uint32_t ctas, clusters;
	} cases[] = {
		/* RTX 5090: a report of the maxima by cluster size. */
		{"rtx5090", 1, 170},
		{"rtx5090", 2, 85},
		{"rtx5090", 4, 41},
		{"rtx5090", 8, 19},
		/* One H200 with CUDA 13.0 and 200 KB of shared memory a CTA. */
		{"h200", 1, 132},
		{"h200", 2, 66},
		{"h200", 4, 30},
		{"h200", 8, 15},
		{"h200", 16, 7},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		struct ts_device *d = ts_device_load(cases[i].device, &error);

		g_assert_no_error(error);
		g_assert_cmpuint(ts_machine_residency(d, cases[i].ctas), ==, cases[i].clusters);
		ts_device_free(d);
	}
}

/* pyhip's golden order of 5x4 tiles: M01 = 2 over 8 groups, which is panels of two rows and one
 * contiguous share of the ids per XCD. */
static void test_golden_order(void)
{
	struct sim s;

	simulate(&s, "ideal-304",
		"--policy data-parallel --m 5 --n 4 --k 1 --block 1x1x1 --order grouped-m "
		"--swizzle 2 "
		"--remap chiplet --xcds 8");
	g_assert_cmpstr(s.tiles->str, ==,
		"(0,0)(1,1)(0,3)(3,0)(2,2)(2,3)(4,0)(4,2)(1,0)(0,2)"
		"(1,3)(2,1)(3,2)(3,3)(4,1)(4,3)(0,1)(1,2)(2,0)(3,1)");
	stop(&s);
}

/* DeepGEMM's group rule, get_num_1d_blocks_per_group() in deep_gemm's scheduler: of 8 and 16 the
 * one with the smaller g * BLOCK_M + ceil(SMs / g) * BLOCK_N, the first on a tie. */
static int64_t deep_gemm_group(int64_t block_m, int64_t block_n, int64_t sms)
{
	int64_t least = INT64_MAX, best = 0;

	for (int64_t g = 8; g <= 16; g += 8) {
		int64_t usage = g * block_m + (sms + g - 1) / g * block_n;

		if (usage < least) {
			least = usage;
			best = g;
		}
	}
	return best;
}

static void test_default_width(void)
{
	static const int64_t blocks[] = {64, 128, 256};
	static const int64_t sms[] = {1, 78, 108, 114, 132, 148, 256, 304};
	int seen[2] = {0, 0};

	for (size_t i = 0; i < 3 * 3 * G_N_ELEMENTS(sms) * 2; i++) {
		struct ts_spec spec = ts_spec_default();
		struct ts_plan plan = {0};
		int64_t want;

		spec.policy = TS_PERSISTENT;
		spec.block_m = blocks[i / 2 % 3];
		spec.block_n = blocks[i / 6 % 3];
		spec.workers = sms[i / 18];
		spec.order = i % 2 == 0 ? TS_GROUPED_M : TS_GROUPED_N;
		want = spec.order == TS_GROUPED_M
			? deep_gemm_group(spec.block_m, spec.block_n, spec.workers)
			: deep_gemm_group(spec.block_n, spec.block_m, spec.workers);
		g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
		g_assert_cmpint(plan.width.by, ==, want);
		seen[want / 16]++;
	}
	/* Both widths are somewhere the better one, else the test shows nothing. */
	g_assert_cmpint(seen[0], >, 0);
	g_assert_cmpint(seen[1], >, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
		g_autofree char *path = g_strconcat("/validation/", figures[i].name, NULL);

		g_test_add_data_func(path, &figures[i], test_figures);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(counted); i++) {
		g_autofree char *path = g_strconcat("/validation/", counted[i].name, NULL);

		g_test_add_data_func(path, &counted[i], test_counted);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(cached); i++) {
		g_autofree char *path =
			g_strconcat("/validation/HipKittens: ", cached[i].name, NULL);

		g_test_add_data_func(path, &cached[i], test_cached);
	}
	g_test_add_func("/validation/Stream-K figure 1c: iterations", test_iterations);
	g_test_add_func("/validation/TraceLens: padding of 256x144 tiles", test_padding);
	g_test_add_func("/validation/active clusters of RTX 5090 and H200", test_residency);
	g_test_add_func("/validation/pyhip's golden order", test_golden_order);
	g_test_add_func("/validation/DeepGEMM's width of groups", test_default_width);
	return g_test_run();
}
