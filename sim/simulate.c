/* tilesim: simulate one schedule, verify it, and say where the time goes. */
#include <string.h>

#include "sim/command.h"
#include "sim/goals.h"
#include "sim/records.h"
#include "sim/refuse.h"
#include "sim/report.h"

struct options {
	char *format, *records, *trace, *no_slower;
	struct ts_goals goals;
};

/* The schedule of --no-slower-than. */
struct reference {
	uint64_t makespan;
	char *command;
};

static bool run_reference(const struct ts_settings *settings, struct ts_device *device,
	struct reference *ret_reference, GError **error)
{
	g_autofree char *finding = NULL;
	struct ts_run run = {0};
	struct ts_spec spec;
	bool good = ts_settings_spec(settings, device, &spec, error) &&
		ts_run_init(&run, settings, &spec, error) &&
		ts_run_simulate(&run, settings, NULL, error);

	if (good && !run.sound) {
		finding = ts_finding_text(&run.coverage.finding, &run.plan);
		good = ts_refuse(
			error, "%s: %s", ts_fault_name(run.coverage.finding.fault), finding);
	}
	if (good) {
		ret_reference->makespan = ts_run_end(&run);
		ret_reference->command = ts_settings_command(settings, "", &run.spec);
	}
	ts_run_finish(&run);
	return good;
}

/* Simulates the same as `base` but for the options in `words`. */
static bool find_reference(const struct ts_settings *base, const char *words,
	struct reference *ret_reference, GError **error)
{
	struct ts_settings settings;
	struct ts_device *device = NULL;
	bool good;

	if (strspn(words, " \t\n") == strlen(words))
		return ts_refuse(error,
			"--no-slower-than '%s': nothing is slower than itself; give options, such "
			"as '--policy persistent'",
			words);
	good = ts_settings_vary(&settings, base, words, error);
	if (good)
		device = ts_settings_device(&settings, error);
	good = device != NULL && run_reference(&settings, device, ret_reference, error);
	ts_device_free(device);
	ts_settings_finish(&settings);
	if (!good)
		g_prefix_error(error, "--no-slower-than: ");
	return good;
}

/* The command that repeats the run and asks for the same. The reference is written out, since what
 * is a default in the run would not be one in its command. Free with g_free(). */
static char *command_text(const struct ts_run *run, const struct ts_settings *settings,
	const struct options *o, const struct reference *reference)
{
	g_autofree char *command = ts_settings_command(settings, "", &run->spec);
	g_autofree char *quoted = NULL;
	GString *out = g_string_new(command);

	ts_goals_options(&o->goals, out);
	if (o->no_slower != NULL) {
		quoted = g_shell_quote(reference->command + strlen("tilesim "));
		g_string_append_printf(out, " --no-slower-than %s", quoted);
	}
	return g_string_free(out, FALSE);
}

/* For CI: a schedule that is sound but worse than what was asked for fails as an unsound one does.
 * Tells of each goal that is missed; `reference` is NULL where there is none. */
static bool good_enough(const struct ts_run *run, const struct options *o,
	const struct reference *reference, const char *command)
{
	struct ts_measured had = {
		&run->summary.balance, &run->summary.locality, run->summary.useful};
	uint64_t makespan = ts_run_end(run);
	bool good = true;

	for (int i = 0; i < TS_GOALS; i++) {
		g_autofree char *text = ts_goals_missed(&o->goals, (enum ts_goal)i, &had);

		if (text == NULL)
			continue;
		g_printerr("tilesim: %s: %s; repeat with  %s\n", ts_goal_name((enum ts_goal)i),
			text, command);
		good = false;
	}
	if (o->no_slower != NULL && makespan > reference->makespan) {
		g_autofree char *took = ts_time_text(makespan);
		g_autofree char *other = ts_time_text(reference->makespan);

		g_printerr(
			"tilesim: slower: %s, %.2f times as long as the %s of '%s'; repeat with  "
			"%s\n",
			took, (double)makespan / (double)MAX(reference->makespan, 1), other,
			o->no_slower, command);
		good = false;
	}
	return good;
}

/* The run itself, once the reference is there. */
static int simulate_run(const struct ts_settings *settings, const struct options *o,
	const struct ts_spec *spec, const struct reference *reference, GError **error)
{
	g_autofree char *command = NULL;
	g_autofree char *report = NULL;
	enum ts_format format;
	struct ts_records records;
	struct ts_sink sink;
	struct ts_run run = {0};
	int code = TS_EXIT_USAGE;

	if (ts_format_parse(o->format, &format, error) &&
		ts_run_init(&run, settings, spec, error) &&
		ts_records_open(&records, &run.plan, &run.machine, o->records, o->trace, error)) {
		bool good;

		run.shows_progress = true;
		sink = ts_records_sink(&records);
		good = ts_run_simulate(&run, settings, &sink, error);
		good = ts_records_close(&records, good, error) && good;
		if (good) {
			command = command_text(&run, settings, o, reference);
			report = ts_report(&run, format, command);
			g_print("%s", report);
			code = run.sound && good_enough(&run, o, reference, command)
				? TS_EXIT_OK
				: TS_EXIT_UNSOUND;
		}
	}
	ts_run_finish(&run);
	return code;
}

static int simulate(const struct ts_settings *settings, struct options *o, GError **error)
{
	struct ts_device *device;
	struct reference reference = {0};
	struct ts_spec spec;
	bool good;
	int code = TS_EXIT_USAGE;

	if (!ts_goals_read(&o->goals, error))
		return TS_EXIT_USAGE;
	device = ts_settings_device(settings, error);
	if (device == NULL)
		return TS_EXIT_USAGE;
	good = ts_settings_spec(settings, device, &spec, error);
	ts_device_free(device);
	if (good && o->no_slower != NULL)
		good = find_reference(settings, o->no_slower, &reference, error);
	if (good)
		code = simulate_run(settings, o, &spec, &reference, error);
	g_free(reference.command);
	return code;
}

int ts_simulate_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {{"format", 0, 0, G_OPTION_ARG_STRING, &o.format,
						"text (default), json or csv", "FORMAT"},
		{"records", 0, 0, G_OPTION_ARG_FILENAME, &o.records, "write one CSV line per item",
			"FILE"},
		{"trace", 0, 0, G_OPTION_ARG_FILENAME, &o.trace,
			"write a Chrome trace for ui.perfetto.dev", "FILE"},
		{"no-slower-than", 0, 0, G_OPTION_ARG_STRING, &o.no_slower,
			"exit with 1 if the run takes longer than with these options in place of "
			"its own, such as '--policy persistent --block 128x128x64'",
			"OPTIONS"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "",
		"Simulates one schedule, verifies it, and says where the time goes.\n"
		"`tilesim help` lists the other commands.",
		entries);
	int code = TS_EXIT_USAGE;

	ts_goals_add(&o.goals, context, true);
	if (ts_settings_parse(&settings, context, argc, argv, error))
		code = settings.help ? TS_EXIT_OK : simulate(&settings, &o, error);
	ts_settings_finish(&settings);
	ts_goals_finish(&o.goals);
	g_free(o.format);
	g_free(o.records);
	g_free(o.trace);
	g_free(o.no_slower);
	return code;
}
