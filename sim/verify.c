/* tilesim verify: check the schedules of many requests, without simulating time. */
#include "verify/check.h"

#include <string.h>

#include "sim/box.h"
#include "sim/command.h"
#include "sim/machine.h"
#include "sim/measure.h"
#include "sim/parallel.h"
#include "sim/refuse.h"
#include "sim/request.h"
#include "sim/verify_report.h"
#include "verify/shrink.h"

struct options {
	char *format, *random, *jobs, *box, *residency;
	struct ts_goals goals;
};

/* What all threads read. */
struct job {
	const struct ts_settings *settings;
	const struct ts_device *device;
	const struct ts_rules *rules; /* of a policy file, or NULL */
	const struct ts_scenario *scenario;
	const struct options *options;
	uint32_t residency; /* that was given; 0: what fits on the device */
	struct ts_axes axes;
	bool random;
	uint64_t count, seed;
	const struct ts_box *box; /* or NULL */
};

/* What one thread counts, and its lowest failure. */
struct tally {
	struct ts_checker checker;
	struct ts_verified sums;
	uint64_t repeats_to; /* all requests from the last one that was looked at to here repeat */
	uint64_t refused_at;
	struct ts_spec refused_spec; /* the first of them */
	bool failed;
	GError *too_large; /* the failure is none of the schedule: there is no memory to check it */
	enum ts_goal goal; /* that is missed; TS_GOALS where the fault is in the checker */
	char *missed;      /* in words */
	uint64_t failed_at;
	struct ts_spec failed_spec;
	uint8_t *live;
	size_t live_made;
	char *note;
	struct ts_group_room room;
};

/* Which workers ever run under the masks of the scenario: on AMD those of an XCD without any CU do
 * not, on NVIDIA none does only if every SM is masked. NULL where nothing is masked. */
static const uint8_t *live_workers(struct tally *t, const struct job *job, const struct ts_plan *p)
{
	const struct ts_device *d = job->device;
	uint32_t groups = d->amd ? d->groups : 1;
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

/* The command that checks `spec` in the same way. Free with g_free(). */
static char *command_text(const struct job *job, const struct ts_spec *spec)
{
	g_autofree char *command = ts_settings_command(job->settings, "verify", spec);
	GString *out = g_string_new(command);

	if (job->residency != 0)
		g_string_append_printf(out, " --residency %u", job->residency);
	ts_goals_options(&job->options->goals, out);
	return g_string_free(out, FALSE);
}

/* How many workers of these clusters are there at once. */
static uint32_t residency(const struct job *job, const struct ts_plan *plan)
{
	uint32_t fits = ts_machine_residency(job->device, plan->cluster_m * plan->cluster_n);

	return job->residency != 0 ? job->residency : MAX(fits, 1);
}

static enum ts_status check(struct tally *t, const struct job *job, const struct ts_spec *request)
{
	const struct ts_spec roomy = ts_group_room_give(&t->room, request);
	const struct ts_spec *spec = &roomy;
	struct ts_plan plan;
	struct ts_policy policy = ts_rules_policy(job->rules, spec->policy);
	enum ts_status status;
	const uint8_t *live;

	/* Should the policy file's code trap, this is what the program's last line names. */
	if (job->rules != NULL) {
		char *note = command_text(job, spec);

		ts_policy_file_note(note);
		g_free(t->note);
		t->note = note;
	}
	status = ts_plan_make_as(&plan, spec, &policy);
	if (status != TS_OK)
		return status;
	t->failed = !ts_request_fits(&plan, 0, &t->too_large);
	if (t->failed)
		return TS_OK;
	live = live_workers(t, job, &plan);
	t->goal = TS_GOALS;
	t->checker.places = residency(job, &plan);
	t->failed = !ts_check_plan(&t->checker, &plan, job->rules, live, job->seed);
	/* A box also holds what a policy says it can't do: it must fail in the way that is said. */
	if (job->box != NULL && t->failed && t->checker.finding.fault == TS_STARVED &&
		!ts_walk_survives(&plan, job->rules, live)) {
		t->failed = false;
		t->sums.starved++;
	} else if (!t->failed && plan.items > 0 && ts_goals_any(&job->options->goals)) {
		struct ts_measure how = {
			job->device, job->rules, spec->workers, t->checker.places, live};

		g_free(t->missed);
		t->missed = ts_measure_missed(
			&how, &plan, &job->options->goals, &t->checker.coverage, &t->goal);
		t->failed = t->missed != NULL;
	}
	return TS_OK;
}

/* False where the request repeats another one of the product. */
static bool make_spec(
	struct tally *t, const struct job *job, uint64_t index, struct ts_spec *ret_spec)
{
	uint32_t seeds[] = {(uint32_t)job->seed, (uint32_t)(job->seed >> 32), (uint32_t)index,
		(uint32_t)(index >> 32)};

	if (job->random) {
		GRand *random = g_rand_new_with_seed_array(seeds, G_N_ELEMENTS(seeds));

		ts_axes_draw(&job->axes, random, ret_spec);
		g_rand_free(random);
	} else if (index < t->repeats_to || !ts_axes_spec(&job->axes, index, ret_spec)) {
		if (index >= t->repeats_to)
			t->repeats_to = ts_axes_skip(&job->axes, index);
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

	if (!make_spec(t, job, index, &spec))
		return true;
	status = check(t, job, &spec);
	if (status != TS_OK) {
		if (index <= t->refused_at) {
			t->refused_at = index;
			t->refused_spec = spec;
		}
		t->sums.refused[status]++;
		return true;
	}
	t->sums.plans++;
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
	enum ts_goal goal;
	int64_t domains;
};

static bool fails(void *data, const struct ts_spec *spec)
{
	struct same *same = data;

	/* A mask is about the XCDs of the device as it is. */
	if (same->job->settings->mask != NULL && spec->domains != same->domains)
		return false;
	same->tally->failed = false;
	check(same->tally, same->job, spec);
	return same->tally->failed && same->tally->goal == same->goal &&
		(same->goal != TS_GOALS || same->tally->checker.finding.fault == same->fault);
}

/* Free with g_free(). */
static char *finding_text(struct tally *t, const struct job *job, const struct ts_spec *request)
{
	const struct ts_checker *k = &t->checker;
	const struct ts_spec roomy = ts_group_room_give(&t->room, request);
	const struct ts_spec *spec = &roomy;
	g_autofree char *text = NULL;
	g_autofree char *few = NULL;
	struct ts_plan plan;

	if (t->goal != TS_GOALS)
		return g_strdup_printf("%s: %s", ts_goal_name(t->goal), t->missed);
	if (!ts_request_plan_as(&plan, spec, job->rules, NULL))
		return NULL;
	text = ts_finding_text(&k->finding, &plan);
	if (k->resident > 0)
		few = g_strdup_printf(", %u at once", k->resident);
	return g_strdup_printf("%s: %s (workers %s%s%s)", ts_fault_name(k->finding.fault), text,
		ts_pick_name(k->pick), few == NULL ? "" : few,
		k->masked ? ", some missing as the policy promises to survive" : "");
}

/* The failure as it was found, the smallest like it, and the command that shows that one again. */
static void report_failure(struct tally *t, const struct job *job, enum ts_format format)
{
	struct same same = {t, job, t->checker.finding.fault, t->goal, t->failed_spec.domains};
	struct ts_spec smallest = t->failed_spec;
	struct ts_failure failure = {.verdict = ts_fault_name(same.fault),
		.found = finding_text(t, job, &t->failed_spec),
		.found_command = command_text(job, &t->failed_spec)};

	if (same.goal != TS_GOALS)
		failure.verdict = ts_goal_name(same.goal);
	ts_failure_print_found(&failure, format);
	ts_shrink(&smallest, fails, &same);
	fails(&same, &smallest);
	failure.smallest = finding_text(t, job, &smallest);
	failure.smallest_command = command_text(job, &smallest);
	ts_shrink_free(&smallest);
	ts_failure_print_smallest(&failure, format);
	ts_failure_finish(&failure);
}

/* Adds the tallies to the sum; returns the one with the lowest failure, or NULL. */
static struct tally *add_up(struct tally *tallies, unsigned threads, struct tally *sum)
{
	struct tally *first = NULL;

	for (unsigned i = 0; i < threads; i++) {
		struct tally *t = &tallies[i];

		sum->sums.plans += t->sums.plans;
		sum->sums.starved += t->sums.starved;
		sum->sums.walks += t->checker.walks;
		sum->sums.tiles += t->checker.tiles;
		for (int j = 0; j < TS_STATUSES; j++)
			sum->sums.refused[j] += t->sums.refused[j];
		if (t->refused_at < sum->refused_at) {
			sum->refused_at = t->refused_at;
			sum->refused_spec = t->refused_spec;
		}
		if (t->failed && (first == NULL || t->failed_at < first->failed_at))
			first = t;
	}
	return first;
}

/* All requests of the job; adds to `sum`, and reports a failure. */
static int run_job(
	struct job *job, unsigned threads, enum ts_format format, struct tally *sum, GError **error)
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
	int code = TS_EXIT_OK;

	for (unsigned i = 0; i < threads; i++) {
		ts_checker_init(&tallies[i].checker);
		tallies[i].refused_at = UINT64_MAX;
		if (job->box != NULL)
			tallies[i].checker.masked_workers = job->box->masked_workers;
		states[i] = &tallies[i];
	}
	ts_loop_run(&loop);
	failure = add_up(tallies, threads, sum);
	if (failure != NULL && failure->too_large != NULL) {
		g_propagate_error(error, g_steal_pointer(&failure->too_large));
		code = TS_EXIT_USAGE;
	} else if (failure != NULL) {
		report_failure(failure, job, format);
		code = TS_EXIT_UNSOUND;
	}
	for (unsigned i = 0; i < threads; i++) {
		ts_checker_finish(&tallies[i].checker);
		g_free(tallies[i].live);
		g_free(tallies[i].note);
		g_free(tallies[i].missed);
		g_clear_error(&tallies[i].too_large);
		ts_group_room_finish(&tallies[i].room);
	}
	return code;
}

/* The numbers of --random, --seed, --jobs and --residency. */
static bool read_numbers(const struct ts_settings *settings, const struct options *o,
	struct job *job, int64_t *ret_jobs, GError **error)
{
	int64_t count = 0, seed = 1, residency = 0;

	*ret_jobs = ts_loop_threads();
	if (o->jobs != NULL &&
		(!ts_parse_int(o->jobs, ret_jobs) || !ts_in_range(*ret_jobs, 1, 1024)))
		return ts_refuse(
			error, "--jobs %s: must be a whole number from 1 to 1024", o->jobs);
	if (o->random != NULL &&
		(!ts_parse_int(o->random, &count) || !ts_in_range(count, 1, INT64_C(1) << 40)))
		return ts_refuse(error,
			"--random %s: must be a whole number of requests from 1 to 1099511627776",
			o->random);
	if (settings->seed != NULL && (!ts_parse_int(settings->seed, &seed) || seed < 0))
		return ts_refuse(error,
			"--seed %s: must be a whole number from 0 to %" G_GINT64_FORMAT,
			settings->seed, G_MAXINT64);
	if (o->residency != NULL &&
		(!ts_parse_int(o->residency, &residency) ||
			!ts_in_range(residency, 1, TS_COUNT_MAX)))
		return ts_refuse(error,
			"--residency %s: must be a whole number of workers from 1 to 2147483647",
			o->residency);
	if (o->random == NULL && job->axes.count == UINT64_MAX)
		return ts_refuse(error,
			"the product of all lists and ranges has more than 2^64 "
			"requests; give fewer values, or use --random");
	job->random = o->random != NULL;
	job->count = job->random ? (uint64_t)count : job->axes.count;
	job->seed = (uint64_t)seed;
	job->residency = (uint32_t)residency;
	return true;
}

/* Refuses what only a simulation knows. */
static bool no_time(const struct ts_settings *settings, GError **error)
{
	static const char *const taken[] = {"mask", "seed", NULL};
	bool hardware = false;

	if (!ts_settings_no_time(settings, "verify has no time, and tries orders of events instead",
		    taken, error) ||
		!ts_settings_hardware_domain(settings, &hardware, error))
		return false;
	if (hardware)
		return ts_refuse(error,
			"--domain hardware: verify has no places; a worker's XCD is its "
			"id %% xcds");
	return true;
}

/* The product that the settings give. */
static int verify_product(const struct ts_settings *settings, const struct options *o,
	const struct ts_box *box, struct tally *sum, GError **error)
{
	struct ts_device *device = ts_settings_device(settings, error);
	struct ts_scenario scenario = {0};
	struct job job = {.settings = settings,
		.device = device,
		.rules = ts_settings_rules(settings),
		.scenario = &scenario,
		.options = o,
		.box = box};
	enum ts_format format;
	int64_t jobs;
	int code = TS_EXIT_USAGE;
	bool good;

	if (device == NULL)
		return TS_EXIT_USAGE;
	if (!ts_settings_axes(settings, device, &job.axes, error)) {
		ts_device_free(device);
		return TS_EXIT_USAGE;
	}
	good = no_time(settings, error) && ts_format_parse(o->format, &format, error) &&
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
			&job, (unsigned)MIN((uint64_t)jobs, MAX(job.count, 1)), format, sum, error);
	ts_scenario_finish(&scenario);
	ts_axes_finish(&job.axes);
	ts_device_free(device);
	return code;
}

/* Part number `part` of a box: its values where the user left an axis open. False if there is none.
 */
static bool box_part(const struct ts_settings *settings, const struct ts_box *box, int part,
	struct ts_settings *ret_settings)
{
	static char box_cluster[] = "16";

	*ret_settings = *settings;
	ret_settings->box = true;
	if (box->axes[part][TS_AXIS_M] == NULL)
		return false;
	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (settings->axes[i] == NULL && (i != TS_AXIS_POLICY || settings->file == NULL))
			ret_settings->axes[i] = (char *)(gpointer)box->axes[part][i];
	if (settings->max_cluster == NULL)
		ret_settings->max_cluster = box_cluster;
	return true;
}

static int verify(const struct ts_settings *settings, struct options *o, GError **error)
{
	const struct ts_box *box = o->box == NULL ? NULL : ts_box_find(o->box, error);
	struct ts_settings part;
	struct tally sum = {.refused_at = UINT64_MAX};
	struct ts_group_room room = {0};
	struct ts_plan plan;
	enum ts_format format;
	int code = TS_EXIT_OK;

	if (!ts_format_parse(o->format, &format, error) || (o->box != NULL && box == NULL) ||
		!ts_goals_read(&o->goals, error))
		return TS_EXIT_USAGE;
	if (format == TS_CSV) {
		ts_refuse(error, "--format csv: verify prints text or json");
		return TS_EXIT_USAGE;
	}
	if (box == NULL)
		code = verify_product(settings, o, NULL, &sum, error);
	for (int i = 0; box != NULL && code == TS_EXIT_OK && i < TS_BOX_PARTS; i++)
		if (box_part(settings, box, i, &part))
			code = verify_product(&part, o, box, &sum, error);
	if (code != TS_EXIT_OK)
		return code;
	if (sum.sums.plans == 0)
		sum.refused_spec = ts_group_room_give(&room, &sum.refused_spec);
	if (sum.sums.plans == 0 &&
		ts_request_plan_as(&plan, &sum.refused_spec, ts_settings_rules(settings), error) ==
			false)
		code = TS_EXIT_USAGE;
	else
		ts_verified_print(&sum.sums, format);
	ts_group_room_finish(&room);
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
		{"residency", 0, 0, G_OPTION_ARG_STRING, &o.residency,
			"workers that fit at once; others enter as these leave (default: what the "
			"device holds)",
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

	ts_goals_add(&o.goals, context, false);
	if (ts_settings_parse(&settings, context, argc, argv, error))
		code = settings.help ? TS_EXIT_OK : verify(&settings, &o, error);
	ts_settings_finish(&settings);
	ts_goals_finish(&o.goals);
	g_free(o.residency);
	g_free(o.format);
	g_free(o.box);
	g_free(o.random);
	g_free(o.jobs);
	return code;
}
