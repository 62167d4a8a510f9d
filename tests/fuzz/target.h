/* Fuzz targets: one function a file, which takes any bytes and aborts where a property fails.
 * libFuzzer calls it with inputs of its own, replay.c with the kept ones. */
#ifndef TS_TESTS_FUZZ_TARGET_H
#define TS_TESTS_FUZZ_TARGET_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name and the result are libFuzzer's; the result is 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file in memory with these bytes, the same one each time. */
const char *ts_fuzz_file(const uint8_t *data, size_t size);

/* The bytes up to a NUL, as text. Free with g_free(). */
char *ts_fuzz_text(const uint8_t *data, size_t size);

/* Checks that there is a refusal and that it says something. Frees it. */
void ts_fuzz_refused(GError *error);

/* Parses a report as JSON. */
void ts_fuzz_json(const char *text);

#endif
