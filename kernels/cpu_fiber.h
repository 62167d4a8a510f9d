/* A stack and a place in a function, for a thread of a kernel. Fibers know the sanitizers, which
 * otherwise take a change of stacks for a fault. */
#ifndef TS_CPU_FIBER_H
#define TS_CPU_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

struct cpu_fiber {
	void *sp, *back_sp; /* in place of contexts, where there is a switch without them */
	void *user;         /* of who runs in it */
	void (*run)(struct cpu_fiber *f);
	struct cpu_fiber *next, *all; /* in its owner's lists */
	char *memory;                 /* guard, then stack */
	bool begun;                   /* and not left for ever */
	bool torn;                    /* has no guard */
	/* Of the sanitizers. */
	void *fake_stack, *back_fake_stack, *tsan, *back_tsan;
	const void *back_stack;
	size_t back_stack_bytes;
	/* Large: behind what is used at each change. */
	ucontext_t context, back;
};

/* NULL where there is no memory. */
struct cpu_fiber *cpu_fiber_new(void);
void cpu_fiber_free(struct cpu_fiber *f);

/* Makes it begin with run(f) when it is entered next, which must not return. */
void cpu_fiber_begin(struct cpu_fiber *f, void (*run)(struct cpu_fiber *f));

/* Goes on in the fiber until it leaves, which it does on the same pthread. */
void cpu_fiber_enter(struct cpu_fiber *f);

/* Called in the fiber. With `forever` it is never entered again, but for a new beginning. */
void cpu_fiber_leave(struct cpu_fiber *f, bool forever);

/* Is `p` in the fiber's stack; in the guard that ends it? */
bool cpu_fiber_holds(const struct cpu_fiber *f, const void *p);
bool cpu_fiber_guards(const struct cpu_fiber *f, const void *p);

/* Takes the guard away, so that a thread which ran over its stack gets to its end. */
void cpu_fiber_open_guard(struct cpu_fiber *f);

#endif
