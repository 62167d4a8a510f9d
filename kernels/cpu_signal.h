/* A thread of a kernel that touches a guard. Inside of the executor. */
#ifndef TS_CPU_SIGNAL_H
#define TS_CPU_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* The handler of segmentation faults is there while launches run, in any number of pthreads. What
 * is none of its business it leaves to the one that was there before. */
void cpu_signal_install(void);
void cpu_signal_remove(void);

/* A pthread's stack for signals, without which one that ran over its stack could not be told. */
struct cpu_signal_stack {
	stack_t old;
	void *memory;
};

void cpu_signal_enter(struct cpu_signal_stack *s);
void cpu_signal_leave(struct cpu_signal_stack *s);

#endif
