/* Collects the items of a run and writes the tables. */
#include "sim/plot_tables.h"

#include <inttypes.h>
#include <string.h>

#include "sim/output.h"

/* One table on its way to its file. */
struct table {
	struct ts_output output;
	uint64_t unit_ps;
};

static gint by_unit(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct ts_machine *m = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (m->places[x].group != m->places[y].group)
		return m->places[x].group < m->places[y].group ? -1 : 1;
	if (m->places[x].unit != m->places[y].unit)
		return m->places[x].unit < m->places[y].unit ? -1 : 1;
	return x < y ? -1 : x > y;
}

void ts_plot_tables_init(struct ts_plot_tables *t, const struct ts_run *run)
{
	uint32_t count = run->machine.count;

	memset(t, 0, sizeof *t);
	t->run = run;
	t->boxes = g_array_new(FALSE, FALSE, sizeof(struct ts_plot_bar));
	t->places = g_new0(struct ts_plot_lane, MAX(count, 1));
	t->lanes = g_new(uint32_t, MAX(count, 1));
	for (uint32_t i = 0; i < count; i++)
		t->lanes[i] = i;
	g_qsort_with_data(
		t->lanes, (gint)count, sizeof *t->lanes, by_unit, (gpointer)&run->machine);
	for (uint32_t i = 0; i < count; i++)
		t->places[t->lanes[i]].lane = i;
}

void ts_plot_tables_finish(struct ts_plot_tables *t)
{
	g_clear_pointer(&t->boxes, g_array_unref);
	g_clear_pointer(&t->places, g_free);
	g_clear_pointer(&t->lanes, g_free);
}

static void on_item(void *data, const struct ts_item *item)
{
	struct ts_plot_tables *t = data;
	struct ts_plot_lane *place = &t->places[item->place];
	struct ts_plot_bar box = {.from = item->from,
		.to = item->to,
		.worker = item->worker,
		.place = item->place,
		.group = item->group,
		.g = item->step.g,
		.m = item->step.m,
		.n = item->step.n,
		.k_begin = item->step.k_begin,
		.k_end = item->step.k_end,
		.nth = place->items++,
		.owns = item->step.owns};

	place->finish = MAX(place->finish, item->to);
	g_array_append_val(t->boxes, box);
}

/* The fix-up is drawn as a box of its own, behind that of the item. */
static void on_met(void *data, const struct ts_met *met)
{
	struct ts_plot_tables *t = data;
	struct ts_plot_lane *place = &t->places[met->place];
	struct ts_plot_bar box = {.from = met->from,
		.to = met->to,
		.worker = met->worker,
		.place = met->place,
		.group = met->group,
		.m = met->step.m,
		.n = met->step.n,
		.nth = MAX(place->items, 1) - 1,
		.owns = met->step.owns};

	if (met->step.act != TS_FIX_UP)
		return;
	place->finish = MAX(place->finish, met->to);
	g_array_append_val(t->boxes, box);
}

struct ts_sink ts_plot_tables_sink(struct ts_plot_tables *t)
{
	struct ts_sink sink = {t, on_item, NULL, on_met};

	return sink;
}

struct ts_busy ts_plot_tables_busy(const struct ts_plot_tables *t, uint32_t group)
{
	const struct ts_machine *m = &t->run->machine;
	struct ts_busy b = {.min = UINT64_MAX};

	for (uint32_t i = 0; i < m->count; i++) {
		uint64_t busy = t->run->summary.places[i].busy;

		if (group < m->device->groups && m->places[i].group != group)
			continue;
		b.min = MIN(b.min, busy);
		b.max = MAX(b.max, busy);
		b.sum += busy;
		b.places++;
	}
	if (b.places == 0)
		b.min = 0;
	return b;
}

static bool open_table(struct table *table, const char *folder, const char *name, uint64_t unit_ps,
	const char *columns, GError **error)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	table->unit_ps = unit_ps;
	if (!ts_output_open(&table->output, path, error))
		return false;
	fprintf(table->output.file, "# %s\n", columns);
	return true;
}

/* Exact: the unit is a power of ten of picoseconds, with at most nine digits. */
static void put_time(struct table *table, uint64_t ps)
{
	int digits = table->unit_ps == 1000000 ? 6 : 9;

	fprintf(table->output.file, " %" PRIu64 ".%0*" PRIu64, ps / table->unit_ps, digits,
		ps % table->unit_ps);
}

static bool write_items(
	const struct ts_plot_tables *t, const char *folder, uint64_t unit_ps, GError **error)
{
	struct table table;

	if (!open_table(&table, folder, "items.txt", unit_ps,
		    "lane group from to nth worker m n k_begin k_end", error))
		return false;
	for (guint i = 0; i < t->boxes->len; i++) {
		const struct ts_plot_bar *b = &g_array_index(t->boxes, struct ts_plot_bar, i);

		fprintf(table.output.file, "%u %u", t->places[b->place].lane, b->group);
		put_time(&table, b->from);
		put_time(&table, b->to);
		fprintf(table.output.file, " %u %u %u %u %u %u\n", b->nth, b->worker, b->m, b->n,
			b->k_begin, b->k_end);
	}
	return ts_output_commit(&table.output, error);
}

static bool write_lanes(
	const struct ts_plot_tables *t, const char *folder, uint64_t unit_ps, GError **error)
{
	const struct ts_machine *m = &t->run->machine;
	struct table lanes, holds;

	if (!open_table(&lanes, folder, "lanes.txt", unit_ps,
		    "lane group unit place items busy claims finish", error))
		return false;
	if (!open_table(&holds, folder, "holds.txt", unit_ps, "lane from to", error)) {
		ts_output_drop(&lanes.output);
		return false;
	}
	for (uint32_t i = 0; i < m->count; i++) {
		const struct ts_place *place = &m->places[t->lanes[i]];
		const struct ts_sums *sums = &t->run->summary.places[t->lanes[i]];
		uint64_t hold_to = MIN(place->hold_to, t->end);

		fprintf(lanes.output.file, "%u %u %u %u %u", i, place->group, place->unit,
			t->lanes[i], t->places[t->lanes[i]].items);
		put_time(&lanes, sums->busy);
		put_time(&lanes, sums->claim_time);
		put_time(&lanes, t->places[t->lanes[i]].finish);
		fprintf(lanes.output.file, "\n");
		if (place->hold_from >= hold_to)
			continue;
		fprintf(holds.output.file, "%u", i);
		put_time(&holds, place->hold_from);
		put_time(&holds, hold_to);
		fprintf(holds.output.file, "\n");
	}
	if (ts_output_commit(&lanes.output, error))
		return ts_output_commit(&holds.output, error);
	ts_output_drop(&holds.output);
	return false;
}

static bool write_groups(
	const struct ts_plot_tables *t, const char *folder, uint64_t unit_ps, GError **error)
{
	const struct ts_machine *m = &t->run->machine;
	struct table table;
	uint32_t first = 0;

	if (!open_table(&table, folder, "groups.txt", unit_ps,
		    "group first_lane after_lane places busy_min busy_mean busy_max", error))
		return false;
	for (uint32_t g = 0; g < m->device->groups; g++) {
		struct ts_busy b = ts_plot_tables_busy(t, g);

		fprintf(table.output.file, "%u %u %u %u", g, first, first + b.places, b.places);
		put_time(&table, b.min);
		put_time(&table, b.places > 0 ? b.sum / b.places : 0);
		put_time(&table, b.max);
		fprintf(table.output.file, "\n");
		first += b.places;
	}
	return ts_output_commit(&table.output, error);
}

/* Names for the axis of lanes: each unit where there is room, else each group in its middle. */
static bool write_ticks(const struct ts_plot_tables *t, const char *folder, GError **error)
{
	enum { ROOM = 24 };
	const struct ts_machine *m = &t->run->machine;
	const struct ts_device *d = m->device;
	uint32_t stride = (m->count + ROOM - 1) / ROOM;
	struct table table;
	uint32_t first = 0;

	if (!open_table(&table, folder, "ticks.txt", 1000000, "lane word number", error))
		return false;
	if (d->groups == 1 || m->count <= ROOM)
		for (uint32_t i = 0; i < m->count; i += stride)
			fprintf(table.output.file, "%u %s %u\n", i, ts_device_unit_word(d),
				m->places[t->lanes[i]].unit);
	for (uint32_t g = 0; d->groups > 1 && m->count > ROOM && g < d->groups; g++) {
		uint32_t count = ts_plot_tables_busy(t, g).places;

		if (count > 0)
			fprintf(table.output.file, "%.1f %s %u\n", first + (count - 1) / 2.0,
				ts_device_group_word(d), g);
		first += count;
	}
	return ts_output_commit(&table.output, error);
}

static gint by_finish(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct ts_plot_tables *t = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (t->places[x].finish != t->places[y].finish)
		return t->places[x].finish < t->places[y].finish ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool write_finish(
	const struct ts_plot_tables *t, const char *folder, uint64_t unit_ps, GError **error)
{
	const struct ts_machine *m = &t->run->machine;
	g_autofree uint32_t *order = g_memdup2(t->lanes, m->count * sizeof *t->lanes);
	struct table table;

	if (!open_table(&table, folder, "finish.txt", unit_ps, "rank finish group unit", error))
		return false;
	g_qsort_with_data(order, (gint)m->count, sizeof *order, by_finish, (gpointer)t);
	for (uint32_t i = 0; i < m->count; i++) {
		fprintf(table.output.file, "%u", i + 1);
		put_time(&table, t->places[order[i]].finish);
		fprintf(table.output.file, " %u %u\n", m->places[order[i]].group,
			m->places[order[i]].unit);
	}
	return ts_output_commit(&table.output, error);
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* How many places compute from each time on. Two sorted lists, merged; what ends and what begins at
 * the same time is one line. */
static bool write_active(
	const struct ts_plot_tables *t, const char *folder, uint64_t unit_ps, GError **error)
{
	guint count = t->boxes->len, begun = 0, ended = 0;
	g_autofree uint64_t *from = g_new(uint64_t, MAX(count, 1));
	g_autofree uint64_t *to = g_new(uint64_t, MAX(count, 1));
	struct table table;

	if (!open_table(&table, folder, "active.txt", unit_ps, "time places", error))
		return false;
	for (guint i = 0; i < count; i++) {
		from[i] = g_array_index(t->boxes, struct ts_plot_bar, i).from;
		to[i] = g_array_index(t->boxes, struct ts_plot_bar, i).to;
	}
	qsort(from, count, sizeof *from, by_time);
	qsort(to, count, sizeof *to, by_time);
	fprintf(table.output.file, "0 0\n");
	while (ended < count) {
		uint64_t now = begun < count ? MIN(from[begun], to[ended]) : to[ended];

		while (begun < count && from[begun] == now)
			begun++;
		while (ended < count && to[ended] == now)
			ended++;
		put_time(&table, now);
		fprintf(table.output.file, " %u\n", begun - ended);
	}
	return ts_output_commit(&table.output, error);
}

static int by_start(const void *a, const void *b)
{
	const struct ts_plot_bar *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->worker < y->worker ? -1 : x->worker > y->worker;
}

/* What the maps show of one tile. */
struct tile {
	bool seen, owned;
	uint32_t rank; /* of the first item that works on it */
	uint32_t group, worker;
};

/* Sorts the boxes by their start, so that it comes last. */
static bool write_tiles(struct ts_plot_tables *t, const char *folder, GError **error)
{
	const struct ts_plan *p = &t->run->plan;
	const struct ts_rules *rules = t->run->coverage.rules;
	struct ts_tile (*tile_of)(const struct ts_plan *, const struct ts_step *, uint32_t) =
		rules == NULL ? ts_cta_tile : rules->cta_tile;
	g_autofree struct tile *tiles = g_new0(struct tile, p->cells);
	struct table table;
	uint64_t row = 0; /* of the map: the groups lie below one another */

	if (!open_table(&table, folder, "tiles.txt", 1000000, "m n rank group worker", error))
		return false;
	g_array_sort(t->boxes, by_start);
	for (guint i = 0; i < t->boxes->len; i++) {
		const struct ts_plot_bar *b = &g_array_index(t->boxes, struct ts_plot_bar, i);
		struct ts_step step = {.g = b->g, .m = b->m, .n = b->n};

		for (uint32_t rank = 0; b->g < p->groups && rank < p->cluster_m * p->cluster_n;
			rank++) {
			struct ts_tile at = tile_of(p, &step, rank);
			struct tile *tile;

			if (!at.valid || !ts_shape_has(ts_grid(p, b->g), at.m, at.n))
				continue;
			tile = &tiles[ts_tile_index(p, b->g, at.m, at.n)];
			if (!tile->seen)
				tile->rank = i;
			if (!tile->owned) {
				tile->group = b->group;
				tile->worker = b->worker;
			}
			tile->seen = true;
			tile->owned |= b->owns;
		}
	}
	for (uint32_t g = 0; g < p->groups; g++) {
		const struct ts_plan *grid = ts_grid(p, g);

		for (uint64_t i = 0; i < (uint64_t)grid->rows * grid->cols; i++) {
			uint32_t m = (uint32_t)(i / grid->cols), n = (uint32_t)(i % grid->cols);
			const struct tile *tile = &tiles[ts_tile_index(p, g, m, n)];

			if (!ts_shape_has(grid, m, n))
				continue;
			t->missing += !tile->seen;
			fprintf(table.output.file, "%" PRIu64 " %u %" PRId64 " %u %u\n", row + m, n,
				tile->seen ? (int64_t)tile->rank : -1, tile->group, tile->worker);
		}
		row += grid->rows;
	}
	return ts_output_commit(&table.output, error);
}

uint64_t ts_plot_map_rows(const struct ts_plan *p)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < p->grid_count; i++)
		rows += (uint64_t)(p->grids != NULL ? p->grids[i].rows : p->rows) * p->batch.by;
	return rows;
}

void ts_plot_tables_close(struct ts_plot_tables *t)
{
	const struct ts_machine *m = &t->run->machine;

	t->end = t->run->summary.outcome.makespan;
	for (uint32_t i = 0; i < m->count; i++)
		t->end = MAX(t->end, t->places[i].finish);
	/* A place that never worked, or that was told to leave, is not out of work. */
	t->tail = t->end;
	for (uint32_t i = 0; i < m->count; i++)
		if (t->places[i].items > 0 && m->places[i].release >= t->end)
			t->tail = MIN(t->tail, t->places[i].finish);
}

bool ts_plot_tables_write(
	struct ts_plot_tables *t, const char *folder, uint64_t unit_ps, GError **error)
{
	return write_items(t, folder, unit_ps, error) && write_lanes(t, folder, unit_ps, error) &&
		write_groups(t, folder, unit_ps, error) && write_ticks(t, folder, error) &&
		write_finish(t, folder, unit_ps, error) &&
		write_active(t, folder, unit_ps, error) && write_tiles(t, folder, error);
}
