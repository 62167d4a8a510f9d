/* What the CTA of a worker does next: one thread asks the policy, claims and waits, and hands steps
 * on to all through a ring in shared memory. Asked for, it writes down what was done. */
#ifndef TS_MMA_STEPS_H
#define TS_MMA_STEPS_H

#include "kernels/gpu.h"
/* Not before it: HIP's words are from there. */
#include "kernels/leave_steps.h"
#include "kernels/mma_args.h"

/* Steps in the ring: the one that is carried out, and the next. */
enum { STEPS = 2 };

/* A step as it is handed on. */
struct handed {
	struct ts_step step;
	uint32_t wait_counter, wait_value; /* of an owner's part */
	uint32_t slot, parts;              /* that it adds then */
	/* For the record of an item. */
	uint32_t group, counter, answer;
#if defined(TS_GROUPS)
	/* Of the item's group: how many rows it has in A and C, and which is the first. */
	uint32_t rows;
	uint64_t row;
#endif
};

/* The worker, for the thread that asks. */
struct asker {
	struct ts_worker w;
	/* Steps asked for. Volatile, lest the compiler let all threads read it ahead of the test
	 * for the one that asks, beside its writes. */
	volatile uint32_t turn;
	uint64_t from;  /* when the tile was begun */
	uint32_t items; /* that it got */
	bool failed;
	bool asked; /* to leave, and so it does */
};

/* The shared memory of a CTA. */
struct room {
	uint16_t *stages;
	struct handed *steps;
	struct asker *asker;
};

TS_GPU const struct ts_plan *find_plan(const struct ts_mma_args *a)
{
	return ts_group_table_plan(&a->plan, a->table);
}

/* Of the item's group: its rows of A and C, the first of them, and the first row of its B, whose
 * groups have `size` rows each. Known to the compiler where there are no groups. */
#if defined(TS_GROUPS)

TS_GPU void find_rows(const struct ts_mma_args *a, struct handed *h)
{
	const struct ts_plan *p = find_plan(a);

	h->rows = ts_grid(p, h->step.g)->m;
	h->row = ts_group_row(p, h->step.g);
}

TS_GPU uint32_t group_rows(const struct ts_mma_args *a, const struct handed *h)
{
	(void)a;
	return TS_READ(&h->rows);
}

TS_GPU uint64_t group_row(const struct handed *h)
{
	return TS_READ(&h->row);
}

TS_GPU uint64_t group_row_b(const struct handed *h, uint32_t size)
{
	return (uint64_t)TS_READ(&h->step.g) * size;
}

#else

TS_GPU void find_rows(const struct ts_mma_args *a, struct handed *h)
{
	(void)a;
	(void)h;
}

TS_GPU uint32_t group_rows(const struct ts_mma_args *a, const struct handed *h)
{
	(void)h;
	return a->plan.m;
}

TS_GPU uint64_t group_row(const struct handed *h)
{
	(void)h;
	return 0;
}

TS_GPU uint64_t group_row_b(const struct handed *h, uint32_t size)
{
	(void)h;
	(void)size;
	return 0;
}

#endif

TS_GPU uint32_t *find_counter(const struct ts_mma_args *a, uint32_t counter)
{
	return a->counters + (uint64_t)counter * a->counter_words;
}

/* Writes down what the worker did to a counter. False where there is no room. */
TS_GPU bool note(const struct ts_mma_args *a, const struct ts_worker *w, const struct ts_step *s,
	uint32_t value)
{
	struct ts_probe_event e;
	uint32_t at;

	if (a->cursors == 0)
		return true;
	at = gpu_claim(&a->cursors->events);
	if (at >= a->event_room)
		return false;
	e.worker = w->id;
	e.domain = w->domain;
	e.act = (uint32_t)s->act;
	e.counter = s->counter;
	e.value = value;
	e.unit = gpu_unit();
	TS_WRITE(&a->events[at], e);
	return true;
}

/* A group of records for an item. */
TS_GPU bool note_item(const struct ts_mma_args *a, struct handed *h)
{
	h->group = 0;
	if (a->cursors == 0)
		return true;
	h->group = gpu_claim(&a->cursors->groups);
	return h->group < a->group_room;
}

/* Are there slots for the part of an item? */
TS_GPU bool has_room(const struct ts_mma_args *a, const struct ts_step *s)
{
	uint32_t slots = s->owns ? s->parts : 1;

	if (slots == 0)
		return s->k_begin == 0 && s->k_end == a->plan.depth;
	return slots <= a->plan.workspace && s->slot <= a->plan.workspace - slots;
}

TS_GPU enum ts_mma_fault check_step(
	const struct ts_mma_args *a, const struct ts_step *s, bool in_part)
{
	switch (s->act) {
	case TS_WORK: return has_room(a, s) && !in_part ? TS_MMA_NO_FAULT : TS_MMA_PARTIAL;
	case TS_FIX_UP:
		return has_room(a, s) && in_part && s->owns ? TS_MMA_NO_FAULT : TS_MMA_PARTIAL;
	case TS_CLAIM:
	case TS_WAIT:
	case TS_SIGNAL: return s->counter < a->plan.counters ? TS_MMA_NO_FAULT : TS_MMA_NO_COUNTER;
	case TS_STOP: break;
	}
	return in_part ? TS_MMA_PARTIAL : TS_MMA_NO_FAULT;
}

TS_GPU void fail(const struct ts_mma_args *a, struct asker *asker, enum ts_mma_fault fault)
{
	TS_WRITE(a->fault, (uint32_t)fault);
	asker->failed = true;
}

/* Notes what the step says. True where all threads get it, with what came before. */
TS_GPU bool collect(const struct ts_step *s, bool *in_part, struct handed *h)
{
	if (*in_part && s->act == TS_WAIT) {
		h->wait_counter = s->counter;
		h->wait_value = s->value;
		return false;
	}
	if (*in_part) {
		h->slot = s->slot;
		h->parts = s->parts;
		return true;
	}
	h->step = *s;
	*in_part = s->act == TS_WORK && s->owns && s->parts > 0;
	return !*in_part;
}

/* In front of ask(). With groups it is large: on NVIDIA it is a function that is called, or
 * compilers would take minutes for all the places; on AMD it must not be. */
#if defined(TS_GROUPS) && defined(__CUDACC__)
#define MMA_ASK static __device__ __noinline__
#elif defined(TS_GROUPS)
#define MMA_ASK MMA_INLINE
#else
#define MMA_ASK TS_GPU
#endif

/* The next step for all threads. One thread asks. */
MMA_ASK void ask(const struct ts_mma_args *a, struct handed *steps, struct asker *asker)
{
	struct ts_worker w = asker->w;
	enum ts_mma_fault fault;
	struct handed h;
	bool in_part = false;

	h.wait_counter = h.wait_value = h.slot = h.parts = h.group = h.answer = 0;
	h.counter = (uint32_t)TS_PROBE_NONE;
	for (;;) {
		struct ts_step s = ts_stop();

		if (!in_part && leave_now(&a->leave, &a->plan, &w))
			asker->asked = true;
		else
			s = ts_next(find_plan(a), &w, h.answer);
		fault = check_step(a, &s, in_part);
		if (fault == TS_MMA_NO_FAULT && s.act == TS_CLAIM) {
			h.counter = s.counter;
			h.answer = gpu_claim(find_counter(a, h.counter));
			if (note(a, &w, &s, h.answer))
				continue;
			fault = TS_MMA_NO_RECORD;
		}
		if (fault != TS_MMA_NO_FAULT || collect(&s, &in_part, &h))
			break;
	}
	if (fault == TS_MMA_NO_FAULT && h.step.act == TS_WORK && !note_item(a, &h))
		fault = TS_MMA_NO_RECORD;
	if (fault == TS_MMA_NO_FAULT && h.step.act == TS_WORK)
		leave_tell_items(&a->leave, &w, ++asker->items);
	if (fault != TS_MMA_NO_FAULT)
		fail(a, asker, fault);
	if (asker->failed)
		h.step.act = TS_STOP;
	if (h.step.act == TS_WORK)
		find_rows(a, &h);
	TS_WRITE(&steps[asker->turn % STEPS], h);
	asker->w = w;
	asker->turn++;
}

/* Waits until the counter is at least `value`. One thread does. */
TS_GPU void wait(
	const struct ts_mma_args *a, const struct room *r, uint32_t counter, uint32_t value)
{
	uint64_t from = gpu_time_ns();

	while (gpu_acquire(find_counter(a, counter)) < value)
		if (gpu_time_ns() - from > GPU_PATIENCE_NS) {
			fail(a, r->asker, TS_MMA_STUCK);
			return;
		}
}

/* Writes down what became of one rank's tile. */
TS_GPU void record(const struct ts_mma_args *a, const struct room *r, const struct handed *handed,
	uint32_t rank)
{
	struct handed h = TS_READ(handed);
	struct ts_tile tile = ts_cta_tile(find_plan(a), &h.step, rank);
	uint32_t ranks = a->plan.cluster_m * a->plan.cluster_n;
	struct ts_probe_record to;

	to.worker = r->asker->w.id;
	to.rank = rank;
	to.unit = gpu_unit();
	to.domain = r->asker->w.domain;
	to.counter = h.counter;
	to.answer = h.answer;
	to.g = h.step.g;
	to.m = tile.m;
	to.n = tile.n;
	to.valid = tile.valid ? 1 : 0;
	to.k_begin = h.step.k_begin;
	to.k_end = h.step.k_end;
	to.owns = h.step.owns ? 1 : 0;
	to.slot = h.step.slot;
	to.from = r->asker->from;
	to.to = gpu_time_ns();
	TS_WRITE(&a->records[(uint64_t)h.group * ranks + rank], to);
}

#endif
