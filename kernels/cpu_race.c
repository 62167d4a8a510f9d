/* Phases lie between barriers of a CTA, and steps between those of a warp. What happened in an
 * earlier phase is over for all threads of the CTA, in an earlier step for the warp. Signals and
 * polls begin a phase too: a kernel may order accesses by counters, of which nothing is known here.
 */
#include "kernels/cpu_race.h"

#include <stdio.h>
#include <sys/mman.h>

#include "kernels/cpu_shared.h"

bool cpu_race_make(struct cpu_cta *cta)
{
	uint64_t bytes = cpu_shared_bytes(cta) / 2 * sizeof(struct cpu_trace);
	void *map;

	if (cta->traces != NULL)
		return true;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		-1, 0);
	if (map == MAP_FAILED)
		return false;
	cta->traces = map;
	cta->trace_bytes = bytes;
	return true;
}

void cpu_race_free(struct cpu_cta *cta)
{
	if (cta->traces != NULL)
		munmap(cta->traces, cta->trace_bytes);
	cta->traces = NULL;
}

void cpu_race_sync(struct cpu_cta *cta)
{
	cta->phase++;
}

/* A thread's number in its group, and its warp's. */
static uint32_t number(const struct cpu_thread *t)
{
	return t->self.rank * t->self.threads + t->self.thread;
}

static uint32_t warp(const struct cpu_thread *t)
{
	return t->self.rank * TS_CPU_THREADS + t->self.thread / t->cta->warp;
}

static uint32_t step(const struct cpu_thread *t)
{
	return t->cta->warps[t->self.thread / t->cta->warp].step;
}

static _Noreturn void fail_race(const struct cpu_thread *t, const struct cpu_thread *other,
	const void *p, const char *mine, const char *others)
{
	char text[160], who[64] = "other threads";

	if (other != NULL)
		snprintf(who, sizeof who, "thread %u of rank %u", other->self.thread,
			other->self.rank);
	cpu_describe(t, p, text, sizeof text);
	cpu_fail("%s at %p what %s %s, with no barrier in between: %s", mine, p, who, others, text);
}

/* Is what `id` did in its step `then` over for the thread? */
static bool is_over(const struct cpu_thread *t, uint32_t id, uint32_t then)
{
	const struct cpu_thread *other = &t->cta->place->threads[id];

	return other == t || (warp(other) == warp(t) && then < step(t));
}

static void check_reads(const struct cpu_thread *t, const struct cpu_trace *c, const void *p)
{
	const struct cpu_thread *threads = t->cta->place->threads;

	if (c->reader != CPU_SEVERAL && !is_over(t, c->reader, c->read_step))
		fail_race(t, &threads[c->reader], p, "writes", "reads");
	if (c->reader == CPU_SEVERAL && (c->read_warp != warp(t) || c->read_step >= step(t)))
		fail_race(t, NULL, p, "writes", "read");
}

static void note_read(const struct cpu_thread *t, struct cpu_trace *c, uint32_t phase)
{
	bool again = c->read_phase == phase;

	if (again && c->reader != number(t))
		c->reader = CPU_SEVERAL;
	else
		c->reader = (uint16_t)number(t);
	if (again && c->read_warp != warp(t))
		c->read_warp = CPU_SEVERAL;
	else
		c->read_warp = (uint16_t)warp(t);
	c->read_phase = phase;
	c->read_step = step(t);
}

void cpu_race_access(const struct cpu_cta *cta, const void *p, uint64_t bytes, bool writes)
{
	const struct cpu_thread *t = cpu_thread();
	uint64_t first = (uint64_t)((const char *)p - cta->shared) / 2;
	uint32_t phase = cta->phase;

	if (!cta->place->launch->seeded)
		return;
	for (uint64_t i = 0; i < bytes / 2; i++) {
		struct cpu_trace *c = &cta->traces[first + i];
		const char *at = (const char *)p + 2 * i;

		if (c->write_phase == phase && !is_over(t, c->writer, c->write_step))
			fail_race(t, &cta->place->threads[c->writer], at,
				writes ? "writes" : "reads", "writes");
		if (!writes) {
			note_read(t, c, phase);
			continue;
		}
		if (c->read_phase == phase)
			check_reads(t, c, at);
		c->write_phase = phase;
		c->write_step = step(t);
		c->writer = (uint16_t)number(t);
	}
}
