/* The items that the workers of a plan get, and the roles that run them. */
#include "verify/items.h"

#include "policies/plan.h"

enum { LIMIT = 4000000 };

static bool sound(const struct ts_roles *m)
{
	struct ts_roles_result r;

	g_assert_null(ts_roles_refusal(m));
	r = ts_roles_check(m, LIMIT);
	g_assert_cmpint(r.fault, !=, TS_ROLES_UNDECIDED);
	ts_roles_result_clear(&r);
	return r.fault == TS_ROLES_SOUND;
}

/* The roles of one worker, with the right guard and with the known faults. */
static void check_worker(const struct ts_plan *plan, const GArray *items)
{
	struct ts_roles m = {.stages = 2, .consumers = 1};
	struct ts_roles wrong;
	bool tail = false;

	g_assert_true(ts_roles_set_items(&m, plan, items));
	for (uint32_t i = 0; i < items->len; i++)
		tail |= g_array_index(items, struct ts_role_item, i).absent != 0;
	g_assert_true(sound(&m));
	wrong = m;
	ts_roles_guard_absent(&wrong, items, TS_GUARD_PRODUCER, TS_SKIPS);
	g_assert_true(sound(&wrong) == (!tail || plan->depth == 0));
	ts_roles_guard_absent(&wrong, items, TS_GUARD_CONSUMER, TS_COUNTS);
	g_assert_true(sound(&wrong) == (!tail || plan->depth == 0));
}

static void workers_of_plans(void)
{
	uint64_t tails = 0;

	for (uint32_t i = 0; i < TS_POLICIES * 3 * 3; i++) {
		struct ts_spec spec = ts_spec_default();
		g_autoptr(GPtrArray) all = NULL;
		struct ts_plan plan;
		uint32_t items = 0;

		spec.policy = i % TS_POLICIES;
		spec.m = 5 * 256;
		spec.n = 3 * 256;
		spec.k = i / TS_POLICIES % 3 * 64;
		spec.cluster_m = i / TS_POLICIES / 3 % 3 > 0 ? 2 : 1;
		spec.cluster_n = i / TS_POLICIES / 3 % 3 > 1 ? 2 : 1;
		spec.workers = 4;
		if (ts_plan_make(&plan, &spec) != TS_OK)
			continue;
		all = ts_items_of_plan(&plan, NULL);
		g_assert_nonnull(all);
		g_assert_cmpuint(all->len, ==, plan.workers);
		for (uint32_t w = 0; w < all->len; w++) {
			const GArray *list = (const GArray *)all->pdata[w];

			check_worker(&plan, list);
			items += list->len;
			for (uint32_t j = 0; j < list->len; j++)
				tails += g_array_index(list, struct ts_role_item, j).absent != 0;
		}
		g_assert_cmpuint(items, >=, plan.items);
	}
	g_assert_cmpuint(tails, >, 0);
}

static struct ts_step wait_for_ever(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_claim(0);

	(void)p, (void)w, (void)answer;
	s.act = TS_WAIT;
	s.value = 1;
	return s;
}

static void plan_without_end(void)
{
	struct ts_rules rules = {.next = wait_for_ever, .cta_tile = ts_cta_tile};
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan;

	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	plan.counters = 1;
	g_assert_null(ts_items_of_plan(&plan, &rules));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func(
		"/items/the workers of a plan have sound roles, tails and all", workers_of_plans);
	g_test_add_func("/items/a plan without an end has no items", plan_without_end);
	return g_test_run();
}
