/* What plans say of themselves: their sizes, what a launch needs of them, what their workers hold;
 * and what is made of a plan of somebody's own. */
#include "tests/plans.h"

#include <sys/mman.h>
#include <unistd.h>

#include "policies/rules.h"
#include "tests/vectors/read.h"

/* The sizes of the plan of a list are the largest of any group, but the capacity is M; without a
 * group there are none. */
static void test_sizes_of_a_list(void)
{
	struct ts_plan p = ts_request_make("groups=7x2x3,1x9x1,2x1x11 block=2x2x2 batch=3");

	g_assert_cmpuint(p.m, ==, 7);
	g_assert_cmpuint(p.n, ==, 9);
	g_assert_cmpuint(p.k, ==, 11);
	g_assert_cmpuint(p.rows, ==, 4);
	g_assert_cmpuint(p.cols, ==, 5);
	g_assert_cmpuint(p.depth, ==, 6);
	g_assert_cmpuint(p.groups, ==, 9);
	g_assert_cmpuint(p.grid_count, ==, 3);
	p = ts_request_make("groups=7x2x3,1x9x1,8x4x11 block=2x4x2");
	g_assert_cmpuint(p.n, ==, 9);
	g_assert_cmpuint(p.rows, ==, 4);
	g_assert_cmpuint(p.cols, ==, 3);
	p = ts_request_make("size=5x5x5 batch=3");
	g_assert_cmpuint(p.groups, ==, 3);
	g_assert_cmpuint(p.grid_count, ==, 1);
	p = ts_request_make("groups=3,5,0 size=8x1x1 layout=masked");
	g_assert_cmpuint(p.m, ==, 8);
	g_assert_cmpuint(p.rows, ==, 5);
	/* The order is that of the group with the most items. */
	p = ts_request_make("groups=3x1x1,9x1x1,2x1x1,3x1x1 order=grouped-m width=8");
	g_assert_cmpuint(p.width.by, ==, 8);
	p = ts_request_make("groups=0x0x0,0x0x0");
	g_assert_cmpuint(p.m, ==, 0);
	g_assert_cmpuint(p.n, ==, 0);
	g_assert_cmpuint(p.k, ==, 0);
	p = ts_request_make("groups=2,3 batch=0");
	g_assert_cmpuint(p.groups, ==, 0);
	g_assert_cmpuint(p.items, ==, 0);
	p = ts_request_make("size=5x5x5 batch=0");
	g_assert_cmpuint(p.groups, ==, 0);
	g_assert_cmpuint(p.grid_count, ==, 0);
	g_assert_cmpuint(p.items, ==, 0);
	g_assert_cmpuint(p.cells, ==, 0);
	g_assert_cmpuint(p.tiles, ==, 0);
}

/* What a launch needs of a plan that cuts tiles: a worker a part, a counter an item, and a slot for
 * each part but an owner's, or one a worker. */
static void test_sizes_of_cuts(void)
{
	static const struct {
		const char *words;
		uint32_t workers, counters, workspace, shared, groups;
		enum ts_hybrid hybrid;
	} rows[] = {
		{"policy=split-k splits=3 size=2x5x7", 30, 10, 20, 0, 1, TS_TWO_TILE},
		{"policy=split-k splits=9 size=2x5x7", 70, 10, 60, 0, 1, TS_TWO_TILE},
		{"policy=stream-k hybrid=basic min-k=1 size=3x1x9 workers=2", 2, 3, 2, 3, 1,
			TS_BASIC},
		{"policy=stream-k hybrid=one-tile min-k=1 size=7x1x9 workers=4", 4, 3, 4, 3, 1,
			TS_ONE_TILE},
		{"policy=stream-k hybrid=two-tile min-k=1 size=7x1x9 workers=3", 3, 4, 3, 4, 1,
			TS_TWO_TILE},
		{"policy=stream-k hybrid=two-tile min-k=1 size=6x1x9 workers=3", 3, 0, 0, 0, 1,
			TS_TWO_TILE},
		{"policy=stream-k hybrid=basic min-k=4 size=1x1x9 workers=5", 5, 1, 2, 1, 1,
			TS_BASIC},
		/* The largest number up to 4 that divides 6 units and 6 items, or 12 and 6. */
		{"policy=stream-k hybrid=basic min-k=1 size=6x1x2 workers=6 k-groups=4", 6, 0, 0, 6,
			3, TS_BASIC},
		{"policy=stream-k hybrid=basic min-k=1 size=6x1x5 workers=12 k-groups=4", 12, 6, 12,
			6, 3, TS_BASIC},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_plan p = ts_request_make(rows[i].words);

		g_assert_cmpuint(p.workers, ==, rows[i].workers);
		g_assert_cmpuint(p.counters, ==, rows[i].counters);
		g_assert_cmpuint(p.workspace, ==, rows[i].workspace);
		g_assert_cmpuint(p.shared_items, ==, rows[i].shared);
		g_assert_cmpuint(p.k_groups.by, ==, rows[i].groups);
		g_assert_cmpuint(p.hybrid, ==, rows[i].hybrid);
	}
}

/* Of a launch in whole blocks the workers that the plan does not have leave at once. */
static void test_workers_too_many(void)
{
	static const char *const rows[] = {"size=3x2x4", "policy=split-k splits=3 size=3x2x4"};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_plan p = ts_request_make(rows[i]);

		for (uint32_t more = 0; more < 20; more++) {
			struct ts_worker w = ts_worker_make(p.workers + more, 0);

			g_assert_cmpint(ts_next(&p, &w, 0).act, ==, TS_STOP);
		}
	}
}

/* What a kernel of plain plans only can take. */
static void test_plain(void)
{
	static const struct {
		const char *words;
		bool plain;
	} rows[] = {{"tiles=3x3", true}, {"tiles=3x3 batch=1 cluster=2x1", true},
		{"tiles=3x3 batch=2", false}, {"groups=3", false},
		{"tiles=3x3 shape=triangle", false}, {"tiles=3x3 shape=causal", false},
		{"tiles=3x3 rows=descending", false}, {"tiles=3x3 rows=fold", false},
		{"tiles=3x3 collective=all-gather rank=0x3x1", true},
		{"tiles=3x3 collective=all-gather rank=0x3x1 rows=rank", false}};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		if (ts_request_make(rows[i].words).plain != rows[i].plain)
			g_test_fail_printf(
				"%s: must%s be plain", rows[i].words, rows[i].plain ? "" : " not");
}

/* Sizes without a list of their own are the same for all groups. */
static void test_one_list(void)
{
	static const int64_t sizes[] = {3, 5};

	for (int which = 0; which < 3; which++) {
		struct ts_turn turns[2];
		struct ts_plan grids[2], p;
		struct ts_spec spec = ts_request_read("size=7x11x13");

		spec.list_count = 2;
		spec.turns = turns;
		spec.grids = grids;
		spec.list_m = which == 0 ? sizes : NULL;
		spec.list_n = which == 1 ? sizes : NULL;
		spec.list_k = which == 2 ? sizes : NULL;
		g_assert_cmpint(ts_plan_make(&p, &spec), ==, TS_OK);
		for (uint32_t g = 0; g < 2; g++) {
			g_assert_cmpint(ts_grid(&p, g)->m, ==, which == 0 ? sizes[g] : 7);
			g_assert_cmpint(ts_grid(&p, g)->n, ==, which == 1 ? sizes[g] : 11);
			g_assert_cmpint(ts_grid(&p, g)->k, ==, which == 2 ? sizes[g] : 13);
		}
	}
}

/* Where no tile is cut there is nothing to count, and no sum to keep. */
static void test_nothing_cut(void)
{
	static const char *const rows[] = {
		"policy=stream-k hybrid=basic min-k=1 size=2x3x8 workers=3",
		"policy=stream-k hybrid=basic min-k=1 size=2x3x8 workers=6 k-groups=2",
		"policy=stream-k hybrid=one-tile min-k=1 size=2x3x8 workers=3",
		"policy=stream-k min-k=9 size=2x3x8 workers=4",
		"policy=split-k splits=1 size=2x3x8", "policy=split-k splits=2 size=2x3x1"};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_plan p = ts_request_make(rows[i]);

		g_assert_cmpuint(p.counters, ==, 0);
		g_assert_cmpuint(p.workspace, ==, 0);
	}
}

/* What a request may say, and who may be missing, of the policies that have no modes. */
static void test_uses(void)
{
	static const struct {
		enum ts_policy_id policy;
		uint32_t uses;
		enum ts_promise promise;
	} rows[] = {
		{TS_DATA_PARALLEL, 0, TS_NEEDS_ALL},
		{TS_PERSISTENT, 0, TS_NEEDS_ALL},
		{TS_STREAM_K, TS_USES_HYBRID, TS_NEEDS_ALL},
		{TS_SPLIT_K, TS_USES_SPLITS, TS_NEEDS_ALL},
		{TS_CLC, 0, TS_NEEDS_ANY},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_policy policy = ts_policy(rows[i].policy);
		struct ts_plan plan = {.policy = rows[i].policy};

		g_assert_cmpint(policy.promise(&plan), ==, rows[i].promise);
		g_assert_true(policy.fixed_sum);
		g_assert_false(policy.all_resident);
		g_assert_true((policy.counter_items != NULL) == (rows[i].policy == TS_CLC));
		for (int mode = 0; mode < TS_MODES; mode++) {
			g_assert_cmpuint(policy.uses((enum ts_mode)mode), ==, rows[i].uses);
			g_assert_cmpint(policy.remap((enum ts_mode)mode), ==, TS_REMAP_NONE);
		}
	}
	for (int i = 0; i < TS_POLICIES; i++) {
		struct ts_policy policy = ts_policy((enum ts_policy_id)i);

		g_assert_true(policy.summary != NULL && policy.source != NULL);
		g_assert_true(policy.map != NULL && policy.needs != NULL);
	}
}

/* A worker must not leave between a claim and its answer, in the middle of a part, nor before it
 * has computed what the hardware launched it for. */
static void test_holds(void)
{
	static const struct {
		const char *words;
		uint32_t id;
		enum ts_act acts[4];
		bool holds[5]; /* at first, and after each act */
	} rows[] = {
		{"tiles=3x2", 1, {TS_WORK, TS_STOP}, {0}},
		{"policy=persistent tiles=3x2 workers=4", 1, {TS_WORK, TS_WORK, TS_STOP}, {0}},
		{"policy=worksteal tiles=3x2", 0, {TS_CLAIM, TS_WORK, TS_CLAIM, TS_WORK},
			{false, true, false, true, false}},
		{"policy=clc tiles=3x2", 1, {TS_WORK, TS_CLAIM, TS_WORK, TS_CLAIM},
			{true, false, true, false, true}},
		{"policy=split-k splits=2 size=1x1x2", 0, {TS_WORK, TS_SIGNAL, TS_STOP},
			{false, true, false, false}},
		{"policy=split-k splits=2 size=1x1x2", 1, {TS_WORK, TS_WAIT, TS_FIX_UP, TS_STOP},
			{false, true, true, false, false}},
		{"policy=stream-k hybrid=basic min-k=1 size=1x1x2 workers=2", 1,
			{TS_WORK, TS_WAIT, TS_FIX_UP, TS_STOP}, {false, true, true, false, false}},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_plan p = ts_request_make(rows[i].words);
		struct ts_worker w = ts_worker_make(rows[i].id, 0);
		struct ts_step s = {.act = TS_WORK};

		g_assert_true(ts_worker_holds(&p, &w) == rows[i].holds[0]);
		for (size_t j = 0; j < 4 && s.act != TS_STOP; j++) {
			s = ts_next(&p, &w, 0);
			g_assert_cmpint(s.act, ==, rows[i].acts[j]);
			if (s.act != TS_STOP)
				g_assert_true(ts_worker_holds(&p, &w) == rows[i].holds[j + 1]);
		}
	}
}

/* Whole items of so many percent go to the domains, the others to all. */
static void test_local_share(void)
{
	for (int percent = 0; percent <= 100; percent++) {
		struct ts_spec spec = ts_request_read(
			"policy=worksteal mode=hierarchical size=37x27x1 workers=9 xcds=2 slots=3");
		struct ts_plan p = {0};

		spec.local_percent = percent;
		g_assert_cmpint(ts_plan_make(&p, &spec), ==, TS_OK);
		g_assert_cmpint(p.local_items * 100, <=, 999 * percent);
		g_assert_cmpint(p.local_items * 100, >, 999 * percent - 100);
		g_assert_cmpuint(p.counters, ==, 2 * 3 + 1);
	}
}

/* Of a list only its own groups are looked at, whatever else is in the memory for their grids. */
static void test_memory_behind_a_list(void)
{
	struct ts_spec spec = ts_request_read("policy=stream-k groups=1x1x4,1x1x4,1x1x4");
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ts_plan p;
	uint8_t *room;

	g_assert_cmpint(ts_plan_make(&p, &spec), ==, TS_OK);
	spec.grids[2].depth = 1;
	spec.list_count = 2;
	g_assert_cmpint(ts_plan_make(&p, &spec), ==, TS_OK);
	g_assert_cmpuint(p.items, ==, 2);
	/* Turns in front of a page that can't be touched. */
	room = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	g_assert_true(room != MAP_FAILED);
	g_assert_cmpint(mprotect(room + page, page, PROT_NONE), ==, 0);
	for (int64_t count = 1; count <= 3; count++) {
		void *turns = room + page - (size_t)count * sizeof(struct ts_turn);

		spec.list_count = count;
		spec.turns = turns;
		spec.grids[2].depth = 4;
		g_assert_cmpint(ts_plan_make(&p, &spec), ==, TS_OK);
		g_assert_cmpint(ts_order_item(&p, p.items - 1).g, ==, count - 1);
	}
	g_assert_cmpint(munmap(room, 2 * page), ==, 0);
}

static enum ts_status plan_less(struct ts_plan *p, const struct ts_spec *spec)
{
	p->remap_span = p->items;
	p->depth = p->k / p->block_k;
	p->items--;
	p->tiles--;
	p->cells--;
	p->rows--;
	p->k = 1;
	p->counters = spec->splits == 3 ? 9 : 0;
	if (spec->splits >= 4) {
		p->workers = spec->splits == 5 ? 0x80000000u : 0;
		p->remap_span = 0;
	}
	if (spec->splits == 6) {
		p->counters = 9;
		return TS_BAD_MODE;
	}
	return TS_OK;
}

static enum ts_status plan_other(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->m++;
	p->n++;
	p->k++;
	p->block_m++;
	p->block_n++;
	p->block_k++;
	p->rows++;
	p->cols++;
	p->depth++;
	p->cluster_m++;
	p->cluster_n++;
	p->cluster_rows++;
	p->cluster_cols++;
	p->items++;
	p->shape++;
	p->layout++;
	p->groups++;
	p->grid_count++;
	p->batch.by++;
	p->turns++;
	p->grids++;
	p->plain = !p->plain;
	p->first_cell++;
	p->first_row++;
	p->cells++;
	p->tiles++;
	return TS_OK;
}

static void check_same_problem(const struct ts_plan *a, const struct ts_plan *b)
{
	g_assert_true(a->m == b->m && a->n == b->n && a->k == b->k);
	g_assert_true(a->block_m == b->block_m && a->block_n == b->block_n);
	g_assert_true(a->block_k == b->block_k && a->depth == b->depth);
	g_assert_true(a->rows == b->rows && a->cols == b->cols);
	g_assert_true(a->cluster_m == b->cluster_m && a->cluster_n == b->cluster_n);
	g_assert_true(a->cluster_rows == b->cluster_rows && a->cluster_cols == b->cluster_cols);
	g_assert_true(a->items == b->items && a->shape == b->shape && a->layout == b->layout);
	g_assert_true(a->groups == b->groups && a->grid_count == b->grid_count);
	g_assert_true(a->batch.by == b->batch.by && a->plain == b->plain);
	g_assert_true(a->turns == b->turns && a->grids == b->grids);
	g_assert_true(a->first_cell == b->first_cell && a->first_row == b->first_row);
	g_assert_true(a->cells == b->cells && a->tiles == b->tiles);
}

/* Nor is the problem another one, whatever the plan of a policy says. */
static void test_own_problem(void)
{
	static const char *const rows[] = {"size=7x5x3 block=2x1x2 cluster=2x1",
		"tiles=7x5 batch=3", "groups=7x5x3,2x4x9 layout=masked size=9x9x9",
		"tiles=7x7 shape=triangle"};
	struct ts_policy policy = ts_policy_make("other", "", "", plan_other);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_spec spec = ts_request_read(rows[i]);
		struct ts_plan plan, right;

		g_assert_cmpint(ts_plan_make(&right, &spec), ==, TS_OK);
		g_assert_cmpint(ts_plan_make_as(&plan, &spec, &policy), ==, TS_OK);
		check_same_problem(&plan, &right);
	}
}

/* A policy of somebody's own can't make the problem smaller, nor its plan larger than allowed. */
static void test_own_plan(void)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_policy policy = ts_policy_make("less", "", "", plan_less);
	struct ts_plan plan;

	spec.m = 1000;
	spec.n = 500;
	spec.k = 100;
	g_assert_cmpint(ts_plan_make_as(&plan, &spec, &policy), ==, TS_OK);
	g_assert_cmpuint(plan.depth, ==, 2);
	g_assert_cmpuint(plan.items, ==, 8);
	g_assert_cmpuint(plan.tiles, ==, 8);
	g_assert_cmpuint(plan.cells, ==, 8);
	g_assert_cmpuint(plan.rows, ==, 4);
	g_assert_cmpuint(plan.k, ==, 100);
	spec.splits = 3;
	spec.max_counters = 9;
	g_assert_cmpint(ts_plan_make_as(&plan, &spec, &policy), ==, TS_OK);
	spec.max_counters = 8;
	g_assert_cmpint(ts_plan_make_as(&plan, &spec, &policy), ==, TS_FEW_COUNTERS);
	spec.splits = 4;
	g_assert_cmpint(ts_plan_make_as(&plan, &spec, &policy), ==, TS_BAD_WORKERS);
	spec.splits = 5;
	g_assert_cmpint(ts_plan_make_as(&plan, &spec, &policy), ==, TS_BAD_WORKERS);
	spec.splits = 6;
	g_assert_cmpint(ts_plan_make_as(&plan, &spec, &policy), ==, TS_BAD_MODE);
	spec.splits = 4;
	spec.m = spec.n = 1;
	g_assert_cmpint(ts_plan_make_as(&plan, &spec, &policy), ==, TS_BAD_WORKERS);
}

/* So that a field which nobody sets has no right value by chance. */
static G_NO_INLINE void fill_stack(void)
{
	volatile uint8_t bytes[8192];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0xa5;
}

/* A request of which nothing is said: 8192^3 in tiles of 256 x 256 x 64 for one worker, alone. */
static void test_defaults(void)
{
	struct ts_spec s;

	fill_stack();
	s = ts_spec_default();
	g_assert_cmpuint(s.policy, ==, TS_DATA_PARALLEL);
	g_assert_true(s.mode == TS_STEAL && s.order == TS_GROUPED_M && s.remap == TS_REMAP_NONE);
	g_assert_true(s.shape == TS_RECTANGLE && s.row_order == TS_ROWS_ASCENDING);
	g_assert_true(s.layout == TS_CONTIGUOUS && s.group_order == TS_GROUPS_GIVEN);
	g_assert_true(s.hybrid == TS_TWO_TILE && s.collective == TS_ALONE);
	g_assert_true(s.m == 8192 && s.n == 8192 && s.k == 8192);
	g_assert_true(s.block_m == 256 && s.block_n == 256 && s.block_k == 64);
	g_assert_true(s.cluster_m == 1 && s.cluster_n == 1 && s.max_cluster == 16);
	g_assert_true(s.width == 0 && s.chunk == 0);
	g_assert_true(s.workers == 1 && s.domains == 1 && s.slots == 1);
	g_assert_true(s.max_counters == TS_COUNT_MAX && s.local_percent == 90);
	g_assert_true(s.splits == 2 && s.min_k == 8 && s.k_groups == 1);
	g_assert_true(s.batch == 1 && s.section == 1 && s.list_count == 0);
	g_assert_true(s.list_m == NULL && s.list_n == NULL && s.list_k == NULL);
	g_assert_true(s.turns == NULL && s.grids == NULL);
	g_assert_true(s.ranks == 1 && s.rank == 0 && s.rank_chunks == 1);
}

/* The rules of a policy file: a remap over all items, and the registry where they say nothing. */
static void test_own_rules(void)
{
	struct ts_spec spec = ts_request_read("size=7x5x1 workers=4 xcds=3 remap=chiplet");
	struct ts_rules rules;
	struct ts_plan plan;

	fill_stack();
	rules = ts_rules_make("own", "a summary", ts_next);
	g_assert_null(rules.policy.map);
	g_assert_null(rules.policy.needs);
	g_assert_true(rules.policy.counter_items == NULL);
	g_assert_true(rules.policy.promise == ts_promise_static);
	g_assert_true(rules.policy.uses == ts_uses_nothing);
	g_assert_true(rules.policy.remap == ts_remap_nothing);
	g_assert_true(rules.policy.fixed_sum);
	g_assert_false(rules.policy.all_resident);
	g_assert_cmpint(ts_plan_make_as(&plan, &spec, &rules.policy), ==, TS_OK);
	g_assert_cmpuint(plan.remap_span, ==, 35);
	g_assert_cmpuint(plan.workers, ==, 4);
	g_assert_true(rules.next == ts_next);
	g_assert_true(rules.cta_tile == ts_cta_tile);
	g_assert_cmpstr(ts_rules_policy(&rules, TS_CLC).name, ==, "own");
	g_assert_cmpstr(ts_rules_policy(&rules, TS_CLC).summary, ==, "a summary");
	g_assert_cmpstr(ts_rules_policy(NULL, TS_CLC).name, ==, "clc");
	rules.policy.plan = NULL;
	g_assert_cmpstr(ts_rules_policy(&rules, TS_CLC).name, ==, "clc");
}

void ts_plans_add(void)
{
	g_test_add_func("/a request of which nothing is said", test_defaults);
	g_test_add_func("/plans of somebody's own", test_own_plan);
	g_test_add_func("/problems of somebody's own plan", test_own_problem);
	g_test_add_func("/rules of somebody's own", test_own_rules);
	g_test_add_func("/the sizes of a list", test_sizes_of_a_list);
	g_test_add_func("/a list of one size only", test_one_list);
	g_test_add_func("/plain plans are those of one whole grid", test_plain);
	g_test_add_func("/tiles that are not cut need no counter", test_nothing_cut);
	g_test_add_func("/tiles that are cut need counters and slots", test_sizes_of_cuts);
	g_test_add_func("/workers that are too many leave", test_workers_too_many);
	g_test_add_func("/policies use what they need", test_uses);
	g_test_add_func("/workers hold what would be lost", test_holds);
	g_test_add_func("/the local share is rounded down", test_local_share);
	g_test_add_func("/what is behind a list is not looked at", test_memory_behind_a_list);
}
