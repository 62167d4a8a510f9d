/* The launches of a benchmark: rounds, and the schedules in each. */
#include <string.h>

#include "kernels/nvml.h"
#include "sim/gpu_bench.h"
#include "sim/gpu_gemm.h"
#include "sim/refuse.h"
#include "sim/shapes.h"

void ts_bench_cell_finish(struct ts_bench_cell *c)
{
	g_free(c->fault);
	g_clear_pointer(&c->our_rounds, g_array_unref);
	g_clear_pointer(&c->their_rounds, g_array_unref);
}

/* The turn of one schedule. False where the GPU failed. */
static bool run_turn(struct ts_gpu_gemm *x, const struct ts_bench *b, uint32_t round,
	struct ts_bench_cell *c, struct ts_gpu_series *s, GError **error)
{
	uint32_t launches = ts_gemm_series_share(b->repeat, b->rounds, round);
	struct ts_gemm_verdict verdict = {0};
	struct ts_plan plan;

	/* A schedule that this shape can't have is left out. */
	if (!ts_gpu_gemm_plan(x, &c->spec, &plan, NULL))
		return true;
	c->there = true;
	if (round > 0 || !b->checked)
		return ts_gpu_gemm_next_round(x, &plan, x->seed, launches, s, error);
	if (!ts_gpu_gemm_first_round(x, &plan, x->seed, launches, s, &verdict, error)) {
		g_free(verdict.fault);
		return false;
	}
	c->fault = verdict.fault;
	return true;
}

/* What came of all turns. */
static void summarise(struct ts_bench_cell *c, struct ts_gpu_series *s)
{
	if (!c->there)
		return;
	c->ours = ts_gemm_series_times(&s->ours);
	c->our_rounds = g_steal_pointer(&s->ours.rounds);
	if (s->theirs.ms != NULL)
		c->theirs = ts_gemm_series_times(&s->theirs);
	c->their_rounds = g_steal_pointer(&s->theirs.rounds);
	/* NVML's is of some time ago. */
	if (c->ours.clock_mhz > 0)
		c->clock_mhz = (uint32_t)(c->ours.clock_mhz + 0.5);
}

/* The first `want` of so many schedules of one shape that there is a kernel for. */
static bool run_shape(struct ts_gpu_gemm *x, const struct ts_bench *b, const struct ts_nvml *nvml,
	struct ts_bench_cell *cells, guint count, guint want, GError **error)
{
	struct ts_gpu_series *series = g_new0(struct ts_gpu_series, count);
	guint there = 0;
	bool good = true;

	for (uint32_t round = 0; good && round < b->rounds; round++)
		for (guint i = 0; good && i < count; i++) {
			if (round == 0 ? there == want : !cells[i].there)
				continue;
			good = run_turn(x, b, round, &cells[i], &series[i], error);
			there += round == 0 && cells[i].there;
			if (good && cells[i].there)
				ts_nvml_read(nvml, &cells[i].clock_mhz, &cells[i].watts);
		}
	for (guint i = 0; i < count; i++) {
		if (good)
			summarise(&cells[i], &series[i]);
		ts_gpu_series_finish(&series[i]);
	}
	g_free(series);
	return good;
}

bool ts_bench_run(struct ts_gpu_gemm *x, struct ts_bench *b, GError **error)
{
	struct ts_nvml *nvml = ts_nvml_new();
	guint count = b->schedules->len;
	bool good = true;

	for (guint i = 0; good && i < b->shapes->len; i++) {
		good = run_shape(x, b, nvml, &b->cells[(gsize)i * count], count, count, error);
		if (!good)
			g_prefix_error(
				error, "%s: ", g_array_index(b->shapes, struct ts_shape, i).name);
	}
	ts_nvml_free(nvml);
	return good;
}

bool ts_bench_specs(const GArray *specs, guint want, double *ret_ms, GError **error)
{
	const struct ts_bench b = {.repeat = TS_BENCH_REPEAT, .rounds = TS_BENCH_ROUNDS};
	g_autofree struct ts_bench_cell *cells = g_new0(struct ts_bench_cell, specs->len);
	struct ts_settings settings, nothing = {0};
	struct ts_gpu_gemm x = {.settings = &settings, .repeat = TS_BENCH_REPEAT, .seed = 1};
	bool timed = false;
	bool good;

	if (!ts_settings_vary(&settings, &nothing, "", error))
		return false;
	for (guint i = 0; i < specs->len; i++)
		cells[i].spec = g_array_index(specs, struct ts_spec, i);
	good = ts_gpu_gemm_open(&x, false, error) &&
		run_shape(&x, &b, NULL, cells, specs->len, want, error);
	for (guint i = 0; i < specs->len; i++) {
		timed |= cells[i].there;
		ret_ms[i] = cells[i].ours.median_ms;
		ts_bench_cell_finish(&cells[i]);
	}
	if (good && !timed)
		good = ts_refuse(error, "there is no kernel for any of these plans");
	ts_gpu_gemm_close(&x);
	ts_settings_finish(&settings);
	return good;
}
