/* Calls of the program. */
#ifndef TS_TESTS_CALL_H
#define TS_TESTS_CALL_H

/* One call: its exit code, -1 where a signal ended it, and what it printed. */
struct call {
	int code;
	char *out, *err;
};

/* Runs $TILESIM in `folder` with these words, quoted as for a shell but without one. Free with
 * ts_call_finish(). */
struct call ts_call(const char *folder, const char *words);
void ts_call_finish(struct call *c);

/* Runs $TILESIM, which must end with `code` and say `says` on stdout or stderr; else the test ends.
 */
void ts_call_expect(const char *words, int code, const char *says);

#endif
