/* How many tiles a second the verifier checks on one core: each policy, without and with clusters.
 */
#include <stdio.h>
#include <time.h>

#include "policies/plan.h"
#include "verify/check.h"

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

int main(void)
{
	static const struct {
		const char *name;
		enum ts_policy_id policy;
		enum ts_mode mode;
	} cases[] = {
		{"data-parallel", TS_DATA_PARALLEL, TS_STEAL},
		{"persistent", TS_PERSISTENT, TS_STEAL},
		{"steal", TS_WORKSTEAL, TS_STEAL},
		{"slots", TS_WORKSTEAL, TS_SLOTS},
		{"global", TS_WORKSTEAL, TS_GLOBAL},
		{"hierarchical", TS_WORKSTEAL, TS_HIERARCHICAL},
	};
	struct ts_checker checker;

	ts_checker_init(&checker);
	printf("# coverage check, 3000 x 3000 tiles, processor time of one core\n");
	printf("# %-14s %-8s %6s %9s %9s %s\n", "policy", "cluster", "walks", "seconds", "Mtiles/s",
		"verdict");
	for (size_t i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		struct ts_spec spec = ts_spec_default();
		struct ts_plan plan;
		double start, took;
		bool sound;

		spec.policy = cases[i / 2].policy;
		spec.mode = cases[i / 2].mode;
		spec.m = spec.n = 3000;
		spec.block_m = spec.block_n = 1;
		spec.cluster_m = 1 + (int64_t)(i % 2);
		spec.workers = 304;
		spec.domains = 8;
		if (ts_plan_make(&plan, &spec) != TS_OK)
			return 1;
		checker.walks = checker.tiles = 0;
		start = seconds();
		sound = ts_check_plan(&checker, &plan, NULL, NULL, 1);
		took = seconds() - start;
		printf("  %-14s %ldx1      %6" G_GUINT64_FORMAT " %9.3f %9.1f %s\n",
			cases[i / 2].name, (long)spec.cluster_m, checker.walks, took,
			(double)checker.tiles / 1e6 / took, sound ? "sound" : "UNSOUND");
		if (!sound)
			return 1;
	}
	ts_checker_finish(&checker);
	return 0;
}
