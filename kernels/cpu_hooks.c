/* What kernels call. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/cpu_race.h"
#include "kernels/cpu_run.h"
#include "kernels/cpu_shared.h"

_Thread_local struct cpu_self *cpu_self;

struct cpu_thread *cpu_thread(void)
{
	return (struct cpu_thread *)(void *)cpu_self;
}

void cpu_run_as(struct cpu_thread *t)
{
	cpu_self = t == NULL ? NULL : &t->self;
}

/* Does something else than to poll and read. */
static void act(struct cpu_thread *t)
{
	t->idle = 0;
}

/* Those who wait may go on now. */
static void advance(struct cpu_launch *l)
{
	__atomic_fetch_add(&l->epoch, 1, __ATOMIC_RELAXED);
}

/* In a seeded launch another thread may be next, once in so many times. */
static void maybe_give_way(struct cpu_thread *t, uint32_t times)
{
	struct cpu_worker *w = t->cta->place->worker;

	if (!w->launch->seeded || cpu_random(w) % times != 0)
		return;
	cpu_make_ready(t);
	cpu_give_way(t);
}

/* --- Barriers ----------------------------------------------------------------------------------
 */

static void arrive(struct cpu_barrier *b, const char *where)
{
	if (b->waiting == 0)
		b->mixed = false;
	else if (b->where != where && strcmp(b->where, where) != 0)
		b->mixed = true;
	b->where = where;
	b->waiting++;
}

/* All go on that wait in this way, if as many do as are needed. */
static bool release(struct cpu_barrier *b, uint32_t needed, struct cpu_thread *from, uint32_t count,
	enum cpu_state state)
{
	if (b->waiting < needed || b->waiting == 0 || b->mixed)
		return false;
	b->waiting = 0;
	for (uint32_t i = 0; i < count; i++)
		if (from[i].state == state)
			cpu_make_ready(&from[i]);
	return true;
}

static void sync_cluster(struct cpu_place *p)
{
	for (uint32_t rank = 0; rank < p->launch->ranks; rank++)
		cpu_race_sync(&p->ctas[rank]);
}

static void release_cluster(struct cpu_place *p)
{
	uint32_t threads = p->launch->threads;

	if (release(&p->barrier, threads - p->left, p->threads, threads, CPU_AT_CLUSTER))
		sync_cluster(p);
}

void cpu_sync(enum cpu_scope scope, const char *where)
{
	struct cpu_thread *t = cpu_thread();
	struct cpu_cta *cta = t->cta;

	act(t);
	t->where = where;
	if (scope == CPU_CTA) {
		t->state = CPU_AT_CTA;
		arrive(&cta->barrier, where);
		if (release(&cta->barrier, t->self.threads, cta->threads, t->self.threads,
			    CPU_AT_CTA))
			cpu_race_sync(cta);
	} else {
		t->state = CPU_AT_CLUSTER;
		arrive(&cta->place->barrier, where);
		release_cluster(cta->place);
	}
	cpu_give_way(t);
}

void cpu_leave(struct cpu_thread *t)
{
	struct cpu_place *p = t->cta->place;

	t->state = CPU_LEFT;
	t->flight_count = t->flight_group = 0;
	t->cta->left++;
	p->left++;
	release_cluster(p);
	advance(p->launch);
}

void cpu_together(void (*whole)(void *const *lanes, uint32_t count), void *mine, uint32_t warp,
	const char *where)
{
	struct cpu_thread *t = cpu_thread();
	uint32_t first = t->self.thread / warp * warp;
	uint32_t rest = t->self.threads - first;
	uint32_t count = rest < warp ? rest : warp;
	struct cpu_warp *w = &t->cta->warps[t->self.thread / warp];

	if (warp > CPU_LANES || warp < CPU_LANES / 2)
		cpu_fail("a warp of %u lanes: has 32 or 64", warp);
	act(t);
	t->cta->warp = warp;
	t->where = where;
	w->lanes[t->self.thread - first] = mine;
	arrive(&w->barrier, where);
	if (w->barrier.waiting < count || w->barrier.mixed) {
		t->state = CPU_AT_WARP;
		cpu_give_way(t);
		return;
	}
	whole(w->lanes, count);
	w->step++;
	release(&w->barrier, count, t->cta->threads + first, count, CPU_AT_WARP);
}

struct shuffle {
	uint32_t value, lane, result;
};

static void shuffle(void *const *lanes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct shuffle *s = lanes[i];

		s->result = ((const struct shuffle *)lanes[s->lane % count])->value;
	}
}

uint32_t cpu_shuffle(uint32_t value, uint32_t lane, uint32_t warp, const char *where)
{
	struct shuffle s = {value, lane, 0};

	cpu_together(shuffle, &s, warp, where);
	return s.result;
}

struct vote {
	bool value, all;
};

static void vote(void *const *lanes, uint32_t count)
{
	bool all = true;

	for (uint32_t i = 0; i < count; i++)
		all = all && ((const struct vote *)lanes[i])->value;
	for (uint32_t i = 0; i < count; i++)
		((struct vote *)lanes[i])->all = all;
}

bool cpu_all(bool value, uint32_t warp, const char *where)
{
	struct vote v = {value, false};

	cpu_together(vote, &v, warp, where);
	return v.all;
}

/* --- Accesses ----------------------------------------------------------------------------------
 */

static _Noreturn void fail_access(
	const struct cpu_thread *t, const void *p, uint64_t bytes, const char *verb)
{
	char text[160];

	cpu_describe(t, p, text, sizeof text);
	cpu_fail("%s %" PRIu64 " bytes at %p: %s", verb, bytes, p, text);
}

/* Nothing if the bytes are all in one variable or buffer. Returns the CTA whose shared memory it
 * is. */
static const struct cpu_cta *check(
	struct cpu_thread *t, const void *p, uint64_t bytes, const char *verb)
{
	const struct cpu_place *place = t->cta->place;
	const struct cpu_cta *cta = cpu_shared_find(place, p);

	cpu_go_on(t);
	if (cta != NULL && cpu_shared_holds(cta, p, bytes))
		return cta;
	if (cta == NULL &&
		(cpu_memory_find(ts_cpu_memory(place->launch->cpu), p, bytes) != NULL ||
			cpu_fiber_holds(t->fiber, p)))
		return NULL;
	fail_access(t, p, bytes, verb);
}

void cpu_read(const void *p, uint64_t bytes)
{
	struct cpu_thread *t = cpu_thread();
	const struct cpu_cta *cta = check(t, p, bytes, "reads");

	if (cta == NULL) {
		maybe_give_way(t, 8);
		return;
	}
	cpu_race_access(cta, p, bytes, false);
	if (!cpu_shared_written(p, bytes))
		fail_access(t, p, bytes, "reads, before they were written,");
}

void cpu_write(const void *p, uint64_t bytes)
{
	struct cpu_thread *t = cpu_thread();
	const struct cpu_cta *cta = check(t, p, bytes, "writes");

	act(t);
	t->wrote = true;
	if (cta == NULL)
		maybe_give_way(t, 8);
	else
		cpu_race_access(cta, p, bytes, true);
}

/* --- Counters ----------------------------------------------------------------------------------
 */

static void check_counter(struct cpu_thread *t, const uint32_t *counter, const char *verb)
{
	check(t, counter, sizeof *counter, verb);
	if ((uintptr_t)counter % sizeof *counter != 0)
		cpu_fail("%s a counter at %p, which is not 4 byte aligned", verb,
			(const void *)counter);
}

void cpu_change(const uint32_t *counter, enum cpu_change change)
{
	struct cpu_thread *t = cpu_thread();

	check_counter(t, counter, change == CPU_CLAIM ? "claims from" : "signals");
	act(t);
	if (change == CPU_SIGNAL)
		sync_cluster(t->cta->place);
	maybe_give_way(t, 2);
}

void cpu_changed(void)
{
	struct cpu_thread *t = cpu_thread();

	advance(t->cta->place->launch);
	maybe_give_way(t, 2);
}

void cpu_poll(const uint32_t *counter)
{
	struct cpu_thread *t = cpu_thread();

	check_counter(t, counter, "waits for");
	if (t->wrote)
		advance(t->cta->place->launch);
	t->wrote = false;
	maybe_give_way(t, 2);
}

void cpu_polled(const uint32_t *counter, uint32_t value)
{
	struct cpu_thread *t = cpu_thread();
	uint64_t epoch = __atomic_load_n(&t->cta->place->launch->epoch, __ATOMIC_RELAXED);

	t->idle = t->epoch == epoch ? t->idle + 1 : 1;
	t->epoch = epoch;
	sync_cluster(t->cta->place);
	t->polls = counter;
	t->polled = value;
	cpu_make_ready(t);
	cpu_give_way(t);
}

uint64_t cpu_time_ns(void)
{
	struct cpu_thread *t = cpu_thread();
	struct cpu_launch *l = t->cta->place->launch;
	struct timespec now;

	if (l->seeded) {
		maybe_give_way(t, 4);
		return l->clock += 10;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* --- Copies ------------------------------------------------------------------------------------
 */

static void land(struct cpu_flight *f)
{
	if (f->landed)
		return;
	f->landed = true;
	if (f->bytes > 0)
		memcpy(f->to, f->from, f->bytes);
	memset((char *)f->to + f->bytes, 0, f->whole - f->bytes);
}

void cpu_copy(void *to, const void *from, uint32_t bytes, uint32_t whole)
{
	struct cpu_thread *t = cpu_thread();
	struct cpu_flight f = {to, from, bytes, whole, t->flight_group, false};

	act(t);
	if (bytes > whole)
		cpu_fail("copies %u of %u bytes", bytes, whole);
	if ((uintptr_t)to % whole != 0 || (bytes > 0 && (uintptr_t)from % whole != 0))
		cpu_fail("copies from %p to %p, which are not both %u byte aligned", from, to,
			whole);
	if (check(t, to, whole, "copies to") != t->cta)
		cpu_fail("copies to %p, which is not in its CTA's shared memory", to);
	if (bytes > 0 && check(t, from, bytes, "copies from") != NULL)
		cpu_fail("copies from %p, which is in shared memory", from);
	cpu_race_access(t->cta, to, whole, true);
	if (t->cta->place->launch->seeded && cpu_random(t->cta->place->worker) % 2 == 0)
		land(&f);
	if (t->flight_count == t->flight_room) {
		uint32_t room = t->flight_room * 2 + 16;
		struct cpu_flight *flights = realloc(t->flights, room * sizeof *flights);

		if (flights == NULL)
			cpu_fail("has no memory for a copy");
		t->flights = flights;
		t->flight_room = room;
	}
	t->flights[t->flight_count++] = f;
}

struct load {
	const void *base, *first;
};

static void tell_first(void *const *lanes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		((struct load *)lanes[i])->first = ((const struct load *)lanes[0])->base;
}

void cpu_load_to_lds(void *base, const void *from, uint32_t bytes, uint32_t warp, const char *where)
{
	struct load l = {base, NULL};

	cpu_together(tell_first, &l, warp, where);
	if (l.first != base)
		cpu_fail("loads to LDS with the base %p, where lane 0 of its warp has %p: it must "
			 "be the same in all lanes",
			base, l.first);
	cpu_copy((char *)base + cpu_self->thread % warp * bytes, from, bytes, bytes);
}

void cpu_copy_commit(void)
{
	cpu_thread()->flight_group++;
}

void cpu_copy_wait(uint32_t groups)
{
	struct cpu_thread *t = cpu_thread();
	uint32_t kept = 0;

	act(t);
	for (uint32_t i = 0; i < t->flight_count; i++) {
		struct cpu_flight *f = &t->flights[i];

		if (f->group + groups >= t->flight_group) {
			t->flights[kept++] = *f;
			continue;
		}
		/* Until now it could have come at any time. */
		cpu_race_access(t->cta, f->to, f->whole, true);
		land(f);
	}
	t->flight_count = kept;
}

void cpu_tile(uint32_t m, uint32_t n)
{
	struct cpu_cta *cta = cpu_thread()->cta;

	cta->has_tile = true;
	cta->m = m;
	cta->n = n;
}
