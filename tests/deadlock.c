/* A deadlock is explained: by a shortest cycle of waits, or by a wait that nobody would end. What
 * is planted here is told alike by walks, explorations, and the program's commands. */
#include <glib/gstdio.h>
#include <string.h>

#include "policies/plan.h"
#include "tests/call.h"
#include "tests/faults/protocols.h"
#include "verify/explore.h"
#include "verify/wait_graph.h"
#include "verify/walk.h"

static struct ts_step use(enum ts_act act, uint32_t counter, uint32_t value)
{
	struct ts_step s = ts_step_make(act);

	s.counter = counter;
	s.value = value;
	return s;
}

/* Workers 1 and up add 1 each to counter 0; worker 0 waits for one more than they are. */
static struct ts_step one_too_few(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	if (w->turn++ > 0)
		return ts_stop();
	return w->id == 0 ? use(TS_WAIT, 0, p->workers) : use(TS_SIGNAL, 0, 1);
}

/* Worker 0 waits for counter 0, which two would raise that wait for counter 1, which it would. */
static struct ts_step one_of_two(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)answer;
	switch (w->turn++) {
	case 0: return use(TS_WAIT, w->id == 0 ? 0 : 1, 1);
	case 1: return use(TS_SIGNAL, w->id == 0 ? 1 : 0, 1);
	}
	return ts_stop();
}

/* A ring of all workers, which is long; but worker 3 also raises the counter that worker 5 waits
 * for, and worker 5 the one that worker 3 waits for. */
static struct ts_step short_cut(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	switch (w->turn++) {
	case 0: return use(TS_WAIT, w->id, 1);
	case 1: return use(TS_SIGNAL, (w->id + 1) % p->workers, 1);
	case 2:
		if (w->id == 3 || w->id == 5)
			return use(TS_SIGNAL, 8 - w->id, 1);
	}
	return ts_stop();
}

/* Worker 1 waits for worker 0, which waits for what nobody signals. */
static struct ts_step nobody(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)answer;
	switch (w->turn++) {
	case 0: return use(TS_WAIT, w->id, 2);
	case 1: return use(TS_SIGNAL, w->id + 1, 2);
	}
	return ts_stop();
}

/* Worker 0 waits until another worker has claimed from counter 0; the others wait for worker 0. */
static struct ts_step claims_later(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)answer;
	if (w->turn++ == 0)
		return use(TS_WAIT, w->id == 0 ? 0 : 1, 1);
	if (w->turn > 2)
		return ts_stop();
	return w->id == 0 ? use(TS_SIGNAL, 1, 1) : ts_claim(0);
}

struct planted {
	const char *sentence;
	ts_protocol_fn *next;
	uint32_t workers, resident;
	const char *why; /* the finding's end; NULL: there is no deadlock */
};

static const struct planted planted[] = {
	{"an owner in front of whom it waits for, both resident", ts_plant_even_waits, 4, 2, NULL},
	{"an owner in front of whom it waits for", ts_plant_even_waits, 4, 1,
		"worker 0 waits for counter 0 to reach 1, it has 0; a cycle of 2: worker 0 waits "
		"for counter 0, which worker 1 would signal; worker 1 is not resident and waits "
		"for a place, which worker 0 holds"},
	{"an owner behind whom it waits for", ts_plant_odd_waits, 4, 1, NULL},
	{"two that wait for each other", ts_plant_ring, 2, 2,
		"worker 0 waits for counter 1 to reach 1, it has 0; a cycle of 2: worker 0 waits "
		"for counter 1, which worker 1 would signal; worker 1 waits for counter 0, which "
		"worker 0 would signal"},
	{"a ring of three", ts_plant_ring, 3, 3,
		"a cycle of 3: worker 0 waits for counter 2, which worker 2 would signal; worker 2 "
		"waits for counter 1, which worker 1 would signal; worker 1 waits for counter 0, "
		"which worker 0 would signal"},
	{"a ring of nine", ts_plant_ring, 9, 9,
		"a cycle of 9: worker 0 waits for counter 8, which worker 8 would signal; worker 8 "
		"waits for counter 7, which worker 7 would signal; worker 7 waits for counter 6, "
		"which worker 6 would signal; worker 6 waits for counter 5, which worker 5 would "
		"signal; worker 5 waits for counter 4, which worker 4 would signal; ..."},
	{"the shortest of two cycles", short_cut, 8, 8,
		"worker 3 waits for counter 3 to reach 1, it has 0; a cycle of 2: worker 3 waits "
		"for counter 3, which worker 5, one of 2, would signal; worker 5 waits for counter "
		"5, which worker 3, one of 2, would signal"},
	{"several that would help", one_of_two, 3, 3,
		"a cycle of 2: worker 0 waits for counter 0, which worker 1, one of 2, would "
		"signal; worker 1 waits for counter 1, which worker 0 would signal"},
	{"a claim that would come", claims_later, 3, 3,
		"a cycle of 2: worker 0 waits for counter 0, which worker 1, one of 2, would "
		"signal; worker 1 waits for counter 1, which worker 0 would signal"},
	{"a signal that nobody sends", nobody, 2, 2,
		"worker 0 waits for counter 0 to reach 2, it has 0, and nobody else who is left "
		"would signal it"},
	{"one signal too few, and all sent", one_too_few, 3, 3,
		"worker 0 waits for counter 0 to reach 3, it has 2, and nobody else who is left "
		"would signal it"},
	{"one signal too few, and no place for who sends them", one_too_few, 3, 1,
		"worker 0 waits for counter 0 to reach 3, it has 0, and all others who are left "
		"would add only 2"},
};

static struct ts_plan make_plan(uint32_t workers)
{
	struct ts_spec s = ts_spec_default();
	struct ts_plan plan;

	s.policy = TS_PERSISTENT;
	s.m = s.block_m = s.block_n = s.block_k = s.k = 1;
	s.n = workers;
	s.workers = workers;
	g_assert_cmpint(ts_plan_make(&plan, &s), ==, TS_OK);
	plan.counters = workers + 1;
	return plan;
}

static void expect(const char *who, const struct planted *row, const struct ts_finding *f,
	const struct ts_plan *p)
{
	g_autofree char *text = ts_finding_text(f, p);

	if (row->why == NULL && f->fault == TS_DEADLOCK)
		g_test_fail_printf("%s: %s: %s", who, row->sentence, text);
	if (row->why != NULL && (f->fault != TS_DEADLOCK || !g_str_has_suffix(text, row->why)))
		g_test_fail_printf(
			"%s: %s: \"%s\", not \"%s\"", who, row->sentence, text, row->why);
}

static void test_planted(gconstpointer data)
{
	const struct planted *row = data;
	struct ts_rules rules = ts_rules_make("planted", "", row->next);
	struct ts_plan p = make_plan(row->workers);
	struct ts_explore how = {.rules = &rules, .resident = row->resident};
	struct ts_explored e;
	struct ts_coverage c;

	ts_coverage_init(&c);
	for (enum ts_pick pick = TS_IN_TURNS; pick < TS_PICKS; pick++) {
		struct ts_walk walk = {.pick = pick, .seed = 1, .resident = row->resident};

		ts_walk_run(&walk, &p, &rules, &c);
		expect(ts_pick_name(pick), row, &c.finding, &p);
	}
	ts_coverage_finish(&c);
	ts_explore_run(&how, &p, &e);
	expect("explored", row, &e.finding, &p);
	ts_explored_finish(&e);
}

/* Whoever never runs is named, whether by a mask or because it is released. */
static void test_gone(void)
{
	struct ts_rules rules = ts_rules_make("planted", "", ts_plant_odd_waits);
	struct ts_plan p = make_plan(4);
	struct ts_walk walk = {.pick = TS_IN_TURNS, .resident = 4};
	static const uint8_t live[] = {1, 1, 0, 1};
	struct ts_coverage c;
	g_autofree char *text = NULL;

	walk.live = live;
	ts_coverage_init(&c);
	g_assert_false(ts_walk_run(&walk, &p, &rules, &c));
	text = ts_finding_text(&c.finding, &p);
	g_assert_cmpstr(text, ==,
		"all 1 resident workers wait; worker 3 waits for counter 1 to reach 1, it has 0, "
		"and worker 2, which would signal it, never runs or is gone");
	ts_coverage_finish(&c);
}

/* Places belong to dispatch queues: a worker waits for one of its own queue's, and where nobody of
 * that is there, in vain. */
static void test_queues(void)
{
	struct ts_plan p = make_plan(4);
	struct ts_rules rules = ts_rules_make("planted", "", ts_plant_ring);
	uint32_t counters[5] = {0};
	struct ts_wait_graph g;
	struct ts_finding f;
	g_autofree char *text = NULL;

	/* Workers 0 and 1 are resident, 2 waits for the place of 1, and 3 for that of 0. Of the
	 * ring 0 waits for 3. */
	ts_wait_graph_init(&g, &p, &rules, counters);
	g.queues = 2;
	for (uint32_t id = 0; id < 4; id++) {
		g.waiters[id].queue = id == 1 || id == 2;
		if (id > 1)
			continue;
		g.waiters[id].presence = TS_IS_WAITING;
		g.waiters[id].worker.turn = 1;
		g.waiters[id].counter = (id + 3) % 4;
		g.waiters[id].value = 1;
	}
	ts_wait_graph_solve(&g, &f);
	text = ts_finding_text(&f, &p);
	g_assert_nonnull(strstr(text,
		"a cycle of 2: worker 0 waits for counter 3, which worker 3 would signal; worker 3 "
		"is not resident and waits for a place, which worker 0 holds"));
	ts_wait_graph_finish(&g);

	/* Had it the place of 1 in view, the cycle would be longer. */
	ts_wait_graph_init(&g, &p, &rules, counters);
	g.queues = 2;
	for (uint32_t id = 0; id < 4; id++) {
		g.waiters[id].queue = id > 0;
		if (id > 1)
			continue;
		g.waiters[id].presence = TS_IS_WAITING;
		g.waiters[id].worker.turn = 1;
		g.waiters[id].counter = (id + 3) % 4;
		g.waiters[id].value = 1;
	}
	ts_wait_graph_solve(&g, &f);
	g_free(text);
	text = ts_finding_text(&f, &p);
	g_assert_nonnull(strstr(text,
		"a cycle of 3: worker 0 waits for counter 3, which worker 3 would signal; worker 3 "
		"is not resident and waits for a place, which worker 1 holds; worker 1 waits for "
		"counter 0, which worker 0 would signal"));
	ts_wait_graph_finish(&g);

	/* Nobody who is there can make room for it. */
	ts_wait_graph_init(&g, &p, &rules, counters);
	g.queues = 3;
	for (uint32_t id = 0; id < 4; id++)
		g.waiters[id].queue = MIN(id, 2);
	g.waiters[0].presence = TS_IS_WAITING;
	g.waiters[0].worker.turn = 1;
	g.waiters[0].counter = 3;
	g.waiters[0].value = 1;
	ts_wait_graph_solve(&g, &f);
	g_free(text);
	text = ts_finding_text(&f, &p);
	g_assert_nonnull(
		strstr(text, "and worker 3, which would signal it, never runs or is gone"));
	ts_wait_graph_finish(&g);
}

/* Half a million workers, of whom 304 are there, and the last one is waited for. */
static struct ts_step all_wait(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	if (w->turn++ > 0)
		return ts_stop();
	return w->id + 1 < p->workers ? use(TS_WAIT, 0, 1) : use(TS_SIGNAL, 0, 1);
}

static void test_large(void)
{
	struct ts_rules rules = ts_rules_make("planted", "", all_wait);
	struct ts_plan p = make_plan(500000);
	struct ts_walk walk = {.pick = TS_IN_TURNS, .resident = 304};
	struct ts_coverage c;
	g_autofree char *text = NULL;

	ts_coverage_init(&c);
	g_assert_false(ts_walk_run(&walk, &p, &rules, &c));
	text = ts_finding_text(&c.finding, &p);
	g_assert_cmpstr(text, ==,
		"all 304 resident workers wait; worker 0 waits for counter 0 to reach 1, it has 0; "
		"a cycle of 2: worker 0 waits for counter 0, which worker 499999 would signal; "
		"worker 499999 is not resident and waits for a place, which worker 0 holds");
	ts_coverage_finish(&c);
}

/* The commands, with data/policies/fix-up.h. */

static char *folder;

static void write_policy(const char *name, int owners_last)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autofree char *text = g_strdup_printf(
		"enum { OWNERS_LAST = %d };\n#include \"%s/tests/data/policies/fix-up.h\"\n",
		owners_last, g_getenv("TILESIM_SOURCE"));
	g_autoptr(GError) error = NULL;

	g_file_set_contents(path, text, -1, &error);
	g_assert_no_error(error);
}

static void test_commands(void)
{
	static const char first[] =
		"a cycle of 2: worker 0 waits for counter 0, which worker 8 would signal; worker 8 "
		"is not resident and waits for a place, which worker 0 holds";
	static const struct {
		const char *words;
		int code;
		const char *says;
	} cases[] = {
		/* 8 tiles: 16 workers. */
		{"--policy-file first.h --device h200 --cus 16", 0, "sound: 8 tiles"},
		{"--policy-file first.h --device h200 --cus 8", 1, first},
		{"--policy-file last.h --device h200 --cus 8", 0, "sound: 8 tiles"},
		{"--policy-file last.h --device h200 --cus 1", 0, "sound: 8 tiles"},
		/* Worker 8 goes to XCD 0 as worker 0 does. */
		{"--policy-file first.h --device mi300x --cus 8", 1, first},
		{"--policy-file first.h --device mi300x --cus 16", 0, "sound: 8 tiles"},
		{"--policy-file first.h --device mi300x --cus 8 --format json", 1, first},
		/* The two workers of a tile are on different XCDs, of which one has no unit. */
		{"--policy-file last.h --device mi300x --xcds 3 --cus 24 --mask xcd2", 1,
			"and worker 2, which would signal it, never runs or is gone"},
		{"compare --policy-file first.h --device h200 --cus 8", 1, "UNSOUND"},
		{"verify --policy-file first.h", 0, "sound"},
		{"verify --policy-file first.h --device h200 --cus 8", 1, first},
		{"verify --policy-file first.h --residency 8", 1, first},
		{"verify --policy-file first.h --residency 8", 1, "--residency 8"},
		{"verify --policy-file first.h --residency 9", 0, "sound"},
		{"verify --policy-file last.h --residency 1", 0, "sound"},
		{"explore --policy-file first.h --residency 8", 1, first},
		{"explore --policy-file first.h --residency 9", 0, "sound"},
		{"explore --policy-file last.h --residency 1", 0, "sound"},
	};

	folder = g_dir_make_tmp("tilesim-deadlock-XXXXXX", NULL);
	write_policy("first.h", 0);
	write_policy("last.h", 1);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *words =
			g_strdup_printf("%s --block 1x1x1 --m 8 --n 1 --k 2", cases[i].words);
		struct call c = ts_call(folder, words);

		if (c.code != cases[i].code || strstr(c.out, cases[i].says) == NULL)
			g_test_fail_printf("tilesim %s: exit code %d, and not \"%s\": %s%s", words,
				c.code, cases[i].says, c.out, c.err);
		ts_call_finish(&c);
	}
	for (int i = 0; i < 2; i++) {
		g_autofree char *path =
			g_build_filename(folder, i == 0 ? "first.h" : "last.h", NULL);

		g_unlink(path);
	}
	g_rmdir(folder);
	g_free(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(planted); i++) {
		g_autofree char *path = g_strdup_printf("/deadlock/%s", planted[i].sentence);

		g_test_add_data_func(path, &planted[i], test_planted);
	}
	g_test_add_func("/deadlock/one that is gone", test_gone);
	g_test_add_func("/deadlock/places of several queues", test_queues);
	g_test_add_func("/deadlock/half a million workers", test_large);
	g_test_add_func("/deadlock/commands", test_commands);
	return g_test_run();
}
