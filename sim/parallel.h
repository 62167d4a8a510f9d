/* Parallel loops whose results do not depend on the number of threads. */
#ifndef TS_PARALLEL_H
#define TS_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

struct ts_loop {
	uint64_t count; /* indices 0 .. count - 1 */
	unsigned threads;
	const char *progress; /* what is counted, shown on standard error if that is a terminal, or
				 NULL */
	/* One index; `state` is the thread's own. Returns false to say that no higher index
	 * matters. */
	bool (*work)(void *data, void *state, uint64_t index);
	void *data;
	void **states; /* one a thread */
};

/* Calls work() for every index below the lowest one that returned false, and perhaps for some
 * above. Returns that index, or `count`. */
uint64_t ts_loop_run(const struct ts_loop *loop);

/* Processors that are online. */
unsigned ts_loop_threads(void);

#endif
