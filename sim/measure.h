/* Measuring a plan without time: balance and locality of one walk with its workers in turns. */
#ifndef TS_MEASURE_H
#define TS_MEASURE_H

#include "sim/goals.h"
#include "verify/walk.h"

/* How to walk. */
struct ts_measure {
	const struct ts_device *device;
	const struct ts_rules *rules; /* NULL: the registered policies */
	int64_t asked;                /* workers that the plan was asked for */
	uint32_t resident;
	const uint8_t *live; /* as in struct ts_walk */
};

/* Walks a sound plan, into `c`, and returns the first goal that it misses, in words, or NULL. Goals
 * that need time are taken for met. Free with g_free(). */
char *ts_measure_missed(const struct ts_measure *how, const struct ts_plan *plan,
	const struct ts_goals *goals, struct ts_coverage *c, enum ts_goal *ret_goal);

#endif
