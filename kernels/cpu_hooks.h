/* What kernels on the CPU call, by way of kernels/gpu.h: the executor's side is kernels/cpu.h.
 * A thread that does what it must not never returns from here: its launch ends with a fault. */
#ifndef TS_CPU_HOOKS_H
#define TS_CPU_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* A kernel: called once a thread with the launch's argument, a struct of `bytes` bytes. */
struct cpu_kernel {
	const char *name;
	void (*enter)(const void *args);
	uint32_t bytes;
	uint32_t threads_max;
};

/* A declaration of shared memory; its address names it. */
struct cpu_shared {
	const char *name;
	uint64_t bytes;
};

/* The thread that runs. */
struct cpu_self {
	uint32_t thread, threads;
	uint32_t cta, ctas; /* along x */
	uint32_t cluster, rank;
	uint32_t unit;
};

/* A thread stays on its pthread, so that this may be read at any time. */
extern _Thread_local struct cpu_self *cpu_self;

/* Whom a barrier waits for. */
enum cpu_scope { CPU_CTA, CPU_CLUSTER };

/* How a counter is changed. */
enum cpu_change { CPU_CLAIM, CPU_SIGNAL };

#define CPU_TEXT_OF(line) #line
#define CPU_TEXT(line) CPU_TEXT_OF(line)
#define CPU_HERE __FILE__ ":" CPU_TEXT(__LINE__)

void *cpu_shared_at(const struct cpu_shared *what);
void *cpu_shared_dynamic(void);
const void *cpu_shared_of(const void *p, uint32_t rank);
void cpu_sync(enum cpu_scope scope, const char *where);

/* Calls whole(lanes, count) once for a warp of `warp` lanes, in the thread that comes last, with
 * what each lane gave as `mine`; all lanes go on after that. The last warp of a CTA may have fewer
 * lanes. For instructions that a warp carries out together. */
void cpu_together(void (*whole)(void *const *lanes, uint32_t count), void *mine, uint32_t warp,
	const char *where);
uint32_t cpu_shuffle(uint32_t value, uint32_t lane, uint32_t warp, const char *where);

/* Whether it is true in all lanes. */
bool cpu_all(bool value, uint32_t warp, const char *where);

/* Before and after a counter is changed or read. */
void cpu_change(const uint32_t *counter, enum cpu_change change);
void cpu_changed(void);
void cpu_poll(const uint32_t *counter);
void cpu_polled(const uint32_t *counter, uint32_t value);

/* Before an access to global or shared memory. */
void cpu_read(const void *p, uint64_t bytes);
void cpu_write(const void *p, uint64_t bytes);

uint64_t cpu_time_ns(void);

/* A copy happens as late as it may, so that one who doesn't wait for it finds old data. */
void cpu_copy(void *to, const void *from, uint32_t bytes, uint32_t whole);

/* As GLOBAL_LOAD_LDS_* of AMD: `bytes` for each lane of a warp of `warp` lanes, from its `from` to
 * base + bytes * lane, as late as a copy. A base that is not the same in all lanes is a fault. */
void cpu_load_to_lds(
	void *base, const void *from, uint32_t bytes, uint32_t warp, const char *where);
void cpu_copy_commit(void);
void cpu_copy_wait(uint32_t groups);

void cpu_tile(uint32_t m, uint32_t n);

#endif
