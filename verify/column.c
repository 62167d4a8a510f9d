/* The table of columns, and their numbers. */
#include "verify/column.h"

#include <string.h>

struct col {
	const char *names[5]; /* the first is the one in messages */
	int64_t least, most;
};

/* Where a kernel can be wrong (tile, k range, group) any number is read and judged by the checks;
 * the others are names of things, whose bounds keep the memory small that is held about them. */
static const struct col cols[TS_COLS] = {
	[TS_COL_WORKER] = {{"worker", "block"}, 0, INT32_MAX},
	[TS_COL_RANK] = {{"rank"}, 0, 1023},
	[TS_COL_SM] = {{"sm", "cu", "unit"}, 0, INT32_MAX},
	[TS_COL_XCD] = {{"xcd", "domain", "gpc"}, 0, UINT16_MAX},
	[TS_COL_DOMAIN] = {{NULL}, 0, UINT16_MAX},
	[TS_COL_ITERATION] = {{"iteration"}, 0, INT32_MAX},
	[TS_COL_M] = {{"m"}, INT64_MIN, INT64_MAX},
	[TS_COL_N] = {{"n"}, INT64_MIN, INT64_MAX},
	[TS_COL_GROUP] = {{"group", "batch", "g", "expert"}, INT64_MIN, INT64_MAX},
	[TS_COL_K_BEGIN] = {{"k_begin"}, INT64_MIN, INT64_MAX},
	[TS_COL_K_END] = {{"k_end"}, INT64_MIN, INT64_MAX},
	[TS_COL_T0] = {{"t0", "t0_ps"}, INT64_MIN, INT64_MAX},
	[TS_COL_T1] = {{"t1", "t1_ps"}, INT64_MIN, INT64_MAX},
	[TS_COL_COUNTER] = {{"counter"}, 0, INT32_MAX},
	[TS_COL_OWNER] = {{"owner", "owns"}, 0, 1},
};

const char *ts_col_name(enum ts_col col)
{
	return col == TS_COL_DOMAIN ? "domain" : cols[col].names[0];
}

int64_t ts_col_least(enum ts_col col)
{
	return cols[col].least;
}

int64_t ts_col_most(enum ts_col col)
{
	return cols[col].most;
}

enum ts_col ts_col_find(struct ts_text name)
{
	for (enum ts_col i = 0; i < TS_COLS; i++)
		for (size_t j = 0; cols[i].names[j] != NULL; j++)
			if (ts_text_is(name, cols[i].names[j]))
				return i;
	return TS_COLS;
}

char *ts_col_list(void)
{
	GString *out = g_string_new(NULL);

	for (enum ts_col i = 0; i < TS_COLS; i++) {
		for (size_t j = 0; cols[i].names[j] != NULL; j++)
			g_string_append_printf(out, "%s%s",
				j > 0                   ? "/"
					: out->len == 0 ? ""
							: ", ",
				cols[i].names[j]);
	}
	return g_string_free(out, FALSE);
}

struct ts_text ts_text_trim(struct ts_text text)
{
	while (text.from < text.to && (*text.from == ' ' || *text.from == '\t'))
		text.from++;
	while (text.from < text.to && (text.to[-1] == ' ' || text.to[-1] == '\t'))
		text.to--;
	return text;
}

bool ts_text_is(struct ts_text text, const char *word)
{
	size_t length = (size_t)(text.to - text.from);

	return length == strlen(word) && g_ascii_strncasecmp(text.from, word, length) == 0;
}

/* A decimal number with or without a minus; false where it does not fit 64 bits. */
static bool read_number(struct ts_text text, int64_t *ret_value)
{
	bool minus = text.from < text.to && *text.from == '-';
	int64_t value = 0;

	text.from += minus ? 1 : 0;
	if (text.from == text.to)
		return false;
	for (; text.from < text.to; text.from++) {
		int digit = *text.from - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, minus ? -digit : digit, &value))
			return false;
	}
	*ret_value = value;
	return true;
}

bool ts_col_read(enum ts_col col, struct ts_text text, int64_t *ret_value)
{
	int64_t value;

	if (col == TS_COL_COUNTER && text.from == text.to) {
		*ret_value = -1;
		return true;
	}
	if (col == TS_COL_OWNER && (ts_text_is(text, "true") || ts_text_is(text, "false"))) {
		*ret_value = ts_text_is(text, "true");
		return true;
	}
	if (!read_number(text, &value) || value < cols[col].least || value > cols[col].most)
		return false;
	*ret_value = value;
	return true;
}

char *ts_text_show(struct ts_text text)
{
	size_t length = (size_t)(text.to - text.from);
	size_t shown = MIN(length, 40);
	GString *out = g_string_new(NULL);

	for (size_t i = 0; i < shown; i++) {
		if (g_ascii_isprint(text.from[i]))
			g_string_append_c(out, text.from[i]);
		else
			g_string_append_printf(out, "\\x%02x", (guchar)text.from[i]);
	}
	if (length > shown)
		g_string_append(out, "...");
	return g_string_free(out, FALSE);
}
