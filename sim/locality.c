/* Distinct panels per wave and L2. */
#include "sim/locality.h"

#include <string.h>

uint64_t ts_locality_bytes(const struct ts_plan *plan, uint32_t caches)
{
	uint64_t lines = 0;

	for (uint32_t i = 0; i < plan->grid_count; i++) {
		const struct ts_plan *grid = plan->grids == NULL ? plan : &plan->grids[i];

		lines += (uint64_t)grid->rows + grid->cols;
	}
	return lines * plan->batch.by * caches * sizeof(uint32_t) +
		((uint64_t)plan->groups + 1) * 2 * sizeof(uint64_t);
}

static void init(struct ts_locality *l, const struct ts_plan *plan, uint32_t caches)
{
	size_t rows, cols;

	memset(l, 0, sizeof *l);
	l->plan = plan;
	l->shared = caches == 1;
	l->caches = caches;
	l->wave_items = g_new0(uint32_t, caches);
	l->seen = g_new0(uint64_t, caches);
	l->now = g_new0(struct ts_wave, caches);
	l->row_first = g_new(uint64_t, (size_t)plan->groups + 1);
	l->col_first = g_new(uint64_t, (size_t)plan->groups + 1);
	l->row_first[0] = l->col_first[0] = 0;
	for (uint32_t g = 0; g < plan->groups; g++) {
		l->row_first[g + 1] = l->row_first[g] + ts_grid(plan, g)->rows;
		l->col_first[g + 1] = l->col_first[g] + ts_grid(plan, g)->cols;
	}
	rows = caches * l->row_first[plan->groups];
	cols = caches * l->col_first[plan->groups];
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
	g_clear_pointer(&l->now, g_free);
	g_clear_pointer(&l->row_first, g_free);
	g_clear_pointer(&l->col_first, g_free);
	g_clear_pointer(&l->row_wave, g_free);
	g_clear_pointer(&l->col_wave, g_free);
}

/* `wave_of` is that which touched the panel last. */
static void touch(
	struct ts_locality *l, struct ts_wave *now, uint32_t *wave_of, enum ts_operands operand)
{
	const enum ts_operands kinds[] = {operand, TS_OPERANDS};

	if (*wave_of == now->number)
		return;
	*wave_of = now->number;
	l->first_panels += now->number == 1;
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		l->panels[kinds[i]]++;
		if (++now->panels[kinds[i]] > l->worst[kinds[i]].panels[kinds[i]])
			l->worst[kinds[i]] = *now;
	}
}

void ts_locality_item(struct ts_locality *l, const struct ts_step *item, uint32_t group)
{
	const struct ts_plan *p = l->plan;
	const struct ts_plan *grid = ts_grid(p, item->g);
	uint64_t rows = MIN(p->cluster_m, grid->rows - item->m);
	uint64_t cols = MIN(p->cluster_n, grid->cols - item->n);
	uint32_t cache = l->shared ? 0 : group;
	uint64_t nth = l->seen[cache]++;
	struct ts_wave *now = &l->now[cache];

	uint64_t row = cache * l->row_first[p->groups] + l->row_first[item->g] + item->m;
	uint64_t col = cache * l->col_first[p->groups] + l->col_first[item->g] + item->n;

	l->touches += 2 * ts_item_tiles(p, item);
	if (nth % l->wave_items[cache] == 0) {
		l->waves++;
		memset(now, 0, sizeof *now);
		now->cache = cache;
		now->number = (uint32_t)(nth / l->wave_items[cache]) + 1;
	}
	for (uint32_t i = 0; i < rows; i++)
		touch(l, now, &l->row_wave[row + i], TS_OPERAND_A);
	for (uint32_t i = 0; i < cols; i++)
		touch(l, now, &l->col_wave[col + i], TS_OPERAND_B);
}

double ts_locality_panels_per_wave(const struct ts_locality *l, enum ts_operands of)
{
	return l->waves > 0 ? (double)l->panels[of] / (double)l->waves : 0;
}
