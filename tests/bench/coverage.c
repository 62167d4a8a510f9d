/* How many tiles a second the verifier checks on one core, where nothing is claimed. */
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
		int64_t cluster_m;
	} cases[] = {
		{"data-parallel", TS_DATA_PARALLEL, 1},
		{"data-parallel", TS_DATA_PARALLEL, 2},
		{"persistent", TS_PERSISTENT, 1},
		{"persistent", TS_PERSISTENT, 2},
	};
	struct ts_checker checker;

	ts_checker_init(&checker);
	printf("# static coverage check, 10000 x 10000 tiles, processor time of one core\n");
	printf("# %-14s %-8s %9s %9s %s\n", "policy", "cluster", "seconds", "Mtiles/s", "verdict");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ts_spec spec = ts_spec_default();
		struct ts_plan plan;
		double start, took;
		bool sound;

		spec.policy = cases[i].policy;
		spec.m = spec.n = 10000;
		spec.block_m = spec.block_n = 1;
		spec.cluster_m = cases[i].cluster_m;
		spec.workers = 304;
		if (ts_plan_make(&plan, &spec) != TS_OK)
			return 1;
		start = seconds();
		sound = ts_check_plan(&checker, &plan, NULL, NULL, 1);
		took = seconds() - start;
		printf("  %-14s %ldx1      %9.3f %9.1f %s\n", cases[i].name,
			(long)cases[i].cluster_m, took, 100 / took, sound ? "sound" : "UNSOUND");
		if (!sound)
			return 1;
	}
	ts_checker_finish(&checker);
	return 0;
}
