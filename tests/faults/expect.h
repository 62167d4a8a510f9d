/* Walks whose outcome is known. */
#ifndef TS_TESTS_FAULTS_EXPECT_H
#define TS_TESTS_FAULTS_EXPECT_H

#include "verify/walk.h"

enum { MANY = 1000 }; /* resident workers: more than any plan here has */

/* Walks `plan` into `c`; returns the fault that is found. */
enum ts_fault ts_expect_run(struct ts_coverage *c, const struct ts_plan *plan,
	const struct ts_rules *rules, enum ts_pick pick, uint32_t resident, const uint8_t *live);

/* The test fails unless `c` holds `fault`, in words that contain `text`. `where` names the case. */
void ts_expect(
	const char *where, const struct ts_coverage *c, enum ts_fault fault, const char *text);

/* Reads a word of 0 and 1, one for each worker. */
void ts_expect_live(uint8_t *live, const char *text);

/* Adds the tests of missing.c. */
void ts_missing_add(void);

#endif
