/* Lists of groups: the sizes of the experts of a grouped GEMM or the sequences of an attention,
 * from the command line, from a file or built in. */
#ifndef TS_GROUPS_H
#define TS_GROUPS_H

#include <gio/gio.h>

#include "policies/spec.h"

struct ts_group_list {
	char *name; /* of the file or the built-in list, as typed; NULL for numbers */
	int64_t count;
	int64_t *m, *n, *k; /* n and k are NULL where they are the same for all */
};

/* An empty array of struct ts_group_list *, which it owns. */
GPtrArray *ts_group_lists_new(void);

/* Appends what `text` says to `lists`: lists with semicolons between them, each
 *	M0,M1,... or M0xN0xK0,M1xN1xK1,...  numbers, with n and k for all groups or for none
 *	upto:GxR                            every list of up to G groups of 0 to R rows
 *	NAME or a path with / or .csv       a list in a file
 * False and a refusal that says what is wrong, and in which line of a file. */
bool ts_group_lists_parse(GPtrArray *lists, const char *text, GError **error);

/* A file: CSV whose header has m, and n, k and group where they are needed, in any order; one line
 * a group, counted from 0 where a column says so; lines that begin with # are comments. `id` is
 * used in refusals. NULL and a refusal. Free with ts_group_list_free(). */
struct ts_group_list *ts_group_list_parse(const char *id, const char *text, GError **error);
void ts_group_list_free(struct ts_group_list *list);

/* Puts the list into a request, or none for NULL. The list must outlive it. */
void ts_group_list_set(const struct ts_group_list *list, struct ts_spec *spec);

/* The groups of a request as ts_group_lists_parse() reads them: by the name of a list in `lists`,
 * which may be NULL, or as numbers. Free with g_free(). */
char *ts_group_list_text(const GPtrArray *lists, const struct ts_spec *spec);

/* Memory for the grids of one plan at a time. Begin with zeros. */
struct ts_group_room {
	struct ts_turn *turns;
	struct ts_plan *grids;
	int64_t count;
};

/* `spec` with room for its groups. Requests and plans that had it before are no longer valid. */
struct ts_spec ts_group_room_give(struct ts_group_room *room, const struct ts_spec *spec);
void ts_group_room_finish(struct ts_group_room *room);

#endif
