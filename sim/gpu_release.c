/* tilesim gpu release: the host asks for the CUs of a domain while the GEMM runs. */
#include "sim/gpu_release.h"

#include <string.h>

#include "sim/gpu.h"
#include "sim/refuse.h"

struct options {
	struct ts_gpu_gemm_options gemm;
	char *check;
};

static const char preset[] = "xcd1@30%";
static const double us_max = 1e9;

/* The time behind the @: 30%, or us. */
static bool parse_when(const char *text, struct ts_release_when *ret_when)
{
	bool percent = g_str_has_suffix(text, "%");
	g_autofree char *number = g_strndup(text, strlen(text) - (percent ? 1 : 0));

	ret_when->wanted = true;
	ret_when->by_time = !percent;
	return ts_parse_double(number, &ret_when->at) && ret_when->at >= 0 &&
		ret_when->at <= (percent ? 100 : us_max);
}

/* One of several: xcd1,xcd3@30%. */
static bool parse_one(struct ts_gpu_release *r, const char *text, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, "@", -1);
	g_auto(GStrv) names = g_strsplit(parts[0] == NULL ? "" : parts[0], ",", -1);
	struct ts_release_when when;
	int64_t domain;

	if (g_strv_length(parts) != 2 || names[0] == NULL || !parse_when(parts[1], &when))
		return ts_refuse(error,
			"--release %s: write XCDS@PERCENT%% of the items begun or XCDS@TIME in "
			"microseconds after the first, such as xcd1@30%% or xcd1,xcd3@200",
			text);
	for (size_t i = 0; names[i] != NULL; i++) {
		if (!g_str_has_prefix(names[i], "xcd") || !ts_parse_int(names[i] + 3, &domain) ||
			!ts_in_range(domain, 0, r->plan.domains - 1))
			return ts_refuse(error,
				"--release %s: '%s' is no XCD; the plan has xcd0 to xcd%u", text,
				names[i], r->plan.domains - 1);
		r->when[domain] = when;
	}
	return true;
}

/* Which domains, and is anybody left to do the work? */
static bool parse_release(struct ts_gpu_release *r, char *const *texts, GError **error)
{
	r->when = g_new0(struct ts_release_when, r->plan.domains);
	if (texts == NULL && !parse_one(r, preset, error))
		return false;
	for (size_t i = 0; texts != NULL && texts[i] != NULL; i++)
		if (!parse_one(r, texts[i], error))
			return false;
	/* Domains come round with the workers' numbers. */
	for (uint32_t d = 0; d < MIN(r->plan.domains, r->plan.workers); d++)
		if (!r->when[d].wanted)
			return true;
	return ts_refuse(error,
		"all %u XCDs that have workers are released, so that nobody would do the rest; "
		"leave one out, or use more --xcds or --workers",
		MIN(r->plan.domains, r->plan.workers));
}

/* Can the plan lose workers? */
static bool check_promise(const struct ts_plan *p, GError **error)
{
	struct ts_policy policy = ts_policy((enum ts_policy_id)p->policy);

	switch (policy.promise(p)) {
	case TS_NEEDS_ANY: return true;
	case TS_NEEDS_EACH_QUEUE:
		return ts_refuse(error,
			"--policy %s --mode %s: what is left in a released XCD's counter would be "
			"computed by nobody; use --mode steal or --mode global",
			policy.name, ts_mode_name((enum ts_mode)p->mode));
	case TS_NEEDS_ALL: break;
	}
	return ts_refuse(error,
		"--policy %s: its items are dealt out beforehand, so that those of a worker that "
		"leaves would be computed by nobody; use worksteal --mode steal or --mode global",
		policy.name);
}

/* Were all requests made in time? */
static bool check_asked(const struct ts_gpu_release *r, GError **error)
{
	for (uint32_t d = 0; d < r->run.domains; d++)
		if (r->when[d].wanted && !r->run.released[d].asked)
			return ts_refuse(error,
				"--release: XCD %u was to be asked %g %s, but all was over "
				"after %.1f us; ask earlier, or give it more work",
				d, r->when[d].at,
				r->when[d].by_time ? "us after the first item"
						   : "percent of the way",
				(double)r->run.end_ns / 1e3);
	return true;
}

static char *make_command(
	const struct ts_gpu_gemm *x, const struct ts_spec *spec, char *const *release)
{
	g_autofree char *command = ts_gpu_gemm_command_text(x, "release", spec, x->seed);
	GString *out = g_string_new(command);

	for (size_t i = 0; release != NULL && release[i] != NULL; i++)
		g_string_append_printf(out, " --release %s", release[i]);
	if (release == NULL)
		g_string_append_printf(out, " --release %s", preset);
	return g_string_free(out, FALSE);
}

static int release(struct ts_gpu_gemm *x, char *const *texts, GError **error)
{
	struct ts_gpu_release r = {.gemm = x};
	struct ts_spec spec;
	int code = TS_EXIT_USAGE;

	if (x->axes.count != 1) {
		ts_refuse(
			error, "gpu release takes one plan, not %" G_GUINT64_FORMAT, x->axes.count);
		return TS_EXIT_USAGE;
	}
	ts_axes_spec(&x->axes, 0, &spec);
	if (ts_gpu_gemm_plan(x, &spec, &r.plan, error) && check_promise(&r.plan, error) &&
		parse_release(&r, texts, error)) {
		if (!ts_gpu_release_run(&r, error)) {
			code = TS_EXIT_UNSOUND;
		} else if (r.verdict.sound && !check_asked(&r, error)) {
			code = TS_EXIT_USAGE;
		} else {
			g_autofree char *command = make_command(x, &spec, texts);
			g_autofree char *text = ts_gpu_release_report(&r, command);

			g_print("%s", text);
			code = r.verdict.sound ? TS_EXIT_OK : TS_EXIT_UNSOUND;
		}
	}
	ts_gpu_release_finish(&r);
	return code;
}

/* What a release needs where nothing else was said. */
static void add_presets(struct ts_gpu_gemm *x)
{
	char **axes = x->settings->axes;

	if (x->kind == NULL)
		x->kind = &ts_gemm_mma;
	if (axes[TS_AXIS_POLICY] == NULL)
		axes[TS_AXIS_POLICY] = g_strdup("worksteal");
	if (axes[TS_AXIS_XCDS] == NULL)
		axes[TS_AXIS_XCDS] = g_strdup("8");
}

static int run(struct ts_settings *settings, const struct options *o, GError **error)
{
	g_autoptr(GError) cause = NULL;
	struct ts_gpu_gemm x = {.settings = settings};
	char **texts = settings->release;
	int code = TS_EXIT_USAGE;
	bool good;

	/* Here it is no option of the simulator's. */
	settings->release = NULL;
	good = ts_gpu_gemm_read(&x, &o->gemm, error) && ts_gpu_gemm_read_check(&x, o->check, error);
	add_presets(&x);
	if (good && ts_gpu_gemm_open(&x, false, &cause))
		code = release(&x, texts, error);
	ts_gpu_gemm_close(&x);
	settings->release = texts;
	if (cause == NULL)
		return code;
	code = ts_gpu_exit(cause);
	g_propagate_error(error, g_steal_pointer(&cause));
	return code;
}

int ts_gpu_release_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"check", 0, 0, G_OPTION_ARG_STRING, &o.check,
			"full (default) or sample: edges of tiles and some lines of a large C",
			"WHICH"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu release",
		"Multiplies matrices, and asks for the CUs of XCDs on the way: their workers "
		"leave\n"
		"between items and the others do the rest. Shows how long that takes, and checks "
		"the\n"
		"product and, of --kernel mma (default), the record of every item. --release "
		"XCDS@PERCENT% of the items, or\n"
		"XCDS@TIME in us after the first (default xcd1@30%), and may be repeated.",
		entries);
	int code = TS_EXIT_USAGE;

	ts_gpu_gemm_entries(&o.gemm, context);
	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		ts_settings_one_problem(&settings, "gpu release", error))
		code = settings.help ? TS_EXIT_OK : run(&settings, &o, error);
	ts_settings_finish(&settings);
	ts_gpu_gemm_options_finish(&o.gemm);
	g_free(o.check);
	return code;
}
