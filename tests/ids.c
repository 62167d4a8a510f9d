/* Walks over ids say what walks over tiles say. Their policies are the registered ones, step by
 * step, and a plan with any fault in it is refuted by one half of the walk or by the other. */
#include <string.h>

#include "tests/vectors/read.h"
#include "verify/check.h"
#include "verify/drive.h"

enum { WORLDS = 3000, MANY = 1000, LIST = 3 };

/* A request with room for its lists. */
struct world {
	struct ts_spec spec;
	int64_t m[LIST], n[LIST], k[LIST];
	struct ts_turn turns[LIST];
	struct ts_plan grids[LIST];
};

static int64_t draw(int32_t from, int32_t to)
{
	return g_test_rand_int_range(from, to + 1);
}

static void draw_world(struct world *w)
{
	struct ts_spec *s = &w->spec;

	*s = ts_spec_default();
	s->policy = draw(0, 4) == 0 ? TS_CLC : TS_WORKSTEAL;
	s->mode = (enum ts_mode)draw(0, TS_MODES - 1);
	s->order = (enum ts_order)draw(0, TS_ORDERS - 1);
	if (ts_order_has_width(s->order))
		s->width = draw(0, 5);
	s->remap = (enum ts_remap)draw(0, TS_REMAPS - 1);
	s->chunk = draw(0, 9);
	s->shape = (enum ts_shape_kind)draw(0, TS_SHAPES - 1);
	s->block_m = s->block_n = s->block_k = 1;
	s->cluster_m = draw(1, 3);
	s->cluster_n = s->shape == TS_TRIANGLE ? s->cluster_m : draw(1, 3);
	s->m = draw(0, 14);
	s->n = s->shape == TS_TRIANGLE ? s->m : draw(0, 14);
	s->k = draw(0, 5);
	s->workers = draw(1, 12);
	s->domains = draw(1, 8);
	s->slots = draw(1, 3);
	s->local_percent = draw(0, 100);
	s->batch = draw(1, 3);
	s->list_count = draw(0, 1) * draw(0, LIST);
	for (int i = 0; i < LIST; i++) {
		w->m[i] = draw(0, 9);
		w->n[i] = s->shape == TS_TRIANGLE ? w->m[i] : draw(0, 9);
		w->k[i] = draw(0, 5);
	}
	if (s->list_count > 0) {
		s->list_m = w->m;
		s->list_n = w->n;
		s->list_k = w->k;
		s->turns = w->turns;
		s->grids = w->grids;
	}
}

static bool same_worker(const struct ts_worker *a, const struct ts_worker *b)
{
	return a->id == b->id && a->domain == b->domain && a->turn == b->turn &&
		a->part == b->part && a->claiming == b->claiming;
}

static bool same_step(const struct ts_step *a, const struct ts_step *b)
{
	return a->act == b->act && a->g == b->g && a->m == b->m && a->n == b->n &&
		a->k_begin == b->k_begin && a->k_end == b->k_end && a->counter == b->counter &&
		a->value == b->value && a->slot == b->slot && a->parts == b->parts &&
		a->owns == b->owns;
}

/* Every item is served by a counter, and where any worker is enough none is there for nothing. */
static void check_counters(const struct ts_plan *p, const uint32_t *claims)
{
	struct ts_policy policy = ts_policy((enum ts_policy_id)p->policy);
	uint64_t items = 0;

	for (uint32_t i = 0; i < p->counters; i++) {
		items += policy.counter_items(p, i);
		if (policy.promise(p) == TS_NEEDS_ANY)
			g_assert_cmpuint(claims[i], >, 0);
	}
	g_assert_cmpuint(items, ==, p->items);
}

/* Until all have left, in an order that is drawn, both policies are asked the same. */
static void walk_both(const struct ts_plan *p)
{
	g_autofree struct ts_worker *workers = g_new(struct ts_worker, p->workers);
	g_autofree uint32_t *answers = g_new0(uint32_t, p->workers);
	g_autofree uint32_t *counters = g_new0(uint32_t, p->counters);
	uint64_t steps = ts_plan_steps_max(p);
	uint32_t count = p->workers;

	for (uint32_t i = 0; i < count; i++)
		workers[i] = ts_worker_make(i, i % p->domains);
	for (; count > 0 && steps > 0; steps--) {
		uint32_t i = (uint32_t)g_test_rand_int_range(0, (gint32)count);
		struct ts_worker by_id = workers[i];
		struct ts_step id = ts_drive_id_step(p, &by_id, answers[i]);
		struct ts_step s = ts_next(p, &workers[i], answers[i]);

		if (id.act == TS_WORK) {
			g_assert_cmpuint(id.m, <, p->items);
			id = ts_order_item(p, ts_remap_id(p, id.m));
		}
		if (!same_step(&s, &id) || !same_worker(&workers[i], &by_id)) {
			g_test_fail_printf(
				"worker %u differs, after turn %u", by_id.id, by_id.turn);
			return;
		}
		if (s.act == TS_CLAIM)
			answers[i] = counters[s.counter]++;
		if (s.act != TS_STOP)
			continue;
		workers[i] = workers[--count];
		answers[i] = answers[count];
	}
	g_assert_cmpuint(count, ==, 0);
	check_counters(p, counters);
}

static void test_steps(void)
{
	uint64_t plans = 0, items = 0;

	for (int i = 0; i < WORLDS; i++) {
		struct world w;
		struct ts_plan plan;

		draw_world(&w);
		if (ts_plan_make(&plan, &w.spec) != TS_OK || plan.items == 0)
			continue;
		g_assert_true(ts_walk_has_ids(&plan));
		walk_both(&plan);
		plans++;
		items += plan.items;
	}
	g_test_message("%" G_GUINT64_FORMAT " plans, %" G_GUINT64_FORMAT " items", plans, items);
	g_assert_cmpuint(plans, >, WORLDS / 4);
	g_assert_cmpuint(items, >, WORLDS);
}

/* Both kinds of walk, whoever moves: are they of one mind, and what is found? */
static enum ts_fault compare(const struct ts_plan *plan, struct ts_coverage *c)
{
	bool order = ts_walk_order(plan, c);
	enum ts_fault found = TS_SOUND;

	for (enum ts_pick pick = TS_IN_TURNS; pick < TS_PICKS; pick++) {
		struct ts_walk walk = {.pick = pick, .seed = 5, .resident = MANY};
		bool ids = ts_walk_ids(&walk, plan, c);
		bool tiles = ts_walk_run(&walk, plan, NULL, c);

		if ((order && ids) != tiles)
			g_test_fail_printf("%s: order %d, ids %d, tiles %d", ts_pick_name(pick),
				order, ids, tiles);
		if (pick == TS_IN_TURNS)
			found = c->finding.fault;
	}
	return found;
}

/* A plan that is not as ts_plan_make() leaves it. */

typedef void spoil_fn(struct ts_plan *p);

static void nothing(struct ts_plan *p)
{
	(void)p;
}

static void fewer_local(struct ts_plan *p)
{
	p->local_items--;
}

static void more_local(struct ts_plan *p)
{
	p->local_items++;
}

static void narrow_regions(struct ts_plan *p)
{
	p->regions = ts_divisor_make(p->regions.by + 1);
}

static void wide_regions(struct ts_plan *p)
{
	p->regions = ts_divisor_make(p->regions.by - 1);
}

static void one_queue(struct ts_plan *p)
{
	p->queue_domains = 1;
}

static void more_items(struct ts_plan *p)
{
	p->items++;
}

static void fewer_items(struct ts_plan *p)
{
	p->items--;
}

static void no_counters(struct ts_plan *p)
{
	p->counters = 1;
}

static void long_panels(struct ts_plan *p)
{
	p->panel = ts_divisor_make(p->panel.by + 1);
}

static void tall_panels(struct ts_plan *p)
{
	p->width = ts_divisor_make(p->width.by + 1);
}

static void low_clusters(struct ts_plan *p)
{
	p->cluster_m--;
}

static void long_remap(struct ts_plan *p)
{
	p->remap_span++;
}

static void long_rounds(struct ts_plan *p)
{
	p->remap_limit += 2;
}

static const struct spoiled {
	const char *sentence, *words;
	spoil_fn *spoil;
	enum ts_fault fault;
} spoileds[] = {
	{"nothing", "policy=worksteal tiles=7x9 workers=5 xcds=3 slots=2 cluster=2x1", nothing,
		TS_SOUND},
	{"nothing, hierarchical",
		"policy=worksteal mode=hierarchical local=50 tiles=7x9 workers=5 xcds=3", nothing,
		TS_SOUND},
	{"nothing, global", "policy=worksteal mode=global tiles=8x9 workers=5 xcds=3", nothing,
		TS_SOUND},
	{"nothing, of a cluster launch", "policy=clc tiles=8x9", nothing, TS_SOUND},
	{"nothing, of an empty grid", "policy=worksteal tiles=0x9 workers=5", nothing, TS_SOUND},
	{"too few workers", "policy=worksteal mode=slots tiles=1x11 xcds=2 slots=2 workers=3",
		nothing, TS_STARVED},
	{"an item in no queue", "policy=worksteal tiles=7x9 workers=5 xcds=3", fewer_local,
		TS_TILE_MISSING},
	{"an item too many in the queues", "policy=worksteal order=row tiles=7x9 workers=5 xcds=3",
		more_local, TS_TILE_TWICE},
	{"regions too narrow", "policy=worksteal tiles=7x9 workers=5 xcds=3", narrow_regions,
		TS_TILE_MISSING},
	{"regions too wide", "policy=worksteal order=row tiles=7x9 workers=5 xcds=3", wide_regions,
		TS_OUTSIDE},
	{"a domain without its queue", "policy=worksteal mode=slots tiles=7x9 workers=6 xcds=3",
		one_queue, TS_TILE_MISSING},
	{"a counter that is not there", "policy=worksteal tiles=7x9 workers=6 xcds=3", no_counters,
		TS_COUNTER},
	{"an item too many", "policy=clc tiles=7x9", more_items, TS_TILE_TWICE},
	{"an item too few", "policy=clc tiles=7x9", fewer_items, TS_TILE_MISSING},
	{"panels too long", "policy=worksteal order=grouped-m width=2 tiles=8x9 workers=5",
		long_panels, TS_OUTSIDE},
	{"panels too tall", "policy=worksteal order=grouped-m width=2 tiles=8x9 workers=5",
		tall_panels, TS_OUTSIDE},
	{"clusters too low", "policy=worksteal tiles=8x9 workers=5 cluster=2x1", low_clusters,
		TS_TILE_MISSING},
	{"a remap over an id too many", "policy=worksteal tiles=8x9 remap=chiplet workers=5 xcds=5",
		long_remap, TS_TILE_TWICE},
	{"rounds cut too late", "policy=worksteal tiles=8x9 remap=chunked chunk=5 workers=5 xcds=2",
		long_rounds, TS_TILE_TWICE},
};

static void test_spoiled(gconstpointer data)
{
	const struct spoiled *row = data;
	struct ts_plan plan = ts_request_make(row->words);
	struct ts_coverage c;
	enum ts_fault found;

	row->spoil(&plan);
	ts_coverage_init(&c);
	found = compare(&plan, &c);
	if (found != row->fault)
		g_test_fail_printf("found: %s", ts_fault_name(found));
	ts_coverage_finish(&c);
}

/* Sound in every walk but that of a worker alone, who does not steal. */
static void test_later_walk(void)
{
	struct ts_plan plan = ts_request_make("policy=worksteal tiles=8x9 workers=4 xcds=2");
	struct ts_checker k;

	plan.queue_domains = 1;
	plan.regions = ts_divisor_make(1);
	plan.local_items = 30;
	ts_checker_init(&k);
	g_assert_false(ts_check_plan(&k, &plan, NULL, NULL, 3));
	g_assert_cmpint(k.finding.fault, ==, TS_STARVED);
	g_assert_true(k.masked);
	g_assert_true(k.by_ids);
	ts_checker_finish(&k);
}

/* Policies that cut items, or that claim nothing, have no such walks. */
static void test_others(void)
{
	static const char *const words[] = {"tiles=3x3", "policy=persistent tiles=3x3 workers=2",
		"policy=stream-k size=3x3x5 workers=2", "policy=split-k size=3x3x5 splits=2"};

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		struct ts_plan plan = ts_request_make(words[i]);

		g_assert_false(ts_walk_has_ids(&plan));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/the steps of both are the same", test_steps);
	g_test_add_func("/a fault in a later walk alone is found", test_later_walk);
	g_test_add_func("/other policies are walked over tiles", test_others);
	for (size_t i = 0; i < G_N_ELEMENTS(spoileds); i++) {
		g_autofree char *path = g_strdup_printf("/both agree on/%s", spoileds[i].sentence);

		g_test_add_data_func(path, &spoileds[i], test_spoiled);
	}
	return g_test_run();
}
