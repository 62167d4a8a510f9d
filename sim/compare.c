/* tilesim compare: policies side by side over shapes. */
#include <string.h>

#include "sim/command.h"
#include "sim/parallel.h"
#include "sim/refuse.h"
#include "sim/report.h"
#include "sim/request.h"
#include "sim/shapes.h"

/* So that a slip such as --m 1:100000 does not simulate for hours. */
enum { SCHEDULES_MAX = 256, SHAPES_MAX = 100000 };

struct options {
	char *format, *shapes, *jobs;
};

/* One simulation: a row (shape) and a column (schedule) of the table. */
struct cell {
	struct ts_spec spec;
	uint64_t makespan;
	double tflops, utilisation;
	enum ts_fault fault;
	char *finding; /* in words, where there is a fault */
	GError *error;
};

struct table {
	const struct ts_settings *settings;
	GArray *shapes;    /* struct ts_shape */
	GArray *lists;     /* struct ts_spec: whose groups are those of the row; none of a file */
	GArray *schedules; /* struct ts_spec, without sizes */
	struct cell *cells;
	enum ts_format format;
};

static bool work(void *data, void *state, uint64_t index)
{
	struct table *t = data;
	struct cell *cell = &t->cells[index];
	struct ts_run run;

	(void)state;
	if (ts_run_init(&run, t->settings, &cell->spec, &cell->error) &&
		ts_run_simulate(&run, t->settings, NULL, &cell->error)) {
		cell->spec = run.spec;
		cell->makespan = ts_run_end(&run);
		cell->tflops = ts_summary_tflops(&run.summary);
		cell->utilisation = ts_summary_utilisation(&run.summary);
		cell->fault = run.coverage.finding.fault;
		if (!run.sound)
			cell->finding = ts_finding_text(&run.coverage.finding, &run.plan);
	}
	ts_run_finish(&run);
	return true;
}

/* The column with the least makespan among the sound ones; -1 if there is none. */
static int best_of(const struct table *t, guint row)
{
	int best = -1;

	for (guint i = 0; i < t->schedules->len; i++) {
		const struct cell *c = &t->cells[row * t->schedules->len + i];

		if (c->error == NULL && c->fault == TS_SOUND &&
			(best < 0 ||
				c->makespan <
					t->cells[row * t->schedules->len + (guint)best].makespan))
			best = (int)i;
	}
	return best;
}

/* First lines in a text table: numbered schedules, so that columns stay narrow. */
static void put_head(const struct table *t)
{
	for (guint i = 0; i < t->schedules->len; i++) {
		g_autofree char *name =
			ts_request_schedule_text(&g_array_index(t->schedules, struct ts_spec, i));

		g_print("[%u] %s\n", i + 1, name);
	}
	g_print("\ntimes in us, the best marked *\n%-24s %7s %7s %7s", "shape", "m", "n", "k");
	for (guint i = 0; i < t->schedules->len; i++) {
		g_autofree char *column = g_strdup_printf("[%u]", i + 1);

		g_print(" %11s", column);
	}
	g_print("  best TFLOP/s\n");
}

static void put_row(const struct table *t, guint row)
{
	const struct ts_shape *shape = &g_array_index(t->shapes, struct ts_shape, row);
	int best = best_of(t, row);

	g_print("%-24s %7" G_GINT64_FORMAT " %7" G_GINT64_FORMAT " %7" G_GINT64_FORMAT, shape->name,
		shape->m, shape->n, shape->k);
	for (guint i = 0; i < t->schedules->len; i++) {
		const struct cell *c = &t->cells[row * t->schedules->len + i];

		if (c->error != NULL)
			g_print(" %11s", "refused");
		else if (c->fault != TS_SOUND)
			g_print(" %11s", "UNSOUND");
		else
			g_print(" %10.2f%s", (double)c->makespan / 1e6,
				best >= 0 &&
						c->makespan ==
							t->cells[row * t->schedules->len +
								 (guint)best]
								.makespan
					? "*"
					: " ");
	}
	if (best >= 0)
		g_print(" %12.1f", t->cells[row * t->schedules->len + (guint)best].tflops);
	g_print("\n");
}

/* Below the text table: what each schedule costs over all shapes against the best of each shape. */
static void put_foot(const struct table *t)
{
	g_print("%-48s", "times the best, mean over shapes");
	for (guint i = 0; i < t->schedules->len; i++) {
		double sum = 0;
		guint count = 0;

		for (guint row = 0; row < t->shapes->len; row++) {
			const struct cell *c = &t->cells[row * t->schedules->len + i];
			int best = best_of(t, row);
			uint64_t least;

			if (best < 0 || c->error != NULL || c->fault != TS_SOUND)
				continue;
			least = t->cells[row * t->schedules->len + (guint)best].makespan;
			sum += least > 0 ? (double)c->makespan / (double)least : 1;
			count++;
		}
		if (count > 0)
			g_print(" %10.3f ", sum / count);
		else
			g_print(" %11s", "-");
	}
	g_print("\n");
}

static void put_csv(const struct table *t)
{
	g_print("shape,m,n,k,schedule,verdict,makespan_ps,tflops,utilisation,best\n");
	for (guint row = 0; row < t->shapes->len; row++) {
		const struct ts_shape *shape = &g_array_index(t->shapes, struct ts_shape, row);
		int best = best_of(t, row);

		for (guint i = 0; i < t->schedules->len; i++) {
			const struct cell *c = &t->cells[row * t->schedules->len + i];
			g_autofree char *name = ts_request_schedule_text(
				&g_array_index(t->schedules, struct ts_spec, i));

			g_print("%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
				",\"%s\",%s,%" G_GUINT64_FORMAT ",%.3f,%.6f,%d\n",
				shape->name, shape->m, shape->n, shape->k, name,
				c->error != NULL ? "refused" : ts_fault_name(c->fault), c->makespan,
				c->tflops, c->utilisation, (int)i == best);
		}
	}
}

static void put_json(const struct table *t)
{
	JsonBuilder *b = json_builder_new();
	g_autofree char *text = NULL;

	json_builder_begin_array(b);
	for (guint row = 0; row < t->shapes->len; row++) {
		const struct ts_shape *shape = &g_array_index(t->shapes, struct ts_shape, row);
		int best = best_of(t, row);

		for (guint i = 0; i < t->schedules->len; i++) {
			const struct cell *c = &t->cells[row * t->schedules->len + i];
			g_autofree char *name = ts_request_schedule_text(
				&g_array_index(t->schedules, struct ts_spec, i));
			g_autofree char *command = c->error == NULL
				? ts_settings_command(t->settings, "", &c->spec)
				: g_strdup("");

			json_builder_begin_object(b);
			ts_json_text_member(b, "shape", shape->name);
			ts_json_count(b, "m", (uint64_t)shape->m);
			ts_json_count(b, "n", (uint64_t)shape->n);
			ts_json_count(b, "k", (uint64_t)shape->k);
			ts_json_text_member(b, "schedule", name);
			ts_json_text_member(b, "verdict",
				c->error != NULL ? c->error->message : ts_fault_name(c->fault));
			ts_json_count(b, "makespan_ps", c->makespan);
			ts_json_number(b, "tflops", c->tflops);
			ts_json_number(b, "utilisation", c->utilisation);
			json_builder_set_member_name(b, "best");
			json_builder_add_boolean_value(b, (int)i == best);
			ts_json_text_member(b, "command", command);
			json_builder_end_object(b);
		}
	}
	json_builder_end_array(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

/* Prints the table. An unsound schedule makes the exit code 1; if all are refused, so is the
 * command. */
static int report(struct table *t, GError **error)
{
	uint64_t count = (uint64_t)t->shapes->len * t->schedules->len;
	uint64_t refused = 0, unsound = 0;

	for (uint64_t i = 0; i < count; i++) {
		refused += t->cells[i].error != NULL;
		unsound += t->cells[i].error == NULL && t->cells[i].fault != TS_SOUND;
	}
	if (refused == count) {
		g_propagate_error(error, g_steal_pointer(&t->cells[0].error));
		return TS_EXIT_USAGE;
	}
	switch (t->format) {
	case TS_CSV: put_csv(t); break;
	case TS_JSON: put_json(t); break;
	case TS_TEXT:
	case TS_FORMATS:
		put_head(t);
		for (guint row = 0; row < t->shapes->len; row++)
			put_row(t, row);
		if (t->shapes->len > 1)
			put_foot(t);
		break;
	}
	if (unsound == 0)
		return TS_EXIT_OK;
	for (uint64_t i = 0; i < count; i++) {
		if (t->cells[i].error != NULL || t->cells[i].fault == TS_SOUND)
			continue;
		g_autofree char *command = ts_settings_command(t->settings, "", &t->cells[i].spec);

		g_printerr("tilesim: UNSOUND (%s: %s): %s\n", ts_fault_name(t->cells[i].fault),
			t->cells[i].finding, command);
		break;
	}
	return TS_EXIT_UNSOUND;
}

/* What stands in column m: of a list that is no capacity, the rows of all groups. */
static int64_t all_rows(const struct ts_spec *s)
{
	int64_t rows = 0;

	if (!ts_spec_has_list(s) || s->layout == TS_MASKED)
		return s->m;
	for (int64_t i = 0; i < s->list_count && rows < TS_COUNT_MAX; i++)
		rows += s->list_m[i];
	return MIN(rows, TS_COUNT_MAX);
}

/* What a row is called that comes from the axes. Free with g_free(). */
static char *shape_name(const struct ts_settings *settings, const struct ts_spec *s)
{
	g_autofree char *groups = NULL;

	if (!ts_spec_has_list(s))
		return g_strdup_printf("%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
				       "x%" G_GINT64_FORMAT,
			s->m, s->n, s->k);
	groups = ts_group_list_text(settings->lists, s);
	if (strlen(groups) <= 24)
		return g_steal_pointer(&groups);
	return g_strdup_printf("%" G_GINT64_FORMAT " groups", s->list_count);
}

/* Splits the product of the axes: groups, M, N and K change fastest and make the rows, unless a
 * file does; everything else makes the columns. */
static bool split(struct table *t, const struct ts_axes *axes, const char *file, GError **error)
{
	uint64_t sizes = axes->sizes[TS_AXIS_GROUPS] * axes->sizes[TS_AXIS_M] *
		axes->sizes[TS_AXIS_N] * axes->sizes[TS_AXIS_K];
	struct ts_spec spec;

	if (axes->count == UINT64_MAX)
		return ts_refuse(error,
			"more than 2^64 simulations: compare takes up to %d schedules and %d "
			"shapes; give "
			"fewer values",
			SCHEDULES_MAX, SHAPES_MAX);
	if (axes->count / sizes > SCHEDULES_MAX || sizes > SHAPES_MAX)
		return ts_refuse(error,
			"%" G_GUINT64_FORMAT " schedules of %" G_GUINT64_FORMAT
			" shapes: compare takes up to %d schedules and %d shapes; give fewer "
			"values",
			axes->count / sizes, sizes, SCHEDULES_MAX, SHAPES_MAX);
	for (uint64_t i = 0; i < axes->count; i += sizes) {
		if (!ts_axes_spec(axes, i, &spec))
			continue;
		if (axes->default_workers)
			spec.workers = 0;
		g_array_append_val(t->schedules, spec);
	}
	if (file != NULL &&
		(t->settings->axes[TS_AXIS_M] != NULL || t->settings->axes[TS_AXIS_N] != NULL ||
			t->settings->axes[TS_AXIS_K] != NULL ||
			t->settings->axes[TS_AXIS_GROUPS] != NULL))
		return ts_refuse(error,
			"--shapes %s: the sizes come from there; leave out --m, --n, --k and "
			"--groups",
			file);
	if (file != NULL)
		return (t->shapes = ts_shapes_load(file, error)) != NULL;
	t->shapes = ts_shapes_new();
	for (uint64_t i = 0; i < sizes; i++) {
		ts_axes_spec(axes, i, &spec);
		ts_shapes_add(
			t->shapes, shape_name(t->settings, &spec), all_rows(&spec), spec.n, spec.k);
		g_array_append_val(t->lists, spec);
	}
	return true;
}

static void copy_groups(struct ts_spec *spec, const struct ts_spec *from)
{
	spec->list_count = from->list_count;
	spec->list_m = from->list_m;
	spec->list_n = from->list_n;
	spec->list_k = from->list_k;
}

static void fill(struct table *t)
{
	t->cells = g_new0(struct cell, (size_t)t->shapes->len * t->schedules->len);
	for (guint row = 0; row < t->shapes->len; row++) {
		const struct ts_shape *shape = &g_array_index(t->shapes, struct ts_shape, row);

		for (guint i = 0; i < t->schedules->len; i++) {
			struct ts_spec *spec = &t->cells[row * t->schedules->len + i].spec;

			*spec = g_array_index(t->schedules, struct ts_spec, i);
			ts_shape_set(shape, spec);
			if (row < t->lists->len)
				copy_groups(spec, &g_array_index(t->lists, struct ts_spec, row));
		}
	}
}

static void clear(struct table *t)
{
	for (size_t i = 0; t->cells != NULL && i < (size_t)t->shapes->len * t->schedules->len;
		i++) {
		g_clear_error(&t->cells[i].error);
		g_free(t->cells[i].finding);
	}
	g_free(t->cells);
	g_clear_pointer(&t->shapes, g_array_unref);
	g_clear_pointer(&t->schedules, g_array_unref);
	g_clear_pointer(&t->lists, g_array_unref);
}

static int compare(const struct ts_settings *settings, const struct options *o, GError **error)
{
	struct table t = {.settings = settings,
		.schedules = g_array_new(FALSE, FALSE, sizeof(struct ts_spec)),
		.lists = g_array_new(FALSE, FALSE, sizeof(struct ts_spec))};
	struct ts_loop loop = {.progress = "simulations", .work = work, .data = &t};
	struct ts_device *device = ts_settings_device(settings, error);
	struct ts_axes axes = {0};
	int64_t jobs = ts_loop_threads();
	int code = TS_EXIT_USAGE;
	bool good = device != NULL && ts_format_parse(o->format, &t.format, error) &&
		ts_settings_axes(settings, device, &axes, error);

	if (good && o->jobs != NULL &&
		(!ts_parse_int(o->jobs, &jobs) || !ts_in_range(jobs, 1, 1024)))
		good = ts_refuse(
			error, "--jobs %s: must be a whole number from 1 to 1024", o->jobs);
	if (good && split(&t, &axes, o->shapes, error)) {
		fill(&t);
		loop.count = (uint64_t)t.shapes->len * t.schedules->len;
		loop.threads = (unsigned)jobs;
		ts_loop_run(&loop);
		code = report(&t, error);
	}
	clear(&t);
	ts_axes_finish(&axes);
	ts_device_free(device);
	return code;
}

int ts_compare_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"shapes", 0, 0, G_OPTION_ARG_FILENAME, &o.shapes,
			"shapes of a model, such as llama3-8b, or a CSV file with name,m,n,k or "
			"name,groups,n,k",
			"FILE"},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o.format, "text (default), json or csv",
			"FORMAT"},
		{"jobs", 'j', 0, G_OPTION_ARG_STRING, &o.jobs, "threads (default: one a processor)",
			"N"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "compare",
		"Simulates several schedules of several shapes, and marks the best of each shape.\n"
		"Options of the plan take lists and ranges; by default all policies are compared.",
		entries);
	int code = TS_EXIT_USAGE;

	if (ts_settings_parse(&settings, context, argc, argv, error)) {
		if (settings.axes[TS_AXIS_POLICY] == NULL && settings.file == NULL) {
			settings.axes[TS_AXIS_POLICY] = g_strdup("all");
			if (settings.axes[TS_AXIS_MODE] == NULL)
				settings.axes[TS_AXIS_MODE] = g_strdup("all");
		}
		code = settings.help ? TS_EXIT_OK : compare(&settings, &o, error);
	}
	ts_settings_finish(&settings);
	g_free(o.format);
	g_free(o.shapes);
	g_free(o.jobs);
	return code;
}
