/* Output files that are there whole or not at all. */
#ifndef TS_OUTPUT_H
#define TS_OUTPUT_H

#include <gio/gio.h>
#include <stdbool.h>
#include <stdio.h>

/* A file beside `path` that takes its name when it is complete. */
struct ts_output {
	char *path;
	char *part; /* NULL where `path` is no regular file: it is written directly */
	FILE *file;
};

/* Opens the part; false and a refusal where it can't be written. */
bool ts_output_open(struct ts_output *o, const char *path, GError **error);

/* Could a file be written there? Asked before what takes long. NULL is no file. False and a
 * refusal; what is no regular file is found out when it is opened. */
bool ts_output_possible(const char *path, GError **error);

/* Writes out what is buffered; false and a refusal where that fails. Several files are all flushed
 * before the first is committed, so that none is there without the others. */
bool ts_output_flush(struct ts_output *o, GError **error);

/* Gives the part its name, if everything could be written; in either case `o` is finished. */
bool ts_output_commit(struct ts_output *o, GError **error);

/* Removes the part. Does nothing after a commit or for a zeroed `o`. */
void ts_output_drop(struct ts_output *o);

/* Makes a folder for the program's own files. Free with g_free(). NULL and a refusal. */
char *ts_output_make_folder(GError **error);

/* Removes the parts that are not committed and those folders, where the program ends by a signal or
 * a trap; SIGHUP, SIGINT and SIGTERM call it. May be called in handlers of signals. */
void ts_output_abandon(void);

/* Removes a folder of the program's own making, with all that is in it, as far as it can. */
void ts_output_remove_folder(const char *folder);

#endif
