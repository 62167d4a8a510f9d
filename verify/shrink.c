/* Greedy shrinking, number by number: to its least value, else by halves, else by one. */
#include "verify/shrink.h"

#include <glib.h>

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
};

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

void ts_shrink(struct ts_spec *spec, ts_fails_fn *fails, void *data)
{
	bool shrunk = true;

	while (shrunk) {
		shrunk = false;
		for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
			shrunk |= shrink_number(spec, &numbers[i], fails, data);
	}
}
