/* ucontext fibers. The calls of ASan and TSan are those of their public interface headers. */
#include "kernels/cpu_fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define WITH_TSAN
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define WITH_ASAN
#endif
#ifdef __SANITIZE_THREAD__
#define WITH_TSAN
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* Instrumented code has frames of a few times the size. */
#if defined(WITH_ASAN) || defined(WITH_TSAN)
enum { STACK = 256 * 1024 };
#else
enum { STACK = 64 * 1024 };
#endif
enum { GUARD = 1024 * 1024 };

struct cpu_fiber *cpu_fiber_new(void)
{
	struct cpu_fiber *f = calloc(1, sizeof *f);
	void *memory;

	if (f == NULL)
		return NULL;
	memory = mmap(
		NULL, GUARD + STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		free(f);
		return NULL;
	}
	f->memory = memory;
	if (mprotect(f->memory + GUARD, STACK, PROT_READ | PROT_WRITE) != 0) {
		cpu_fiber_free(f);
		return NULL;
	}
	return f;
}

/* What frames that were left for good have marked. */
static void clean(struct cpu_fiber *f)
{
#ifdef WITH_ASAN
	ASAN_UNPOISON_MEMORY_REGION(f->memory + GUARD, STACK);
	f->fake_stack = NULL;
#endif
#ifdef WITH_TSAN
	if (f->tsan != NULL)
		__tsan_destroy_fiber(f->tsan);
	f->tsan = NULL;
#endif
	(void)f;
}

void cpu_fiber_free(struct cpu_fiber *f)
{
	if (f == NULL)
		return;
	clean(f);
	munmap(f->memory, GUARD + STACK);
	free(f);
}

static void arrive(struct cpu_fiber *f)
{
#ifdef WITH_ASAN
	__sanitizer_finish_switch_fiber(f->fake_stack, &f->back_stack, &f->back_stack_bytes);
#endif
	(void)f;
}

/* makecontext() passes numbers of type int only: an address comes in two halves. */
static void trampoline(unsigned low, unsigned high)
{
	struct cpu_fiber *f = (struct cpu_fiber *)((uintptr_t)low | (uintptr_t)high << 16 << 16);

	arrive(f);
	f->run(f);
	abort();
}

void cpu_fiber_begin(struct cpu_fiber *f, void (*run)(struct cpu_fiber *f))
{
	uintptr_t address = (uintptr_t)f;

	clean(f);
	if (f->torn)
		mprotect(f->memory, GUARD, PROT_NONE);
	f->torn = false;
	f->run = run;
	f->begun = true;
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->memory + GUARD;
	f->context.uc_stack.ss_size = STACK;
	f->context.uc_link = NULL;
	makecontext(&f->context, (void (*)(void))trampoline, 2, (unsigned)address,
		(unsigned)(address >> 16 >> 16));
#ifdef WITH_TSAN
	f->tsan = __tsan_create_fiber(0);
#endif
}

void cpu_fiber_enter(struct cpu_fiber *f)
{
	ucontext_t here;

	f->back = &here;
#ifdef WITH_ASAN
	__sanitizer_start_switch_fiber(&f->back_fake_stack, f->memory + GUARD, STACK);
#endif
#ifdef WITH_TSAN
	f->back_tsan = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(f->tsan, 0);
#endif
	swapcontext(&here, &f->context);
#ifdef WITH_ASAN
	__sanitizer_finish_switch_fiber(f->back_fake_stack, NULL, NULL);
#endif
}

void cpu_fiber_leave(struct cpu_fiber *f, bool forever)
{
#ifdef WITH_ASAN
	__sanitizer_start_switch_fiber(
		forever ? NULL : &f->fake_stack, f->back_stack, f->back_stack_bytes);
#endif
#ifdef WITH_TSAN
	__tsan_switch_to_fiber(f->back_tsan, 0);
#endif
	if (forever)
		f->begun = false;
	swapcontext(&f->context, f->back);
	arrive(f);
}

bool cpu_fiber_holds(const struct cpu_fiber *f, const void *p)
{
	return (const char *)p >= f->memory + GUARD && (const char *)p < f->memory + GUARD + STACK;
}

bool cpu_fiber_guards(const struct cpu_fiber *f, const void *p)
{
	return (const char *)p >= f->memory && (const char *)p < f->memory + GUARD;
}

void cpu_fiber_open_guard(struct cpu_fiber *f)
{
	f->torn = mprotect(f->memory, GUARD, PROT_READ | PROT_WRITE) == 0;
}
