/* A temporary folder, a link and a process for each call. */
#include "tests/fake/call.h"

#include <gio/gio.h>
#include <glib/gstdio.h>

struct room make_room(const char *version)
{
	struct room r = {.folder = g_dir_make_tmp("tilesim-fake-XXXXXX", NULL)};

	g_assert_nonnull(r.folder);
	r.log = g_build_filename(r.folder, "calls", NULL);
	if (version != NULL) {
		g_autofree char *variable = g_strconcat("FAKE_", version, NULL);
		g_autofree char *name = g_str_has_prefix(version, "HIP")
			? g_strdup_printf("libamdhip64.so.%c", version[4])
			: g_strdup("libcuda.so.1");
		g_autoptr(GFile) link = NULL;

		r.library = g_build_filename(r.folder, name, NULL);
		link = g_file_new_for_path(r.library);
		g_assert_true(g_file_make_symbolic_link(link, g_getenv(variable), NULL, NULL));
	}
	return r;
}

void drop_room(struct room *r)
{
	if (r->library != NULL)
		g_remove(r->library);
	g_remove(r->log);
	g_assert_cmpint(g_rmdir(r->folder), ==, 0);
	g_free(r->folder);
	g_free(r->library);
	g_free(r->log);
}

void drop_answer(struct answer *a)
{
	g_free(a->out);
	g_free(a->err);
	g_free(a->calls);
}

struct answer call(const char *words, const char *version, const char *pretend)
{
	struct room room = make_room(version);
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_auto(GStrv) environment = g_get_environ();
	g_auto(GStrv) variables = g_strsplit(pretend == NULL ? "" : pretend, " ", -1);
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	struct answer a = {0};
	int status;

	environment = g_environ_setenv(environment, "LD_LIBRARY_PATH", room.folder, TRUE);
	environment = g_environ_setenv(environment, "FAKE_GPU_LOG", room.log, TRUE);
	for (char **v = variables; *v != NULL; v++) {
		g_auto(GStrv) pair = g_strsplit(*v, "=", 2);

		environment = g_environ_setenv(environment, pair[0], pair[1], TRUE);
	}
	g_shell_parse_argv(line, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	g_spawn_sync(NULL, argv, environment, G_SPAWN_DEFAULT, NULL, NULL, &a.out, &a.err, &status,
		&error);
	g_assert_no_error(error);
	if (!g_spawn_check_wait_status(status, &error))
		a.code = error->domain == G_SPAWN_EXIT_ERROR ? error->code : -1;
	if (!g_file_get_contents(room.log, &a.calls, NULL, NULL))
		a.calls = g_strdup("");
	drop_room(&room);
	return a;
}
