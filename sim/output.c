/* Write beside, then rename. */
#define _GNU_SOURCE /* _Fork() */
#include "sim/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/refuse.h"

/* What is to be gone should the program be ended, by a path each; in a fixed place, for a handler
 * of signals to read. */
enum { KEPT = 16, PATH_BYTES = 4096 };

static struct {
	_Atomic bool used;
	char path[PATH_BYTES];
} kept[KEPT];

/* Removes a file or a folder, by what may be called in a handler of signals: readdir() may not, nor
 * fork(), which waits for locks. */
static void remove_at_end(const char *path)
{
	pid_t child;

	if (unlink(path) == 0)
		return;
	child = _Fork();
	if (child == 0) {
		execl("/bin/rm", "rm", "-rf", path, (char *)NULL);
		_exit(1);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

void ts_output_abandon(void)
{
	for (size_t i = 0; i < KEPT; i++)
		if (atomic_load(&kept[i].used))
			remove_at_end(kept[i].path);
}

static void on_end(int number)
{
	ts_output_abandon();
	signal(number, SIG_DFL);
	raise(number);
}

static const int ends[] = {SIGHUP, SIGINT, SIGTERM};

/* Until let_ends(), ends wait: what is made in between is kept before it can be left behind. */
static void hold_ends(sigset_t *ret_before)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++)
		sigaddset(&held, ends[i]);
	pthread_sigmask(SIG_BLOCK, &held, ret_before);
}

static void let_ends(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Who ignores a signal, as nohup has it, goes on to. */
static void watch_ends(void)
{
	struct sigaction action = {.sa_handler = on_end}, before;

	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++)
		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
}

/* Outputs are opened and folders made by one thread. Beyond KEPT they are left behind. */
static void keep(const char *path)
{
	watch_ends();
	for (size_t i = 0; i < KEPT; i++)
		if (!atomic_load(&kept[i].used)) {
			if (g_strlcpy(kept[i].path, path, PATH_BYTES) < PATH_BYTES)
				atomic_store(&kept[i].used, true);
			return;
		}
}

static void forget(const char *path)
{
	for (size_t i = 0; i < KEPT; i++)
		if (atomic_load(&kept[i].used) && strcmp(kept[i].path, path) == 0)
			atomic_store(&kept[i].used, false);
}

char *ts_output_make_folder(GError **error)
{
	g_autoptr(GError) cause = NULL;
	sigset_t before;
	char *folder;

	hold_ends(&before);
	folder = g_dir_make_tmp("tilesim-XXXXXX", &cause);
	if (folder == NULL)
		ts_refuse(error, "no temporary folder: %s", cause->message);
	else
		keep(folder);
	let_ends(&before);
	return folder;
}

bool ts_output_open(struct ts_output *o, const char *path, GError **error)
{
	sigset_t before;
	int handle;

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		return ts_refuse(error, "%s cannot be written: it is a folder", path);
	o->path = g_strdup(path);
	o->part = g_strconcat(path, ".XXXXXX", NULL);
	o->file = NULL;
	/* A pipe, a device or what a link such as /dev/stdout leads to is written as it is. */
	if (g_file_test(path, G_FILE_TEST_IS_SYMLINK) ||
		(g_file_test(path, G_FILE_TEST_EXISTS) &&
			!g_file_test(path, G_FILE_TEST_IS_REGULAR))) {
		g_clear_pointer(&o->part, g_free);
		o->file = fopen(path, "w");
	} else {
		hold_ends(&before);
		handle = g_mkstemp_full(o->part, O_RDWR, 0666);
		if (handle >= 0) {
			keep(o->part);
			o->file = fdopen(handle, "w");
		}
		let_ends(&before);
	}
	if (o->file != NULL)
		return true;
	ts_refuse(error, "%s cannot be written: %s", path, g_strerror(errno));
	ts_output_drop(o);
	return false;
}

void ts_output_drop(struct ts_output *o)
{
	if (o->file != NULL) {
		fclose(o->file);
		if (o->part != NULL)
			g_unlink(o->part);
	}
	o->file = NULL;
	if (o->part != NULL)
		forget(o->part);
	g_clear_pointer(&o->path, g_free);
	g_clear_pointer(&o->part, g_free);
}

bool ts_output_possible(const char *path, GError **error)
{
	struct ts_output o = {0};

	if (path == NULL || g_file_test(path, G_FILE_TEST_IS_SYMLINK) ||
		(g_file_test(path, G_FILE_TEST_EXISTS) &&
			!g_file_test(path, G_FILE_TEST_IS_REGULAR) &&
			!g_file_test(path, G_FILE_TEST_IS_DIR)))
		return true;
	if (!ts_output_open(&o, path, error))
		return false;
	ts_output_drop(&o);
	return true;
}

bool ts_output_flush(struct ts_output *o, GError **error)
{
	if (fflush(o->file) == 0 && ferror(o->file) == 0)
		return true;
	return ts_refuse(error, "%s cannot be written: %s", o->path, g_strerror(errno));
}

bool ts_output_commit(struct ts_output *o, GError **error)
{
	bool good = ferror(o->file) == 0;

	good = fclose(o->file) == 0 && good;
	o->file = NULL;
	good = good && (o->part == NULL || g_rename(o->part, o->path) == 0);
	if (!good) {
		ts_refuse(error, "%s cannot be written: %s", o->path, g_strerror(errno));
		if (o->part != NULL)
			g_unlink(o->part);
	}
	ts_output_drop(o);
	return good;
}

void ts_output_remove_folder(const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR))
			ts_output_remove_folder(path);
		else
			g_unlink(path);
	}
	g_rmdir(folder);
	forget(folder);
}
