/* Refusals: errors in what a user gave. main() prints them on one line and exits with code 2. */
#ifndef TS_REFUSE_H
#define TS_REFUSE_H

#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets `error` to the sentence and returns false. The sentence says what was given, what is
 * allowed, and where it is not plain, how to mend it. */
G_GNUC_PRINTF(2, 3)
bool ts_refuse(GError **error, const char *format, ...);

/* The domain of those errors. */
GQuark ts_refusal_quark(void);

/* Reads the whole of `text` as a decimal number; false where it is none or overflows. */
bool ts_parse_int(const char *text, int64_t *ret_value);
bool ts_parse_double(const char *text, double *ret_value);

/* The text of a user's file, of 16 MiB at most and without NUL bytes; `what` names it in a refusal.
 * Free with g_free(). */
char *ts_read_text(const char *path, const char *what, GError **error);

/* The bytes of a file inside the program. Free with g_free(). NULL if there is none. */
char *ts_resource(const char *folder, const char *name, const char *suffix);

/* Names of the built-in files in `folder`, sorted, without their suffix. Free with g_strfreev(). */
char **ts_resource_names(const char *folder);

#endif
