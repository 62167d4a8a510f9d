/* Columns of a trace: their names, and the numbers that are allowed in each. */
#ifndef TS_COLUMN_H
#define TS_COLUMN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum ts_col {
	TS_COL_WORKER,
	TS_COL_RANK, /* of a CTA in its cluster */
	TS_COL_SM,
	TS_COL_XCD,
	TS_COL_DOMAIN, /* that the policy saw; only tilesim's own records tell it from the XCD */
	TS_COL_ITERATION,
	TS_COL_M,
	TS_COL_N,
	TS_COL_GROUP,
	TS_COL_K_BEGIN,
	TS_COL_K_END,
	TS_COL_T0,
	TS_COL_T1,
	TS_COL_COUNTER,
	TS_COL_OWNER,
	TS_COLS,
	TS_COL_IGNORED = TS_COLS
};

/* A stretch of a line, [from, to). */
struct ts_text {
	const char *from, *to;
};

const char *ts_col_name(enum ts_col col);

/* The column called `name` or one of its aliases, in upper or lower case; TS_COLS for none. */
enum ts_col ts_col_find(struct ts_text name);

/* The least and the largest value. */
int64_t ts_col_least(enum ts_col col);
int64_t ts_col_most(enum ts_col col);

/* Reads a whole number in range; of owner also true and false, of counter also nothing, which is
 * -1. */
bool ts_col_read(enum ts_col col, struct ts_text text, int64_t *ret_value);

/* Names every column with its aliases. Free with g_free(). */
char *ts_col_list(void);

/* Without the spaces and tabs at both ends. */
struct ts_text ts_text_trim(struct ts_text text);

bool ts_text_is(struct ts_text text, const char *word);

/* For a message: short, and without anything that a terminal would act on. Free with g_free(). */
char *ts_text_show(struct ts_text text);

#endif
