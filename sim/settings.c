/* The shared options. */
#include "sim/settings.h"

#include <string.h>

#include "sim/refuse.h"
#include "sim/request.h"

/* Options beside the axes that are plain text and are repeated in a command as they were given. */
struct text_option {
	const char *name;
	size_t offset;
	const char *help, *argument;
};

static const struct text_option device_options[] = {
	{"device", G_STRUCT_OFFSET(struct ts_settings, device),
		"built-in device or path of a .device file (default mi300x)", "NAME"},
	{"dtype", G_STRUCT_OFFSET(struct ts_settings, dtype),
		"bf16, fp16, fp8, tf32 or fp32 (default bf16)", "TYPE"},
	{"cus", G_STRUCT_OFFSET(struct ts_settings, cus), "CUs or SMs in all", "N"},
	{"occupancy", G_STRUCT_OFFSET(struct ts_settings, occupancy), "CTAs on a CU or SM", "N"},
	{"max-cluster", G_STRUCT_OFFSET(struct ts_settings, max_cluster),
		"CTAs in a cluster that the device allows", "N"},
	{"max-counters", G_STRUCT_OFFSET(struct ts_settings, max_counters),
		"counters that the caller has memory for", "N"},
	{"clock", G_STRUCT_OFFSET(struct ts_settings, clock),
		"clock of the CUs or SMs (default: the device's)", "MHZ"},
	{"claim-ns", G_STRUCT_OFFSET(struct ts_settings, claim_ns), "latency of a claim", "NS"},
	{"prologue-ns", G_STRUCT_OFFSET(struct ts_settings, prologue_ns),
		"time of an item before its k iterations", "NS"},
	{"epilogue-ns", G_STRUCT_OFFSET(struct ts_settings, epilogue_ns),
		"time of an item after its k iterations", "NS"},
	{"link-gbps", G_STRUCT_OFFSET(struct ts_settings, link_gbps),
		"rate of the link that a collective uses, in one direction", "GB/S"},
	{"edge", G_STRUCT_OFFSET(struct ts_settings, edge),
		"cost of an edge tile: full (default) or real", "WHICH"},
	{"memory", G_STRUCT_OFFSET(struct ts_settings, memory),
		"cost of memory: roofline (default), caches, simulated panel by panel, or "
		"calibrated, "
		"as measured on the device",
		"MODEL"},
	{"domain", G_STRUCT_OFFSET(struct ts_settings, domain),
		"a worker's XCD: id (its id % xcds, default) or hardware (where it runs)",
		"WHENCE"},
};

static const struct text_option scenario_options[] = {
	{"mask", G_STRUCT_OFFSET(struct ts_settings, mask),
		"units that run nothing, such as xcd3 or cu5-9,any20", "SET"},
	{"jitter", G_STRUCT_OFFSET(struct ts_settings, jitter),
		"an item's time varies by up to this much either way", "PERCENT"},
	{"seed", G_STRUCT_OFFSET(struct ts_settings, seed), "of everything random (default 1)",
		"N"},
};

static const struct text_option list_options[] = {
	{"slow", G_STRUCT_OFFSET(struct ts_settings, slow), "items take FACTOR times as long",
		"SET:FACTOR"},
	{"hold", G_STRUCT_OFFSET(struct ts_settings, hold),
		"another kernel has the units from FROM to TO, in us; who is there stays",
		"SET@FROM:TO"},
	{"release", G_STRUCT_OFFSET(struct ts_settings, release),
		"workers leave between items from TIME on, in us", "SET@TIME"},
};

static char **field(const struct ts_settings *s, const struct text_option *option)
{
	return (char **)(gpointer)((const char *)s + option->offset);
}

static GOptionGroup *make_group(const char *name, const char *title, struct ts_settings *s,
	const struct text_option *options, size_t count, GOptionArg kind)
{
	GOptionGroup *group = g_option_group_new(name, title, title, NULL, NULL);

	for (size_t i = 0; i < count; i++) {
		GOptionEntry entries[] = {{options[i].name, 0, 0, kind, field(s, &options[i]),
						  options[i].help, options[i].argument},
			{0}};

		g_option_group_add_entries(group, entries);
	}
	return group;
}

GOptionContext *ts_settings_context(
	struct ts_settings *s, const char *usage, const char *summary, const GOptionEntry *entries)
{
	GOptionContext *context = g_option_context_new(usage);
	GOptionEntry help[] = {
		{"help", 'h', 0, G_OPTION_ARG_NONE, &s->help, "show this help", NULL}, {0}};
	GOptionGroup *group;

	memset(s, 0, sizeof *s);
	s->lists = ts_group_lists_new();
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_summary(context, summary);
	g_option_context_add_main_entries(context, help, NULL);
	if (entries != NULL)
		g_option_context_add_main_entries(context, entries, NULL);
	group = g_option_group_new("plan", "Problem and plan:", "", NULL, NULL);
	for (enum ts_axis i = 0; i < TS_AXES; i++) {
		GOptionEntry entry[] = {{ts_axis_name(i), 0, 0, G_OPTION_ARG_STRING, &s->axes[i],
						ts_axis_help(i), "VALUE"},
			{0}};

		g_option_group_add_entries(group, entry);
	}
	/* The second is HipKittens' word for the panel width. */
	GOptionEntry more[] = {
		{"policy-file", 0, 0, G_OPTION_ARG_FILENAME, &s->policy_file,
			"a header with a policy of your own, in place of --policy", "FILE"},
		{"window", 0, 0, G_OPTION_ARG_STRING, &s->window, "the same as --swizzle", "VALUE"},
		{0}};
	g_option_group_add_entries(group, more);
	g_option_context_add_group(context, group);
	g_option_context_add_group(context,
		make_group("device", "Device and cost:", s, device_options,
			G_N_ELEMENTS(device_options), G_OPTION_ARG_STRING));
	group = make_group("scenario", "Scenario:", s, scenario_options,
		G_N_ELEMENTS(scenario_options), G_OPTION_ARG_STRING);
	for (size_t i = 0; i < G_N_ELEMENTS(list_options); i++) {
		GOptionEntry entry[] = {{list_options[i].name, 0, 0, G_OPTION_ARG_STRING_ARRAY,
						field(s, &list_options[i]), list_options[i].help,
						list_options[i].argument},
			{0}};

		g_option_group_add_entries(group, entry);
	}
	g_option_context_add_group(context, group);
	return context;
}

bool ts_settings_parse(
	struct ts_settings *s, GOptionContext *context, int argc, char **argv, GError **error)
{
	g_autoptr(GError) cause = NULL;
	g_autofree char *text = NULL;
	char **rest = argv;
	int count = argc;

	if (!g_option_context_parse(context, &count, &rest, &cause))
		return ts_refuse(error, "%s; --help lists the options", cause->message);
	if (s->help) {
		text = g_option_context_get_help(context, FALSE, NULL);
		g_print("%s", text);
		return true;
	}
	if (count > 1)
		return ts_refuse(error, "'%s' is not an option; --help lists them", argv[1]);
	if (s->window != NULL && s->axes[TS_AXIS_WIDTH] != NULL)
		return ts_refuse(error,
			"--swizzle %s and --window %s: both name the width of a panel; give one "
			"of them",
			s->axes[TS_AXIS_WIDTH], s->window);
	if (s->window != NULL)
		s->axes[TS_AXIS_WIDTH] = g_steal_pointer(&s->window);
	if (s->policy_file == NULL)
		return true;
	if (s->axes[TS_AXIS_POLICY] != NULL)
		return ts_refuse(error, "--policy %s and --policy-file %s: give one of them",
			s->axes[TS_AXIS_POLICY], s->policy_file);
	s->file = ts_policy_file_load(s->policy_file, error);
	return s->file != NULL;
}

void ts_settings_finish(struct ts_settings *s)
{
	for (enum ts_axis i = 0; i < TS_AXES; i++)
		g_free(s->axes[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(device_options); i++)
		g_free(*field(s, &device_options[i]));
	for (size_t i = 0; i < G_N_ELEMENTS(scenario_options); i++)
		g_free(*field(s, &scenario_options[i]));
	g_strfreev(s->slow);
	g_strfreev(s->hold);
	g_strfreev(s->release);
	g_free(s->policy_file);
	g_free(s->window);
	g_clear_pointer(&s->lists, g_ptr_array_unref);
	if (!s->borrows_file)
		ts_policy_file_free(s->file);
}

static void inherit_texts(struct ts_settings *s, const struct ts_settings *base,
	const struct text_option *options, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (*field(s, &options[i]) == NULL)
			*field(s, &options[i]) = g_strdup(*field(base, &options[i]));
}

/* Takes over what was not given. */
static void inherit(struct ts_settings *s, const struct ts_settings *base)
{
	static const enum ts_axis belongs_to[TS_AXES] = {[TS_AXIS_MODE] = TS_AXIS_POLICY,
		[TS_AXIS_LOCAL] = TS_AXIS_POLICY,
		[TS_AXIS_SLOTS] = TS_AXIS_POLICY,
		[TS_AXIS_WIDTH] = TS_AXIS_ORDER,
		[TS_AXIS_CHUNK] = TS_AXIS_REMAP};
	static const bool belongs[TS_AXES] = {[TS_AXIS_MODE] = true,
		[TS_AXIS_LOCAL] = true,
		[TS_AXIS_SLOTS] = true,
		[TS_AXIS_WIDTH] = true,
		[TS_AXIS_CHUNK] = true};
	bool given[TS_AXES];

	for (enum ts_axis i = 0; i < TS_AXES; i++)
		given[i] = s->axes[i] != NULL;
	given[TS_AXIS_POLICY] |= s->file != NULL;
	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (!given[i] && !(belongs[i] && given[belongs_to[i]]))
			s->axes[i] = g_strdup(base->axes[i]);
	if (!given[TS_AXIS_POLICY]) {
		s->policy_file = g_strdup(base->policy_file);
		s->file = base->file;
		s->borrows_file = true;
	}
	inherit_texts(s, base, device_options, G_N_ELEMENTS(device_options));
	inherit_texts(s, base, scenario_options, G_N_ELEMENTS(scenario_options));
	for (size_t i = 0; i < G_N_ELEMENTS(list_options); i++) {
		char ***list = (char ***)(gpointer)field(s, &list_options[i]);

		if (*list == NULL)
			*list = g_strdupv(*(char ***)(gpointer)field(base, &list_options[i]));
	}
}

bool ts_settings_vary(
	struct ts_settings *s, const struct ts_settings *base, const char *words, GError **error)
{
	g_autoptr(GOptionContext) context = ts_settings_context(s, "", NULL, NULL);
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_autoptr(GError) cause = NULL;
	g_auto(GStrv) argv = NULL;
	int argc;

	if (!g_shell_parse_argv(line, &argc, &argv, &cause))
		return ts_refuse(error, "'%s': %s", words, cause->message);
	/* The parser shifts the words that it takes. */
	g_autofree char **shifted = g_memdup2(argv, ((size_t)argc + 1) * sizeof *argv);

	if (g_strv_contains((const char *const *)argv, "--help") ||
		g_strv_contains((const char *const *)argv, "-h"))
		return ts_refuse(error, "'%s': help is for the command itself", words);
	if (!ts_settings_parse(s, context, argc, shifted, error))
		return false;
	inherit(s, base);
	return true;
}

const struct ts_rules *ts_settings_rules(const struct ts_settings *s)
{
	return ts_policy_file_rules(s->file);
}

static bool none_given(const struct ts_settings *s, const struct text_option *options, size_t count,
	const char *why, const char *const *taken, GError **error)
{
	for (size_t i = 0; i < count; i++)
		if (*field(s, &options[i]) != NULL && !g_strv_contains(taken, options[i].name))
			return ts_refuse(error, "--%s: %s; leave it out", options[i].name, why);
	return true;
}

static bool no_scenario(
	const struct ts_settings *s, const char *why, const char *const *taken, GError **error)
{
	return none_given(s, scenario_options, G_N_ELEMENTS(scenario_options), why, taken, error) &&
		none_given(s, list_options, G_N_ELEMENTS(list_options), why, taken, error);
}

bool ts_settings_real_device(
	const struct ts_settings *s, const char *who, const char *const *taken, GError **error)
{
	g_autofree char *why = NULL;

	if (s->file != NULL)
		return ts_refuse(error,
			"--policy-file %s: a kernel has only the registered policies in it",
			s->policy_file);
	why = g_strconcat(who, " takes the GPU as it is", NULL);
	return none_given(s, device_options, G_N_ELEMENTS(device_options), why, taken, error) &&
		no_scenario(s, why, taken, error);
}

bool ts_settings_no_time(
	const struct ts_settings *s, const char *why, const char *const *taken, GError **error)
{
	enum ts_dtype dtype;
	enum ts_edge edge;
	enum ts_memory memory;

	return no_scenario(s, why, taken, error) && ts_settings_dtype(s, &dtype, error) &&
		ts_settings_edge(s, &edge, error) && ts_settings_memory(s, &memory, error);
}

static void put_option(GString *out, const char *name, const char *value)
{
	g_autofree char *quoted = NULL;

	if (value == NULL)
		return;
	if (strspn(value,
		    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:@/+-") ==
		strlen(value))
		g_string_append_printf(out, " --%s %s", name, value);
	else
		g_string_append_printf(out, " --%s %s", name, quoted = g_shell_quote(value));
}

char *ts_settings_command(
	const struct ts_settings *s, const char *command, const struct ts_spec *spec)
{
	GString *out = g_string_new("tilesim");

	if (command[0] != '\0')
		g_string_append_printf(out, " %s", command);
	put_option(out, "device", ts_settings_device_name(s));
	for (size_t i = 1; i < G_N_ELEMENTS(device_options); i++)
		put_option(out, device_options[i].name, *field(s, &device_options[i]));
	put_option(out, "policy-file", s->policy_file);
	ts_request_options(spec, s->lists, out);
	for (size_t i = 0; i < G_N_ELEMENTS(scenario_options); i++)
		put_option(out, scenario_options[i].name, *field(s, &scenario_options[i]));
	for (size_t i = 0; i < G_N_ELEMENTS(list_options); i++) {
		char **values = *(char ***)(gpointer)field(s, &list_options[i]);

		for (size_t j = 0; values != NULL && values[j] != NULL; j++)
			put_option(out, list_options[i].name, values[j]);
	}
	return g_string_free(out, FALSE);
}
