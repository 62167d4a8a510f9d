/* Faults in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cpu_run.h"
#include "kernels/cpu_shared.h"

/* CTAs of which a deadlock tells. */
enum { LISTED = 3 };

/* Text that ends where its room does. */
struct text {
	char *at;
	size_t used, room;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *x, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(x->at + x->used, x->room - x->used, format, args);
	va_end(args);
	if (length > 0)
		x->used += (size_t)length;
	if (x->used >= x->room)
		x->used = x->room - 1;
}

static void put_cta(struct text *x, const struct cpu_cta *cta)
{
	const struct cpu_self *self = &cta->threads[0].self;

	put(x, "cluster %u, CTA %u", self->cluster, self->cta);
	if (cta->place->launch->ranks > 1)
		put(x, " of rank %u", self->rank);
	if (cta->has_tile)
		put(x, ", tile (%u, %u)", cta->m, cta->n);
}

/* True for the first one, which counts. */
static bool be_first(struct cpu_launch *l)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n(
		&l->failed, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void cpu_name_cta(const struct cpu_cta *cta, char *ret_text, uint32_t room)
{
	struct text x = {ret_text, 0, room};

	put_cta(&x, cta);
}

void cpu_fault(struct cpu_launch *l, const struct cpu_thread *t, const char *format, ...)
{
	struct text x = {l->fault, 0, TS_CPU_FAULT};
	va_list args;

	if (!be_first(l))
		return;
	put(&x, "%s: ", l->kernel->name);
	if (t != NULL) {
		put_cta(&x, t->cta);
		put(&x, ", thread %u: ", t->self.thread);
	}
	va_start(args, format);
	vsnprintf(x.at + x.used, x.room - x.used, format, args);
	va_end(args);
}

void cpu_describe(const struct cpu_thread *t, const void *p, char *ret_text, uint32_t room)
{
	const struct cpu_cta *cta = cpu_shared_find(t->cta->place, p);

	if (cta != NULL)
		cpu_shared_describe(cta, p, ret_text, room);
	else
		cpu_memory_describe(ts_cpu_memory(t->cta->place->launch->cpu), p, ret_text, room);
}

/* Without the folders, which depend on where the compiler was called. */
static const char *name_only(const char *where)
{
	const char *slash = strrchr(where, '/');

	return slash == NULL ? where : slash + 1;
}

/* Are both at the same point? */
static bool same(const struct cpu_thread *a, const struct cpu_thread *b)
{
	if (a->state != b->state)
		return false;
	if (a->state == CPU_READY)
		return a->polls == b->polls;
	return a->state == CPU_LEFT || strcmp(a->where, b->where) == 0;
}

static void put_doing(struct text *x, const struct cpu_thread *t, bool many)
{
	char place[160];

	if (t->state == CPU_LEFT) {
		put(x, many ? " have left" : " has left");
	} else if (t->state == CPU_READY) {
		cpu_describe(t, t->polls, place, sizeof place);
		put(x, " %s for a counter that stays at %u: %s", many ? "wait" : "waits", t->polled,
			place);
	} else {
		put(x, " %s at the %s %s", many ? "wait" : "waits",
			t->state == CPU_AT_CTA            ? "barrier"
				: t->state == CPU_AT_WARP ? "warp's step"
							  : "cluster's barrier",
			name_only(t->where));
	}
}

/* "threads 0-3, 5": all of the CTA that are where the thread `first` is, and what they do. */
static void put_alike(struct text *x, const struct cpu_cta *cta, uint32_t first, uint32_t count)
{
	const struct cpu_thread *t = &cta->threads[first];
	uint32_t number = 0;

	for (uint32_t i = first; i < count; i++)
		number += same(&cta->threads[i], t);
	put(x, number > 1 ? "threads" : "thread");
	for (uint32_t i = first, listed = 0; i < count; i++) {
		uint32_t end = i;

		if (!same(&cta->threads[i], t))
			continue;
		while (end + 1 < count && same(&cta->threads[end + 1], t))
			end++;
		put(x, "%s %u", listed++ > 0 ? "," : "", i);
		if (end > i)
			put(x, "-%u", end);
		i = end;
	}
	put_doing(x, t, number > 1);
}

static bool seen_before(const struct cpu_cta *cta, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (same(&cta->threads[i], &cta->threads[j]))
			return true;
	return false;
}

static void put_threads(struct text *x, const struct cpu_cta *cta)
{
	uint32_t count = cta->threads[0].self.threads, listed = 0;

	put_cta(x, cta);
	put(x, ": ");
	for (uint32_t i = 0; i < count; i++)
		if (!seen_before(cta, i)) {
			put(x, listed++ > 0 ? "; " : "");
			put_alike(x, cta, i, count);
		}
}

static bool has_left(const struct cpu_cta *cta)
{
	return cta->left == cta->threads[0].self.threads;
}

void cpu_report_group(struct cpu_place *p)
{
	char text[TS_CPU_FAULT / 2];
	struct text x = {text, 0, sizeof text};

	for (uint32_t rank = 0, listed = 0; rank < p->launch->ranks; rank++)
		if (!has_left(&p->ctas[rank])) {
			put(&x, listed++ > 0 ? ". " : "");
			put_threads(&x, &p->ctas[rank]);
		}
	cpu_fault(p->launch, NULL, "not all threads arrive at a barrier: %s", text);
}

void cpu_stop_deadlock(struct cpu_launch *l)
{
	if (be_first(l))
		l->deadlock = true;
}

void cpu_report_deadlock(struct cpu_launch *l)
{
	struct text x = {l->fault, 0, TS_CPU_FAULT};
	uint32_t begun = l->next_group < l->grid.count ? l->next_group : l->grid.count;
	uint32_t live = 0, listed = 0;

	for (uint32_t i = 0; i < l->place_count; i++)
		live += l->places[i].live;
	put(&x, "%s: deadlock, nothing can change any more: %u of %u groups wait", l->kernel->name,
		live, l->grid.count);
	if (begun < l->grid.count)
		put(&x, ", and %u others for one of their places", l->grid.count - begun);
	for (uint32_t i = 0; i < l->place_count; i++)
		for (uint32_t rank = 0; l->places[i].live && rank < l->ranks; rank++)
			if (!has_left(&l->places[i].ctas[rank]) && listed++ < LISTED) {
				put(&x, listed == 1 ? ": " : ". ");
				put_threads(&x, &l->places[i].ctas[rank]);
			}
	if (listed > LISTED)
		put(&x, ". And %u more CTAs", listed - LISTED);
}
