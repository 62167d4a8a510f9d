/* Refusals, the numbers that users type, and the files inside the program. */
#include "sim/refuse.h"

#include <errno.h>
#include <math.h>
#include <string.h>

G_DEFINE_QUARK(ts - refusal, ts_refusal)

bool ts_refuse(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_propagate_error(error, g_error_new_valist(ts_refusal_quark(), 0, format, args));
	va_end(args);
	return false;
}

bool ts_parse_int(const char *text, int64_t *ret_value)
{
	gint64 value;

	if (text[0] == '+' ||
		!g_ascii_string_to_signed(text, 10, INT64_MIN, INT64_MAX, &value, NULL))
		return false;
	*ret_value = value;
	return true;
}

bool ts_parse_double(const char *text, double *ret_value)
{
	char *end;
	double value;

	if (text[strspn(text, "0123456789.eE+-")] != '\0')
		return false;
	errno = 0;
	value = g_ascii_strtod(text, &end);
	if (end == text || *end != '\0' || errno != 0 || !isfinite(value) ||
		g_ascii_isspace(text[0]))
		return false;
	*ret_value = value;
	return true;
}

char *ts_resource(const char *folder, const char *name, const char *suffix)
{
	g_autofree char *path = g_strconcat("/tilesim/", folder, "/", name, suffix, NULL);
	g_autoptr(GBytes) bytes = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
	gsize size;
	const char *data;

	if (bytes == NULL)
		return NULL;
	data = g_bytes_get_data(bytes, &size);
	return g_strndup(data, size);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **ts_resource_names(const char *folder)
{
	g_autofree char *path = g_strconcat("/tilesim/", folder, NULL);
	char **names = g_resources_enumerate_children(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char *dot = strrchr(names[i], '.');

		if (dot != NULL)
			*dot = '\0';
	}
	if (names != NULL)
		qsort(names, g_strv_length(names), sizeof *names, by_name);
	return names;
}
