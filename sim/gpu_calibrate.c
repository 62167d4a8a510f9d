/* tilesim gpu calibrate: the costs of a device's kernels from their times. */
#include <string.h>

#include "sim/fit.h"
#include "sim/gpu.h"
#include "sim/gpu_measured.h"
#include "sim/output.h"
#include "sim/refuse.h"

/* Each part of the costs has schedules that it tells apart. */
static const char default_shapes[] = "calibration",
		  schedules[] = "--policy persistent,worksteal,stream-k,split-k --splits 2,4";

/* Where the figures are from. */
static char *make_source(const struct ts_fit *fit, const struct ts_timings *t)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *date = g_date_time_format(now, "%Y-%m-%d");
	g_autofree char *file = g_path_get_basename(t->source);

	return g_strdup_printf("fitted on %s to %u times of %u shapes, measured on one %s (%s)",
		date, fit->runs, fit->shapes, t->gpu != NULL ? t->gpu : "GPU of unknown name",
		file);
}

static char *make_residuals(const struct ts_fit *fit)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out,
		"of the fitted times themselves: %.1f %% in the mean, %.1f %% at most",
		100 * fit->mean_error, 100 * fit->worst_error);
	for (size_t i = 0; i < ts_calibration_key_count; i++)
		if (fit->guessed >> i & 1)
			g_string_append_printf(out, "; %s is a guess: none of them depends on it",
				ts_calibration_keys[i].name);
	return g_string_free(out, FALSE);
}

static void report(const struct ts_fit *fit, const struct ts_device *d, const char *source,
	const char *residuals)
{
	struct ts_calibration c = fit->calibration;

	g_print("device       %s\nsource       %s\nresiduals    %s\nrounds       %u\n\n", d->name,
		source, residuals, fit->rounds);
	g_print("%-19s %g\n", "clock_mhz", c.clock_mhz);
	for (size_t i = 0; i < ts_calibration_key_count; i++)
		g_print("%-19s %.5g\n", ts_calibration_keys[i].name, *ts_calibration_at(&c, i));
}

static bool write_file(struct ts_device *d, const char *path, GError **error)
{
	g_autofree char *text = g_key_file_to_data(d->file, NULL, NULL);
	struct ts_output o = {0};

	if (!ts_output_open(&o, path, error))
		return false;
	fputs(text, o.file);
	return ts_output_commit(&o, error);
}

static int calibrate(
	const struct ts_timings *t, const char *device, const char *path, GError **error)
{
	struct ts_device *d = ts_gpu_measured_device(t, device, error);
	g_autofree char *source = NULL;
	g_autofree char *residuals = NULL;
	struct ts_fit fit;
	bool good = d != NULL && ts_fit_timings(&fit, d, t, error);

	if (good) {
		source = make_source(&fit, t);
		residuals = make_residuals(&fit);
		ts_calibration_write(&fit.calibration, d->file, source, residuals);
		report(&fit, d, source, residuals);
		good = path == NULL || write_file(d, path, error);
	}
	if (good && path != NULL)
		g_print("\nwritten      %s\n", path);
	ts_device_free(d);
	return good ? TS_EXIT_OK : TS_EXIT_USAGE;
}

int ts_gpu_calibrate_command(int argc, char **argv, GError **error)
{
	g_autofree char *path = NULL;
	g_autofree char *device = NULL;
	g_autoptr(GError) cause = NULL;
	struct ts_gpu_measured measured;
	struct ts_timings timings = {0};
	const GOptionEntry entries[] = {
		{"output", 'o', 0, G_OPTION_ARG_FILENAME, &path,
			"write the device with its calibration, for --device "
			"FILE",
			"FILE"},
		{"device", 0, 0, G_OPTION_ARG_STRING, &device,
			"built-in device or path of a .device file (default: the built-in one of "
			"the GPU's name)",
			"NAME"},
		{0}};
	g_autoptr(GOptionContext) context = g_option_context_new("- gpu calibrate");
	int code = TS_EXIT_USAGE;

	g_option_context_set_summary(context,
		"Fits the costs of launches, items and k iterations to times of the GEMM on the "
		"GPU "
		"that\nis there, or of a file, so that simulations with --memory calibrated take "
		"as long.");
	g_option_context_add_main_entries(context, entries, NULL);
	ts_gpu_measured_add(&measured, context);
	if (!g_option_context_parse(context, &argc, &argv, &cause))
		ts_refuse(error, "%s; --help lists the options", cause->message);
	else if (argc > 1)
		ts_refuse(error, "'%s' is not an option; --help lists them", argv[1]);
	else if (ts_output_possible(path, error))
		code = ts_gpu_measured_get(&measured, default_shapes, schedules, &timings, error);
	if (code == TS_EXIT_OK)
		code = calibrate(&timings, device, path, error);
	ts_timings_finish(&timings);
	ts_gpu_measured_finish(&measured);
	return code;
}
