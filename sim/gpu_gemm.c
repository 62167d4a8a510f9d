/* tilesim gpu gemm: a real GEMM by the plan, checked and timed. */
#include <string.h>

#include "sim/gpu.h"
#include "sim/gpu_gemm.h"
#include "sim/refuse.h"
#include "sim/request.h"

struct options {
	char *backend, *kernel, *as, *layout, *gap, *repeat, *check, *format;
	gboolean cublas;
};

enum { CPU_PRODUCTS_MAX = 1 << 30, SIZE_MAX_ELEMENTS = 1 << 30, SHOWN_MAX = 8, REPEAT = 20 };

static const uint64_t WORDS_MAX = UINT64_C(1) << 34;
static const uint64_t WORKSPACE_BYTES = 64 << 20;

bool ts_gpu_gemm_suits(const struct ts_settings *s, GError **error)
{
	const struct {
		const char *name;
		bool given;
	} options[] = {{"device", s->device != NULL}, {"cus", s->cus != NULL},
		{"occupancy", s->occupancy != NULL}, {"max-cluster", s->max_cluster != NULL},
		{"claim-ns", s->claim_ns != NULL}, {"prologue-ns", s->prologue_ns != NULL},
		{"epilogue-ns", s->epilogue_ns != NULL}, {"edge", s->edge != NULL},
		{"memory", s->memory != NULL}, {"domain", s->domain != NULL},
		{"jitter", s->jitter != NULL}, {"mask", s->mask != NULL}, {"slow", s->slow != NULL},
		{"hold", s->hold != NULL}, {"release", s->release != NULL}};

	if (s->file != NULL)
		return ts_refuse(error,
			"--policy-file %s: a kernel has only the registered policies in it",
			s->policy_file);
	for (size_t i = 0; i < G_N_ELEMENTS(options); i++)
		if (options[i].given)
			return ts_refuse(error,
				"--%s: the GEMM takes the GPU as it is; leave it out",
				options[i].name);
	return true;
}

/* Kernels, types, layouts and instructions by their names; NULL: the first. */
static const struct ts_gemm_kind *const kinds[] = {NULL, &ts_gemm_mma, &ts_gemm_sm90};
static const char *const kind_names[] = {"auto", "mma", "sm90", NULL};
static const char *const types[] = {"bf16", "fp16", NULL};
/* Of B, and of groups. */
static const char *const layouts[] = {"nk", "kn", "contiguous", "masked", NULL};
enum { LAYOUTS_OF_B = 2 };
static const char *const instructions[] = {"sm80", "gfx942", "gfx950", "gfx1100", "gfx1200", NULL};

static bool choose(const char *option, const char *word, const char *const *names,
	uint32_t *ret_index, GError **error)
{
	g_autofree char *all = NULL;

	*ret_index = 0;
	for (uint32_t i = 0; word != NULL && names[i] != NULL; i++)
		if (strcmp(word, names[i]) == 0) {
			*ret_index = i;
			return true;
		}
	if (word == NULL)
		return true;
	all = g_strjoinv(", ", (char **)(uintptr_t)names);
	return ts_refuse(error, "--%s %s: must be one of %s", option, word, all);
}

/* B's layout, and that of groups, which is an option of other commands too. */
static bool read_layouts(struct ts_gpu_gemm *x, const char *text, GError **error)
{
	g_auto(GStrv) words = g_strsplit(text == NULL ? "nk" : text, ",", -1);

	for (guint i = 0; words[i] != NULL; i++) {
		uint32_t layout;

		if (!choose("layout", words[i], layouts, &layout, error))
			return false;
		if (layout < LAYOUTS_OF_B) {
			x->form.layout = (enum ts_mma_layout)layout;
			continue;
		}
		g_free(x->settings->axes[TS_AXIS_LAYOUT]);
		x->settings->axes[TS_AXIS_LAYOUT] = g_strdup(words[i]);
	}
	return true;
}

/* What is multiplied, and by what. */
static bool read_form(struct ts_gpu_gemm *x, const struct options *o, GError **error)
{
	uint32_t kind, type, as;
	int64_t gap = 0;

	if (!choose("kernel", o->kernel, kind_names, &kind, error) ||
		!choose("dtype", x->settings->dtype, types, &type, error) ||
		!read_layouts(x, o->layout, error) ||
		!choose("as", o->as, instructions, &as, error))
		return false;
	if (o->gap != NULL && (!ts_parse_int(o->gap, &gap) || !ts_in_range(gap, 0, 65536)))
		return ts_refuse(error,
			"--gap %s: must be a whole number of elements from 0 to 65536", o->gap);
	if (o->as != NULL && (x->ops == NULL || !x->ops->only_by_name))
		return ts_refuse(error,
			"--as %s: only the CPU can act as another device; add --backend cpu",
			o->as);
	x->kind = kinds[kind];
	x->form.type = (enum ts_mma_type)type;
	x->form.gap = (uint32_t)gap;
	x->as = o->as == NULL ? NULL : instructions[as];
	if (x->kind != NULL && !x->kind->has_form(&x->form))
		return ts_refuse(error,
			"--kernel %s: multiplies bf16 with rows of B along K (--dtype bf16 "
			"--layout "
			"nk); use --kernel mma",
			x->kind->name);
	if (o->cublas && (type != 0 || x->form.layout != TS_MMA_ALONG_K || gap != 0))
		return ts_refuse(error,
			"--cublas: goes with bf16, rows of B along K and no gap between rows");
	return ts_settings_hardware_domain(x->settings, &x->hardware_domain, error);
}

static bool read_options(struct ts_gpu_gemm *x, const struct options *o, GError **error)
{
	const char *seed = x->settings->seed;

	if (!ts_gpu_backend(o->backend, &x->ops, error))
		return false;
	x->repeat = -1;
	x->seed = 1;
	if (!ts_format_parse(o->format, &x->format, error))
		return false;
	if (!read_form(x, o, error))
		return false;
	if (x->format == TS_CSV)
		return ts_refuse(error, "--format csv: must be text or json");
	if (o->check != NULL && strcmp(o->check, "full") != 0 && strcmp(o->check, "sample") != 0)
		return ts_refuse(error, "--check %s: must be full or sample", o->check);
	x->effort =
		o->check != NULL && strcmp(o->check, "sample") == 0 ? TS_GEMM_SAMPLE : TS_GEMM_FULL;
	if (o->repeat != NULL &&
		(!ts_parse_int(o->repeat, &x->repeat) ||
			!ts_in_range(x->repeat, 0, TS_GEMM_REPEAT_MAX)))
		return ts_refuse(error, "--repeat %s: must be a whole number from 0 to %d",
			o->repeat, TS_GEMM_REPEAT_MAX);
	if (seed != NULL &&
		(!ts_parse_int(seed, &x->seed) || !ts_in_range(x->seed, 0, TS_COUNT_MAX)))
		return ts_refuse(
			error, "--seed %s: must be a whole number from 0 to 2147483647", seed);
	return true;
}

/* Is there a kernel for the request, whose size it can take? */
static bool check_spec(const struct ts_gpu_gemm *x, const struct ts_spec *s, GError **error)
{
	const struct ts_gemm_kind *kind = x->gemm.kind;
	int64_t least_k = kind->align > 1 ? 1 : 0;

	if (!kind->has_block(s->block_m, s->block_n, s->block_k))
		return ts_refuse(error,
			"blocks of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			": the kernels of %s have %s",
			s->block_m, s->block_n, s->block_k, kind->name, kind->blocks);
	if (!kind->has_cluster(s->cluster_m, s->cluster_n))
		return ts_refuse(error,
			"cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			": the kernels of %s take %s",
			s->cluster_m, s->cluster_n, kind->name, kind->clusters);
	if (!ts_in_range(s->m, 1, SIZE_MAX_ELEMENTS) || !ts_in_range(s->n, 1, SIZE_MAX_ELEMENTS) ||
		!ts_in_range(s->k, least_k, SIZE_MAX_ELEMENTS))
		return ts_refuse(error,
			"M=%" G_GINT64_FORMAT ", N=%" G_GINT64_FORMAT ", K=%" G_GINT64_FORMAT
			": the kernels of %s take sizes from 1 to %d%s",
			s->m, s->n, s->k, kind->name, SIZE_MAX_ELEMENTS,
			least_k == 0 ? ", K from 0" : "");
	return true;
}

/* Groups that the kernels can take: of the same N and K, and not more than there can be memory for.
 */
static bool check_groups(const struct ts_gpu_gemm *x, const struct ts_plan *p, GError **error)
{
	uint64_t rows = ts_gemm_rows(p), rows_b = (uint64_t)p->groups * MAX(p->n, p->k);

	for (uint32_t i = 0; p->grids != NULL && i < p->grid_count; i++)
		if (p->grids[i].n != p->n || p->grids[i].k != p->k)
			return ts_refuse(error,
				"group %u has N=%u and K=%u, another one N=%u and K=%u: the GEMM "
				"takes groups that differ in their rows only",
				i, p->grids[i].n, p->grids[i].k, p->n, p->k);
	if (p->items == 0)
		return ts_refuse(
			error, "%u groups without a row: there is nothing to compute", p->groups);
	if (rows > SIZE_MAX_ELEMENTS || rows_b > SIZE_MAX_ELEMENTS)
		return ts_refuse(error,
			"%u groups with %" G_GUINT64_FORMAT " rows of A, and %" G_GUINT64_FORMAT
			" of B or its transpose: the kernels of %s take up to %d",
			p->groups, rows, rows_b, x->gemm.kind->name, SIZE_MAX_ELEMENTS);
	return true;
}

bool ts_gpu_gemm_plan(
	struct ts_gpu_gemm *x, struct ts_spec *spec, struct ts_plan *ret_plan, GError **error)
{
	bool plain =
		spec->batch == 1 && !ts_spec_has_list(spec) && spec->row_order == TS_ROWS_ASCENDING;
	struct ts_spec roomy;
	uint32_t resident;

	if (!check_spec(x, spec, error))
		return false;
	resident = ts_gemm_residency(&x->gemm, plain, (uint32_t)spec->block_n,
		(uint32_t)spec->cluster_m, (uint32_t)spec->cluster_n);
	if (resident == 0)
		return ts_refuse(error,
			"cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT ": %s has no room for one",
			spec->cluster_m, spec->cluster_n, x->gemm.gpu.is.name);
	if (x->axes.default_workers)
		spec->workers = resident;
	roomy = ts_group_room_give(&x->room, spec);
	if (!ts_request_plan(ret_plan, &roomy, error) || !check_groups(x, ret_plan, error))
		return false;
	if (x->gemm.gpu.ops->only_by_name &&
		(double)ts_gemm_used_rows(ret_plan) * ret_plan->n * MAX(ret_plan->k, 1) >
			CPU_PRODUCTS_MAX)
		return ts_refuse(error,
			"M=%" G_GUINT64_FORMAT ", N=%u, K=%u: would take the CPU hours; use --m, "
			"--n and --k of 1024 or less",
			ts_gemm_used_rows(ret_plan), ret_plan->n, ret_plan->k);
	if (ret_plan->launches == 1)
		return ts_refuse(error,
			"--policy clc: these kernels have no cluster launch control; worksteal "
			"--mode "
			"global claims in the same way from memory");
	if (ts_gemm_words(&x->gemm, ret_plan) > WORDS_MAX)
		return ts_refuse(error, "M=%u, N=%u, K=%u: the matrices take more than 64 GiB",
			ret_plan->m, ret_plan->n, ret_plan->k);
	return true;
}

static char *make_command(const struct ts_gpu_gemm *x, const struct ts_spec *spec, int64_t seed)
{
	GString *out = g_string_new("tilesim gpu gemm");

	/* The layout of groups goes with that of B. */
	ts_request_options(spec, x->settings->lists, out);
	g_string_replace(out, " --layout masked", "", 1);
	g_string_append_printf(out, " --seed %" G_GINT64_FORMAT " --check %s", seed,
		x->effort == TS_GEMM_FULL ? "full" : "sample");
	g_string_append_printf(out, " --kernel %s --dtype %s --layout %s%s", x->gemm.kind->name,
		types[x->form.type], layouts[x->form.layout],
		spec->layout == TS_MASKED ? ",masked" : "");
	if (x->form.gap > 0)
		g_string_append_printf(out, " --gap %u", x->form.gap);
	if (x->as != NULL)
		g_string_append_printf(out, " --as %s", x->as);
	if (x->hardware_domain)
		g_string_append(out, " --domain hardware");
	if (x->repeat >= 0)
		g_string_append_printf(out, " --repeat %" G_GINT64_FORMAT, x->repeat);
	if (x->ops != NULL)
		g_string_append_printf(out, " --backend %s", x->ops->name);
	if (x->cublas != NULL)
		g_string_append(out, " --cublas");
	return g_string_free(out, FALSE);
}

/* Times the launches. C is the same to the bit after all of them, or the kernel has a race. */
static bool repeat(struct ts_gpu_gemm *x, const struct ts_plan *p, uint32_t count,
	struct ts_gpu_product *r, GError **error)
{
	const struct ts_gemm_matrix *c = &x->gemm.layout.c;
	uint64_t words = (c->rows * c->ld + 1) / 2;
	g_autofree uint32_t *before = ts_gemm_fetch(&x->gemm, c->at, words, error);
	g_autofree uint32_t *after = NULL;

	if (before == NULL ||
		!ts_gemm_time(&x->gemm, p, count, x->cublas, &r->ours, &r->theirs, error))
		return false;
	r->timed = true;
	after = ts_gemm_fetch(&x->gemm, c->at, words, error);
	if (after == NULL)
		return false;
	if (r->verdict.sound && memcmp(before, after, words * sizeof *after) != 0) {
		r->verdict.sound = false;
		r->verdict.fault = g_strdup("C changes from launch to launch");
	}
	return true;
}

/* Was what the launch wrote down a run of the plan? */
static bool check_log(
	struct ts_gpu_gemm *x, const struct ts_plan *p, struct ts_gpu_product *r, GError **error)
{
	const struct ts_backend_properties *is = &x->gemm.gpu.is;
	struct ts_gpu_verdict v;
	struct ts_probe_log log;

	if (!x->gemm.kind->records || !r->verdict.sound)
		return true;
	if (!ts_gemm_log(&x->gemm, p, &log, error))
		return false;
	v = ts_gpu_check(p, &log, x->hardware_domain, is->sparse_units ? UINT32_MAX : is->units);
	g_free(log.words);
	r->verdict.sound = v.sound;
	r->verdict.fault = v.fault;
	return true;
}

bool ts_gpu_gemm_run(struct ts_gpu_gemm *x, const struct ts_plan *p, int64_t seed, uint32_t count,
	struct ts_gpu_product *r, GError **error)
{
	memset(r, 0, sizeof *r);
	return ts_gemm_prepare(&x->gemm, p, (uint64_t)seed, error) &&
		ts_gemm_start(&x->gemm, p, NULL, error) &&
		ts_gemm_check(&x->gemm, p, x->effort, &r->verdict, error) &&
		check_log(x, p, r, error) && (count == 0 || repeat(x, p, count, r, error));
}

static int gemm_one(struct ts_gpu_gemm *x, GError **error)
{
	uint32_t count = x->repeat < 0 ? REPEAT : (uint32_t)x->repeat;
	g_autofree char *command = NULL;
	g_autofree char *report = NULL;
	struct ts_spec spec;
	struct ts_plan plan;
	struct ts_gpu_product r;
	bool sound;

	ts_axes_spec(&x->axes, 0, &spec);
	if (!ts_gpu_gemm_plan(x, &spec, &plan, error))
		return TS_EXIT_USAGE;
	if (!ts_gpu_gemm_run(x, &plan, x->seed, count, &r, error))
		return TS_EXIT_UNSOUND;
	sound = r.verdict.sound;
	command = make_command(x, &spec, x->seed);
	report = ts_gpu_gemm_report(x, &plan, &r, command);
	g_print("%s", report);
	g_free(r.verdict.fault);
	return sound ? TS_EXIT_OK : TS_EXIT_UNSOUND;
}

/* The tally of the request's policy. */
static struct ts_gpu_tally *find_tally(GArray *tallies, const struct ts_spec *spec)
{
	g_autofree char *name = ts_request_policy_text(spec);
	struct ts_gpu_tally fresh = {0};

	for (guint i = 0; i < tallies->len; i++)
		if (strcmp(g_array_index(tallies, struct ts_gpu_tally, i).name, name) == 0)
			return &g_array_index(tallies, struct ts_gpu_tally, i);
	fresh.name = g_steal_pointer(&name);
	g_array_append_val(tallies, fresh);
	return &g_array_index(tallies, struct ts_gpu_tally, tallies->len - 1);
}

static void count(struct ts_gpu_tally *t, const struct ts_gpu_tally *more)
{
	t->plans += more->plans;
	t->tiles += more->tiles;
	t->elements += more->elements;
	t->failures += more->failures;
	t->error = MAX(t->error, more->error);
	t->worst = MAX(t->worst, more->worst);
}

/* One of many. False where the GPU failed. */
static bool gemm_next(struct ts_gpu_gemm *x, struct ts_spec *spec, int64_t seed, uint64_t *failures,
	GError **error)
{
	uint32_t launches = x->repeat < 0 ? 1 : (uint32_t)x->repeat;
	g_autofree char *command = NULL;
	struct ts_gpu_tally one = {.plans = 1};
	struct ts_gpu_product r;
	struct ts_plan plan;

	/* A combination that has no plan is left out. */
	if (!ts_gpu_gemm_plan(x, spec, &plan, NULL))
		return true;
	command = make_command(x, spec, seed);
	if (!ts_gpu_gemm_run(x, &plan, seed, launches, &r, error)) {
		g_prefix_error(error, "%s: ", command);
		return false;
	}
	one.tiles = plan.tiles;
	one.elements = r.verdict.checked;
	one.error = r.verdict.error;
	one.worst = r.verdict.worst;
	one.failures = r.verdict.sound ? 0 : 1;
	count(find_tally(x->tallies, spec), &one);
	if (!r.verdict.sound && (*failures)++ < SHOWN_MAX)
		g_printerr("FAILED       %s\nrepeat with  %s\n", r.verdict.fault, command);
	g_free(r.verdict.fault);
	return true;
}

static int gemm_all(struct ts_gpu_gemm *x, GError **error)
{
	g_autofree char *table = NULL;
	struct ts_gpu_tally sum = {.name = (char *)"all"};
	struct ts_spec spec;
	uint64_t failures = 0;
	bool good = true;

	x->tallies = g_array_new(FALSE, FALSE, sizeof(struct ts_gpu_tally));
	for (uint64_t i = 0; good && i < x->axes.count; i++)
		if (ts_axes_spec(&x->axes, i, &spec))
			good = gemm_next(
				x, &spec, (x->seed + (int64_t)i) % TS_COUNT_MAX, &failures, error);
	for (guint i = 0; i < x->tallies->len; i++)
		count(&sum, &g_array_index(x->tallies, struct ts_gpu_tally, i));
	table = good ? ts_gpu_gemm_table(x, x->tallies, &sum) : g_strdup("");
	g_print("%s", table);
	for (guint i = 0; i < x->tallies->len; i++)
		g_free(g_array_index(x->tallies, struct ts_gpu_tally, i).name);
	g_array_unref(x->tallies);
	if (!good || failures > 0)
		return TS_EXIT_UNSOUND;
	if (sum.plans > 0)
		return TS_EXIT_OK;
	ts_refuse(error, "there is no kernel for any of these plans");
	return TS_EXIT_USAGE;
}

/* The requests, for the GPU that is there. */
static bool read_axes(struct ts_gpu_gemm *x, GError **error)
{
	char **block = &x->settings->axes[TS_AXIS_BLOCK];
	char **cluster = &x->settings->axes[TS_AXIS_CLUSTER];
	struct ts_device *d = g_new0(struct ts_device, 1);
	bool good;

	d->id = g_strdup("gpu");
	d->name = g_strdup(x->gemm.gpu.is.name);
	d->units = x->gemm.gpu.is.units;
	d->groups = d->xcds = d->occupancy = 1;
	d->max_cluster = TS_GEMM_RANKS;
	d->group_units = g_new(uint32_t, 1);
	d->group_units[0] = d->units;
	if (*block == NULL)
		*block = g_strdup(x->gemm.kind->default_blocks[x->several ? 1 : 0]);
	if (x->several && *cluster == NULL)
		*cluster = g_strdup(x->gemm.kind->default_clusters);
	good = ts_settings_axes(x->settings, d, &x->axes, error);
	ts_device_free(d);
	return good;
}

/* Opens cuBLAS where it is wanted. */
static bool open_cublas(struct ts_gpu_gemm *x, bool wanted, GError **error)
{
	if (!wanted)
		return true;
	x->workspace = x->gemm.gpu.ops->alloc(&x->gemm.gpu, WORKSPACE_BYTES, error);
	if (x->workspace == 0)
		return false;
	x->cublas = ts_cublas_new(x->workspace, WORKSPACE_BYTES, error);
	return x->cublas != NULL;
}

bool ts_gpu_gemm_open(struct ts_gpu_gemm *x, bool cublas, GError **error)
{
	if (!ts_gemm_open(&x->gemm, x->ops, x->kind, &x->form, x->as, error))
		return false;
	x->gemm.hardware_domain = x->hardware_domain;
	return open_cublas(x, cublas, error) && read_axes(x, error);
}

void ts_gpu_gemm_close(struct ts_gpu_gemm *x)
{
	ts_axes_finish(&x->axes);
	ts_group_room_finish(&x->room);
	ts_cublas_free(x->cublas);
	ts_backend_free(&x->gemm.gpu, x->workspace);
	ts_gemm_close(&x->gemm);
}

static int gemm(struct ts_settings *settings, const struct options *o, GError **error)
{
	g_autoptr(GError) cause = NULL;
	struct ts_gpu_gemm x = {.settings = settings};
	int code = TS_EXIT_USAGE;

	if (!ts_gpu_gemm_suits(settings, error) || !read_options(&x, o, error))
		return TS_EXIT_USAGE;
	if (ts_gpu_gemm_open(&x, o->cublas, &cause)) {
		if (x.axes.count == 1)
			code = gemm_one(&x, error);
		else if (o->cublas)
			ts_refuse(error,
				"--cublas goes with one plan; tilesim gpu bench times several");
		else
			code = gemm_all(&x, error);
	}
	ts_gpu_gemm_close(&x);
	if (cause == NULL)
		return code;
	code = ts_gpu_exit(cause);
	g_propagate_error(error, g_steal_pointer(&cause));
	return code;
}

int ts_gpu_gemm_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"kernel", 0, 0, G_OPTION_ARG_STRING, &o.kernel,
			"auto (default: sm90 where it can, else mma), mma or sm90", "NAME"},
		{"layout", 0, 0, G_OPTION_ARG_STRING, &o.layout,
			"B is nk (default: rows along K) or kn; groups are contiguous (default) or "
			"masked: kn,masked",
			"WHICH"},
		{"gap", 0, 0, G_OPTION_ARG_STRING, &o.gap,
			"elements between the rows of each matrix (default 0)", "N"},
		{"as", 0, 0, G_OPTION_ARG_STRING, &o.as,
			"the CPU acts as sm80 (default), gfx942, gfx950, gfx1100 or gfx1200",
			"NAME"},
		{"backend", 0, 0, G_OPTION_ARG_STRING, &o.backend, ts_gpu_backend_help, "NAME"},
		{"repeat", 0, 0, G_OPTION_ARG_STRING, &o.repeat,
			"launches that are timed (default 20; of several plans 1)", "N"},
		{"check", 0, 0, G_OPTION_ARG_STRING, &o.check,
			"full (default) or sample: edges of tiles and some lines of a large C",
			"WHICH"},
		{"cublas", 0, 0, G_OPTION_ARG_NONE, &o.cublas,
			"time cuBLAS too, launch by launch in turn", NULL},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o.format, "text (default) or json",
			"FORMAT"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu gemm",
		"Computes C = A B with the policy inside the kernel: random inputs, every result\n"
		"checked. A and C are row-major. The kernels of sm90 are for Hopper: bf16, blocks "
		"of\n"
		"128x256x64 or 128x128x64. Those of mma run on NVIDIA from sm_80 on, on AMD and on "
		"the\n"
		"CPU: bf16 or fp16, blocks of 128x128x32 or 64x64x32, and items cut along K; also "
		"batches\n"
		"and groups, A and C with the rows of all, B with a matrix for each. Lists and "
		"ranges\n"
		"give a table of all plans.",
		entries);
	int code = TS_EXIT_USAGE;

	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		ts_settings_rectangles(&settings, "the GEMM kernel", error)) {
		code = settings.help ? TS_EXIT_OK : gemm(&settings, &o, error);
	}
	ts_settings_finish(&settings);
	g_free(o.backend);
	g_free(o.kernel);
	g_free(o.layout);
	g_free(o.gap);
	g_free(o.as);
	g_free(o.repeat);
	g_free(o.check);
	g_free(o.format);
	return code;
}
