/* tilesim policies: what there is on each axis, and what each thing guarantees. */
#include <stdbool.h>
#include <string.h>

#include "sim/aliases.h"
#include "sim/command.h"
#include "sim/guarantees.h"
#include "sim/projects.h"
#include "sim/refuse.h"
#include "sim/report.h"
#include "sim/topics.h"

/* One thing with a name, and what there is to say of it: keys and values in turn. */
struct entry {
	const char *kind, *name;
	GPtrArray *fields;
};

static const struct {
	const char *kind, *option, *heading;
} kinds[] = {
	{"policy", "--policy", "who gets which linear index"},
	{"mode", "--mode", "where a worker of worksteal claims"},
	{"hybrid", "--hybrid", "which tiles stream-k cuts along k"},
	{"order", "--order", "which tile a linear index is"},
	{"remap", "--remap", "a permutation of the indices in front of the order"},
	{"shape", "--shape", "what there is to compute, in each group of --batch and --groups"},
	{"row order", "--row-order", "in which order the rows of a grid are taken"},
	{"alias", "--policy", "combinations, by the names of those who use them"},
};

static void free_entry(void *data)
{
	struct entry *e = data;

	g_ptr_array_unref(e->fields);
	g_free(e);
}

static struct entry *add_entry(GPtrArray *entries, const char *kind, const char *name)
{
	struct entry *e = g_new(struct entry, 1);

	e->kind = kind;
	e->name = name;
	e->fields = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(entries, e);
	return e;
}

/* Says nothing where there is no value. */
static void add(struct entry *e, const char *key, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	g_ptr_array_add(e->fields, g_strdup(key));
	g_ptr_array_add(e->fields, g_strdup(value));
}

static const char *field(const struct entry *e, const char *key)
{
	for (guint i = 0; i < e->fields->len; i += 2)
		if (strcmp(e->fields->pdata[i], key) == 0)
			return e->fields->pdata[i + 1];
	return "";
}

/* The aliases whose `axis` has the value `name`. */
static void add_aliases(struct entry *e, enum ts_axis axis, const char *name)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (uint32_t i = 0; ts_alias(i) != NULL; i++)
		if (g_strcmp0(ts_alias(i)->axes[axis], name) == 0)
			g_string_append_printf(
				text, "%s%s", text->len > 0 ? ", " : "", ts_alias(i)->name);
	add(e, "aliases", text->str);
}

/* What a policy guarantees in a mode. */
static void add_guarantees(struct entry *e, enum ts_policy_id id, enum ts_mode mode)
{
	struct ts_guarantees g = ts_guarantees(id, mode);

	add(e, "placement", g.placement);
	add(e, "sums", g.sums);
	add(e, "counters", g.counters);
	add(e, "waits", g.waits);
	add(e, "guarantee", g.promise);
	g_free(g.counters);
}

static void add_policies(GPtrArray *entries)
{
	for (int i = 0; i < TS_POLICIES; i++) {
		struct ts_policy policy = ts_policy((enum ts_policy_id)i);
		struct entry *e = add_entry(entries, "policy", policy.name);
		uint32_t uses = policy.uses(TS_STEAL);
		g_autofree char *options = g_strconcat(
			"--order, --swizzle, --remap, --chunk, --cluster, --workers, --xcds",
			(uses & TS_USES_MODE) != 0 ? ", --mode" : "",
			(uses & TS_USES_SLOTS) != 0 ? ", --counters" : "",
			(uses & TS_USES_SPLITS) != 0 ? ", --splits" : "",
			(uses & TS_USES_HYBRID) != 0 ? ", --hybrid, --min-k, --k-groups" : "",
			NULL);

		add(e, "summary", policy.summary);
		add(e, "map", policy.map);
		add(e, "parameters", options);
		add(e, "needs", policy.needs);
		if ((uses & TS_USES_MODE) == 0)
			add_guarantees(e, (enum ts_policy_id)i, TS_STEAL);
		add(e, "source", policy.source);
		add_aliases(e, TS_AXIS_POLICY, policy.name);
	}
}

/* Modes belong to the first policy that has them. */
static void add_modes(GPtrArray *entries)
{
	int owner = 0;

	while ((ts_policy((enum ts_policy_id)owner).uses(TS_STEAL) & TS_USES_MODE) == 0)
		owner++;
	for (int i = 0; i < TS_MODES; i++) {
		struct ts_topic topic = ts_topic_mode((enum ts_mode)i);
		struct entry *e = add_entry(entries, "mode", ts_mode_name((enum ts_mode)i));

		add(e, "summary", topic.summary);
		add(e, "map", topic.map);
		add(e, "parameters", topic.parameters);
		add_guarantees(e, (enum ts_policy_id)owner, (enum ts_mode)i);
		add(e, "source", topic.source);
		add_aliases(e, TS_AXIS_MODE, e->name);
	}
}

static void add_topic(GPtrArray *entries, const char *kind, const char *name, enum ts_axis axis,
	struct ts_topic topic, const char *guarantee)
{
	struct entry *e = add_entry(entries, kind, name);

	add(e, "summary", topic.summary);
	add(e, "map", topic.map);
	add(e, "parameters", topic.parameters);
	add(e, "needs", topic.needs);
	add(e, "guarantee", guarantee);
	add(e, "source", topic.source);
	add_aliases(e, axis, name);
}

static void add_alias(GPtrArray *entries, const struct ts_alias *alias)
{
	struct entry *e = add_entry(entries, "alias", alias->name);
	g_autoptr(GString) axes = g_string_new(NULL);

	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (alias->axes[i] != NULL)
			g_string_append_printf(axes, "%s--%s %s", axes->len > 0 ? " " : "",
				ts_axis_name(i), alias->axes[i]);
	add(e, "summary", alias->summary);
	add(e, "stands for", axes->str);
	add(e, "source", alias->source);
}

static GPtrArray *make_entries(void)
{
	GPtrArray *entries = g_ptr_array_new_with_free_func(free_entry);

	add_policies(entries);
	add_modes(entries);
	for (int i = 0; i < TS_HYBRIDS; i++)
		add_topic(entries, "hybrid", ts_hybrid_name((enum ts_hybrid)i), TS_AXIS_HYBRID,
			ts_topic_hybrid((enum ts_hybrid)i), NULL);
	for (int i = 0; i < TS_ORDERS; i++)
		add_topic(entries, "order", ts_order_name((enum ts_order)i), TS_AXIS_ORDER,
			ts_topic_order((enum ts_order)i),
			ts_guarantee_of_map((enum ts_order)i, TS_REMAP_NONE));
	for (int i = 0; i < TS_REMAPS; i++)
		add_topic(entries, "remap", ts_remap_name((enum ts_remap)i), TS_AXIS_REMAP,
			ts_topic_remap((enum ts_remap)i),
			ts_guarantee_of_map(TS_GROUPED_M, (enum ts_remap)i));
	for (int i = 0; i < TS_SHAPES; i++)
		add_topic(entries, "shape", ts_shape_name((enum ts_shape_kind)i), TS_AXIS_SHAPE,
			ts_topic_shape((enum ts_shape_kind)i), NULL);
	for (int i = 0; i < TS_ROW_ORDERS; i++)
		add_topic(entries, "row order", ts_row_order_name((enum ts_row_order)i),
			TS_AXIS_ROW_ORDER, ts_topic_row_order((enum ts_row_order)i), NULL);
	for (uint32_t i = 0; ts_alias(i) != NULL; i++)
		add_alias(entries, ts_alias(i));
	return entries;
}

static void print_list(const GPtrArray *entries)
{
	for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_print("%s%s: %s\n", k > 0 ? "\n" : "", kinds[k].option, kinds[k].heading);
		for (guint i = 0; i < entries->len; i++) {
			const struct entry *e = entries->pdata[i];

			if (strcmp(e->kind, kinds[k].kind) == 0)
				g_print("  %-20s %s\n", e->name,
					field(e,
						k + 1 < G_N_ELEMENTS(kinds) ? "summary"
									    : "stands for"));
		}
	}
	g_print("\nAny combination works, and what is given beside an alias goes first.\n"
		"`tilesim policies NAME` explains one of these; --projects says who has what.\n");
}

static void print_entry(const struct entry *e)
{
	size_t kind = 0;

	while (strcmp(kinds[kind].kind, e->kind) != 0)
		kind++;
	g_print("%s %s: %s\n", kinds[kind].option, e->name, field(e, "summary"));
	for (guint i = 0; i < e->fields->len; i += 2)
		if (strcmp(e->fields->pdata[i], "summary") != 0)
			g_print("  %-11s %s\n", (const char *)e->fields->pdata[i],
				(const char *)e->fields->pdata[i + 1]);
}

static void print_json(const GPtrArray *entries)
{
	JsonBuilder *b = json_builder_new();
	g_autofree char *text = NULL;

	json_builder_begin_array(b);
	for (guint i = 0; i < entries->len; i++) {
		const struct entry *e = entries->pdata[i];

		json_builder_begin_object(b);
		ts_json_text_member(b, "kind", e->kind);
		ts_json_text_member(b, "name", e->name);
		for (guint j = 0; j < e->fields->len; j += 2)
			ts_json_text_member(b, e->fields->pdata[j], e->fields->pdata[j + 1]);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

/* All entries, or those called `name`; modes are shown with the policy that has them. */
static GPtrArray *choose(const char *name, GError **error)
{
	GPtrArray *entries = make_entries();
	bool with_modes = false, found = false;

	for (guint i = 0; name != NULL && i < entries->len;) {
		const struct entry *e = entries->pdata[i];
		bool named = strcmp(e->name, name) == 0;

		found |= named;
		with_modes |= named && strcmp(e->kind, "policy") == 0 &&
			strstr(field(e, "parameters"), "--mode") != NULL;
		if (named || (with_modes && strcmp(e->kind, "mode") == 0))
			i++;
		else
			g_ptr_array_remove_index(entries, i);
	}
	if (name == NULL || found)
		return entries;
	ts_refuse(error,
		"there is no policy, mode, order, remap, shape or alias '%s'; `tilesim policies` "
		"lists them",
		name);
	g_ptr_array_unref(entries);
	return NULL;
}

static int run(const char *name, bool projects, const char *format_text, GError **error)
{
	g_autoptr(GPtrArray) entries = NULL;
	enum ts_format format;

	if (!ts_format_parse(format_text, &format, error))
		return TS_EXIT_USAGE;
	if (format == TS_CSV)
		ts_refuse(error, "--format csv: policies are shown as text or json");
	else if (projects && name != NULL)
		ts_refuse(error, "--projects and '%s': give one of them", name);
	else if (projects)
		return ts_projects_print(format == TS_JSON), TS_EXIT_OK;
	else
		entries = choose(name, error);
	if (entries == NULL)
		return TS_EXIT_USAGE;
	if (format == TS_JSON)
		print_json(entries);
	else if (name == NULL)
		print_list(entries);
	for (guint i = 0; format == TS_TEXT && name != NULL && i < entries->len; i++)
		print_entry(entries->pdata[i]);
	return TS_EXIT_OK;
}

int ts_policies_command(int argc, char **argv, GError **error)
{
	gboolean projects = FALSE;
	g_autofree char *format = NULL;
	const GOptionEntry options[] = {{"projects", 0, 0, G_OPTION_ARG_NONE, &projects,
						"who has which schedule in public code, and where "
						"ours run",
						NULL},
		{"format", 0, 0, G_OPTION_ARG_STRING, &format, "text (default) or json", "FORMAT"},
		{0}};
	g_autoptr(GOptionContext) context = g_option_context_new("[NAME]");
	g_autoptr(GError) cause = NULL;

	g_option_context_set_summary(context,
		"Lists policies, modes, orders, remaps and aliases, or explains NAME: its map, "
		"parameters,\npreconditions, source, and what is guaranteed.");
	g_option_context_add_main_entries(context, options, NULL);
	g_option_context_set_help_enabled(context, FALSE);
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		g_autofree char *help = g_option_context_get_help(context, TRUE, NULL);

		g_print("%s", help);
		return TS_EXIT_OK;
	}
	if (!g_option_context_parse(context, &argc, &argv, &cause)) {
		ts_refuse(error, "%s; --help lists the options", cause->message);
		return TS_EXIT_USAGE;
	}
	if (argc > 2) {
		ts_refuse(error, "policies takes one name at most");
		return TS_EXIT_USAGE;
	}
	return run(argc < 2 ? NULL : argv[1], projects, format, error);
}
