/* The probe kernel: any policy, order, remap and cluster; one thread of each CTA does it all, and
 * the others leave at once, there only to make the CTA as large as a GEMM's. The CTA of rank 0 asks
 * the policy and hands each step on to its cluster through its shared memory. */
#if !defined(TS_GROUPS)
#define TS_PLAIN_ONLY /* plans with groups or shapes go to ts_probe_groups */
#endif
#include "kernels/gpu.h"
#include "kernels/probe.h"

/* A step for the whole cluster, and the claim that gave it. */
struct handed {
	struct ts_step step;
	uint32_t group;
	uint32_t counter, answer;
};

TS_GPU const struct ts_plan *find_plan(const struct ts_probe_args *a)
{
	return ts_group_table_plan(&a->plan, a->table);
}

/* Notes what worker `w` does to a counter. False where there is no more room, or no such counter.
 */
TS_GPU bool note(const struct ts_probe_args *a, const struct ts_worker *w, const struct ts_step *s,
	uint32_t value)
{
	uint32_t at = gpu_claim(&a->cursors->events);
	struct ts_probe_event e;

	if (at >= a->event_room)
		return false;
	e.worker = w->id;
	e.domain = w->domain;
	e.act = (uint32_t)s->act;
	e.counter = s->counter;
	e.value = value;
	e.unit = gpu_unit();
	TS_WRITE(&a->events[at], e);
	return s->counter < a->plan.counters;
}

/* Carries out TS_CLAIM, TS_WAIT or TS_SIGNAL. False where the worker had better leave. */
TS_GPU bool act(const struct ts_probe_args *a, const struct ts_worker *w, struct handed *h)
{
	const struct ts_step *s = &h->step;
	uint32_t value = s->act == TS_SIGNAL ? s->value : 0;
	uint64_t from = gpu_time_ns();

	if (s->counter >= a->plan.counters)
		return note(a, w, s, value);
	if (s->act == TS_WAIT) {
		while (gpu_acquire(&a->counters[s->counter]) < s->value)
			if (gpu_time_ns() - from > GPU_PATIENCE_NS)
				return note(a, w, s, s->value) && false;
		return true;
	}
	if (s->act == TS_SIGNAL) {
		gpu_signal(&a->counters[s->counter], value);
		return note(a, w, s, value);
	}
	h->counter = s->counter;
	h->answer = value = gpu_claim(&a->counters[s->counter]);
	return note(a, w, s, value);
}

/* The next step that concerns the whole cluster: a signal too, since it has to come after the work
 * of all CTAs, which the cluster's barrier in front of it makes sure of. */
TS_GPU struct handed next(const struct ts_probe_args *a, struct ts_worker *w)
{
	struct handed h;

	h.group = 0;
	h.counter = (uint32_t)TS_PROBE_NONE;
	h.answer = 0;
	for (;;) {
		h.step = ts_next(find_plan(a), w, h.answer);
		if (h.step.act == TS_WORK) {
			h.group = gpu_claim(&a->cursors->groups);
			if (h.group >= a->group_room)
				h.step = ts_stop();
			return h;
		}
		if (h.step.act == TS_STOP || h.step.act == TS_SIGNAL)
			return h;
		/* There are no sums to add, and the wait in front of it is over. */
		if (h.step.act == TS_FIX_UP)
			continue;
		if (!act(a, w, &h)) {
			h.step = ts_stop();
			return h;
		}
	}
}

/* Takes the time of one item and writes its record. */
TS_GPU void work(const struct ts_probe_args *a, uint32_t worker, uint32_t domain, uint32_t rank,
	const struct handed *h)
{
	const struct ts_step *s = &h->step;
	struct ts_tile tile = ts_cta_tile(find_plan(a), s, rank);
	uint32_t ranks = a->plan.cluster_m * a->plan.cluster_n;
	struct ts_probe_record r;
	uint64_t busy = tile.valid ? a->busy_ns * (s->k_end - s->k_begin) : 0;
	uint64_t from = gpu_time_ns();
	uint64_t to = from;

	gpu_tile(tile.m, tile.n);
	while (to - from < busy)
		to = gpu_time_ns();
	r.worker = worker;
	r.rank = rank;
	r.unit = gpu_unit();
	r.domain = domain;
	r.counter = h->counter;
	r.answer = h->answer;
	r.g = s->g;
	r.m = tile.m;
	r.n = tile.n;
	r.valid = tile.valid ? 1 : 0;
	r.k_begin = s->k_begin;
	r.k_end = s->k_end;
	r.owns = s->owns ? 1 : 0;
	r.slot = s->slot;
	r.from = from;
	r.to = to;
	TS_WRITE(&a->records[(uint64_t)h->group * ranks + rank], r);
}

/* Copies a step to or from shared memory. Not as a whole: padding would go along, for which AMD's
 * compiler makes a detour through scratch memory. */
TS_GPU void hand(struct handed *to, const struct handed *from)
{
	to->step.act = from->step.act;
	to->step.g = from->step.g;
	to->step.m = from->step.m;
	to->step.n = from->step.n;
	to->step.k_begin = from->step.k_begin;
	to->step.k_end = from->step.k_end;
	to->step.counter = from->step.counter;
	to->step.value = from->step.value;
	to->step.slot = from->step.slot;
	to->step.parts = from->step.parts;
	to->step.owns = from->step.owns;
	to->group = from->group;
	to->counter = from->counter;
	to->answer = from->answer;
}

/* The ring has two places: rank 0 fills one while the others may still read the other, and one
 * barrier a step is enough. */
TS_GPU void probe(const struct ts_probe_args *a, struct handed *ring, uint32_t *domain)
{
	uint32_t rank = gpu_rank();
	uint32_t id = gpu_cluster();
	struct ts_worker w =
		ts_worker_make(id, (a->hardware_domain != 0 ? gpu_domain() : id) % a->plan.domains);
	struct handed h;

	if (gpu_thread() != 0)
		return;
	h.step = ts_stop();
	h.group = h.counter = h.answer = 0;
	if (rank == 0)
		TS_WRITE(&domain[0], w.domain);
	for (uint32_t turn = 0, go_on = 1;; turn++) {
		if (rank == 0 && go_on == 1)
			h = next(a, &w);
		if (rank == 0)
			hand(&ring[turn & 1], &h);
		gpu_cluster_sync();
		hand(&h, (const struct handed *)gpu_shared_of(&ring[turn & 1], 0));
		w.domain = TS_READ((const uint32_t *)gpu_shared_of(domain, 0));
		if (h.step.act == TS_STOP)
			break;
		if (h.step.act == TS_WORK)
			work(a, id, w.domain, rank, &h);
		else if (rank == 0 && !act(a, &w, &h)) {
			h.step = ts_stop();
			go_on = 0;
		}
	}
	/* The last reader may be slower than rank 0, whose shared memory it reads. */
	gpu_cluster_sync();
}

/* Grid: one cluster of (cluster_m, cluster_n) CTAs a worker, along x. */
#if defined(TS_GROUPS)

TS_KERNEL(ts_probe_groups, struct ts_probe_args, TS_PROBE_THREADS_MAX)
{
	TS_SHARED(struct handed, ring, 2);
	TS_SHARED(uint32_t, domain, 1);

	probe(&args, ring, domain);
}

#else

TS_KERNEL(ts_probe, struct ts_probe_args, TS_PROBE_THREADS_MAX)
{
	TS_SHARED(struct handed, ring, 2);
	TS_SHARED(uint32_t, domain, 1);

	probe(&args, ring, domain);
}

TS_KERNEL(ts_latency, struct ts_latency_args, TS_PROBE_THREADS_MAX)
{
	uint32_t *counter = args.counters + (uint64_t)gpu_cta() * args.apart;
	uint64_t *ret = args.ret + 4 * (uint64_t)gpu_cta();
	uint32_t old;
	uint64_t ns, cycles;

	if (gpu_thread() != 0)
		return;
	old = gpu_claim(counter);
	ns = gpu_time_ns();
	cycles = gpu_cycles();

	/* An answer is below 2^31, which only the compiler doesn't know. */
	for (uint32_t i = 0; i < args.claims; i++)
		old = gpu_claim(counter + (old >> 31));
	ret[0] = gpu_cycles() - cycles + (old >> 31);
	ret[1] = gpu_time_ns() - ns;
	ret[2] = old;
	ret[3] = gpu_unit();
}

TS_KERNEL(ts_hold, struct ts_hold_args, TS_PROBE_THREADS_MAX)
{
	uint64_t from = gpu_time_ns();

	if (gpu_thread() != 0)
		return;
	gpu_tell(&args.there[gpu_cta()], (uint32_t)TS_HOLD_THERE);
	while (gpu_hear(args.let_go) == 0) {
		if (gpu_time_ns() - from > args.most_ns) {
			gpu_tell(&args.there[gpu_cta()], (uint32_t)TS_HOLD_TOO_LONG);
			return;
		}
		/* Looks of many SMs at the host's memory would be in each other's way, and in that
		 * of launches. */
		for (int i = 0; i < 16; i++)
			gpu_pause();
	}
}

#endif
