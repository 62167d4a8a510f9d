/* Lists of groups. */
#include "sim/groups.h"

#include <string.h>

#include "sim/refuse.h"

/* Columns of a file. */
enum { COL_M, COL_N, COL_K, COL_GROUP, COLS };

static const char *const columns[COLS] = {"m", "n", "k", "group"};

/* More lists are no list that somebody meant. */
static const uint64_t lists_max = 1 << 16;

static void free_list(gpointer list)
{
	ts_group_list_free(list);
}

GPtrArray *ts_group_lists_new(void)
{
	return g_ptr_array_new_with_free_func(free_list);
}

static struct ts_group_list *new_list(int64_t count, bool all_sizes)
{
	struct ts_group_list *list = g_new0(struct ts_group_list, 1);

	list->count = count;
	list->m = g_new0(int64_t, count);
	if (!all_sizes)
		return list;
	list->n = g_new0(int64_t, count);
	list->k = g_new0(int64_t, count);
	return list;
}

void ts_group_list_free(struct ts_group_list *list)
{
	if (list == NULL)
		return;
	g_free(list->name);
	g_free(list->m);
	g_free(list->n);
	g_free(list->k);
	g_free(list);
}

void ts_group_list_set(const struct ts_group_list *list, struct ts_spec *spec)
{
	spec->list_count = list == NULL ? 0 : list->count;
	spec->list_m = list == NULL ? NULL : list->m;
	spec->list_n = list == NULL ? NULL : list->n;
	spec->list_k = list == NULL ? NULL : list->k;
}

static bool read_size(const char *text, int64_t *ret_size)
{
	return ts_parse_int(text, ret_size) && *ret_size >= 0 && *ret_size <= TS_COUNT_MAX;
}

/* Which columns the header names; false where it is none. */
static bool read_header(const char *line, int *ret_cols, guint *ret_count)
{
	g_auto(GStrv) names = g_strsplit(line, ",", -1);
	bool seen[COLS] = {false};

	*ret_count = g_strv_length(names);
	for (guint i = 0; i < *ret_count; i++) {
		int col = 0;

		while (col < COLS && strcmp(g_strstrip(names[i]), columns[col]) != 0)
			col++;
		if (i >= COLS || col == COLS || seen[col])
			return false;
		seen[col] = true;
		ret_cols[i] = col;
	}
	return seen[COL_M];
}

/* Appends one line of a file to the columns' values. */
static bool read_line(
	const char *line, const int *cols, guint count, GArray **values, GError **error)
{
	g_auto(GStrv) fields = g_strsplit(line, ",", -1);

	if (g_strv_length(fields) != count)
		return ts_refuse(error, "'%s' must have %u fields, as the header has", line, count);
	for (guint i = 0; i < count; i++) {
		int64_t value;

		if (!read_size(g_strstrip(fields[i]), &value))
			return ts_refuse(error, "%s '%s' must be a whole number from 0 to %d",
				columns[cols[i]], fields[i], TS_COUNT_MAX);
		if (cols[i] == COL_GROUP && value != values[COL_GROUP]->len)
			return ts_refuse(error, "group %s comes where group %u must be", fields[i],
				values[COL_GROUP]->len);
		g_array_append_val(values[cols[i]], value);
	}
	if (values[COL_M]->len > TS_LIST_MAX)
		return ts_refuse(error, "a list has at most %d groups", TS_LIST_MAX);
	return true;
}

static bool read_lines(char **lines, GArray **values, GError **error)
{
	int cols[COLS];
	guint count = 0;

	for (guint i = 0; lines[i] != NULL; i++) {
		g_autoptr(GError) cause = NULL;
		char *line = g_strstrip(lines[i]);

		if (line[0] == '\0' || line[0] == '#')
			continue;
		if (count == 0) {
			if (!read_header(line, cols, &count))
				return ts_refuse(error,
					"line %u: '%s' must be a header of m, and n, k or group if "
					"needed",
					i + 1, line);
		} else if (!read_line(line, cols, count, values, &cause)) {
			return ts_refuse(error, "line %u: %s", i + 1, cause->message);
		}
	}
	return count > 0 ||
		ts_refuse(error, "is empty; write a header such as m and a line a group");
}

struct ts_group_list *ts_group_list_parse(const char *id, const char *text, GError **error)
{
	g_auto(GStrv) lines = NULL;
	g_autoptr(GError) cause = NULL;
	struct ts_group_list *list = NULL;
	GArray *values[COLS];

	if (!g_utf8_validate(text, -1, NULL)) {
		ts_refuse(error, "%s: is not UTF-8 text", id);
		return NULL;
	}
	lines = g_strsplit(text, "\n", -1);
	for (int i = 0; i < COLS; i++)
		values[i] = g_array_new(FALSE, FALSE, sizeof(int64_t));
	if (read_lines(lines, values, &cause)) {
		guint count = values[COL_M]->len;

		list = g_new0(struct ts_group_list, 1);
		list->count = count;
		list->m = g_memdup2(values[COL_M]->data, count * sizeof(int64_t));
		if (values[COL_N]->len > 0)
			list->n = g_memdup2(values[COL_N]->data, count * sizeof(int64_t));
		if (values[COL_K]->len > 0)
			list->k = g_memdup2(values[COL_K]->data, count * sizeof(int64_t));
		/* A list without groups is a list too. */
		if (list->m == NULL)
			list->m = g_new0(int64_t, 1);
	} else {
		ts_refuse(error, "%s, %s", id, cause->message);
	}
	for (int i = 0; i < COLS; i++)
		g_array_unref(values[i]);
	return list;
}

static struct ts_group_list *load(const char *id, GError **error)
{
	g_autofree char *text = NULL;
	g_autofree char *all = NULL;
	g_auto(GStrv) names = NULL;
	struct ts_group_list *list;

	if (strchr(id, '/') != NULL || g_str_has_suffix(id, ".csv")) {
		text = ts_read_text(id, "list of groups", error);
	} else if ((text = ts_resource("groups", id, ".csv")) == NULL) {
		names = ts_resource_names("groups");
		all = g_strjoinv(", ", names);
		ts_refuse(error,
			"--groups %s: write rows such as 512,0,384, or MxNxK for each group, or "
			"the path of a .csv file, or one of %s",
			id, all);
	}
	list = text == NULL ? NULL : ts_group_list_parse(id, text, error);
	if (list != NULL)
		list->name = g_strdup(id);
	return list;
}

/* M0,M1,... or M0xN0xK0,...; NULL and no refusal where it is something else. */
static struct ts_group_list *read_numbers(const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, ",", -1);
	bool all_sizes = strchr(words[0] == NULL ? "" : words[0], 'x') != NULL;
	struct ts_group_list *list = new_list(g_strv_length(words), all_sizes);
	bool good = words[0] != NULL;

	for (guint i = 0; good && words[i] != NULL; i++) {
		g_auto(GStrv) parts = g_strsplit(words[i], "x", -1);

		good = g_strv_length(parts) == (all_sizes ? 3 : 1) &&
			read_size(parts[0], &list->m[i]);
		if (good && all_sizes)
			good = read_size(parts[1], &list->n[i]) && read_size(parts[2], &list->k[i]);
	}
	if (good)
		return list;
	ts_group_list_free(list);
	return NULL;
}

/* Every list of up to `groups` groups of 0 to `rows` rows, shorter ones first. */
static bool add_all(GPtrArray *lists, const char *word, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(word + strlen("upto:"), "x", -1);
	int64_t groups, rows;
	uint64_t of_length = 1, sum = 0;

	if (g_strv_length(parts) != 2 || !read_size(parts[0], &groups) || groups < 1 ||
		!read_size(parts[1], &rows))
		return ts_refuse(error, "--groups %s: write upto:GxR, such as upto:4x5", word);
	for (int64_t i = 0; i < groups && sum <= lists_max; i++) {
		of_length = MIN(of_length * (uint64_t)(rows + 1), lists_max + 1);
		sum += of_length;
	}
	if (sum > lists_max)
		return ts_refuse(error,
			"--groups %s: there are more than %" G_GUINT64_FORMAT " such lists", word,
			lists_max);
	of_length = 1;
	for (int64_t count = 1; count <= groups; count++) {
		of_length *= (uint64_t)(rows + 1);
		for (uint64_t number = 0; number < of_length; number++) {
			struct ts_group_list *list = new_list(count, false);
			uint64_t rest = number;

			for (int64_t i = 0; i < count; i++, rest /= (uint64_t)(rows + 1))
				list->m[i] = (int64_t)(rest % (uint64_t)(rows + 1));
			g_ptr_array_add(lists, list);
		}
	}
	return true;
}

bool ts_group_lists_parse(GPtrArray *lists, const char *text, GError **error)
{
	g_auto(GStrv) words = g_strsplit(text, ";", -1);

	if (words[0] == NULL)
		return ts_refuse(error, "--groups: the value is empty");
	for (guint i = 0; words[i] != NULL; i++) {
		struct ts_group_list *list;

		if (g_str_has_prefix(words[i], "upto:")) {
			if (!add_all(lists, words[i], error))
				return false;
			continue;
		}
		list = read_numbers(words[i]);
		if (list == NULL)
			list = load(words[i], error);
		if (list == NULL)
			return false;
		g_ptr_array_add(lists, list);
	}
	return true;
}

char *ts_group_list_text(const GPtrArray *lists, const struct ts_spec *spec)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; lists != NULL && i < lists->len; i++) {
		const struct ts_group_list *list = g_ptr_array_index(lists, i);

		if (list->name == NULL || list->m != spec->list_m)
			continue;
		g_string_append(out, list->name);
		return g_string_free(out, FALSE);
	}
	for (int64_t i = 0; i < spec->list_count; i++) {
		g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ",",
			spec->list_m != NULL ? spec->list_m[i] : spec->m);
		if (spec->list_n != NULL || spec->list_k != NULL)
			g_string_append_printf(out, "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
				spec->list_n != NULL ? spec->list_n[i] : spec->n,
				spec->list_k != NULL ? spec->list_k[i] : spec->k);
	}
	return g_string_free(out, FALSE);
}

struct ts_spec ts_group_room_give(struct ts_group_room *room, const struct ts_spec *spec)
{
	struct ts_spec roomy = *spec;

	if (spec->list_count > room->count && spec->list_count <= TS_LIST_MAX) {
		room->count = spec->list_count;
		room->turns = g_renew(struct ts_turn, room->turns, room->count);
		room->grids = g_renew(struct ts_plan, room->grids, room->count);
	}
	roomy.turns = room->turns;
	roomy.grids = room->grids;
	return roomy;
}

void ts_group_room_finish(struct ts_group_room *room)
{
	g_clear_pointer(&room->turns, g_free);
	g_clear_pointer(&room->grids, g_free);
	room->count = 0;
}
