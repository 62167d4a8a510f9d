/* Coverage, bounds, owners, and the order of each place. */
#include "verify/ledger.h"

#include <string.h>

bool ts_ledger_init(struct ts_ledger *l, const struct ts_tiling *tiling, uint32_t columns)
{
	memset(l, 0, sizeof *l);
	l->tiling = tiling;
	l->lapses.columns = columns;
	ts_pages_init(&l->lanes, sizeof(struct ts_lane));
	if (!ts_marks_init(&l->marks, tiling->tiles))
		return false;
	if (!ts_ledger_has(l, TS_COL_OWNER))
		return true;
	l->owned = g_try_malloc0_n(tiling->tiles / 64 + 1, sizeof *l->owned);
	return l->owned != NULL;
}

void ts_ledger_finish(struct ts_ledger *l)
{
	ts_marks_finish(&l->marks);
	ts_pages_finish(&l->lanes);
	g_clear_pointer(&l->owned, g_free);
}

static void lapse(struct ts_ledger *l, enum ts_lapse_kind kind, const struct ts_record *r,
	int64_t number, int64_t bound)
{
	struct ts_lapse *first = ts_lapses_note(&l->lapses, kind, r);

	if (first == NULL)
		return;
	first->number = number;
	first->bound = bound;
}

/* Tiles along m and n that a line stands for. */
static uint32_t high(const struct ts_ledger *l)
{
	return ts_ledger_has(l, TS_COL_RANK) ? 1 : l->tiling->cluster_m;
}

static uint32_t wide(const struct ts_ledger *l)
{
	return ts_ledger_has(l, TS_COL_RANK) ? 1 : l->tiling->cluster_n;
}

/* The k iterations of a line's tile; those of its group's longest where it is outside. */
static uint32_t depth_of(const struct ts_ledger *l, const struct ts_record *r)
{
	uint32_t group = (uint32_t)r->value[TS_COL_GROUP];
	int64_t m = r->value[TS_COL_M];

	if (m < 0 || m >= l->tiling->groups[group].rows)
		return l->tiling->groups[group].depth;
	return ts_tiling_depth(l->tiling, group, (uint32_t)m);
}

/* Does a line of a group begin at a tile? A cluster may, of a triangle, begin above its diagonal.
 */
static bool begins_inside(
	const struct ts_ledger *l, const struct ts_group *g, const struct ts_record *r)
{
	int64_t m = r->value[TS_COL_M], n = r->value[TS_COL_N];
	const struct ts_plan *grid;

	if (m < 0 || m >= g->rows || n < 0 || n >= g->cols)
		return false;
	if (l->tiling->plan == NULL)
		return true;
	grid = ts_grid(l->tiling->plan, (uint32_t)r->value[TS_COL_GROUP]);
	return high(l) == 1 ? ts_shape_has(grid, (uint32_t)m, (uint32_t)n)
			    : ts_shape_has_item(grid, (uint32_t)m, (uint32_t)n);
}

/* The values that missing columns stand for. NULL where there is no such group. */
static const struct ts_group *complete(const struct ts_ledger *l, struct ts_record *r)
{
	int64_t group = r->value[TS_COL_GROUP];
	const struct ts_group *g;

	if (group < 0 || group >= l->tiling->count)
		return NULL;
	g = &l->tiling->groups[group];
	if (!ts_ledger_has(l, TS_COL_K_END))
		r->value[TS_COL_K_END] = depth_of(l, r);
	if (!ts_ledger_has(l, TS_COL_T0))
		r->value[TS_COL_T0] = r->value[TS_COL_T1];
	if (!ts_ledger_has(l, TS_COL_T1))
		r->value[TS_COL_T1] = r->value[TS_COL_T0];
	return g;
}

/* NULL, and a lapse, where the line is out of bounds. */
static const struct ts_group *bounds(struct ts_ledger *l, struct ts_record *r)
{
	const struct ts_group *g = complete(l, r);
	const int64_t *v = r->value;
	int64_t ranks = (int64_t)l->tiling->cluster_m * l->tiling->cluster_n;
	struct ts_lapse *first;
	uint32_t depth;

	if (g == NULL)
		return lapse(l, TS_LAPSE_GROUP, r, 0, (int64_t)l->tiling->count - 1), NULL;
	if (!begins_inside(l, g, r)) {
		first = ts_lapses_note(&l->lapses, TS_LAPSE_TILE, r);
		if (first != NULL)
			first->wanted = (struct ts_where){.m = g->rows, .n = g->cols};
		return NULL;
	}
	depth = depth_of(l, r);
	if (v[TS_COL_K_BEGIN] < 0 || v[TS_COL_K_END] > depth ||
		v[TS_COL_K_BEGIN] > v[TS_COL_K_END] ||
		(depth > 0 && v[TS_COL_K_BEGIN] == v[TS_COL_K_END]))
		return lapse(l, TS_LAPSE_K, r, 0, depth), NULL;
	if (ranks > 1 && v[TS_COL_RANK] >= ranks)
		lapse(l, TS_LAPSE_RANK, r, v[TS_COL_RANK], ranks - 1);
	return g;
}

static void own(struct ts_ledger *l, const struct ts_record *r, uint64_t tile)
{
	uint64_t bit = (uint64_t)1 << (tile & 63);

	if (l->owned == NULL || r->value[TS_COL_OWNER] == 0)
		return;
	if ((l->owned[tile >> 6] & bit) != 0)
		lapse(l, TS_LAPSE_OWNERS, r, 0, 0);
	l->owned[tile >> 6] |= bit;
}

static void twice(struct ts_ledger *l, const struct ts_record *r, uint32_t m, uint32_t n)
{
	struct ts_lapse *first = ts_lapses_note(&l->lapses, TS_LAPSE_TWICE, r);

	if (first == NULL)
		return;
	first->found.m = m;
	first->found.n = n;
}

/* Marks the tiles of a line that is in bounds; returns how many. */
static uint64_t mark(struct ts_ledger *l, const struct ts_record *r, const struct ts_group *g)
{
	uint32_t m = (uint32_t)r->value[TS_COL_M], n = (uint32_t)r->value[TS_COL_N];
	uint32_t m_after = MIN(g->rows - m, high(l)) + m;
	uint32_t n_after = MIN(g->cols - n, wide(l)) + n;
	uint32_t k_begin = (uint32_t)r->value[TS_COL_K_BEGIN];
	uint32_t k_end = (uint32_t)r->value[TS_COL_K_END];
	uint32_t group = (uint32_t)r->value[TS_COL_GROUP];
	uint64_t marked = 0;

	for (uint32_t i = m; i < m_after; i++) {
		for (uint32_t j = n; j < n_after; j++) {
			uint64_t tile = g->first + (uint64_t)i * g->cols + j;

			if (!ts_tiling_has(l->tiling, group, i, j))
				continue;
			if (!ts_marks_add(&l->marks, tile, k_begin, k_end, depth_of(l, r)))
				twice(l, r, i, j);
			own(l, r, tile);
			marked++;
		}
	}
	return marked;
}

/* A place's second and later lines against the last one. */
static void compare(struct ts_ledger *l, const struct ts_lane *lane, const struct ts_record *r)
{
	const int64_t *v = r->value;
	int64_t next = (int64_t)lane->iteration + 1;

	if (ts_ledger_has(l, TS_COL_ITERATION) && v[TS_COL_ITERATION] != next)
		lapse(l, TS_LAPSE_ITERATION, r, v[TS_COL_ITERATION], next);
	if (v[TS_COL_SM] != lane->sm)
		lapse(l, TS_LAPSE_SM, r, v[TS_COL_SM], lane->sm);
	if (v[TS_COL_XCD] != lane->xcd)
		lapse(l, TS_LAPSE_XCD, r, v[TS_COL_XCD], lane->xcd);
	if (v[TS_COL_T0] < lane->end)
		lapse(l, TS_LAPSE_OVERLAP, r, v[TS_COL_T0], lane->end);
}

static void first_line(struct ts_ledger *l, struct ts_lane *lane, const struct ts_record *r)
{
	const int64_t *v = r->value;

	lane->seen = 1;
	lane->sm = (uint32_t)v[TS_COL_SM];
	lane->xcd = (uint16_t)v[TS_COL_XCD];
	l->lane_count++;
	if (ts_ledger_has(l, TS_COL_ITERATION) && ts_ledger_has(l, TS_COL_WORKER) &&
		v[TS_COL_ITERATION] > 1)
		lapse(l, TS_LAPSE_ITERATION, r, v[TS_COL_ITERATION], 0);
}

static struct ts_lane *settle(struct ts_ledger *l, const struct ts_record *r)
{
	const int64_t *v = r->value;
	bool known = ts_ledger_has(l, TS_COL_WORKER);
	uint32_t id = (uint32_t)(known ? v[TS_COL_WORKER] : v[TS_COL_SM]);
	struct ts_lane *lane =
		ts_pages_at(&l->lanes, (uint32_t)(known ? v[TS_COL_RANK] : v[TS_COL_XCD]), id);

	l->ids = MAX(l->ids, id + 1);
	if (lane->seen == 0)
		first_line(l, lane, r);
	else if (known)
		compare(l, lane, r);
	if (ts_ledger_has(l, TS_COL_ITERATION))
		lane->iteration = (uint32_t)v[TS_COL_ITERATION];
	lane->end = lane->items == 0 ? v[TS_COL_T1] : MAX(lane->end, v[TS_COL_T1]);
	lane->items++;
	if (v[TS_COL_T1] < v[TS_COL_T0])
		lapse(l, TS_LAPSE_BACKWARDS, r, 0, 0);
	else
		lane->busy += (uint64_t)v[TS_COL_T1] - (uint64_t)v[TS_COL_T0];
	l->begin = l->items == 0 ? v[TS_COL_T0] : MIN(l->begin, v[TS_COL_T0]);
	l->end = l->items == 0 ? v[TS_COL_T1] : MAX(l->end, v[TS_COL_T1]);
	return lane;
}

void ts_ledger_add(struct ts_ledger *l, struct ts_record *r)
{
	const struct ts_group *g = bounds(l, r);
	struct ts_lane *lane = settle(l, r);
	uint64_t tiles;

	l->items++;
	if (g == NULL)
		return;
	tiles = mark(l, r, g);
	l->tiles += tiles;
	lane->tiles += tiles;
	lane->k += tiles * (uint64_t)(r->value[TS_COL_K_END] - r->value[TS_COL_K_BEGIN]);
}

bool ts_ledger_covers(
	const struct ts_ledger *l, const struct ts_record *record, const struct ts_where *where)
{
	struct ts_record r = *record;
	const struct ts_group *g = complete(l, &r);
	const int64_t *v = r.value;

	/* In bounds, so that no sum overflows. */
	if (g == NULL || v[TS_COL_GROUP] != where->group || v[TS_COL_M] < 0 || v[TS_COL_N] < 0 ||
		v[TS_COL_M] > where->m || v[TS_COL_N] > where->n ||
		where->m - v[TS_COL_M] >= high(l) || where->n - v[TS_COL_N] >= wide(l))
		return false;
	if (v[TS_COL_K_BEGIN] < 0 || v[TS_COL_K_END] > depth_of(l, &r))
		return false;
	return depth_of(l, &r) == 0 ||
		(v[TS_COL_K_BEGIN] < where->k_end && v[TS_COL_K_END] > where->k_begin);
}

static void note_tile(struct ts_ledger *l, enum ts_lapse_kind kind, uint32_t group, uint64_t tile)
{
	const struct ts_group *g = &l->tiling->groups[group];
	const struct ts_part *part = ts_marks_part(&l->marks, tile);
	struct ts_lapse *first = ts_lapses_note(&l->lapses, kind, NULL);
	struct ts_lapse *all = &l->lapses.kinds[kind];
	struct ts_where *where = &all->tiles[MIN(all->count, TS_LAPSE_TILES) - 1];

	if (all->count > TS_LAPSE_TILES)
		return;
	where->group = group;
	where->m = (int64_t)((tile - g->first) / g->cols);
	where->n = (int64_t)((tile - g->first) % g->cols);
	if (first == NULL || part == NULL)
		return;
	for (uint32_t i = 0; i < part->count; i++)
		first->number += ts_part_spans(part)[i].end - ts_part_spans(part)[i].begin;
	first->bound = ts_tiling_depth(l->tiling, group, (uint32_t)where->m);
	if (ts_part_spans(part)->begin == 0)
		where->k_begin = ts_part_spans(part)->end;
}

void ts_ledger_close(struct ts_ledger *l)
{
	const struct ts_tiling *t = l->tiling;

	if (l->marks.whole == t->there && l->owned == NULL)
		return;
	for (uint32_t group = 0; group < t->count; group++) {
		const struct ts_group *g = &t->groups[group];
		uint64_t after = g->first + (uint64_t)g->rows * g->cols;

		for (uint64_t tile = g->first; tile < after; tile++) {
			if (tile % 64 == 0 && tile + 64 <= after &&
				l->marks.bits[tile / 64] == UINT64_MAX &&
				(l->owned == NULL || l->owned[tile / 64] == UINT64_MAX))
				tile += 63;
			else if (!ts_tiling_has(t, group, (uint32_t)((tile - g->first) / g->cols),
					 (uint32_t)((tile - g->first) % g->cols)))
				continue;
			else if (!ts_marks_whole(&l->marks, tile))
				note_tile(l, TS_LAPSE_MISSING, group, tile);
			else if (l->owned != NULL && (l->owned[tile / 64] >> tile % 64 & 1) == 0)
				note_tile(l, TS_LAPSE_NO_OWNER, group, tile);
		}
	}
}
