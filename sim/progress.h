/* How far long work has got: one line on standard error, where that is a terminal. */
#ifndef TS_PROGRESS_H
#define TS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct ts_progress {
	const char *what;
	uint64_t count;
	int64_t start; /* us */
	bool visible, shown;
};

/* `what` is counted, of which there are `count`; NULL shows nothing. */
struct ts_progress ts_progress_begin(const char *what, uint64_t count);

/* A bar, the count and an estimate of the time left. */
void ts_progress_show(struct ts_progress *p, uint64_t done);

/* Takes the line away. */
void ts_progress_end(const struct ts_progress *p);

#endif
