/* A GPU for libraries that have none: memory is the host's, and the probe kernel is compiled into
 * the library and runs CTA after CTA. Whoever includes it says where they run, by find_unit() and
 * find_domain(). What it pretends is in the environment:
 *   FAKE_GPU_DEVICES  how many there are (default 1)
 *   FAKE_GPU_FAIL     FUNCTION=CODE: that one returns the code
 *   FAKE_GPU_LOSE     claims that are not counted: 1 in so many
 *   FAKE_GPU_LOG      file to which the name of each call is appended */
#ifndef TS_FAKE_GPU_H
#define TS_FAKE_GPU_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t find_unit(uint32_t cta);
static uint32_t find_domain(uint32_t cta);

/* The CTA that runs, a clock, and claims so far. */
static uint32_t cta;
static uint64_t now;
static uint32_t claims;

static uint32_t lose(void)
{
	const char *text = getenv("FAKE_GPU_LOSE");

	return text == NULL ? 0 : (uint32_t)atoi(text);
}

/* In place of kernels/gpu.h: all CTAs have one thread that does anything. */
#define TS_GPU_H
#define TS_KERNEL(name, type, threads) static void name(const type args)
#define TS_GPU static inline
#define TS_SHARED(type, name, count) static type name[count]
#define TS_READ(p) (*(p))
#define TS_WRITE(p, value) (*(p) = (value))
#define GPU_PATIENCE_NS UINT64_C(2000000000)

TS_GPU uint32_t gpu_thread(void)
{
	return 0;
}

TS_GPU uint32_t gpu_rank(void)
{
	return 0;
}

TS_GPU uint32_t gpu_cluster(void)
{
	return cta;
}

TS_GPU uint32_t gpu_cta(void)
{
	return cta;
}

TS_GPU uint32_t gpu_domain(void)
{
	return find_domain(cta);
}

TS_GPU uint32_t gpu_unit(void)
{
	return find_unit(cta);
}

TS_GPU void gpu_cluster_sync(void)
{
}

TS_GPU const void *gpu_shared_of(const void *p, uint32_t rank)
{
	(void)rank;
	return p;
}

TS_GPU uint32_t gpu_claim(uint32_t *counter)
{
	now += 500;
	if (lose() > 0 && ++claims % lose() == 0)
		return *counter;
	return (*counter)++;
}

TS_GPU void gpu_signal(uint32_t *counter, uint32_t value)
{
	*counter += value;
}

TS_GPU uint32_t gpu_acquire(const uint32_t *counter)
{
	return *counter;
}

TS_GPU uint32_t gpu_hear(const uint32_t *word)
{
	return *word;
}

TS_GPU void gpu_tell(uint32_t *word, uint32_t value)
{
	*word = value;
}

TS_GPU void gpu_pause(void)
{
	now += 50000;
}

TS_GPU uint64_t gpu_time_ns(void)
{
	return now += 10;
}

TS_GPU uint64_t gpu_cycles(void)
{
	return now * 2;
}

TS_GPU void gpu_tile(uint32_t m, uint32_t n)
{
	(void)m;
	(void)n;
}

#include "kernels/probe_kernel.c"

/* A line of the log. */
static void write_line(const char *line)
{
	const char *path = getenv("FAKE_GPU_LOG");

	if (path != NULL) {
		FILE *f = fopen(path, "a");

		fprintf(f, "%s\n", line);
		fclose(f);
	}
}

/* Notes the call; what it is to return at once. */
static int enter(const char *name)
{
	const char *fail = getenv("FAKE_GPU_FAIL");
	size_t length = strlen(name);

	write_line(name);
	if (fail != NULL && strncmp(fail, name, length) == 0 && fail[length] == '=')
		return atoi(fail + length + 1);
	return 0;
}

static int devices(void)
{
	const char *text = getenv("FAKE_GPU_DEVICES");

	return text == NULL ? 1 : atoi(text);
}

/* Device memory that is in use. */
static struct {
	char *begin;
	size_t bytes;
} memory[64];

enum { BLOCKS = sizeof memory / sizeof *memory };

/* Is all of it inside one allocation? */
static inline int inside(const void *p, size_t bytes)
{
	uintptr_t at = (uintptr_t)p;

	for (int i = 0; i < BLOCKS; i++) {
		uintptr_t begin = (uintptr_t)memory[i].begin;

		if (begin != 0 && at >= begin && at + bytes <= begin + memory[i].bytes)
			return 1;
	}
	return 0;
}

/* NULL where it can't be had. */
static inline void *take(size_t bytes)
{
	for (int i = 0; i < BLOCKS; i++) {
		if (memory[i].begin != NULL)
			continue;
		memory[i].begin = malloc(bytes);
		memory[i].bytes = bytes;
		return memory[i].begin;
	}
	return NULL;
}

/* 0 where it was not taken. */
static inline int give_back(void *address)
{
	for (int i = 0; i < BLOCKS; i++) {
		if (memory[i].begin != address)
			continue;
		free(address);
		memory[i].begin = NULL;
		return 1;
	}
	return 0;
}

/* 0 where there is no such memory. */
static inline int fill(void *address, int word, size_t words)
{
	if (!inside(address, words * sizeof(int)))
		return 0;
	for (size_t i = 0; i < words; i++)
		((int *)address)[i] = word;
	return 1;
}

static inline int copy(void *to, const void *from, size_t bytes, const void *device)
{
	if (!inside(device, bytes))
		return 0;
	memcpy(to, from, bytes);
	return 1;
}

struct kernel {
	const char *name;
};

static const struct kernel kernels[] = {{"ts_probe"}, {"ts_latency"}, {"ts_hold"}};

/* NULL where there is none of that name. */
static inline const struct kernel *find_kernel(const char *name)
{
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	return NULL;
}

static inline void launch(const struct kernel *kernel, uint32_t ctas, void **arguments)
{
	for (cta = 0; cta < ctas; cta++) {
		if (kernel == &kernels[0])
			ts_probe(*(const struct ts_probe_args *)arguments[0]);
		else if (kernel == &kernels[2])
			ts_hold(*(const struct ts_hold_args *)arguments[0]);
		else if (kernel == &kernels[1])
			ts_latency(*(const struct ts_latency_args *)arguments[0]);
	}
}

#endif
