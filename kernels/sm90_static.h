/* The items of the GEMM for Hopper where each role can tell them itself: plans of
 * ts_gemm_is_static(), or of ts_gemm_is_shared(). Nothing is claimed, and nothing has to be handed
 * on. The words are those of sm90_items.h. */
#ifndef TS_SM90_STATIC_H
#define TS_SM90_STATIC_H

#include "kernels/sm90_room.h"

/* There is no scheduler. */
struct scheduler {
};

TS_GPU struct scheduler make_scheduler(const struct ts_gemm_args *)
{
	return {};
}

template <class ROOM> TS_GPU void set_up_items(ROOM *, const struct place *)
{
}
TS_GPU void ask_early(const struct ts_gemm_args *, struct scheduler *)
{
}

template <class ROOM>
TS_GPU void schedule(const struct ts_gemm_args *, ROOM *, const struct place *, struct scheduler *)
{
}

TS_GPU void tell_gone(const struct ts_gemm_args *, const struct scheduler *)
{
}

typedef struct handed next_item;

/* The next item of a worker, or none, and the counter of a cut one before it. The plan is written
 * so that the compiler knows which of its policies, remaps and orders these are, for the sake of
 * short launches: what runs before the first k iteration is a quarter of what it would be. */
TS_GPU struct handed ask(const struct ts_gemm_args *a, struct ts_worker *w, uint32_t *counter)
{
	struct ts_plan p = a->plan;
	struct ts_step s;

	p.plain = true;
	p.remap = TS_REMAP_NONE;
	p.last_row = UINT32_MAX;
	__builtin_assume(p.order <= TS_SNAKE_N);
	*counter = NOBODY;
#if defined(TS_SPLIT_K_ONLY)
	p.policy = TS_SPLIT_K;
	for (;;) {
		s = ts_next(&p, w, 0);
		if (s.act == TS_WORK || s.act == TS_STOP)
			break;
		if (s.act != TS_FIX_UP)
			*counter = s.counter;
	}
#else
	/* Data-parallel is persistent with a worker for each item. */
	p.policy = TS_PERSISTENT;
	s = ts_next(&p, w, 0);
#endif
	return {s.m, s.n, s.k_begin, s.k_end, s.slot, s.parts, s.owns ? 1u : 0u, LACKS_NOTHING};
}

/* Has each worker one item, or none? */
TS_GPU bool has_one_item(const struct ts_gemm_args *a)
{
#if defined(TS_SPLIT_K_ONLY)
	(void)a;
	return true;
#else
	return a->plan.items <= a->plan.workers;
#endif
}

/* Where a role's items come from: its own worker, and the first item, which it asks for while the
 * barriers are made. */
struct source {
	struct ts_worker worker;
	struct handed first;
};

TS_GPU struct source make_source(const struct ts_gemm_args *a)
{
	struct source from;
	uint32_t nobody;

	from.worker = ts_worker_make(gpu_cluster(), 0);
	from.first = ask(a, &from.worker, &nobody);
	return from;
}

template <class ROOM>
TS_GPU struct handed take_first(const struct ts_gemm_args *, ROOM *, struct source *from)
{
	return from->first;
}

template <class ROOM>
TS_GPU struct handed take(const struct ts_gemm_args *a, ROOM *, struct source *from)
{
	uint32_t nobody;

	return ask(a, &from->worker, &nobody);
}

template <class ROOM> TS_GPU void want(ROOM *, const struct place *)
{
}

template <class ROOM>
TS_GPU next_item take_first_together(const struct ts_gemm_args *, ROOM *, struct source *from)
{
	return from->first;
}

TS_GPU struct handed find_work(const next_item &item)
{
	return item;
}

template <class ROOM>
TS_GPU struct handed take_rest(const struct ts_gemm_args *a, ROOM *r, struct source *from,
	next_item *item, uint32_t *ret_counter)
{
	struct handed h = *item;

	*item = ask(a, &from->worker, ret_counter);
	return h;
}

#if !defined(TS_SPLIT_K_ONLY)
/* No item shares its tile. */
TS_GPU bool is_part(const struct handed *)
{
	return false;
}

TS_GPU bool has_parts(const struct handed *)
{
	return false;
}
#endif

#endif
