/* Distinct panels per wave and L2. */
#include "sim/locality.h"

#include <string.h>

static void init(struct ts_locality *l, const struct ts_plan *plan, uint32_t caches)
{
	size_t rows = (size_t)caches * plan->rows;
	size_t cols = (size_t)caches * plan->cols;

	memset(l, 0, sizeof *l);
	l->plan = plan;
	l->shared = caches == 1;
	l->caches = caches;
	l->wave_items = g_new0(uint32_t, caches);
	l->seen = g_new0(uint64_t, caches);
	l->row_wave = g_new0(uint32_t, MAX(rows, 1));
	l->col_wave = g_new0(uint32_t, MAX(cols, 1));
}

void ts_locality_init(struct ts_locality *l, const struct ts_plan *plan,
	const struct ts_machine *machine, bool shared_l2)
{
	init(l, plan, shared_l2 ? 1 : machine->device->groups);
	for (uint32_t i = 0; i < machine->count; i++)
		l->wave_items[shared_l2 ? 0 : machine->places[i].group]++;
	for (uint32_t i = 0; i < l->caches; i++)
		l->wave_items[i] = MAX(MIN(l->wave_items[i], ts_machine_workers(machine, i)), 1);
}

void ts_locality_init_places(
	struct ts_locality *l, const struct ts_plan *plan, uint32_t caches, uint32_t places)
{
	uint32_t workers = MIN(places, plan->workers);

	init(l, plan, caches);
	for (uint32_t i = 0; i < caches; i++)
		l->wave_items[i] = MAX(workers / caches + (i < workers % caches ? 1 : 0), 1);
}

void ts_locality_finish(struct ts_locality *l)
{
	g_clear_pointer(&l->wave_items, g_free);
	g_clear_pointer(&l->seen, g_free);
	g_clear_pointer(&l->row_wave, g_free);
	g_clear_pointer(&l->col_wave, g_free);
}

/* Is the panel new to the wave? */
static bool touch(struct ts_locality *l, uint32_t *wave_of, uint32_t wave)
{
	if (*wave_of == wave)
		return false;
	*wave_of = wave;
	l->panels++;
	l->first_panels += wave == 1;
	return true;
}

void ts_locality_item(struct ts_locality *l, const struct ts_step *item, uint32_t group)
{
	const struct ts_plan *p = l->plan;
	uint64_t rows = MIN(p->cluster_m, p->rows - item->m);
	uint64_t cols = MIN(p->cluster_n, p->cols - item->n);
	uint32_t cache = l->shared ? 0 : group;
	uint64_t nth = l->seen[cache]++;
	uint32_t wave = (uint32_t)(nth / l->wave_items[cache]) + 1;

	l->touches += 2 * rows * cols;
	l->waves += nth % l->wave_items[cache] == 0;
	for (uint32_t i = 0; i < rows; i++)
		l->a_panels += touch(l, &l->row_wave[(size_t)cache * p->rows + item->m + i], wave);
	for (uint32_t i = 0; i < cols; i++)
		l->b_panels += touch(l, &l->col_wave[(size_t)cache * p->cols + item->n + i], wave);
}

static double per_wave(const struct ts_locality *l, uint64_t panels)
{
	return l->waves > 0 ? (double)panels / (double)l->waves : 0;
}

double ts_locality_panels_per_wave(const struct ts_locality *l)
{
	return per_wave(l, l->panels);
}

double ts_locality_a_panels_per_wave(const struct ts_locality *l)
{
	return per_wave(l, l->a_panels);
}

double ts_locality_b_panels_per_wave(const struct ts_locality *l)
{
	return per_wave(l, l->b_panels);
}
