/* The explorer proves what is right and finds what is wrong, though it be so in one order only. */
#include <string.h>

#include "policies/plan.h"
#include "tests/faults/protocols.h"
#include "tests/vectors/read.h"
#include "verify/check.h"
#include "verify/explore.h"

static struct ts_plan make_plan(uint32_t policy, enum ts_mode mode, int64_t m, int64_t n,
	int64_t workers, int64_t domains, int64_t slots)
{
	struct ts_spec s = ts_spec_default();
	struct ts_plan plan;

	s.policy = policy;
	s.mode = mode;
	s.m = m;
	s.n = n;
	s.k = policy == TS_STREAM_K || policy == TS_SPLIT_K ? 3 : 1;
	s.block_m = s.block_n = s.block_k = 1;
	s.splits = 2;
	s.hybrid = TS_BASIC;
	s.min_k = 1;
	s.workers = workers;
	s.domains = domains;
	s.slots = slots;
	g_assert_cmpint(ts_plan_make(&plan, &s), ==, TS_OK);
	return plan;
}

/* Explores and expects `fault`, exactly. */
static void expect(const char *where, const struct ts_explore *how, const struct ts_plan *plan,
	enum ts_fault fault)
{
	struct ts_explored e;
	g_autofree char *text = NULL;

	ts_explore_run(how, plan, &e);
	text = ts_finding_text(&e.finding, plan);
	if (e.finding.fault != fault)
		g_test_fail_printf("%s: %s, must be %s", where, text, ts_fault_name(fault));
	if (e.finding.fault == TS_SOUND)
		g_assert_cmpint(e.limit, ==, TS_LIMIT_NONE);
	ts_explored_finish(&e);
}

/* All distributions on ragged grids, with all that a policy promises to survive. */

struct world {
	uint32_t policy;
	enum ts_mode mode;
	int64_t slots;
};

static const struct world worlds[] = {
	{TS_DATA_PARALLEL, TS_STEAL, 1},
	{TS_PERSISTENT, TS_STEAL, 1},
	{TS_WORKSTEAL, TS_STEAL, 1},
	{TS_WORKSTEAL, TS_STEAL, 2},
	{TS_WORKSTEAL, TS_SLOTS, 1},
	{TS_WORKSTEAL, TS_GLOBAL, 1},
	{TS_WORKSTEAL, TS_HIERARCHICAL, 1},
	{TS_CLC, TS_STEAL, 1},
	{TS_STREAM_K, TS_STEAL, 1},
	{TS_SPLIT_K, TS_STEAL, 1},
};

static void expect_world(const struct world *world, int64_t workers, int64_t domains)
{
	bool cut = world->policy == TS_STREAM_K || world->policy == TS_SPLIT_K;
	struct ts_plan p = make_plan(world->policy, world->mode, cut ? 1 : 2, cut ? 2 : 3, workers,
		domains, world->slots);

	for (uint32_t resident = 1; resident <= p.workers; resident++)
		for (int how = 0; how < 4; how++) {
			struct ts_explore e = {.resident = resident,
				.release = (how & 1) != 0,
				.late = (how & 2) != 0};
			g_autofree char *where = g_strdup_printf(
				"policy %u, mode %d, %u of %u "
				"workers resident, release %d, late %d",
				p.policy, world->mode, resident, p.workers, e.release, e.late);

			/* Owners wait for lower ids, which must not start later. */
			if (!cut || !e.late || resident == p.workers)
				expect(where, &e, &p, TS_SOUND);
		}
}

static void test_sound(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(worlds); i++)
		for (int64_t workers = 2; workers <= 4; workers++)
			for (int64_t domains = 1; domains <= 2; domains++)
				expect_world(&worlds[i], workers, domains);
}

static void test_dirty(void)
{
	for (size_t i = 2; i < G_N_ELEMENTS(worlds); i++) {
		struct ts_plan p =
			make_plan(worlds[i].policy, worlds[i].mode, 2, 3, 4, 2, worlds[i].slots);
		struct ts_walk walk = {.pick = TS_IN_TURNS, .resident = 4};
		struct ts_coverage launch;
		struct ts_explore e = {0};

		/* Its counter is the hardware's, and starts anew with each launch. */
		if (p.launches == 1) {
			uint32_t dirty = p.workers;

			e.counters = &dirty;
			expect("after a launch", &e, &p, TS_SOUND);
			continue;
		}
		ts_coverage_init(&launch);
		g_assert_true(ts_walk_run(&walk, &p, NULL, &launch));
		e.counters = launch.claimed;
		expect("after a launch", &e, &p, p.workspace > 0 ? TS_SLOT_EARLY : TS_TILE_MISSING);
		ts_coverage_finish(&launch);
	}
}

struct planted {
	const char *sentence;
	ts_protocol_fn *next;
	enum ts_fault fault, released; /* without and with release */
	bool walks_see;                /* do the walks of check.h find it, without release? */
};

static const struct planted planted[] = {
	{"the first item by id, then claims behind those", ts_plant_own_first_right, TS_SOUND,
		TS_STARVED, true},
	{"claims without an offset", ts_plant_own_first_no_offset, TS_TILE_TWICE, TS_TILE_TWICE,
		true},
	{"claims with too large an offset", ts_plant_own_first_long_offset, TS_STARVED, TS_STARVED,
		true},
	{"an item held while released", ts_plant_holds_one, TS_SOUND, TS_TILE_MISSING, true},
	{"an item lost in few orders", ts_plant_forgets, TS_TILE_MISSING, TS_TILE_MISSING, false},
	{"claims for ever", ts_plant_claims_on, TS_ENDLESS, TS_ENDLESS, true},
	{"waits for ever for what has come", ts_plant_waits_on, TS_ENDLESS, TS_ENDLESS, true},
	{"works for ever", ts_plant_works_on, TS_ENDLESS, TS_ENDLESS, true},
	{"a counter that is not there", ts_plant_far_claim, TS_COUNTER, TS_COUNTER, true},
};

static void test_planted(void)
{
	struct ts_plan p = make_plan(TS_WORKSTEAL, TS_GLOBAL, 3, 3, 3, 1, 1);
	struct ts_checker checker;

	ts_checker_init(&checker);
	for (size_t i = 0; i < G_N_ELEMENTS(planted); i++) {
		struct ts_rules rules = {.next = planted[i].next, .cta_tile = ts_cta_tile};
		struct ts_explore how = {.rules = &rules};

		expect(planted[i].sentence, &how, &p, planted[i].fault);
		how.release = true;
		expect(planted[i].sentence, &how, &p, planted[i].released);
		if (!planted[i].walks_see)
			g_assert_true(ts_check_plan(&checker, &p, &rules, NULL, 1));
	}
	ts_checker_finish(&checker);
}

/* Cut tiles, and launches. `resident` 0: all workers. */
static const struct {
	const char *sentence, *words;
	ts_protocol_fn *next;
	uint32_t resident;
	enum ts_fault fault;
} cuts[] = {
	{"stream-k", "policy=stream-k size=1x3x4 workers=4", ts_next, 0, TS_SOUND},
	{"split-k", "policy=split-k size=1x2x3 splits=3", ts_next, 0, TS_SOUND},
	{"no wait", "policy=stream-k size=1x3x4 workers=4", ts_plant_no_wait, 0, TS_SLOT_EARLY},
	{"no wait", "policy=split-k size=1x1x2", ts_plant_no_wait, 1, TS_SLOT_EARLY},
	{"no signal", "policy=stream-k size=1x3x4 workers=4", ts_plant_no_signal, 0, TS_DEADLOCK},
	{"no fix-up", "policy=stream-k size=1x3x4 workers=4", ts_plant_no_fix_up, 0, TS_NOT_ADDED},
	{"a wait for one less", "policy=split-k size=1x1x3 splits=3", ts_plant_wait_for_less, 0,
		TS_SLOT_EARLY},
	{"a signal before the sums", "policy=split-k size=1x1x2", ts_plant_signal_first, 0,
		TS_SLOT_EARLY},
	{"one slot for all", "policy=split-k size=1x1x3 splits=3", ts_plant_one_slot, 0,
		TS_SLOT_BUSY},
	{"one slot for two tiles", "policy=split-k size=1x2x2", ts_plant_one_slot, 0, TS_SLOT_BUSY},
	{"sums in another order", "policy=split-k size=1x1x3 splits=3", ts_plant_backwards, 0,
		TS_SLOT_OTHER},
	{"the first part owns, all are there", "policy=split-k size=1x2x2", ts_plant_owner_first, 0,
		TS_SOUND},
	{"the first part owns, two are there", "policy=split-k size=1x2x2", ts_plant_owner_first, 2,
		TS_SOUND},
	{"the first part owns, one is there", "policy=split-k size=1x2x2", ts_plant_owner_first, 1,
		TS_DEADLOCK},
	{"split-k with half its workers", "policy=split-k size=1x2x2", ts_next, 2, TS_SOUND},
	{"cluster launch control", "policy=clc size=1x4x1", ts_next, 2, TS_SOUND},
	{"a failed response that is decoded", "policy=clc size=1x4x1", ts_plant_decodes_failure, 2,
		TS_TILE_TWICE},
	{"one's own id is forgotten", "policy=clc size=1x4x1", ts_plant_forgets_own, 2,
		TS_TILE_MISSING},
	{"a slot used again behind a signal", "policy=split-k size=1x2x2", ts_plant_reuse, 0,
		TS_SOUND},
	{"a slot used again too early", "policy=split-k size=1x2x2", ts_plant_reuse_early, 0,
		TS_SLOT_BUSY},
};

static void test_cuts(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cuts); i++) {
		struct ts_spec spec = ts_request_read(cuts[i].words);
		/* The rest is as registered. */
		struct ts_rules rules = {.next = cuts[i].next, .cta_tile = ts_cta_tile};
		struct ts_explore how = {.rules = &rules, .resident = cuts[i].resident};
		struct ts_plan p;

		spec.hybrid = TS_BASIC;
		spec.min_k = 1;
		g_assert_cmpint(ts_plan_make(&p, &spec), ==, TS_OK);
		expect(cuts[i].sentence, &how, &p, cuts[i].fault);
		how.brute = true;
		expect(cuts[i].sentence, &how, &p, cuts[i].fault);
	}
}

/* Where workers start in another order than that of their ids, owners can fill the places. */
static void test_late_cuts(void)
{
	struct ts_plan p = ts_request_make("policy=split-k size=1x2x2");
	struct ts_explore how = {.resident = 2, .late = true};

	expect("two places", &how, &p, TS_DEADLOCK);
	how.resident = 3;
	expect("three places", &how, &p, TS_SOUND);
}

/* The walks of `tilesim verify` find that an owner waits for higher ids, unless it says so; and an
 * order of additions that is not fixed is right only where none is promised. */
static void test_said(void)
{
	struct ts_plan p = ts_request_make("policy=split-k size=1x2x2");
	struct ts_plan three = ts_request_make("policy=split-k size=1x1x3 splits=3");
	struct ts_rules first = ts_rules_make("planted", "", ts_plant_owner_first);
	struct ts_rules backwards = ts_rules_make("planted", "", ts_plant_backwards);
	struct ts_explore how = {.rules = &backwards};
	struct ts_checker k;

	ts_checker_init(&k);
	g_assert_false(ts_check_plan(&k, &p, &first, NULL, 1));
	g_assert_cmpint(k.finding.fault, ==, TS_DEADLOCK);
	g_assert_cmpuint(k.resident, ==, 1);
	first.policy.all_resident = true;
	g_assert_true(ts_check_plan(&k, &p, &first, NULL, 1));
	k.places = 1;
	g_assert_false(ts_check_plan(&k, &p, &first, NULL, 1));
	g_assert_cmpint(k.finding.fault, ==, TS_DEADLOCK);
	k.places = p.workers;
	g_assert_true(ts_check_plan(&k, &p, &first, NULL, 1));
	g_assert_false(ts_check_plan(&k, &three, &backwards, NULL, 1));
	g_assert_cmpint(k.finding.fault, ==, TS_SLOT_OTHER);
	backwards.policy.fixed_sum = false;
	g_assert_true(ts_check_plan(&k, &three, &backwards, NULL, 1));
	expect("any order", &how, &three, TS_SOUND);
	ts_checker_finish(&k);
}

static enum ts_promise promise_any(const struct ts_plan *p)
{
	(void)p;
	return TS_NEEDS_ANY;
}

/* Who claims nothing may promise too much as well. */
static void test_promised(void)
{
	struct ts_plan p = ts_request_make("policy=persistent size=3x2x1 workers=3");
	struct ts_rules rules = ts_rules_make("planted", "", ts_next);
	struct ts_checker k;

	ts_checker_init(&k);
	g_assert_true(ts_check_plan(&k, &p, &rules, NULL, 1));
	rules.policy.promise = promise_any;
	g_assert_false(ts_check_plan(&k, &p, &rules, NULL, 1));
	g_assert_true(k.masked);
	g_assert_cmpint(k.finding.fault, ==, TS_TILE_MISSING);
	ts_checker_finish(&k);
}

static char *schedule_text(const struct ts_explored *e, const struct ts_plan *p)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < e->schedule->len; i++) {
		g_autofree char *text =
			ts_event_text(&g_array_index(e->schedule, struct ts_event, i), p);

		g_string_append_printf(out, "%s\n", text);
	}
	for (guint i = 0; i < e->blocked->len; i++) {
		g_autofree char *text =
			ts_blocked_text(&g_array_index(e->blocked, struct ts_blocked, i));

		g_string_append_printf(out, "%s\n", text);
	}
	return g_string_free(out, FALSE);
}

/* A schedule is told as it happens, is a shortest one, and ends where it goes wrong. */
static void test_schedule(void)
{
	struct ts_plan p = make_plan(TS_WORKSTEAL, TS_GLOBAL, 3, 3, 3, 1, 1);
	struct ts_rules rules = {.next = ts_plant_own_first_no_offset, .cta_tile = ts_cta_tile};
	struct ts_explore how = {.rules = &rules};
	g_autofree char *text = NULL;
	struct ts_explored e;

	g_assert_false(ts_explore_run(&how, &p, &e));
	text = schedule_text(&e, &p);
	g_assert_cmpstr(text, ==,
		"worker 0 computes tile (0,0)\n"
		"worker 1 computes tile (1,0)\n"
		"worker 2 computes tile (2,0)\n"
		"worker 0 claims from counter 0 and gets 0\n"
		"worker 0 computes tile (0,0)\n");
	ts_explored_finish(&e);
}

/* Explores pairs of workers on 1x2 tiles with `resident` places. */
static char *explore_waits(ts_protocol_fn *next, uint32_t workers, uint32_t resident)
{
	struct ts_rules rules = ts_rules_make("planted", "", next);
	struct ts_plan p = make_plan(TS_PERSISTENT, TS_STEAL, 1, 2, workers, 1, 1);
	struct ts_explore how = {.rules = &rules, .resident = resident};
	struct ts_explored e;
	char *text = NULL;

	p.counters = workers;
	if (!ts_explore_run(&how, &p, &e)) {
		g_assert_cmpint(e.finding.fault, ==, TS_DEADLOCK);
		text = schedule_text(&e, &p);
	}
	ts_explored_finish(&e);
	return text;
}

static void expect_waits(
	ts_protocol_fn *next, uint32_t workers, uint32_t resident, const char *wanted)
{
	g_autofree char *text = explore_waits(next, workers, resident);

	g_assert_cmpstr(text, ==, wanted);
}

static void test_deadlock(void)
{
	expect_waits(ts_plant_even_waits, 4, 4, NULL);
	expect_waits(ts_plant_even_waits, 4, 2, NULL);
	expect_waits(ts_plant_even_waits, 4, 1,
		"worker 0 waits for counter 0 to reach 1, which has 0; worker 1, which would raise "
		"it, has no place to run\n");
	expect_waits(ts_plant_odd_waits, 4, 1, NULL);
	expect_waits(ts_plant_ring, 2, 2,
		"worker 0 waits for counter 1 to reach 1, which has 0; worker 1, which would raise "
		"it, waits itself\n"
		"worker 1 waits for counter 0 to reach 1, which has 0; worker 0, which would raise "
		"it, waits itself\n");
}

/* Worker 1 forgets to signal, but only for item 1: taking turns it has no other. */
static void test_late_deadlock(void)
{
	struct ts_rules rules = {.next = ts_plant_last_one_waits, .cta_tile = ts_cta_tile};
	struct ts_plan p = make_plan(TS_WORKSTEAL, TS_GLOBAL, 1, 3, 2, 1, 1);
	struct ts_explore how = {.rules = &rules};
	g_autofree char *text = NULL;
	struct ts_explored e;

	p.counters = 2;
	g_assert_false(ts_explore_run(&how, &p, &e));
	g_assert_cmpint(e.finding.fault, ==, TS_DEADLOCK);
	text = schedule_text(&e, &p);
	g_assert_nonnull(strstr(text, "nobody else who is left would raise it"));
	ts_explored_finish(&e);
}

/* The same counts on every machine and every time. */
static void test_counts(void)
{
	struct ts_plan p = make_plan(TS_WORKSTEAL, TS_STEAL, 3, 3, 3, 2, 1);
	struct ts_explore how = {0};
	struct ts_explored e;

	g_assert_true(ts_explore_run(&how, &p, &e));
	g_assert_cmpuint(e.ends, ==, 1);
	g_assert_cmpuint(g_hash_table_size(e.outcomes), ==, 1);
	g_assert_cmpuint(e.states, ==, 116);
	g_assert_cmpuint(e.moves, ==, 284);
	ts_explored_finish(&e);
	how.states_max = 40;
	g_assert_true(ts_explore_run(&how, &p, &e));
	g_assert_cmpint(e.limit, ==, TS_LIMIT_STATES);
	g_assert_cmpuint(e.states, ==, 40);
	ts_explored_finish(&e);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/explore/every distribution is sound in every order", test_sound);
	g_test_add_func("/explore/counters that were not reset are found", test_dirty);
	g_test_add_func("/explore/planted faults are found", test_planted);
	g_test_add_func("/explore/cut tiles and launches", test_cuts);
	g_test_add_func("/explore/cut tiles need the order of ids", test_late_cuts);
	g_test_add_func("/explore/what a policy says of waits and sums", test_said);
	g_test_add_func("/explore/a promise without claims", test_promised);
	g_test_add_func("/explore/a schedule leads to the fault", test_schedule);
	g_test_add_func("/explore/a deadlock names who waits for whom", test_deadlock);
	g_test_add_func("/explore/a deadlock that needs one order is found", test_late_deadlock);
	g_test_add_func("/explore/counts are the same each time", test_counts);
	return g_test_run();
}
