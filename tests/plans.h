#ifndef TS_TESTS_PLANS_H
#define TS_TESTS_PLANS_H

/* Adds the tests of what plans say of themselves. */
void ts_plans_add(void);

#endif
