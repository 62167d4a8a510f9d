/* How many items a second the engine simulates, with and without the sums and checks of a run. */
#include <stdio.h>
#include <time.h>

#include "sim/run.h"

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* The bare event loop on a run that is made but not simulated. */
static void bare(const struct ts_run *r)
{
	struct ts_machine machine;
	struct ts_engine engine = {
		.plan = &r->plan, .scenario = &r->scenario, .machine = &machine, .cost = &r->cost};

	ts_machine_init(&machine, r->device, &r->scenario, 1, r->plan.workers);
	ts_engine_run(&engine);
	ts_machine_finish(&machine);
}

static bool measure(enum ts_policy_id policy, int64_t block)
{
	g_autoptr(GError) error = NULL;
	struct ts_settings settings = {0};
	struct ts_spec spec = ts_spec_default();
	double start, loop, whole;
	struct ts_run run;
	bool sound;

	spec.policy = policy;
	spec.m = spec.n = 65536;
	spec.block_m = spec.block_n = block;
	spec.domains = 8;
	spec.workers = 0;
	if (!ts_run_init(&run, &settings, &spec, &error)) {
		fprintf(stderr, "%s\n", error->message);
		return false;
	}
	start = seconds();
	bare(&run);
	loop = seconds() - start;
	start = seconds();
	sound = ts_run_simulate(&run, &settings, NULL, &error) && run.sound;
	whole = seconds() - start;
	printf("  %-12s %3ldx%-3ld %8u %11.3f %9.2f %9.2f %s\n", ts_policy(policy).name,
		(long)block, (long)block, run.plan.items, loop, run.plan.items / loop / 1e6,
		run.plan.items / whole / 1e6, sound ? "sound" : "UNSOUND");
	ts_run_finish(&run);
	return sound;
}

int main(void)
{
	static const enum ts_policy_id policies[] = {TS_PERSISTENT, TS_WORKSTEAL};

	printf("# engine, 65536 x 65536 x 8192 on the MI300X, processor time of one core\n");
	printf("# %-12s %-7s %8s %11s %9s %9s %s\n", "policy", "tile", "items", "seconds",
		"Mitems/s", "verified", "verdict");
	for (size_t i = 0; i < 4; i++)
		if (!measure(policies[i / 2], i % 2 == 0 ? 128 : 256))
			return 1;
	return 0;
}
