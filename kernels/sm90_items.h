/* How items come from the policy to the roles of the GEMM for Hopper: one thread of a cluster asks,
 * and hands on through rings in shared memory. */
#ifndef TS_SM90_ITEMS_H
#define TS_SM90_ITEMS_H

#include "kernels/leave_steps.h"
#include "kernels/sm90_room.h"

/* The scheduler's worker, the first item, which it asks for while the barriers are made, for the
 * sake of short launches, and why it left. A policy with groups is there only once, since it is
 * long. */
struct scheduler {
	struct ts_worker worker;
	struct handed first;
	enum ts_gone gone;
};

#if defined(TS_GROUPS)
enum { ASKS_EARLY = false };
#define ASK_GPU static __device__ __forceinline__
#else
enum { ASKS_EARLY = true };
#define ASK_GPU TS_GPU
#endif

TS_GPU struct scheduler make_scheduler(const struct ts_gemm_args *a)
{
	uint32_t id = gpu_cluster(), domains = a->plan.domains;

	return {ts_worker_make(id, domains == 1 ? 0 : id % domains), {0, 0, 0, 0, 0, 0, 0, 0},
		TS_NOT_GONE};
}

/* The barriers of the rings. */
template <class ROOM> TS_GPU void set_up_items(ROOM *r, const struct place *at)
{
	uint32_t readers = 8 * WORDS + 1; /* lanes of warps that multiply, and the loader */

	for (int i = 0; i < ITEMS; i++) {
		ptx_barrier_init(&r->item_full[i], 1);
		ptx_barrier_init(&r->item_empty[i], readers * at->cluster_m * at->cluster_n);
	}
	for (int i = 0; i < METS; i++)
		ptx_barrier_init(&r->met[i], 1);
	ptx_barrier_init(&r->wanted, 1);
}

/* Does an item share its tile with others? */
TS_GPU bool is_cut(const struct handed *h)
{
	return h->k_end != 0 && (h->owns == 0 || h->parts > 0);
}

/* Does it leave its sums to the tile's owner, */
TS_GPU bool is_part(const struct handed *h)
{
	return h->owns == 0;
}

/* or own the tile and get those of others? */
TS_GPU bool has_parts(const struct handed *h)
{
	return h->parts > 0;
}

/* What an answer of the policy brought. */
enum told { NOTHING_YET, AN_ITEM, A_COUNTER };

/* Takes the policy's answer after item *h: another item or none, the counter of *h, or nothing that
 * has to be handed on. */
ASK_GPU enum told understand(const struct ts_gemm_args *a, const struct ts_step *s,
	struct handed *h, uint32_t *counter, uint32_t *answer)
{
	bool whole = s->k_begin == 0 && s->k_end == a->plan.depth && s->owns;
	bool good;

	if (h->lacks == LACKS_COUNTER) {
		good = h->owns == 0 ? s->act == TS_SIGNAL && s->value == 1
				    : s->act == TS_WAIT && s->value == h->parts;
		if (!good)
			*a->fault = TS_GEMM_PARTIAL;
		h->lacks = good && h->owns != 0 ? LACKS_FIX_UP : LACKS_NOTHING;
		*counter = good ? s->counter : NOBODY;
		return A_COUNTER;
	}
	if (s->act == TS_CLAIM && s->counter < a->plan.counters) {
		*answer = gpu_claim(&a->counters[s->counter]);
		return NOTHING_YET;
	}
	if (s->act == TS_FIX_UP && h->lacks == LACKS_FIX_UP && s->owns && s->slot == h->slot &&
		s->parts == h->parts) {
		h->lacks = LACKS_NOTHING;
		return NOTHING_YET;
	}
	good = h->lacks == LACKS_NOTHING &&
		(s->act == TS_STOP || (s->act == TS_WORK && (whole || a->plan.workspace > 0)));
	if (!good)
		*a->fault = s->act == TS_CLAIM ? TS_GEMM_NO_COUNTER : TS_GEMM_PARTIAL;
	*h = {s->m, s->n, s->k_begin, good ? s->k_end : 0, s->slot, s->parts, s->owns ? 1u : 0u,
		LACKS_NOTHING};
	if (is_cut(h))
		h->lacks = LACKS_COUNTER;
	if (h->k_end != 0)
		find_group(a, s->g, h);
	return AN_ITEM;
}

/* The first item of the worker, or none. */
ASK_GPU struct handed ask(const struct ts_gemm_args *a, struct ts_worker *w)
{
	struct handed h = {0, 0, 0, 0, 0, 0, 0, LACKS_NOTHING};
	uint32_t answer = 0, counter = 0;
	struct ts_step s;

	do
		s = ts_next(ts_group_table_plan(&a->plan, a->table), w, answer);
	while (understand(a, &s, &h, &counter, &answer) == NOTHING_YET);
	return h;
}

TS_GPU void ask_early(const struct ts_gemm_args *a, struct scheduler *s)
{
	if (ASKS_EARLY)
		s->first = ask(a, &s->worker);
}

/* Hands an item to this CTA, */
template <class ROOM> TS_GPU void hand(ROOM *r, uint32_t slot, const struct handed *h)
{
	r->items[slot] = *h;
	ptx_barrier_arrive(&r->item_full[slot]);
}

/* to the others of its cluster, */
template <class ROOM>
TS_GPU void hand_on(ROOM *r, const struct place *at, uint32_t slot, const struct handed *h)
{
	const uint32_t item[4] = {h->m, h->n, h->k_begin, h->k_end};
	const uint32_t part[4] = {h->slot, h->parts, h->owns, 0};
	uint64_t *full = &r->item_full[slot];

#pragma unroll 1
	for (uint32_t rank = 1; rank < at->cluster_m * at->cluster_n; rank++) {
		ptx_barrier_expect_at(full, rank, sizeof *h);
		ptx_store_at(&r->items[slot].m, full, rank, item);
		ptx_store_at(&r->items[slot].slot, full, rank, part);
#if defined(TS_GROUPS)
		const uint32_t group[4] = {h->rows, h->row, h->row_b, h->spare};

		ptx_store_at(&r->items[slot].rows, full, rank, group);
#endif
	}
}

/* and the counter of an item to all. */
template <class ROOM>
TS_GPU void hand_counter(ROOM *r, const struct place *at, uint32_t slot, uint32_t counter)
{
	const uint32_t met[4] = {counter, 0, 0, 0};
	uint64_t *full = &r->met[slot];

	r->mets[slot].counter = counter;
	ptx_barrier_arrive(full);
#pragma unroll 1
	for (uint32_t rank = 1; rank < at->cluster_m * at->cluster_n; rank++) {
		ptx_barrier_expect_at(full, rank, sizeof met);
		ptx_store_at(&r->mets[slot].counter, full, rank, met);
	}
}

/* The scheduler: one thread, in the CTA of rank 0. Asked to leave, it says to all roles that there
 * is no more instead of asking the policy: what was claimed before has been handed on by then. */
template <class ROOM>
TS_GPU void schedule(
	const struct ts_gemm_args *a, ROOM *r, const struct place *at, struct scheduler *of)
{
	struct ts_worker w = of->worker;
	struct handed h = of->first;
	struct ts_pipeline ring = ts_pipeline_at(0, ITEMS);
	struct ts_pipeline met = ts_pipeline_at(0, METS);
	uint32_t wanted = 0, answer = 0, counter = 0, items = 0;
	bool has = ASKS_EARLY;

	of->gone = TS_GONE_BY_POLICY;
	for (;;) {
		enum told told = AN_ITEM;

		if (!has) {
			struct ts_step s = ts_stop();

			if (h.lacks == LACKS_NOTHING && leave_now(&a->leave, &a->plan, &w))
				of->gone = TS_GONE_AS_ASKED;
			else
				s = ts_next(ts_group_table_plan(&a->plan, a->table), &w, answer);
			told = understand(a, &s, &h, &counter, &answer);
		}
		has = false;
		if (told == NOTHING_YET)
			continue;
		if (told == A_COUNTER) {
			hand_counter(r, at, met.stage, counter);
			met = ts_pipeline_next(met, METS);
		} else {
			ptx_barrier_wait(&r->item_empty[ring.stage], ts_empty_parity(ring));
			hand(r, ring.stage, &h);
			hand_on(r, at, ring.stage, &h);
			if (h.k_end == 0)
				return;
			leave_tell_items(&a->leave, &w, ++items);
			ring = ts_pipeline_next(ring, ITEMS);
			if (h.lacks == LACKS_COUNTER)
				continue;
		}
		ptx_barrier_wait(&r->wanted, wanted);
		wanted ^= 1;
		/* Without a counter that was the last one. */
		if (counter == NOBODY) {
			h.k_end = 0;
			has = true;
		}
	}
}

TS_GPU void tell_gone(const struct ts_gemm_args *a, const struct scheduler *s)
{
	if (s->gone != TS_NOT_GONE)
		leave_tell_gone(&a->leave, &s->worker, s->gone);
}

/* Has each worker one item, or none? Here nobody can tell before. */
TS_GPU bool has_one_item(const struct ts_gemm_args *)
{
	return false;
}

/* Where a role's items come from: how far it has got in the rings. */
struct source {
	struct ts_pipeline ring, met;
};

/* The item that a warp works on next, each word of it in the lane of its number. */
typedef uint32_t next_item;

TS_GPU struct source make_source(const struct ts_gemm_args *)
{
	return {ts_pipeline_at(0, ITEMS), ts_pipeline_at(0, METS)};
}

/* The next item: one thread of a role takes it, and leaves its place to the scheduler. */
template <class ROOM>
TS_GPU struct handed take(const struct ts_gemm_args *a, ROOM *r, struct source *from)
{
	struct ts_pipeline *ring = &from->ring;
	struct handed h;

	(void)a;
	ptx_barrier_wait_cluster(&r->item_full[ring->stage], ts_full_parity(*ring));
	h = r->items[ring->stage];
	if (h.k_end != 0)
		ptx_barrier_arrive_at(&r->item_empty[ring->stage], 0);
	*ring = ts_pipeline_next(*ring, ITEMS);
	return h;
}

template <class ROOM>
TS_GPU struct handed take_first(const struct ts_gemm_args *a, ROOM *r, struct source *from)
{
	return take(a, r, from);
}

/* The loader has no more than a few k iterations left. */
template <class ROOM> TS_GPU void want(ROOM *r, const struct place *at)
{
	if (at->rank == 0)
		ptx_barrier_arrive(&r->wanted);
}

/* The same as take() for a warp. */
template <class ROOM>
TS_GPU next_item take_together(const struct ts_gemm_args *a, ROOM *r, struct source *from)
{
	struct ts_pipeline *ring = &from->ring;
	uint32_t lane = gpu_thread() % 32, word = 0;

	(void)a;
	ptx_barrier_wait_cluster(&r->item_full[ring->stage], ts_full_parity(*ring));
	if (lane < WORDS)
		word = (&r->items[ring->stage].m)[lane];
	/* Whoever read says so. */
	if (ptx_of_lane(word, 3) != 0 && lane < WORDS)
		ptx_barrier_arrive_at(&r->item_empty[ring->stage], 0);
	*ring = ts_pipeline_next(*ring, ITEMS);
	return word;
}

template <class ROOM>
TS_GPU next_item take_first_together(const struct ts_gemm_args *a, ROOM *r, struct source *from)
{
	return take_together(a, r, from);
}

/* The counter of a cut item, for all threads of a warp. */
template <class ROOM> TS_GPU uint32_t take_counter(ROOM *r, struct ts_pipeline *met)
{
	uint32_t counter = 0;

	ptx_barrier_wait_cluster(&r->met[met->stage], ts_full_parity(*met));
	if (gpu_thread() % 32 == 0)
		counter = r->mets[met->stage].counter;
	*met = ts_pipeline_next(*met, METS);
	return ptx_of_lane(counter, 0);
}

/* What a warp has to know of its item while it multiplies, */
TS_GPU struct handed find_work(const next_item &word)
{
	struct handed h = {ptx_of_lane(word, 0), ptx_of_lane(word, 1), ptx_of_lane(word, 2),
		ptx_of_lane(word, 3), 0, 0, 0, 0};

#if defined(TS_GROUPS)
	h.rows = ptx_of_lane(word, 8);
	h.row = ptx_of_lane(word, 9);
#endif
	return h;
}

/* and what comes after, with the counter of a cut item and the next item in *word. */
template <class ROOM>
TS_GPU struct handed take_rest(const struct ts_gemm_args *a, ROOM *r, struct source *from,
	next_item *word, uint32_t *ret_counter)
{
	struct handed h = {0, 0, 0, ptx_of_lane(*word, 3), ptx_of_lane(*word, 4),
		ptx_of_lane(*word, 5), ptx_of_lane(*word, 6), 0};

	*ret_counter = NOBODY;
	if (is_cut(&h))
		*ret_counter = take_counter(r, &from->met);
	*word = take_together(a, r, from);
	return h;
}

#endif
