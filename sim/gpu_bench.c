/* tilesim gpu bench: schedules over shapes on the GPU, beside the vendor's library. */
#include <string.h>

#include "sim/gpu.h"
#include "sim/gpu_bench.h"
#include "sim/gpu_gemm.h"
#include "sim/plot_script.h"
#include "sim/refuse.h"
#include "sim/request.h"

struct options {
	struct ts_gpu_gemm_options gemm;
	char *shapes, *repeat, *rounds, *check, *plot;
	gboolean alone;
};

enum { CELLS_MAX = 100000 };

/* As many as are sensible where none are given. */
static bool read_rounds(const char *text, uint32_t repeat, uint32_t *ret_rounds, GError **error)
{
	int64_t rounds = MIN(TS_BENCH_ROUNDS, repeat);

	if (text != NULL && (!ts_parse_int(text, &rounds) || !ts_in_range(rounds, 1, repeat)))
		return ts_refuse(error,
			"--rounds %s: must be a whole number from 1 to the %u launches of --repeat",
			text, repeat);
	*ret_rounds = (uint32_t)rounds;
	return true;
}

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
		x->repeat = TS_BENCH_REPEAT;
	if (!read_rounds(o->rounds, (uint32_t)x->repeat, &b->rounds, error))
		return false;
	x->effort = TS_GEMM_SAMPLE;
	b->format = x->format;
	b->form = x->form;
	b->repeat = (uint32_t)x->repeat;
	b->cublas = !o->alone;
	b->checked = o->check == NULL || strcmp(o->check, "sample") == 0;
	return true;
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
	for (gsize i = 0; i < (gsize)b->shapes->len * b->schedules->len; i++) {
		b->cells[i].spec =
			g_array_index(b->schedules, struct ts_spec, i % b->schedules->len);
		ts_shape_set(&g_array_index(b->shapes, struct ts_shape, i / b->schedules->len),
			&b->cells[i].spec);
	}
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

	g_string_append_printf(out, " --shapes %s --repeat %u --rounds %u --seed %" G_GINT64_FORMAT,
		shapes, b->repeat, b->rounds, x->seed);
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
			if (list_schedules(&x, &b, error) && ts_bench_run(&x, &b, &cause))
				code = report(&x, &b, o, ret_text, error);
		}
		ts_gpu_gemm_close(&x);
	}
	for (gsize i = 0; b.cells != NULL && i < (gsize)b.shapes->len * b.schedules->len; i++)
		ts_bench_cell_finish(&b.cells[i]);
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
	const char *repeat, const char *rounds, int *ret_code, GError **error)
{
	struct options o = {
		.gemm = {.backend = (char *)(gpointer)backend, .format = (char *)(gpointer) "json"},
		.shapes = (char *)(gpointer)shapes,
		.repeat = (char *)(gpointer)repeat,
		.rounds = (char *)(gpointer)rounds,
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
		{"rounds", 0, 0, G_OPTION_ARG_STRING, &o.rounds,
			"in which they are done, each schedule in its turn, so that a change of "
			"the "
			"GPU's clock meets all (default 3)",
			"N"},
		{"alone", 0, 0, G_OPTION_ARG_NONE, &o.alone, "without cuBLAS beside it", NULL},
		{"check", 0, 0, G_OPTION_ARG_STRING, &o.check,
			"sample (default): edges of tiles and some lines of each product; or none",
			"WHICH"},
		{"plot", 0, 0, G_OPTION_ARG_FILENAME, &o.plot,
			"draw the best of each shape and cuBLAS, as .png or .svg", "FILE"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu bench",
		"Times schedules over shapes on the GPU that is there, in rounds in which each has "
		"its\n"
		"turn, launch by launch in turn with the best of cuBLAS' algorithms, of groups one "
		"call\n"
		"for each that has rows, and checks every product in the first round. Options of "
		"the\n"
		"plan take lists; by default persistent and worksteal in several tile shapes and "
		"three\n"
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
	g_free(o.rounds);
	g_free(o.check);
	g_free(o.plot);
	return code;
}
