/* tilesim explore: every order of events of small schedules. */
#include "verify/explore.h"

#include <json-glib/json-glib.h>

#include "sim/command.h"
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

/* One request and what came of it. */
struct result {
	struct ts_spec spec;
	struct ts_plan plan;
	struct ts_explored explored;
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

/* False and a refusal where there is no such plan, or where it is too large. */
static bool explore(const struct job *job, struct result *r, GError **error)
{
	struct ts_explore how = job->how;
	g_autofree uint32_t *counters = NULL;

	if (!ts_request_plan_as(&r->plan, &r->spec, job->rules, error))
		return false;
	if (!ts_explore_fits(&r->plan))
		return ts_refuse(error,
			"%u x %u tiles with %u k iterations and %u workers: too much to explore; "
			"make it smaller, or use `tilesim verify`",
			r->plan.rows, r->plan.cols, r->plan.depth, r->plan.workers);
	if (job->options->dirty && r->plan.counters > 0 && r->plan.items > 0)
		how.counters = counters = leave_dirty(job, &r->plan);
	ts_explore_run(&how, &r->plan, &r->explored);
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
	struct result r = {.spec = *spec};
	bool failed;

	if (!explore(same->job, &r, NULL))
		return false;
	failed = r.explored.finding.fault == same->fault;
	ts_explored_finish(&r.explored);
	return failed;
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

static char *finding_text(const struct result *r)
{
	g_autofree char *text = ts_finding_text(&r->explored.finding, &r->plan);

	return g_strdup_printf("%s: %s", ts_fault_name(r->explored.finding.fault), text);
}

/* Where an exploration without a fault is no proof: why. Free with g_free(). */
static char *limit_text(const struct ts_explored *e)
{
	switch (e->limit) {
	case TS_LIMIT_NONE: break;
	case TS_LIMIT_STATES:
		return g_strdup_printf(
			"stopped at %" G_GUINT64_FORMAT
			" states: every order of up to %" G_GUINT64_FORMAT
			" moves is tried, longer ones are not; --states allows more, as "
			"far as memory does",
			e->states, e->depth);
	case TS_LIMIT_LOWERED:
		return g_strdup("a signal lowers a counter: workers that go round for ever would "
				"not be noticed");
	}
	return NULL;
}

static char *counts_text(const struct ts_explored *e)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " states, %" G_GUINT64_FORMAT
			       " moves, %" G_GUINT64_FORMAT " ends with %u %s",
		e->states, e->moves, e->ends, g_hash_table_size(e->outcomes),
		g_hash_table_size(e->outcomes) == 1 ? "outcome" : "outcomes");
}

/* Sound and proven, sound as far as was tried, or not. */
static const char *verdict(const struct ts_explored *e)
{
	if (e->finding.fault != TS_SOUND)
		return "FAILED";
	return e->limit == TS_LIMIT_NONE ? "sound" : "no fault yet";
}

static void print_lines(const struct result *r)
{
	const struct ts_explored *e = &r->explored;

	for (guint i = 0; i < e->schedule->len; i++) {
		g_autofree char *text =
			ts_event_text(&g_array_index(e->schedule, struct ts_event, i), &r->plan);

		g_print("%10u.  %s\n", i + 1, text);
	}
	for (guint i = 0; i < e->blocked->len; i++) {
		g_autofree char *text =
			ts_blocked_text(&g_array_index(e->blocked, struct ts_blocked, i));

		g_print("stuck        %s\n", text);
	}
}

/* The failure, how it comes about, and the smallest like it. */
static void print_failure(const struct job *job, const struct result *r)
{
	struct same same = {job, r->explored.finding.fault};
	struct result small = {.spec = r->spec};
	g_autofree char *found = finding_text(r);
	g_autofree char *found_command = command_text(job, &r->spec);
	g_autofree char *text = NULL, *small_command = NULL;

	g_print("FAILED       %s\nfound with   %s\nschedule     a shortest one\n", found,
		found_command);
	print_lines(r);
	ts_shrink(&small.spec, fails, &same);
	if (!explore(job, &small, NULL))
		return;
	text = finding_text(&small);
	small_command = command_text(job, &small.spec);
	g_print("smallest     %s\nrepeat with  %s\n", text, small_command);
	ts_explored_finish(&small.explored);
}

static void print_one(const struct job *job, const struct result *r)
{
	const struct ts_explored *e = &r->explored;
	g_autofree char *plan = ts_request_plan_text(&r->plan);
	g_autofree char *counts = counts_text(e);
	g_autofree char *limit = limit_text(e);

	g_print("plan         %s\nexplored     %s\n", plan, counts);
	if (e->finding.fault != TS_SOUND)
		print_failure(job, r);
	else if (limit != NULL)
		g_print("no fault yet %s\n", limit);
	else
		g_print("sound        every schedule there is computes each tile once and in "
			"bounds, and ends\n");
}

/* One line of many. */
static void print_row(const struct result *r)
{
	g_autoptr(GString) options = g_string_new(NULL);
	g_autofree char *counts = counts_text(&r->explored);
	g_autofree char *finding = NULL;

	ts_request_options(&r->spec, options);
	g_print("%-12s %s:%s\n", verdict(&r->explored), counts, options->str);
	if (r->explored.finding.fault != TS_SOUND)
		g_print("             %s\n", finding = finding_text(r));
}

static void add_lines(JsonBuilder *b, const struct result *r)
{
	const struct ts_explored *e = &r->explored;

	json_builder_set_member_name(b, "schedule");
	json_builder_begin_array(b);
	for (guint i = 0; i < e->schedule->len; i++) {
		g_autofree char *text =
			ts_event_text(&g_array_index(e->schedule, struct ts_event, i), &r->plan);

		json_builder_add_string_value(b, text);
	}
	json_builder_end_array(b);
	json_builder_set_member_name(b, "stuck");
	json_builder_begin_array(b);
	for (guint i = 0; i < e->blocked->len; i++) {
		g_autofree char *text =
			ts_blocked_text(&g_array_index(e->blocked, struct ts_blocked, i));

		json_builder_add_string_value(b, text);
	}
	json_builder_end_array(b);
}

static void add_smallest(JsonBuilder *b, const struct job *job, const struct result *r)
{
	struct same same = {job, r->explored.finding.fault};
	struct ts_spec smallest = r->spec;
	g_autofree char *command = NULL;

	ts_shrink(&smallest, fails, &same);
	command = command_text(job, &smallest);
	ts_json_text_member(b, "smallest_command", command);
}

static void add_object(JsonBuilder *b, const struct job *job, const struct result *r, bool single)
{
	const struct ts_explored *e = &r->explored;
	g_autofree char *command = command_text(job, &r->spec);
	g_autofree char *finding = finding_text(r);
	g_autofree char *limit = limit_text(e);
	bool failed = e->finding.fault != TS_SOUND;

	json_builder_begin_object(b);
	ts_json_text_member(b, "verdict", ts_fault_name(e->finding.fault));
	json_builder_set_member_name(b, "exact");
	json_builder_add_boolean_value(b, failed || e->limit == TS_LIMIT_NONE);
	ts_json_count(b, "states", e->states);
	ts_json_count(b, "moves", e->moves);
	ts_json_count(b, "ends", e->ends);
	ts_json_count(b, "outcomes", g_hash_table_size(e->outcomes));
	ts_json_count(b, "depth", e->depth);
	if (limit != NULL && !failed)
		ts_json_text_member(b, "limit", limit);
	ts_json_text_member(b, "command", command);
	if (failed) {
		ts_json_text_member(b, "finding", finding);
		add_lines(b, r);
	}
	if (failed && single)
		add_smallest(b, job, r);
	json_builder_end_object(b);
}

/* Explores each request of the product. A refusal ends it where there is only one, and else is a
 * line of its own; if all are refused the last one is returned. */
static int explore_all(const struct job *job, const struct ts_axes *axes, GError **error)
{
	bool single = axes->count == 1;
	JsonBuilder *b = json_builder_new();
	g_autofree char *text = NULL;
	g_autoptr(GError) refusal = NULL;
	bool any = false;
	int code = TS_EXIT_OK;

	if (!single)
		json_builder_begin_array(b);
	for (uint64_t i = 0; i < axes->count; i++) {
		struct result r = {0};

		if (!ts_axes_spec(axes, i, &r.spec))
			continue;
		g_clear_error(&refusal);
		if (!explore(job, &r, &refusal)) {
			if (!single && job->format == TS_TEXT)
				g_print("refused      %s\n", refusal->message);
			continue;
		}
		any = true;
		if (r.explored.finding.fault != TS_SOUND)
			code = TS_EXIT_UNSOUND;
		if (job->format == TS_JSON)
			add_object(b, job, &r, single);
		else if (single)
			print_one(job, &r);
		else
			print_row(&r);
		ts_explored_finish(&r.explored);
	}
	if (!single)
		json_builder_end_array(b);
	if (!any) {
		g_object_unref(b);
		g_propagate_error(error, g_steal_pointer(&refusal));
		return TS_EXIT_USAGE;
	}
	text = ts_json_text(b);
	if (job->format == TS_JSON)
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
	const struct ts_settings *s = job->settings;
	int64_t residency, states;
	bool hardware;

	if (!ts_format_parse(o->format, &job->format, error) ||
		!read_number("residency", o->residency, TS_COUNT_MAX, &residency, error) ||
		!read_number("states", o->states, 1 << 30, &states, error) ||
		!ts_settings_hardware_domain(s, &hardware, error))
		return false;
	if (job->format == TS_CSV)
		return ts_refuse(error, "--format csv: an exploration has text and json");
	if (hardware)
		return ts_refuse(error,
			"--domain hardware: there are no places here; a worker's XCD is its id %% "
			"xcds");
	if (s->mask != NULL || s->slow != NULL || s->hold != NULL || s->release != NULL ||
		s->jitter != NULL)
		return ts_refuse(error,
			"an exploration has no units and no time, so no --mask, --slow, --hold, "
			"--jitter or release at a time; --release, --late and --residency try all");
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
		if (settings->axes[i] == NULL)
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
