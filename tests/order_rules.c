/* Which order and width a rule chooses, against the rules as their projects state them. */
#include "tests/order_rules.h"

#include <glib.h>
#include <stdlib.h>

#include "policies/plan.h"

static int64_t upto(int32_t most)
{
	return g_test_rand_int_range(1, most + 1);
}

static struct ts_spec draw(enum ts_order order, int32_t most)
{
	struct ts_spec s = ts_spec_default();

	s.order = order;
	s.block_m = upto(4);
	s.block_n = upto(4);
	s.cluster_m = upto(3);
	s.cluster_n = upto(3);
	s.m = s.block_m * upto(most);
	s.n = s.block_n * upto(most);
	s.workers = upto(300);
	return s;
}

static struct ts_plan make(const struct ts_spec *spec)
{
	struct ts_plan plan = {0};

	g_assert_cmpint(ts_plan_make(&plan, spec), ==, TS_OK);
	return plan;
}

static uint64_t pad(uint64_t count, uint64_t to)
{
	while (count % to != 0)
		count++;
	return count;
}

/* CUTLASS' get_log_swizzle_size(): of 8, 4 and 2 the first that is allowed and has its least tiles.
 */
static uint64_t power_width(int64_t most, uint64_t tiles)
{
	static const struct {
		int64_t width;
		uint64_t least;
	} rows[] = {{8, 6}, {4, 3}, {2, 2}};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		if (most >= rows[i].width && tiles >= rows[i].least)
			return (uint64_t)rows[i].width;
	return 1;
}

static void expect(const struct ts_spec *s, enum ts_order order, uint64_t width)
{
	struct ts_plan p = make(s);
	bool by_columns = order == TS_GROUPED_N || order == TS_SNAKE_N;
	uint64_t along = by_columns ? p.cluster_cols : p.cluster_rows;

	if (p.order != (uint32_t)order || p.width.by != MIN(width, along))
		g_test_fail_printf("%s of %d on %u x %u clusters of %u x %u: %s of %u, must be %s "
				   "of %u",
			ts_order_name(s->order), (int)s->width, p.cluster_rows, p.cluster_cols,
			p.cluster_m, p.cluster_n, ts_order_name((enum ts_order)p.order), p.width.by,
			ts_order_name(order), (uint32_t)width);
}

static void test_cutlass(void)
{
	for (int i = 0; i < 3000; i++) {
		enum ts_order order = (enum ts_order)(TS_CUTLASS + i % 4);
		struct ts_spec s = draw(order, 20);
		uint64_t m = pad((uint64_t)(s.m / s.block_m), (uint64_t)s.cluster_m);
		uint64_t n = pad((uint64_t)(s.n / s.block_n), (uint64_t)s.cluster_n);
		uint64_t width;

		s.width = g_test_rand_int_range(0, 12);
		width = power_width(
			s.width, order == TS_CUTLASS_2 ? n / (uint64_t)s.cluster_n : MIN(m, n));
		if (order == TS_CUTLASS)
			order = pad(n, width * (uint64_t)s.cluster_n) >
					pad(m, width * (uint64_t)s.cluster_m)
				? TS_CUTLASS_M
				: TS_CUTLASS_N;
		expect(&s, order == TS_CUTLASS_N ? TS_GROUPED_M : TS_GROUPED_N, width);
	}
}

/* Snakes by the side that is shorter in whole panels, and CUTLASS' cohort; both of 8 if not asked.
 */
static void test_default_of_8(void)
{
	for (int i = 0; i < 1000; i++) {
		struct ts_spec s = draw(TS_QUACK, 60);
		struct ts_plan p = make(&s);
		uint64_t width;

		s.width = g_test_rand_int_range(0, 12);
		width = s.width == 0 ? 8 : (uint64_t)s.width;
		expect(&s,
			pad(p.cluster_cols, width) > pad(p.cluster_rows, width) ? TS_SNAKE_M
										: TS_SNAKE_N,
			width);
		s.order = TS_COHORT;
		expect(&s, TS_COHORT, width);
	}
}

/* Elements that a wave touches at most, in full panels of `width`: whole panels where there are
 * several, otherwise columns of `width` cells. */
static uint64_t load(uint64_t width, uint64_t wave, uint64_t along, uint64_t across,
	uint64_t along_elements, uint64_t across_elements)
{
	uint64_t rows = 0, cols = across;

	for (uint64_t begun = 0; begun < wave; begun += width * across)
		rows += width;
	if (rows == width) {
		rows = MIN(wave, width);
		cols = pad(wave, width) / width;
	}
	return MIN(rows, along) * along_elements + cols * across_elements;
}

/* The first of the panels of 1, 2, 4, ... 64 rows, and then of as many columns, that loads least.
 */
static void expect_auto(const struct ts_spec *s, uint64_t wave)
{
	struct ts_plan p = make(s);
	uint64_t m = (uint64_t)(s->block_m * s->cluster_m);
	uint64_t n = (uint64_t)(s->block_n * s->cluster_n);
	uint64_t least = UINT64_MAX, width = 0;
	enum ts_order order = TS_AUTO;

	for (int i = 0; i < 14; i++) {
		bool by_rows = i < 7;
		uint64_t w = UINT64_C(1) << i % 7, rows = p.cluster_rows, cols = p.cluster_cols,
			 got;

		if (w > (by_rows ? rows : cols))
			continue;
		got = by_rows ? load(w, wave, rows, cols, m, n) : load(w, wave, cols, rows, n, m);
		if (got >= least)
			continue;
		least = got;
		width = w;
		order = by_rows ? TS_GROUPED_M : TS_GROUPED_N;
	}
	expect(s, order, width);
}

static void test_auto(void)
{
	for (int i = 0; i < 4000; i++) {
		struct ts_spec s = draw(TS_AUTO, i % 3 == 0 ? 9 : 200);
		bool claims, own;

		s.workers = upto(i % 2 == 0 ? 30 : 30000);
		s.domains = upto(5);
		s.remap = (enum ts_remap)(i % TS_REMAPS);
		s.policy = i % 5 == 0 ? TS_WORKSTEAL : TS_PERSISTENT;
		s.mode = (enum ts_mode)(i / 5 % TS_MODES);
		claims = s.policy == TS_WORKSTEAL && s.mode != TS_GLOBAL;
		own = claims || s.remap == TS_REMAP_CHIPLET || s.remap == TS_REMAP_CHUNKED;
		expect_auto(&s,
			own ? pad((uint64_t)s.workers, (uint64_t)s.domains) / (uint64_t)s.domains
			    : (uint64_t)s.workers);
	}
}

/* DeepGEMM's: 8 unless 16 loads less. */
static void test_default_width(void)
{
	for (uint32_t workers = 1; workers < 60; workers++)
		for (uint32_t across = 1; across < 40; across++) {
			uint32_t of_8 = 8 * 2 + (workers + 7) / 8 * across;
			uint32_t of_16 = 16 * 2 + (workers + 15) / 16 * across;

			g_assert_cmpuint(ts_order_default_width(2, across, workers), ==,
				of_16 < of_8 ? 16 : 8);
		}
}

/* Paired: ids 2 i and 2 i + 1 are neighbours, whatever the width. */
static void test_pairs(void)
{
	for (int i = 0; i < 2 * 9 * 9 * 6; i++) {
		struct ts_spec s = ts_spec_default();
		struct ts_plan p;

		s.order = i % 2 == 0 ? TS_PAIRED_M : TS_PAIRED_N;
		s.block_m = s.block_n = 1;
		s.m = 1 + i / 2 % 9;
		s.n = 1 + i / 18 % 9;
		s.width = i / 162;
		p = make(&s);
		for (uint32_t id = 0; id + 1 < p.items; id += 2) {
			struct ts_point a = ts_order_cell(&p, id), b = ts_order_cell(&p, id + 1);

			g_assert_cmpint(abs((int)a.m - (int)b.m) + abs((int)a.n - (int)b.n), ==, 1);
		}
	}
}

void ts_order_rules_add(void)
{
	g_test_add_func("/rules/CUTLASS", test_cutlass);
	g_test_add_func("/rules/QuACK and cohort", test_default_of_8);
	g_test_add_func("/rules/auto", test_auto);
	g_test_add_func("/rules/the default width", test_default_width);
	g_test_add_func("/rules/pairs", test_pairs);
}
