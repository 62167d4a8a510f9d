/* A policy as values: for drivers that run the registered policies, a user's own from a file, and
 * in tests deliberately broken ones.
 *
 * A policy file is a header that includes <tilesim/rules.h>, writes one next() by the contract, and
 * ends with
 *
 *	static inline struct ts_rules ts_user_rules(void)
 *	{
 *		return ts_rules_make("mine", "what it does", my_next);
 *	}
 *
 * with more fields set where the policy claims from counters or decodes clusters in its own way. */
#ifndef TS_RULES_H
#define TS_RULES_H

#include "all.h"

/* Where a driver takes a pointer to these, NULL means the registered policies. */
struct ts_rules {
	struct ts_step (*next)(const struct ts_plan *p, struct ts_worker *w, uint32_t answer);
	struct ts_tile (*cta_tile)(const struct ts_plan *p, const struct ts_step *s, uint32_t rank);
	/* Everything else; where policy.plan is NULL it is the registered policy of the plan. */
	struct ts_policy policy;
};

/* The plan of a policy without counters: workers as asked for, a remap over all items. */
static inline enum ts_status ts_rules_plan(struct ts_plan *p, const struct ts_spec *spec)
{
	(void)spec;
	p->remap_span = p->items;
	return TS_OK;
}

static inline struct ts_rules ts_rules_make(const char *name, const char *summary,
	struct ts_step (*next)(const struct ts_plan *, struct ts_worker *, uint32_t))
{
	struct ts_rules rules;

	rules.next = next;
	rules.cta_tile = ts_cta_tile;
	rules.policy = ts_policy_make(name, summary, "a policy file", ts_rules_plan);
	return rules;
}

/* What `rules` say of a policy, or the registry where they say nothing. */
static inline struct ts_policy ts_rules_policy(const struct ts_rules *rules, uint32_t id)
{
	if (rules != 0 && rules->policy.plan != 0)
		return rules->policy;
	return ts_policy((enum ts_policy_id)id);
}

#endif
