/* Benchmarks' JSON. */
#include "sim/timings.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "sim/refuse.h"
#include "sim/settings.h"

enum { DEEP = 64 };

static const double ps_per_ms = 1e9;

static void clear_timing(void *data)
{
	struct ts_timing *t = data;

	g_free(t->shape);
}

void ts_timings_finish(struct ts_timings *t)
{
	g_clear_pointer(&t->source, g_free);
	g_clear_pointer(&t->gpu, g_free);
	g_clear_pointer(&t->runs, g_array_unref);
}

/* The member of an object, if it is such a value. */
static JsonNode *find(JsonObject *o, const char *name, GType type)
{
	JsonNode *node = o != NULL ? json_object_get_member(o, name) : NULL;

	if (node == NULL || !JSON_NODE_HOLDS_VALUE(node))
		return NULL;
	/* Whole numbers are also numbers. */
	if (json_node_get_value_type(node) == type ||
		(type == G_TYPE_DOUBLE && json_node_get_value_type(node) == G_TYPE_INT64))
		return node;
	return NULL;
}

static const char *find_text(JsonObject *o, const char *name)
{
	JsonNode *node = find(o, name, G_TYPE_STRING);

	return node != NULL ? json_node_get_string(node) : NULL;
}

static int64_t find_count(JsonObject *o, const char *name)
{
	JsonNode *node = find(o, name, G_TYPE_INT64);

	return node != NULL ? json_node_get_int(node) : 0;
}

static double find_number(JsonObject *o, const char *name)
{
	JsonNode *node = find(o, name, G_TYPE_DOUBLE);

	return node != NULL ? json_node_get_double(node) : 0;
}

/* The options of a run: as they stand there, or of what a benchmark tells at least. */
static char *run_words(JsonObject *o, const char **ret_lacks)
{
	static const char *const counts[] = {"m", "n", "k", "block_m", "block_n", "block_k",
		"cluster_m", "cluster_n", "workers"};
	const char *words = find_text(o, "options"), *policy = find_text(o, "policy");
	int64_t v[G_N_ELEMENTS(counts)];

	if (words != NULL)
		return g_strdup(words);
	*ret_lacks = "policy";
	if (policy == NULL)
		return NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		*ret_lacks = counts[i];
		v[i] = find_count(o, counts[i]);
		if (v[i] <= 0)
			return NULL;
	}
	*ret_lacks = NULL;
	g_autofree char *quoted = g_shell_quote(policy);

	return g_strdup_printf("--policy %s --m %" G_GINT64_FORMAT " --n %" G_GINT64_FORMAT
			       " --k %" G_GINT64_FORMAT " --block %" G_GINT64_FORMAT
			       "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			       " --cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			       " --workers %" G_GINT64_FORMAT,
		quoted, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]);
}

/* The parser calls itself for each level, and a file must not take all of the stack. */
static bool is_shallow(const char *text)
{
	bool quoted = false;
	int depth = 0;

	for (; *text != '\0' && depth <= DEEP; text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (quoted && *text == '\\' && text[1] != '\0')
			text++;
		else if (!quoted && (*text == '[' || *text == '{'))
			depth++;
		else if (!quoted && (*text == ']' || *text == '}'))
			depth--;
	}
	return depth <= DEEP;
}

static bool read_spec(const char *words, struct ts_spec *ret_spec, GError **error)
{
	/* Any device: all that matters is among the words, but for what no GEMM kernel has. */
	static char device[] = "h200";
	struct ts_settings base = {.device = device}, settings;
	struct ts_device *d = ts_device_load(device, error);
	bool good = d != NULL && ts_settings_vary(&settings, &base, words, error);

	if (good) {
		good = ts_settings_spec(&settings, d, ret_spec, error);
		/* The lists are the settings', and the model knows of no group. */
		if (good && ts_spec_has_list(ret_spec))
			good = ts_refuse(error,
				"has groups; predictions and calibrations are of one problem each, "
				"so leave such runs out");
		ts_settings_finish(&settings);
	}
	ts_device_free(d);
	return good;
}

static bool read_run(struct ts_timings *t, JsonNode *node, guint at, GError **error)
{
	JsonObject *o = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
	JsonNode *time = o != NULL ? json_object_get_member(o, "time") : NULL;
	const char *shape = find_text(o, "shape"), *verdict = find_text(o, "verdict");
	const char *lacks = NULL;
	struct ts_timing run = {0};
	double ms = 0;
	int64_t clock = find_count(o, "clock_mhz");
	bool has_clock = o != NULL && json_object_has_member(o, "clock_mhz");
	g_autoptr(GError) cause = NULL;
	g_autofree char *words = o != NULL ? run_words(o, &lacks) : NULL;

	if (time != NULL && JSON_NODE_HOLDS_OBJECT(time))
		ms = find_number(json_node_get_object(time), "median_ms");
	if (shape == NULL)
		lacks = "shape";
	else if (!(ms >= 1e-4 && ms <= 1e6))
		lacks = "time.median_ms from 1e-4 to 1e6";
	else if (has_clock &&
		(find(o, "clock_mhz", G_TYPE_INT64) == NULL || !ts_in_range(clock, 0, 100000)))
		lacks = "clock_mhz that is a whole number from 0 to 100000";
	if (lacks != NULL)
		return ts_refuse(error,
			"%s: run %u has no %s; give a file of `tilesim gpu bench "
			"--format json`",
			t->source, at + 1, lacks);
	if (verdict != NULL && strcmp(verdict, "sound") != 0 && strcmp(verdict, "not checked") != 0)
		return true;
	if (!read_spec(words, &run.spec, &cause))
		return ts_refuse(error, "%s: run %u: %s", t->source, at + 1, cause->message);
	run.shape = g_strdup(shape);
	run.ps = (uint64_t)(ms * ps_per_ms + 0.5);
	run.clock_mhz = (uint32_t)clock;
	g_array_append_val(t->runs, run);
	return true;
}

bool ts_timings_parse(struct ts_timings *t, const char *source, const char *text, GError **error)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) cause = NULL;
	JsonNode *root, *runs = NULL;
	JsonArray *list;
	bool good = true;

	memset(t, 0, sizeof *t);
	t->source = g_strdup(source);
	t->runs = g_array_new(FALSE, TRUE, sizeof(struct ts_timing));
	g_array_set_clear_func(t->runs, clear_timing);
	if (!is_shallow(text))
		return ts_refuse(error,
			"%s is nested more than %d deep; give a file of `tilesim gpu bench "
			"--format json`",
			source, DEEP);
	if (!json_parser_load_from_data(parser, text, -1, &cause))
		return ts_refuse(error, "%s is not JSON: %s", source, cause->message);
	root = json_parser_get_root(parser);
	if (root != NULL && JSON_NODE_HOLDS_OBJECT(root)) {
		runs = json_object_get_member(json_node_get_object(root), "runs");
		t->gpu = g_strdup(find_text(json_node_get_object(root), "device"));
	}
	if (runs == NULL || !JSON_NODE_HOLDS_ARRAY(runs))
		return ts_refuse(error,
			"%s has no list of runs; give a file of `tilesim gpu bench --format json`",
			source);
	list = json_node_get_array(runs);
	for (guint i = 0; good && i < json_array_get_length(list); i++)
		good = read_run(t, json_array_get_element(list, i), i, error);
	if (good && t->runs->len == 0)
		good = ts_refuse(error, "%s has no run with a right product", source);
	return good;
}

bool ts_timings_load(struct ts_timings *t, const char *path, GError **error)
{
	g_autofree char *text = ts_read_text(path, "file of timings", error);

	memset(t, 0, sizeof *t);
	return text != NULL && ts_timings_parse(t, path, text, error);
}
