/* tilesim gpu gemm: a real GEMM by the plan, checked and timed; or a table of many. */
#include "sim/gpu.h"
#include "sim/gpu_sweep.h"
#include "sim/refuse.h"

enum { SHOWN_MAX = 8, REPEAT = 20 };

static int gemm_one(struct ts_gpu_gemm *x, GError **error)
{
	uint32_t count = x->repeat < 0 ? REPEAT : (uint32_t)x->repeat;
	g_autofree char *command = NULL;
	g_autofree char *report = NULL;
	struct ts_spec spec;
	struct ts_plan plan;
	struct ts_gpu_product r;
	bool sound;

	ts_axes_spec(&x->axes, 0, &spec);
	if (!ts_gpu_gemm_plan(x, &spec, &plan, error))
		return TS_EXIT_USAGE;
	if (!ts_gpu_gemm_run(x, &plan, x->seed, count, &r, error))
		return TS_EXIT_UNSOUND;
	sound = r.verdict.sound;
	command = ts_gpu_gemm_command_text(x, "gemm", &spec, x->seed);
	report = ts_gpu_gemm_report(x, &plan, &r, command);
	g_print("%s", report);
	g_free(r.verdict.fault);
	return sound ? TS_EXIT_OK : TS_EXIT_UNSOUND;
}

/* One of many. False where the GPU failed. */
static bool gemm_next(struct ts_gpu_sweep *s, struct ts_spec *spec, int64_t seed,
	uint64_t *failures, GError **error)
{
	struct ts_gpu_gemm *x = s->gemm;
	uint32_t launches = x->repeat < 0 ? 1 : (uint32_t)x->repeat;
	g_autofree char *command = NULL;
	g_autofree char *fault = NULL;
	struct ts_plan plan;

	/* A combination that has no plan is left out. */
	if (!ts_gpu_gemm_plan(x, spec, &plan, NULL))
		return true;
	command = ts_gpu_gemm_command_text(x, "gemm", spec, seed);
	if (!ts_gpu_sweep_run(s, spec, &plan, seed, launches, &fault, error)) {
		g_prefix_error(error, "%s: ", command);
		return false;
	}
	if (fault != NULL && (*failures)++ < SHOWN_MAX)
		g_printerr("FAILED       %s\nrepeat with  %s\n", fault, command);
	return true;
}

static void print_table(const struct ts_gpu_sweep *s)
{
	g_autofree char *text = NULL;

	if (s->gemm->format == TS_JSON) {
		JsonBuilder *b = json_builder_new();

		json_builder_begin_object(b);
		ts_gpu_sweep_json(s, b);
		json_builder_end_object(b);
		text = ts_json_text(b);
	} else {
		GString *out = g_string_new(NULL);

		ts_gpu_sweep_text(s, out);
		text = g_string_free(out, FALSE);
	}
	g_print("%s", text);
}

static int gemm_all(struct ts_gpu_gemm *x, GError **error)
{
	struct ts_gpu_sweep sweep;
	struct ts_gpu_tally sum;
	struct ts_spec spec;
	uint64_t failures = 0;
	bool good = true;

	ts_gpu_sweep_init(&sweep, x);
	for (uint64_t i = 0; good && i < x->axes.count; i++)
		if (ts_axes_spec(&x->axes, i, &spec))
			good = gemm_next(&sweep, &spec, (x->seed + (int64_t)i) % TS_COUNT_MAX,
				&failures, error);
	sum = ts_gpu_sweep_sum(&sweep);
	if (good)
		print_table(&sweep);
	ts_gpu_sweep_finish(&sweep);
	if (!good || failures > 0)
		return TS_EXIT_UNSOUND;
	if (sum.runs > 0)
		return TS_EXIT_OK;
	ts_refuse(error, "there is no kernel for any of these plans");
	return TS_EXIT_USAGE;
}

struct options {
	struct ts_gpu_gemm_options gemm;
	char *repeat, *check;
	gboolean cublas;
};

static bool read_options(struct ts_gpu_gemm *x, const struct options *o, GError **error)
{
	if (!ts_gpu_gemm_read(x, &o->gemm, error) ||
		!ts_gpu_gemm_read_repeat(x, o->repeat, 0, error) ||
		!ts_gpu_gemm_read_check(x, o->check, error))
		return false;
	if (o->cublas && x->form.gap != 0)
		return ts_refuse(
			error, "--cublas: goes without --gap %u between the rows", x->form.gap);
	return true;
}

static int gemm(struct ts_settings *settings, const struct options *o, GError **error)
{
	g_autoptr(GError) cause = NULL;
	struct ts_gpu_gemm x = {.settings = settings};
	int code = TS_EXIT_USAGE;

	if (!read_options(&x, o, error))
		return TS_EXIT_USAGE;
	if (ts_gpu_gemm_open(&x, o->cublas, &cause)) {
		if (x.axes.count == 1)
			code = gemm_one(&x, error);
		else if (o->cublas)
			ts_refuse(error,
				"--cublas goes with one plan; tilesim gpu bench times several");
		else
			code = gemm_all(&x, error);
	}
	ts_gpu_gemm_close(&x);
	if (cause == NULL)
		return code;
	code = ts_gpu_exit(cause);
	g_propagate_error(error, g_steal_pointer(&cause));
	return code;
}

int ts_gpu_gemm_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"repeat", 0, 0, G_OPTION_ARG_STRING, &o.repeat,
			"launches that are timed (default 20; of several plans 1)", "N"},
		{"check", 0, 0, G_OPTION_ARG_STRING, &o.check,
			"full (default) or sample: edges of tiles and some lines of a large C",
			"WHICH"},
		{"cublas", 0, 0, G_OPTION_ARG_NONE, &o.cublas,
			"time cuBLAS too, launch by launch in turn", NULL},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu gemm",
		"Computes C = A B with the policy inside the kernel: random inputs, every result\n"
		"checked. A and C are row-major; of batches and groups they have the rows of all, "
		"and B a\n"
		"matrix for each. The kernels of sm90 are for Hopper: blocks of 128x256x64, "
		"128x192x64,\n"
		"128x128x64, 128x64x64 or 64x128x64. Those of mma run on NVIDIA from sm_80 on, on "
		"AMD and\n"
		"on the CPU: blocks of 128x128x32 or 64x64x32. Both take bf16 or fp16, and items "
		"cut along K.\n"
		"Lists and ranges give a table of all plans.",
		entries);
	int code = TS_EXIT_USAGE;

	ts_gpu_gemm_entries(&o.gemm, context);
	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		ts_settings_rectangles(&settings, "the GEMM kernel", error)) {
		code = settings.help ? TS_EXIT_OK : gemm(&settings, &o, error);
	}
	ts_settings_finish(&settings);
	ts_gpu_gemm_options_finish(&o.gemm);
	g_free(o.repeat);
	g_free(o.check);
	return code;
}
