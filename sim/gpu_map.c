/* SMs that were seen in one cluster belong to one GPC: enough clusters of many sizes join all that
 * can be joined. */
#include "sim/gpu_map.h"

#include <string.h>

#include "policies/plan.h"

/* Long enough for all CTAs of a wave to start before the first one ends. */
static const struct ts_probe_pace pace = {.busy_ns = 20000};

/* Launches `count` clusters of `ctas` CTAs; each records its SM. */
static bool launch(struct ts_prober *p, uint32_t count, uint32_t ctas, struct ts_probe_log *ret_log,
	GError **error)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan;

	spec.policy = TS_DATA_PARALLEL;
	spec.order = TS_ROW;
	spec.m = (int64_t)count * ctas;
	spec.n = spec.k = 1;
	spec.block_m = spec.block_n = spec.block_k = 1;
	spec.cluster_m = ctas;
	g_assert(ts_plan_make(&plan, &spec) == TS_OK);
	return ts_prober_run(p, &plan, &pace, ret_log, error);
}

static uint32_t root(const uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i];
	return i;
}

/* Joins what clusters of `ctas` CTAs show, over some waves: the later ones lie differently. */
static bool join(
	struct ts_prober *p, uint32_t count, uint32_t ctas, uint32_t *parent, GError **error)
{
	struct ts_probe_log log;

	if (!launch(p, count, ctas, &log, error))
		return false;
	for (uint32_t i = 0; i < MIN(ts_probe_cursors(&log)->groups, log.layout.group_room); i++) {
		const struct ts_probe_record *r = &ts_probe_records(&log)[(uint64_t)i * ctas];

		for (uint32_t rank = 1; rank < ctas; rank++)
			if (r[rank].unit < p->gpu.is.units && r[0].unit < p->gpu.is.units)
				parent[root(parent, r[rank].unit)] = root(parent, r[0].unit);
	}
	return true;
}

/* Joins what the units' own numbers show. */
static void join_known(const struct ts_prober *p, uint32_t *parent)
{
	for (uint32_t i = 1; i < ts_units_count(&p->units); i++)
		if (ts_units_group(&p->units, i) == ts_units_group(&p->units, i - 1))
			parent[i] = parent[i - 1];
}

/* The first wave of single CTAs, one an SM. Where not every SM shows up, those are last. */
static bool find_wave(struct ts_gpu_map *map, struct ts_prober *p, GError **error)
{
	g_autofree uint8_t *seen = g_new0(uint8_t, map->units);
	struct ts_probe_log log;
	uint32_t count = 0;

	if (!launch(p, map->units, 1, &log, error))
		return false;
	for (uint32_t i = 0; i < map->units; i++)
		map->wave[i] = UINT32_MAX;
	for (uint32_t i = 0; i < MIN(ts_probe_cursors(&log)->groups, map->units); i++) {
		const struct ts_probe_record *r = &ts_probe_records(&log)[i];

		if (r->unit < map->units && r->worker < map->units && seen[r->unit]++ == 0)
			map->wave[r->worker] = r->unit;
	}
	for (uint32_t i = 0; i < map->units; i++)
		if (map->wave[i] != UINT32_MAX)
			map->wave[count++] = map->wave[i];
	for (uint32_t i = 0; i < map->units; i++)
		if (seen[i] == 0)
			map->wave[count++] = i;
	return true;
}

/* Numbers the joined sets in the order of the wave. */
static void number(struct ts_gpu_map *map, const uint32_t *parent)
{
	g_autofree uint32_t *name = g_new0(uint32_t, map->units);

	for (uint32_t i = 0; i < map->units; i++) {
		uint32_t unit = map->wave[i];
		uint32_t top = root(parent, unit);

		if (name[top] == 0)
			name[top] = ++map->groups;
		map->group[unit] = name[top] - 1;
		map->sizes[name[top] - 1]++;
	}
}

uint32_t ts_gpu_map_fit(const struct ts_gpu_map *map, uint32_t ctas)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < map->groups; i++)
		sum += map->sizes[i] / ctas;
	return sum;
}

bool ts_gpu_map_make(struct ts_gpu_map *map, struct ts_prober *p, GError **error)
{
	g_autofree uint32_t *parent = g_new(uint32_t, p->gpu.is.units);
	bool good = true;

	memset(map, 0, sizeof *map);
	map->units = p->gpu.is.units;
	map->max_cluster = 1;
	map->group = g_new0(uint32_t, map->units);
	map->sizes = g_new0(uint32_t, map->units);
	map->wave = g_new0(uint32_t, map->units);
	for (uint32_t i = 0; i < map->units; i++)
		parent[i] = i;
	join_known(p, parent);
	for (uint32_t ctas = 1; ctas <= TS_GPU_CLUSTER_MAX; ctas++) {
		map->resident[ctas] = ts_prober_residency(p, ctas, 1);
		if (map->resident[ctas] > 0)
			map->max_cluster = ctas;
		if (ctas % 2 == 0 && map->resident[ctas] > 0)
			good = good && join(p, 3 * map->resident[ctas] + 1, ctas, parent, error);
	}
	if (!good || !find_wave(map, p, error)) {
		ts_gpu_map_finish(map);
		return false;
	}
	number(map, parent);
	for (uint32_t ctas = 2; ctas <= TS_GPU_CLUSTER_MAX; ctas *= 2)
		if (map->resident[ctas] > 0 && ts_gpu_map_fit(map, ctas) != map->resident[ctas])
			map->odd = ctas;
	return true;
}

void ts_gpu_map_finish(struct ts_gpu_map *map)
{
	g_clear_pointer(&map->group, g_free);
	g_clear_pointer(&map->sizes, g_free);
	g_clear_pointer(&map->wave, g_free);
}
