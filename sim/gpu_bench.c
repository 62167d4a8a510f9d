/* tilesim gpu bench: schedules over shapes on the GPU, beside the vendor's library. */
#include <string.h>

#include "kernels/nvml.h"
#include "sim/gpu.h"
#include "sim/gpu_bench.h"
#include "sim/gpu_gemm.h"
#include "sim/plot_script.h"
#include "sim/refuse.h"
#include "sim/request.h"

struct options {
	struct ts_gpu_gemm_options gemm;
	char *shapes, *repeat, *check, *plot;
	gboolean alone;
};

enum { REPEAT = 21, CELLS_MAX = 100000 };

static bool read_options(
	struct ts_gpu_gemm *x, struct ts_bench *b, const struct options *o, GError **error)
{
	const struct ts_settings *s = x->settings;

	if (s->domain != NULL)
		return ts_refuse(
			error, "--domain: the bench takes the workers' numbers; leave it out");
	if (!ts_gpu_gemm_read(x, &o->gemm, error) ||
		!ts_gpu_gemm_read_repeat(x, o->repeat, 1, error))
		return false;
	if (o->check != NULL && strcmp(o->check, "sample") != 0 && strcmp(o->check, "none") != 0)
		return ts_refuse(error, "--check %s: must be sample or none", o->check);
	if (!ts_plot_script_suits(o->plot, error))
		return false;
	if (s->axes[TS_AXIS_M] != NULL || s->axes[TS_AXIS_N] != NULL ||
		s->axes[TS_AXIS_K] != NULL || s->axes[TS_AXIS_GROUPS] != NULL ||
		s->axes[TS_AXIS_LAYOUT] != NULL)
		return ts_refuse(error,
			"--m, --n, --k, --groups, --layout masked: gpu bench takes its sizes from "
			"--shapes; tilesim gpu gemm takes them as options");
	if (!o->alone && x->form.gap != 0)
		return ts_refuse(error,
			"--gap %u: cuBLAS is timed on matrices without gaps; add --alone",
			x->form.gap);
	if (x->repeat < 0)
		x->repeat = REPEAT;
	x->effort = TS_GEMM_SAMPLE;
	b->format = x->format;
	b->form = x->form;
	b->repeat = (uint32_t)x->repeat;
	b->cublas = !o->alone;
	b->checked = o->check == NULL || strcmp(o->check, "sample") == 0;
	return true;
}

/* Only the times. */
static bool time_cell(
	struct ts_gpu_gemm *x, const struct ts_plan *p, struct ts_bench_cell *c, GError **error)
{
	return ts_gemm_prepare(&x->gemm, p, (uint64_t)x->seed, error) &&
		ts_gemm_time(
			&x->gemm, p, (uint32_t)x->repeat, x->cublas, &c->ours, &c->theirs, error);
}

/* The times, and whether the product is right. */
static bool check_cell(
	struct ts_gpu_gemm *x, const struct ts_plan *p, struct ts_bench_cell *c, GError **error)
{
	struct ts_gpu_product r;

	if (!ts_gpu_gemm_run(x, p, x->seed, (uint32_t)x->repeat, &r, error))
		return false;
	c->ours = r.ours;
	c->theirs = r.theirs;
	c->fault = r.verdict.fault;
	return true;
}

/* One shape by one schedule. False where the GPU failed. */
static bool run_cell(struct ts_gpu_gemm *x, const struct ts_nvml *nvml, bool checked,
	struct ts_bench_cell *c, GError **error)
{
	struct ts_plan plan;

	/* A schedule that this shape can't have is left out. */
	if (!ts_gpu_gemm_plan(x, &c->spec, &plan, NULL))
		return true;
	c->there = true;
	if (!(checked ? check_cell : time_cell)(x, &plan, c, error))
		return false;
	ts_nvml_read(nvml, &c->clock_mhz, &c->watts);
	/* NVML's is of some time ago. */
	if (c->ours.clock_mhz > 0)
		c->clock_mhz = (uint32_t)(c->ours.clock_mhz + 0.5);
	return true;
}

static bool run_all(struct ts_gpu_gemm *x, struct ts_bench *b, GError **error)
{
	struct ts_nvml *nvml = ts_nvml_new();
	bool good = true;

	for (guint i = 0; good && i < b->shapes->len; i++) {
		const struct ts_shape *shape = &g_array_index(b->shapes, struct ts_shape, i);

		for (guint s = 0; good && s < b->schedules->len; s++) {
			struct ts_bench_cell *c = &b->cells[(gsize)i * b->schedules->len + s];

			c->spec = g_array_index(b->schedules, struct ts_spec, s);
			ts_shape_set(shape, &c->spec);
			good = run_cell(x, nvml, b->checked, c, error);
			if (!good)
				g_prefix_error(error, "%s: ", shape->name);
		}
	}
	ts_nvml_free(nvml);
	return good;
}

static bool list_schedules(const struct ts_gpu_gemm *x, struct ts_bench *b, GError **error)
{
	struct ts_spec spec;

	if (x->axes.count > CELLS_MAX / MAX(b->shapes->len, 1))
		return ts_refuse(error,
			"%" G_GUINT64_FORMAT " schedules of %u shapes: gpu bench runs up to %d in "
			"all; give fewer values",
			x->axes.count, b->shapes->len, CELLS_MAX);
	for (uint64_t i = 0; i < x->axes.count; i++)
		if (ts_axes_spec(&x->axes, i, &spec))
			g_array_append_val(b->schedules, spec);
	b->cells = g_new0(struct ts_bench_cell, (gsize)b->shapes->len * b->schedules->len);
	return true;
}

static char *make_command(
	const struct ts_gpu_gemm *x, const struct ts_bench *b, const struct options *o)
{
	const struct {
		const char *name, *value;
	} words[] = {{"backend", o->gemm.backend}, {"kernel", o->gemm.kernel}, {"as", o->gemm.as},
		{"dtype", x->settings->dtype}, {"layout", o->gemm.layout}, {"gap", o->gemm.gap}};
	GString *out = g_string_new("tilesim gpu bench");
	g_autofree char *shapes = g_shell_quote(o->shapes);

	g_string_append_printf(out, " --shapes %s --repeat %u --seed %" G_GINT64_FORMAT, shapes,
		b->repeat, x->seed);
	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (x->settings->axes[i] != NULL)
			g_string_append_printf(
				out, " --%s %s", ts_axis_name(i), x->settings->axes[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (words[i].value != NULL)
			g_string_append_printf(out, " --%s %s", words[i].name, words[i].value);
	if (!b->cublas)
		g_string_append(out, " --alone");
	if (!b->checked)
		g_string_append(out, " --check none");
	return g_string_free(out, FALSE);
}

/* Prints the report, or hands it back where it is wanted. Names the first wrong product on stderr.
 */
static int report(const struct ts_gpu_gemm *x, struct ts_bench *b, const struct options *o,
	char **ret_text, GError **error)
{
	guint count = b->shapes->len * b->schedules->len, there = 0;
	g_autofree char *command = make_command(x, b, o);
	g_autofree char *text = NULL;
	const struct ts_bench_cell *wrong = NULL;

	for (guint i = count; i-- > 0;) {
		there += b->cells[i].there;
		if (b->cells[i].fault != NULL)
			wrong = &b->cells[i];
	}
	if (there == 0) {
		ts_refuse(error, "there is no kernel for any of these plans");
		return TS_EXIT_USAGE;
	}
	text = ts_bench_report(b, command);
	if (ret_text != NULL)
		*ret_text = g_steal_pointer(&text);
	else
		g_print("%s", text);
	if (o->plot != NULL && !ts_bench_plot(b, o->plot, error))
		return TS_EXIT_USAGE;
	if (wrong == NULL)
		return TS_EXIT_OK;
	g_autofree char *name = ts_request_schedule_text(&wrong->spec);

	g_printerr("tilesim: UNSOUND: M=%" G_GINT64_FORMAT " N=%" G_GINT64_FORMAT
		   " K=%" G_GINT64_FORMAT ", %s: %s\n",
		wrong->spec.m, wrong->spec.n, wrong->spec.k, name, wrong->fault);
	return TS_EXIT_UNSOUND;
}

static int bench(
	struct ts_settings *settings, const struct options *o, char **ret_text, GError **error)
{
	g_autoptr(GError) cause = NULL;
	struct ts_gpu_gemm x = {.settings = settings, .several = true};
	struct ts_bench b = {.schedules = g_array_new(FALSE, FALSE, sizeof(struct ts_spec))};
	int code = TS_EXIT_USAGE;

	if (settings->axes[TS_AXIS_POLICY] == NULL)
		settings->axes[TS_AXIS_POLICY] = g_strdup("persistent,worksteal");
	if (read_options(&x, &b, o, error) &&
		(b.shapes = ts_shapes_load(o->shapes, error)) != NULL) {
		if (ts_gpu_gemm_open(&x, b.cublas, &cause)) {
			b.gpu = x.gemm.gpu.is.name;
			if (list_schedules(&x, &b, error) && run_all(&x, &b, &cause))
				code = report(&x, &b, o, ret_text, error);
		}
		ts_gpu_gemm_close(&x);
	}
	for (gsize i = 0; b.cells != NULL && i < (gsize)b.shapes->len * b.schedules->len; i++)
		g_free(b.cells[i].fault);
	g_free(b.cells);
	g_clear_pointer(&b.shapes, g_array_unref);
	g_array_unref(b.schedules);
	if (cause == NULL)
		return code;
	code = ts_gpu_exit(cause);
	g_propagate_error(error, g_steal_pointer(&cause));
	return code;
}

char *ts_bench_measure(const char *words, const char *backend, const char *shapes,
	const char *repeat, int *ret_code, GError **error)
{
	struct options o = {
		.gemm = {.backend = (char *)(gpointer)backend, .format = (char *)(gpointer) "json"},
		.shapes = (char *)(gpointer)shapes,
		.repeat = (char *)(gpointer)repeat,
		.check = (char *)(gpointer) "none",
		.alone = TRUE};
	struct ts_settings settings, nothing = {0};
	char *text = NULL;

	*ret_code = TS_EXIT_USAGE;
	if (!ts_settings_vary(&settings, &nothing, words, error))
		return NULL;
	*ret_code = bench(&settings, &o, &text, error);
	ts_settings_finish(&settings);
	return text;
}

bool ts_bench_specs(const GArray *specs, guint want, double *ret_ms, GError **error)
{
	struct ts_settings settings, nothing = {0};
	struct ts_gpu_gemm x = {.settings = &settings, .repeat = REPEAT, .seed = 1};
	struct ts_bench_cell cell;
	guint timed = 0;
	bool good;

	if (!ts_settings_vary(&settings, &nothing, "", error))
		return false;
	good = ts_gpu_gemm_open(&x, false, error);
	for (guint i = 0; i < specs->len; i++) {
		memset(&cell, 0, sizeof cell);
		cell.spec = g_array_index(specs, struct ts_spec, i);
		if (good && timed < want)
			good = run_cell(&x, NULL, false, &cell, error);
		timed += cell.there;
		ret_ms[i] = cell.ours.median_ms;
	}
	if (good && timed == 0)
		good = ts_refuse(error, "there is no kernel for any of these plans");
	ts_gpu_gemm_close(&x);
	ts_settings_finish(&settings);
	return good;
}

int ts_gpu_bench_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"shapes", 0, 0, G_OPTION_ARG_FILENAME, &o.shapes,
			"shapes of a model, such as llama3-8b, groups, such as moe, or a CSV file "
			"with "
			"name,m,n,k or name,groups,n,k (default gemm-suite)",
			"FILE"},
		{"repeat", 0, 0, G_OPTION_ARG_STRING, &o.repeat,
			"launches of each schedule and shape (default 21)", "N"},
		{"alone", 0, 0, G_OPTION_ARG_NONE, &o.alone, "without cuBLAS beside it", NULL},
		{"check", 0, 0, G_OPTION_ARG_STRING, &o.check,
			"sample (default): edges of tiles and some lines of each product; or none",
			"WHICH"},
		{"plot", 0, 0, G_OPTION_ARG_FILENAME, &o.plot,
			"draw the best of each shape and cuBLAS, as .png or .svg", "FILE"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu bench",
		"Times schedules over shapes on the GPU that is there, launch by launch in turn "
		"with\n"
		"the best of cuBLAS' algorithms, of groups one call for each that has rows, and "
		"checks\n"
		"every product. Options of the plan "
		"take\n"
		"lists; by default persistent and worksteal in several tile shapes and three "
		"clusters.",
		entries);
	int code = TS_EXIT_USAGE;

	ts_gpu_gemm_entries(&o.gemm, context);
	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		ts_settings_rectangles(&settings, "the GEMM kernel", error)) {
		if (o.shapes == NULL)
			o.shapes = g_strdup("gemm-suite");
		code = settings.help ? TS_EXIT_OK : bench(&settings, &o, NULL, error);
	}
	ts_settings_finish(&settings);
	ts_gpu_gemm_options_finish(&o.gemm);
	g_free(o.shapes);
	g_free(o.repeat);
	g_free(o.check);
	g_free(o.plot);
	return code;
}
