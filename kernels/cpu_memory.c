/* Buffers, guards and names. */
#include "kernels/cpu_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A step of a whole row or two beyond the edge still ends in a guard. */
enum { GUARD = 1024 * 1024, PAGE = 64 * 1024, ALIGN = 16 };

static const unsigned char slack = 0xc5;

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

static void name_part(struct cpu_part *part, char *begin, uint64_t bytes, const char *name)
{
	part->begin = begin;
	part->end = begin + bytes;
	snprintf(part->name, sizeof part->name, "%s", name);
}

void *cpu_memory_alloc(struct cpu_memory *m, uint64_t bytes, const char *name)
{
	struct cpu_buffer *buffers =
		realloc(m->buffers, (m->count + (size_t)1) * sizeof *m->buffers);
	uint64_t inside = round_up(bytes > 0 ? bytes : 1, PAGE);
	struct cpu_buffer *b;
	void *map;

	if (buffers == NULL)
		return NULL;
	m->buffers = buffers;
	b = &m->buffers[m->count];
	memset(b, 0, sizeof *b);
	b->map_bytes = inside + 2 * GUARD;
	if (b->map_bytes < bytes)
		return NULL;
	map = mmap(NULL, b->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	b->map = map;
	if (mprotect(b->map + GUARD, inside, PROT_READ | PROT_WRITE) != 0) {
		munmap(map, b->map_bytes);
		return NULL;
	}
	name_part(&b->whole, b->map + GUARD + inside - round_up(bytes, ALIGN), bytes, name);
	memset(b->map + GUARD, slack, (size_t)(b->whole.begin - b->map - GUARD));
	memset(b->whole.end, slack, (size_t)(b->map + GUARD + inside - b->whole.end));
	m->count++;
	return b->whole.begin;
}

/* The buffer whose pages, guards included, hold `p`. */
static struct cpu_buffer *find_map(const struct cpu_memory *m, const void *p)
{
	for (uint32_t i = 0; i < m->count; i++) {
		struct cpu_buffer *b = &m->buffers[i];

		if ((const char *)p >= b->map && (const char *)p < b->map + b->map_bytes)
			return b;
	}
	return NULL;
}

void cpu_memory_free(struct cpu_memory *m, const void *buffer)
{
	struct cpu_buffer *b = find_map(m, buffer);

	if (b == NULL)
		return;
	munmap(b->map, b->map_bytes);
	free(b->parts);
	*b = m->buffers[--m->count];
}

void cpu_memory_finish(struct cpu_memory *m)
{
	while (m->count > 0)
		cpu_memory_free(m, m->buffers[0].map);
	free(m->buffers);
	memset(m, 0, sizeof *m);
}

bool cpu_memory_name(struct cpu_memory *m, const void *part, uint64_t bytes, const char *name)
{
	struct cpu_buffer *b = find_map(m, part);
	struct cpu_part *parts;

	if (b == NULL || (const char *)part < b->whole.begin ||
		bytes > (uint64_t)(b->whole.end - (const char *)part))
		return false;
	parts = realloc(b->parts, (b->part_count + (size_t)1) * sizeof *parts);
	if (parts == NULL)
		return false;
	b->parts = parts;
	name_part(&parts[b->part_count++], b->whole.begin + ((const char *)part - b->whole.begin),
		bytes, name);
	return true;
}

void cpu_memory_forget(struct cpu_memory *m, const void *buffer)
{
	struct cpu_buffer *b = find_map(m, buffer);

	if (b != NULL)
		b->part_count = 0;
}

static bool holds(const struct cpu_part *part, const char *p, uint64_t bytes)
{
	return p >= part->begin && p <= part->end && bytes <= (uint64_t)(part->end - p);
}

const struct cpu_part *cpu_memory_find(const struct cpu_memory *m, const void *p, uint64_t bytes)
{
	const struct cpu_buffer *b = find_map(m, p);

	if (b == NULL || !holds(&b->whole, p, bytes))
		return NULL;
	for (uint32_t i = 0; i < b->part_count; i++)
		if (holds(&b->parts[i], p, bytes))
			return &b->parts[i];
	return b->part_count == 0 ? &b->whole : NULL;
}

/* How far `p` is from the part. */
static uint64_t distance(const struct cpu_part *part, const char *p)
{
	if (p < part->begin)
		return (uint64_t)(part->begin - p);
	return p < part->end ? 0 : (uint64_t)(p - part->end) + 1;
}

void cpu_memory_describe(const struct cpu_memory *m, const void *p, char *ret_text, uint32_t room)
{
	const struct cpu_buffer *b = find_map(m, p);
	const struct cpu_part *next;
	uint64_t bytes;

	if (b == NULL) {
		snprintf(ret_text, room, "far from any buffer");
		return;
	}
	next = b->part_count > 0 ? &b->parts[0] : &b->whole;
	for (uint32_t i = 1; i < b->part_count; i++)
		if (distance(&b->parts[i], p) < distance(next, p))
			next = &b->parts[i];
	bytes = (uint64_t)(next->end - next->begin);
	if ((const char *)p < next->begin)
		snprintf(ret_text, room, "%" PRIu64 " bytes in front of %s (%" PRIu64 " bytes)",
			distance(next, p), next->name, bytes);
	else
		snprintf(ret_text, room, "offset %" PRIu64 " of %s, which has %" PRIu64 " bytes",
			(uint64_t)((const char *)p - next->begin), next->name, bytes);
}

bool cpu_memory_open_guard(struct cpu_memory *m, const void *p)
{
	struct cpu_buffer *b = find_map(m, p);

	if (b == NULL)
		return false;
	b->torn = true;
	return mprotect(b->map, b->map_bytes, PROT_READ | PROT_WRITE) == 0;
}

static const char *find_written(const char *from, const char *to)
{
	for (const char *p = from; p < to; p++)
		if ((unsigned char)*p != slack)
			return p;
	return NULL;
}

const void *cpu_memory_settle(struct cpu_memory *m)
{
	const void *written = NULL;

	for (uint32_t i = 0; i < m->count; i++) {
		struct cpu_buffer *b = &m->buffers[i];
		char *first = b->map + GUARD, *last = b->map + b->map_bytes - GUARD;
		const char *before = find_written(first, b->whole.begin);
		const char *behind = find_written(b->whole.end, last);

		if (b->torn) {
			mprotect(b->map, GUARD, PROT_NONE);
			mprotect(last, GUARD, PROT_NONE);
		}
		b->torn = false;
		if (written == NULL)
			written = before != NULL ? before : behind;
		/* Found once, not again in the next launch. */
		memset(first, slack, (size_t)(b->whole.begin - first));
		memset(b->whole.end, slack, (size_t)(last - b->whole.end));
	}
	return written;
}
