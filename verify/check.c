/* The set of walks. */
#include "verify/check.h"

#include <string.h>

/* Where nobody says how many fit: enough that those of any GPU do, few enough that a walk in turns
 * stays in the cache. */
enum { RESIDENT = 1024 };

void ts_checker_init(struct ts_checker *k)
{
	memset(k, 0, sizeof *k);
	k->places = RESIDENT;
	ts_coverage_init(&k->coverage);
}

void ts_checker_finish(struct ts_checker *k)
{
	ts_coverage_finish(&k->coverage);
	g_clear_pointer(&k->live, g_free);
}

static bool check_resident(struct ts_checker *k, const struct ts_plan *p,
	const struct ts_rules *rules, enum ts_pick pick, const uint8_t *live, uint64_t seed,
	uint32_t resident)
{
	struct ts_walk walk = {.pick = pick, .seed = seed, .resident = resident, .live = live};

	k->walks++;
	k->tiles += p->tiles;
	if (k->by_ids && ts_walk_ids(&walk, p, &k->coverage))
		return true;
	if (ts_walk_run(&walk, p, rules, &k->coverage))
		return true;
	k->pick = pick;
	k->resident = resident < MIN(k->places, p->workers) ? resident : 0;
	k->masked = live == k->live && live != NULL;
	k->finding = k->coverage.finding;
	return false;
}

static bool check(struct ts_checker *k, const struct ts_plan *p, const struct ts_rules *rules,
	enum ts_pick pick, const uint8_t *live, uint64_t seed)
{
	return check_resident(k, p, rules, pick, live, seed, k->places);
}

/* With partial sums, workers wait for each other: as few as can be are there, in the order of their
 * ids, unless the policy says that it needs all of them. */
static bool check_few(struct ts_checker *k, const struct ts_plan *p, const struct ts_rules *rules,
	const uint8_t *live, uint64_t seed)
{
	uint32_t most = MIN(p->workers - 1, 3);

	if (p->workspace == 0 || ts_rules_policy(rules, p->policy).all_resident)
		return true;
	for (uint32_t resident = 1; resident <= most; resident++)
		if (!check_resident(k, p, rules, TS_ANY_ONE, live, seed, resident))
			return false;
	return true;
}

/* Every set of missing workers that the policy promises to survive. k->live is made. */
static bool check_masks(
	struct ts_checker *k, const struct ts_plan *p, const struct ts_rules *rules, uint64_t seed)
{
	for (uint32_t set = 1; set + 1 < UINT32_C(1) << p->workers; set++) {
		for (uint32_t i = 0; i < p->workers; i++)
			k->live[i] = (uint8_t)(set >> i & 1);
		if (ts_walk_survives(p, rules, k->live) &&
			!check(k, p, rules, TS_IN_TURNS, k->live, seed))
			return false;
	}
	return true;
}

bool ts_check_plan(struct ts_checker *k, const struct ts_plan *p, const struct ts_rules *rules,
	const uint8_t *live, uint64_t seed)
{
	k->by_ids = false;
	if (!check(k, p, rules, TS_IN_TURNS, live, seed))
		return false;
	if (p->items == 0 ||
		(p->counters == 0 && ts_rules_policy(rules, p->policy).promise(p) == TS_NEEDS_ALL))
		return true;
	k->by_ids = rules == NULL && ts_walk_has_ids(p) && ts_walk_order(p, &k->coverage);
	for (enum ts_pick pick = TS_FIRST_ONE; pick < TS_PICKS; pick++)
		if (!check(k, p, rules, pick, live, seed))
			return false;
	if (!check_few(k, p, rules, live, seed))
		return false;
	if (live != NULL)
		return true;
	if (p->workers > k->live_made) {
		g_free(k->live);
		k->live = g_new(uint8_t, p->workers);
		k->live_made = p->workers;
	}
	if (!ts_walk_fewest(p, rules, seed, k->live))
		return true;
	if (p->workers <= k->masked_workers)
		return check_masks(k, p, rules, seed);
	return check(k, p, rules, TS_IN_TURNS, k->live, seed);
}
