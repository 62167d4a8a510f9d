/* The CPU as a device: runs kernels, compiled as C11 with kernels/gpu.h, and watches them.
 *
 * A group is one cluster of CTAs, or one CTA. There are so many places for groups; those without a
 * place wait until another has ended, as on a GPU. Groups run on several pthreads, the threads of a
 * group in turn on one of them. What is found:
 *
 *   - a barrier, or a step of a warp, at which not all threads arrive;
 *   - waiting for a counter that nobody will change any more;
 *   - accesses outside of buffers and of shared memory: at once where they go through TS_READ(),
 *     TS_WRITE(), counters or copies, or hit a guard, else when the group or launch ends;
 *   - misaligned copies and counters;
 *   - shared memory that is read before it was written, or of a CTA that has left;
 *   - with a seed, races between threads of a group in shared memory.
 *
 * TSan finds races between groups, in what was compiled with it. Nothing is known of weak memory
 * order: each atomic and barrier does all that it could. A thread that polls a hundred times while
 * nothing changes is taken to wait for ever. */
#ifndef TS_CPU_H
#define TS_CPU_H

#include "kernels/cpu_hooks.h"
#include "kernels/cpu_memory.h"

enum {
	TS_CPU_UNITS = 16, /* SMs; each has room for one CTA */
	TS_CPU_THREADS = 1024,
	TS_CPU_SHARED = 227 * 1024, /* of a CTA, static and dynamic */
	TS_CPU_FAULT = 1024
};

/* `count` clusters of cluster[0] x cluster[1] CTAs, `threads` threads and `shared` bytes of dynamic
 * shared memory in each CTA. A cluster has TS_CPU_UNITS CTAs at most. */
struct ts_cpu_grid {
	uint32_t count;
	uint32_t cluster[2];
	uint32_t threads, shared;
};

/* How to run it. With a seed all groups run on one pthread and change at atomics and reads and
 * writes as the seed has it, copies happen early or late, and time is counted in steps: the same
 * seed gives the same run. */
struct ts_cpu_way {
	uint32_t pthreads; /* 0: as many as there are processors */
	uint32_t places;   /* 0: as many as fit on the units */
	bool seeded;
	uint64_t seed;
};

struct ts_cpu;

/* NULL where there is no memory. */
struct ts_cpu *ts_cpu_new(void);
void ts_cpu_free(struct ts_cpu *c);

/* The buffers that kernels may use. */
struct cpu_memory *ts_cpu_memory(struct ts_cpu *c);

/* Groups of such a grid that have a place at once; 0 where none has. */
uint32_t ts_cpu_residency(const struct ts_cpu_grid *grid);

/* Runs the kernel to its end. False where it did not end well, and the first fault in a sentence:
 * who, where, and on which tile. */
bool ts_cpu_launch(struct ts_cpu *c, const struct cpu_kernel *kernel,
	const struct ts_cpu_grid *grid, const struct ts_cpu_way *way, const void *args,
	char ret_fault[TS_CPU_FAULT]);

#endif
