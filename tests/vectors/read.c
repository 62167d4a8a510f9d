/* One table of keys serves reading and writing. */
#include "tests/vectors/read.h"

#include <string.h>

static const char *policy_name(uint32_t id)
{
	return ts_policy((enum ts_policy_id)id).name;
}

static const char *mode_name(uint32_t mode)
{
	return ts_mode_name((enum ts_mode)mode);
}

static const char *hybrid_name(uint32_t hybrid)
{
	return ts_hybrid_name((enum ts_hybrid)hybrid);
}

static const char *order_name(uint32_t order)
{
	return ts_order_name((enum ts_order)order);
}

static const char *remap_name(uint32_t remap)
{
	return ts_remap_name((enum ts_remap)remap);
}

static const char *shape_name(uint32_t shape)
{
	return ts_shape_name((enum ts_shape_kind)shape);
}

static const char *row_order_name(uint32_t row_order)
{
	return ts_row_order_name((enum ts_row_order)row_order);
}

static const char *collective_name(uint32_t collective)
{
	return ts_collective_name((enum ts_collective)collective);
}

static const char *layout_name(uint32_t layout)
{
	return ts_layout_name((enum ts_layout)layout);
}

static const char *group_order_name(uint32_t group_order)
{
	return ts_group_order_name((enum ts_group_order)group_order);
}

/* A value is one name, or up to three numbers with an x between them. */
struct key {
	const char *word;
	const char *(*name)(uint32_t);
	size_t values;
	size_t offsets[3];
};

static const struct key keys[] = {
	{"policy", policy_name, 1, {G_STRUCT_OFFSET(struct ts_spec, policy)}},
	{"mode", mode_name, 1, {G_STRUCT_OFFSET(struct ts_spec, mode)}},
	{"order", order_name, 1, {G_STRUCT_OFFSET(struct ts_spec, order)}},
	{"remap", remap_name, 1, {G_STRUCT_OFFSET(struct ts_spec, remap)}},
	{"size", NULL, 3,
		{G_STRUCT_OFFSET(struct ts_spec, m), G_STRUCT_OFFSET(struct ts_spec, n),
			G_STRUCT_OFFSET(struct ts_spec, k)}},
	{"block", NULL, 3,
		{G_STRUCT_OFFSET(struct ts_spec, block_m), G_STRUCT_OFFSET(struct ts_spec, block_n),
			G_STRUCT_OFFSET(struct ts_spec, block_k)}},
	{"cluster", NULL, 2,
		{G_STRUCT_OFFSET(struct ts_spec, cluster_m),
			G_STRUCT_OFFSET(struct ts_spec, cluster_n)}},
	{"max-cluster", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, max_cluster)}},
	{"width", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, width)}},
	{"chunk", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, chunk)}},
	{"workers", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, workers)}},
	{"xcds", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, domains)}},
	{"slots", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, slots)}},
	{"counters", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, max_counters)}},
	{"local", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, local_percent)}},
	{"shape", shape_name, 1, {G_STRUCT_OFFSET(struct ts_spec, shape)}},
	{"rows", row_order_name, 1, {G_STRUCT_OFFSET(struct ts_spec, row_order)}},
	{"batch", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, batch)}},
	{"section", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, section)}},
	{"layout", layout_name, 1, {G_STRUCT_OFFSET(struct ts_spec, layout)}},
	{"group-order", group_order_name, 1, {G_STRUCT_OFFSET(struct ts_spec, group_order)}},
	{"collective", collective_name, 1, {G_STRUCT_OFFSET(struct ts_spec, collective)}},
	{"rank", NULL, 3,
		{G_STRUCT_OFFSET(struct ts_spec, rank), G_STRUCT_OFFSET(struct ts_spec, ranks),
			G_STRUCT_OFFSET(struct ts_spec, rank_chunks)}},
	{"splits", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, splits)}},
	{"hybrid", hybrid_name, 1, {G_STRUCT_OFFSET(struct ts_spec, hybrid)}},
	{"min-k", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, min_k)}},
	{"k-groups", NULL, 1, {G_STRUCT_OFFSET(struct ts_spec, k_groups)}},
	/* Only read; words are written with `size`. */
	{"tiles", NULL, 2,
		{G_STRUCT_OFFSET(struct ts_spec, m), G_STRUCT_OFFSET(struct ts_spec, n)}},
};

static void read_name(struct ts_spec *spec, const struct key *key, const char *value)
{
	uint32_t *field = &G_STRUCT_MEMBER(uint32_t, spec, key->offsets[0]);

	if (g_ascii_isdigit(value[0])) {
		*field = (uint32_t)g_ascii_strtoull(value, NULL, 10);
		return;
	}
	for (uint32_t i = 0; key->name(i) != NULL; i++)
		if (strcmp(key->name(i), value) == 0) {
			*field = i;
			return;
		}
	g_error("no %s '%s'", key->word, value);
}

static void read_numbers(struct ts_spec *spec, const struct key *key, const char *value)
{
	const char *at = value;

	for (size_t i = 0; i < key->values; i++) {
		char *after;
		int64_t number = g_ascii_strtoll(at, &after, 10);

		if (after == at || *after != (i + 1 < key->values ? 'x' : '\0'))
			g_error("malformed value '%s' of %s", value, key->word);
		G_STRUCT_MEMBER(int64_t, spec, key->offsets[i]) = number;
		at = after + 1;
	}
}

/* Rows of each group with commas between them, or MxNxK of each. What is made here is kept until
 * the program ends. */
static void read_groups(struct ts_spec *spec, const char *value)
{
	static GPtrArray *kept;
	g_auto(GStrv) words = g_strsplit(value, ",", -1);
	guint count = g_strv_length(words);
	bool all = strchr(value, 'x') != NULL;
	int64_t *sizes[3];

	if (kept == NULL)
		kept = g_ptr_array_new();
	for (int i = 0; i < 3; i++)
		g_ptr_array_add(kept, sizes[i] = g_new0(int64_t, count + 1));
	for (guint i = 0; i < count; i++) {
		g_auto(GStrv) parts = g_strsplit(words[i], "x", -1);

		if (g_strv_length(parts) != (all ? 3 : 1))
			g_error("malformed group '%s'", words[i]);
		for (int j = 0; parts[j] != NULL; j++)
			if (!g_ascii_string_to_signed(
				    parts[j], 10, INT64_MIN, INT64_MAX, &sizes[j][i], NULL))
				g_error("malformed group '%s'", words[i]);
	}
	spec->list_count = count;
	spec->list_m = sizes[0];
	spec->list_n = all ? sizes[1] : NULL;
	spec->list_k = all ? sizes[2] : NULL;
	g_ptr_array_add(kept, spec->turns = g_new0(struct ts_turn, count + 1));
	g_ptr_array_add(kept, spec->grids = g_new0(struct ts_plan, count + 1));
}

static void read_word(struct ts_spec *spec, const char *word)
{
	if (g_str_has_prefix(word, "groups=")) {
		read_groups(spec, word + strlen("groups="));
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		size_t length = strlen(keys[i].word);

		if (strncmp(word, keys[i].word, length) != 0 || word[length] != '=')
			continue;
		if (keys[i].name != NULL)
			read_name(spec, &keys[i], word + length + 1);
		else
			read_numbers(spec, &keys[i], word + length + 1);
		return;
	}
	g_error("no key in '%s'", word);
}

struct ts_spec ts_request_read(const char *words)
{
	g_auto(GStrv) split = g_strsplit(words, " ", -1);
	struct ts_spec spec = ts_spec_default();

	spec.order = TS_ROW;
	spec.m = spec.n = spec.k = 1;
	spec.block_m = spec.block_n = spec.block_k = 1;
	for (char **word = split; *word != NULL; word++)
		if (**word != '\0')
			read_word(&spec, *word);
	return spec;
}

char *ts_request_words(const struct ts_spec *spec)
{
	GString *out = g_string_new(NULL);

	for (int64_t i = 0; i < spec->list_count; i++)
		g_string_append_printf(out,
			"%s%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "%s",
			i == 0 ? "groups=" : ",", spec->list_m ? spec->list_m[i] : spec->m,
			spec->list_n ? spec->list_n[i] : spec->n,
			spec->list_k ? spec->list_k[i] : spec->k,
			i + 1 == spec->list_count ? " " : "");
	for (size_t i = 0; strcmp(keys[i].word, "tiles") != 0; i++) {
		const struct key *key = &keys[i];
		uint32_t id = G_STRUCT_MEMBER(uint32_t, spec, key->offsets[0]);

		g_string_append_printf(out, "%s%s=", i == 0 ? "" : " ", key->word);
		if (key->name != NULL) {
			g_string_append(out, key->name(id) == NULL ? "?" : key->name(id));
			continue;
		}
		for (size_t j = 0; j < key->values; j++)
			g_string_append_printf(out, "%s%" G_GINT64_FORMAT, j == 0 ? "" : "x",
				G_STRUCT_MEMBER(int64_t, spec, key->offsets[j]));
	}
	return g_string_free(out, FALSE);
}

struct ts_plan ts_request_make(const char *words)
{
	struct ts_spec spec = ts_request_read(words);
	struct ts_plan plan;
	enum ts_status status = ts_plan_make(&plan, &spec);

	if (status != TS_OK)
		g_error("%s: %s", words, ts_status_text(status));
	return plan;
}

static void read_line(const char *at, char *line, ts_vector_fn *check)
{
	char *answer = strstr(line, " : ");
	char *words = strchr(line, ' ');
	struct ts_spec spec;

	if (answer == NULL || words == answer)
		g_error("%s: a line is WHAT KEY=VALUE... : ANSWER", at);
	*answer = '\0';
	*words = '\0';
	spec = ts_request_read(words + 1);
	check(at, line, &spec, g_strstrip(answer + 3));
}

void ts_vectors_read(const char *name, ts_vector_fn *check)
{
	g_autofree char *path =
		g_build_filename(g_getenv("TILESIM_SOURCE"), "tests", "vectors", name, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &text, NULL, &error))
		g_error("%s", error->message);
	lines = g_strsplit(text, "\n", -1);
	for (unsigned i = 0; lines[i] != NULL; i++) {
		g_autofree char *at = g_strdup_printf("%s:%u", name, i + 1);

		if (lines[i][0] != '#' && lines[i][0] != '\0')
			read_line(at, lines[i], check);
	}
}
