/* tilesim verify: check the schedules of many requests, without simulating time. */
#include "verify/check.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "sim/command.h"
#include "sim/machine.h"
#include "sim/parallel.h"
#include "sim/refuse.h"
#include "sim/report.h"
#include "sim/request.h"
#include "verify/shrink.h"

struct options {
	char *format, *random, *jobs, *box;
};

/* Boxes: small worlds in which everything is tried, always ragged. The first value of each axis is
 * the one that is taken where the axis does not matter. */
struct box {
	const char *name;
	const char *axes[TS_AXES];
	uint32_t masked_workers;
};

static const struct box boxes[] = {
	{"small",
		{[TS_AXIS_POLICY] = "all",
			[TS_AXIS_MODE] = "all",
			[TS_AXIS_ORDER] = "all",
			[TS_AXIS_WIDTH] = "0,1,2,3",
			[TS_AXIS_REMAP] = "all",
			[TS_AXIS_CHUNK] = "0,1,3",
			[TS_AXIS_CLUSTER] = "1x1,2x1,1x2,3x2",
			[TS_AXIS_BLOCK] = "1x1x1",
			[TS_AXIS_WORKERS] = "1,2,3,5",
			[TS_AXIS_XCDS] = "1,2,3,8",
			[TS_AXIS_SLOTS] = "1,2",
			[TS_AXIS_LOCAL] = "90,0,100",
			[TS_AXIS_M] = "1:4",
			[TS_AXIS_N] = "1:4",
			[TS_AXIS_K] = "1"},
		3},
	{"large",
		{[TS_AXIS_POLICY] = "all",
			[TS_AXIS_MODE] = "all",
			[TS_AXIS_ORDER] = "all",
			[TS_AXIS_WIDTH] = "0,1,2,3,5",
			[TS_AXIS_REMAP] = "all",
			[TS_AXIS_CHUNK] = "0,1,3",
			[TS_AXIS_CLUSTER] = "1x1,2x1,1x2,2x2,3x2",
			[TS_AXIS_BLOCK] = "1x1x1",
			[TS_AXIS_WORKERS] = "1,2,3,5,8,19",
			[TS_AXIS_XCDS] = "1,2,3,8",
			[TS_AXIS_SLOTS] = "1,2,3",
			[TS_AXIS_LOCAL] = "90,0,50,100",
			[TS_AXIS_M] = "1:5,7,9,64,97",
			[TS_AXIS_N] = "1:5,7,9,65",
			[TS_AXIS_K] = "1"},
		4},
};

/* What all threads read. */
struct job {
	const struct ts_settings *settings;
	const struct ts_device *device;
	const struct ts_rules *rules; /* of a policy file, or NULL */
	const struct ts_scenario *scenario;
	struct ts_axes axes;
	bool random;
	uint64_t count, seed;
	bool box;
	uint32_t masked_workers;
};

/* What one thread counts, and its lowest failure. */
struct tally {
	struct ts_checker checker;
	uint64_t plans, starved;
	uint64_t refused[TS_STATUSES];
	struct ts_spec refused_spec; /* one of them */
	bool failed;
	uint64_t failed_at;
	struct ts_spec failed_spec;
	uint8_t *live;
	size_t live_made;
};

/* Which workers ever run under the masks of the scenario: on AMD those of an XCD without any CU do
 * not, on NVIDIA none does only if every SM is masked. NULL where nothing is masked. */
static const uint8_t *live_workers(
	struct tally *t, const struct job *job, const struct ts_spec *spec, const struct ts_plan *p)
{
	const struct ts_device *d = job->device;
	uint32_t groups = d->amd ? (uint32_t)spec->domains : 1;
	g_autofree uint8_t *alive = g_new0(uint8_t, groups);
	uint32_t unit = 0;

	if (job->settings->mask == NULL)
		return NULL;
	for (uint32_t g = 0; g < d->groups; g++)
		for (uint32_t i = 0; i < d->group_units[g]; i++)
			alive[d->amd ? g : 0] |= !job->scenario->units[unit++].masked;
	if (p->workers > t->live_made) {
		g_free(t->live);
		t->live = g_new(uint8_t, p->workers);
		t->live_made = p->workers;
	}
	for (uint32_t i = 0; i < p->workers; i++)
		t->live[i] = alive[i / d->dispatch_chunk % groups];
	return t->live;
}

static enum ts_status check(struct tally *t, const struct job *job, const struct ts_spec *spec)
{
	struct ts_plan plan;
	struct ts_policy policy = ts_rules_policy(job->rules, spec->policy);
	enum ts_status status = ts_plan_make_as(&plan, spec, &policy);
	const uint8_t *live;

	if (status != TS_OK)
		return status;
	live = live_workers(t, job, spec, &plan);
	t->failed = !ts_check_plan(&t->checker, &plan, job->rules, live, job->seed);
	/* A box also holds what a policy says it can't do: it must fail in the way that is said. */
	if (job->box && t->failed && t->checker.finding.fault == TS_STARVED &&
		!ts_walk_survives(&plan, job->rules, live)) {
		t->failed = false;
		t->starved++;
	}
	return TS_OK;
}

/* False where the request repeats another one of the product. */
static bool make_spec(const struct job *job, uint64_t index, struct ts_spec *ret_spec)
{
	uint32_t seeds[] = {(uint32_t)job->seed, (uint32_t)(job->seed >> 32), (uint32_t)index,
		(uint32_t)(index >> 32)};

	if (job->random) {
		GRand *random = g_rand_new_with_seed_array(seeds, G_N_ELEMENTS(seeds));

		ts_axes_draw(&job->axes, random, ret_spec);
		g_rand_free(random);
	} else if (!ts_axes_spec(&job->axes, index, ret_spec)) {
		return false;
	}
	/* What fits on the device; if nothing does, the cluster is refused or one worker will do.
	 */
	if (job->axes.default_workers && ts_in_range(ret_spec->cluster_m, 1, 1024) &&
		ts_in_range(ret_spec->cluster_n, 1, 1024))
		ret_spec->workers = MAX(1,
			ts_machine_residency(job->device,
				(uint32_t)(ret_spec->cluster_m * ret_spec->cluster_n)));
	return true;
}

static bool work(void *data, void *state, uint64_t index)
{
	const struct job *job = data;
	struct tally *t = state;
	struct ts_spec spec;
	enum ts_status status;

	if (!make_spec(job, index, &spec))
		return true;
	status = check(t, job, &spec);
	if (status != TS_OK) {
		t->refused[status]++;
		t->refused_spec = spec;
		return true;
	}
	t->plans++;
	if (!t->failed)
		return true;
	t->failed_at = index;
	t->failed_spec = spec;
	return false;
}

/* For shrinking: fails in the same way as at first. */
struct same {
	struct tally *tally;
	const struct job *job;
	enum ts_fault fault;
};

static bool fails(void *data, const struct ts_spec *spec)
{
	struct same *same = data;

	same->tally->failed = false;
	check(same->tally, same->job, spec);
	return same->tally->failed && same->tally->checker.finding.fault == same->fault;
}

static void put_finding(
	GString *out, const struct tally *t, const struct job *job, const struct ts_spec *spec)
{
	const struct ts_checker *k = &t->checker;
	g_autofree char *text = NULL;
	struct ts_plan plan;

	if (!ts_request_plan_as(&plan, spec, job->rules, NULL))
		return;
	text = ts_finding_text(&k->finding, &plan);
	g_string_append_printf(out, "%s: %s (workers %s%s)", ts_fault_name(k->finding.fault), text,
		ts_pick_name(k->pick),
		k->masked ? ", some missing as the policy promises to survive" : "");
}

/* The failure as it was found, the smallest like it, and the command that shows that one again. */
static void report_failure(struct tally *t, const struct job *job, enum ts_format format)
{
	struct same same = {t, job, t->checker.finding.fault};
	struct ts_spec smallest = t->failed_spec;
	g_autoptr(GString) found = g_string_new(NULL);
	g_autoptr(GString) small = g_string_new(NULL);
	g_autofree char *found_command =
		ts_settings_command(job->settings, "verify", &t->failed_spec);
	g_autofree char *small_command = NULL;
	g_autofree char *text = NULL;
	JsonBuilder *b;

	put_finding(found, t, job, &t->failed_spec);
	ts_shrink(&smallest, fails, &same);
	fails(&same, &smallest);
	put_finding(small, t, job, &smallest);
	small_command = ts_settings_command(job->settings, "verify", &smallest);
	if (format != TS_JSON) {
		g_print("FAILED       %s\nfound with   %s\nsmallest     %s\nrepeat with  %s\n",
			found->str, found_command, small->str, small_command);
		return;
	}
	b = json_builder_new();
	json_builder_begin_object(b);
	ts_json_text_member(b, "verdict", ts_fault_name(same.fault));
	ts_json_text_member(b, "finding", found->str);
	ts_json_text_member(b, "command", found_command);
	ts_json_text_member(b, "smallest_finding", small->str);
	ts_json_text_member(b, "smallest_command", small_command);
	json_builder_end_object(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

static void report_success(const struct tally *sum, enum ts_format format)
{
	g_autofree char *text = NULL;
	JsonBuilder *b;

	if (format == TS_JSON) {
		b = json_builder_new();
		json_builder_begin_object(b);
		ts_json_text_member(b, "verdict", ts_fault_name(TS_SOUND));
		ts_json_count(b, "schedules", sum->plans - sum->starved);
		ts_json_count(b, "starved_as_stated", sum->starved);
		ts_json_count(b, "walks", sum->checker.walks);
		ts_json_count(b, "tiles", sum->checker.tiles);
		for (int i = TS_OK + 1; i < TS_STATUSES; i++)
			if (sum->refused[i] > 0)
				ts_json_count(
					b, ts_status_text((enum ts_status)i), sum->refused[i]);
		json_builder_end_object(b);
		text = ts_json_text(b);
		g_print("%s", text);
		return;
	}
	g_print("sound        %" G_GUINT64_FORMAT " schedules in %" G_GUINT64_FORMAT
		" walks, %" G_GUINT64_FORMAT
		" tiles: each computed once, in bounds, counters in range and drained\n",
		sum->plans - sum->starved, sum->checker.walks, sum->checker.tiles);
	if (sum->starved > 0)
		g_print("starved      %" G_GUINT64_FORMAT
			" schedules with a counter that no worker begins with, as the policy "
			"says\n",
			sum->starved);
	for (int i = TS_OK + 1; i < TS_STATUSES; i++)
		if (sum->refused[i] > 0)
			g_print("refused      %" G_GUINT64_FORMAT ": %s\n", sum->refused[i],
				ts_status_text((enum ts_status)i));
}

/* Adds up the tallies; returns the one with the lowest failure, or NULL. */
static struct tally *add_up(struct tally *tallies, unsigned threads, struct tally *ret_sum)
{
	struct tally *first = NULL;

	memset(ret_sum, 0, sizeof *ret_sum);
	for (unsigned i = 0; i < threads; i++) {
		struct tally *t = &tallies[i];

		ret_sum->plans += t->plans;
		ret_sum->starved += t->starved;
		ret_sum->checker.walks += t->checker.walks;
		ret_sum->checker.tiles += t->checker.tiles;
		for (int j = 0; j < TS_STATUSES; j++) {
			ret_sum->refused[j] += t->refused[j];
			if (t->refused[j] > 0)
				ret_sum->refused_spec = t->refused_spec;
		}
		if (t->failed && (first == NULL || t->failed_at < first->failed_at))
			first = t;
	}
	return first;
}

static int run_job(struct job *job, unsigned threads, enum ts_format format, GError **error)
{
	g_autofree struct tally *tallies = g_new0(struct tally, threads);
	g_autofree void **states = g_new(void *, threads);
	struct ts_loop loop = {.count = job->count,
		.threads = threads,
		.progress = "requests",
		.work = work,
		.data = job,
		.states = states};
	struct tally *failure;
	struct tally sum;
	struct ts_plan plan;
	int code = TS_EXIT_OK;

	for (unsigned i = 0; i < threads; i++) {
		ts_checker_init(&tallies[i].checker);
		tallies[i].checker.masked_workers = job->masked_workers;
		states[i] = &tallies[i];
	}
	ts_loop_run(&loop);
	failure = add_up(tallies, threads, &sum);
	if (failure != NULL) {
		report_failure(failure, job, format);
		code = TS_EXIT_UNSOUND;
	} else if (sum.plans == 0) {
		code = ts_request_plan_as(&plan, &sum.refused_spec, job->rules, error)
			? TS_EXIT_OK
			: TS_EXIT_USAGE;
	} else {
		report_success(&sum, format);
	}
	for (unsigned i = 0; i < threads; i++) {
		ts_checker_finish(&tallies[i].checker);
		g_free(tallies[i].live);
	}
	return code;
}

/* The numbers of --random, --seed and --jobs. */
static bool read_numbers(const struct ts_settings *settings, const struct options *o,
	struct job *job, int64_t *ret_jobs, GError **error)
{
	int64_t count = 0, seed = 1;

	*ret_jobs = ts_loop_threads();
	if (o->jobs != NULL &&
		(!ts_parse_int(o->jobs, ret_jobs) || !ts_in_range(*ret_jobs, 1, 1024)))
		return ts_refuse(
			error, "--jobs %s: must be a whole number from 1 to 1024", o->jobs);
	if (o->random != NULL &&
		(!ts_parse_int(o->random, &count) || !ts_in_range(count, 1, INT64_C(1) << 40)))
		return ts_refuse(error,
			"--random %s: must be a whole number of requests, 1 or more", o->random);
	if (settings->seed != NULL && (!ts_parse_int(settings->seed, &seed) || seed < 0))
		return ts_refuse(
			error, "--seed %s: must be a whole number, 0 or more", settings->seed);
	job->random = o->random != NULL;
	job->count = job->random ? (uint64_t)count : job->axes.count;
	job->seed = (uint64_t)seed;
	return true;
}

/* Gives the axes that the user left open their values in the box called `name`. */
static bool apply_box(
	struct ts_settings *settings, const char *name, uint32_t *ret_masked, GError **error)
{
	g_autoptr(GString) all = g_string_new(NULL);

	*ret_masked = 0;
	if (name == NULL)
		return true;
	for (size_t i = 0; i < G_N_ELEMENTS(boxes); i++) {
		g_string_append_printf(all, "%s%s", i == 0 ? "" : " or ", boxes[i].name);
		if (strcmp(boxes[i].name, name) != 0)
			continue;
		for (enum ts_axis axis = 0; axis < TS_AXES; axis++)
			if (settings->axes[axis] == NULL &&
				(axis != TS_AXIS_POLICY || settings->file == NULL))
				settings->axes[axis] = g_strdup(boxes[i].axes[axis]);
		if (settings->max_cluster == NULL)
			settings->max_cluster = g_strdup("16");
		*ret_masked = boxes[i].masked_workers;
		return true;
	}
	return ts_refuse(error, "--box '%s': must be %s", name, all->str);
}

static int verify(struct ts_settings *settings, const struct options *o, GError **error)
{
	struct ts_device *device;
	struct ts_scenario scenario = {0};
	struct job job = {
		.settings = settings, .rules = ts_settings_rules(settings), .scenario = &scenario};
	enum ts_format format;
	int64_t jobs;
	int code = TS_EXIT_USAGE;
	bool good;

	job.box = o->box != NULL;
	if (!apply_box(settings, o->box, &job.masked_workers, error))
		return TS_EXIT_USAGE;
	device = ts_settings_device(settings, error);
	if (device == NULL)
		return TS_EXIT_USAGE;
	job.device = device;
	if (!ts_settings_axes(settings, device, &job.axes, error)) {
		ts_device_free(device);
		return TS_EXIT_USAGE;
	}
	good = ts_format_parse(o->format, &format, error) &&
		read_numbers(settings, o, &job, &jobs, error);
	if (good && settings->mask != NULL && job.axes.sizes[TS_AXIS_XCDS] > 1)
		good = ts_refuse(error, "--mask goes with one number of XCDs, not with --xcds %s",
			settings->axes[TS_AXIS_XCDS]);
	if (good && settings->mask != NULL)
		good = ts_device_resize(device, device->units,
			g_array_index(job.axes.spans[TS_AXIS_XCDS], struct ts_span, 0).first[0],
			error);
	if (good && ts_settings_scenario(settings, device, &scenario, error))
		code = run_job(
			&job, (unsigned)MIN((uint64_t)jobs, MAX(job.count, 1)), format, error);
	ts_scenario_finish(&scenario);
	ts_axes_finish(&job.axes);
	ts_device_free(device);
	return code;
}

int ts_verify_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {{"box", 0, 0, G_OPTION_ARG_STRING, &o.box,
						"small (seconds) or large (minutes): try "
						"everything there is, on small grids",
						"NAME"},
		{"random", 0, 0, G_OPTION_ARG_STRING, &o.random,
			"draw this many requests from the lists and ranges instead of taking all",
			"COUNT"},
		{"jobs", 'j', 0, G_OPTION_ARG_STRING, &o.jobs, "threads (default: one a processor)",
			"N"},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o.format, "text (default) or json",
			"FORMAT"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "verify",
		"Checks that every tile of each schedule is computed exactly once and in bounds, "
		"whatever\n"
		"the order of claims. Options of the plan take lists and ranges: --m 1:4096:127,\n"
		"--policy persistent,worksteal, --order all.",
		entries);
	int code = TS_EXIT_USAGE;

	if (ts_settings_parse(&settings, context, argc, argv, error))
		code = settings.help ? TS_EXIT_OK : verify(&settings, &o, error);
	ts_settings_finish(&settings);
	g_free(o.format);
	g_free(o.box);
	g_free(o.random);
	g_free(o.jobs);
	return code;
}
