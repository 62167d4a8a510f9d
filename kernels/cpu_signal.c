/* The handler takes the guard away and returns: the thread goes on as if nothing had happened, up
 * to the next place where the executor stops it. So nobody has to leave a signal handler by a jump,
 * which neither C nor sanitizers like. */
#include "kernels/cpu_signal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu_run.h"
#include "kernels/cpu_shared.h"

enum { STACK = 64 * 1024 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t users;
static struct sigaction before;

static bool open_guard(struct cpu_thread *t, const void *p)
{
	struct cpu_place *place = t->cta->place;
	struct cpu_cta *cta = cpu_shared_find(place, p);

	if (cta != NULL)
		return cpu_shared_open_guard(cta);
	return cpu_memory_open_guard(ts_cpu_memory(place->launch->cpu), p);
}

static void handle(int number, siginfo_t *info, void *context)
{
	struct cpu_thread *t = cpu_self == NULL ? NULL : cpu_thread();
	const void *p = info->si_addr;
	char text[160];

	(void)context;
	if (t != NULL && cpu_fiber_guards(t->fiber, p)) {
		cpu_fiber_open_guard(t->fiber);
		cpu_fault(t->cta->place->launch, t, "has used up its stack");
		return;
	}
	if (t != NULL && open_guard(t, p)) {
		cpu_describe(t, p, text, sizeof text);
		cpu_fault(t->cta->place->launch, t, "reads or writes at %p: %s", p, text);
		return;
	}
	/* The instruction comes again, and finds the handler that was there before. */
	sigaction(number, &before, NULL);
}

void cpu_signal_install(void)
{
	struct sigaction now;

	pthread_mutex_lock(&mutex);
	if (users++ == 0) {
		memset(&now, 0, sizeof now);
		now.sa_sigaction = handle;
		now.sa_flags = SA_SIGINFO | SA_ONSTACK;
		sigemptyset(&now.sa_mask);
		sigaction(SIGSEGV, &now, &before);
	}
	pthread_mutex_unlock(&mutex);
}

void cpu_signal_remove(void)
{
	pthread_mutex_lock(&mutex);
	if (--users == 0)
		sigaction(SIGSEGV, &before, NULL);
	pthread_mutex_unlock(&mutex);
}

void cpu_signal_enter(struct cpu_signal_stack *s)
{
	stack_t now;

	s->memory = malloc(STACK);
	memset(&now, 0, sizeof now);
	now.ss_sp = s->memory;
	now.ss_size = STACK;
	if (s->memory == NULL || sigaltstack(&now, &s->old) != 0) {
		free(s->memory);
		s->memory = NULL;
	}
}

void cpu_signal_leave(struct cpu_signal_stack *s)
{
	if (s->memory != NULL)
		sigaltstack(&s->old, NULL);
	free(s->memory);
}
