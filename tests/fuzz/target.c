/* What the targets share. */
#include "tests/fuzz/target.h"

#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *ts_fuzz_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		g_assert_cmpint(fd, >=, 0);
		g_snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	g_assert_cmpint(ftruncate(fd, 0), ==, 0);
	g_assert_cmpint(pwrite(fd, data, size, 0), ==, (gssize)size);
	return path;
}

char *ts_fuzz_text(const uint8_t *data, size_t size)
{
	/* Of no bytes, which may lie nowhere, g_strndup() makes NULL. */
	return size == 0 ? g_strdup("") : g_strndup((const char *)data, size);
}

void ts_fuzz_refused(GError *error)
{
	g_assert_nonnull(error);
	g_assert_cmpuint(strlen(error->message), >, 0);
	g_error_free(error);
}

void ts_fuzz_json(const char *text)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) error = NULL;

	json_parser_load_from_data(parser, text, -1, &error);
	g_assert_no_error(error);
}
