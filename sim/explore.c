/* tilesim explore: every order of events of small schedules. */
#include "verify/explore.h"

#include "sim/command.h"
#include "sim/explore_report.h"
#include "sim/refuse.h"
#include "sim/report.h"
#include "sim/request.h"
#include "verify/shrink.h"
#include "verify/walk.h"

struct options {
	char *format, *residency, *states;
	gboolean release, late, dirty, brute;
};

struct job {
	const struct ts_settings *settings;
	const struct options *options;
	const struct ts_rules *rules; /* of a policy file, or NULL */
	struct ts_explore how;        /* but for the counters */
	enum ts_format format;
};

/* Small enough to be explored in a moment, and ragged. */
static const char *const presets[TS_AXES] = {
	[TS_AXIS_BLOCK] = "1x1x1",
	[TS_AXIS_WORKERS] = "3",
	[TS_AXIS_XCDS] = "2",
	[TS_AXIS_M] = "4",
	[TS_AXIS_N] = "3",
	[TS_AXIS_K] = "1",
};

static const uint64_t states_preset = 4000000;

/* What the counters hold after a launch. */
static uint32_t *leave_dirty(const struct job *job, const struct ts_plan *plan)
{
	struct ts_walk walk = {.pick = TS_IN_TURNS, .resident = MAX(plan->workers, 1)};
	struct ts_coverage coverage;
	uint32_t *counters;

	ts_coverage_init(&coverage);
	ts_walk_run(&walk, plan, job->rules, &coverage);
	counters = g_memdup2(coverage.claimed, plan->counters * sizeof *counters);
	ts_coverage_finish(&coverage);
	return counters;
}

/* The command that explores `spec` in the same way. Free with g_free(). */
static char *command_text(const struct job *job, const struct ts_spec *spec)
{
	const struct options *o = job->options;
	g_autofree char *command = ts_settings_command(job->settings, "explore", spec);
	GString *out = g_string_new(command);

	if (o->residency != NULL)
		g_string_append_printf(out, " --residency %s", o->residency);
	if (o->states != NULL)
		g_string_append_printf(out, " --states %s", o->states);
	g_string_append_printf(out, "%s%s%s%s", o->release ? " --release" : "",
		o->late ? " --late" : "", o->dirty ? " --dirty" : "", o->brute ? " --brute" : "");
	return g_string_free(out, FALSE);
}

static void finish(struct ts_exploration *x)
{
	ts_explored_finish(&x->explored);
	ts_group_room_finish(&x->room);
	g_free(x->command);
}

/* Explores x->spec. False and a refusal where there is no such plan, or where it is too large; then
 * there is nothing to finish. */
static bool explore(const struct job *job, struct ts_exploration *x, GError **error)
{
	struct ts_explore how = job->how;
	g_autofree uint32_t *counters = NULL;
	const struct ts_spec roomy = ts_group_room_give(&x->room, &x->spec);

	if (!ts_request_plan_as(&x->plan, &roomy, job->rules, error))
		return ts_group_room_finish(&x->room), false;
	if (!ts_explore_fits(&x->plan)) {
		ts_group_room_finish(&x->room);
		return ts_refuse(error,
			"%u x %u tiles in %u groups with %u k iterations and %u workers: too much "
			"to explore; make it smaller, or use `tilesim verify`",
			x->plan.rows, x->plan.cols, x->plan.groups, x->plan.depth, x->plan.workers);
	}
	if (job->options->dirty && x->plan.counters > 0 && x->plan.items > 0)
		how.counters = counters = leave_dirty(job, &x->plan);
	ts_explore_run(&how, &x->plan, &x->explored);
	x->command = command_text(job, &x->spec);
	return true;
}

/* For shrinking: fails in the same way as at first. */
struct same {
	const struct job *job;
	enum ts_fault fault;
};

static bool fails(void *data, const struct ts_spec *spec)
{
	const struct same *same = data;
	struct ts_exploration x = {.spec = *spec};
	bool failed;

	if (!explore(same->job, &x, NULL))
		return false;
	failed = x.explored.finding.fault == same->fault;
	finish(&x);
	return failed;
}

/* The only request: reported in full. */
static void report_one(const struct job *job, JsonBuilder *b, const struct ts_exploration *x)
{
	struct same same = {job, x->explored.finding.fault};
	struct ts_exploration small = {.spec = x->spec};
	bool failed = same.fault != TS_SOUND;

	if (failed) {
		ts_shrink(&small.spec, fails, &same);
		failed = explore(job, &small, NULL);
	}
	if (job->format == TS_JSON)
		ts_exploration_add(b, x, failed ? &small : NULL);
	else
		ts_exploration_print(x, failed ? &small : NULL);
	if (failed)
		finish(&small);
	if (same.fault != TS_SOUND)
		ts_shrink_free(&small.spec);
}

/* One of several: a line, or an object in a list. */
static void report_row(const struct job *job, JsonBuilder *b, const struct ts_exploration *x)
{
	if (job->format == TS_JSON)
		ts_exploration_add(b, x, NULL);
	else
		ts_exploration_print_row(x);
}

/* Explores each request of the product and reports to `b` or in lines. A refused one is passed over
 * with a line; if all are, the last refusal is returned. */
static int explore_each(
	const struct job *job, const struct ts_axes *axes, JsonBuilder *b, GError **error)
{
	g_autoptr(GError) refusal = NULL;
	bool undecided = false;
	int code = TS_EXIT_USAGE;

	for (uint64_t i = 0; i < axes->count; i++) {
		struct ts_exploration x = {0};

		if (!ts_axes_spec(axes, i, &x.spec))
			continue;
		g_clear_error(&refusal);
		if (!explore(job, &x, &refusal)) {
			if (axes->count > 1 && job->format == TS_TEXT)
				g_print("refused      %s\n", refusal->message);
			continue;
		}
		if (x.explored.finding.fault != TS_SOUND)
			code = TS_EXIT_UNSOUND;
		else if (x.explored.limit == TS_LIMIT_STATES)
			undecided = true;
		else if (code == TS_EXIT_USAGE)
			code = TS_EXIT_OK;
		if (axes->count == 1)
			report_one(job, b, &x);
		else
			report_row(job, b, &x);
		finish(&x);
	}
	if (undecided && code != TS_EXIT_UNSOUND) {
		ts_refuse(error,
			"not decided: there are more states than --states allows; give more, or a "
			"smaller plan");
		return TS_EXIT_USAGE;
	}
	if (code == TS_EXIT_USAGE)
		g_propagate_error(error, g_steal_pointer(&refusal));
	return code;
}

static int explore_all(const struct job *job, const struct ts_axes *axes, GError **error)
{
	JsonBuilder *b = json_builder_new();
	g_autofree char *text = NULL;
	int code;

	if (axes->count > 1)
		json_builder_begin_array(b);
	code = explore_each(job, axes, b, error);
	if (axes->count > 1)
		json_builder_end_array(b);
	if (job->format != TS_JSON || code == TS_EXIT_USAGE) {
		g_object_unref(b);
		return code;
	}
	text = ts_json_text(b);
	g_print("%s", text);
	return code;
}

/* A number that is 0 where it is not given. */
static bool read_number(
	const char *name, const char *text, int64_t most, int64_t *ret_value, GError **error)
{
	*ret_value = 0;
	if (text == NULL || (ts_parse_int(text, ret_value) && ts_in_range(*ret_value, 1, most)))
		return true;
	return ts_refuse(error, "--%s %s: must be a whole number from 1 to %" G_GINT64_FORMAT, name,
		text, most);
}

static bool read_options(struct job *job, GError **error)
{
	const struct options *o = job->options;
	static const char *const taken[] = {NULL};
	const struct ts_settings *s = job->settings;
	int64_t residency, states;
	bool hardware;

	if (!ts_format_parse(o->format, &job->format, error) ||
		!read_number("residency", o->residency, TS_COUNT_MAX, &residency, error) ||
		!read_number("states", o->states, 1 << 30, &states, error) ||
		!ts_settings_no_time(s,
			"an exploration has no units, no time and nothing random; --release, "
			"--late and --residency try all",
			taken, error) ||
		!ts_settings_hardware_domain(s, &hardware, error))
		return false;
	if (job->format == TS_CSV)
		return ts_refuse(error, "--format csv: an exploration has text and json");
	if (hardware)
		return ts_refuse(error,
			"--domain hardware: there are no places here; a worker's XCD is its id %% "
			"xcds");
	job->how.resident = (uint32_t)residency;
	job->how.states_max = states == 0 ? states_preset : (uint64_t)states;
	job->how.rules = job->rules;
	job->how.release = o->release;
	job->how.late = o->late;
	job->how.brute = o->brute;
	return true;
}

static int run(struct ts_settings *settings, const struct options *o, GError **error)
{
	struct job job = {.settings = settings, .options = o, .rules = ts_settings_rules(settings)};
	struct ts_device *device;
	struct ts_axes axes;
	int code = TS_EXIT_USAGE;

	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (settings->axes[i] == NULL &&
			(i != TS_AXIS_M || settings->axes[TS_AXIS_GROUPS] == NULL))
			settings->axes[i] = g_strdup(presets[i]);
	if (!read_options(&job, error))
		return TS_EXIT_USAGE;
	device = ts_settings_device(settings, error);
	if (device == NULL)
		return TS_EXIT_USAGE;
	if (ts_settings_axes(settings, device, &axes, error)) {
		code = explore_all(&job, &axes, error);
		ts_axes_finish(&axes);
	}
	ts_device_free(device);
	return code;
}

int ts_explore_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"release", 0, 0, G_OPTION_ARG_NONE, &o.release,
			"workers leave between items, as far as the policy promises to survive it",
			NULL},
		{"late", 0, 0, G_OPTION_ARG_NONE, &o.late,
			"workers start at any time and, as far as it promises, never", NULL},
		{"residency", 0, 0, G_OPTION_ARG_STRING, &o.residency,
			"workers that fit at once; others enter as these leave (default: all)",
			"N"},
		{"dirty", 0, 0, G_OPTION_ARG_NONE, &o.dirty,
			"counters hold what a launch before left", NULL},
		{"states", 0, 0, G_OPTION_ARG_STRING, &o.states,
			"stop at so many states (default 4000000)", "N"},
		{"brute", 0, 0, G_OPTION_ARG_NONE, &o.brute, "also try orders that cannot differ",
			NULL},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o.format, "text (default) or json",
			"FORMAT"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "explore",
		"Tries every order in which the claims, waits and signals of a small schedule can\n"
		"take effect. Options of the plan take lists and ranges; the defaults are 4x3\n"
		"tiles, 3 workers and 2 XCDs.",
		entries);
	int code = TS_EXIT_USAGE;

	if (ts_settings_parse(&settings, context, argc, argv, error))
		code = settings.help ? TS_EXIT_OK : run(&settings, &o, error);
	ts_settings_finish(&settings);
	g_free(o.format);
	g_free(o.residency);
	g_free(o.states);
	return code;
}
