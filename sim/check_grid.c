/* Grids from sizes, from counts of tiles, and from a file with one line a group. */
#include "sim/check_grid.h"

#include <string.h>

#include "sim/refuse.h"
#include "sim/request.h"

enum { GROUPS_MAX = 1 << 24 };

/* 8 GiB of marks. */
static const uint64_t tiles_max = UINT64_C(1) << 36;

void ts_grid_finish(struct ts_check_grid *g)
{
	g_clear_pointer(&g->tiling.groups, g_free);
	ts_group_room_finish(&g->room);
}

static bool refuse_rows(GError **error, const char *option, const char *value)
{
	return ts_refuse(error,
		"%s %s: rows, columns and k iterations must be whole numbers from 0 to %d, and "
		"their "
		"tiles fewer than 2147483648",
		option, value, TS_COUNT_MAX);
}

/* Reads `texts[0..2]`: rows, columns, k iterations. */
static bool read_group(char *const *texts, struct ts_group *ret_group)
{
	int64_t numbers[3];

	for (int i = 0; i < 3; i++)
		if (!ts_parse_int(texts[i], &numbers[i]) ||
			!ts_in_range(numbers[i], 0, TS_COUNT_MAX))
			return false;
	if (numbers[0] * numbers[1] > TS_COUNT_MAX)
		return false;
	ret_group->rows = (uint32_t)numbers[0];
	ret_group->cols = (uint32_t)numbers[1];
	ret_group->depth = (uint32_t)numbers[2];
	return true;
}

static bool from_tiles(const struct ts_grid_options *o, struct ts_group *ret_group, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(o->tiles, "x", -1);
	char *texts[3];

	if (g_strv_length(parts) != 2)
		return ts_refuse(error, "--tiles %s: write ROWSxCOLS, such as 32x64", o->tiles);
	texts[0] = parts[0];
	texts[1] = parts[1];
	texts[2] = o->k_iterations == NULL ? (char[]){"1"} : o->k_iterations;
	return read_group(texts, ret_group) || refuse_rows(error, "--tiles", o->tiles);
}

/* The groups of a request's problem. Its plan stays in `ret_plan` and `room`. */
static bool from_spec(const struct ts_spec *s, struct ts_plan *ret_plan, struct ts_group_room *room,
	struct ts_tiling *t, GError **error)
{
	struct ts_spec plain = *s;

	/* Whatever the plan may be, the grids are those of a plain one. */
	plain.policy = TS_DATA_PARALLEL;
	plain.mode = TS_STEAL;
	plain.order = TS_ROW;
	plain.remap = TS_REMAP_NONE;
	plain.max_cluster = INT64_MAX;
	plain.width = plain.chunk = 0;
	plain.workers = plain.domains = plain.slots = 1;
	plain = ts_group_room_give(room, &plain);
	if (!ts_request_plan(ret_plan, &plain, error))
		return false;
	if (ret_plan->groups > GROUPS_MAX)
		return ts_refuse(
			error, "%u groups: a check takes up to %d", ret_plan->groups, GROUPS_MAX);
	t->count = ret_plan->groups;
	t->groups = g_new(struct ts_group, MAX(t->count, 1));
	for (uint32_t g = 0; g < t->count; g++) {
		const struct ts_plan *grid = ts_grid(ret_plan, g);

		t->groups[g] = (struct ts_group){grid->rows, grid->cols, grid->depth, 0};
	}
	if (ret_plan->shape != TS_RECTANGLE)
		t->plan = ret_plan;
	return true;
}

/* One line of the file: group, rows, columns, k iterations. Groups may come in any order. */
static bool read_line(GArray *groups, GArray *seen, const char *line, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(line, ",", -1);
	struct ts_group group = {0};
	int64_t id = -1;

	for (size_t i = 0; parts[i] != NULL; i++)
		g_strstrip(parts[i]);
	if (g_strv_length(parts) != 4 || !ts_parse_int(parts[0], &id) ||
		!ts_in_range(id, 0, GROUPS_MAX - 1))
		return ts_refuse(error,
			"write group,rows,cols,k_iterations with groups from 0 to %d",
			GROUPS_MAX - 1);
	if (!read_group(parts + 1, &group))
		return refuse_rows(error, "group", parts[0]);
	if (id >= groups->len) {
		g_array_set_size(groups, (guint)id + 1);
		g_array_set_size(seen, (guint)id + 1);
	}
	if (g_array_index(seen, bool, id))
		return ts_refuse(error, "group %s is there twice", parts[0]);
	g_array_index(seen, bool, id) = true;
	g_array_index(groups, struct ts_group, id) = group;
	return true;
}

static bool read_lines(char **lines, GArray *groups, GError **error)
{
	g_autoptr(GArray) seen = g_array_new(FALSE, TRUE, sizeof(bool));
	uint32_t marked = 0;

	if (lines[0] == NULL || strcmp(g_strstrip(lines[0]), "group,rows,cols,k_iterations") != 0)
		return ts_refuse(error, "line 1: must be group,rows,cols,k_iterations");
	for (size_t i = 1; lines[i] != NULL; i++) {
		g_autoptr(GError) cause = NULL;

		if (*g_strstrip(lines[i]) == '\0')
			continue;
		if (!read_line(groups, seen, lines[i], &cause))
			return ts_refuse(error, "line %zu: %s", i + 1, cause->message);
	}
	for (guint i = 0; i < seen->len; i++)
		marked += g_array_index(seen, bool, i);
	if (marked == 0 || marked < groups->len)
		return ts_refuse(error, "%u groups are there; every one from 0 to %u must be",
			marked, MAX(groups->len, 1) - 1);
	return true;
}

static bool from_file(const char *path, struct ts_tiling *t, GError **error)
{
	g_autoptr(GArray) groups = g_array_new(FALSE, TRUE, sizeof(struct ts_group));
	g_autoptr(GError) cause = NULL;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &text, NULL, &cause))
		return ts_refuse(error, "--group-tiles: %s", cause->message);
	lines = g_strsplit(text, "\n", -1);
	if (!read_lines(lines, groups, &cause))
		return ts_refuse(error, "--group-tiles %s: %s", path, cause->message);
	t->count = groups->len;
	t->groups = (struct ts_group *)(gpointer)g_array_steal(groups, NULL);
	return true;
}

static bool add_up(struct ts_tiling *t, GError **error)
{
	t->tiles = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		t->groups[i].first = t->tiles;
		t->tiles += (uint64_t)t->groups[i].rows * t->groups[i].cols;
	}
	t->there = t->plan != NULL ? t->plan->tiles : t->tiles;
	return t->tiles <= tiles_max ||
		ts_refuse(
			error, "the groups have more than 2^36 tiles; check them in several runs");
}

/* Options of which only one kind can say what the grid is. */
static bool refuse_mixed(
	const struct ts_grid_options *o, const struct ts_settings *settings, GError **error)
{
	static const enum ts_axis sizes[] = {
		TS_AXIS_M, TS_AXIS_N, TS_AXIS_K, TS_AXIS_BLOCK, TS_AXIS_SHAPE, TS_AXIS_GROUPS};

	if (o->tiles != NULL && o->group_tiles != NULL)
		return ts_refuse(error, "--tiles and --group-tiles: give one of them");
	if (o->group_tiles != NULL && settings->axes[TS_AXIS_BATCH] != NULL)
		return ts_refuse(error, "--batch and --group-tiles: give one of them");
	if (o->k_iterations != NULL && o->tiles == NULL)
		return ts_refuse(error, "--k-iterations goes with --tiles");
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
		if (settings->axes[sizes[i]] != NULL &&
			(o->tiles != NULL || o->group_tiles != NULL))
			return ts_refuse(error, "--%s and --%s: give one of them",
				ts_axis_name(sizes[i]), o->tiles != NULL ? "tiles" : "group-tiles");
	return true;
}

bool ts_grid_make(const struct ts_grid_options *o, const struct ts_settings *settings,
	const struct ts_spec *spec, struct ts_check_grid *ret_grid, GError **error)
{
	struct ts_tiling *t = &ret_grid->tiling;
	struct ts_group one = {0};

	memset(ret_grid, 0, sizeof *ret_grid);
	if (!refuse_mixed(o, settings, error))
		return false;
	if (!ts_in_range(spec->cluster_m, 1, 1024) || !ts_in_range(spec->cluster_n, 1, 1024))
		return ts_refuse(error, "--cluster: must be two numbers from 1 to 1024");
	t->cluster_m = (uint32_t)spec->cluster_m;
	t->cluster_n = (uint32_t)spec->cluster_n;
	if (o->group_tiles != NULL)
		return from_file(o->group_tiles, t, error) && add_up(t, error);
	if (o->tiles == NULL)
		return from_spec(spec, &ret_grid->plan, &ret_grid->room, t, error) &&
			add_up(t, error);
	if (!ts_in_range(spec->batch, 1, GROUPS_MAX))
		return ts_refuse(error,
			"--batch %" G_GINT64_FORMAT ": must be a whole number from 1 to %d",
			spec->batch, GROUPS_MAX);
	if (!from_tiles(o, &one, error))
		return false;
	t->count = (uint32_t)spec->batch;
	t->groups = g_new(struct ts_group, t->count);
	for (uint32_t i = 0; i < t->count; i++)
		t->groups[i] = one;
	return add_up(t, error);
}
