/* Spawning the program. */
#include "tests/call.h"

#include <glib.h>
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

void ts_call_expect(const char *words, int code, const char *says)
{
	struct call c = ts_call(NULL, words);

	if (c.code != code || (strstr(c.out, says) == NULL && strstr(c.err, says) == NULL))
		g_error("tilesim %s: exit code %d, not %d, or not '%s': %s%s", words, c.code, code,
			says, c.out, c.err);
	ts_call_finish(&c);
}
