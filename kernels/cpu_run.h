/* Inside of the executor: what one launch consists of. */
#ifndef TS_CPU_RUN_H
#define TS_CPU_RUN_H

#include <stdarg.h>

#include "kernels/cpu.h"
#include "kernels/cpu_fiber.h"

enum { CPU_SITES = 32, CPU_LANES = 64 };

enum cpu_state { CPU_UNSTARTED, CPU_READY, CPU_AT_CTA, CPU_AT_CLUSTER, CPU_AT_WARP, CPU_LEFT };

/* A copy on its way. */
struct cpu_flight {
	void *to;
	const void *from;
	uint32_t bytes, whole, group;
	bool landed;
};

struct cpu_thread {
	struct cpu_self self; /* first: cpu_self points here */
	struct cpu_cta *cta;
	struct cpu_fiber *fiber;
	enum cpu_state state;
	const char *where; /* the barrier that it waits at */
	bool gone;         /* will never go on */

	/* The last counter that it polled, and how often it has polled since `epoch` with nothing
	 * but reads in between. */
	const uint32_t *polls;
	uint32_t polled, idle;
	uint64_t epoch;
	bool wrote; /* since it polled */

	struct cpu_flight *flights;
	uint32_t flight_count, flight_room, flight_group;
};

/* Who waits at a barrier, and whether all are at the same one. */
struct cpu_barrier {
	uint32_t waiting;
	const char *where;
	bool mixed;
};

struct cpu_warp {
	struct cpu_barrier barrier;
	uint32_t step; /* how often all lanes have met */
	void *lanes[CPU_LANES];
};

struct cpu_cta {
	struct cpu_place *place;
	struct cpu_thread *threads;
	struct cpu_warp *warps;
	struct cpu_barrier barrier;
	uint32_t left;
	bool has_tile, has_dynamic;
	uint32_t m, n;
	char *map;     /* guard, static, dynamic, guard */
	char *shared;  /* static variables begin here */
	char *dynamic; /* up to the guard */
	/* Of cpu_race.h. */
	struct cpu_trace *traces;
	uint64_t trace_bytes;
	uint32_t phase, warp; /* lanes, as soon as a step of a warp says */
};

/* A variable in shared memory, at the same offset in all CTAs. */
struct cpu_site {
	const struct cpu_shared *what;
	uint64_t offset;
};

/* Room for a group, and the one that is there. */
struct cpu_place {
	struct cpu_worker *worker;
	struct cpu_launch *launch;
	uint32_t index, cluster;
	bool live;
	struct cpu_cta *ctas;
	struct cpu_thread *threads; /* of all CTAs */
	uint32_t started, left;
	struct cpu_barrier barrier; /* of the cluster */
	struct cpu_thread **ready;  /* a ring */
	uint32_t ready_first, ready_count;
	struct cpu_site sites[CPU_SITES];
	uint32_t site_count;
	uint64_t static_bytes;
};

/* A pthread, and the fibers that stay on it. */
struct cpu_worker {
	struct cpu_launch *launch;
	struct cpu_fiber *fibers, *idle; /* all; those that run no thread */
	uint32_t first, step;            /* its places: first, first + step, ... */
	uint64_t random;
	struct cpu_thread *current;
	/* Read by the others: the epoch at which nothing here can go on; CPU_BUSY, CPU_DONE. */
	uint64_t stuck;
};

#define CPU_BUSY (UINT64_MAX - 1)
#define CPU_DONE UINT64_MAX

struct cpu_launch {
	struct ts_cpu *cpu;
	const struct cpu_kernel *kernel;
	struct ts_cpu_grid grid;
	const void *args;
	bool seeded;
	uint32_t ranks, threads; /* CTAs and threads of a group */
	struct cpu_place *places;
	uint32_t place_count;
	struct cpu_worker *workers;
	uint32_t worker_count;
	uint64_t clock; /* of seeded launches */

	/* Shared by the pthreads, with atomics. */
	uint32_t next_group;
	uint64_t epoch;  /* changes where somebody who waits may go on */
	uint32_t failed; /* 1: the first fault is there */
	bool deadlock;   /* instead of a fault that is written already */
	char *fault;
};

/* Says where an address is, for whoever touched it. */
void cpu_describe(const struct cpu_thread *t, const void *p, char *ret_text, uint32_t room);

/* Runs all groups of a launch that is prepared. */
void cpu_run(struct cpu_launch *l);
bool cpu_has_failed(const struct cpu_launch *l);

uint64_t cpu_random(struct cpu_worker *w);

/* A thread may go on. */
void cpu_make_ready(struct cpu_thread *t);

/* The running thread; NULL between them. A fiber may go on on another pthread than before, of which
 * the compiler knows nothing: a function sets it. */
struct cpu_thread *cpu_thread(void);
void cpu_run_as(struct cpu_thread *t) __attribute__((noinline));

/* "cluster 0, CTA 0, tile (1, 2)" */
void cpu_name_cta(const struct cpu_cta *cta, char *ret_text, uint32_t room);

/* Keeps the first fault of the launch: `format` after who it was, if it was a thread. */
void cpu_fault(struct cpu_launch *l, const struct cpu_thread *t, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for the running thread, which never goes on. */
_Noreturn void cpu_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Gives way; doesn't return where the launch has failed. */
void cpu_give_way(struct cpu_thread *t);

/* Stops a thread whose launch has failed. */
void cpu_go_on(struct cpu_thread *t);

/* A thread is done: barriers of its cluster may be complete now. */
void cpu_leave(struct cpu_thread *t);

/* A group in which nothing can go on is a fault. */
void cpu_report_group(struct cpu_place *p);

/* So is a launch; the words come when no pthread changes anything any more. */
void cpu_stop_deadlock(struct cpu_launch *l);
void cpu_report_deadlock(struct cpu_launch *l);

#endif
