/* Options: any words are refused, or make requests; each plan's command, as printed for repeating
 * it, makes the same request again. One word a line; a first word `roles` asks for that command's
 * options. */
#include <locale.h>
#include <string.h>

#include "sim/machine.h"
#include "sim/request.h"
#include "sim/role_options.h"
#include "sim/settings.h"
#include "tests/fuzz/target.h"
#include "tests/vectors/read.h"

enum { SPECS = 8, UNITS = 4096 };

static void quiet(const char *text)
{
	(void)text;
}

/* Words that name files are left out: they would be read, or given to a compiler. */
static bool names_file(const char *word)
{
	return strchr(word, '/') != NULL || strstr(word, "policy-file") != NULL ||
		g_str_has_suffix(word, ".device") || strstr(word, ".csv") != NULL;
}

/* Parses argv, of which the option parser takes out what it understands. */
static bool parse(struct ts_settings *s, char **argv, GError **error)
{
	g_autoptr(GOptionContext) context = ts_settings_context(s, "", "", NULL);
	guint argc = g_strv_length(argv);
	g_autofree char **words = g_memdup2(argv, (argc + 1) * sizeof *argv);

	return ts_settings_parse(s, context, (int)argc, words, error);
}

static void check_command(const struct ts_settings *s, const struct ts_spec *spec)
{
	g_autofree char *command = ts_settings_command(s, "", spec);
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	struct ts_settings again;
	struct ts_device *device;
	struct ts_spec same;
	g_autofree char *wanted = NULL;
	g_autofree char *got = NULL;

	g_shell_parse_argv(command, NULL, &argv, &error);
	g_assert_no_error(error);
	parse(&again, argv, &error);
	g_assert_no_error(error);
	device = ts_settings_device(&again, &error);
	g_assert_no_error(error);
	ts_settings_spec(&again, device, &same, &error);
	g_assert_no_error(error);
	/* Where a policy does not use them, these are not repeated. */
	if (spec->policy != TS_WORKSTEAL || spec->mode != TS_HIERARCHICAL)
		same.local_percent = spec->local_percent;
	wanted = ts_request_words(spec);
	got = ts_request_words(&same);
	g_assert_cmpstr(got, ==, wanted);
	ts_device_free(device);
	ts_settings_finish(&again);
}

static bool refused(bool good, GError **error)
{
	if (!good)
		ts_fuzz_refused(g_steal_pointer(error));
	return !good;
}

/* The rest of the settings. False if one of them is refused. */
static bool check_others(const struct ts_settings *s, const struct ts_device *d)
{
	GError *error = NULL;
	struct ts_scenario scenario;
	enum ts_dtype dtype;
	enum ts_edge edge;
	bool hardware;

	if (refused(ts_settings_dtype(s, &dtype, &error), &error) ||
		refused(ts_settings_edge(s, &edge, &error), &error) ||
		refused(ts_settings_hardware_domain(s, &hardware, &error), &error))
		return false;
	/* Of large devices not, since every unit is looked at. */
	if (d->units > UNITS || refused(ts_settings_scenario(s, d, &scenario, &error), &error))
		return false;
	ts_scenario_finish(&scenario);
	return true;
}

static void check_spec(const struct ts_settings *s, const struct ts_device *d,
	const struct ts_axes *axes, bool repeats, struct ts_spec *spec)
{
	GError *error = NULL;
	struct ts_plan plan;
	struct ts_group_room room = {0};
	struct ts_spec roomy;

	if (axes->default_workers && spec->cluster_m >= 1 && spec->cluster_n >= 1 &&
		spec->cluster_m <= 1024 && spec->cluster_n <= 1024)
		spec->workers = MAX(
			1, ts_machine_residency(d, (uint32_t)(spec->cluster_m * spec->cluster_n)));
	roomy = ts_group_room_give(&room, spec);
	if (ts_request_plan(&plan, &roomy, &error)) {
		g_free(ts_request_plan_text(&plan));
		g_free(ts_request_policy_text(spec));
		if (repeats)
			check_command(s, spec);
	} else {
		ts_fuzz_refused(error);
	}
	ts_group_room_finish(&room);
}

static void check_axes(
	const struct ts_settings *s, const struct ts_device *d, const struct ts_axes *axes)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	/* What repeats a request repeats all other settings too, for one number of XCDs. */
	bool repeats = check_others(s, d) && axes->sizes[TS_AXIS_XCDS] == 1;
	GError *error = NULL;
	struct ts_spec spec;

	refused(ts_settings_spec(s, d, &spec, &error), &error);

	for (uint64_t i = 0; i < SPECS; i++) {
		uint64_t index = i < SPECS / 2 ? i : axes->count - 1 - (i - SPECS / 2);

		if (index >= axes->count || axes->count == UINT64_MAX)
			continue;
		if (ts_axes_spec(axes, index, &spec)) {
			check_spec(s, d, axes, repeats, &spec);
			continue;
		}
		/* All that is skipped repeats. */
		g_assert_cmpuint(ts_axes_skip(axes, index), >, index);
		g_assert_cmpuint(ts_axes_skip(axes, index), <=, axes->count);
		for (uint64_t j = index; j < MIN(index + SPECS, ts_axes_skip(axes, index)); j++)
			g_assert_false(ts_axes_spec(axes, j, &spec));
	}
	for (int i = 0; i < SPECS; i++) {
		ts_axes_draw(axes, random, &spec);
		check_spec(s, d, axes, repeats, &spec);
	}
	for (enum ts_axis axis = TS_AXIS_WORKERS; axis < TS_AXES; axis++)
		ts_axes_have(axes, axis, 1);
}

static void check_settings(char **argv)
{
	struct ts_settings s;
	struct ts_device *d = NULL;
	struct ts_axes axes;
	GError *error = NULL;

	if (parse(&s, argv, &error) && !s.help)
		d = ts_settings_device(&s, &error);
	if (d != NULL && ts_settings_axes(&s, d, &axes, &error)) {
		check_axes(&s, d, &axes);
		ts_axes_finish(&axes);
	} else if (error != NULL || !s.help) {
		ts_fuzz_refused(error);
	}
	ts_device_free(d);
	ts_settings_finish(&s);
}

static void check_roles(char **argv)
{
	struct ts_role_options o;
	struct ts_role_models models;
	GError *error = NULL;
	g_autoptr(GOptionContext) context = ts_role_options_context(&o);
	guint argc = g_strv_length(argv);
	g_autofree char **rest = g_memdup2(argv, (argc + 1) * sizeof *argv);
	char **words = rest;
	int count = (int)argc;

	if (!g_option_context_parse(context, &count, &words, &error) ||
		!ts_role_models_init(&models, &o, &error)) {
		ts_fuzz_refused(error);
		ts_role_options_finish(&o);
		return;
	}
	for (uint64_t i = 0; i < models.count && i < SPECS; i++) {
		struct ts_roles m = ts_role_models_at(&models, i);

		g_assert_true(m.stages >= 1 && m.stages <= TS_STAGES_MAX);
		g_assert_true(m.ctas >= 1 && m.ctas <= TS_CTAS_MAX);
		g_assert_true(m.consumers >= 1 && m.consumers <= TS_CONSUMERS_MAX);
		g_assert_true(m.accumulators <= TS_STAGES_MAX && m.slots <= TS_STAGES_MAX);
		g_assert_cmpuint(m.items, <=, TS_ROLE_ITEMS_MAX);
		for (uint32_t item = 0; item < m.items; item++)
			g_assert_cmpuint(m.k[item], <=, TS_ROLE_K_MAX);
	}
	ts_role_models_finish(&models);
	ts_role_options_finish(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = ts_fuzz_text(data, size);
	g_autofree char *all = g_strconcat("tilesim\n", text, NULL);
	g_auto(GStrv) argv = g_strsplit(all, "\n", -1);

	/* As in main(). */
	setlocale(LC_CTYPE, "C.UTF-8");
	g_set_print_handler(quiet);
	for (size_t i = 1; argv[i] != NULL; i++)
		if (names_file(argv[i]))
			return 0;
	if (g_strcmp0(argv[1], "roles") == 0)
		check_roles(argv + 1);
	else
		check_settings(argv);
	return 0;
}
