/* Calls of the program. */
#ifndef TS_TESTS_CALL_H
#define TS_TESTS_CALL_H

#include <stdbool.h>

/* One call: its exit code, -1 where a signal ended it, and what it printed. */
struct call {
	int code;
	char *out, *err;
};

/* Runs $TILESIM in `folder` with these words, quoted as for a shell but without one. Free with
 * ts_call_finish(). */
struct call ts_call(const char *folder, const char *words);
void ts_call_finish(struct call *c);

/* The test ends unless the call of `words` did so with `code`. */
void ts_call_ends(const char *words, const struct call *c, int code);

/* Is each of `parts`, with | between them, in the text? */
bool ts_call_says(const char *text, const char *parts);

/* A file in the folder. Free with g_free(). */
char *ts_call_read(const char *folder, const char *name);

/* Removes the files in the folder; returns how many there were. */
int ts_call_clean(const char *folder);

/* Runs $TILESIM, which must end with `code` and say `says` on stdout or stderr; else the test ends.
 */
void ts_call_expect(const char *words, int code, const char *says);

#endif
