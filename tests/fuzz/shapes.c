/* Shape files: any bytes are refused, or make shapes in range that are read back the same. */
#include "sim/shapes.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	GArray *shapes = ts_shapes_load(ts_fuzz_file(data, size), &error);

	if (shapes == NULL) {
		ts_fuzz_refused(error);
		return 0;
	}
	check_again(shapes);
	g_array_unref(shapes);
	return 0;
}
