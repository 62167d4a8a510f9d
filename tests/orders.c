/* Orders on every small rectangle and on the largest ones, and against the definitions of their
 * curves. The seed of what is random is GLib's. */
#include <glib.h>
#include <stdlib.h>

#include "policies/plan.h"
#include "tests/order_rules.h"

static struct ts_plan make_order(enum ts_order order, int64_t rows, int64_t cols, int64_t width)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan = {0};

	spec.order = order;
	spec.block_m = spec.block_n = spec.block_k = 1;
	spec.m = rows;
	spec.n = cols;
	spec.k = 1;
	spec.width = ts_order_has_width(order) ? width : 0;
	spec.workers = 7;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	return plan;
}

static bool covers(const struct ts_plan *p)
{
	g_autofree uint8_t *seen = g_new0(uint8_t, p->items);

	for (uint32_t id = 0; id < p->items; id++) {
		struct ts_point at = ts_order_cell(p, id);

		if (at.m >= p->cluster_rows || at.n >= p->cluster_cols ||
			seen[at.m * p->cluster_cols + at.n]++ != 0)
			return false;
	}
	return true;
}

static void check_covers(enum ts_order order, int64_t rows, int64_t cols, int64_t width)
{
	struct ts_plan plan = make_order(order, rows, cols, width);

	if (!covers(&plan))
		g_test_fail_printf("%s of width %d on %d x %d is no bijection",
			ts_order_name(order), (int)width, (int)rows, (int)cols);
}

static void test_every_rectangle(void)
{
	static const int64_t widths[] = {0, 1, 2, 3, 5, 8, 39, 1000};
	int side = g_test_slow() ? 40 : 17;

	for (int order = 0; order < TS_ORDERS; order++)
		for (int i = 0; i < side * side; i++)
			for (size_t w = 0; w < G_N_ELEMENTS(widths); w++)
				if (w == 0 || ts_order_has_width((enum ts_order)order))
					check_covers((enum ts_order)order, 1 + i / side,
						1 + i % side, widths[w]);
}

static void test_large_rectangles(void)
{
	int count = g_test_slow() ? 12 : 3;

	for (int order = 0; order < TS_ORDERS; order++)
		for (int i = 0; i < count; i++) {
			int64_t rows = 1 + g_test_rand_int_range(0, i % 3 == 0 ? 5 : 900);
			int64_t cols = 1 + g_test_rand_int_range(0, i % 3 == 1 ? 5 : 900);

			check_covers(
				(enum ts_order)order, rows, cols, g_test_rand_int_range(0, 99));
		}
}

/* Hilbert: each step to a neighbour, and the last one to the corner at the other end of the longer
 * side. Where that is odd and the shorter one even there is no such curve: then one step is
 * diagonal, or in two rows the end is beside the corner. */
static void check_steps(uint32_t rows, uint32_t cols)
{
	struct ts_plan p = make_order(TS_HILBERT, rows, cols, 0);
	uint32_t longer = MAX(rows, cols), shorter = MIN(rows, cols);
	bool none = longer % 2 == 1 && shorter % 2 == 0;
	uint32_t diagonal = none && shorter > 2 ? 1 : 0;
	uint32_t end = longer - 1 - (none && shorter == 2 ? 1 : 0);
	struct ts_point last = ts_order_cell(&p, 0);

	g_assert_cmpuint(last.m + last.n, ==, 0);
	for (uint32_t id = 1; id < p.items; id++) {
		struct ts_point at = ts_order_cell(&p, id);
		uint32_t dm = at.m > last.m ? at.m - last.m : last.m - at.m;
		uint32_t dn = at.n > last.n ? at.n - last.n : last.n - at.n;

		last = at;
		if (dm + dn == 1)
			continue;
		if (dm == 1 && dn == 1 && diagonal-- > 0)
			continue;
		g_test_fail_printf(
			"hilbert on %u x %u: a step of %u,%u to id %u", rows, cols, dm, dn, id);
		return;
	}
	g_assert_cmpuint(diagonal, ==, 0);
	g_assert_cmpuint(last.m, ==, rows > cols ? end : 0);
	g_assert_cmpuint(last.n, ==, rows > cols ? 0 : end);
}

static void test_neighbours(void)
{
	uint32_t side = g_test_slow() ? 64 : 20;

	for (uint32_t i = 0; i < side * side; i++)
		check_steps(1 + i / side, 1 + i % side);
	for (int i = 0; i < 10; i++)
		check_steps((uint32_t)g_test_rand_int_range(1, 1500),
			(uint32_t)g_test_rand_int_range(1, 1500));
}

/* The curves by their definitions. */

static uint64_t morton_code(uint32_t m, uint32_t n)
{
	uint64_t code = 0;

	for (uint32_t bit = 0; bit < 32; bit++)
		code |= (uint64_t)(m >> bit & 1) << (2 * bit + 1) |
			(uint64_t)(n >> bit & 1) << (2 * bit);
	return code;
}

/* The point at distance `d` on the Hilbert curve of a square with the power of two `side`. */
static void d2xy(uint64_t side, uint64_t d, uint64_t *x, uint64_t *y)
{
	*x = *y = 0;
	for (uint64_t s = 1; s < side; s *= 2) {
		uint64_t rx = d / 2 % 2, ry = (d ^ rx) % 2, t;

		if (ry == 0 && rx == 1) {
			*x = s - 1 - *x;
			*y = s - 1 - *y;
		}
		if (ry == 0) {
			t = *x;
			*x = *y;
			*y = t;
		}
		*x += s * rx;
		*y += s * ry;
		d /= 4;
	}
}

static void test_curves(void)
{
	uint32_t side = g_test_slow() ? 36 : 13;

	for (uint32_t i = 0; i < side * side; i++) {
		uint32_t rows = 1 + i / side, cols = 1 + i % side, id = 0;
		struct ts_plan hilbert = make_order(TS_HILBERT_CLIPPED, rows, cols, 0);
		struct ts_plan morton = make_order(TS_MORTON, rows, cols, 0);
		uint64_t square = 1;

		while (square < MAX(rows, cols))
			square *= 2;
		for (uint64_t d = 0; d < square * square; d++) {
			struct ts_point at;
			uint64_t x, y;

			d2xy(square, d, &x, &y);
			if (x >= rows || y >= cols)
				continue;
			at = ts_order_cell(&hilbert, id++);
			g_assert_cmpuint(at.m, ==, x);
			g_assert_cmpuint(at.n, ==, y);
		}
		g_assert_cmpuint(id, ==, hilbert.items);
		for (id = 1; id < morton.items; id++) {
			struct ts_point a = ts_order_cell(&morton, id - 1);
			struct ts_point b = ts_order_cell(&morton, id);

			g_assert_cmpuint(morton_code(a.m, a.n), <, morton_code(b.m, b.n));
		}
	}
}

/* How many cells of a grid have a smaller code, counted in 64 bits from the top bit down. */
static uint64_t morton_rank(uint64_t rows, uint64_t cols, uint64_t m, uint64_t n)
{
	uint64_t rank = 0;

	for (int bit = 31; bit >= 0; bit--) {
		uint64_t half = UINT64_C(1) << bit;
		uint64_t m0 = m & ~(2 * half - 1), n0 = n & ~(2 * half - 1); /* of the square */
		uint64_t high = MIN(half, rows - m0), wide = MIN(half, cols - n0);

		if ((m & half) != 0) /* both quarters above */
			rank += high * MIN(2 * half, cols - n0);
		if ((n & half) != 0) /* the quarter to the left */
			rank += wide * ((m & half) != 0 ? MIN(2 * half, rows - m0) - half : high);
	}
	return rank;
}

static const struct {
	uint32_t rows, cols;
} largest[] = {{2147483647, 1}, {1, 2147483647}, {46340, 46340}, {65534, 32768}, {3, 715827882},
	{1073741823, 2}, {32771, 65521}};

static void test_largest(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(largest); i++)
		for (int order = 0; order < TS_ORDERS; order++) {
			uint32_t rows = largest[i].rows, cols = largest[i].cols;
			struct ts_plan p = make_order((enum ts_order)order, rows, cols, 8);
			uint32_t at = (uint32_t)g_test_rand_int() % p.items;
			const uint32_t ids[] = {0, p.items - 1, p.items / 2, at};

			for (size_t j = 0; j < G_N_ELEMENTS(ids); j++) {
				struct ts_point c = ts_order_cell(&p, ids[j]);

				g_assert_cmpuint(c.m, <, rows);
				g_assert_cmpuint(c.n, <, cols);
				if (order == TS_MORTON)
					g_assert_cmpuint(
						morton_rank(rows, cols, c.m, c.n), ==, ids[j]);
			}
			for (uint32_t id = MIN(at, p.items - 1000), left = 999;
				order == TS_HILBERT && left > 0; id++, left--) {
				struct ts_point a = ts_order_cell(&p, id);
				struct ts_point b = ts_order_cell(&p, id + 1);

				g_assert_cmpint(abs((int)a.m - (int)b.m), <=, 1);
				g_assert_cmpint(abs((int)a.n - (int)b.n), <=, 1);
			}
		}
}

/* Auto: no other axis or width has a first wave that touches less. */

/* Elements of A and B that ids [0, wave) touch per k. */
static uint64_t first_wave(const struct ts_plan *p, uint32_t wave)
{
	g_autofree uint8_t *rows = g_new0(uint8_t, p->cluster_rows);
	g_autofree uint8_t *cols = g_new0(uint8_t, p->cluster_cols);
	uint64_t load = 0;

	for (uint32_t id = 0; id < MIN(wave, p->items); id++) {
		struct ts_point at = ts_order_cell(p, id);

		load += rows[at.m]++ == 0 ? (uint64_t)p->block_m * p->cluster_m : 0;
		load += cols[at.n]++ == 0 ? (uint64_t)p->block_n * p->cluster_n : 0;
		rows[at.m] = cols[at.n] = 1;
	}
	return load;
}

static void test_auto(void)
{
	int differ = 0;

	for (int i = 0; i < 400; i++) {
		struct ts_spec spec = ts_spec_default();
		struct ts_plan best = {0}, other = {0};
		uint32_t wave;

		spec.order = TS_AUTO;
		spec.block_m = 1 + g_test_rand_int_range(0, 4);
		spec.block_n = 1 + g_test_rand_int_range(0, 4);
		spec.cluster_m = 1 + g_test_rand_int_range(0, 3);
		spec.cluster_n = 1 + g_test_rand_int_range(0, 3);
		spec.m = spec.block_m * g_test_rand_int_range(1, 90);
		spec.n = spec.block_n * g_test_rand_int_range(1, 90);
		spec.workers = g_test_rand_int_range(1, 300);
		spec.domains = 1 + i % 3;
		spec.remap = i % 2 == 0 ? TS_REMAP_NONE : TS_REMAP_CHIPLET;
		wave = (uint32_t)spec.workers;
		if (spec.remap != TS_REMAP_NONE)
			wave = (wave + (uint32_t)spec.domains - 1) / (uint32_t)spec.domains;
		g_assert_cmpint(ts_plan_make(&best, &spec), ==, TS_OK);
		g_assert_cmpint((int)best.asked_order, ==, TS_AUTO);
		for (int w = 1; w <= 64; w *= 2)
			for (int axis = 0; axis < 2; axis++) {
				spec.order = axis == 0 ? TS_GROUPED_M : TS_GROUPED_N;
				spec.width = w;
				ts_plan_make(&other, &spec);
				/* Panels that a wave fills are what the rule counts. */
				if (other.panel.by < wave)
					continue;
				g_assert_cmpuint(
					first_wave(&best, wave), <=, first_wave(&other, wave));
				differ += first_wave(&best, wave) < first_wave(&other, wave);
			}
	}
	g_assert_cmpint(differ, >, 1000);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/orders/a bijection on every rectangle", test_every_rectangle);
	g_test_add_func("/orders/a bijection on large rectangles", test_large_rectangles);
	g_test_add_func("/orders/steps of Hilbert's curve lead to neighbours", test_neighbours);
	g_test_add_func("/orders/clipped curves are those of the square around", test_curves);
	g_test_add_func("/orders/the largest grids", test_largest);
	g_test_add_func("/orders/auto loads the least", test_auto);
	ts_order_rules_add();
	return g_test_run();
}
