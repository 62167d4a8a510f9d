/* Spawning the program. */
#include "tests/call.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

struct call ts_call(const char *folder, const char *words)
{
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	struct call c;
	int status;

	g_shell_parse_argv(line, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	g_spawn_sync(
		folder, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &c.out, &c.err, &status, &error);
	g_assert_no_error(error);
	c.code = 0;
	if (!g_spawn_check_wait_status(status, &error))
		c.code = error->domain == G_SPAWN_EXIT_ERROR ? error->code : -1;
	return c;
}

void ts_call_finish(struct call *c)
{
	g_free(c->out);
	g_free(c->err);
}

void ts_call_ends(const char *words, const struct call *c, int code)
{
	if (c->code != code)
		g_error("tilesim %s: exit code %d, not %d: %s%s", words, c->code, code, c->out,
			c->err);
}

bool ts_call_says(const char *text, const char *parts)
{
	g_auto(GStrv) words = g_strsplit(parts, "|", -1);

	for (size_t i = 0; words[i] != NULL; i++)
		if (strstr(text, words[i]) == NULL)
			return false;
	return true;
}

char *ts_call_read(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autoptr(GError) error = NULL;
	char *text;

	g_file_get_contents(path, &text, NULL, &error);
	g_assert_no_error(error);
	return text;
}

int ts_call_clean(const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;
	int count = 0;

	while ((name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_assert_cmpint(g_unlink(path), ==, 0);
		count++;
	}
	return count;
}

void ts_call_expect(const char *words, int code, const char *says)
{
	struct call c = ts_call(NULL, words);

	if (c.code != code || (strstr(c.out, says) == NULL && strstr(c.err, says) == NULL))
		g_error("tilesim %s: exit code %d, not %d, or not '%s': %s%s", words, c.code, code,
			says, c.out, c.err);
	ts_call_finish(&c);
}
