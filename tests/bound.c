/* The lower bound of a makespan: no schedule is faster, and it is close enough to tell. */
#include "sim/bound.h"

#include "sim/run.h"

static const char *const devices[] = {"mi300x", "h200", "b200", "a100", "mi355x"};

static int64_t pick(const int64_t *of, gint32 count)
{
	return of[g_test_rand_int_range(0, count)];
}

static int64_t random_size(void)
{
	static const int64_t most[] = {1, 300, 3000, 9000};

	return g_test_rand_int_range(1, (gint32)pick(most, G_N_ELEMENTS(most)) + 1);
}

/* Of what tune lists and what can be added to it, but for workers, of which there is one a place.
 */
static struct ts_spec random_spec(uint32_t policy)
{
	static const int64_t blocks[] = {32, 64, 128, 192, 256};
	struct ts_spec s = ts_spec_default();

	s.policy = policy;
	s.mode = (enum ts_mode)g_test_rand_int_range(0, TS_MODES);
	s.hybrid = (enum ts_hybrid)g_test_rand_int_range(0, TS_HYBRIDS);
	s.splits = g_test_rand_int_range(1, 10);
	s.min_k = g_test_rand_int_range(1, 10);
	s.k_groups = g_test_rand_int_range(1, 5);
	s.m = random_size();
	s.n = random_size();
	s.k = random_size();
	s.block_m = pick(blocks, G_N_ELEMENTS(blocks));
	s.block_n = pick(blocks, G_N_ELEMENTS(blocks));
	s.block_k = pick(blocks, 3);
	s.cluster_m = g_test_rand_int_range(1, 3);
	s.cluster_n = g_test_rand_int_range(1, 3);
	s.domains = g_test_rand_int_range(1, 9);
	s.workers = 0;
	return s;
}

/* What a random run of `policy` takes, and its bound. False where there is no such run. */
static bool run_random(uint32_t policy, uint64_t *ret_bound, uint64_t *ret_end)
{
	static char h200[] = "h200", slow[] = "cu1:2.5", calibrated[] = "calibrated",
		    caches[] = "caches", real[] = "real";
	char *slows[] = {slow, NULL};
	struct ts_settings settings = {
		.device =
			(char *)(gpointer)devices[g_test_rand_int_range(0, G_N_ELEMENTS(devices))]};
	struct ts_spec spec = random_spec(policy);
	struct ts_run run;
	bool good;

	if (g_test_rand_bit()) {
		settings.device = h200;
		settings.memory = calibrated;
	} else if (g_test_rand_int_range(0, 4) == 0) {
		settings.memory = caches;
		spec.k = MIN(spec.k, 600); /* an event a k iteration takes its time */
	}
	settings.edge = g_test_rand_bit() ? real : NULL;
	settings.slow = g_test_rand_int_range(0, 4) == 0 ? slows : NULL;
	good = ts_run_init(&run, &settings, &spec, NULL) &&
		ts_run_simulate(&run, &settings, NULL, NULL);
	if (good) {
		g_assert_true(run.sound);
		*ret_bound = ts_bound_makespan(&run.plan, &run.cost, &run.machine);
		*ret_end = ts_run_end(&run);
	}
	ts_run_finish(&run);
	return good;
}

/* How many of so many random runs are faster than their bound and so many percent of it. */
static uint32_t count_faster(uint32_t policy, uint32_t runs, uint32_t percent)
{
	uint32_t faster = 0;

	for (uint32_t i = 0; i < runs;) {
		uint64_t bound, end;

		if (!run_random(policy, &bound, &end))
			continue;
		i++;
		faster += end < bound + bound * percent / 100;
	}
	return faster;
}

enum { RUNS = 400 };

/* The second plants a fault, bounds that are a hundredth too high, and shows that the first can
 * fail. It also says that bounds are close, of each policy. */
static void test_random(gconstpointer data)
{
	uint32_t policy = GPOINTER_TO_UINT(data);

	g_assert_cmpuint(count_faster(policy, RUNS, 0), ==, 0);
	g_assert_cmpuint(count_faster(policy, RUNS, 1), >, RUNS / 100);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (uint32_t i = 0; i < TS_POLICIES; i++) {
		g_autofree char *path =
			g_strconcat("/bound/", ts_policy((enum ts_policy_id)i).name, NULL);

		g_test_add_data_func(path, GUINT_TO_POINTER(i), test_random);
	}
	return g_test_run();
}
