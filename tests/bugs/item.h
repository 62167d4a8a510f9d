/* What the faults here are written with: steps, ids and rules in one line each. Each fault is a
 * policy file that is compiled twice, after `enum { FIXED = 0 };` and after `enum { FIXED = 1 };`.
 */
#ifndef ITEM_H
#define ITEM_H

#include <tilesim/rules.h>

/* K iterations [begin, end) of tile (m, n). */
static inline struct ts_step part(uint32_t m, uint32_t n, uint32_t begin, uint32_t end, bool owns)
{
	struct ts_step s = ts_step_make(TS_WORK);

	s.m = m;
	s.n = n;
	s.k_begin = begin;
	s.k_end = end;
	s.owns = owns;
	return s;
}

static inline struct ts_step tile(const struct ts_plan *p, uint32_t m, uint32_t n)
{
	return part(m, n, 0, p->depth, true);
}

/* Tile `id`, row by row. */
static inline struct ts_step row_major(const struct ts_plan *p, uint32_t id)
{
	return tile(p, id / p->cols, id % p->cols);
}

static inline struct ts_step wait_for(uint32_t counter, uint32_t value)
{
	struct ts_step s = ts_step_make(TS_WAIT);

	s.counter = counter;
	s.value = value;
	return s;
}

static inline struct ts_step add_to(uint32_t counter, uint32_t value)
{
	struct ts_step s = ts_step_make(TS_SIGNAL);

	s.counter = counter;
	s.value = value;
	return s;
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t ceil_div(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0 ? 1 : 0);
}

/* Where part `i` of `total` things begins, dealt over `parts`, the longer parts first. */
static inline uint32_t share_first(uint32_t total, uint32_t parts, uint32_t i)
{
	return total / parts * i + least(i, total % parts);
}

/* The next id of a static stride over the workers. */
static inline uint32_t stride(const struct ts_plan *p, struct ts_worker *w)
{
	return w->id + w->turn++ * p->workers;
}

static inline uint32_t tiles(const struct ts_plan *p)
{
	return p->rows * p->cols;
}

typedef struct ts_step next_fn(const struct ts_plan *, struct ts_worker *, uint32_t);
typedef enum ts_status plan_fn(struct ts_plan *, const struct ts_spec *);

static inline struct ts_rules rules_of(next_fn *next)
{
	return ts_rules_make("fault", "one fault and its right form", next);
}

/* With a launch of its own: how many workers and counters. */
static inline struct ts_rules rules_with(next_fn *next, plan_fn *plan)
{
	struct ts_rules rules = rules_of(next);

	rules.policy.plan = plan;
	return rules;
}

#endif
