/* Greedy shrinking, group by group and number by number: to its least value, else by halves, else
 * by one. */
#include "verify/shrink.h"

#include <glib.h>
#include <string.h>

struct number {
	size_t offset;
	int64_t least;
};

/* An empty problem fails only if it was one from the start. Large steps first: sizes, then
 * everything whose default is small anyway. */
static const struct number numbers[] = {
	{G_STRUCT_OFFSET(struct ts_spec, k), 1},
	{G_STRUCT_OFFSET(struct ts_spec, n), 1},
	{G_STRUCT_OFFSET(struct ts_spec, m), 1},
	{G_STRUCT_OFFSET(struct ts_spec, workers), 1},
	{G_STRUCT_OFFSET(struct ts_spec, domains), 1},
	{G_STRUCT_OFFSET(struct ts_spec, slots), 1},
	{G_STRUCT_OFFSET(struct ts_spec, cluster_m), 1},
	{G_STRUCT_OFFSET(struct ts_spec, cluster_n), 1},
	{G_STRUCT_OFFSET(struct ts_spec, width), 0},
	{G_STRUCT_OFFSET(struct ts_spec, chunk), 0},
	{G_STRUCT_OFFSET(struct ts_spec, batch), 1},
	{G_STRUCT_OFFSET(struct ts_spec, section), 1},
};

/* The lists of a request, where there are any. */
enum { LISTS = 3 };

static void find_lists(const struct ts_spec *spec, int64_t *ret_lists[LISTS])
{
	ret_lists[0] = (int64_t *)(gpointer)spec->list_m;
	ret_lists[1] = (int64_t *)(gpointer)spec->list_n;
	ret_lists[2] = (int64_t *)(gpointer)spec->list_k;
}

/* Tries one value; keeps it if the request still fails. */
static bool try(struct ts_spec *spec, const struct number *number, int64_t value,
	ts_fails_fn *fails, void *data)
{
	struct ts_spec smaller = *spec;

	G_STRUCT_MEMBER(int64_t, &smaller, number->offset) = value;
	if (!fails(data, &smaller))
		return false;
	*spec = smaller;
	return true;
}

static bool shrink_number(
	struct ts_spec *spec, const struct number *number, ts_fails_fn *fails, void *data)
{
	int64_t *value = (int64_t *)(gpointer)((char *)spec + number->offset);
	bool shrunk = false;

	if (*value <= number->least)
		return false;
	if (try(spec, number, number->least, fails, data))
		return true;
	if (*value > number->least + 1 && try(spec, number, number->least + 1, fails, data))
		return true;
	/* `value` follows, since try() writes through `spec`. */
	for (int64_t step = (*value - number->least) / 2; step > 0;) {
		if (*value - step > number->least && try(spec, number, *value - step, fails, data))
			shrunk = true;
		else
			step /= 2;
	}
	return shrunk;
}

static void copy_lists(struct ts_spec *spec)
{
	gsize bytes = (gsize)MAX(spec->list_count, 0) * sizeof(int64_t);

	if (spec->list_m != NULL)
		spec->list_m = g_memdup2(spec->list_m, bytes);
	if (spec->list_n != NULL)
		spec->list_n = g_memdup2(spec->list_n, bytes);
	if (spec->list_k != NULL)
		spec->list_k = g_memdup2(spec->list_k, bytes);
}

void ts_shrink_free(struct ts_spec *spec)
{
	int64_t *lists[LISTS];

	find_lists(spec, lists);
	for (int i = 0; i < LISTS; i++)
		g_free(lists[i]);
	spec->list_m = spec->list_n = spec->list_k = NULL;
}

/* Takes groups [at, at + count) out of the lists, if the rest still fails. */
static bool drop_groups(
	struct ts_spec *spec, int64_t at, int64_t count, ts_fails_fn *fails, void *data)
{
	struct ts_spec smaller = *spec;
	int64_t *lists[LISTS];
	bool failed;

	copy_lists(&smaller);
	smaller.list_count -= count;
	find_lists(&smaller, lists);
	for (int i = 0; i < LISTS; i++)
		if (lists[i] != NULL)
			memmove(lists[i] + at, lists[i] + at + count,
				(size_t)(smaller.list_count - at) * sizeof(int64_t));
	failed = fails(data, &smaller);
	if (failed) {
		struct ts_spec larger = *spec;

		*spec = smaller;
		smaller = larger;
	}
	ts_shrink_free(&smaller);
	return failed;
}

/* Makes one number of a list smaller: 0, 1, or by halves. */
static bool shrink_size(struct ts_spec *spec, int64_t *size, ts_fails_fn *fails, void *data)
{
	const int64_t was = *size;
	const int64_t tried[] = {0, 1, was / 2, was - was / 4, was - 1};

	for (size_t i = 0; i < G_N_ELEMENTS(tried); i++) {
		*size = tried[i];
		if (tried[i] >= 0 && tried[i] < was && fails(data, spec))
			return true;
	}
	*size = was;
	return false;
}

static bool shrink_lists(struct ts_spec *spec, ts_fails_fn *fails, void *data)
{
	int64_t *lists[LISTS];
	bool shrunk = false;

	for (int64_t count = spec->list_count / 2; count > 0; count /= 2)
		for (int64_t at = 0; at + count <= spec->list_count && spec->list_count > count;)
			if (drop_groups(spec, at, count, fails, data))
				shrunk = true;
			else
				at += count;
	find_lists(spec, lists);
	for (int i = 0; i < LISTS; i++)
		for (int64_t at = 0; lists[i] != NULL && at < spec->list_count; at++)
			shrunk |= shrink_size(spec, &lists[i][at], fails, data);
	return shrunk;
}

void ts_shrink(struct ts_spec *spec, ts_fails_fn *fails, void *data)
{
	bool shrunk = true;

	copy_lists(spec);
	while (shrunk) {
		shrunk = ts_spec_has_list(spec) && shrink_lists(spec, fails, data);
		for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
			shrunk |= shrink_number(spec, &numbers[i], fails, data);
	}
}
