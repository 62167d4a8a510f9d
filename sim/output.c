/* Write beside, then rename. */
#include "sim/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>

#include "sim/refuse.h"

bool ts_output_open(struct ts_output *o, const char *path, GError **error)
{
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
	} else if ((handle = g_mkstemp_full(o->part, O_RDWR, 0666)) >= 0) {
		o->file = fdopen(handle, "w");
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
}
