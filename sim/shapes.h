/* Shape files: CSV with the header name,m,n,k, or name,groups,n,k where each is a list of groups,
 * by its name or path; lines that begin with # are comments. */
#ifndef TS_SHAPES_H
#define TS_SHAPES_H

#include <gio/gio.h>
#include <stdint.h>

#include "sim/groups.h"

struct ts_shape {
	char *name;
	int64_t m, n, k;            /* m of groups: the rows of all */
	struct ts_group_list *list; /* NULL: one problem */
};

/* An empty list, and one more shape; `name` is taken over. */
GArray *ts_shapes_new(void);
void ts_shapes_add(GArray *shapes, char *name, int64_t m, int64_t n, int64_t k);

/* Reads the built-in file `id`, or the one at that path where `id` has a '/' or ends in ".csv". An
 * array of struct ts_shape, to be freed with g_array_unref(); NULL and a refusal that names the
 * line. */
GArray *ts_shapes_load(const char *id, GError **error);

/* The same from text; `id` is used in refusals. */
GArray *ts_shapes_parse(const char *id, const char *text, GError **error);

/* Puts the sizes into a request, and the groups if there are any. The shape must outlive it. */
void ts_shape_set(const struct ts_shape *shape, struct ts_spec *spec);

/* Does any shape have groups? */
bool ts_shapes_have_groups(const GArray *shapes);

#endif
