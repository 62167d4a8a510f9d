/* Shared memory of the CTAs of a group on the CPU. Inside of the executor. */
#ifndef TS_CPU_SHARED_H
#define TS_CPU_SHARED_H

#include "kernels/cpu_run.h"

/* Makes room for the shared memory of a CTA, the end of which touches a guard; false where there is
 * none. */
bool cpu_shared_make(struct cpu_cta *cta, uint32_t dynamic);
void cpu_shared_free(struct cpu_cta *cta, uint32_t dynamic);

/* All bytes from cta->shared on. */
uint64_t cpu_shared_bytes(const struct cpu_cta *cta);

/* A new launch: no variable is known. A new group: none is written. */
void cpu_shared_launch(struct cpu_place *p);
void cpu_shared_group(struct cpu_place *p);

/* The end of a group: writes between variables are a fault. */
void cpu_shared_check(struct cpu_place *p);

/* The CTA of the group whose shared memory, guards included, holds `p`; NULL where none does. */
struct cpu_cta *cpu_shared_find(const struct cpu_place *place, const void *p);

/* Are these bytes of it in one variable, or all in dynamic shared memory? */
bool cpu_shared_holds(const struct cpu_cta *cta, const void *p, uint64_t bytes);

/* Has any of these bytes been written? A guess that is wrong once in 2^32 words. */
bool cpu_shared_written(const void *p, uint64_t bytes);

/* Names the variable at or in front of `p`. */
void cpu_shared_describe(const struct cpu_cta *cta, const void *p, char *text, uint32_t room);

/* As cpu_memory_open_guard(); the CTA's memory is not to be used for another launch. */
bool cpu_shared_open_guard(struct cpu_cta *cta);

#endif
