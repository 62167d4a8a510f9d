/* A sorted array without duplicates. */
#include "kernels/units.h"

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void ts_units_add(struct ts_units *u, const uint32_t *own, uint32_t count)
{
	guint kept = 0;

	if (u->found == NULL)
		u->found = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_array_append_vals(u->found, own, count);
	g_array_sort(u->found, by_size);
	for (guint i = 0; i < u->found->len; i++) {
		uint32_t unit = g_array_index(u->found, uint32_t, i);

		if (kept == 0 || g_array_index(u->found, uint32_t, kept - 1) != unit)
			g_array_index(u->found, uint32_t, kept++) = unit;
	}
	g_array_set_size(u->found, kept);
}

void ts_units_finish(struct ts_units *u)
{
	g_clear_pointer(&u->found, g_array_unref);
}

uint32_t ts_units_count(const struct ts_units *u)
{
	return u->found == NULL ? 0 : u->found->len;
}

uint32_t ts_units_find(const struct ts_units *u, uint32_t own)
{
	guint at;

	if (u->found == NULL || !g_array_binary_search(u->found, &own, by_size, &at))
		return UINT32_MAX;
	return at;
}

uint32_t ts_units_group(const struct ts_units *u, uint32_t unit)
{
	uint32_t group = 0;

	for (guint i = 1; i <= unit; i++)
		group += g_array_index(u->found, uint32_t, i) >> TS_UNITS_GROUP_SHIFT !=
			g_array_index(u->found, uint32_t, i - 1) >> TS_UNITS_GROUP_SHIFT;
	return group;
}

uint32_t ts_units_groups(const struct ts_units *u)
{
	uint32_t count = ts_units_count(u);

	return count == 0 ? 0 : ts_units_group(u, count - 1) + 1;
}
