/* tilesim plot: draw a run with gnuplot. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "sim/command.h"
#include "sim/output.h"
#include "sim/plot_script.h"
#include "sim/refuse.h"

enum { KINDS = 5 };

static const struct {
	const char *name, *help;
} kinds[KINDS] = {
	{"gantt", "load balance over time, a lane for each CU or SM"},
	{"busy", "busy time of each CU or SM and each XCD or GPC"},
	{"finish", "when the CUs or SMs finish, and how many are busy over time"},
	{"order", "map of the output: when each tile is computed"},
	{"owner", "map of the output: which XCD or GPC computes each tile"},
};

/* So that a picture stays one that can be looked at, and is drawn within seconds. */
enum { TILES_MAX = 1 << 20 };

struct options {
	char *output, *keep, *until;
};

/* The pictures asked for. */
struct order {
	const char *kinds[KINDS + 1];
	char *paths[KINDS];
	struct ts_output outputs[KINDS];
	size_t count;
	struct ts_picture picture;
};

static bool refuse_kind(const char *kind, GError **error)
{
	g_autoptr(GString) all = g_string_new(NULL);

	for (size_t i = 0; i < KINDS; i++)
		g_string_append_printf(all, "%s, ", kinds[i].name);
	if (kind == NULL)
		return ts_refuse(error,
			"plot needs a kind of picture: %sor all, as in "
			"`tilesim plot gantt --output gantt.png`",
			all->str);
	return ts_refuse(
		error, "there is no kind of picture '%s'; there are: %sall", kind, all->str);
}

/* The format that a file's name asks for; NULL where it asks for none. */
static const char *format_of(const char *path)
{
	if (g_str_has_suffix(path, ".png"))
		return "png";
	return g_str_has_suffix(path, ".svg") ? "svg" : NULL;
}

/* A file for each kind: in a folder, or beside each other with a common beginning. */
static void name_all(struct order *order, const char *output)
{
	const char *format = format_of(output);
	bool folder = g_str_has_suffix(output, "/") || g_file_test(output, G_FILE_TEST_IS_DIR);
	g_autofree char *beginning = NULL;

	order->picture.format = format == NULL || folder ? "png" : format;
	if (folder)
		beginning = g_build_filename(output, "/", NULL);
	else
		beginning = g_strdup_printf("%.*s-",
			(int)(strlen(output) - (format == NULL ? 0 : strlen(format) + 1)), output);
	for (size_t i = 0; i < KINDS; i++) {
		order->kinds[i] = kinds[i].name;
		order->paths[i] =
			g_strdup_printf("%s%s.%s", beginning, kinds[i].name, order->picture.format);
	}
	order->count = KINDS;
}

static bool read_order(
	struct order *order, const char *kind, const struct options *o, GError **error)
{
	g_autofree char *base = NULL;
	bool all = kind != NULL && strcmp(kind, "all") == 0;
	size_t i = 0;

	while (kind != NULL && !all && i < KINDS && strcmp(kinds[i].name, kind) != 0)
		i++;
	if (kind == NULL || i == KINDS)
		return refuse_kind(kind, error);
	if (o->output == NULL || o->output[0] == '\0')
		return ts_refuse(error, "plot needs --output %s",
			all ? "FOLDER/, or what the files' names begin with"
			    : "FILE.png or --output FILE.svg");
	base = g_path_get_basename(o->output);
	if (format_of(base) == NULL && (!all || strchr(base, '.') != NULL) &&
		!(all && g_file_test(o->output, G_FILE_TEST_IS_DIR)))
		return ts_refuse(
			error, "--output %s: the name must end in .png or .svg", o->output);
	if (all) {
		name_all(order, o->output);
		return true;
	}
	order->picture.format = format_of(base);
	order->kinds[0] = kinds[i].name;
	order->paths[0] = g_strdup(o->output);
	order->count = 1;
	return true;
}

static bool open_outputs(struct order *order, GError **error)
{
	for (size_t i = 0; i < order->count; i++)
		if (!ts_output_open(&order->outputs[i], order->paths[i], error))
			return false;
	return true;
}

static void finish_order(struct order *order)
{
	for (size_t i = 0; i < order->count; i++) {
		ts_output_drop(&order->outputs[i]);
		g_free(order->paths[i]);
	}
}

static bool check_drawable(const struct ts_run *r, GError **error)
{
	const struct ts_plan *p = &r->plan;
	uint64_t tiles = ts_plot_map_rows(p) * p->cols;

	if (p->items == 0)
		return ts_refuse(
			error, "M=%u, N=%u: no tiles, so there is nothing to draw", p->m, p->n);
	if (tiles > TILES_MAX)
		return ts_refuse(error,
			"%" G_GUINT64_FORMAT
			" tiles: a picture shows up to %d; use larger blocks or a smaller problem",
			tiles, TILES_MAX);
	return true;
}

/* What disturbs the run, in the words of the options. Free with g_ptr_array_unref(). */
static GPtrArray *conditions(const struct ts_settings *s)
{
	const struct {
		const char *word;
		char **values;
	} lists[] = {{"slow", s->slow}, {"hold", s->hold}, {"release", s->release}};
	GPtrArray *out = g_ptr_array_new_with_free_func(g_free);

	if (s->mask != NULL)
		g_ptr_array_add(out, g_strdup_printf("mask %s", s->mask));
	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		for (size_t j = 0; lists[i].values != NULL && lists[i].values[j] != NULL; j++)
			g_ptr_array_add(
				out, g_strdup_printf("%s %s", lists[i].word, lists[i].values[j]));
	if (s->jitter != NULL)
		g_ptr_array_add(out, g_strdup_printf("jitter %s %%", s->jitter));
	g_ptr_array_add(out, NULL);
	return out;
}

static bool read_until(const char *text, uint64_t end, uint64_t *ret_until, GError **error)
{
	double us;

	*ret_until = end;
	if (text == NULL)
		return true;
	if (!ts_parse_double(text, &us) || us * 1e6 < (double)end || us > 1e12)
		return ts_refuse(error,
			"--until %s: must be a number of us, at least the makespan of %.3f us",
			text, (double)end / 1e6);
	*ret_until = (uint64_t)(us * 1e6);
	return true;
}

/* Makes the folder for tables and scripts: the user's, or one of ours. Free with g_free(). NULL and
 * a refusal. */
static char *make_folder(const char *keep, GError **error)
{
	if (keep == NULL)
		return ts_output_make_folder(error);
	if (g_mkdir_with_parents(keep, 0777) == 0)
		return g_strdup(keep);
	ts_refuse(error, "--keep %s: %s", keep, g_strerror(errno));
	return NULL;
}

static bool draw(
	struct order *order, struct ts_plot_tables *tables, const struct options *o, GError **error)
{
	g_autofree char *folder = make_folder(o->keep, error);
	struct ts_picture *picture = &order->picture;
	bool good = folder != NULL;

	if (!good)
		return false;
	picture->unit_ps = picture->until >= 2000000000 ? 1000000000 : 1000000;
	good = ts_plot_tables_write(tables, folder, picture->unit_ps, error) &&
		ts_plot_script_write(tables, picture, folder, order->kinds, error);
	for (size_t i = 0; good && i < order->count; i++)
		good = ts_plot_script_run(
			folder, order->kinds[i], picture->format, order->outputs[i].file, error);
	for (size_t i = 0; good && i < order->count; i++)
		good = ts_output_flush(&order->outputs[i], error);
	for (size_t i = 0; good && i < order->count; i++)
		good = ts_output_commit(&order->outputs[i], error);
	if (o->keep == NULL)
		ts_output_remove_folder(folder);
	return good;
}

static int report(const struct order *order, const struct ts_run *r)
{
	g_autofree char *text = NULL;

	for (size_t i = 0; i < order->count; i++)
		g_print("wrote %s\n", order->paths[i]);
	if (r->sound)
		return TS_EXIT_OK;
	text = ts_finding_text(&r->coverage.finding, &r->plan);
	g_printerr("tilesim: UNSOUND (%s): %s\n", ts_fault_name(r->coverage.finding.fault), text);
	return TS_EXIT_UNSOUND;
}

/* Simulates and draws what `order` asks for. */
static int plot(const struct ts_settings *settings, const struct options *o, struct order *order,
	GError **error)
{
	g_autoptr(GPtrArray) words = conditions(settings);
	struct ts_device *device = ts_settings_device(settings, error);
	struct ts_plot_tables tables = {0};
	struct ts_run run = {0};
	struct ts_spec spec;
	struct ts_sink sink;
	int code = TS_EXIT_USAGE;
	bool good = device != NULL && ts_settings_spec(settings, device, &spec, error);

	ts_device_free(device);
	order->picture.conditions = (const char *const *)(gpointer)words->pdata;
	if (good && ts_run_init(&run, settings, &spec, error) && check_drawable(&run, error) &&
		open_outputs(order, error)) {
		ts_plot_tables_init(&tables, &run);
		sink = ts_plot_tables_sink(&tables);
		good = ts_run_simulate(&run, settings, &sink, error);
		ts_plot_tables_close(&tables);
		if (good && tables.boxes->len == 0)
			good = ts_refuse(error,
				"no worker computed anything, so there is nothing to draw; "
				"`tilesim` with the same options says why");
		if (good && tables.end == 0)
			good = ts_refuse(
				error, "the items take no time, so there is nothing to draw");
		if (good && read_until(o->until, tables.end, &order->picture.until, error) &&
			draw(order, &tables, o, error))
			code = report(order, &run);
		ts_plot_tables_finish(&tables);
	}
	ts_run_finish(&run);
	return code;
}

static char *summary(void)
{
	GString *out = g_string_new("Simulates one schedule and draws it with gnuplot. KIND is\n");

	for (size_t i = 0; i < KINDS; i++)
		g_string_append_printf(out, "  %-7s %s\n", kinds[i].name, kinds[i].help);
	g_string_append(out,
		"  all     each of them: --output FOLDER/ or what the files' names begin with");
	return g_string_free(out, FALSE);
}

int ts_plot_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {{"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
						"the picture, FILE.png or FILE.svg", "FILE"},
		{"until", 0, 0, G_OPTION_ARG_STRING, &o.until,
			"end of the time axis in us, to compare pictures (default: the makespan)",
			"TIME"},
		{"keep", 0, 0, G_OPTION_ARG_FILENAME, &o.keep,
			"leave gnuplot's tables and scripts in FOLDER", "FOLDER"},
		{0}};
	g_autofree char *help = summary();
	g_autofree char *gnuplot = g_find_program_in_path("gnuplot");
	struct ts_settings settings;
	g_autoptr(GOptionContext) context =
		ts_settings_context(&settings, "plot KIND", help, entries);
	struct order order = {0};
	const char *kind = NULL;
	int code = TS_EXIT_USAGE;

	if (argc > 1 && argv[1][0] != '-') {
		kind = argv[1];
		argv++;
		argc--;
	}
	if (ts_settings_parse(&settings, context, argc, argv, error)) {
		if (settings.help)
			code = TS_EXIT_OK;
		else if (!read_order(&order, kind, &o, error))
			code = TS_EXIT_USAGE;
		else if (gnuplot == NULL)
			ts_refuse(error,
				"gnuplot is not installed; on Debian and Ubuntu it is in the "
				"package gnuplot-nox");
		else
			code = plot(&settings, &o, &order, error);
	}
	finish_order(&order);
	ts_settings_finish(&settings);
	g_free(o.output);
	g_free(o.until);
	g_free(o.keep);
	return code;
}
