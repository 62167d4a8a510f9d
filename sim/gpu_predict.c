/* tilesim gpu predict: how close simulated times come to measured ones. */
#include "sim/gpu_predict.h"

#include <string.h>

#include "sim/gpu.h"
#include "sim/gpu_measured.h"
#include "sim/plot_script.h"
#include "sim/refuse.h"

static const char default_shapes[] = "prediction";

struct options {
	char *format, *plot;
	gboolean device_clock;
};

/* The plan is each run's own, and nothing disturbs it. */
static bool check_settings(const struct ts_settings *s, GError **error)
{
	const struct {
		const char *name;
		bool given;
	} others[] = {{"policy-file", s->policy_file != NULL}, {"mask", s->mask != NULL},
		{"slow", s->slow != NULL}, {"hold", s->hold != NULL},
		{"release", s->release != NULL}, {"jitter", s->jitter != NULL}};

	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (s->axes[i] != NULL)
			return ts_refuse(error,
				"--%s: gpu predict simulates the plans that were measured; leave "
				"it "
				"out",
				ts_axis_name(i));
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		if (others[i].given)
			return ts_refuse(error,
				"--%s: gpu predict simulates what was measured; leave it out",
				others[i].name);
	return true;
}

static int predict(struct ts_settings *s, const struct options *o, enum ts_format format,
	const struct ts_timings *t, GError **error)
{
	struct ts_device *d = ts_gpu_measured_device(t, s->device, error);
	g_autoptr(GArray) predictions = NULL;
	g_autofree char *fitted_to = NULL;
	g_autofree char *text = NULL;
	struct ts_predict_report r = {.timings = t, .device = d};
	enum ts_memory memory;

	if (d == NULL)
		return TS_EXIT_USAGE;
	if (s->device == NULL)
		s->device = g_strdup(d->id);
	ts_settings_prefer_calibrated(s, d);
	r.measured_clock = !o->device_clock && s->clock == NULL;
	if (ts_settings_memory(s, &memory, error))
		predictions = ts_predict(s, t, r.measured_clock, error);
	if (predictions != NULL) {
		if (memory == TS_MEMORY_CALIBRATED)
			fitted_to = g_key_file_get_string(d->file, "calibrated", "source", NULL);
		r.predictions = predictions;
		r.accuracy = ts_accuracy_of(predictions);
		r.costs = ts_memory_name(memory);
		r.fitted_to = fitted_to;
		text = ts_predict_text(&r, format);
		g_print("%s", text);
	}
	if (predictions != NULL && o->plot != NULL && !ts_predict_plot(&r, o->plot, error))
		text = (g_free(text), NULL);
	ts_device_free(d);
	return text != NULL ? TS_EXIT_OK : TS_EXIT_USAGE;
}

int ts_gpu_predict_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"device-clock", 0, 0, G_OPTION_ARG_NONE, &o.device_clock,
			"simulate all at the device file's clock (default: each at its measured "
			"clock)",
			NULL},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o.format, "text (default), json or csv",
			"FORMAT"},
		{"plot", 0, 0, G_OPTION_ARG_FILENAME, &o.plot,
			"draw simulated over measured times, as .png or .svg", "FILE"},
		{0}};
	struct ts_settings settings;
	struct ts_gpu_measured measured;
	struct ts_timings timings = {0};
	enum ts_format format = TS_TEXT;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu predict",
		"Sets simulated beside measured times of the GEMM, of a file or of the GPU that is "
		"there:\nerrors, how often the faster of two schedules is told, and how good the "
		"simulation's\nchoice is. A device that is calibrated is simulated with --memory "
		"calibrated.",
		entries);
	int code = TS_EXIT_USAGE;

	ts_gpu_measured_add(&measured, context);
	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		(settings.help ||
			(ts_format_parse(o.format, &format, error) &&
				ts_plot_script_suits(o.plot, error) &&
				check_settings(&settings, error))))
		code = settings.help
			? TS_EXIT_OK
			: ts_gpu_measured_get(&measured, default_shapes, "", &timings, error);
	if (code == TS_EXIT_OK && !settings.help)
		code = predict(&settings, &o, format, &timings, error);
	ts_timings_finish(&timings);
	ts_gpu_measured_finish(&measured);
	ts_settings_finish(&settings);
	g_free(o.format);
	g_free(o.plot);
	return code;
}
