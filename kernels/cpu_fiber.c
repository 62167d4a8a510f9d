/* ucontext fibers. The calls of ASan and TSan are those of their public interface headers. */
#include "kernels/cpu_fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

/* swapcontext() calls the kernel for the signal mask, which nobody changes here; most of the time
 * of a kernel with many barriers would be spent there. Sanitizers know that function, however, and
 * a shadow stack (CET) would have to be switched too. */
#if defined(__x86_64__) && !defined(WITH_ASAN) && !defined(WITH_TSAN) &&                           \
	!(defined(__CET__) && (__CET__ & 2))
#define WITH_SWITCH
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

/* The first function in a fiber. */
static _Noreturn void run(struct cpu_fiber *f)
{
	arrive(f);
	f->run(f);
	abort();
}

#ifdef WITH_SWITCH
/* Saves what a function has to keep by the System V ABI for x86-64 (3.2.1) on the stack, and the
 * stack's pointer in *save; goes on where `sp` was saved. */
void cpu_fiber_switch(void **save, void *sp);

/* Where a new fiber begins: it has its function in r13, and what that takes in r12. */
void cpu_fiber_entry(void);

__asm__(".text\n"
	".type cpu_fiber_switch, @function\n"
	"cpu_fiber_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	subq $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	addq $8, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size cpu_fiber_switch, . - cpu_fiber_switch\n"
	".type cpu_fiber_entry, @function\n"
	"cpu_fiber_entry:\n"
	"	movq %r12, %rdi\n"
	"	call *%r13\n"
	"	ud2\n"
	".size cpu_fiber_entry, . - cpu_fiber_entry\n");

/* The stack as if the fiber had been left in front of its first instruction. */
static void prepare(struct cpu_fiber *f)
{
	uintptr_t address = (uintptr_t)f;
	uintptr_t frame[] = {0 /* control words */, 0 /* r15 */, 0 /* r14 */, (uintptr_t)run,
		address /* r12 */, 0 /* rbx */, 0 /* rbp */, (uintptr_t)cpu_fiber_entry};

	__asm__("stmxcsr (%0)\n\tfnstcw 4(%0)" : : "r"(frame) : "memory");
	/* Stacks that all began at the same place of a page would share a few lines of the cache.
	 */
	f->sp = f->memory + GUARD + STACK - 16 - sizeof frame -
		(address / sizeof *f * 17 + address / 4096) % 60 * 64;
	memcpy(f->sp, frame, sizeof frame);
}

static void go_in(struct cpu_fiber *f)
{
	cpu_fiber_switch(&f->back_sp, f->sp);
}

static void go_out(struct cpu_fiber *f)
{
	cpu_fiber_switch(&f->sp, f->back_sp);
}
#else
/* makecontext() passes numbers of type int only: an address comes in two halves. */
static void trampoline(unsigned low, unsigned high)
{
	run((struct cpu_fiber *)((uintptr_t)low | (uintptr_t)high << 16 << 16));
}

static void prepare(struct cpu_fiber *f)
{
	uintptr_t address = (uintptr_t)f;

	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->memory + GUARD;
	f->context.uc_stack.ss_size = STACK;
	f->context.uc_link = NULL;
	makecontext(&f->context, (void (*)(void))trampoline, 2, (unsigned)address,
		(unsigned)(address >> 16 >> 16));
}

static void go_in(struct cpu_fiber *f)
{
	swapcontext(&f->back, &f->context);
}

static void go_out(struct cpu_fiber *f)
{
	swapcontext(&f->context, &f->back);
}
#endif

void cpu_fiber_begin(struct cpu_fiber *f, void (*run_it)(struct cpu_fiber *f))
{
	clean(f);
	if (f->torn)
		mprotect(f->memory, GUARD, PROT_NONE);
	f->torn = false;
	f->run = run_it;
	f->begun = true;
	prepare(f);
#ifdef WITH_TSAN
	f->tsan = __tsan_create_fiber(0);
#endif
}

void cpu_fiber_enter(struct cpu_fiber *f)
{
#ifdef WITH_ASAN
	__sanitizer_start_switch_fiber(&f->back_fake_stack, f->memory + GUARD, STACK);
#endif
#ifdef WITH_TSAN
	f->back_tsan = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(f->tsan, 0);
#endif
	go_in(f);
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
	go_out(f);
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
