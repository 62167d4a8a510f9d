/* tilesim tune: the best configuration of a shape, by simulation. */
#include "sim/tune.h"

#include <stdlib.h>
#include <string.h>

#include "sim/gpu.h"
#include "sim/gpu_bench.h"
#include "sim/parallel.h"
#include "sim/refuse.h"
#include "sim/request.h"

/* So that a slip does not simulate for hours; and how many go on to be simulated with caches. */
enum { CONFIGURATIONS_MAX = 20000, FINALISTS = 6, TOP = 10 };

struct options {
	char *format, *shapes, *top, *jobs, *measure;
	char **sizes;
};

struct search {
	const struct ts_settings *settings;
	GArray *all; /* struct ts_tuned */
};

/* The product of the settings' axes, for one shape. */
static bool list(struct search *s, const struct ts_settings *settings,
	const struct ts_device *device, const struct ts_shape *shape, GError **error)
{
	struct ts_axes axes;
	struct ts_tuned t = {0};
	bool good;

	if (!ts_settings_axes(settings, device, &axes, error))
		return false;
	good = axes.count <= CONFIGURATIONS_MAX ||
		ts_refuse(error,
			"%" G_GUINT64_FORMAT
			" configurations: tune tries up to %d a shape; give fewer values",
			axes.count, CONFIGURATIONS_MAX);
	for (uint64_t i = 0; good && i < axes.count; i++) {
		if (!ts_axes_spec(&axes, i, &t.spec))
			continue;
		/* An alias may say so. */
		if (t.spec.shape != TS_RECTANGLE)
			good = ts_refuse(error,
				"--policy: a schedule of the shape %s is among them; tune has one "
				"rectangle, so leave it out",
				ts_shape_name(t.spec.shape));
		t.spec.m = shape->m;
		t.spec.n = shape->n;
		t.spec.k = shape->k;
		if (axes.default_workers)
			t.spec.workers = 0;
		g_array_append_val(s->all, t);
	}
	ts_axes_finish(&axes);
	return good;
}

/* Orders and remaps make no difference to a roofline. With caches they do: the best by the roofline
 * are tried in several, where the user named none. */
static bool add_orders(struct search *s, const struct ts_settings *given,
	const struct ts_device *device, const struct ts_shape *shape, GError **error)
{
	static char orders[] = "grouped-m,grouped-n,row,column", remaps[] = "none,chiplet";
	struct ts_settings several = *given;
	struct search product = {.all = g_array_new(FALSE, FALSE, sizeof(struct ts_tuned))};
	guint finalists = MIN(s->all->len, FINALISTS);
	bool good;

	memset(several.axes, 0, sizeof several.axes);
	several.axes[TS_AXIS_ORDER] = orders;
	several.axes[TS_AXIS_REMAP] = device->xcds > 1 ? remaps : NULL;
	good = list(&product, &several, device, shape, error);
	g_array_set_size(s->all, finalists);
	for (guint i = 0; good && i < finalists; i++)
		for (guint j = 0; j < product.all->len; j++) {
			const struct ts_spec *order =
				&g_array_index(product.all, struct ts_tuned, j).spec;
			struct ts_tuned t = g_array_index(s->all, struct ts_tuned, i);

			t.spec.order = order->order;
			t.spec.remap = order->remap;
			g_array_append_val(s->all, t);
		}
	g_array_remove_range(s->all, 0, finalists);
	g_array_unref(product.all);
	return good;
}

static bool search_shape(struct search *s, const struct ts_device *device,
	const struct ts_shape *shape, unsigned threads, guint want, GError **error)
{
	const struct ts_settings *given = s->settings;
	struct ts_settings roofline = *given;
	enum ts_memory memory;
	bool ordered = given->axes[TS_AXIS_ORDER] != NULL || given->axes[TS_AXIS_REMAP] != NULL ||
		given->axes[TS_AXIS_WIDTH] != NULL;

	roofline.memory = NULL;
	if (!ts_settings_memory(given, &memory, error) || !list(s, given, device, shape, error))
		return false;
	if (memory == TS_MEMORY_CACHES) {
		ts_tune_search(s->all, &roofline, threads, FINALISTS);
		if (!ordered && !add_orders(s, given, device, shape, error))
			return false;
		g_array_set_size(s->all, ordered ? MIN(s->all->len, FINALISTS) : s->all->len);
	}
	ts_tune_search(s->all, given, threads, want);
	return true;
}

static bool read_number(
	const char *name, const char *text, int64_t to, int64_t *ret, GError **error)
{
	if (text == NULL || (ts_parse_int(text, ret) && ts_in_range(*ret, 1, to)))
		return true;
	return ts_refuse(error, "--%s %s: must be a whole number from 1 to %" G_GINT64_FORMAT, name,
		text, to);
}

/* The one shape of --m, --n and --k, or those of a file. */
static GArray *read_shapes(const struct ts_settings *settings, const struct ts_device *device,
	const char *file, GError **error)
{
	struct ts_settings sizes = *settings;
	struct ts_spec spec;
	GArray *shapes;
	bool given = false;

	memset(sizes.axes, 0, sizeof sizes.axes);
	for (enum ts_axis i = TS_AXIS_M; i <= TS_AXIS_K; i++) {
		sizes.axes[i] = settings->axes[i];
		given |= settings->axes[i] != NULL;
	}
	if (file != NULL && given) {
		ts_refuse(error, "--shapes %s: the sizes come from there; leave out M, N and K",
			file);
		return NULL;
	}
	if (file != NULL) {
		shapes = ts_shapes_load(file, error);
		if (shapes == NULL || !ts_shapes_have_groups(shapes))
			return shapes;
		g_array_unref(shapes);
		ts_refuse(error, "--shapes %s: tune has one problem a shape, and no groups", file);
		return NULL;
	}
	if (!ts_settings_spec(&sizes, device, &spec, error))
		return NULL;
	shapes = ts_shapes_new();
	ts_shapes_add(shapes,
		g_strdup_printf("%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
			spec.m, spec.n, spec.k),
		spec.m, spec.n, spec.k);
	return shapes;
}

/* The faster on the GPU first; what was not measured is behind, in its order. */
static gint by_measured(gconstpointer a, gconstpointer b)
{
	double x = ((const struct ts_tuned *)a)->measured_ms;
	double y = ((const struct ts_tuned *)b)->measured_ms;

	if (x <= 0 || y <= 0)
		return (x <= 0) - (y <= 0);
	return (x > y) - (x < y);
}

/* Times the first `want` that there are kernels for, and has them go first. */
static bool measure(struct ts_tuning *t, GArray *all, guint want, GError **error)
{
	g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(struct ts_spec));
	g_autofree double *ms = g_new0(double, t->count);

	for (guint i = 0; i < t->count; i++)
		g_array_append_val(specs, g_array_index(all, struct ts_tuned, i).spec);
	if (!ts_bench_specs(specs, want, ms, error))
		return false;
	for (guint i = 0; i < t->count; i++) {
		g_array_index(all, struct ts_tuned, i).measured_ms = ms[i];
		t->measured += ms[i] > 0;
	}
	g_array_sort(all, by_measured);
	return true;
}

/* Says of a shape without a possible configuration what is wrong with the first. */
static bool refuse_all(const struct search *s, const struct ts_device *device,
	const struct ts_shape *shape, GError **error)
{
	g_autoptr(GError) why = NULL;
	struct ts_run run;

	if (ts_run_init(&run, s->settings, &g_array_index(s->all, struct ts_tuned, 0).spec, &why))
		ts_run_simulate(&run, s->settings, NULL, &why);
	ts_run_finish(&run);
	return ts_refuse(error, "%s: no configuration of %u is possible on %s; the first: %s",
		shape->name, s->all->len, device->name,
		why != NULL ? why->message : "its schedule is not sound");
}

/* One shape's results, appended to the report. False and a refusal. */
static bool tune_shape(const struct ts_settings *settings, const struct ts_device *device,
	const struct ts_shape *shape, int64_t jobs, int64_t top, int64_t measured, GString *text,
	JsonBuilder *json, GError **error)
{
	struct search s = {
		.settings = settings, .all = g_array_new(FALSE, FALSE, sizeof(struct ts_tuned))};
	struct ts_tuning t = {.settings = settings, .device = device, .shape = shape};
	/* What is measured are the first that there are kernels for, which can be any. */
	guint want = measured > 0 ? CONFIGURATIONS_MAX : (guint)top;
	bool good = search_shape(&s, device, shape, (unsigned)jobs, want, error);

	while (good && t.count < s.all->len && g_array_index(s.all, struct ts_tuned, t.count).sound)
		t.count++;
	if (good && t.count == 0)
		good = refuse_all(&s, device, shape, error);
	if (good && measured > 0)
		good = measure(&t, s.all, (guint)measured, error);
	if (good) {
		t.all = &g_array_index(s.all, struct ts_tuned, 0);
		t.refused = s.all->len - t.count;
		if (json != NULL)
			ts_tune_json(&t, (guint)top, json);
		else
			ts_tune_text(&t, (guint)top, text);
	}
	g_array_unref(s.all);
	return good;
}

/* What is tried where the user names nothing. Tiles are those whose accumulators in fp32 fill half
 * a unit's registers at most: 128 KiB of an SM's 256, 256 KiB of a CU's 512. */
static void set_defaults(struct ts_settings *s, const struct ts_device *device)
{
	const struct {
		enum ts_axis axis;
		const char *values;
	} defaults[] = {{TS_AXIS_POLICY, "persistent,worksteal,data-parallel,stream-k,split-k"},
		{TS_AXIS_SPLITS, "2,4,8"}, {TS_AXIS_CLUSTER, "1x1,2x1,1x2"},
		{TS_AXIS_BLOCK,
			device->amd ? "256x256x64,256x192x64,192x256x64,256x128x64,128x256x64,"
				      "128x128x64,256x64x64,64x256x64,128x64x64,64x128x64,64x64x64"
				    : "256x128x64,128x256x64,192x128x64,128x192x64,128x128x64,"
				      "256x64x64,64x256x64,128x64x64,64x128x64,64x64x64"}};
	bool names = s->axes[TS_AXIS_POLICY] != NULL || s->file != NULL;

	for (size_t i = names ? 2 : 0; i < G_N_ELEMENTS(defaults); i++)
		if (s->axes[defaults[i].axis] == NULL)
			s->axes[defaults[i].axis] = g_strdup(defaults[i].values);
}

/* The kernels know the registered policies, and are timed in bf16. */
static bool check_measurable(const struct ts_settings *s, GError **error)
{
	enum ts_dtype dtype = TS_BF16;

	if (!ts_settings_dtype(s, &dtype, error))
		return false;
	if (dtype == TS_BF16 && s->file == NULL)
		return true;
	return ts_refuse(error, "--measure: the kernels that are timed have no %s; leave out --%s",
		s->file != NULL ? "policy of yours" : "such type",
		s->file != NULL ? "policy-file" : "dtype");
}

static int tune(struct ts_settings *settings, const struct options *o, GError **error)
{
	int64_t top = TOP, jobs = ts_loop_threads(), measured = 0;
	struct ts_device *device = ts_settings_device(settings, error);
	GString *text = g_string_new(NULL);
	JsonBuilder *json = NULL;
	enum ts_format format = TS_TEXT;
	GArray *shapes = NULL;
	bool good = device != NULL && ts_format_parse(o->format, &format, error) &&
		read_number("top", o->top, CONFIGURATIONS_MAX, &top, error) &&
		read_number("jobs", o->jobs, 1024, &jobs, error) &&
		read_number("measure", o->measure, CONFIGURATIONS_MAX, &measured, error);

	if (good && format == TS_CSV)
		good = ts_refuse(error, "--format csv: must be text or json");
	if (good && measured > 0)
		good = check_measurable(settings, error);
	if (good) {
		set_defaults(settings, device);
		ts_settings_prefer_calibrated(settings, device);
	}
	if (good)
		good = (shapes = read_shapes(settings, device, o->shapes, error)) != NULL;
	if (good && format == TS_JSON) {
		json = json_builder_new();
		json_builder_begin_array(json);
	}
	for (guint i = 0; good && i < shapes->len; i++)
		good = tune_shape(settings, device, &g_array_index(shapes, struct ts_shape, i),
			jobs, top, measured, text, json, error);
	if (json != NULL) {
		g_autofree char *out = NULL;

		json_builder_end_array(json);
		out = ts_json_text(json);
		if (good)
			g_print("%s", out);
	} else if (good) {
		g_print("%s", text->str);
	}
	g_string_free(text, TRUE);
	g_clear_pointer(&shapes, g_array_unref);
	ts_device_free(device);
	return good ? TS_EXIT_OK : ts_gpu_exit(*error);
}

/* `tune M N K` is short for --m M --n N --k K. */
static bool take_sizes(struct ts_settings *s, char **words, GError **error)
{
	g_autofree char *given = words != NULL ? g_strjoinv(" ", words) : NULL;

	if (words == NULL || s->help)
		return true;
	if (g_strv_length(words) > 3)
		return ts_refuse(error, "tune %s: give only M N K; '%s' is one word too many",
			given, words[3]);
	if (g_strv_length(words) < 3)
		return ts_refuse(error,
			"tune %s: give all three of M N K, or single ones by --m, --n and --k",
			given);
	for (enum ts_axis i = TS_AXIS_M; i <= TS_AXIS_K; i++) {
		if (s->axes[i] != NULL)
			return ts_refuse(error,
				"tune %s and --%s %s: the sizes are given twice; leave out one",
				given, ts_axis_name(i), s->axes[i]);
		s->axes[i] = g_strdup(words[i - TS_AXIS_M]);
	}
	return true;
}

int ts_tune_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"shapes", 0, 0, G_OPTION_ARG_FILENAME, &o.shapes,
			"shapes of a model, such as llama3-8b, or a CSV file with name,m,n,k",
			"FILE"},
		{"top", 0, 0, G_OPTION_ARG_STRING, &o.top,
			"configurations to show of each shape (default 10)", "N"},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o.format, "text (default) or json",
			"FORMAT"},
		{"measure", 0, 0, G_OPTION_ARG_STRING, &o.measure,
			"time the first N that there are kernels for on the GPU, the fastest first",
			"N"},
		{"jobs", 'j', 0, G_OPTION_ARG_STRING, &o.jobs, "threads (default: one a processor)",
			"N"},
		{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.sizes, NULL, NULL}, {0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "tune [M N K]",
		"Ranks policies, tiles and clusters for a shape by simulation, says why the best "
		"is the\n"
		"best, and prints its settings for other projects. Options of the plan take lists; "
		"with\n"
		"--memory caches the best are tried in several orders too. A device that is "
		"calibrated\n"
		"is simulated with --memory calibrated.",
		entries);
	int code = TS_EXIT_USAGE;

	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		take_sizes(&settings, o.sizes, error) &&
		ts_settings_one_problem(&settings, "tune", error)) {
		code = settings.help ? TS_EXIT_OK : tune(&settings, &o, error);
	}
	ts_settings_finish(&settings);
	g_free(o.shapes);
	g_free(o.top);
	g_free(o.format);
	g_free(o.jobs);
	g_free(o.measure);
	g_strfreev(o.sizes);
	return code;
}
