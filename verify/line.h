/* Lines of a trace: CSV rows and flat JSON objects, one form of record each. */
#ifndef TS_LINE_H
#define TS_LINE_H

#include "verify/trace.h"

/* Takes the columns from a CSV header, or from the keys of the first object. */
bool ts_csv_header(struct ts_trace *t, struct ts_text line, GError **error);
bool ts_json_header(struct ts_trace *t, struct ts_text line, GError **error);

/* Fills ret_record->value. */
bool ts_csv_row(
	struct ts_trace *t, struct ts_text line, struct ts_record *ret_record, GError **error);
bool ts_json_row(
	struct ts_trace *t, struct ts_text line, struct ts_record *ret_record, GError **error);

/* Appends a field called `name` to the trace's columns; refuses a second one for the same column,
 * and unknown ones unless they are ignored. */
bool ts_line_add_field(struct ts_trace *t, struct ts_text name, GError **error);

/* Refuses a value that ts_col_read() does not take. */
bool ts_line_value(struct ts_trace *t, uint32_t field, struct ts_text text,
	struct ts_record *ret_record, GError **error);

#endif
