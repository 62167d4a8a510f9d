/* Shape files and lists of groups: any bytes are refused, or make sizes in range that are read back
 * the same. */
#include "sim/shapes.h"
#include "sim/groups.h"

#include <string.h>

#include "tests/fuzz/target.h"

static void check_again(const GArray *shapes)
{
	g_autoptr(GString) text = g_string_new("name,m,n,k\n");
	g_autoptr(GArray) again = NULL;
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < shapes->len; i++) {
		const struct ts_shape *s = &g_array_index(shapes, struct ts_shape, i);

		g_assert_true(s->m >= 0 && s->n >= 0 && s->k >= 0);
		g_assert_true(s->m <= INT32_MAX && s->n <= INT32_MAX && s->k <= INT32_MAX);
		g_string_append_printf(text,
			"%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "\n",
			s->name, s->m, s->n, s->k);
	}
	again = ts_shapes_parse("again", text->str, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(again->len, ==, shapes->len);
	for (guint i = 0; i < shapes->len; i++) {
		const struct ts_shape *a = &g_array_index(shapes, struct ts_shape, i);
		const struct ts_shape *b = &g_array_index(again, struct ts_shape, i);

		g_assert_cmpstr(a->name, ==, b->name);
		g_assert_true(a->m == b->m && a->n == b->n && a->k == b->k);
	}
}

static void check_groups(const char *text)
{
	g_autoptr(GPtrArray) again = ts_group_lists_new();
	struct ts_spec spec = ts_spec_default();
	GError *error = NULL;
	struct ts_group_list *list = ts_group_list_parse("bytes", text, &error);
	g_autofree char *numbers = NULL;
	g_autofree char *same = NULL;

	if (list == NULL) {
		ts_fuzz_refused(error);
		return;
	}
	ts_group_list_set(list, &spec);
	numbers = ts_group_list_text(NULL, &spec);
	g_assert_true(spec.list_count <= TS_LIST_MAX);
	if (spec.list_count > 0) {
		g_assert_true(ts_group_lists_parse(again, numbers, NULL));
		ts_group_list_set(g_ptr_array_index(again, 0), &spec);
		same = ts_group_list_text(NULL, &spec);
		g_assert_cmpstr(same, ==, numbers);
	}
	ts_group_list_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	GArray *shapes = ts_shapes_load(ts_fuzz_file(data, size), &error);
	g_autofree char *text = ts_fuzz_text(data, size);

	check_groups(text);
	if (shapes == NULL) {
		ts_fuzz_refused(error);
		return 0;
	}
	check_again(shapes);
	g_array_unref(shapes);
	return 0;
}
