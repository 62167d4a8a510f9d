/* Workers that are missing: what each policy survives, and what it says where it does not. */
#include <string.h>

#include "tests/faults/expect.h"
#include "tests/vectors/read.h"
#include "verify/check.h"

/* Workers that are missing. */

struct missing {
	const char *sentence, *words, *live;
	enum ts_fault fault;
	const char *text;
};

static const struct missing missings[] = {
	{"slots with a worker each",
		"policy=worksteal mode=slots tiles=1x11 xcds=2 slots=2 workers=4", "1111", TS_SOUND,
		""},
	{"slots with fewer workers than counters",
		"policy=worksteal mode=slots tiles=1x11 xcds=2 slots=2 workers=3", "111",
		TS_STARVED,
		"counter 3 (XCD 1, slot 1) has 2 of its 2 items left and no worker that would "
		"claim "
		"them; nobody computes 2 tiles: (0,9) (0,10)"},
	{"slots whose unmanned counter is empty",
		"policy=worksteal mode=slots tiles=1x3 xcds=2 slots=2 workers=3", "111", TS_SOUND,
		""},
	{"slots with a masked XCD", "policy=worksteal mode=slots tiles=1x8 xcds=2 workers=4",
		"0101", TS_STARVED,
		"counter 0 (XCD 0, slot 0) has 4 of its 4 items left and no worker that would "
		"claim "
		"them; nobody computes 4 tiles: (0,0) (0,1) (0,2) (0,3)"},
	{"slots with one worker masked of two",
		"policy=worksteal mode=slots tiles=1x8 xcds=2 workers=4", "0110", TS_SOUND, ""},
	{"steal with a masked XCD", "policy=worksteal mode=steal tiles=1x8 xcds=2 workers=4",
		"0101", TS_SOUND, ""},
	{"global with a masked XCD",
		"policy=worksteal mode=global tiles=1x8 xcds=2 workers=4 remap=chiplet", "0101",
		TS_SOUND, ""},
	{"global without a worker", "policy=worksteal mode=global tiles=1x3 workers=2", "00",
		TS_STARVED,
		"counter 0 (global) has 3 of its 3 items left and no worker that would claim them; "
		"nobody computes 3 tiles: (0,0) (0,1) (0,2)"},
	{"steal without a worker", "policy=worksteal tiles=1x3 workers=2 xcds=2", "00", TS_STARVED,
		"counter 0 (XCD 0, slot 0) has 2 of its 2"},
	{"hierarchical with one worker an XCD",
		"policy=worksteal mode=hierarchical tiles=1x20 xcds=3 workers=6", "100011",
		TS_SOUND, ""},
	{"hierarchical with fewer workers than XCDs",
		"policy=worksteal mode=hierarchical tiles=1x20 xcds=3 workers=2", "11", TS_SOUND,
		""},
	{"hierarchical with a masked XCD",
		"policy=worksteal mode=hierarchical tiles=1x20 xcds=3 workers=6", "110110",
		TS_STARVED,
		"counter 2 (XCD 2, slot 0) has 6 of its 6 items left and no worker that would "
		"claim "
		"them; nobody computes 6 tiles: (0,12) (0,13) (0,14) (0,15) (0,16) (0,17)"},
	{"hierarchical with a masked XCD and nothing local",
		"policy=worksteal mode=hierarchical tiles=1x20 xcds=3 workers=6 local=0", "110110",
		TS_SOUND, ""},
	{"persistent with a masked worker", "policy=persistent tiles=1x5 workers=3", "101",
		TS_TILE_MISSING,
		"nobody computes 2 tiles: (0,1) (0,4); 1 of 3 workers never ran, or left early"},
	{"data-parallel with a masked worker", "tiles=2x2", "1110", TS_TILE_MISSING,
		"nobody computes 1 tile: (1,1); 1 of 4 workers never ran, or left early"},
};

static void test_missing(gconstpointer data)
{
	const struct missing *row = data;
	struct ts_plan plan = ts_request_make(row->words);
	struct ts_checker k;
	struct ts_coverage c;
	uint8_t live[8];

	g_assert_cmpuint(strlen(row->live), ==, plan.workers);
	ts_expect_live(live, row->live);
	ts_coverage_init(&c);
	ts_checker_init(&k);
	for (enum ts_pick pick = TS_IN_TURNS; pick < TS_PICKS; pick++)
		for (uint32_t resident = 1; resident < 4; resident++) {
			ts_expect_run(&c, &plan, NULL, pick, resident, live);
			ts_expect(ts_pick_name(pick), &c, row->fault, row->text);
		}
	g_assert_true(ts_check_plan(&k, &plan, NULL, live, 1) == (row->fault == TS_SOUND));
	g_assert_cmpint(k.finding.fault, ==, row->fault);
	ts_checker_finish(&k);
	ts_coverage_finish(&c);
}

/* steal and global promise to survive with any one worker. */
static void test_any_one_worker(void)
{
	static const char *const words[] = {
		"policy=worksteal mode=steal tiles=5x3 xcds=3 slots=2 workers=7 remap=chiplet",
		"policy=worksteal mode=steal tiles=5x3 xcds=8 workers=3",
		"policy=worksteal mode=global tiles=5x3 xcds=3 workers=7 remap=chunked chunk=2",
	};
	struct ts_coverage c;

	ts_coverage_init(&c);
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		struct ts_plan plan = ts_request_make(words[i]);

		for (uint32_t id = 0; id < plan.workers; id++) {
			uint8_t live[7] = {0};

			live[id] = 1;
			ts_expect_run(&c, &plan, NULL, TS_IN_TURNS, MANY, live);
			ts_expect(words[i], &c, TS_SOUND, "");
			g_assert_cmpuint(c.idle_workers, ==, plan.workers - 1);
		}
	}
	ts_coverage_finish(&c);
}

/* With every set of workers but none: the policy survives exactly where it says so. */
static void test_survives(void)
{
	static const char *const words[] = {
		"tiles=3x2",
		"policy=persistent tiles=1x11 workers=5",
		"policy=worksteal mode=steal tiles=1x11 xcds=2 slots=2 workers=5",
		"policy=worksteal mode=global tiles=1x11 xcds=2 workers=5 remap=chiplet",
		"policy=worksteal mode=slots tiles=1x11 xcds=2 slots=2 workers=7",
		"policy=worksteal mode=slots tiles=1x11 xcds=2 slots=2 workers=3",
		"policy=worksteal mode=slots tiles=1x2 xcds=3 slots=2 workers=7",
		"policy=worksteal mode=hierarchical tiles=1x20 xcds=3 workers=7",
		"policy=worksteal mode=hierarchical tiles=1x20 xcds=5 workers=4",
		"policy=worksteal mode=hierarchical tiles=1x20 xcds=2 slots=2 workers=7 local=20",
	};
	struct ts_coverage c;

	ts_coverage_init(&c);
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		struct ts_plan plan = ts_request_make(words[i]);

		for (uint32_t set = 1; set < UINT32_C(1) << plan.workers; set++) {
			enum ts_fault fault;
			uint8_t live[7];

			for (uint32_t id = 0; id < plan.workers; id++)
				live[id] = set >> id & 1;
			fault = ts_expect_run(&c, &plan, NULL, TS_IN_TURNS, MANY, live);
			if (ts_walk_survives(&plan, NULL, live) != (fault == TS_SOUND))
				g_test_fail_printf("%s: %s with the workers of set %x", words[i],
					ts_fault_name(fault), set);
		}
	}
	ts_coverage_finish(&c);
}

/* The fewest workers are as many as promised, with every seed, and enough. */
static void test_fewest(void)
{
	static const struct {
		const char *words;
		uint32_t count;
		bool fewer;
	} rows[] = {
		{"tiles=3x2", 6, false},
		{"policy=persistent tiles=3x2 workers=4", 4, false},
		{"policy=worksteal mode=steal tiles=5x4 xcds=2 slots=2 workers=9", 1, true},
		{"policy=worksteal mode=global tiles=5x4 xcds=2 workers=9", 1, true},
		{"policy=worksteal mode=slots tiles=5x4 xcds=2 slots=2 workers=9", 4, true},
		{"policy=worksteal mode=slots tiles=5x4 xcds=3 workers=9", 3, true},
		{"policy=worksteal mode=hierarchical tiles=5x4 xcds=3 workers=7", 3, true},
		{"policy=worksteal mode=hierarchical tiles=5x4 xcds=8 workers=7", 7, true},
	};
	struct ts_coverage c;
	uint8_t live[9];

	ts_coverage_init(&c);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		for (uint64_t seed = 0; seed < 20; seed++) {
			struct ts_plan plan = ts_request_make(rows[i].words);
			uint32_t count = 0;

			g_assert_true(ts_walk_fewest(&plan, NULL, seed, live) == rows[i].fewer);
			for (uint32_t id = 0; id < plan.workers; id++)
				count += live[id];
			g_assert_cmpuint(count, ==, rows[i].count);
			ts_expect_run(&c, &plan, NULL, TS_IN_TURNS, MANY, live);
			ts_expect(rows[i].words, &c, TS_SOUND, "");
		}
	ts_coverage_finish(&c);
}

/* Every small world. */

static int64_t part(int64_t total, int64_t parts, int64_t i)
{
	return total / parts + (i < total % parts ? 1 : 0);
}

/* The first counter with items that no worker begins with, or -1. Worker w begins at slot
 * w / xcds % slots of XCD w % xcds, so the counter of (x, s) is manned from x + s xcds + 1 workers
 * on.
 */
static int64_t unmanned(const struct ts_spec *s, int64_t items)
{
	bool split = s->mode == TS_HIERARCHICAL;
	int64_t local = split ? items * s->local_percent / 100 : items;
	int64_t regions = split ? MIN(s->domains, s->workers) : s->domains;

	if (s->policy != TS_WORKSTEAL || s->mode == TS_STEAL || s->mode == TS_GLOBAL)
		return -1;
	for (int64_t x = 0; x < regions; x++)
		for (int64_t slot = 0; slot < s->slots; slot++)
			if (part(part(local, regions, x), s->slots, slot) > 0 &&
				x + slot * s->domains >= s->workers)
				return x * s->slots + slot;
	return -1;
}

static void check_world(struct ts_checker *k, const struct ts_spec *spec, uint64_t *starved)
{
	struct ts_plan plan;
	enum ts_status status = ts_plan_make(&plan, spec);
	g_autofree char *words = NULL;
	int64_t counter;
	bool sound;

	if (status == TS_UNUSED_SLOTS && spec->slots > 1)
		return;
	g_assert_cmpint(status, ==, TS_OK);
	counter = unmanned(spec, plan.items);
	sound = ts_check_plan(k, &plan, NULL, NULL, 11);
	*starved += counter >= 0 ? 1 : 0;
	if (sound == (counter < 0) &&
		(sound || (k->finding.fault == TS_STARVED && k->finding.counter == counter)))
		return;
	words = ts_request_words(spec);
	g_test_fail_printf("%s: %s, must %s", words, ts_fault_name(k->finding.fault),
		counter < 0 ? "be sound" : "starve");
}

/* All workers, XCDs, slots and modes of one grid. */
static void check_grid(struct ts_checker *k, struct ts_spec *spec, uint64_t *starved)
{
	static const int64_t workers[] = {1, 2, 3, 5, 8};
	static const int64_t domains[] = {1, 2, 3, 8};
	size_t modes = spec->policy == TS_WORKSTEAL ? TS_MODES : 1;
	size_t slots = spec->policy == TS_WORKSTEAL ? 2 : 1;

	for (size_t i = 0; i < G_N_ELEMENTS(workers) * G_N_ELEMENTS(domains) * modes * slots; i++) {
		size_t rest = i;

		spec->workers = workers[rest % G_N_ELEMENTS(workers)];
		rest /= G_N_ELEMENTS(workers);
		spec->domains = domains[rest % G_N_ELEMENTS(domains)];
		rest /= G_N_ELEMENTS(domains);
		spec->mode = (enum ts_mode)(rest % modes);
		spec->slots = 1 + (int64_t)(rest / modes);
		/* A data-parallel plan has as many workers as items, whatever it is asked. */
		if (spec->policy != TS_DATA_PARALLEL || spec->workers == workers[0])
			check_world(k, spec, starved);
	}
}

static void test_small_worlds(void)
{
	static const int64_t clusters[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};
	enum { SIDE = 5 };
	struct ts_checker k;
	uint64_t starved = 0;

	ts_checker_init(&k);
	for (size_t i = 0; i < SIDE * SIDE * 4 * TS_POLICIES * TS_ORDERS * TS_REMAPS; i++) {
		struct ts_spec spec = ts_request_read("");
		size_t rest = i / 4 / SIDE / SIDE;

		spec.m = 1 + (int64_t)(i % SIDE);
		spec.n = 1 + (int64_t)(i / SIDE % SIDE);
		spec.cluster_m = clusters[i / SIDE / SIDE % 4][0];
		spec.cluster_n = clusters[i / SIDE / SIDE % 4][1];
		spec.policy = (uint32_t)(rest % TS_POLICIES);
		spec.order = (enum ts_order)(rest / TS_POLICIES % TS_ORDERS);
		spec.remap = (enum ts_remap)(rest / TS_POLICIES / TS_ORDERS);
		spec.width = ts_order_has_width(spec.order) ? 2 : 0;
		spec.chunk = ts_remap_has_chunk(spec.remap) ? 2 : 0;
		check_grid(&k, &spec, &starved);
	}
	g_test_message("%" G_GUINT64_FORMAT " walks, %" G_GUINT64_FORMAT " plans starve", k.walks,
		starved);
	g_assert_cmpuint(starved, >, 0);
	ts_checker_finish(&k);
}

void ts_missing_add(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(missings); i++) {
		g_autofree char *path =
			g_strdup_printf("/missing workers/%s", missings[i].sentence);

		g_test_add_data_func(path, &missings[i], test_missing);
	}
	g_test_add_func("/any one worker is enough to steal", test_any_one_worker);
	g_test_add_func("/policies survive what they promise to", test_survives);
	g_test_add_func("/the fewest workers are enough", test_fewest);
	g_test_add_func("/small worlds are sound or starve as computed", test_small_worlds);
}
