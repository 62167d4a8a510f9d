/* Faults that only groups and shapes can have: each is found by walks and by the explorer, named,
 * and shrunk. */
#include "tests/faults/groups.h"

#include "sim/groups.h"
#include "tests/faults/expect.h"
#include "tests/vectors/read.h"
#include "verify/explore.h"
#include "verify/shrink.h"

/* Tile rows of group `g`, as a kernel would work them out that does not look at the plan's. */
static struct ts_step tile_of(uint32_t g, uint32_t m, uint32_t n, uint32_t k)
{
	struct ts_step s = ts_step_make(TS_WORK);

	s.g = g;
	s.m = m;
	s.n = n;
	s.k_end = k;
	s.owns = true;
	return s;
}

/* The last group that begins before the id, not at it: empty ones are taken for what follows. */
static struct ts_step not_skipped(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	while (s.act == TS_WORK && s.m == 0 && s.n == 0 && s.g > 0 &&
		ts_grid(p, s.g - 1)->rows == 0)
		s.g--;
	return s;
}

/* Experts are taken modulo two. */
static struct ts_step wrong_expert(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.g %= 2;
	return s;
}

static struct ts_step beyond_groups(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.g += s.act == TS_WORK && s.g == 1 ? p->groups - 1 : 0;
	return s;
}

/* Each expert has the rows of the capacity, whatever it was given. */
static struct ts_step to_capacity(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t rows = (p->m + p->block_m - 1) / p->block_m;
	uint32_t id = w->id + w->turn++ * p->workers;

	(void)answer;
	if (id >= p->groups * rows)
		return ts_stop();
	return tile_of(id / rows, id % rows, 0, p->depth);
}

/* Rows of all groups are cut into tiles as if they were one problem; a tile belongs to the group of
 * its first row. */
static struct ts_step across(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint64_t rows = ts_group_row(p, p->groups - 1) + ts_grid(p, p->groups - 1)->m;
	uint64_t row = (uint64_t)(w->id + w->turn++ * p->workers) * p->block_m;
	uint32_t g = p->groups - 1;

	(void)answer;
	if (row >= rows)
		return ts_stop();
	while (ts_group_row(p, g) > row)
		g--;
	return tile_of(g, (uint32_t)((row - ts_group_row(p, g)) / p->block_m), 0, p->depth);
}

/* All have the k iterations of the longest. */
static struct ts_step longest_k(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.k_end = p->depth;
	return s;
}

/* The block on the diagonal is left out, as for j < i. */
static struct ts_step strict_mask(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.k_end -= s.k_end > 1 ? 1 : 0;
	return s;
}

static struct ts_step whole_square(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->id + w->turn++ * p->workers;

	(void)answer;
	if (id >= p->rows * p->cols)
		return ts_stop();
	return tile_of(0, id / p->cols, id % p->cols, p->depth);
}

/* A row that begins one id too late, as with a root that is rounded up. */
static struct ts_step rounded_root(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t id = w->id + w->turn++ * p->workers;
	uint32_t row = 0;

	(void)answer;
	if (id >= p->items)
		return ts_stop();
	while ((row + 1) * (row + 2) / 2 < id)
		row++;
	return tile_of(
		0, row, id - row * (row + 1) / 2 < row ? id - row * (row + 1) / 2 : row, p->depth);
}

/* The second CTA of a cluster takes the row after the last of its group. */
static struct ts_tile over_the_edge(const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	struct ts_tile tile = ts_cta_tile(p, s, rank);

	tile.valid = true;
	return tile;
}

struct planted {
	const char *sentence, *words;
	struct ts_step (*next)(const struct ts_plan *, struct ts_worker *, uint32_t);
	struct ts_tile (*cta_tile)(const struct ts_plan *, const struct ts_step *, uint32_t);
	enum ts_fault fault;
	const char *text;
};

static const struct planted planted[] = {
	{"an empty group that is not skipped", "policy=persistent groups=2,0,3 workers=2",
		not_skipped, NULL, TS_OUTSIDE,
		"computes tile (0,0) of group 1: tile row 0 of a grid of 0 x 1 tiles"},
	{"an empty first group that is not skipped", "policy=worksteal groups=0,1 workers=2 xcds=2",
		not_skipped, NULL, TS_OUTSIDE, "tile (0,0) of group 0"},
	{"the wrong expert", "policy=persistent groups=2,2,2 workers=2", wrong_expert, NULL,
		TS_TILE_TWICE, "tile (0,0) of group 0, which is already computed"},
	{"the wrong expert, where it is larger", "policy=persistent groups=3,2,1 workers=1",
		wrong_expert, NULL, TS_TILE_TWICE, "of group 0, which"},
	{"an expert that there is not", "policy=persistent groups=1,1 workers=1", beyond_groups,
		NULL, TS_OUTSIDE, "tile (0,0) of group 2, but there are 2 groups"},
	{"a batch that there is not", "policy=worksteal tiles=2x1 batch=2 workers=1", beyond_groups,
		NULL, TS_OUTSIDE, "of group 2, but there are 2 groups"},
	{"rows up to the capacity",
		"policy=persistent groups=2,3 size=4x1x1 layout=masked workers=1", to_capacity,
		NULL, TS_OUTSIDE,
		"tile (2,0) of group 0: tile row 2 of a grid of 2 x 1 tiles, elements 2..2 of a C "
		"with 2 rows"},
	{"a tile across two groups", "policy=persistent groups=3,5 block=2x1x1 workers=1", across,
		NULL, TS_TILE_MISSING, "nobody computes 1 tile: (2,0) of group 1"},
	{"a cluster across two groups", "policy=persistent groups=3,3 cluster=2x1 workers=1", NULL,
		over_the_edge, TS_OUTSIDE,
		"rank 1 of its cluster, computes tile (3,0) of group 0: tile row 3 of a grid of 3 "
		"x 1 tiles"},
	{"the k iterations of another group", "policy=persistent groups=1x1x3,1x1x2 workers=1",
		longest_k, NULL, TS_K_RANGE, "[0, 3) of tile (0,0) of group 1, which has 2"},
	{"k iterations of a group without any", "policy=persistent groups=1x1x3,1x1x0 workers=1",
		longest_k, NULL, TS_K_RANGE, "[0, 3) of tile (0,0) of group 1, which has 0"},
	{"causal rows that see everything", "policy=persistent shape=causal size=3x1x3 workers=1",
		longest_k, NULL, TS_K_RANGE, "[0, 3) of tile (0,0), which has 1"},
	{"causal rows that do not see themselves",
		"policy=persistent shape=causal size=3x1x3 batch=2 workers=1", strict_mask, NULL,
		TS_TILE_MISSING,
		"nobody computes 4 tiles: (1,0) of group 0 (2,0) of group 0 (1,0) of group 1"},
	{"tiles above the diagonal", "policy=persistent shape=triangle tiles=3x3 workers=1",
		whole_square, NULL, TS_OUTSIDE,
		"computes tile (0,1), which lies above the diagonal"},
	{"a root that is rounded up", "policy=persistent shape=triangle tiles=3x3 workers=1",
		rounded_root, NULL, TS_TILE_TWICE, "tile (0,0), which is already computed"},
	{"a cluster over the diagonal",
		"policy=persistent shape=triangle tiles=2x2 cluster=1x2 workers=1", NULL,
		over_the_edge, TS_OUTSIDE, "which lies above the diagonal"},
};

/* The fault is found by walks and by the explorer, and is not there without the edit. */
static void test_planted(gconstpointer data)
{
	const struct planted *row = data;
	struct ts_rules rules = {.next = row->next == NULL ? ts_next : row->next,
		.cta_tile = row->cta_tile == NULL ? ts_cta_tile : row->cta_tile};
	struct ts_plan plan = ts_request_make(row->words);
	struct ts_explore how = {.rules = &rules};
	struct ts_explored found;
	struct ts_coverage c;

	ts_coverage_init(&c);
	for (enum ts_pick pick = TS_IN_TURNS; pick < TS_PICKS; pick++) {
		ts_expect_run(&c, &plan, &rules, pick, MANY, NULL);
		ts_expect(ts_pick_name(pick), &c, row->fault, pick == TS_IN_TURNS ? row->text : "");
		ts_expect_run(&c, &plan, NULL, pick, MANY, NULL);
		ts_expect(ts_pick_name(pick), &c, TS_SOUND, "every property holds");
	}
	ts_coverage_finish(&c);
	ts_explore_run(&how, &plan, &found);
	g_assert_cmpint(found.finding.fault, ==, row->fault);
	ts_explored_finish(&found);
	how.rules = NULL;
	ts_explore_run(&how, &plan, &found);
	g_assert_cmpint(found.finding.fault, ==, TS_SOUND);
	g_assert_cmpint(found.limit, ==, TS_LIMIT_NONE);
	ts_explored_finish(&found);
}

/* Without reductions there are the same outcomes. */
static void test_brute(void)
{
	static const char *const words[] = {
		"policy=worksteal mode=steal groups=1,0,2 workers=2 xcds=2",
		"policy=worksteal mode=slots groups=0,1,1 tiles=1x2 workers=2 xcds=2",
		"policy=worksteal mode=global batch=2 tiles=2x1 workers=2 section=2",
		"policy=worksteal mode=hierarchical shape=triangle tiles=2x2 workers=2 xcds=2",
		"policy=worksteal mode=steal shape=causal size=3x1x3 rows=descending workers=2",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		struct ts_plan plan = ts_request_make(words[i]);
		struct ts_explore how = {.release = true, .late = true};
		struct ts_explored reduced, brute;

		ts_explore_run(&how, &plan, &reduced);
		how.brute = true;
		ts_explore_run(&how, &plan, &brute);
		g_assert_cmpint(reduced.finding.fault, ==, TS_SOUND);
		g_assert_cmpint(brute.finding.fault, ==, TS_SOUND);
		g_assert_cmpuint(
			g_hash_table_size(reduced.outcomes), ==, g_hash_table_size(brute.outcomes));
		ts_explored_finish(&reduced);
		ts_explored_finish(&brute);
	}
}

/* Does a walk of the request fail as the row says? */
static bool fails(void *data, const struct ts_spec *spec)
{
	const struct planted *row = data;
	struct ts_rules rules = {.next = row->next == NULL ? ts_next : row->next,
		.cta_tile = row->cta_tile == NULL ? ts_cta_tile : row->cta_tile};
	struct ts_group_room room = {0};
	const struct ts_spec roomy = ts_group_room_give(&room, spec);
	struct ts_coverage c;
	struct ts_plan plan;
	bool same = false;

	ts_coverage_init(&c);
	if (ts_plan_make(&plan, &roomy) == TS_OK)
		same = ts_expect_run(&c, &plan, &rules, TS_IN_TURNS, MANY, NULL) == row->fault;
	ts_coverage_finish(&c);
	ts_group_room_finish(&room);
	return same;
}

/* A list is shrunk to the groups that matter, and these to as few rows as can be. */
static void test_shrink(void)
{
	static const struct {
		size_t row;
		const char *found, *smallest;
	} rows[] = {
		{0, "policy=persistent groups=7,3,0,5,0,0,9,2 size=1x9x5 workers=5 batch=3", "0,1"},
		{7, "policy=persistent groups=9,4,12,3,3 size=1x1x5 block=2x1x1 workers=5", "1,1"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct planted row = planted[rows[i].row];
		struct ts_spec spec = ts_request_read(rows[i].found);
		const int64_t first = spec.list_m[0];
		const int64_t *before = spec.list_m;
		g_autofree char *got = NULL;

		g_assert_true(fails(&row, &spec));
		ts_shrink(&spec, fails, &row);
		got = ts_group_list_text(NULL, &spec);
		g_assert_cmpstr(got, ==, rows[i].smallest);
		g_assert_cmpint(spec.workers, ==, 1);
		g_assert_cmpint(spec.batch, ==, 1);
		g_assert_cmpint(before[0], ==, first);
		ts_shrink_free(&spec);
	}
}

void ts_group_faults_add(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(planted); i++) {
		g_autofree char *path = g_strdup_printf("/planted/%s", planted[i].sentence);

		g_test_add_data_func(path, &planted[i], test_planted);
	}
	g_test_add_func("/exploration loses no outcome", test_brute);
	g_test_add_func("/lists shrink", test_shrink);
}
