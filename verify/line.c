/* Rows and objects. JSON is scanned by hand: json-glib builds a tree for each line and takes 4 us
 * for one of ten numbers, 15 times as long as the whole check of the line does with this scanner,
 * and a flat object of numbers needs no tree. */
#include "verify/line.h"

#include <string.h>

bool ts_line_add_field(struct ts_trace *t, struct ts_text name, GError **error)
{
	enum ts_col col = ts_col_find(name);
	g_autofree char *shown = ts_text_show(name);
	g_autofree char *known = NULL;

	if (t->count == TS_TRACE_FIELDS)
		return ts_trace_refuse(t, error, NULL, "has more than %d columns", TS_TRACE_FIELDS);
	if (col == TS_COLS && !t->ignore)
		return ts_trace_refuse(t, error, NULL,
			"'%s' is not a column of a trace; there are: %s; --ignore-columns skips "
			"others",
			shown, known = ts_col_list());
	/* In front of which tilesim's own records put a worker and a unit. */
	if (t->count == 3 && !t->json && ts_text_is(name, "domain") &&
		g_ascii_strcasecmp(t->keys[0], "worker") == 0 &&
		g_ascii_strcasecmp(t->keys[1], "unit") == 0 &&
		g_ascii_strcasecmp(t->keys[2], "group") == 0) {
		t->fields[2] = TS_COL_XCD;
		t->columns &= ~(1u << TS_COL_GROUP);
		t->columns |= 1u << TS_COL_XCD;
		col = TS_COL_DOMAIN;
	}
	if (col != TS_COLS && ts_trace_has(t, col))
		return ts_trace_refuse(t, error, shown,
			"there are two columns for the %s; give one", ts_col_name(col));
	if (col != TS_COLS)
		t->columns |= 1u << col;
	t->keys[t->count] = g_strndup(name.from, (gsize)(name.to - name.from));
	t->fields[t->count++] = col;
	return true;
}

bool ts_line_value(struct ts_trace *t, uint32_t field, struct ts_text text,
	struct ts_record *ret_record, GError **error)
{
	enum ts_col col = t->fields[field];
	g_autofree char *shown = NULL;

	if (col == TS_COL_IGNORED || ts_col_read(col, text, &ret_record->value[col]))
		return true;
	shown = ts_text_show(text);
	return ts_trace_refuse(t, error, t->keys[field],
		"'%s' must be a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "%s",
		shown, ts_col_least(col), ts_col_most(col),
		col == TS_COL_COUNTER ? ", or empty" : "");
}

/* The field at `*at`, without quotes and surrounding spaces; moves `*at` to the comma behind it or
 * to the end. Quotes inside stay doubled: no column that is read has any. */
static bool csv_field(const char **at, const char *end, struct ts_text *ret_field)
{
	const char *p = *at;
	const char *from;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	from = p;
	if (p < end && *p == '"') {
		from = ++p;
		while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"')))
			p += *p == '"' ? 2 : 1;
		if (p >= end)
			return false;
		*ret_field = ts_text_trim((struct ts_text){from, p});
		for (p++; p < end && (*p == ' ' || *p == '\t');)
			p++;
		*at = p;
		return p == end || *p == ',';
	}
	while (p < end && *p != ',')
		p++;
	*ret_field = ts_text_trim((struct ts_text){from, p});
	*at = p;
	return true;
}

bool ts_csv_header(struct ts_trace *t, struct ts_text line, GError **error)
{
	const char *at = line.from;
	struct ts_text name;

	for (;;) {
		if (!csv_field(&at, line.to, &name))
			return ts_trace_refuse(
				t, error, NULL, "a quote is not closed before the next comma");
		if (!ts_line_add_field(t, name, error))
			return false;
		if (at == line.to)
			return true;
		at++;
	}
}

static bool refuse_fields(const struct ts_trace *t, bool more, uint32_t have, GError **error)
{
	return ts_trace_refuse(t, error, NULL, "has %s%u fields, the header %u",
		more ? "more than " : "", have, t->count);
}

bool ts_csv_row(
	struct ts_trace *t, struct ts_text line, struct ts_record *ret_record, GError **error)
{
	const char *at = line.from;
	struct ts_text text;

	memset(ret_record->value, 0, sizeof ret_record->value);
	for (uint32_t i = 0; i < t->count; i++) {
		enum ts_col col = t->fields[i];
		const char *p = at;
		int64_t value = 0;

		if (i > 0) {
			if (at == line.to)
				return refuse_fields(t, false, i, error);
			p = ++at;
		}
		/* Nearly every field is a few digits and nothing else. */
		while (p < line.to && p - at < 18 && *p >= '0' && *p <= '9')
			value = value * 10 + (*p++ - '0');
		if (col != TS_COL_IGNORED && p > at && (p == line.to || *p == ',') &&
			value <= ts_col_most(col)) {
			ret_record->value[col] = value;
			at = p;
			continue;
		}
		if (!csv_field(&at, line.to, &text))
			return ts_trace_refuse(t, error, t->keys[i],
				"a quote is not closed before the next comma");
		if (!ts_line_value(t, i, text, ret_record, error))
			return false;
	}
	return at == line.to || refuse_fields(t, true, t->count, error);
}

static const char *skip_spaces(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* A string's inside; escapes stay as they are. NULL where it does not end. */
static const char *json_string(const char *p, const char *end, struct ts_text *ret_text)
{
	ret_text->from = ++p;
	while (p < end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	ret_text->to = p;
	return p < end ? p + 1 : NULL;
}

struct member {
	struct ts_text key, value;
};

enum json { MEMBER, CLOSED, BROKEN };

/* The next member of the object, `first` or behind another one. */
static enum json json_member(const char **at, const char *end, bool first, struct member *ret)
{
	const char *p = skip_spaces(*at, end);

	if (p < end && *p == '}') {
		*at = p + 1;
		return CLOSED;
	}
	if (!first) {
		if (p == end || *p != ',')
			return BROKEN;
		p = skip_spaces(p + 1, end);
	}
	if (p == end || *p != '"' || (p = json_string(p, end, &ret->key)) == NULL)
		return BROKEN;
	p = skip_spaces(p, end);
	if (p == end || *p != ':')
		return BROKEN;
	p = skip_spaces(p + 1, end);
	if (p < end && *p == '"') {
		p = json_string(p, end, &ret->value);
		if (p == NULL)
			return BROKEN;
	} else {
		ret->value.from = p;
		while (p < end && (g_ascii_isalnum(*p) || *p == '-' || *p == '+' || *p == '.'))
			p++;
		ret->value.to = p;
		if (ret->value.from == p)
			return BROKEN;
		if (ts_text_is(ret->value, "null"))
			ret->value.to = ret->value.from;
	}
	*at = p;
	return MEMBER;
}

/* Behind the opening brace; NULL where there is none. */
static const char *json_open(struct ts_text line)
{
	const char *p = skip_spaces(line.from, line.to);

	return p < line.to && *p == '{' ? p + 1 : NULL;
}

/* `rest` is where the line stops being an object. */
static bool refuse_object(const struct ts_trace *t, struct ts_text rest, GError **error)
{
	g_autofree char *shown = ts_text_show(ts_text_trim(rest));

	return ts_trace_refuse(t, error, NULL,
		"must be one flat object of numbers such as {\"m\": 0, \"n\": 3}; not understood "
		"from "
		"'%s' on",
		shown);
}

bool ts_json_header(struct ts_trace *t, struct ts_text line, GError **error)
{
	const char *at = json_open(line);
	struct member member;
	enum json found;

	while ((found = json_member(&at, line.to, t->count == 0, &member)) == MEMBER)
		if (!ts_line_add_field(t, member.key, error))
			return false;
	return found == CLOSED || refuse_object(t, (struct ts_text){at, line.to}, error);
}

/* The field with this key, most likely the one at `guess`; t->count where there is none. */
static uint32_t find_key(const struct ts_trace *t, struct ts_text key, uint32_t guess)
{
	size_t length = (size_t)(key.to - key.from);

	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t field = (guess + i) % t->count;
		const char *known = t->keys[field];

		if (strlen(known) == length && memcmp(known, key.from, length) == 0)
			return field;
	}
	return t->count;
}

bool ts_json_row(
	struct ts_trace *t, struct ts_text line, struct ts_record *ret_record, GError **error)
{
	const char *at = json_open(line);
	struct member member = {{NULL, NULL}, {NULL, NULL}};
	uint32_t seen = 0, guess = 0;
	enum json found;

	if (at == NULL)
		return refuse_object(t, line, error);
	memset(ret_record->value, 0, sizeof ret_record->value);
	for (bool first = true; (found = json_member(&at, line.to, first, &member)) == MEMBER;
		first = false) {
		uint32_t field = find_key(t, member.key, guess);
		g_autofree char *shown = NULL;

		guess = field + 1;
		if (field == t->count && t->ignore && ts_col_find(member.key) == TS_COLS)
			continue;
		if (field == t->count)
			return ts_trace_refuse(t, error, shown = ts_text_show(member.key),
				"the first line has no such key; every line must have the same "
				"keys");
		if (t->fields[field] == TS_COL_IGNORED)
			continue;
		if ((seen >> t->fields[field] & 1) != 0)
			return ts_trace_refuse(t, error, t->keys[field], "is there twice");
		seen |= 1u << t->fields[field];
		if (!ts_line_value(t, field, member.value, ret_record, error))
			return false;
	}
	if (found == BROKEN || skip_spaces(at, line.to) != line.to)
		return refuse_object(t, (struct ts_text){at, line.to}, error);
	for (enum ts_col i = 0; i < TS_COLS; i++)
		if (((t->columns & ~seen) >> i & 1) != 0)
			return ts_trace_refuse(t, error, ts_col_name(i),
				"is missing; every line must have the same keys as the first");
	return true;
}
