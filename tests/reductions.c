/* The explorer's reductions lose nothing: with and without them there are the same faults and the
 * same outcomes, on small plans of every distribution and on policies that are drawn at random. */
#include "policies/plan.h"
#include "tests/faults/protocols.h"
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
	s.k = s.block_m = s.block_n = s.block_k = 1;
	s.workers = workers;
	s.domains = domains;
	s.slots = slots;
	g_assert_cmpint(ts_plan_make(&plan, &s), ==, TS_OK);
	return plan;
}

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
};

/* Are the outcomes and faults the same? False if brute force ran out of states. */
static bool expect_same(const struct ts_explore *how, const struct ts_plan *p, const char *where)
{
	struct ts_explore all = *how;
	struct ts_explored reduced, brute;
	bool compared;
	GHashTableIter iter;
	gpointer outcome;

	all.go_on = true;
	all.states_max = 60000;
	ts_explore_run(&all, p, &reduced);
	all.brute = true;
	ts_explore_run(&all, p, &brute);
	compared = reduced.limit == TS_LIMIT_NONE && brute.limit == TS_LIMIT_NONE;
	if (compared) {
		bool same = reduced.faults == brute.faults &&
			g_hash_table_size(reduced.outcomes) == g_hash_table_size(brute.outcomes);

		g_hash_table_iter_init(&iter, brute.outcomes);
		while (same && g_hash_table_iter_next(&iter, &outcome, NULL))
			same = g_hash_table_contains(reduced.outcomes, outcome);
		if (!same)
			g_test_fail_printf("%s: faults %x and %x, outcomes %u and %u", where,
				reduced.faults, brute.faults, g_hash_table_size(reduced.outcomes),
				g_hash_table_size(brute.outcomes));
		g_assert_cmpuint(reduced.states, <=, brute.states);
	}
	ts_explored_finish(&reduced);
	ts_explored_finish(&brute);
	return compared;
}

static ts_protocol_fn *const protocols[] = {ts_plant_own_first_right, ts_plant_own_first_no_offset,
	ts_plant_own_first_long_offset, ts_plant_holds_one, ts_plant_forgets, ts_plant_claims_on,
	ts_plant_waits_on, ts_plant_works_on, ts_plant_far_claim};

static void test_plans(void)
{
	GRand *random = g_rand_new_with_seed(20);

	for (int i = 0; i < 300; i++) {
		const struct world *world =
			&worlds[g_rand_int_range(random, 0, G_N_ELEMENTS(worlds))];
		struct ts_plan p =
			make_plan(world->policy, world->mode, g_rand_int_range(random, 1, 4),
				g_rand_int_range(random, 1, 3), g_rand_int_range(random, 1, 4),
				g_rand_int_range(random, 1, 4), world->slots);
		struct ts_explore how = {.resident = (uint32_t)g_rand_int_range(random, 0, 4),
			.release = g_rand_boolean(random),
			.late = g_rand_boolean(random)};
		g_autofree char *where = g_strdup_printf("seed 20, plan %d", i);

		g_assert_true(expect_same(&how, &p, where));
	}
	for (size_t i = 0; i < G_N_ELEMENTS(protocols); i++) {
		struct ts_rules rules = {.next = protocols[i], .cta_tile = ts_cta_tile};
		struct ts_plan p = make_plan(TS_WORKSTEAL, TS_GLOBAL, 2, 2, 2, 1, 1);
		struct ts_explore how = {.rules = &rules, .release = i % 2 == 0};
		g_autofree char *where = g_strdup_printf("protocol %zu", i);

		g_assert_true(expect_same(&how, &p, where));
	}
	g_rand_free(random);
}

/* Policies drawn at random: step number `turn` of a worker, and where it goes from there, is a hash
 * of all it knows. HIGH is an answer that claims alone never give. */
static uint32_t drawn_seed;
enum { DRAWN = 1500, DRAWN_STEPS = 4, HIGH = 50 };

static struct ts_step drawn(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t h = drawn_seed + w->id * 7919u + w->turn * 104729u;
	bool was_claiming = w->claiming == 1;
	struct ts_step s;

	if (was_claiming)
		h += (answer < HIGH ? answer % 3 : 3) * 1299709u;
	for (int i = 0; i < 3; i++) {
		h ^= h >> 15;
		h *= 0x2c1b3c6du;
	}
	h ^= h >> 16;
	w->claiming = 0;
	if (w->turn % 16 >= DRAWN_STEPS)
		return ts_stop();
	w->turn = (w->turn + 1) % 16 + 16 * (h >> 8 & 3);
	/* Claims give more each time, so that going round ends. */
	if (was_claiming && answer < 2 && (h >> 20) % 3 == 0)
		w->turn = 0;
	switch (h % 8) {
	case 0:
	case 1:
	case 2: w->claiming = 1; return ts_claim((h >> 4) % p->counters);
	case 3:
	case 4: return ts_order_item(p, (h >> 4) % p->items);
	case 5: s = ts_step_make(TS_WAIT); break;
	case 6: s = ts_step_make(TS_SIGNAL); break;
	default: return (h >> 4) % 3 == 0 ? ts_stop() : ts_order_item(p, (h >> 4) % p->items);
	}
	s.counter = (h >> 4) % p->counters;
	s.value = 1 + (h >> 12) % 2;
	if (s.act == TS_SIGNAL && (h >> 14) % 3 == 0)
		s.value = HIGH;
	return s;
}

static enum ts_promise promise_any(const struct ts_plan *p)
{
	(void)p;
	return TS_NEEDS_ANY;
}

static enum ts_promise promise_queues(const struct ts_plan *p)
{
	(void)p;
	return TS_NEEDS_EACH_QUEUE;
}

static uint32_t one_item(const struct ts_plan *p, uint32_t counter)
{
	(void)p;
	(void)counter;
	return 1;
}

static void test_drawn(void)
{
	/* Quick tests are those of a sanitizer. */
	int count = g_test_slow() ? DRAWN : DRAWN / 10;
	GRand *random = g_rand_new_with_seed(21);
	struct ts_rules rules = ts_rules_make("drawn", "", drawn);
	int compared = 0;

	rules.policy.counter_items = one_item;
	for (int i = 0; i < count; i++) {
		struct ts_plan p = make_plan(
			TS_PERSISTENT, TS_STEAL, 2, 2, g_rand_int_range(random, 2, 5), 1, 1);
		struct ts_explore how = {.rules = &rules,
			.resident = (uint32_t)g_rand_int_range(random, 0, 4),
			.release = g_rand_boolean(random),
			.late = g_rand_boolean(random)};
		g_autofree char *where = NULL;

		p.counters = (uint32_t)g_rand_int_range(random, 1, 5);
		p.queue_domains = p.counters;
		rules.policy.promise = i % 3 == 0 ? ts_promise_static
			: i % 3 == 1              ? promise_any
						  : promise_queues;
		drawn_seed = g_rand_int(random);
		where = g_strdup_printf("seed 21, policy %d", i);
		compared += expect_same(&how, &p, where);
	}
	g_assert_cmpint(compared, >, count - count / 8);
	g_rand_free(random);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/reductions/lose nothing on small plans", test_plans);
	g_test_add_func("/reductions/lose nothing on drawn policies", test_drawn);
	return g_test_run();
}
