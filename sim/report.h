/* Reports of one run: for people, as JSON and as CSV. */
#ifndef TS_REPORT_H
#define TS_REPORT_H

#include <json-glib/json-glib.h>

#include "sim/run.h"

enum ts_format { TS_TEXT, TS_JSON, TS_CSV, TS_FORMATS };

/* NULL past the last one. */
const char *ts_format_name(int format);

/* Reads --format; text where it was not given. */
bool ts_format_parse(const char *text, enum ts_format *ret_format, GError **error);

/* The whole report; `command` repeats the run. Free with g_free(). */
char *ts_report(const struct ts_run *r, enum ts_format format, const char *command);

/* What is computed, in one line. Free with g_free(). */
char *ts_problem_text(const struct ts_plan *p, const char *dtype);

/* "1.234 ms" and the like. Free with g_free(). */
char *ts_time_text(uint64_t ps);

/* A JSON document as text, ending in a newline. Takes over and frees the builder. */
char *ts_json_text(JsonBuilder *builder);

/* Adds one member to the object being built. */
void ts_json_number(JsonBuilder *b, const char *name, double value);
void ts_json_count(JsonBuilder *b, const char *name, uint64_t value);
void ts_json_text_member(JsonBuilder *b, const char *name, const char *value);

#endif
