/* Requests as text, and the golden tables that consist of them; orders.txt describes the lines. */
#ifndef TS_TESTS_VECTORS_READ_H
#define TS_TESTS_VECTORS_READ_H

#include <glib.h>

#include "policies/plan.h"

/* The request in `words`, KEY=VALUE and separated by spaces. Names may also be given as numbers,
 * so that numbers without a name can be asked for; groups=3,0,2 are the rows of a list, and
 * groups=3x1x4,0x2x4 its sizes. Aborts on an unknown key or a malformed value.
 */
struct ts_spec ts_request_read(const char *words);

/* Every word of `spec`, for ts_request_read() and for people. Free with g_free(). */
char *ts_request_words(const struct ts_spec *spec);

/* The plan of `words`, which must be valid. */
struct ts_plan ts_request_make(const char *words);

/* One line of a table: what is asked, of which request, and the answer. `at` is file:line. */
typedef void ts_vector_fn(
	const char *at, const char *what, const struct ts_spec *spec, const char *answer);

/* Calls `check` for each line of tests/vectors/`name`. */
void ts_vectors_read(const char *name, ts_vector_fn *check);

/* Test functions: one table holds; after all tables, each policy, mode, order and remap has a line.
 */
void ts_vectors_test(gconstpointer name);
void ts_vectors_test_complete(void);

#endif
