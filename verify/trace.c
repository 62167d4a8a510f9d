/* The reader: a buffer that is always filled up to whole lines. */
#include "verify/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verify/line.h"

GQuark ts_trace_quark(void)
{
	return g_quark_from_static_string("ts-trace-quark");
}

enum { BUFFER = 2 * TS_TRACE_LINE };

bool ts_trace_refuse(
	const struct ts_trace *t, GError **error, const char *column, const char *format, ...)
{
	g_autoptr(GString) text = g_string_new(t->name);
	va_list args;

	if (t->line > 0)
		g_string_append_printf(text, ", line %" G_GUINT64_FORMAT, t->line);
	if (column != NULL) {
		g_autofree char *shown =
			ts_text_show((struct ts_text){column, column + strlen(column)});

		g_string_append_printf(text, ", column %s", shown);
	}
	g_string_append(text, ": ");
	va_start(args, format);
	g_string_append_vprintf(text, format, args);
	va_end(args);
	g_set_error_literal(error, ts_trace_quark(), 0, text->str);
	return false;
}

/* Moves what is unread to the front and reads as much as fits behind it. */
static bool fill(struct ts_trace *t, GError **error)
{
	size_t kept = (size_t)(t->after - t->at);
	ssize_t got;

	memmove(t->buffer, t->at, kept);
	t->at = t->buffer;
	t->after = t->buffer + kept;
	do
		got = read(t->fd, t->after, BUFFER - kept);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		t->line = 0;
		return ts_trace_refuse(t, error, NULL, "cannot be read: %s", g_strerror(errno));
	}
	t->end = got == 0;
	t->after += got;
	return true;
}

/* The next line that is not blank, without its end. `ret_line->from` is NULL past the last. */
static bool next_line(struct ts_trace *t, struct ts_text *ret_line, GError **error)
{
	for (;;) {
		size_t seen = 0;
		char *end;

		while ((end = memchr(t->at + seen, '\n', (size_t)(t->after - t->at) - seen)) ==
				NULL &&
			!t->end) {
			seen = (size_t)(t->after - t->at);
			if (seen > TS_TRACE_LINE)
				break;
			if (!fill(t, error))
				return false;
		}
		ret_line->from = NULL;
		if (end == NULL && t->end && t->at == t->after)
			return true;
		t->line++;
		ret_line->from = t->at;
		ret_line->to = end == NULL ? t->after : end;
		if (ret_line->to - ret_line->from > TS_TRACE_LINE)
			return ts_trace_refuse(t, error, NULL,
				"is longer than %d bytes; a trace has one short line for each item",
				TS_TRACE_LINE);
		t->at = end == NULL ? t->after : end + 1;
		if (ret_line->to > ret_line->from && ret_line->to[-1] == '\r')
			ret_line->to--;
		if (ret_line->to > ret_line->from)
			return true;
	}
}

static bool read_header(struct ts_trace *t, GError **error)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct ts_text line;
	struct ts_text trimmed;
	char *begin;

	if (!next_line(t, &line, error))
		return false;
	if (line.from == NULL)
		return ts_trace_refuse(t, error, NULL,
			"is empty; the first line of a trace names its columns, of which m and n "
			"must "
			"be there");
	begin = t->buffer + (line.from - t->buffer);
	if (line.to - line.from >= 3 && memcmp(line.from, mark, 3) == 0)
		line.from += 3;
	trimmed = ts_text_trim(line);
	t->json = trimmed.from < trimmed.to && *trimmed.from == '{';
	if (!(t->json ? ts_json_header : ts_csv_header)(t, line, error))
		return false;
	for (enum ts_col i = TS_COL_M; i <= TS_COL_N; i++)
		if (!ts_trace_has(t, i))
			return ts_trace_refuse(t, error, NULL,
				"there is no column %s; m and n, a tile's row and column, must be "
				"there",
				ts_col_name(i));
	if (t->json) {
		/* The first object is a record too. */
		t->at = begin + (line.from - begin);
		t->line--;
	}
	return true;
}

struct ts_trace *ts_trace_open(const char *path, bool ignore, GError **error)
{
	struct ts_trace *t = g_new0(struct ts_trace, 1);
	bool standard = strcmp(path, "-") == 0;
	struct stat info;

	t->name = standard ? g_strdup("standard input") : g_filename_display_name(path);
	t->ignore = ignore;
	t->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	t->start = -1;
	if (t->fd < 0) {
		ts_trace_refuse(t, error, NULL, "cannot be opened: %s", g_strerror(errno));
		ts_trace_close(t);
		return NULL;
	}
	if (fstat(t->fd, &info) == 0 && S_ISREG(info.st_mode))
		t->start = lseek(t->fd, 0, SEEK_CUR);
	t->buffer = g_malloc(BUFFER);
	t->at = t->after = t->buffer;
	if (read_header(t, error))
		return t;
	ts_trace_close(t);
	return NULL;
}

static void forget_fields(struct ts_trace *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		g_free(t->keys[i]);
	t->count = 0;
	t->columns = 0;
}

void ts_trace_close(struct ts_trace *t)
{
	if (t == NULL)
		return;
	if (t->fd > STDIN_FILENO)
		close(t->fd);
	forget_fields(t);
	g_free(t->buffer);
	g_free(t->name);
	g_free(t);
}

enum ts_read ts_trace_next(struct ts_trace *t, struct ts_record *ret_record, GError **error)
{
	struct ts_text line;

	if (!next_line(t, &line, error))
		return TS_READ_BAD;
	if (line.from == NULL)
		return TS_READ_END;
	ret_record->line = t->line;
	if (t->json ? ts_json_row(t, line, ret_record, error)
		    : ts_csv_row(t, line, ret_record, error))
		return TS_READ_RECORD;
	return TS_READ_BAD;
}

bool ts_trace_rewind(struct ts_trace *t)
{
	if (t->start < 0 || lseek(t->fd, t->start, SEEK_SET) < 0)
		return false;
	forget_fields(t);
	t->at = t->after = t->buffer;
	t->end = false;
	t->line = 0;
	return read_header(t, NULL);
}
