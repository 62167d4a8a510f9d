/* Distinct panels per wave and L2. */
#include "sim/locality.h"

#include <string.h>

void ts_locality_init(struct ts_locality *l, const struct ts_plan *plan,
	const struct ts_machine *machine, bool shared_l2)
{
	size_t rows, cols;

	memset(l, 0, sizeof *l);
	l->plan = plan;
	l->shared = shared_l2;
	l->caches = shared_l2 ? 1 : machine->device->groups;
	l->wave_items = g_new0(uint32_t, l->caches);
	l->seen = g_new0(uint64_t, l->caches);
	for (uint32_t i = 0; i < machine->count; i++)
		l->wave_items[shared_l2 ? 0 : machine->places[i].group]++;
	for (uint32_t i = 0; i < l->caches; i++)
		l->wave_items[i] = MAX(MIN(l->wave_items[i], ts_machine_workers(machine, i)), 1);
	l->row_first = g_new(uint64_t, (size_t)plan->groups + 1);
	l->col_first = g_new(uint64_t, (size_t)plan->groups + 1);
	l->row_first[0] = l->col_first[0] = 0;
	for (uint32_t g = 0; g < plan->groups; g++) {
		l->row_first[g + 1] = l->row_first[g] + ts_grid(plan, g)->rows;
		l->col_first[g + 1] = l->col_first[g] + ts_grid(plan, g)->cols;
	}
	rows = l->caches * l->row_first[plan->groups];
	cols = l->caches * l->col_first[plan->groups];
	l->row_wave = g_new0(uint32_t, MAX(rows, 1));
	l->col_wave = g_new0(uint32_t, MAX(cols, 1));
}

void ts_locality_finish(struct ts_locality *l)
{
	g_clear_pointer(&l->wave_items, g_free);
	g_clear_pointer(&l->seen, g_free);
	g_clear_pointer(&l->row_first, g_free);
	g_clear_pointer(&l->col_first, g_free);
	g_clear_pointer(&l->row_wave, g_free);
	g_clear_pointer(&l->col_wave, g_free);
}

static void touch(struct ts_locality *l, uint32_t *wave_of, uint32_t wave)
{
	if (*wave_of == wave)
		return;
	*wave_of = wave;
	l->panels++;
	l->first_panels += wave == 1;
}

void ts_locality_item(struct ts_locality *l, const struct ts_item *item)
{
	const struct ts_plan *p = l->plan;
	const struct ts_plan *grid = ts_grid(p, item->step.g);
	uint64_t rows = MIN(p->cluster_m, grid->rows - item->step.m);
	uint64_t cols = MIN(p->cluster_n, grid->cols - item->step.n);
	uint32_t cache = l->shared ? 0 : item->group;
	uint64_t nth = l->seen[cache]++;
	uint32_t wave = (uint32_t)(nth / l->wave_items[cache]) + 1;

	uint64_t row = cache * l->row_first[p->groups] + l->row_first[item->step.g] + item->step.m;
	uint64_t col = cache * l->col_first[p->groups] + l->col_first[item->step.g] + item->step.n;

	l->touches += 2 * ts_item_tiles(p, &item->step);
	l->waves += nth % l->wave_items[cache] == 0;
	for (uint32_t i = 0; i < rows; i++)
		touch(l, &l->row_wave[row + i], wave);
	for (uint32_t i = 0; i < cols; i++)
		touch(l, &l->col_wave[col + i], wave);
}

double ts_locality_panels_per_wave(const struct ts_locality *l)
{
	return l->waves > 0 ? (double)l->panels / (double)l->waves : 0;
}
