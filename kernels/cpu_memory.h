/* The memory of the CPU as a device: buffers between pages that nobody may touch, with names for
 * their parts, so that an access which misses can be put into words. */
#ifndef TS_CPU_MEMORY_H
#define TS_CPU_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_part {
	char *begin, *end;
	char name[32];
};

struct cpu_buffer {
	char *map;
	uint64_t map_bytes;
	struct cpu_part whole;
	bool torn; /* a guard was opened */
	struct cpu_part *parts;
	uint32_t part_count;
};

struct cpu_memory {
	struct cpu_buffer *buffers;
	uint32_t count;
};

/* Bytes between guards, 16 byte aligned and zero; NULL where there is no memory. The end is so
 * close to the guard as the alignment allows. */
void *cpu_memory_alloc(struct cpu_memory *m, uint64_t bytes, const char *name);
void cpu_memory_free(struct cpu_memory *m, const void *buffer);
void cpu_memory_finish(struct cpu_memory *m);

/* From now on an access to the buffer that holds this part must lie in one of its parts. */
bool cpu_memory_name(struct cpu_memory *m, const void *part, uint64_t bytes, const char *name);

/* Forgets the parts of a buffer. */
void cpu_memory_forget(struct cpu_memory *m, const void *buffer);

/* The part or buffer that holds these bytes; NULL where none does. */
const struct cpu_part *cpu_memory_find(const struct cpu_memory *m, const void *p, uint64_t bytes);

/* Says where `p` is: of the part or buffer that is next to it, and how far off. */
void cpu_memory_describe(const struct cpu_memory *m, const void *p, char *ret_text, uint32_t room);

/* Takes away the guard that holds `p`, so that whoever touched it gets on to where it is stopped;
 * false where none does. To be called from a signal handler. */
bool cpu_memory_open_guard(struct cpu_memory *m, const void *p);

/* After a launch: puts guards back, and looks for what was written between a buffer and its guard.
 * NULL, or an address that was written to. */
const void *cpu_memory_settle(struct cpu_memory *m);

#endif
