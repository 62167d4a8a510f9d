/* tilesim check: verify a trace that some kernel recorded. */
#include <string.h>

#include "sim/check_grid.h"
#include "sim/check_report.h"
#include "sim/command.h"
#include "sim/machine.h"
#include "sim/refuse.h"
#include "sim/request.h"
#include "verify/against.h"

struct options {
	char *format, **files;
	struct ts_grid_options grid;
	gboolean ignore, against;
};

/* One check from its options to its report. */
struct job {
	const struct ts_settings *settings;
	const struct options *options;
	struct ts_device *device;
	struct ts_spec spec;
	struct ts_plan plan;
	struct ts_group_room room; /* that the plan points to */
	struct ts_check_grid grid;
	struct ts_trace *trace;
	struct ts_ledger ledger;
	struct ts_against against;
	char *against_text;
};

static void finish(struct job *j)
{
	g_free(j->against_text);
	ts_against_finish(&j->against);
	ts_ledger_finish(&j->ledger);
	ts_trace_close(j->trace);
	ts_grid_finish(&j->grid);
	ts_group_room_finish(&j->room);
	ts_device_free(j->device);
}

/* What a trace must have for these options. */
static bool check_columns(const struct job *j, GError **error)
{
	const struct ts_trace *t = j->trace;
	const struct ts_grid_options *o = &j->options->grid;

	if (j->grid.tiling.count > 1 && !ts_trace_has(t, TS_COL_GROUP))
		return ts_trace_refuse(t, error, "group", "must be there where there are %u groups",
			j->grid.tiling.count);
	if (o->tiles != NULL && o->k_iterations == NULL &&
		(ts_trace_has(t, TS_COL_K_BEGIN) || ts_trace_has(t, TS_COL_K_END)))
		return ts_refuse(error,
			"--tiles %s: the trace has k ranges; give --k-iterations, how many a tile "
			"has",
			o->tiles);
	if (j->options->against && !ts_trace_has(t, TS_COL_WORKER))
		return ts_trace_refuse(t, error, "worker", "must be there for --against");
	return true;
}

/* Makes the plan that the trace is compared with. */
static bool make_plan(struct job *j, GError **error)
{
	const struct ts_settings *s = j->settings;
	const struct options *o = j->options;
	const struct ts_rules *rules = ts_settings_rules(s);
	g_autofree char *plan = NULL;
	struct ts_spec roomy;
	bool hardware;

	if (o->grid.tiles != NULL || o->grid.group_tiles != NULL)
		return ts_refuse(error,
			"--against: the plan's grid comes from --m, --n, --k, --block, --batch and "
			"--groups; leave out --%s",
			o->grid.tiles != NULL ? "tiles" : "group-tiles");
	if (j->spec.workers == 0 && s->axes[TS_AXIS_WORKERS] == NULL)
		j->spec.workers = MAX(1,
			ts_machine_residency(
				j->device, (uint32_t)(j->spec.cluster_m * j->spec.cluster_n)));
	roomy = ts_group_room_give(&j->room, &j->spec);
	if (!ts_request_plan_as(&j->plan, &roomy, rules, error) ||
		!ts_settings_hardware_domain(s, &hardware, error))
		return false;
	if (hardware && !ts_trace_has(j->trace, TS_COL_XCD) &&
		!ts_trace_has(j->trace, TS_COL_DOMAIN))
		return ts_trace_refuse(
			j->trace, error, "xcd", "must be there for --domain hardware");
	if (!ts_against_init(&j->against, &j->plan, rules, hardware, &j->ledger.lapses, error))
		return false;
	plan = ts_request_plan_text(&j->plan);
	j->against_text = g_strconcat(plan,
		j->against.claims
			? "; compared: each worker's items come from counters it may claim "
			  "from, in the order of its list and of each counter"
			: "; compared: each worker's items, from the first to the last",
		NULL);
	return true;
}

/* Reads the trace once. */
static bool pass(struct job *j, GError **error)
{
	struct ts_record record;
	enum ts_read read;

	while ((read = ts_trace_next(j->trace, &record, error)) == TS_READ_RECORD) {
		if (j->ledger.items == TS_LEDGER_LINES)
			return ts_trace_refuse(j->trace, error, NULL,
				"a trace has at most %d items", TS_LEDGER_LINES);
		ts_ledger_add(&j->ledger, &record);
		if (j->options->against)
			ts_against_add(&j->against, &record);
	}
	if (read == TS_READ_BAD)
		return false;
	ts_ledger_close(&j->ledger);
	if (j->options->against)
		ts_against_close(&j->against);
	return true;
}

/* Reads the trace again, if that can be done, for who was first to do what was done twice. */
static void find_other(struct job *j)
{
	struct ts_lapse *twice = &j->ledger.lapses.kinds[TS_LAPSE_TWICE];
	struct ts_record record;

	if (twice->count == 0 || !ts_trace_rewind(j->trace))
		return;
	while (ts_trace_next(j->trace, &record, NULL) == TS_READ_RECORD &&
		record.line < twice->record.line) {
		if (!ts_ledger_covers(&j->ledger, &record, &twice->found))
			continue;
		twice->other_line = record.line;
		if (ts_trace_has(j->trace, TS_COL_WORKER))
			twice->other_worker = record.value[TS_COL_WORKER];
		return;
	}
}

static int report(struct job *j, enum ts_format format, const char *command)
{
	const struct ts_settings *s = j->settings;
	struct ts_check check = {.trace = j->trace,
		.ledger = &j->ledger,
		.against = j->against_text,
		.command = command};
	g_autofree char *text = NULL;

	/* The device is a default unless it was asked for, and then says nothing of this trace. */
	if (s->axes[TS_AXIS_WORKERS] != NULL && j->spec.workers > 0)
		check.workers = (uint32_t)MIN(j->spec.workers, TS_COUNT_MAX);
	if (j->options->against)
		check.workers = j->plan.workers;
	if (s->device != NULL || s->cus != NULL)
		check.units = j->device->units;
	if (s->axes[TS_AXIS_XCDS] != NULL && j->spec.domains > 0)
		check.xcds = (uint32_t)MIN(j->spec.domains, UINT16_MAX);
	else if (s->device != NULL)
		check.xcds = j->device->groups;
	text = ts_check_report(&check, format);
	g_print("%s", text);
	return j->ledger.lapses.count == 0 ? TS_EXIT_OK : TS_EXIT_UNSOUND;
}

static int check(const struct ts_settings *settings, const struct options *o, const char *command,
	GError **error)
{
	struct job j = {.settings = settings, .options = o};
	enum ts_format format;
	int code = TS_EXIT_USAGE;

	if (o->files == NULL || o->files[1] != NULL) {
		ts_refuse(error,
			"give one trace to check: tilesim check FILE, or - for standard input");
		return TS_EXIT_USAGE;
	}
	if (!ts_format_parse(o->format, &format, error))
		return TS_EXIT_USAGE;
	if (format == TS_CSV) {
		ts_refuse(error, "--format csv: must be text or json");
		return TS_EXIT_USAGE;
	}
	j.device = ts_settings_device(settings, error);
	if (j.device != NULL && ts_settings_spec(settings, j.device, &j.spec, error) &&
		ts_grid_make(&o->grid, settings, &j.spec, &j.grid, error)) {
		j.trace = ts_trace_open(o->files[0], o->ignore, error);
		if (j.trace != NULL && check_columns(&j, error)) {
			if (!ts_ledger_init(&j.ledger, &j.grid.tiling, j.trace->columns))
				ts_refuse(error,
					"there is no memory for %" G_GUINT64_FORMAT " tiles",
					j.grid.tiling.tiles);
			else if ((!o->against || make_plan(&j, error)) && pass(&j, error)) {
				find_other(&j);
				code = report(&j, format, command);
			}
		}
	}
	finish(&j);
	return code;
}

/* The command as it was typed. */
static char *quote(int argc, char **argv)
{
	GString *out = g_string_new("tilesim");

	for (int i = 0; i < argc; i++) {
		g_autofree char *quoted = g_shell_quote(argv[i]);
		bool plain = argv[i][0] != '\0' &&
			strspn(argv[i],
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:"
				"@/"
				"+-=") == strlen(argv[i]);

		g_string_append_printf(out, " %s", plain ? argv[i] : quoted);
	}
	return g_string_free(out, FALSE);
}

static void free_options(struct options *o)
{
	g_free(o->format);
	g_strfreev(o->files);
	g_free(o->grid.tiles);
	g_free(o->grid.k_iterations);
	g_free(o->grid.group_tiles);
}

/* A policy that is named is meant to be compared with. */
static bool check_policy(const struct ts_settings *s, bool against, GError **error)
{
	if (against || (s->axes[TS_AXIS_POLICY] == NULL && s->file == NULL))
		return true;
	return ts_refuse(error,
		"--policy%s %s: a trace is compared with a policy only with --against; add it, or "
		"leave the policy out",
		s->file != NULL ? "-file" : "",
		s->file != NULL ? s->policy_file : s->axes[TS_AXIS_POLICY]);
}

int ts_check_command(int argc, char **argv, GError **error)
{
	static const char *const taken[] = {NULL};
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"tiles", 0, 0, G_OPTION_ARG_STRING, &o.grid.tiles,
			"the grid in tiles, in place of --m, --n, --k and --block", "ROWSxCOLS"},
		{"k-iterations", 0, 0, G_OPTION_ARG_STRING, &o.grid.k_iterations,
			"of a tile of --tiles (default 1)", "D"},
		{"group-tiles", 0, 0, G_OPTION_ARG_FILENAME, &o.grid.group_tiles,
			"a grid for each group: CSV with group,rows,cols,k_iterations", "FILE"},
		{"against", 0, 0, G_OPTION_ARG_NONE, &o.against,
			"compare with the items that --policy and its options give each worker",
			NULL},
		{"ignore-columns", 0, 0, G_OPTION_ARG_NONE, &o.ignore, "skip unknown columns",
			NULL},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o.format, "text (default) or json",
			"FORMAT"},
		{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.files, NULL, NULL}, {0}};
	struct ts_settings settings;
	g_autofree char *command = quote(argc, argv);
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "check FILE",
		"Verifies a trace that a kernel recorded: CSV with a header line, or JSON lines, "
		"one "
		"item\n"
		"each, from FILE or - for standard input. m and n, a tile's row and column, must "
		"be "
		"there;\n"
		"worker, sm, xcd, iteration, group, k_begin, k_end, t0, t1 and others may be.",
		entries);
	int code = TS_EXIT_USAGE;

	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		ts_settings_no_time(&settings, "a trace is what has happened", taken, error) &&
		check_policy(&settings, o.against, error))
		code = settings.help ? TS_EXIT_OK : check(&settings, &o, command, error);
	ts_settings_finish(&settings);
	free_options(&o);
	return code;
}
