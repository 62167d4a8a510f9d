/* Groups and shapes: plans against the definitions, and the commands that take them. The verifier's
 * own tests of them are in faults/groups.c. */
#include <glib/gstdio.h>
#include <string.h>

#include "sim/cost.h"
#include "sim/groups.h"
#include "tests/faults/groups.h"
#include "tests/group_lists.h"
#include "tests/vectors/read.h"

/* Plans against definitions. */

/* A request over a few small groups, with room for its plan. */
struct world {
	struct ts_spec spec;
	int64_t m[4], n[4], k[4];
	struct ts_turn turns[4];
	struct ts_plan grids[4];
};

static int64_t upto(int32_t most)
{
	return g_test_rand_int_range(0, most + 1);
}

static void draw(struct world *w)
{
	struct ts_spec *s = &w->spec;

	*s = ts_spec_default();
	s->order = (enum ts_order)upto(TS_ORDERS - 1);
	s->shape = (enum ts_shape_kind)upto(TS_SHAPES - 1);
	if (ts_order_has_width(s->order))
		s->width = upto(4);
	if (s->shape != TS_TRIANGLE)
		s->row_order = (enum ts_row_order)upto(TS_ROWS_RANK - 1);
	s->block_m = 1 + upto(3);
	s->block_n = s->shape == TS_TRIANGLE ? s->block_m * (1 + upto(2)) : 1 + upto(3);
	if (s->shape == TS_TRIANGLE && upto(1) == 1) {
		int64_t longer = s->block_n;

		s->block_n = s->block_m;
		s->block_m = longer;
	}
	s->block_k = 1 + upto(2);
	s->cluster_m = 1 + upto(2);
	s->cluster_n = s->shape == TS_TRIANGLE ? s->cluster_m : 1 + upto(2);
	/* Of a triangle one side of an item stays a multiple of the other. */
	if (s->shape == TS_TRIANGLE && upto(1) == 1)
		*(s->block_m >= s->block_n ? &s->cluster_n : &s->cluster_m) = 1;
	s->m = s->n = upto(20);
	s->k = upto(9);
	s->batch = 1 + upto(3);
	s->section = upto(4);
	s->list_count = upto(4);
	s->group_order = (enum ts_group_order)upto(TS_GROUP_ORDERS - 1);
	for (int i = 0; i < 4; i++) {
		w->m[i] = upto(20) * upto(1);
		w->n[i] = s->shape == TS_TRIANGLE ? w->m[i] : upto(12);
		w->k[i] = upto(9);
	}
	if (s->list_count > 0) {
		s->list_m = w->m;
		s->list_n = w->n;
		s->list_k = w->k;
		s->turns = w->turns;
		s->grids = w->grids;
	}
}

/* Group `g` alone, as a rectangle whose rows ascend. */
static struct ts_plan alone(const struct world *w, uint32_t g)
{
	struct ts_spec s = w->spec;
	uint32_t i = g / (uint32_t)s.batch;
	struct ts_plan plan;

	if (s.list_count > 0) {
		s.m = w->m[i];
		s.n = w->n[i];
		s.k = w->k[i];
	}
	s.list_count = 0;
	s.list_m = s.list_n = s.list_k = NULL;
	s.batch = s.section = 1;
	s.shape = TS_RECTANGLE;
	s.row_order = TS_ROWS_ASCENDING;
	g_assert_cmpint(ts_plan_make(&plan, &s), ==, TS_OK);
	return plan;
}

/* Does the tile hold an element on or below the diagonal? */
static bool reaches(const struct ts_plan *p, uint32_t m, uint32_t n)
{
	for (uint32_t r = m * p->block_m; r < MIN((m + 1) * p->block_m, p->m); r++)
		for (uint32_t c = n * p->block_n; c < MIN((n + 1) * p->block_n, p->n); c++)
			if (c <= r)
				return true;
	return false;
}

/* Also beyond the edges: the tiles that exist, and the clusters with one of them. */
static const char *wrong_shape(const struct ts_plan *grid, const struct ts_plan *one)
{
	uint32_t width = one->cols + 4;
	g_autofree bool *has = g_new0(bool, (size_t)(one->rows + 4) * width);

	for (uint32_t m = 0; m < one->rows + 2; m++)
		for (uint32_t n = 0; n < one->cols + 2; n++) {
			has[m * width + n] = m < one->rows && n < one->cols &&
				(grid->shape != TS_TRIANGLE || reaches(one, m, n));
			if (ts_shape_has(grid, m, n) != has[m * width + n])
				return "a tile exists by its elements, or by its shape, alone";
		}
	for (uint32_t m = 0; m < one->rows + 2; m += grid->cluster_m)
		for (uint32_t n = 0; n < one->cols + 2; n += grid->cluster_n) {
			bool any = false;

			for (uint32_t i = m; i < MIN(m + grid->cluster_m, one->rows); i++)
				for (uint32_t j = n; j < MIN(n + grid->cluster_n, one->cols); j++)
					any = any || has[i * width + j];
			if (ts_shape_has_item(grid, m, n) != any)
				return "an item exists by its tiles, or by its shape, alone";
		}
	return NULL;
}

/* How many blocks of keys some row of the tile row's cluster sees; row r sees key j for
 * j <= r + K - M. */
static uint32_t blocks_seen(const struct ts_plan *p, uint32_t m)
{
	uint32_t first = m / p->cluster_m * p->cluster_m * p->block_m;
	uint32_t blocks = 0;

	for (uint32_t r = first; r < MIN(first + p->cluster_m * p->block_m, p->m); r++)
		for (uint32_t j = 0; j < p->k; j++)
			if ((int64_t)j <= (int64_t)r + p->k - p->m)
				blocks = MAX(blocks, j / p->block_k + 1);
	return blocks;
}

/* Row of clusters number `i` in the order that is asked for, by counting. */
static uint32_t row_at(enum ts_row_order order, uint32_t i, uint32_t rows)
{
	uint32_t first = 0, last = rows;

	if (order == TS_ROWS_ASCENDING)
		return i;
	for (uint32_t nth = 0;; nth++) {
		bool from_end = order == TS_ROWS_DESCENDING || nth % 2 == 0;
		uint32_t row = from_end ? --last : first++;

		if (nth == i)
			return row;
	}
}

/* The list's group that comes as number `turn`: the one with so many before it. */
static uint32_t list_at(const struct world *w, uint32_t turn)
{
	uint32_t batch = (uint32_t)w->spec.batch, before = 0;

	if (w->spec.list_count == 0 || w->spec.group_order == TS_GROUPS_GIVEN)
		return turn;
	for (uint32_t i = 0;; i++, before = 0) {
		uint32_t depth = alone(w, i * batch).depth;

		for (uint32_t j = 0; j < (uint32_t)w->spec.list_count; j++) {
			uint32_t other = alone(w, j * batch).depth;

			before += other > depth || (other == depth && j < i);
		}
		if (before == turn)
			return i;
	}
}

/* Items of rectangles and causal shapes, one by one: those of each group alone, in turns within
 * each section. */
static const char *wrong_ids(const struct world *w, const struct ts_plan *p)
{
	uint32_t batch = (uint32_t)w->spec.batch, lists = (uint32_t)MAX(w->spec.list_count, 1);
	uint32_t section = w->spec.section == 0 ? batch : MIN((uint32_t)w->spec.section, batch);
	uint32_t id = 0;

	for (uint32_t turn = 0; turn < lists; turn++) {
		uint32_t list = list_at(w, turn);

		for (uint32_t from = 0; from < batch; from += section) {
			struct ts_plan one = alone(w, list * batch);

			for (uint32_t item = 0; item < one.items; item++)
				for (uint32_t copy = from; copy < MIN(from + section, batch);
					copy++) {
					struct ts_step want = ts_order_item(&one, item);
					struct ts_step got = ts_order_item(p, id++);

					want.m = p->cluster_m *
						row_at((enum ts_row_order)p->row_order,
							want.m / p->cluster_m, one.cluster_rows);
					if (got.g != list * batch + copy || got.m != want.m ||
						got.n != want.n)
						return "an id is another item than by definition";
				}
		}
	}
	return id == p->items ? NULL : "there are more or fewer ids than items";
}

/* Every tile of every group by its elements, whatever the ids. */
static const char *wrong_tiles(const struct world *w, const struct ts_plan *p)
{
	g_autofree uint8_t *seen = g_new0(uint8_t, p->cells + 1);
	uint64_t cell = 0, tiles = 0;

	for (uint32_t id = 0; id < p->items; id++) {
		struct ts_step s = ts_order_item(p, id);

		if (s.g >= p->groups || s.m % p->cluster_m != 0 || s.n % p->cluster_n != 0)
			return "an item begins nowhere";
		for (uint32_t rank = 0; rank < p->cluster_m * p->cluster_n; rank++) {
			struct ts_tile tile = ts_cta_tile(p, &s, rank);
			uint32_t depth = ts_shape_depth(ts_grid(p, s.g), tile.m);

			if (!tile.valid)
				continue;
			if (s.k_begin != 0 || s.k_end != depth || !s.owns)
				return "an item does not have all of its k iterations";
			seen[ts_tile_index(p, s.g, tile.m, tile.n)]++;
		}
	}
	for (uint32_t g = 0; g < p->groups; g++) {
		struct ts_plan one = alone(w, g);
		const char *text = wrong_shape(ts_grid(p, g), &one);

		if (text != NULL)
			return text;
		for (uint32_t i = 0; i < one.rows * one.cols; i++, cell++) {
			uint32_t m = i / one.cols, n = i % one.cols;
			bool exists = p->shape != TS_TRIANGLE || reaches(&one, m, n);

			if (ts_tile_index(p, g, m, n) != cell)
				return "tiles are not numbered row by row and group by group";
			if (seen[cell] != exists)
				return "a tile is missing, there twice, or should not be";
			if (ts_shape_depth(ts_grid(p, g), m) !=
				(p->shape == TS_CAUSAL ? blocks_seen(&one, m) : one.depth))
				return "a tile has another number of k iterations";
			tiles += exists;
		}
	}
	return cell == p->cells && tiles == p->tiles ? NULL : "the sums of tiles are wrong";
}

static void test_definitions(void)
{
	enum { WORLDS = 6000 };

	for (int i = 0; i < WORLDS; i++) {
		struct world w;
		struct ts_plan plan;
		const char *wrong = NULL;

		draw(&w);
		if (ts_plan_make(&plan, &w.spec) != TS_OK) {
			wrong = "it is refused";
		} else {
			wrong = wrong_tiles(&w, &plan);
			if (wrong == NULL && plan.shape != TS_TRIANGLE)
				wrong = wrong_ids(&w, &plan);
		}
		if (wrong != NULL) {
			g_autofree char *words = ts_request_words(&w.spec);

			g_test_fail_printf("%s: %s", wrong, words);
			return;
		}
	}
}

/* The largest of everything. */
static void test_limits(void)
{
	struct ts_spec s = ts_spec_default();
	g_autofree int64_t *m = g_new(int64_t, TS_LIST_MAX);
	struct ts_group_room room = {0};
	struct ts_plan p;
	struct ts_step step;

	/* 65536 groups, every second one empty, of 2 x 16384 tiles each but for the last. */
	for (int i = 0; i < TS_LIST_MAX; i++)
		m[i] = i % 2 == 1 ? 2 : 0;
	m[TS_LIST_MAX - 1] = 1;
	s.list_count = TS_LIST_MAX;
	s.list_m = m;
	s.n = 32768;
	s.block_m = s.block_n = 1;
	s = ts_group_room_give(&room, &s);
	g_assert_cmpint(ts_plan_make(&p, &s), ==, TS_OK);
	g_assert_cmpuint(p.items, ==, 65535u * 32768u);
	step = ts_order_item(&p, p.items - 1);
	g_assert_cmpuint(step.g, ==, TS_LIST_MAX - 1);
	g_assert_cmpuint(step.m, ==, 0);
	g_assert_cmpuint(step.n, ==, 32767);
	step = ts_order_item(&p, 65536);
	g_assert_cmpuint(step.g, ==, 3);
	g_assert_cmpuint(ts_tile_index(&p, TS_LIST_MAX - 1, 0, 32767), ==, p.cells - 1);
	m[0] = 2;
	g_assert_cmpint(ts_plan_make(&p, &s), ==, TS_MANY_TILES);
	ts_group_room_finish(&room);

	/* Rows are counted in 64 bits. */
	p = ts_request_make("groups=1,2147483647 size=2147483647x1x1 layout=masked batch=1000000 "
			    "block=2147483647x1x1");
	g_assert_cmpuint(ts_group_row(&p, 1999999), ==, UINT64_C(1999999) * 2147483647);
	/* A section is no longer than the batch: 2 copies of 8 items, not 2^30. */
	p = ts_request_make("tiles=1x8 batch=2 section=1073741824");
	step = ts_order_item(&p, 2 * 5 + 1);
	g_assert_cmpuint(step.g, ==, 1);
	g_assert_cmpuint(step.n, ==, 5);
	/* An item of 2^32 rows, and of as many columns. */
	p = ts_request_make("shape=causal size=2147483647x1x2147483647 "
			    "block=1073741824x1x1073741824 cluster=4x1");
	g_assert_cmpuint(ts_shape_depth(&p, 0), ==, 2);
	g_assert_cmpuint(ts_shape_depth(&p, 1), ==, 2);
	p = ts_request_make("shape=triangle size=2147483647x2147483647x1 "
			    "block=1073741824x1073741824x1 cluster=4x4");
	g_assert_cmpuint(p.items, ==, 1);
	g_assert_cmpuint(p.tiles, ==, 3);
	p = ts_request_make("shape=triangle size=2147483647x2147483647x1 "
			    "block=1073741824x1073741824x1 cluster=2x4");
	g_assert_cmpuint(p.items, ==, 1);
	/* 65535 * 65536 / 2 tiles, the most that a triangle's grid may have is 46340 rows. */
	p = ts_request_make("shape=triangle tiles=46340x46340");
	g_assert_cmpuint(p.items, ==, 46340u * 46341u / 2);
	step = ts_order_item(&p, p.items - 1);
	g_assert_true(step.n <= step.m && step.m < 46340);
	/* Where a float's root first goes wrong, for any order of rows from 4098 on. */
	p = ts_request_make("shape=triangle tiles=4099x4099");
	for (uint32_t id = 8390600; id < 8390700; id++) {
		step = ts_order_item(&p, id);
		g_assert_true(step.n <= step.m && step.m < 4099);
	}
}

/* The FLOPs of a shape, element by element. */
static void test_flops(void)
{
	static const char *const words[] = {"size=7x5x3 batch=3", "groups=3x2x5,0x2x5,4x1x2",
		"shape=triangle size=7x7x4 block=2x2x1", "shape=causal size=5x3x9",
		"shape=causal size=9x2x4", "shape=triangle groups=3x3x2,6x6x1 batch=2"};

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		struct ts_plan p = ts_request_make(words[i]);
		double flops = 0;

		for (uint32_t g = 0; g < p.groups; g++) {
			const struct ts_plan *grid = ts_grid(&p, g);

			for (uint32_t r = 0; r < grid->m; r++)
				for (uint32_t c = 0; c < grid->n; c++)
					for (uint32_t k = 0; k < grid->k; k++)
						flops += (p.shape != TS_TRIANGLE || c <= r) &&
								(p.shape != TS_CAUSAL ||
									k + grid->m <= r + grid->k)
							? 2
							: 0;
		}
		g_assert_cmpfloat(ts_cost_flops(&p), ==, flops);
	}
}

/* Commands. */

/* Runs tilesim; `out` gets both streams. */
static int call(const char *words, char **ret_out)
{
	g_autofree char *line = g_strdup_printf("%s %s", g_getenv("TILESIM"), words);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	int status = 0;

	g_assert_true(g_spawn_command_line_sync(line, &out, &err, &status, NULL));
	*ret_out = g_strconcat(out, err, NULL);
	return g_spawn_check_wait_status(status, NULL) ? 0 : WEXITSTATUS(status);
}

static void expect(const char *words, int code, const char *text)
{
	g_autofree char *out = NULL;
	int got = call(words, &out);

	if (got != code || strstr(out, text) == NULL)
		g_test_fail_printf("tilesim %s: %d instead of %d, or no '%s' in: %s", words, got,
			code, text, out);
}

/* What a simulation records is what the checker accepts, of the same problem and policy, and of no
 * other. */
static void test_round_trip(void)
{
	static const struct {
		const char *problem, *plan, *other; /* that the records do not fit */
	} rows[] = {
		{"--groups 300,0,129,1 --n 300 --k 200 --block 64x64x64", "--policy persistent",
			"--groups 300,0,1,129 --n 300 --k 200 --block 64x64x64"},
		{"--groups 300,0,129,1 --n 300 --k 200 --block 64x64x64",
			"--policy worksteal --cluster 2x1 --max-cluster 2",
			"--groups 300,0,129,129 --n 300 --k 200 --block 64x64x64"},
		{"--groups 70x64x10,5x200x700 --block 64x64x64 --batch 3",
			"--policy worksteal --section 0",
			"--groups 70x64x10,5x200x699 --block 64x64x32 --batch 3"},
		{"--m 500 --n 500 --k 64 --block 64x64x64 --batch 5", "--policy data-parallel",
			"--m 500 --n 500 --k 64 --block 64x64x64 --batch 4"},
		{"--m 700 --n 700 --k 64 --block 64x64x64 --shape triangle",
			"--policy worksteal --mode slots",
			"--m 700 --n 700 --k 64 --block 64x64x64"},
		{"--m 700 --n 64 --k 900 --block 64x64x64 --shape causal --batch 4",
			"--policy persistent --row-order fold",
			"--m 700 --n 64 --k 900 --block 64x64x64 --batch 4"},
	};
	g_autofree char *folder = g_dir_make_tmp("tilesim-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "r.csv", NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *run =
			g_strdup_printf("%s %s --records %s", rows[i].problem, rows[i].plan, path);
		g_autofree char *check = g_strdup_printf(
			"check %s %s %s --against", path, rows[i].problem, rows[i].plan);
		g_autofree char *grid = g_strdup_printf("check %s %s", path, rows[i].other);

		expect(run, 0, "sound");
		expect(check, 0, "sound");
		if (strstr(rows[i].plan, "cluster") == NULL)
			expect(grid, 1, "FAILED");
	}
	g_assert_cmpint(g_remove(path), ==, 0);
	g_assert_cmpint(g_remove(folder), ==, 0);
}

static void test_commands(void)
{
	expect("--groups 512,0,384,1 --n 4096 --k 7168 --device h200 --block 128x128x64", 0,
		"groups       0 to 512 rows, 224.2 in the mean, 1 empty; the largest has 128 "
		"tiles, "
		"2.00 times the mean");
	expect("--groups 512,0,384,1 --n 4096 --k 7168 --device h200 --block 128x128x64", 0,
		"repeat with  tilesim --device h200 --n 4096 --k 7168 --block 128x128x64 --groups "
		"512,0,384,1 --policy persistent");
	expect("--groups deepseek-v3-t64 --n 2048 --k 7168", 0,
		"--groups deepseek-v3-t64 --policy");
	expect("--groups 4,9 --layout masked --m 8", 2,
		"group 1 of 9x8192x8192 with M=8: in a masked layout");
	expect("--groups 4,8 --layout masked --m 8", 0, "--layout masked");
	expect("--groups 4,9 --m 8", 2, "the rows come from the groups");
	expect("--groups 4,x", 2, "--groups 4,x: write rows such as 512,0,384");
	expect("--layout masked", 2, "only groups of a list have a layout");
	expect("--shape triangle --m 512 --n 256", 2, "a triangle needs M = N");
	expect("--shape triangle --block 192x128x64", 2, "whose longer side is a multiple");
	expect("--shape oval", 2, "there are: rectangle, triangle, causal, or all");
	expect("--batch 0", 0, "sound: 0 tiles");
	expect("--batch -1", 2, "--batch -1: the batch");
	expect("verify --groups upto:3x3 --n 2 --k 1 --block 1x1x1 --workers 2 --policy all --mode "
	       "all --xcds 2",
		0, "sound        756 schedules");
	expect("explore --groups 2,0,1 --n 1 --policy worksteal --workers 2", 0,
		"sound        every schedule");
	expect("compare --groups 128,128;255,1 --n 256 --k 256 --policy persistent", 0, "255,1");
	expect("compare --shapes llama3-8b --groups 5", 2, "leave out --m, --n, --k and --groups");
	expect("tune --batch 2", 2, "--batch 2: tune has one rectangle");
	expect("tune --shapes moe", 2, "--shapes moe: tune has one problem a shape");
	expect("compare --shapes moe --device h200 --policy persistent", 0, "deepseek_down@4096");
	expect("gpu bench --shape causal", 2, "--shape causal: the GEMM kernel has rectangles");
	expect("gpu bench --shapes moe --groups 5", 2, "gpu bench takes its sizes from --shapes");
	expect("gpu probe --backend cpu --groups 200,0,3 --batch 2 --n 100 --k 64 --block "
	       "128x64x64",
		0,
		"sound        12 items, 12 tiles computed once each, none outside its group of 6");
	expect("gpu probe --backend cpu --shape triangle --m 256 --n 256 --k 64 --block 64x64x64",
		0, "sound        10 items, 10 tiles");
	expect("gpu gemm --backend cpu --groups 70,0,3 --n 40 --k 64 --block 64x64x32 --repeat 0",
		0, "3 contiguous groups with 73 rows of A in all, N=40 K=64");
	expect("gpu gemm --backend cpu --groups 70,0,3 --batch 2 --layout kn,masked --m 80 --n 40 "
	       "--k 64 --block 64x64x32 --repeat 0",
		0, "--layout kn,masked --repeat 0");
	expect("gpu gemm --backend cpu --batch 3 --m 70 --n 40 --k 64 --block 64x64x32 --repeat 0",
		0, "3 times M=70 N=40 K=64");
	expect("gpu gemm --backend cpu --groups 0,0", 2, "2 groups without a row");
	expect("gpu gemm --backend cpu --groups 1x5x5,3x6x5", 2,
		"group 0 has N=5 and K=5, another one N=6 and K=5");
	expect("gpu gemm --backend cpu --layout tn", 2,
		"must be one of nk, kn, contiguous, masked");
	expect("--groups 2,3 --n 128 --k 64 --format json", 0, "\"problem_groups\" : {");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/plans are what the definitions say", test_definitions);
	g_test_add_func("/plans at the ends of their numbers", test_limits);
	g_test_add_func("/FLOPs are those of the elements", test_flops);
	ts_group_faults_add();
	ts_lists_add();
	g_test_add_func("/records are checked", test_round_trip);
	g_test_add_func("/commands", test_commands);
	return g_test_run();
}
