/* Refusals, the numbers that users type, and the files inside the program. */
#include "sim/refuse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_MAX = 2000, TEXT_MAX = 16 << 20 };

/* Not by G_DEFINE_QUARK(), which keeps it where several threads write at once. */
GQuark ts_refusal_quark(void)
{
	return g_quark_from_static_string("ts-refusal-quark");
}

/* Keeps a message on one line of bearable length, whatever the user typed. */
static char *tame(const char *text)
{
	GString *out = g_string_new(NULL);

	for (size_t i = 0; text[i] != '\0' && out->len < MESSAGE_MAX; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			g_string_append_printf(out, "\\x%02x", (unsigned char)text[i]);
		else
			g_string_append_c(out, text[i]);
	}
	if (out->len >= MESSAGE_MAX)
		g_string_append(out, " ...");
	return g_string_free(out, FALSE);
}

bool ts_refuse(GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autofree char *line = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	line = tame(text);
	g_set_error_literal(error, ts_refusal_quark(), 0, line);
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

char *ts_read_text(const char *path, const char *what, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	FILE *file = fopen(path, "r");
	guint8 block[4096];
	bool good = false;
	size_t got;

	if (file == NULL) {
		ts_refuse(error, "%s %s cannot be read: %s", what, path, g_strerror(errno));
		return NULL;
	}
	while (bytes->len <= TEXT_MAX && (got = fread(block, 1, sizeof block, file)) > 0)
		g_byte_array_append(bytes, block, (guint)got);
	if (ferror(file) != 0)
		ts_refuse(error, "%s %s cannot be read: %s", what, path, g_strerror(errno));
	else if (bytes->len > TEXT_MAX)
		ts_refuse(error, "%s %s is larger than %d bytes", what, path, TEXT_MAX);
	else if (bytes->len > 0 && memchr(bytes->data, 0, bytes->len) != NULL)
		ts_refuse(error, "%s %s is no text: it has a NUL byte", what, path);
	else
		good = true;
	fclose(file);
	if (!good)
		return NULL;
	return bytes->len == 0 ? g_strdup("") : g_strndup((const char *)bytes->data, bytes->len);
}
