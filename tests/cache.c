/* The caches: against lists kept in the plainest way, and times that can be computed by hand. */
#include "sim/cache.h"

#include <string.h>

#include "policies/plan.h"

/* A plan of rows x cols tiles of 1 x 1 x 1, so that a panel is one element of 4 bytes. */
static struct ts_plan make_plan(uint32_t rows, uint32_t cols, uint32_t depth)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan = {0};

	spec.m = rows;
	spec.n = cols;
	spec.k = depth;
	spec.block_m = spec.block_n = spec.block_k = 1;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	return plan;
}

/* Two XCDs; DRAM gives 1 byte a ps, the memory side cache 4. */
static struct ts_device make_device(double l2_bytes, double llc_bytes)
{
	static char id[] = "d";
	struct ts_device d = {.id = id,
		.amd = true,
		.groups = 2,
		.l2_bytes = l2_bytes,
		.llc_bytes = llc_bytes,
		.llc_gbps = 4000,
		.dram_gbps = 2000,
		.dram_efficiency = 0.5};

	return d;
}

static struct ts_caches *make(const struct ts_plan *plan, double l2_bytes, double llc_bytes)
{
	struct ts_device d = make_device(l2_bytes, llc_bytes);
	g_autoptr(GError) error = NULL;
	struct ts_caches *c = ts_caches_new(plan, &d, 4, &error);

	g_assert_no_error(error);
	return c;
}

static struct ts_step tile(uint32_t m, uint32_t n)
{
	struct ts_step s = ts_step_make(TS_WORK);

	s.m = m;
	s.n = n;
	return s;
}

/* LRU as a list: the newest first, `capacity` panels. Was it there? */
static bool ask_list(GQueue *list, guint capacity, guint panel)
{
	GList *found = g_queue_find(list, GUINT_TO_POINTER(panel));

	if (found != NULL)
		g_queue_delete_link(list, found);
	g_queue_push_head(list, GUINT_TO_POINTER(panel));
	while (g_queue_get_length(list) > capacity)
		g_queue_pop_tail(list);
	return found != NULL;
}

static void test_lists(void)
{
	enum { ROWS = 7, COLS = 5, DEPTH = 3, FETCHES = 4000 };
	struct ts_plan plan = make_plan(ROWS, COLS, DEPTH);

	for (guint l2 = 1; l2 <= 20; l2 += 3) {
		struct ts_caches *c = make(&plan, 4 * l2, 4 * 2 * l2);
		GQueue near[2] = {G_QUEUE_INIT, G_QUEUE_INIT};
		GQueue far = G_QUEUE_INIT;
		uint64_t hits[2] = {0}, far_hits = 0, far_misses = 0;

		for (guint i = 0; i < FETCHES; i++) {
			guint m = (guint)g_test_rand_int_range(0, ROWS);
			guint n = (guint)g_test_rand_int_range(0, COLS);
			guint k = (guint)g_test_rand_int_range(0, DEPTH);
			guint xcd = (guint)g_test_rand_int_range(0, 2);
			guint panels[2] = {m * DEPTH + k, (ROWS + n) * DEPTH + k};
			struct ts_step s = tile(m, n);

			ts_caches_fetch(c, i, xcd, &s, k);
			for (int j = 0; j < 2; j++) {
				if (ask_list(&near[xcd], l2, panels[j]))
					hits[xcd]++;
				else if (ask_list(&far, 2 * l2, panels[j]))
					far_hits++;
				else
					far_misses++;
			}
		}
		for (uint32_t i = 0; i < 2; i++) {
			g_assert_cmpuint(ts_caches_l2(c, i).hits, ==, hits[i]);
			g_queue_clear(&near[i]);
		}
		g_assert_cmpuint(ts_caches_l2(c, 0).hits + ts_caches_l2(c, 0).misses +
				ts_caches_l2(c, 1).hits + ts_caches_l2(c, 1).misses,
			==, 2 * FETCHES);
		g_assert_cmpuint(ts_caches_llc(c).hits, ==, far_hits);
		g_assert_cmpuint(ts_caches_llc(c).misses, ==, far_misses);
		g_assert_cmpfloat(ts_caches_dram_bytes(c), ==, 4.0 * (double)far_misses);
		g_queue_clear(&far);
		ts_caches_free(c);
	}
}

/* What is missed waits its turn; what is on its way is not asked for again but waited for. */
static void test_times(void)
{
	struct ts_plan plan = make_plan(4, 4, 2);
	struct ts_caches *c = make(&plan, 64, 256);
	struct ts_step first = tile(0, 0), beside = tile(0, 1);

	/* Two panels of 4 bytes from DRAM at 1 byte a ps. */
	g_assert_cmpfloat(ts_caches_fetch(c, 0, 0, &first, 0), ==, 8);
	/* The row's panel arrives at 4, the column's after the other two. */
	g_assert_cmpfloat(ts_caches_fetch(c, 1, 0, &beside, 0), ==, 12);
	/* Both are on their way. */
	g_assert_cmpfloat(ts_caches_fetch(c, 2, 0, &beside, 0), ==, 12);
	/* The other XCD finds them in the memory side cache, which has them from 12 on. */
	g_assert_cmpfloat(ts_caches_fetch(c, 3, 1, &beside, 0), ==, 12);
	/* Later that cache's bandwidth is what counts: 8 bytes at 4 a ps. */
	g_assert_cmpfloat(ts_caches_fetch(c, 100, 1, &first, 0), ==, 101);
	/* And in the L2 they are at hand. */
	g_assert_cmpfloat(ts_caches_fetch(c, 200, 0, &first, 0), ==, 200);
	g_assert_cmpuint(ts_caches_l2(c, 0).hits, ==, 5);
	g_assert_cmpuint(ts_caches_l2(c, 0).misses, ==, 3);
	ts_caches_free(c);
}

/* Without a memory side cache, and with outputs that push operands out. */
static void test_outputs(void)
{
	struct ts_plan plan = make_plan(4, 4, 1);
	struct ts_caches *c = make(&plan, 8, 0);
	struct ts_step s = tile(1, 2);

	g_assert_false(ts_caches_has_llc(c));
	g_assert_cmpfloat(ts_caches_fetch(c, 0, 0, &s, 0), ==, 8);
	g_assert_cmpfloat(ts_caches_fetch(c, 10, 0, &s, 0), ==, 10);
	ts_caches_store(c, 10, 0, &s);
	g_assert_cmpfloat(ts_caches_stored_bytes(c), ==, 4);
	/* The older of the two, the row's, has gone, then its return drives out the column's; DRAM
	 * is busy with the output until 14. */
	g_assert_cmpfloat(ts_caches_fetch(c, 11, 0, &s, 0), ==, 22);
	g_assert_cmpuint(ts_caches_l2(c, 0).misses, ==, 4);
	ts_caches_free(c);
}

/* A cluster's panels are fetched once for all of its CTAs, and those outside the grid never. */
static void test_cluster(void)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan = {0};
	struct ts_caches *c;
	struct ts_step whole = tile(0, 0), tail = tile(2, 0);

	spec.m = 3;
	spec.n = 2;
	spec.k = 1;
	spec.block_m = spec.block_n = spec.block_k = 1;
	spec.cluster_m = spec.cluster_n = 2;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	c = make(&plan, 1024, 0);
	ts_caches_fetch(c, 0, 0, &whole, 0);
	g_assert_cmpuint(ts_caches_l2(c, 0).misses, ==, 4);
	ts_caches_fetch(c, 1, 0, &tail, 0);
	g_assert_cmpuint(ts_caches_l2(c, 0).misses, ==, 5);
	g_assert_cmpuint(ts_caches_l2(c, 0).hits, ==, 2);
	ts_caches_free(c);
}

/* A panel larger than the cache passes by. */
static void test_too_small(void)
{
	struct ts_plan plan = make_plan(2, 2, 1);
	struct ts_caches *c = make(&plan, 3, 0);
	struct ts_step s = tile(0, 0);

	ts_caches_fetch(c, 0, 0, &s, 0);
	ts_caches_fetch(c, 100, 0, &s, 0);
	g_assert_cmpuint(ts_caches_l2(c, 0).hits, ==, 0);
	g_assert_cmpuint(ts_caches_l2(c, 0).misses, ==, 4);
	ts_caches_free(c);
}

static void test_refusals(void)
{
	struct ts_plan plan = make_plan(2, 2, 1);
	struct ts_device d = make_device(0, 0);
	g_autoptr(GError) unknown = NULL;
	g_autoptr(GError) many = NULL;

	g_assert_null(ts_caches_new(&plan, &d, 4, &unknown));
	g_assert_nonnull(strstr(unknown->message, "l2_bytes"));
	d.l2_bytes = 1;
	plan = make_plan(1 << 15, 1, 1 << 15);
	g_assert_null(ts_caches_new(&plan, &d, 4, &many));
	g_assert_nonnull(strstr(many->message, "too many"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cache/lists", test_lists);
	g_test_add_func("/cache/times", test_times);
	g_test_add_func("/cache/outputs", test_outputs);
	g_test_add_func("/cache/cluster", test_cluster);
	g_test_add_func("/cache/too small", test_too_small);
	g_test_add_func("/cache/refusals", test_refusals);
	return g_test_run();
}
