/* From words to models of roles, and back. */
#include "sim/role_options.h"

#include <string.h>

#include "sim/refuse.h"

struct axis {
	const char *name, *fallback;
	uint32_t least, most;
	size_t offset; /* in struct ts_roles */
	const char *help;
};

static const struct axis axes[TS_ROLE_AXES] = {
	[TS_ROLE_CTAS] = {"ctas", "1", 1, TS_CTAS_MAX, G_STRUCT_OFFSET(struct ts_roles, ctas),
		"CTAs of the cluster, which load for each other (default: 1)"},
	[TS_ROLE_STAGES] = {"stages", "3", 1, TS_STAGES_MAX,
		G_STRUCT_OFFSET(struct ts_roles, stages), "stages of operands (default: 3)"},
	[TS_ROLE_CONSUMERS] = {"consumers", "2", 1, TS_CONSUMERS_MAX,
		G_STRUCT_OFFSET(struct ts_roles, consumers),
		"roles that read each stage (default: 2)"},
	[TS_ROLE_ACCUMULATORS] = {"accumulators", "2", 0, TS_STAGES_MAX,
		G_STRUCT_OFFSET(struct ts_roles, accumulators),
		"between consumers and an epilogue role; 0: consumers store (default: 2)"},
	[TS_ROLE_SLOTS] = {"slots", "0", 0, TS_STAGES_MAX, G_STRUCT_OFFSET(struct ts_roles, slots),
		"in which a scheduler role publishes items; 0: none (default: 0)"},
};

struct formula {
	const char *name;
	size_t offset;
	const char *help;
};

static const struct formula formulas[TS_ROLE_FORMULAS] = {
	{"producer-phase", G_STRUCT_OFFSET(struct ts_roles, producer), "its place in the stages"},
	{"consumer-phase", G_STRUCT_OFFSET(struct ts_roles, consumer), "theirs in the stages"},
	{"issuer-phase", G_STRUCT_OFFSET(struct ts_roles, issuer),
		"the consumers' in the accumulators"},
	{"epilogue-phase", G_STRUCT_OFFSET(struct ts_roles, epilogue), "its in the accumulators"},
	{"reader-phase", G_STRUCT_OFFSET(struct ts_roles, reader), "everybody's in the slots"},
};

static enum ts_phase *formula_of(struct ts_roles *m, size_t i)
{
	return &G_STRUCT_MEMBER(enum ts_phase, m, formulas[i].offset);
}

static void add_options(struct ts_role_options *o, GOptionContext *context)
{
	const GOptionEntry entries[] = {
		{"help", 'h', 0, G_OPTION_ARG_NONE, &o->help, "show this help", NULL},
		{"items", 0, 0, G_OPTION_ARG_STRING, &o->items,
			"k iterations of each item of the worker (default: 5,0,7)", "K,K,..."},
		{"depth", 0, 0, G_OPTION_ARG_STRING, &o->depth,
			"what the formula wave takes for the k of all items (default: the largest)",
			"K"},
		{"skip", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->skip,
			"a role that does not see an item, the first item being 0", "ROLE:ITEM"},
		{"count", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->count,
			"a role that does not run an item, but counts it", "ROLE:ITEM"},
		{"early-release", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->early,
			"readers release a stage, accumulator or slot, then read it", "RING"},
		{"readers", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->readers,
			"readers that an empty barrier of the ring expects", "RING:N"},
		{"peel", 0, 0, G_OPTION_ARG_NONE, &o->peel,
			"consumers always run the first k iteration", NULL},
		{"one-sided", 0, 0, G_OPTION_ARG_NONE, &o->one_sided,
			"consumers arrive on both barriers for an item without k iterations", NULL},
		{"loads", 0, 0, G_OPTION_ARG_STRING, &o->loads,
			"complete late, in any order (default), or at-once", "WHEN"},
		{"limit", 0, 0, G_OPTION_ARG_STRING, &o->limit,
			"states of one model (default: 5000000)", "N"},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o->format, "text (default) or json",
			"FORMAT"},
		{0}};

	for (int i = 0; i < TS_ROLE_AXES; i++) {
		const GOptionEntry entry[] = {
			{axes[i].name, 0, 0, G_OPTION_ARG_STRING, &o->axes[i], axes[i].help, "N"},
			{0}};

		g_option_context_add_main_entries(context, entry, NULL);
	}
	g_option_context_add_main_entries(context, entries, NULL);
}

GOptionContext *ts_role_options_context(struct ts_role_options *o)
{
	GOptionContext *context = g_option_context_new("roles");
	GOptionGroup *group = g_option_group_new("phases",
		"Formulas of stage and parity (count: uses really made, right; tile: restarts for "
		"each\n"
		"item; wave: item x depth + k; loop: parity changes with every use):",
		"", NULL, NULL);

	memset(o, 0, sizeof *o);
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_summary(context,
		"Checks that the roles of a warp-specialised persistent kernel agree on items, "
		"stage\n"
		"and parity, in every interleaving. Numbers take lists and ranges: --stages 1:4,\n"
		"--items 0:5,0:5 (two items of 0 to 5 k iterations each). A ROLE is producer,\n"
		"consumer, consumer1 or epilogue, in all CTAs or, as in cta1.producer, in one; "
		"cta1\n"
		"is all its roles. A RING is stage, accumulator or slot.");
	add_options(o, context);
	for (int i = 0; i < TS_ROLE_FORMULAS; i++) {
		const GOptionEntry entry[] = {{formulas[i].name, 0, 0, G_OPTION_ARG_STRING,
						      &o->formulas[i], formulas[i].help, "FORMULA"},
			{0}};

		g_option_group_add_entries(group, entry);
	}
	g_option_context_add_group(context, group);
	return context;
}

void ts_role_options_finish(struct ts_role_options *o)
{
	for (int i = 0; i < TS_ROLE_AXES; i++)
		g_free(o->axes[i]);
	for (int i = 0; i < TS_ROLE_FORMULAS; i++)
		g_free(o->formulas[i]);
	g_free(o->items);
	g_free(o->depth);
	g_free(o->loads);
	g_free(o->limit);
	g_free(o->format);
	g_strfreev(o->skip);
	g_strfreev(o->count);
	g_strfreev(o->readers);
	g_strfreev(o->early);
}

/* Appends a number, or all of first:last or first:last:step. */
static bool parse_range(const char *word, uint32_t least, uint32_t most, GArray *values)
{
	g_auto(GStrv) parts = g_strsplit(word, ":", 4);
	uint32_t count = g_strv_length(parts);
	int64_t range[3] = {0, 0, 1};

	if (count < 1 || count > 3)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!ts_parse_int(parts[i], &range[i]) || range[i] < 0)
			return false;
	if (count == 1)
		range[1] = range[0];
	if (range[0] < least || range[1] > most || range[1] < range[0] || range[2] < 1)
		return false;
	/* No larger step says anything more, and none can overflow then. */
	range[2] = MIN(range[2], (int64_t)UINT32_MAX);
	for (int64_t i = range[0]; i <= range[1]; i += range[2]) {
		uint32_t value = (uint32_t)i;

		g_array_append_val(values, value);
	}
	return true;
}

static GArray *add_axis(struct ts_role_models *all)
{
	return all->values[all->axes++] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

static bool parse_axes(struct ts_role_models *all, const struct ts_role_options *o, GError **error)
{
	const char *items = o->items == NULL ? "5,0,7" : o->items;
	g_auto(GStrv) ks = g_strsplit(items, ",", -1);

	for (int i = 0; i < TS_ROLE_AXES; i++) {
		const char *text = o->axes[i] == NULL ? axes[i].fallback : o->axes[i];
		g_auto(GStrv) words = g_strsplit(text, ",", -1);
		GArray *values = add_axis(all);

		for (char **word = words; *word != NULL; word++)
			if (!parse_range(*word, axes[i].least, axes[i].most, values))
				return ts_refuse(error,
					"--%s %s: must be whole numbers from %u to %u, as 2,4 or "
					"1:4",
					axes[i].name, text, axes[i].least, axes[i].most);
		if (values->len == 0)
			return ts_refuse(error, "--%s: must be given a number", axes[i].name);
	}
	all->base.items = g_strv_length(ks);
	if (all->base.items > TS_ROLE_ITEMS_MAX)
		return ts_refuse(
			error, "--items: there must be %d at most", (int)TS_ROLE_ITEMS_MAX);
	for (char **k = ks; *k != NULL; k++)
		if (!parse_range(*k, 0, TS_ROLE_K_MAX, add_axis(all)))
			return ts_refuse(error,
				"--items %s: must be k iterations from 0 to %d, one number or "
				"range an item, as 5,0,7 or 0:5,0:5",
				items, (int)TS_ROLE_K_MAX);
	all->count = 1;
	for (uint32_t i = 0; i < all->axes; i++) {
		all->count *= all->values[i]->len;
		if (all->count > UINT32_MAX)
			return ts_refuse(
				error, "the lists and ranges make more models than %u", UINT32_MAX);
	}
	return true;
}

static bool parse_formulas(struct ts_roles *m, const struct ts_role_options *o, GError **error)
{
	for (size_t i = 0; i < TS_ROLE_FORMULAS; i++) {
		enum ts_phase phase = TS_BY_COUNT;

		if (o->formulas[i] == NULL)
			continue;
		while (phase < TS_PHASES && strcmp(ts_phase_name(phase), o->formulas[i]) != 0)
			phase++;
		if (phase == TS_PHASES)
			return ts_refuse(error, "--%s %s: must be count, tile, wave or loop",
				formulas[i].name, o->formulas[i]);
		*formula_of(m, i) = phase;
	}
	return true;
}

/* Rows [*ret_first, *ret_after) of the guards for "producer", "consumer1", ... or "" for all. */
static bool parse_row(const char *word, uint32_t *ret_first, uint32_t *ret_after)
{
	int64_t index;

	*ret_first = 0;
	*ret_after = TS_GUARDED;
	if (word[0] == '\0')
		return true;
	if (strcmp(word, "consumer") == 0) {
		*ret_first = TS_GUARD_CONSUMER;
		return true;
	}
	if (strcmp(word, "producer") == 0)
		*ret_first = TS_GUARD_PRODUCER;
	else if (strcmp(word, "epilogue") == 0)
		*ret_first = TS_GUARD_EPILOGUE;
	else if (g_str_has_prefix(word, "consumer") &&
		ts_parse_int(word + strlen("consumer"), &index) && index >= 0 &&
		index < TS_CONSUMERS_MAX)
		*ret_first = TS_GUARD_CONSUMER + (uint32_t)index;
	else
		return false;
	*ret_after = *ret_first + 1;
	return true;
}

static bool parse_guard(struct ts_roles *m, const char *option, const char *word,
	enum ts_guard guard, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(word, ":", -1);
	const char *role = parts[0];
	uint32_t cta = 0, cta_after = TS_CTAS_MAX, first, after;
	int64_t item;

	if (g_str_has_prefix(word, "cta")) {
		if (word[3] < '0' || word[3] >= '0' + TS_CTAS_MAX)
			return ts_refuse(error, "--%s %s: there are cta0 to cta3", option, word);
		cta = (uint32_t)(word[3] - '0');
		cta_after = cta + 1;
		role += role[4] == '.' ? 5 : 4;
	}
	if (g_strv_length(parts) != 2 || !ts_parse_int(parts[1], &item) || item < 0 ||
		item >= m->items || !parse_row(role, &first, &after))
		return ts_refuse(error,
			"--%s %s: must be a role and the index of an item, as producer:0 or "
			"cta1.consumer0:2",
			option, word);
	for (; cta < cta_after; cta++)
		for (uint32_t row = first; row < after; row++)
			m->guards[cta][row][item] = (uint8_t)guard;
	return true;
}

static bool parse_ring(const char *word, enum ts_ring *ret_ring)
{
	for (int i = 0; i < TS_RINGS; i++) {
		*ret_ring = (enum ts_ring)i;
		if (strcmp(word, ts_ring_name(*ret_ring)) == 0)
			return true;
	}
	return false;
}

static bool parse_rings(struct ts_roles *m, const struct ts_role_options *o, GError **error)
{
	enum ts_ring ring;

	for (char **word = o->early; word != NULL && *word != NULL; word++) {
		if (!parse_ring(*word, &ring))
			return ts_refuse(error,
				"--early-release %s: must be stage, accumulator or slot", *word);
		m->released_early[ring] = true;
	}
	for (char **word = o->readers; word != NULL && *word != NULL; word++) {
		g_auto(GStrv) parts = g_strsplit(*word, ":", -1);
		int64_t count;

		if (g_strv_length(parts) != 2 || !parse_ring(parts[0], &ring) ||
			!ts_parse_int(parts[1], &count) || count < 1 || count > 1024)
			return ts_refuse(error,
				"--readers %s: must be stage, accumulator or slot and a number "
				"from 1 to 1024, as slot:3",
				*word);
		m->readers[ring] = (uint32_t)count;
	}
	return true;
}

static bool parse_deviations(
	struct ts_role_models *all, const struct ts_role_options *o, GError **error)
{
	struct ts_roles *m = &all->base;
	int64_t depth;

	for (char **word = o->skip; word != NULL && *word != NULL; word++)
		if (!parse_guard(m, "skip", *word, TS_SKIPS, error))
			return false;
	for (char **word = o->count; word != NULL && *word != NULL; word++)
		if (!parse_guard(m, "count", *word, TS_COUNTS, error))
			return false;
	m->peeled = o->peel != 0;
	m->one_sided = o->one_sided != 0;
	if (o->loads != NULL && strcmp(o->loads, "late") != 0 && strcmp(o->loads, "at-once") != 0)
		return ts_refuse(error, "--loads %s: must be late or at-once", o->loads);
	m->at_once = o->loads != NULL && strcmp(o->loads, "at-once") == 0;
	if (o->depth != NULL &&
		(!ts_parse_int(o->depth, &depth) || depth < 0 || depth > TS_ROLE_K_MAX))
		return ts_refuse(error, "--depth %s: must be a whole number from 0 to %d", o->depth,
			(int)TS_ROLE_K_MAX);
	all->own_depth = o->depth != NULL;
	m->depth = all->own_depth ? (uint32_t)depth : 0;
	return parse_formulas(m, o, error) && parse_rings(m, o, error);
}

bool ts_role_models_init(
	struct ts_role_models *all, const struct ts_role_options *o, GError **error)
{
	memset(all, 0, sizeof *all);
	all->base = ts_roles_default();
	if (parse_axes(all, o, error) && parse_deviations(all, o, error))
		return true;
	ts_role_models_finish(all);
	return false;
}

void ts_role_models_finish(struct ts_role_models *all)
{
	for (uint32_t i = 0; i < all->axes; i++)
		g_array_free(all->values[i], TRUE);
	all->axes = 0;
}

struct ts_roles ts_role_models_at(const struct ts_role_models *all, uint64_t index)
{
	struct ts_roles m = all->base;

	for (uint32_t i = all->axes; i-- > 0;) {
		const GArray *values = all->values[i];
		uint32_t value = g_array_index(values, uint32_t, index % values->len);

		index /= values->len;
		if (i < TS_ROLE_AXES) {
			G_STRUCT_MEMBER(uint32_t, &m, axes[i].offset) = value;
			continue;
		}
		m.k[i - TS_ROLE_AXES] = value;
		if (!all->own_depth)
			m.depth = MAX(m.depth, value);
	}
	return m;
}
