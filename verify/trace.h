/* Traces: what a kernel recorded about its items, read in one pass and with fixed memory.
 *
 * A trace is CSV with a header line, or JSON lines with one flat object each. TRACES.md says what
 * the columns mean. The reader knows the form of a line and the range of its numbers; whether they
 * make sense is the ledger's business. */
#ifndef TS_TRACE_H
#define TS_TRACE_H

#include <sys/types.h>

#include "verify/column.h"

enum { TS_TRACE_FIELDS = 256, TS_TRACE_LINE = 1 << 20 };

/* One line. Columns that the trace lacks are 0, and counter is -1 where it is empty. */
struct ts_record {
	uint64_t line; /* from 1 */
	int64_t value[TS_COLS];
};

struct ts_trace {
	char *name; /* for messages */
	int fd;
	off_t start;      /* where a second pass begins, or -1 where there can't be one */
	char *buffer;     /* of TS_TRACE_BUFFER bytes */
	char *at, *after; /* what of it is unread */
	bool end;         /* nothing comes after the buffer */
	uint64_t line;    /* read last */
	bool json, ignore;
	uint32_t columns; /* bits 1 << enum ts_col */
	/* Fields in the order of the header, or of the first object's keys. */
	uint32_t count;
	enum ts_col fields[TS_TRACE_FIELDS];
	char *keys[TS_TRACE_FIELDS];
};

enum ts_read { TS_READ_RECORD, TS_READ_END, TS_READ_BAD };

/* Opens the file at `path`, or standard input for "-", and reads which columns there are. Unknown
 * ones are skipped if `ignore`, else refused. NULL and an error that names line, column and what is
 * allowed. */
struct ts_trace *ts_trace_open(const char *path, bool ignore, GError **error);

/* Accepts NULL. */
void ts_trace_close(struct ts_trace *t);

/* Reads the next line. TS_READ_BAD with an error. */
enum ts_read ts_trace_next(struct ts_trace *t, struct ts_record *ret_record, GError **error);

/* Goes back to the first record, if the input is a regular file. */
bool ts_trace_rewind(struct ts_trace *t);

static inline bool ts_trace_has(const struct ts_trace *t, enum ts_col col)
{
	return (t->columns >> col & 1) != 0;
}

/* The domain of the reader's errors. */
GQuark ts_trace_quark(void);

/* Sets an error about `column`, which may be NULL, of the line that was read last. Returns false.
 */
G_GNUC_PRINTF(4, 5)
bool ts_trace_refuse(
	const struct ts_trace *t, GError **error, const char *column, const char *format, ...);

#endif
