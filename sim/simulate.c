/* tilesim: simulate one schedule, verify it, and say where the time goes. */
#include "sim/command.h"
#include "sim/records.h"
#include "sim/refuse.h"
#include "sim/report.h"

struct options {
	char *format, *records, *trace, *min_useful, *max_panels;
};

/* For CI: a schedule that is sound but worse than what was asked for fails as an unsound one does.
 */
static bool good_enough(const struct ts_run *run, double min_useful, double max_panels)
{
	double useful = 100 * run->summary.useful;
	double panels = ts_locality_panels_per_wave(&run->summary.locality);

	if (useful < min_useful)
		g_printerr("tilesim: %.1f %% of the places' time is useful, --min-useful asks for "
			   "%g\n",
			useful, min_useful);
	if (panels > max_panels)
		g_printerr("tilesim: %.1f operand panels per wave, --max-panels allows %g\n",
			panels, max_panels);
	return useful >= min_useful && panels <= max_panels;
}

static bool read_limit(
	const char *name, const char *text, double to, double *ret_limit, GError **error)
{
	double value;

	if (text == NULL)
		return true;
	if (!ts_parse_double(text, &value) || value < 0 || value > to)
		return ts_refuse(error, "--%s %s: must be a number from 0 to %g", name, text, to);
	*ret_limit = value;
	return true;
}

static int simulate(const struct ts_settings *settings, const struct options *o, GError **error)
{
	g_autofree char *command = NULL;
	g_autofree char *report = NULL;
	struct ts_device *device;
	enum ts_format format;
	struct ts_records records;
	struct ts_sink sink;
	struct ts_spec spec;
	struct ts_run run = {0};
	double min_useful = 0, max_panels = 1e18;
	bool good;
	int code = TS_EXIT_USAGE;

	if (!ts_format_parse(o->format, &format, error) ||
		!read_limit("min-useful", o->min_useful, 100, &min_useful, error) ||
		!read_limit("max-panels", o->max_panels, 1e18, &max_panels, error))
		return TS_EXIT_USAGE;
	device = ts_settings_device(settings, error);
	if (device == NULL)
		return TS_EXIT_USAGE;
	good = ts_settings_spec(settings, device, &spec, error);
	ts_device_free(device);
	if (good && ts_run_init(&run, settings, &spec, error) &&
		ts_records_open(&records, &run.plan, &run.machine, o->records, o->trace, error)) {
		sink = ts_records_sink(&records);
		good = ts_run_simulate(&run, settings, &sink, error);
		good = ts_records_close(&records, good, error) && good;
		if (good) {
			command = ts_settings_command(settings, "", &run.spec);
			report = ts_report(&run, format, command);
			g_print("%s", report);
			code = run.sound && good_enough(&run, min_useful, max_panels)
				? TS_EXIT_OK
				: TS_EXIT_UNSOUND;
		}
	}
	ts_run_finish(&run);
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
		{"min-useful", 0, 0, G_OPTION_ARG_STRING, &o.min_useful,
			"exit with 1 if less of the places' time is useful", "PERCENT"},
		{"max-panels", 0, 0, G_OPTION_ARG_STRING, &o.max_panels,
			"exit with 1 if a wave touches more operand panels in the mean", "N"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "",
		"Simulates one schedule, verifies it, and says where the time goes.\n"
		"`tilesim help` lists the other commands.",
		entries);
	int code = TS_EXIT_USAGE;

	if (ts_settings_parse(&settings, context, argc, argv, error))
		code = settings.help ? TS_EXIT_OK : simulate(&settings, &o, error);
	ts_settings_finish(&settings);
	g_free(o.format);
	g_free(o.records);
	g_free(o.trace);
	g_free(o.min_useful);
	g_free(o.max_panels);
	return code;
}
