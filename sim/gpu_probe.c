/* tilesim gpu probe: one plan in detail, or a product of many in a table. */
#include <string.h>

#include "sim/gpu.h"
#include "sim/output.h"
#include "sim/refuse.h"
#include "sim/request.h"

struct options {
	char *backend, *format, *records, *busy_ns, *threads, *shared_kb;
};

/* Of all plans of one policy and mode. */
struct tally {
	char *name;
	uint64_t plans, items, tiles, claims, failures;
};

struct probe {
	const struct ts_settings *settings;
	const struct ts_backend_ops *ops; /* as asked for; NULL: any */
	struct ts_prober prober;
	struct ts_axes axes;
	struct ts_group_room room; /* that plans point to */
	struct ts_probe_pace pace;
	struct ts_prober_cta cta; /* as asked for */
	int64_t seed;             /* -1: none */
	enum ts_format format;
	const char *records;
	GArray *tallies;
	uint64_t refused[TS_STATUSES];
	uint64_t refused_room; /* clusters that do not fit the device, or too many records */
	struct ts_spec refused_spec;
};

enum { WORDS_MAX = 1 << 30, SHOWN_MAX = 8 };

/* The longest that a launch may be asked to take. */
static const double launch_max_ns = 1e9;

/* A seed, for backends that can follow one. */
static bool read_seed(struct probe *b, GError **error)
{
	const char *seed = b->settings->seed;

	b->seed = -1;
	if (seed == NULL)
		return true;
	if (b->ops == NULL || b->ops->seed == NULL)
		return ts_refuse(error,
			"--seed: the GPU is taken as it is; leave it out, or add --backend cpu");
	if (!ts_parse_int(seed, &b->seed) || b->seed < 0)
		return ts_refuse(error, "--seed %s: must be a whole number from 0 on", seed);
	return true;
}

static bool read_options(struct probe *b, const struct options *o, GError **error)
{
	int64_t busy = 100;

	if (!ts_format_parse(o->format, &b->format, error))
		return false;
	if (b->format == TS_CSV)
		return ts_refuse(
			error, "--format csv: must be text or json; --records FILE writes CSV");
	if (o->busy_ns != NULL &&
		(!ts_parse_int(o->busy_ns, &busy) || !ts_in_range(busy, 0, 1000000)))
		return ts_refuse(error, "--busy-ns %s: must be a whole number from 0 to 1000000",
			o->busy_ns);
	b->pace.busy_ns = (uint64_t)busy;
	b->records = o->records;
	return ts_gpu_backend(o->backend, &b->ops, error) && read_seed(b, error) &&
		ts_gpu_cta(o->threads, o->shared_kb, &b->cta, error) &&
		ts_settings_hardware_domain(b->settings, &b->pace.hardware_domain, error) &&
		ts_output_possible(b->records, error);
}

/* What plans are made for: the GPU that is there. */
static struct ts_device *make_device(const struct ts_prober *p)
{
	struct ts_device *d = g_new0(struct ts_device, 1);

	d->id = g_strdup("gpu");
	d->name = g_strdup(p->gpu.is.name);
	d->units = p->gpu.is.units;
	d->groups = d->occupancy = d->max_cluster = 1;
	d->xcds = p->gpu.is.domains;
	d->group_units = g_new(uint32_t, 1);
	d->group_units[0] = d->units;
	for (uint32_t ctas = 2; ctas <= TS_GPU_CLUSTER_MAX; ctas++)
		if (ts_prober_residency(p, ctas, 1) > 0)
			d->max_cluster = ctas;
	return d;
}

/* The workers that were not given are as many as are resident. */
static void choose_workers(const struct probe *b, struct ts_spec *spec)
{
	uint32_t resident = 1;

	if (ts_in_range(spec->cluster_m, 1, TS_GPU_CLUSTER_MAX) &&
		ts_in_range(spec->cluster_n, 1, TS_GPU_CLUSTER_MAX))
		resident = ts_prober_residency(
			&b->prober, (uint32_t)spec->cluster_m, (uint32_t)spec->cluster_n);
	if (b->axes.default_workers)
		spec->workers = MAX(resident, 1);
}

/* Can the plan be launched here, and come to an end in good time? */
static bool check_room(const struct probe *b, const struct ts_plan *p, GError **error)
{
	double busy = (double)b->pace.busy_ns * p->depth;
	uint32_t resident = ts_prober_residency(&b->prober, p->cluster_m, p->cluster_n);

	if (p->launches == 1)
		return ts_refuse(error,
			"--policy clc: the probe does not use cluster launch control; worksteal "
			"--mode global claims in the same way from memory");
	if (resident == 0)
		return ts_refuse(error,
			"clusters of %ux%u CTAs with %u bytes of shared memory each: %s has no "
			"room for one",
			p->cluster_m, p->cluster_n, b->prober.cta.shared, b->prober.gpu.is.name);
	if (ts_probe_layout_make(p).words > WORDS_MAX)
		return ts_refuse(error,
			"%u items, %u workers and %u counters: their records take more than 4 GiB; "
			"use fewer",
			p->items, p->workers, p->counters);
	if (busy * p->items / MIN(p->workers, resident) > launch_max_ns)
		return ts_refuse(error,
			"%u items of %g us: more than %g s in all; use a smaller --busy-ns",
			p->items, busy / 1e3, launch_max_ns / 1e9);
	return true;
}

static char *make_command(const struct probe *b, const struct ts_spec *spec)
{
	GString *out = g_string_new("tilesim gpu probe");

	ts_request_options(spec, b->settings->lists, out);
	g_string_append_printf(out, " --busy-ns %" G_GUINT64_FORMAT " --threads %u --shared-kb %u",
		b->pace.busy_ns, b->cta.threads, b->cta.shared / 1024);
	if (b->ops != NULL)
		g_string_append_printf(out, " --backend %s", b->ops->name);
	if (b->seed >= 0)
		g_string_append_printf(out, " --seed %" G_GINT64_FORMAT, b->seed);
	if (b->pace.hardware_domain)
		g_string_append(out, " --domain hardware");
	return g_string_free(out, FALSE);
}

static int probe_one(struct probe *b, const struct ts_spec *spec, GError **error)
{
	g_autofree char *command = make_command(b, spec);
	g_autofree char *report = NULL;
	const struct ts_spec roomy = ts_group_room_give(&b->room, spec);
	struct ts_gpu_verdict verdict;
	struct ts_gpu_map map;
	struct ts_probe_log log;
	struct ts_plan plan;
	struct ts_gpu_run run = {&b->prober, &map, &plan, &log, &verdict, command};
	bool good;

	if (!ts_request_plan(&plan, &roomy, error) || !check_room(b, &plan, error))
		return TS_EXIT_USAGE;
	if (!ts_gpu_map_make(&map, &b->prober, error))
		return TS_EXIT_UNSOUND;
	if (!ts_prober_run(&b->prober, &plan, &b->pace, &log, error)) {
		ts_gpu_map_finish(&map);
		return TS_EXIT_UNSOUND;
	}
	verdict = ts_gpu_check(&plan, &log, b->pace.hardware_domain, map.units);
	good = b->records == NULL || ts_gpu_records(&run, b->records, error);
	report = good ? ts_gpu_report(&run, b->format) : g_strdup("");
	g_print("%s", report);
	g_free(verdict.fault);
	ts_gpu_map_finish(&map);
	if (!good)
		return TS_EXIT_USAGE;
	return verdict.sound ? TS_EXIT_OK : TS_EXIT_UNSOUND;
}

/* The tally of the request's policy. */
static struct tally *find_tally(GArray *tallies, const struct ts_spec *spec)
{
	g_autofree char *name = ts_request_policy_text(spec);
	struct tally fresh = {0};

	for (guint i = 0; i < tallies->len; i++)
		if (strcmp(g_array_index(tallies, struct tally, i).name, name) == 0)
			return &g_array_index(tallies, struct tally, i);
	fresh.name = g_steal_pointer(&name);
	g_array_append_val(tallies, fresh);
	return &g_array_index(tallies, struct tally, tallies->len - 1);
}

/* One of many. False only where the GPU failed. */
static bool probe_next(struct probe *b, struct ts_spec *spec, uint64_t *failures, GError **error)
{
	struct tally *t = find_tally(b->tallies, spec);
	struct ts_gpu_verdict v;
	struct ts_probe_log log;
	struct ts_plan plan;
	struct ts_spec roomy;
	enum ts_status status;

	choose_workers(b, spec);
	roomy = ts_group_room_give(&b->room, spec);
	status = ts_plan_make(&plan, &roomy);
	if (status != TS_OK || !check_room(b, &plan, NULL)) {
		b->refused_room += status == TS_OK;
		b->refused[status]++;
		b->refused_spec = *spec;
		return true;
	}
	if (!ts_prober_run(&b->prober, &plan, &b->pace, &log, error)) {
		g_autofree char *command = make_command(b, spec);

		g_prefix_error(error, "%s: ", command);
		return false;
	}
	v = ts_gpu_check(&plan, &log, b->pace.hardware_domain, b->prober.gpu.is.units);
	t->plans++;
	t->items += v.items;
	t->tiles += v.tiles;
	t->claims += v.claims;
	t->failures += !v.sound;
	if (!v.sound && (*failures)++ < SHOWN_MAX) {
		g_autofree char *command = make_command(b, spec);

		g_printerr("FAILED       %s\nrepeat with  %s\n", v.fault, command);
	}
	g_free(v.fault);
	return true;
}

static void put_row(GString *out, const struct tally *t)
{
	g_string_append_printf(out,
		"%-24s %9" G_GUINT64_FORMAT " %11" G_GUINT64_FORMAT " %11" G_GUINT64_FORMAT
		" %11" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT "\n",
		t->name, t->plans, t->items, t->tiles, t->claims, t->failures);
}

static char *text_table(const struct probe *b, const struct tally *sum)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "%-24s %9s %11s %11s %11s %9s\n", "policy", "plans", "items",
		"tiles", "claims", "failures");
	for (guint i = 0; i < b->tallies->len; i++)
		put_row(out, &g_array_index(b->tallies, struct tally, i));
	put_row(out, sum);
	if (b->refused_room > 0)
		g_string_append_printf(out,
			"refused      %" G_GUINT64_FORMAT
			": clusters, records or time beyond what the device has\n",
			b->refused_room);
	for (int i = TS_OK + 1; i < TS_STATUSES; i++)
		if (b->refused[i] > 0)
			g_string_append_printf(out, "refused      %" G_GUINT64_FORMAT ": %s\n",
				b->refused[i], ts_status_text((enum ts_status)i));
	return g_string_free(out, FALSE);
}

static void put_object(JsonBuilder *b, const struct tally *t)
{
	ts_json_text_member(b, "policy", t->name);
	ts_json_count(b, "plans", t->plans);
	ts_json_count(b, "items", t->items);
	ts_json_count(b, "tiles", t->tiles);
	ts_json_count(b, "claims", t->claims);
	ts_json_count(b, "failures", t->failures);
}

static char *json_table(const struct probe *b, const struct tally *sum)
{
	JsonBuilder *j = json_builder_new();

	json_builder_begin_object(j);
	ts_json_text_member(j, "device", b->prober.gpu.is.name);
	put_object(j, sum);
	json_builder_set_member_name(j, "policies");
	json_builder_begin_array(j);
	for (guint i = 0; i < b->tallies->len; i++) {
		json_builder_begin_object(j);
		put_object(j, &g_array_index(b->tallies, struct tally, i));
		json_builder_end_object(j);
	}
	json_builder_end_array(j);
	json_builder_end_object(j);
	return ts_json_text(j);
}

static int probe_all(struct probe *b, GError **error)
{
	g_autofree char *table = NULL;
	struct tally sum = {.name = (char *)"all"};
	struct ts_spec spec;
	uint64_t failures = 0;
	bool good = true;

	b->tallies = g_array_new(FALSE, FALSE, sizeof(struct tally));
	for (uint64_t i = 0; good && i < b->axes.count; i++)
		if (ts_axes_spec(&b->axes, i, &spec))
			good = probe_next(b, &spec, &failures, error);
	for (guint i = 0; i < b->tallies->len; i++) {
		const struct tally *t = &g_array_index(b->tallies, struct tally, i);

		sum.plans += t->plans;
		sum.items += t->items;
		sum.tiles += t->tiles;
		sum.claims += t->claims;
		sum.failures += t->failures;
	}
	if (good) {
		table = b->format == TS_JSON ? json_table(b, &sum) : text_table(b, &sum);
		g_print("%s", table);
	}
	for (guint i = 0; i < b->tallies->len; i++)
		g_free(g_array_index(b->tallies, struct tally, i).name);
	g_array_unref(b->tallies);
	if (!good || sum.failures > 0)
		return TS_EXIT_UNSOUND;
	if (sum.plans > 0)
		return TS_EXIT_OK;
	ts_refuse(error, "none of these plans can be launched");
	return TS_EXIT_USAGE;
}

static int probe_axes(struct probe *b, GError **error)
{
	struct ts_device *device = make_device(&b->prober);
	struct ts_spec spec;
	int code = TS_EXIT_USAGE;

	if (ts_settings_axes(b->settings, device, &b->axes, error)) {
		if (b->axes.count != 1 && b->records != NULL) {
			ts_refuse(error, "--records %s goes with one plan, not with several",
				b->records);
		} else if (b->axes.count != 1) {
			code = probe_all(b, error);
		} else {
			ts_axes_spec(&b->axes, 0, &spec);
			choose_workers(b, &spec);
			code = probe_one(b, &spec, error);
		}
		ts_axes_finish(&b->axes);
	}
	ts_group_room_finish(&b->room);
	ts_device_free(device);
	return code;
}

static int probe(const struct ts_settings *settings, const struct options *o, GError **error)
{
	g_autoptr(GError) cause = NULL;
	struct probe b = {.settings = settings};
	int code = TS_EXIT_USAGE;

	static const char *const taken[] = {"domain", "max-counters", "seed", NULL};

	if (!ts_settings_real_device(settings, "the probe", taken, error) ||
		!read_options(&b, o, error))
		return TS_EXIT_USAGE;
	if (ts_prober_open(&b.prober, b.ops, &b.cta, &cause)) {
		if (b.seed >= 0)
			b.ops->seed(&b.prober.gpu, (uint64_t)b.seed);
		code = probe_axes(&b, error);
		ts_prober_close(&b.prober);
		return code;
	}
	code = ts_gpu_exit(cause);
	g_propagate_error(error, g_steal_pointer(&cause));
	return code;
}

int ts_gpu_probe_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"backend", 0, 0, G_OPTION_ARG_STRING, &o.backend, ts_gpu_backend_help, "NAME"},
		{"busy-ns", 0, 0, G_OPTION_ARG_STRING, &o.busy_ns,
			"time that each k iteration takes (default 100)", "NS"},
		{"threads", 0, 0, G_OPTION_ARG_STRING, &o.threads,
			"threads of a CTA, of which one works (default 256)", "N"},
		{"shared-kb", 0, 0, G_OPTION_ARG_STRING, &o.shared_kb,
			"shared memory of a CTA (default 200, so that one fits on an SM or CU)",
			"KIB"},
		{"records", 0, 0, G_OPTION_ARG_FILENAME, &o.records,
			"write one CSV line per item and CTA", "FILE"},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o.format, "text (default) or json",
			"FORMAT"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu probe",
		"Launches a kernel whose workers follow the policy and write down what they get,\n"
		"and checks that against the policy and the verifier. Lists and ranges, such as\n"
		"--policy all --m 1:600:37, give a table of all their plans.",
		entries);
	int code = TS_EXIT_USAGE;

	if (ts_settings_parse(&settings, context, argc, argv, error))
		code = settings.help ? TS_EXIT_OK : probe(&settings, &o, error);
	ts_settings_finish(&settings);
	g_free(o.backend);
	g_free(o.format);
	g_free(o.records);
	g_free(o.busy_ns);
	g_free(o.threads);
	g_free(o.shared_kb);
	return code;
}
