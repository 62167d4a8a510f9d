/* Shape files. */
#include "sim/shapes.h"

#include <string.h>

#include "sim/refuse.h"

static const char header[] = "name,m,n,k", groups_header[] = "name,groups,n,k";

static void clear_shape(gpointer data)
{
	struct ts_shape *shape = data;

	g_free(shape->name);
	ts_group_list_free(shape->list);
}

GArray *ts_shapes_new(void)
{
	GArray *shapes = g_array_new(FALSE, FALSE, sizeof(struct ts_shape));

	g_array_set_clear_func(shapes, clear_shape);
	return shapes;
}

void ts_shapes_add(GArray *shapes, char *name, int64_t m, int64_t n, int64_t k)
{
	struct ts_shape shape = {name, m, n, k, NULL};

	g_array_append_val(shapes, shape);
}

void ts_shape_set(const struct ts_shape *shape, struct ts_spec *spec)
{
	spec->m = shape->m;
	spec->n = shape->n;
	spec->k = shape->k;
	if (shape->list != NULL)
		ts_group_list_set(shape->list, spec);
}

bool ts_shapes_have_groups(const GArray *shapes)
{
	for (guint i = 0; i < shapes->len; i++)
		if (g_array_index(shapes, struct ts_shape, i).list != NULL)
			return true;
	return false;
}

/* The list of groups in a field, and its rows in place of it. False and the cause. */
static bool read_groups(char **field, struct ts_group_list **ret_list, GError **error)
{
	g_autoptr(GPtrArray) lists = ts_group_lists_new();
	struct ts_group_list *list;
	int64_t rows = 0;

	if (!ts_group_lists_parse(lists, *field, error))
		return false;
	list = g_ptr_array_index(lists, 0);
	if (lists->len != 1 || list->n != NULL || list->k != NULL)
		return ts_refuse(
			error, "groups '%s' must be one list, of rows without n and k", *field);
	for (int64_t i = 0; i < list->count; i++)
		rows += list->m[i];
	g_free(*field);
	*field = g_strdup_printf("%" G_GINT64_FORMAT, rows);
	*ret_list = g_ptr_array_steal_index(lists, 0);
	return true;
}

static bool parse_line(
	GArray *shapes, const char *id, guint number, char *line, bool groups, GError **error)
{
	g_auto(GStrv) fields = g_strsplit(line, ",", -1);
	g_autoptr(GError) cause = NULL;
	struct ts_group_list *list = NULL;
	int64_t m, n, k;

	if (g_strv_length(fields) != 4)
		return ts_refuse(error, "%s, line %u: '%s' must have the four fields %s", id,
			number, line, groups ? groups_header : header);
	for (size_t i = 0; i < 4; i++)
		g_strstrip(fields[i]);
	if (groups && !read_groups(&fields[1], &list, &cause))
		return ts_refuse(error, "%s, line %u: %s", id, number, cause->message);
	if (!ts_parse_int(fields[1], &m) || !ts_parse_int(fields[2], &n) ||
		!ts_parse_int(fields[3], &k) || m < 0 || n < 0 || k < 0 ||
		MAX(MAX(m, n), k) > INT32_MAX) {
		ts_group_list_free(list);
		return ts_refuse(error,
			"%s, line %u: m=%s, n=%s, k=%s must be whole numbers from 0 to %d", id,
			number, fields[1], fields[2], fields[3], INT32_MAX);
	}
	ts_shapes_add(shapes, g_strdup(fields[0]), m, n, k);
	g_array_index(shapes, struct ts_shape, shapes->len - 1).list = list;
	return true;
}

GArray *ts_shapes_parse(const char *id, const char *text, GError **error)
{
	g_autoptr(GArray) shapes = ts_shapes_new();
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	bool headed = false, groups = false;

	if (!g_utf8_validate(text, -1, NULL)) {
		ts_refuse(error, "%s: is not UTF-8 text", id);
		return NULL;
	}
	for (guint i = 0; lines[i] != NULL; i++) {
		char *line = g_strstrip(lines[i]);

		if (line[0] == '\0' || line[0] == '#')
			continue;
		if (!headed)
			groups = strcmp(line, groups_header) == 0;
		if (!headed && !groups && strcmp(line, header) != 0) {
			ts_refuse(error, "%s, line %u: '%s' must be the header %s, or %s", id,
				i + 1, line, header, groups_header);
			return NULL;
		}
		if (headed && !parse_line(shapes, id, i + 1, line, groups, error))
			return NULL;
		headed = true;
	}
	if (shapes->len == 0) {
		ts_refuse(error, "%s: has no shapes; write the header %s and one line a shape", id,
			header);
		return NULL;
	}
	return g_steal_pointer(&shapes);
}

GArray *ts_shapes_load(const char *id, GError **error)
{
	g_autofree char *text = NULL;
	g_autofree char *all = NULL;
	g_auto(GStrv) names = NULL;

	if (strchr(id, '/') != NULL || g_str_has_suffix(id, ".csv")) {
		text = ts_read_text(id, "shape file", error);
		return text == NULL ? NULL : ts_shapes_parse(id, text, error);
	}
	text = ts_resource("shapes", id, ".csv");
	if (text != NULL)
		return ts_shapes_parse(id, text, error);
	names = ts_resource_names("shapes");
	all = g_strjoinv(", ", names);
	ts_refuse(error, "no shapes '%s'; there are: %s, or the path of a .csv file", id, all);
	return NULL;
}
