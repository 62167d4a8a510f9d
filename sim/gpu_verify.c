/* tilesim gpu verify: random runs of the GEMM, each with every check. */
#include "sim/gpu_verify.h"

#include "sim/gpu.h"
#include "sim/refuse.h"

struct options {
	struct ts_gpu_gemm_options gemm;
	char *count, *limit;
};

enum { COUNT = 200, COUNT_MAX = 100000000, LIMIT_S = 60, LIMIT_MAX_S = 86400 };

static bool read_options(struct ts_gpu_verify *v, const struct options *o, GError **error)
{
	struct ts_gpu_gemm *x = v->sweep.gemm;
	/* So many runs as are asked for take as long as they take. */
	int64_t count = COUNT, limit = o->count != NULL ? LIMIT_MAX_S : LIMIT_S;

	if (!ts_gpu_gemm_read(x, &o->gemm, error))
		return false;
	if (o->count != NULL &&
		(!ts_parse_int(o->count, &count) || !ts_in_range(count, 1, COUNT_MAX)))
		return ts_refuse(error, "--count %s: must be a whole number of runs from 1 to %d",
			o->count, COUNT_MAX);
	if (o->limit != NULL &&
		(!ts_parse_int(o->limit, &limit) || !ts_in_range(limit, 1, LIMIT_MAX_S)))
		return ts_refuse(error,
			"--limit %s: must be a whole number of seconds from 1 to %d", o->limit,
			LIMIT_MAX_S);
	v->count = (uint64_t)count;
	v->limit_s = (uint64_t)limit;
	v->draw.gemm = x;
	v->draw.type = x->settings->dtype == NULL;
	v->draw.layout = o->gemm.layout == NULL;
	v->draw.gap = o->gemm.gap == NULL;
	v->draw.as = o->gemm.as == NULL && x->ops != NULL && x->ops->only_by_name;
	return true;
}

/* The command for these runs. Free with g_free(). */
static char *make_command(const struct ts_gpu_verify *v, const struct options *o)
{
	const struct ts_gpu_gemm *x = v->sweep.gemm;
	const struct {
		const char *name, *value;
	} words[] = {{"backend", o->gemm.backend}, {"kernel", o->gemm.kernel}, {"as", o->gemm.as},
		{"layout", o->gemm.layout}, {"gap", o->gemm.gap}, {"dtype", x->settings->dtype},
		{"domain", x->settings->domain}};
	GString *out = g_string_new("tilesim gpu verify");

	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (x->settings->axes[i] != NULL)
			g_string_append_printf(
				out, " --%s %s", ts_axis_name(i), x->settings->axes[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (words[i].value != NULL)
			g_string_append_printf(out, " --%s %s", words[i].name, words[i].value);
	g_string_append_printf(
		out, " --count %" G_GUINT64_FORMAT " --seed %" G_GINT64_FORMAT, v->count, x->seed);
	if (v->limit_s < LIMIT_MAX_S)
		g_string_append_printf(out, " --limit %" G_GUINT64_FORMAT, v->limit_s);
	return g_string_free(out, FALSE);
}

static void print_json(const struct ts_gpu_verify *v, const char *command)
{
	g_autofree char *text = NULL;
	JsonBuilder *b = json_builder_new();

	json_builder_begin_object(b);
	ts_json_text_member(b, "command", command);
	ts_json_text_member(b, "kernel", v->sweep.gemm->gemm.kind->name);
	ts_json_count(b, "asked", v->count);
	ts_json_text_member(b, "verdict", v->found == NULL ? "sound" : "failed");
	if (v->found != NULL) {
		ts_json_text_member(b, "finding", v->found);
		ts_json_text_member(b, "finding_command", v->found_command);
		ts_json_text_member(b, "smallest", v->smallest);
		ts_json_text_member(b, "smallest_command", v->smallest_command);
	}
	ts_gpu_sweep_json(&v->sweep, b);
	json_builder_end_object(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

static void print_text(const struct ts_gpu_verify *v, const char *command)
{
	const struct ts_gpu_gemm *x = v->sweep.gemm;
	g_autoptr(GString) out = g_string_new(NULL);

	g_string_append_printf(
		out, "device       %s\nkernel       %s\n", x->gemm.gpu.is.name, x->gemm.kind->name);
	if (v->found != NULL)
		g_string_append_printf(out,
			"FAILED       %s\nrepeat with  %s\nsmallest     %s\nrepeat with  %s\n",
			v->found, v->found_command, v->smallest, v->smallest_command);
	else
		g_string_append_printf(out,
			"sound        %" G_GUINT64_FORMAT " runs: products, memory around them, "
			"counters%s\n",
			v->done, x->gemm.kind->records ? " and the record of every item" : "");
	if (v->found == NULL && v->done < v->count)
		g_string_append_printf(out,
			"limit        %" G_GUINT64_FORMAT
			" s were over before all %" G_GUINT64_FORMAT " runs\n",
			v->limit_s, v->count);
	g_string_append_c(out, '\n');
	ts_gpu_sweep_text(&v->sweep, out);
	g_string_append_printf(out, "\nrepeat with  %s\n", command);
	g_print("%s", out->str);
}

static int verify(struct ts_settings *settings, const struct options *o, GError **error)
{
	struct ts_gpu_gemm x = {.settings = settings};
	struct ts_gpu_verify v = {0};
	g_autofree char *command = NULL;
	g_autoptr(GError) cause = NULL;
	int code = TS_EXIT_USAGE;

	ts_gpu_sweep_init(&v.sweep, &x);
	if (read_options(&v, o, error)) {
		command = make_command(&v, o);
		ts_gpu_draw_presets(settings);
		if (ts_gpu_gemm_open(&x, false, &cause) && ts_gpu_verify_run(&v, &cause)) {
			if (x.format == TS_JSON)
				print_json(&v, command);
			else
				print_text(&v, command);
			code = v.found == NULL ? TS_EXIT_OK : TS_EXIT_UNSOUND;
		}
	}
	ts_gpu_verify_finish(&v);
	ts_gpu_gemm_close(&x);
	if (cause == NULL)
		return code;
	code = ts_gpu_exit(cause);
	g_propagate_error(error, g_steal_pointer(&cause));
	return code;
}

int ts_gpu_verify_command(int argc, char **argv, GError **error)
{
	struct options o = {0};
	const GOptionEntry entries[] = {
		{"count", 0, 0, G_OPTION_ARG_STRING, &o.count, "runs (default 200)", "N"},
		{"limit", 0, 0, G_OPTION_ARG_STRING, &o.limit,
			"seconds after which no more are begun (default 60, or none with --count)",
			"S"},
		{0}};
	struct ts_settings settings;
	g_autoptr(GOptionContext) context = ts_settings_context(&settings, "gpu verify",
		"Multiplies random matrices by random plans, and checks the product, the memory\n"
		"around it, counters and records of each. Policies, orders, remaps, clusters, "
		"tiles,\n"
		"sizes, types and layouts are drawn with --seed from all that the kernel has, or "
		"from\n"
		"the lists that are given. The first failure is shrunk.",
		entries);
	int code = TS_EXIT_USAGE;

	ts_gpu_gemm_entries(&o.gemm, context);
	if (ts_settings_parse(&settings, context, argc, argv, error) &&
		ts_settings_one_problem(&settings, "gpu verify", error))
		code = settings.help ? TS_EXIT_OK : verify(&settings, &o, error);
	ts_settings_finish(&settings);
	ts_gpu_gemm_options_finish(&o.gemm);
	g_free(o.count);
	g_free(o.limit);
	return code;
}
