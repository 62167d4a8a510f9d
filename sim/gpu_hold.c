/* tilesim gpu hold: schedules while another kernel holds SMs or CUs, beside the simulator's
 * prediction. */
#include "sim/gpu_hold.h"

#include <string.h>

#include "sim/gpu.h"
#include "sim/output.h"
#include "sim/refuse.h"

struct options {
	struct ts_gpu_gemm_options gemm;
	char *held, *repeat, *check;
};

enum { REPEAT = 21, SCHEDULES_MAX = 64, COUNTS_MAX = 16 };

/* Units are held for so long at most: launches that take so many times as long, and a while. */
enum { SLOWDOWN_MOST = 20, SPARE_MS = 2000 };

static const char preset[] = "20,40";

/* Reads --held: how many units, one after the other; nothing held comes first. */
static bool read_counts(
	const struct ts_gpu_gemm *x, const char *text, GArray *counts, GError **error)
{
	const struct ts_backend *gpu = &x->gemm.gpu;
	g_auto(GStrv) words = g_strsplit(text, ",", -1);
	uint32_t count = 0;
	int64_t value;

	g_array_append_val(counts, count);
	for (size_t i = 0; words[i] != NULL; i++) {
		if (!ts_parse_int(words[i], &value) || !ts_in_range(value, 1, gpu->is.units - 1))
			return ts_refuse(error,
				"--held %s: must be numbers of %ss from 1 to %u, with commas", text,
				gpu->ops->unit, gpu->is.units - 1);
		count = (uint32_t)value;
		g_array_append_val(counts, count);
	}
	if (counts->len > COUNTS_MAX)
		return ts_refuse(error, "--held %s: at most %d numbers", text, COUNTS_MAX - 1);
	return true;
}

/* The same on the simulator. False and a refusal. */
static bool predict(
	const struct ts_gpu_gemm *x, const char *model, struct ts_hold_cell *c, GError **error)
{
	g_autofree char *hold = g_strdup_printf("any%u@0", c->held);
	char *holds[] = {hold, NULL};
	struct ts_settings settings = {.device = (char *)(uintptr_t)model,
		.dtype = x->settings->dtype,
		.domain = x->settings->domain,
		.hold = c->held > 0 ? holds : NULL};
	struct ts_run run;
	bool good = ts_run_init(&run, &settings, &c->spec, error) &&
		ts_run_simulate(&run, &settings, NULL, error);

	if (good)
		c->predicted_ms = (double)run.summary.outcome.makespan / 1e9;
	ts_run_finish(&run);
	return good;
}

/* C as the last launch left it. Free with g_free(). */
static uint32_t *fetch_product(struct ts_gpu_gemm *x, uint64_t *ret_words, GError **error)
{
	const struct ts_gemm_matrix *c = &x->gemm.layout.c;

	*ret_words = (c->rows * c->ld + 1) / 2;
	return ts_gemm_fetch(&x->gemm, c->at, *ret_words, error);
}

/* Times one schedule with so many units held, for `most_ns` at most, and compares the product with
 * the right one. */
static bool measure(struct ts_gpu_gemm *x, struct ts_hold *hold, const struct ts_plan *p,
	uint64_t most_ns, const uint32_t *right, struct ts_hold_cell *c, GError **error)
{
	g_autofree uint32_t *product = NULL;
	struct ts_gemm_series series = {0};
	uint64_t words;
	bool good = ts_hold_begin(hold, c->held, most_ns, error) &&
		ts_gemm_time(&x->gemm, p, (uint32_t)x->repeat, NULL, &series, NULL, error);

	/* Before anything else, also where it failed. */
	good = ts_hold_end(hold, good ? error : NULL) && good;
	if (good)
		c->times = ts_gemm_series_times(&series);
	ts_gemm_series_finish(&series);
	if (!good)
		return false;
	product = fetch_product(x, &words, error);
	if (product == NULL)
		return false;
	if (memcmp(product, right, words * sizeof *right) != 0)
		c->fault = g_strdup_printf(
			"C is not the same with %u %ss held", c->held, x->gemm.gpu.ops->unit);
	return true;
}

/* The first launch, checked. The kernel is loaded then, which would have to wait for who holds the
 * units. */
static bool run_first(struct ts_gpu_gemm *x, const struct ts_plan *p, bool checked,
	char **ret_fault, GError **error)
{
	struct ts_gpu_product product;

	if (!checked)
		return ts_gemm_prepare(&x->gemm, p, (uint64_t)x->seed, error) &&
			ts_gemm_start(&x->gemm, p, NULL, error) &&
			x->gemm.gpu.ops->wait(&x->gemm.gpu, error);
	if (!ts_gpu_gemm_run(x, p, x->seed, 0, &product, error))
		return false;
	*ret_fault = product.verdict.fault;
	return true;
}

/* One schedule with each number of held units. False and a refusal, or where the GPU failed. */
static bool run_schedule(struct ts_gpu_gemm *x, struct ts_hold *hold, struct ts_spec *spec,
	const GArray *counts, bool checked, struct ts_hold_table *t, GError **error)
{
	g_autofree uint32_t *right = NULL;
	g_autofree char *fault = NULL;
	uint64_t words, most_ns = 0;
	struct ts_plan plan;
	bool good = true;

	if (!ts_gpu_gemm_plan(x, spec, &plan, error))
		return false;
	if (ts_policy((enum ts_policy_id)plan.policy).all_resident)
		return ts_refuse(error,
			"--policy %s: its workers wait for each other and must all be resident, "
			"which "
			"they are not where units are held",
			ts_policy((enum ts_policy_id)plan.policy).name);
	if (!run_first(x, &plan, checked, &fault, error))
		return false;
	right = fetch_product(x, &words, error);
	for (guint i = 0; good && right != NULL && i < counts->len; i++) {
		struct ts_hold_cell c = {.spec = *spec, .held = g_array_index(counts, uint32_t, i)};

		good = measure(x, hold, &plan, most_ns, right, &c, error) &&
			(t->model == NULL || predict(x, t->model, &c, error));
		if (i == 0) {
			/* With nothing held. */
			most_ns = (uint64_t)(((double)SLOWDOWN_MOST * (double)x->repeat *
							     c.times.median_ms +
						     (double)SPARE_MS) *
				1e6);
			c.fault = c.fault == NULL ? g_steal_pointer(&fault) : c.fault;
		}
		g_array_append_val(t->cells, c);
	}
	return good && right != NULL;
}

static char *make_command(
	const struct ts_gpu_gemm *x, const struct ts_hold_table *t, const char *held, bool checked)
{
	GString *out = g_string_new("tilesim gpu hold");

	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (x->settings->axes[i] != NULL)
			g_string_append_printf(
				out, " --%s %s", ts_axis_name(i), x->settings->axes[i]);
	g_string_append_printf(out, " --held %s --repeat %u --kernel %s --seed %" G_GINT64_FORMAT,
		held, t->repeat, t->kernel, x->seed);
	if (x->form.gap > 0)
		g_string_append_printf(out, " --gap %u", x->form.gap);
	if (x->settings->dtype != NULL)
		g_string_append_printf(out, " --dtype %s", x->settings->dtype);
	if (x->form.layout != TS_MMA_ALONG_K)
		g_string_append(out, " --layout kn");
	if (x->hardware_domain)
		g_string_append(out, " --domain hardware");
	if (t->model != NULL)
		g_string_append_printf(out, " --device %s", t->model);
	if (x->ops != NULL)
		g_string_append_printf(out, " --backend %s", x->ops->name);
	if (!checked)
		g_string_append(out, " --check none");
	return g_string_free(out, FALSE);
}

static bool run_all(struct ts_gpu_gemm *x, const char *held, bool checked, struct ts_hold_table *t,
	GError **error)
{
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	struct ts_hold hold;
	struct ts_spec spec;
	bool good;

	if (x->axes.count > SCHEDULES_MAX || x->axes.sizes[TS_AXIS_M] > 1 ||
		x->axes.sizes[TS_AXIS_N] > 1 || x->axes.sizes[TS_AXIS_K] > 1)
		return ts_refuse(error, "gpu hold takes one M, N and K, and at most %d schedules",
			SCHEDULES_MAX);
	good = read_counts(x, held, counts, error) && ts_hold_open(&hold, &x->gemm.gpu, error);
	for (uint64_t i = 0; good && i < x->axes.count; i++)
		if (ts_axes_spec(&x->axes, i, &spec))
			good = run_schedule(x, &hold, &spec, counts, checked, t, error);
	return good;
}

static int report(
	const struct ts_gpu_gemm *x, const struct ts_hold_table *t, const char *held, bool checked)
{
	g_autofree char *command = make_command(x, t, held, checked);
	g_autofree char *text = ts_hold_report(t, command);

	g_print("%s", text);
	for (guint i = 0; i < t->cells->len; i++)
		if (g_array_index(t->cells, struct ts_hold_cell, i).fault != NULL)
			return TS_EXIT_UNSOUND;
	return TS_EXIT_OK;
}

/* With the GPU open. The error is a refusal or the backend's. */
static int hold_table(
	struct ts_gpu_gemm *x, const char *device, const char *held, bool checked, GError **error)
{
	struct ts_device *found =
		device == NULL ? ts_device_find(x->gemm.gpu.is.name, x->gemm.gpu.is.units) : NULL;
	struct ts_hold_table t = {.gpu = x->gemm.gpu.is.name,
		.kernel = x->gemm.kind->name,
		.model = found != NULL ? found->id : device,
		.repeat = (uint32_t)x->repeat,
		.format = x->format,
		.cells = g_array_new(FALSE, FALSE, sizeof(struct ts_hold_cell))};
	g_autoptr(GError) cause = NULL;
	int code;

	if (run_all(x, held, checked, &t, &cause)) {
		code = report(x, &t, held, checked);
	} else {
		code = ts_gpu_exit(cause);
		g_propagate_error(error, g_steal_pointer(&cause));
	}
	for (guint i = 0; i < t.cells->len; i++)
		g_free(g_array_index(t.cells, struct ts_hold_cell, i).fault);
	g_array_unref(t.cells);
	ts_device_free(found);
	return code;
}

static int run(struct ts_settings *settings, const struct options *o, GError **error)
{
	struct ts_gpu_gemm x = {.settings = settings};
	g_autoptr(GError) cause = NULL;
	char *device = settings->device;
	int code = TS_EXIT_USAGE;
	bool good;

	/* It says what is simulated, not what the kernels run on. */
	settings->device = NULL;
	good = ts_gpu_gemm_read(&x, &o->gemm, error);
	x.repeat = REPEAT;
	x.effort = TS_GEMM_SAMPLE;
	good = good && ts_gpu_gemm_read_repeat(&x, o->repeat, 1, error);
	if (good && o->check != NULL && strcmp(o->check, "sample") != 0 &&
		strcmp(o->check, "none") != 0)
		good = ts_refuse(error, "--check %s: must be sample or none", o->check);
	if (good && x.ops != NULL && x.ops->start_beside == NULL)
		good = ts_refuse(error,
			"--backend %s: runs one kernel at a time, so that none can hold its units",
			x.ops->name);
	if (good && device != NULL) {
		struct ts_device *d = ts_device_load(device, error);

		good = d != NULL;
		ts_device_free(d);
	}
	if (settings->axes[TS_AXIS_POLICY] == NULL)
		settings->axes[TS_AXIS_POLICY] = g_strdup("persistent,worksteal,data-parallel");
	if (good && ts_gpu_gemm_open(&x, false, &cause))
		code = hold_table(&x, device, o->held == NULL ? preset : o->held,
			o->check == NULL || strcmp(o->check, "sample") == 0, error);
	ts_gpu_gemm_close(&x);
	settings->device = device;
	if (cause == NULL)
		return code;
	code = ts_gpu_exit(cause);
	g_propagate_error(error, g_steal_pointer(&cause));
	return code;
}

int ts_gpu_hold_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"held", 0, 0, G_OPTION_ARG_STRING, &o.held,
			"SMs or CUs that another kernel holds, one number after the other (default "
			"20,40)",
			"N,..."},
		{"repeat", 0, 0, G_OPTION_ARG_STRING, &o.repeat,
			"launches of each schedule (default 21)", "N"},
		{"check", 0, 0, G_OPTION_ARG_STRING, &o.check,
			"sample (default): edges of tiles and some lines of each schedule's first "
			"product; or none. The others are compared with it",
			"WHICH"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu hold",
		"Times schedules while another kernel holds SMs or CUs, each by a CTA with all of "
		"the\n"
		"shared memory, beside what the simulator says of --device with --hold. Options of "
		"the\n"
		"plan take lists; by default persistent, worksteal and data-parallel.",
		entries);
	int code = TS_EXIT_USAGE;

	ts_gpu_gemm_entries(&o.gemm, context);
	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		ts_settings_one_problem(&settings, "gpu hold", error))
		code = settings.help ? TS_EXIT_OK : run(&settings, &o, error);
	ts_settings_finish(&settings);
	ts_gpu_gemm_options_finish(&o.gemm);
	g_free(o.held);
	g_free(o.repeat);
	g_free(o.check);
	return code;
}
