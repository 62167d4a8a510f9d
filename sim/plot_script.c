/* Writes the scripts beside the tables and runs gnuplot on them. */
#include "sim/plot_script.h"

#include <string.h>

#include "sim/output.h"
#include "sim/refuse.h"
#include "sim/report.h"
#include "sim/request.h"

/* In single quotes gnuplot replaces nothing; a quote is written twice. Names come from device files
 * and may hold anything. */
static void put_string(GString *out, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	g_string_append_printf(out, "%s = '", name);
	for (const char *c = valid; *c != '\0'; c++) {
		if (*c == '\'')
			g_string_append(out, "''");
		else
			g_string_append_c(out, g_ascii_iscntrl(*c) ? ' ' : *c);
	}
	g_string_append(out, "'\n");
}

static void put_count(GString *out, const char *name, uint64_t value)
{
	g_string_append_printf(out, "%s = %" G_GUINT64_FORMAT "\n", name, value);
}

/* With a point, since gnuplot divides whole numbers as C does. */
static void put_time(GString *out, const char *name, double ps, uint64_t unit_ps)
{
	g_string_append_printf(out, "%s = %.9f\n", name, ps / (double)unit_ps);
}

/* Lines of the title, and what came out. */
static void put_titles(const struct ts_run *r, const struct ts_picture *picture, GString *out)
{
	const struct ts_plan *p = &r->plan;
	const struct ts_device *d = r->device;
	g_autofree char *makespan = ts_time_text(r->summary.outcome.makespan);
	g_autofree char *plan = ts_request_plan_text(p);
	g_autofree char *conditions = g_strjoinv(", ", (char **)(gpointer)picture->conditions);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *problem = NULL;

	if (p->groups == 1 && p->shape == TS_RECTANGLE) {
		g_string_printf(text,
			"C[%u,%u], k = %u, %s: %u x %u tiles of %ux%u, %u k iterations of %u", p->m,
			p->n, p->k, ts_dtype_name(r->dtype), p->rows, p->cols, p->block_m,
			p->block_n, p->depth, p->block_k);
	} else {
		problem = ts_problem_text(p, ts_dtype_name(r->dtype));
		g_string_assign(text, problem);
	}
	put_string(out, "title_problem", text->str);
	put_string(out, "title_plan", plan);
	g_string_printf(text, "%s: %u %s%s in %u %s%s%s%s", d->name, d->units,
		ts_device_unit_word(d), d->units == 1 ? "" : "s", d->groups,
		ts_device_group_word(d), d->groups == 1 ? "" : "s",
		conditions[0] == '\0' ? "" : "; ", conditions);
	put_string(out, "title_device", text->str);
	g_string_append(
		out, "title = title_problem.\"\\n\".title_plan.\"\\n\".title_device.\"\\n \"\n");
	g_string_printf(text, "%s, %.1f TFLOP/s, %.1f %% busy%s%s", makespan,
		ts_summary_tflops(&r->summary), 100 * ts_summary_utilisation(&r->summary),
		r->sound ? "" : ", UNSOUND: ",
		r->sound ? "" : ts_fault_name(r->coverage.finding.fault));
	put_string(out, "figures", text->str);
}

static char *settings(const struct ts_plot_tables *t, const struct ts_picture *picture)
{
	const struct ts_run *r = t->run;
	const struct ts_machine *m = &r->machine;
	struct ts_busy busy = ts_plot_tables_busy(t, UINT32_MAX);
	double end = (double)t->end;
	double finish = 0, first = end;
	uint32_t holds = 0;
	GString *out = g_string_new("# What the scripts are told beside the tables.\n");

	for (uint32_t i = 0; i < m->count; i++) {
		finish += (double)t->places[i].finish;
		first = MIN(first, (double)t->places[i].finish);
		holds += m->places[i].hold_from < MIN(m->places[i].hold_to, t->end);
	}
	put_string(out, "format", picture->format);
	put_titles(r, picture, out);
	put_string(out, "unit", picture->unit_ps == 1000000 ? "us" : "ms");
	put_string(out, "group_word", ts_device_group_word(m->device));
	put_string(out, "unit_word", ts_device_unit_word(m->device));
	put_count(out, "groups", m->device->groups);
	put_count(out, "places_per_unit", m->device->occupancy);
	put_count(out, "lanes", m->count);
	put_count(out, "workers", r->plan.workers);
	put_count(out, "ctas", r->plan.cluster_m * r->plan.cluster_n);
	put_count(out, "items", r->plan.items);
	put_count(out, "rows", (uint32_t)ts_plot_map_rows(&r->plan));
	put_count(out, "cols", r->plan.cols);
	put_string(out, "row_word",
		r->plan.groups > 1 ? "tile row m of group after group" : "tile row m");
	put_count(out, "missing", t->missing);
	put_count(out, "holds", holds);
	put_time(out, "makespan", end, picture->unit_ps);
	put_time(out, "until", (double)picture->until, picture->unit_ps);
	put_time(out, "tail", (double)t->tail, picture->unit_ps);
	put_time(out, "busy_min", (double)busy.min, picture->unit_ps);
	put_time(out, "busy_mean", (double)busy.sum / busy.places, picture->unit_ps);
	put_time(out, "busy_max", (double)busy.max, picture->unit_ps);
	put_time(out, "finish_min", first, picture->unit_ps);
	put_time(out, "finish_mean", finish / m->count, picture->unit_ps);
	g_string_append_printf(out, "active_mean = %.6f\n", (double)busy.sum / end);
	return g_string_free(out, FALSE);
}

static bool write_file(const char *folder, const char *name, const char *text, GError **error)
{
	g_autofree char *file = g_strconcat(name, ".gp", NULL);
	g_autofree char *path = g_build_filename(folder, file, NULL);
	g_autoptr(GError) cause = NULL;

	if (g_file_set_contents(path, text, -1, &cause))
		return true;
	return ts_refuse(error, "%s", cause->message);
}

static bool write_resource(const char *folder, const char *name, GError **error)
{
	g_autofree char *text = ts_resource("plots", name, ".gp");

	g_assert(text != NULL);
	return write_file(folder, name, text, error);
}

bool ts_plot_script_write(const struct ts_plot_tables *t, const struct ts_picture *picture,
	const char *folder, const char *const *kinds, GError **error)
{
	g_autofree char *text = settings(t, picture);
	bool good = write_file(folder, "settings", text, error) &&
		write_resource(folder, "look", error) && write_resource(folder, "map", error);

	for (size_t i = 0; good && kinds[i] != NULL; i++)
		good = write_resource(folder, kinds[i], error);
	return good;
}

/* A picture that a full disk cut short lacks its end. */
static bool is_whole(const char *picture, size_t size, const char *format)
{
	bool png = strcmp(format, "png") == 0;
	const char *end = png ? "IEND\xae\x42\x60\x82" : "</svg>";
	size_t length = strlen(end);

	while (!png && size > 0 && g_ascii_isspace(picture[size - 1]))
		size--;
	return size >= length && memcmp(picture + size - length, end, length) == 0;
}

bool ts_plot_script_run(
	const char *folder, const char *kind, const char *format, FILE *out, GError **error)
{
	g_autofree char *script = g_strconcat(kind, ".gp", NULL);
	g_autofree char *name = g_strconcat(kind, ".", format, NULL);
	g_autofree char *path = g_build_filename(folder, name, NULL);
	char *arguments[] = {"gnuplot", "--default-settings", script, NULL};
	g_autofree char *words = NULL, *picture = NULL;
	g_autoptr(GError) cause = NULL;
	gsize size;
	int status;

	if (!g_spawn_sync(folder, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL,
		    NULL, NULL, NULL, &words, &status, &cause))
		return ts_refuse(error, "gnuplot cannot be run: %s", cause->message);
	g_strdelimit(g_strstrip(words), "\n\t", ' ');
	if (!g_spawn_check_wait_status(status, &cause))
		return ts_refuse(error, "gnuplot failed (%s): %s", cause->message, words);
	if (!g_file_get_contents(path, &picture, &size, &cause))
		return ts_refuse(error, "gnuplot drew nothing (%s): %s", cause->message, words);
	if (!is_whole(picture, size, format))
		return ts_refuse(
			error, "gnuplot's %s is not whole; is the disk full? %s", path, words);
	fwrite(picture, 1, size, out); /* an error shows when `out` is closed */
	return true;
}

bool ts_plot_script_suits(const char *path, GError **error)
{
	if (path != NULL && !g_str_has_suffix(path, ".png") && !g_str_has_suffix(path, ".svg"))
		return ts_refuse(error, "--plot %s: the name must end in .png or .svg", path);
	return ts_output_possible(path, error);
}

bool ts_plot_script_table(
	const char *kind, const char *table, const char *settings, const char *path, GError **error)
{
	const char *format = g_str_has_suffix(path, ".svg") ? "svg" : "png";
	g_autofree char *folder = ts_output_make_folder(error);
	g_autofree char *file = g_strconcat(kind, ".txt", NULL);
	g_autofree char *words = g_strdup_printf("format = '%s'\n%s", format, settings);
	g_autofree char *place = NULL;
	struct ts_output output;
	bool good;

	if (folder == NULL)
		return false;
	place = g_build_filename(folder, file, NULL);
	good = g_file_set_contents(place, table, -1, error) &&
		write_file(folder, "settings", words, error) &&
		write_resource(folder, kind, error) && ts_output_open(&output, path, error);
	if (good && ts_plot_script_run(folder, kind, format, output.file, error))
		good = ts_output_commit(&output, error);
	else if (good) {
		ts_output_drop(&output);
		good = false;
	}
	ts_output_remove_folder(folder);
	return good;
}
