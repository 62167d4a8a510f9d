/* What all commands around the GEMM are told: the backend, the kernel and how matrices are stored.
 */
#include <string.h>

#include "sim/gpu.h"
#include "sim/gpu_gemm.h"
#include "sim/refuse.h"
#include "sim/request.h"

bool ts_gpu_gemm_suits(const struct ts_settings *s, GError **error)
{
	static const char *const taken[] = {"dtype", "domain", "max-counters", "seed", NULL};

	return ts_settings_real_device(s, "the GEMM", taken, error);
}

/* Kernels, types, layouts and instructions by their names; NULL: the first. */
static const struct ts_gemm_kind *const kinds[] = {NULL, &ts_gemm_mma, &ts_gemm_sm90};
static const char *const kind_names[] = {"auto", "mma", "sm90", NULL};
static const char *const types[] = {"bf16", "fp16", NULL};
/* Of B, and of groups. */
static const char *const layouts[] = {"nk", "kn", "contiguous", "masked", NULL};
enum { LAYOUTS_OF_B = 2 };
static const char *const instructions[] = {"sm80", "gfx942", "gfx950", "gfx1100", "gfx1200", NULL};

const char *ts_gpu_gemm_instructions(uint32_t number)
{
	return instructions[number % (G_N_ELEMENTS(instructions) - 1)];
}

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
	bool given[2] = {false, false}; /* of B, of groups */

	if (words[0] == NULL)
		return ts_refuse(error, "--layout: the value is empty; say nk or kn");
	for (guint i = 0; words[i] != NULL; i++) {
		uint32_t layout;
		bool of_groups;

		if (!choose("layout", words[i], layouts, &layout, error))
			return false;
		of_groups = layout >= LAYOUTS_OF_B;
		if (given[of_groups])
			return ts_refuse(error,
				"--layout %s: give one of B, nk or kn, and one of groups, "
				"contiguous or masked",
				text);
		given[of_groups] = true;
		if (!of_groups) {
			x->form.layout = (enum ts_mma_layout)layout;
			continue;
		}
		g_free(x->settings->axes[TS_AXIS_LAYOUT]);
		x->settings->axes[TS_AXIS_LAYOUT] = g_strdup(words[i]);
	}
	return true;
}

/* What is multiplied, and by what. */
static bool read_form(struct ts_gpu_gemm *x, const struct ts_gpu_gemm_options *o, GError **error)
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
	if (kinds[kind] == &ts_gemm_sm90 && x->ops != NULL && strcmp(x->ops->name, "cuda") != 0)
		return ts_refuse(error,
			"--kernel sm90 --backend %s: these kernels are for NVIDIA's Hopper only; "
			"give --kernel mma, or leave one of both out",
			x->ops->name);
	x->kind = kinds[kind];
	x->form.type = (enum ts_mma_type)type;
	x->form.gap = (uint32_t)gap;
	x->as = o->as == NULL ? NULL : instructions[as];
	return ts_settings_hardware_domain(x->settings, &x->hardware_domain, error);
}

void ts_gpu_gemm_entries(struct ts_gpu_gemm_options *o, GOptionContext *context)
{
	const GOptionEntry entries[] = {
		{"kernel", 0, 0, G_OPTION_ARG_STRING, &o->kernel,
			"auto (default: sm90 where it can, else mma), mma or sm90", "NAME"},
		{"layout", 0, 0, G_OPTION_ARG_STRING, &o->layout,
			"B is nk (default: rows along K) or kn; groups are contiguous (default) or "
			"masked: kn,masked",
			"WHICH"},
		{"gap", 0, 0, G_OPTION_ARG_STRING, &o->gap,
			"elements between the rows of each matrix (default 0)", "N"},
		{"as", 0, 0, G_OPTION_ARG_STRING, &o->as,
			"the CPU acts as sm80 (default), gfx942, gfx950, gfx1100 or gfx1200",
			"NAME"},
		{"backend", 0, 0, G_OPTION_ARG_STRING, &o->backend, ts_gpu_backend_help, "NAME"},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o->format, "text (default) or json",
			"FORMAT"},
		{0}};

	g_option_context_add_main_entries(context, entries, NULL);
}

void ts_gpu_gemm_options_finish(struct ts_gpu_gemm_options *o)
{
	g_free(o->backend);
	g_free(o->kernel);
	g_free(o->as);
	g_free(o->layout);
	g_free(o->gap);
	g_free(o->format);
}

bool ts_gpu_gemm_read(struct ts_gpu_gemm *x, const struct ts_gpu_gemm_options *o, GError **error)
{
	const char *seed = x->settings->seed;

	x->repeat = -1;
	x->seed = 1;
	x->effort = TS_GEMM_FULL;
	if (!ts_gpu_gemm_suits(x->settings, error) || !ts_gpu_backend(o->backend, &x->ops, error) ||
		!ts_format_parse(o->format, &x->format, error) || !read_form(x, o, error))
		return false;
	if (x->format == TS_CSV)
		return ts_refuse(error, "--format csv: must be text or json");
	if (seed != NULL &&
		(!ts_parse_int(seed, &x->seed) || !ts_in_range(x->seed, 0, TS_COUNT_MAX)))
		return ts_refuse(
			error, "--seed %s: must be a whole number from 0 to 2147483647", seed);
	return true;
}

bool ts_gpu_gemm_read_repeat(
	struct ts_gpu_gemm *x, const char *repeat, int64_t least, GError **error)
{
	if (repeat != NULL &&
		(!ts_parse_int(repeat, &x->repeat) ||
			!ts_in_range(x->repeat, least, TS_GEMM_REPEAT_MAX)))
		return ts_refuse(error,
			"--repeat %s: must be a whole number from %" G_GINT64_FORMAT " to %d",
			repeat, least, TS_GEMM_REPEAT_MAX);
	return true;
}

bool ts_gpu_gemm_read_check(struct ts_gpu_gemm *x, const char *check, GError **error)
{
	if (check != NULL && strcmp(check, "full") != 0 && strcmp(check, "sample") != 0)
		return ts_refuse(error, "--check %s: must be full or sample", check);
	x->effort = check != NULL && strcmp(check, "sample") == 0 ? TS_GEMM_SAMPLE : TS_GEMM_FULL;
	return true;
}

char *ts_gpu_gemm_command_text(
	const struct ts_gpu_gemm *x, const char *verb, const struct ts_spec *spec, int64_t seed)
{
	GString *out = g_string_new("tilesim gpu ");

	g_string_append(out, verb);
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
