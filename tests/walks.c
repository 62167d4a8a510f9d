/* The verifier finds what is wrong and passes what is right. For each property a policy that breaks
 * it is planted, beside the right one on the same plan; then all small worlds are walked. */
#include "tests/faults/expect.h"
#include "tests/faults/planted.h"
#include "tests/vectors/read.h"
#include "verify/check.h"
#include "verify/shrink.h"

/* Faults of whole policies. */

struct planted {
	const char *sentence, *words;
	ts_next_fn *next;         /* NULL: the right one */
	ts_cta_tile_fn *cta_tile; /* NULL: the right one */
	enum ts_fault fault;
	const char *text; /* part of the finding's, when workers move in turns */
};

static const struct planted planted[] = {
	{"a tile that nobody is given", "policy=persistent tiles=3x2 workers=2", ts_plant_drop,
		NULL, TS_TILE_MISSING, "nobody computes 1 tile: (1,0)"},
	{"a tile that is claimed and dropped", "policy=worksteal tiles=3x2 workers=2 xcds=2",
		ts_plant_drop, NULL, TS_TILE_MISSING, "nobody computes 1 tile: (1,0)"},
	{"a tile computed twice", "policy=persistent size=3x2x5 workers=2", ts_plant_twice, NULL,
		TS_TILE_TWICE, "worker 0 computes tile (1,0), which is already computed"},
	{"items moved down behind the guard", "tiles=3x2", ts_plant_down, NULL, TS_OUTSIDE,
		"rank 0 of its cluster, computes tile (3,"},
	{"items moved down without the guard", "tiles=1x2", ts_plant_down, ts_plant_no_guard,
		TS_OUTSIDE, "worker 0, rank 0 of its cluster, computes tile (1,0): tile row 1"},
	{"items moved right without the guard", "size=2x5x1 block=1x2x1", ts_plant_right,
		ts_plant_no_guard, TS_OUTSIDE,
		"tile column 3 of a grid of 2 x 3 tiles, elements 6..7 of a C with 5 columns"},
	{"the stride one too long", "policy=persistent tiles=1x9 workers=3", ts_plant_long_stride,
		NULL, TS_TILE_MISSING, "nobody computes 2 tiles: (0,3) (0,7)"},
	{"the stride one too short", "policy=persistent tiles=1x9 workers=3", ts_plant_short_stride,
		NULL, TS_TILE_TWICE, "worker 2 computes tile (0,2), which is"},
	{"more missing tiles than are named", "tiles=7x2", NULL, ts_plant_strict_guard,
		TS_TILE_MISSING, "nobody computes 2 tiles: (6,0) (6,1)"},
	{"a cluster whose tail is not guarded",
		"policy=persistent size=257x128x64 block=128x128x64 cluster=2x1 workers=66", NULL,
		ts_plant_no_guard, TS_OUTSIDE,
		"worker 1, rank 1 of its cluster, computes tile (3,0): tile row 3 of a grid of 3 x "
		"1 "
		"tiles, elements 384..511 of a C with 257 rows"},
	{"a cluster whose tail is not guarded along n", "size=8x17x1 block=8x8x1 cluster=1x2", NULL,
		ts_plant_no_guard, TS_OUTSIDE,
		"worker 1, rank 1 of its cluster, computes tile (0,3): tile column 3"},
	{"a cluster whose CTAs do the same", "tiles=4x2 cluster=2x1", NULL, ts_plant_same_rank,
		TS_TILE_TWICE, "worker 0 computes tile (0,0), which is"},
	{"a cluster that is transposed", "tiles=4x4 cluster=2x1", NULL, ts_plant_transposed,
		TS_TILE_TWICE, "computes tile (0,1)"},
	{"a counter out of range", "policy=worksteal tiles=3x2 workers=2 xcds=2",
		ts_plant_far_claim, NULL, TS_COUNTER,
		"worker 0 uses counter 2, but the plan has 2 counters"},
	{"a wait on a counter out of range", "policy=worksteal tiles=3x2 workers=2 xcds=2",
		ts_plant_far_wait, NULL, TS_COUNTER, "worker 0 uses counter 2"},
	{"a signal to a counter out of range", "tiles=3x2", ts_plant_far_signal, NULL, TS_COUNTER,
		"worker 0 uses counter 0, but the plan has 0 counters"},
	{"a worker that claims for ever", "policy=worksteal tiles=3x2 workers=2 xcds=2",
		ts_plant_claim_on, NULL, TS_ENDLESS, "worker 0 still goes on after"},
	{"a worker that signals for ever", "policy=worksteal tiles=3x2 workers=2 xcds=2",
		ts_plant_signal_on, NULL, TS_ENDLESS, "worker 0 still goes on after"},
	{"a worker that waits for what is there, for ever",
		"policy=worksteal tiles=3x2 workers=2 xcds=2", ts_plant_wait_on, NULL, TS_ENDLESS,
		"worker 0 still goes on after"},
	{"a wait that nobody signals", "policy=worksteal tiles=3x2 workers=2 xcds=2",
		ts_plant_wait_for_nobody, NULL, TS_DEADLOCK,
		"all 2 resident workers wait; worker 0 waits for counter 0 to reach 1000000, it "
		"has 5"},
};

/* The fault is found whoever moves next; the right policy is sound on the same plan. */
static void test_planted(gconstpointer data)
{
	const struct planted *row = data;
	struct ts_rules rules = {.next = row->next == NULL ? ts_next : row->next,
		.cta_tile = row->cta_tile == NULL ? ts_cta_tile : row->cta_tile};
	struct ts_plan plan = ts_request_make(row->words);
	struct ts_coverage c;

	ts_coverage_init(&c);
	for (enum ts_pick pick = TS_IN_TURNS; pick < TS_PICKS; pick++) {
		ts_expect_run(&c, &plan, &rules, pick, MANY, NULL);
		ts_expect(ts_pick_name(pick), &c, row->fault, pick == TS_IN_TURNS ? row->text : "");
		ts_expect_run(&c, &plan, NULL, pick, MANY, NULL);
		ts_expect(ts_pick_name(pick), &c, TS_SOUND, "every property holds");
	}
	ts_coverage_finish(&c);
}

static void test_names_eight_tiles(void)
{
	struct ts_rules rules = {.next = ts_next, .cta_tile = ts_plant_strict_guard};
	struct ts_plan plan = ts_request_make("tiles=1x9");
	struct ts_coverage c;

	ts_coverage_init(&c);
	ts_expect_run(&c, &plan, &rules, TS_IN_TURNS, MANY, NULL);
	ts_expect("1x9", &c, TS_TILE_MISSING,
		"9 tiles: (0,0) (0,1) (0,2) (0,3) (0,4) (0,5) (0,6) (0,7) ...");
	ts_coverage_finish(&c);
}

/* Split k ranges, on tiles with 8 k iterations. */

struct cut {
	uint32_t begin, end;
	bool owns;
};

struct split {
	const char *sentence;
	struct cut cuts[3]; /* what each worker computes of its tile; ends at end 0 */
	enum ts_fault fault;
	const char *text;
};

static const struct split splits[] = {
	{"whole", {{0, 8, true}}, TS_SOUND, ""},
	{"two halves, the last one owns", {{0, 4, false}, {4, 8, true}}, TS_SOUND, ""},
	{"two halves, the first one owns", {{0, 4, true}, {4, 8, false}}, TS_SOUND, ""},
	{"three parts in any order", {{3, 6, false}, {6, 8, true}, {0, 3, false}}, TS_SOUND, ""},
	{"beyond the depth", {{0, 9, true}}, TS_K_RANGE,
		"worker 0 is given k iterations [0, 9) of tile (0,0), which has 8"},
	{"a part beyond the depth", {{0, 4, false}, {4, 9, true}}, TS_K_RANGE, "[4, 9)"},
	{"an empty range", {{4, 4, false}, {0, 8, true}}, TS_K_RANGE, "[4, 4) of tile (0,0)"},
	{"a range backwards", {{5, 3, false}, {0, 8, true}}, TS_K_RANGE, "[5, 3) of tile (0,0)"},
	{"an overlap", {{0, 5, false}, {4, 8, true}}, TS_TILE_TWICE,
		"worker 0 computes k iterations [4, 8) of tile (0,0), part of which"},
	{"an overlap with the part before", {{4, 8, true}, {0, 5, false}}, TS_TILE_TWICE,
		"k iterations [0, 5)"},
	{"the same part twice", {{0, 4, false}, {0, 4, false}, {4, 8, true}}, TS_TILE_TWICE,
		"k iterations [0, 4)"},
	{"a part inside another", {{0, 8, false}, {3, 4, true}}, TS_TILE_TWICE, "[3, 4)"},
	{"a part, then the whole", {{0, 4, false}, {0, 8, true}}, TS_TILE_TWICE, "tile (0,0)"},
	{"the whole, then a part", {{0, 8, true}, {0, 4, false}}, TS_TILE_TWICE, "[0, 4)"},
	{"a gap", {{0, 3, false}, {4, 8, true}}, TS_TILE_MISSING,
		"nobody computes 6 tiles: (0,0) (0,1) (1,0) (1,1) (2,0) (2,1)"},
	{"the end missing", {{0, 7, true}}, TS_TILE_MISSING, "6 tiles"},
	{"the beginning missing", {{1, 8, true}}, TS_TILE_MISSING, "6 tiles"},
	{"two owners", {{0, 4, true}, {4, 8, true}}, TS_OWNERS,
		"tile (0,0) must have one owner that writes it, has several"},
	{"no owner", {{0, 4, false}, {4, 8, false}}, TS_OWNERS,
		"tile (0,0) must have one owner that writes it, has none"},
	{"whole without an owner", {{0, 8, false}}, TS_OWNERS, "has none"},
};

/* A policy has no other way to know the row. */
static const struct cut *cuts;

static struct ts_step next_cut(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_order_item(p, w->id);

	(void)answer;
	if (w->turn == 3 || cuts[w->turn].end == 0)
		return ts_stop();
	s.k_begin = cuts[w->turn].begin;
	s.k_end = cuts[w->turn].end;
	s.owns = cuts[w->turn].owns;
	w->turn++;
	return s;
}

static void test_split(gconstpointer data)
{
	const struct split *row = data;
	struct ts_rules rules = {.next = next_cut, .cta_tile = ts_cta_tile};
	struct ts_plan plan = ts_request_make("size=3x2x8");
	struct ts_coverage c;

	cuts = row->cuts;
	ts_coverage_init(&c);
	for (enum ts_pick pick = TS_IN_TURNS; pick < TS_PICKS; pick++) {
		ts_expect_run(&c, &plan, &rules, pick, MANY, NULL);
		ts_expect(ts_pick_name(pick), &c, row->fault, pick == TS_IN_TURNS ? row->text : "");
	}
	ts_coverage_finish(&c);
}

/* Waits. */

struct wait {
	const char *sentence;
	ts_next_fn *next;
	uint32_t resident;
	const char *live;
	enum ts_fault faults[TS_PICKS];
};

/* Places go to the lowest id that has not entered, whoever is picked. */
static const struct wait waits[] = {
	{"the second worker waits, all are resident", ts_plant_second_waits, MANY, NULL,
		{TS_SOUND}},
	{"the first worker waits, all are resident", ts_plant_first_waits, MANY, NULL, {TS_SOUND}},
	{"the second worker waits, two are resident", ts_plant_second_waits, 2, NULL, {TS_SOUND}},
	{"the first worker waits, two are resident", ts_plant_first_waits, 2, NULL, {TS_SOUND}},
	{"the second worker waits, one is resident", ts_plant_second_waits, 1, NULL, {TS_SOUND}},
	{"the first worker waits, one is resident", ts_plant_first_waits, 1, NULL,
		{TS_DEADLOCK, TS_DEADLOCK, TS_DEADLOCK, TS_DEADLOCK}},
	{"the worker that signals never runs", ts_plant_second_waits, MANY, "110111",
		{TS_DEADLOCK, TS_DEADLOCK, TS_DEADLOCK, TS_DEADLOCK}},
};

static void test_wait(gconstpointer data)
{
	const struct wait *row = data;
	struct ts_rules rules = {.next = row->next, .cta_tile = ts_cta_tile};
	struct ts_plan plan = ts_request_make("size=1x3x5");
	struct ts_coverage c;
	uint8_t live[6];

	plan.workers = 6;
	plan.counters = 3;
	ts_expect_live(live, row->live == NULL ? "111111" : row->live);
	ts_coverage_init(&c);
	for (enum ts_pick pick = TS_IN_TURNS; pick < TS_PICKS; pick++) {
		ts_expect_run(&c, &plan, &rules, pick, row->resident, live);
		ts_expect(ts_pick_name(pick), &c, row->faults[pick],
			row->faults[pick] == TS_SOUND ? "every property holds"
						      : "to reach 1, it has 0");
	}
	ts_coverage_finish(&c);
}

/* ts_check_plan() tries the walks in which alone these are wrong. */
static void test_check_plan(void)
{
	static const struct {
		const char *words;
		ts_next_fn *next;
		bool sound;
		enum ts_pick pick;
		bool masked;
		uint64_t walks;
	} rows[] = {
		{"tiles=3x2", ts_next, true, TS_IN_TURNS, false, 1},
		{"policy=persistent tiles=3x2 workers=4", ts_next, true, TS_IN_TURNS, false, 1},
		{"policy=worksteal tiles=0x2 workers=4", ts_next, true, TS_IN_TURNS, false, 1},
		{"policy=worksteal tiles=3x2 workers=4", ts_next, true, TS_IN_TURNS, false, 5},
		{"policy=worksteal tiles=2x2 workers=2", ts_plant_even_only, false, TS_FIRST_ONE,
			false, 2},
		{"policy=worksteal tiles=2x2 workers=2", ts_plant_odd_only, false, TS_LAST_ONE,
			false, 3},
		{"policy=worksteal tiles=2x2 workers=4 xcds=2", ts_plant_no_steal, false,
			TS_IN_TURNS, true, 5},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_rules rules = {.next = rows[i].next, .cta_tile = ts_cta_tile};
		struct ts_plan plan = ts_request_make(rows[i].words);
		struct ts_checker k;

		ts_checker_init(&k);
		g_assert_true(ts_check_plan(&k, &plan, &rules, NULL, 3) == rows[i].sound);
		g_assert_cmpint(k.pick, ==, rows[i].pick);
		g_assert_true(k.masked == rows[i].masked);
		g_assert_cmpuint(k.walks, ==, rows[i].walks);
		g_assert_cmpuint(k.tiles, ==, rows[i].walks * plan.rows * plan.cols);
		ts_checker_finish(&k);
	}
}

/* More than the items and each worker's vain claim. */
static uint32_t too_many(const struct ts_plan *p, uint32_t counter)
{
	return ts_worksteal_counter_items(p, counter) + (counter == 1 ? 3 : 0);
}

/* All is computed, and still the counter is not what the policy says that it is. */
static void test_not_drained(void)
{
	static const char words[] = "policy=worksteal tiles=3x3 workers=2 xcds=2";
	struct ts_rules rules = {ts_next, ts_cta_tile, ts_policy(TS_WORKSTEAL)};
	struct ts_plan plan = ts_request_make(words);
	struct ts_coverage c;

	ts_coverage_init(&c);
	ts_expect_run(&c, &plan, &rules, TS_LAST_ONE, MANY, NULL);
	ts_expect(words, &c, TS_SOUND, "");
	rules.policy.counter_items = too_many;
	ts_expect_run(&c, &plan, &rules, TS_IN_TURNS, MANY, NULL);
	ts_expect(words, &c, TS_NOT_DRAINED,
		"counter 1 (XCD 1, slot 0) has 1 of its 7 items left, though all tiles are "
		"computed");
	ts_coverage_finish(&c);
}

/* One coverage follows plans that grow, shrink and fail, and forgets each. */
static void test_reuse(void)
{
	static const struct planted rows[] = {
		{"", "tiles=3x2", NULL, NULL, TS_SOUND, ""},
		{"", "policy=worksteal tiles=40x41 workers=9 xcds=3 slots=2", NULL, NULL, TS_SOUND,
			""},
		{"", "tiles=3x2", ts_plant_drop, NULL, TS_TILE_MISSING, "1 tile: (1,0)"},
		{"", "policy=persistent tiles=3x2 workers=2", ts_plant_twice, NULL, TS_TILE_TWICE,
			""},
		{"", "tiles=65x65", NULL, NULL, TS_SOUND, ""},
		{"", "policy=worksteal tiles=1x1 workers=50 xcds=8 slots=8", NULL, NULL, TS_SOUND,
			""},
		{"", "policy=worksteal mode=slots tiles=1x11 xcds=2 slots=2 workers=3", NULL, NULL,
			TS_STARVED, "counter 3"},
		{"", "size=3x2x8", next_cut, NULL, TS_TILE_MISSING, "6 tiles"},
		{"", "size=0x2x8", NULL, NULL, TS_SOUND, ""},
		{"", "size=3x2x8", NULL, NULL, TS_SOUND, ""},
	};
	static const struct cut gap[3] = {{0, 3, false}, {4, 8, true}};
	struct ts_coverage c;

	cuts = gap;
	ts_coverage_init(&c);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_rules rules = {.next = rows[i].next == NULL ? ts_next : rows[i].next,
			.cta_tile = ts_cta_tile};
		struct ts_plan plan = ts_request_make(rows[i].words);

		ts_expect_run(&c, &plan, &rules, TS_IN_TURNS, MANY, NULL);
		ts_expect(rows[i].words, &c, rows[i].fault, rows[i].text);
	}
	ts_coverage_finish(&c);
}

/* Shrinking. */

struct shrinking {
	ts_cta_tile_fn *cta_tile;
	enum ts_fault fault;
	const char *sentence, *found;
	const char *smallest; /* NULL: any that cannot be smaller by one */
};

static const struct shrinking shrinkings[] = {
	{ts_plant_no_guard, TS_OUTSIDE, "a cluster tail of 128 rows",
		"policy=persistent order=grouped-m width=3 size=257x128x64 block=128x128x64 "
		"cluster=2x1 workers=66 xcds=3",
		NULL},
	{ts_plant_no_guard, TS_OUTSIDE, "a cluster tail of one row",
		"policy=persistent order=grouped-m width=3 size=257x128x64 cluster=2x1 workers=66 "
		"xcds=3",
		"policy=persistent order=grouped-m size=1x1x1 cluster=2x1"},
	{ts_plant_no_guard, TS_OUTSIDE, "one axis of a cluster",
		"policy=worksteal order=snake-n remap=chunked chunk=9 size=100x170x9 block=8x8x4 "
		"cluster=4x3 workers=12 xcds=8 slots=2",
		"policy=worksteal order=snake-n remap=chunked size=1x1x1 block=8x8x4 cluster=1x2"},
	{ts_cta_tile, TS_STARVED, "two counters for one worker",
		"policy=worksteal mode=slots size=40x40x7 workers=20 xcds=8 slots=4",
		"policy=worksteal mode=slots size=2x1x1 workers=1 slots=2"},
};

static bool fails(void *data, const struct ts_spec *spec)
{
	const struct shrinking *row = data;
	struct ts_rules rules = {.next = ts_next, .cta_tile = row->cta_tile};
	struct ts_plan plan;
	struct ts_coverage c;
	bool same;

	if (ts_plan_make(&plan, spec) != TS_OK)
		return false;
	ts_coverage_init(&c);
	same = ts_expect_run(&c, &plan, &rules, TS_IN_TURNS, MANY, NULL) == row->fault;
	ts_coverage_finish(&c);
	return same;
}

static void test_shrink(gconstpointer data)
{
	struct shrinking row = *(const struct shrinking *)data;
	struct ts_spec spec = ts_request_read(row.found);
	int64_t *numbers[] = {&spec.m, &spec.n, &spec.k, &spec.cluster_m, &spec.cluster_n,
		&spec.width, &spec.chunk, &spec.workers, &spec.domains, &spec.slots};
	g_autofree char *got = NULL;

	g_assert_true(fails(&row, &spec));
	ts_shrink(&spec, fails, &row);
	got = ts_request_words(&spec);
	g_assert_true(fails(&row, &spec));
	if (row.smallest != NULL) {
		struct ts_spec smallest = ts_request_read(row.smallest);
		g_autofree char *want = ts_request_words(&smallest);

		g_assert_cmpstr(got, ==, want);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
		--*numbers[i];
		/* An empty problem is no smaller one. */
		if (*numbers[i] >= (i < 3 ? 1 : 0) && fails(&row, &spec))
			g_test_fail_printf("number %zu can be smaller in %s", i, got);
		++*numbers[i];
	}
}

static bool never(void *data, const struct ts_spec *spec)
{
	(void)data;
	(void)spec;
	return false;
}

static void test_shrink_keeps(void)
{
	struct ts_spec spec = ts_request_read(shrinkings[0].found);
	g_autofree char *before = ts_request_words(&spec);
	g_autofree char *after = NULL;

	ts_shrink(&spec, never, NULL);
	after = ts_request_words(&spec);
	g_assert_cmpstr(after, ==, before);
}

static void add(const char *group, const char *sentence, GTestDataFunc test, gconstpointer row)
{
	g_autofree char *path = g_strdup_printf("/%s/%s", group, sentence);

	g_test_add_data_func(path, row, test);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (size_t i = 0; i < G_N_ELEMENTS(planted); i++)
		add("planted", planted[i].sentence, test_planted, &planted[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(splits); i++)
		add("k ranges", splits[i].sentence, test_split, &splits[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(waits); i++)
		add("waits", waits[i].sentence, test_wait, &waits[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(shrinkings); i++)
		add("shrinks to", shrinkings[i].sentence, test_shrink, &shrinkings[i]);
	g_test_add_func("/what does not fail is not shrunk", test_shrink_keeps);
	g_test_add_func("/a finding names eight tiles", test_names_eight_tiles);
	g_test_add_func(
		"/a plan is checked with every pick and the fewest workers", test_check_plan);
	g_test_add_func("/a counter that keeps items though all is computed", test_not_drained);
	g_test_add_func("/one coverage serves plans of any size", test_reuse);
	ts_missing_add();
	return g_test_run();
}
