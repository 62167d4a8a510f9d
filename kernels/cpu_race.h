/* Races in shared memory: two threads of a group at the same bytes, one of which writes, with no
 * barrier in between. In whatever order they ran, it is found; in seeded launches only, since each
 * access costs its notes. Inside of the executor. */
#ifndef TS_CPU_RACE_H
#define TS_CPU_RACE_H

#include "kernels/cpu_run.h"

/* The last accesses to two bytes. */
struct cpu_trace {
	uint32_t write_phase, read_phase; /* of the CTA; 0: none */
	uint32_t write_step, read_step;   /* of the thread's warp */
	uint16_t writer, reader;          /* threads of the group; or CPU_SEVERAL */
	uint16_t read_warp;               /* or CPU_SEVERAL */
};

#define CPU_SEVERAL UINT16_MAX

/* Makes room for the notes on a CTA, once; false where there is none. */
bool cpu_race_make(struct cpu_cta *cta);
void cpu_race_free(struct cpu_cta *cta);

/* What comes now is behind all that was before, for the threads of the CTA. */
void cpu_race_sync(struct cpu_cta *cta);

/* Notes an access of the running thread to the shared memory of `cta`, or fails. Single bytes are
 * not looked at. */
void cpu_race_access(const struct cpu_cta *cta, const void *p, uint64_t bytes, bool writes);

#endif
