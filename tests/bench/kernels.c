/* What a kernel costs on the CPU: threads through a barrier, and CTAs of the probe. Times are of
 * the processor, not of the wall, on one pthread. */
#include <glib.h>
#include <time.h>

#include "kernels/cpu.h"
#include "kernels/cpu_backend.h"
#include "kernels/gpu.h"
#include "kernels/prober.h"
#include "policies/plan.h"

struct turns {
	uint32_t count;
};

TS_KERNEL(bench_barriers, struct turns, 1024)
{
	for (uint32_t i = 0; i < args.count; i++)
		gpu_sync();
}

static double now(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void measure_barriers(void)
{
	static const uint32_t sizes[] = {32, 128, 256, 1024};
	const struct ts_cpu_way way = {.pthreads = 1};
	const struct turns args = {200};
	struct ts_cpu *cpu = ts_cpu_new();
	char fault[TS_CPU_FAULT];

	g_print("%8s %12s %16s\n", "threads", "ns a thread", "barriers a s");
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		const struct ts_cpu_grid grid = {16, {1, 1}, sizes[i], 0};
		double seconds;

		/* Once for the stacks. */
		for (uint32_t turn = 0; turn < 2; turn++) {
			double from = now();

			if (!ts_cpu_launch(cpu, &bench_barriers, &grid, &way, &args, fault))
				g_error("%s", fault);
			seconds = now() - from;
		}
		g_print("%8u %12.1f %16.0f\n", sizes[i],
			seconds * 1e9 / (16.0 * sizes[i] * args.count),
			16.0 * args.count / seconds);
	}
	ts_cpu_free(cpu);
}

static void measure_probe(void)
{
	const struct ts_prober_cta cta = {256, 0};
	const struct ts_probe_pace pace = {0, false};
	struct ts_spec spec = ts_spec_default();
	g_autoptr(GError) error = NULL;
	struct ts_prober prober;

	if (!ts_prober_open(&prober, &ts_cpu_backend, &cta, &error))
		g_error("%s", error->message);
	g_print("\n%-14s %10s %12s %12s\n", "policy", "items", "CTAs a s", "items a s");
	for (uint32_t i = 0; i < TS_POLICIES; i++) {
		struct ts_probe_log log;
		struct ts_plan plan;
		double from;

		spec.policy = i;
		spec.m = spec.n = 128 * 64;
		spec.block_m = spec.block_n = 128;
		spec.workers = 16;
		g_assert(ts_plan_make(&plan, &spec) == TS_OK);
		from = now();
		if (!ts_prober_run(&prober, &plan, &pace, &log, &error))
			g_error("%s", error->message);
		g_print("%-14s %10u %12.0f %12.0f\n", ts_policy((enum ts_policy_id)i).name,
			plan.items, plan.workers / (now() - from), plan.items / (now() - from));
	}
	ts_prober_close(&prober);
}

int main(void)
{
	measure_barriers();
	measure_probe();
	return 0;
}
