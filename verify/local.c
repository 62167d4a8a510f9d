/* Interning of locals, and which counters a worker may still use. */
#include "verify/local.h"

#include <string.h>

enum { LOCALS_MAX = 1 << 16, ANSWERS_KEPT = 1 << 16 };

/* A field more must be compared below. */
G_STATIC_ASSERT(sizeof(struct ts_step) == 44 && sizeof(struct ts_worker) % sizeof(uint32_t) == 0);

static bool same_step(const struct ts_step *a, const struct ts_step *b)
{
	return a->act == b->act && a->g == b->g && a->m == b->m && a->n == b->n &&
		a->k_begin == b->k_begin && a->k_end == b->k_end && a->counter == b->counter &&
		a->value == b->value && a->slot == b->slot && a->parts == b->parts &&
		a->owns == b->owns;
}

static gboolean equal(gconstpointer a, gconstpointer b)
{
	const struct ts_local *x = a, *y = b;

	return same_step(&x->step, &y->step) && x->between == y->between && x->flags == y->flags &&
		x->answer == y->answer && memcmp(&x->after, &y->after, sizeof x->after) == 0 &&
		memcmp(&x->worker, &y->worker, sizeof x->worker) == 0;
}

static guint hash(gconstpointer data)
{
	const struct ts_local *local = data;
	const unsigned char *bytes = (const unsigned char *)&local->after;
	guint h = local->answer * 31 + local->flags;

	for (size_t i = 0; i < sizeof local->after; i++)
		h = h * 16777619u ^ bytes[i];
	return h * 31 + (guint)local->step.act + local->step.m * 7 + local->step.n +
		local->step.g * 101;
}

static void free_local(gpointer data)
{
	struct ts_local *local = data;

	if (local == NULL)
		return;
	g_free(local->then);
	g_free(local);
}

void ts_locals_init(struct ts_locals *l, const struct ts_plan *plan, const struct ts_rules *rules)
{
	memset(l, 0, sizeof *l);
	l->plan = plan;
	l->next = rules == NULL ? ts_next : rules->next;
	l->all = g_ptr_array_new_with_free_func(free_local);
	g_ptr_array_set_size(l->all, TS_LOCALS_FROM);
	l->numbers = g_hash_table_new(hash, equal);
}

void ts_locals_finish(struct ts_locals *l)
{
	g_hash_table_unref(l->numbers);
	g_ptr_array_unref(l->all);
}

/* The number of a local like `local`. */
static uint32_t put(struct ts_locals *l, const struct ts_local *local)
{
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(l->numbers, local));
	struct ts_local *kept;

	if (number != 0)
		return number;
	number = l->all->len;
	kept = g_memdup2(local, sizeof *local);
	kept->then = NULL;
	kept->then_made = 0;
	g_ptr_array_add(l->all, kept);
	g_hash_table_insert(l->numbers, kept, GUINT_TO_POINTER(number));
	return number;
}

static uint32_t intern(
	struct ts_locals *l, const struct ts_worker *worker, uint32_t answer, uint32_t flags)
{
	struct ts_local local = {.after = *worker, .flags = flags};

	local.between = !ts_worker_holds(l->plan, worker);
	local.step = l->next(l->plan, &local.after, answer);
	local.touches = UINT64_MAX;
	if (l->keep_apart) {
		local.worker = *worker;
		local.answer = answer;
	}
	return put(l, &local);
}

uint32_t ts_locals_enter(struct ts_locals *l, uint32_t id)
{
	struct ts_worker worker = ts_worker_make(id, id % l->plan->domains);

	return intern(l, &worker, 0, 0);
}

/* What follows local `number`, where that is not yet known. */
static uint32_t follow(struct ts_locals *l, uint32_t number, uint32_t answer)
{
	const struct ts_local *local = ts_locals_at(l, number);
	uint32_t next = intern(l, &local->after, answer, l->keep_started ? TS_STARTED : 0);

	if (l->closed && (ts_locals_at(l, next)->touches & ~local->touches) != 0)
		l->escaped = true;
	return next;
}

uint32_t ts_locals_then(struct ts_locals *l, uint32_t number, uint32_t answer)
{
	struct ts_local *local = ts_locals_at(l, number);
	uint32_t wanted, made;

	if (local->step.act != TS_CLAIM)
		answer = 0;
	if (answer >= ANSWERS_KEPT)
		return follow(l, number, answer);
	if (answer >= local->then_made) {
		wanted = answer < 2 ? answer + 1 : 2 * answer;
		made = local->then_made;
		local->then = g_renew(uint32_t, local->then, wanted);
		memset(local->then + made, 0, (wanted - made) * sizeof *local->then);
		local->then_made = wanted;
	}
	if (local->then[answer] == 0)
		local->then[answer] = follow(l, number, answer);
	return local->then[answer];
}

uint32_t ts_locals_ask(struct ts_locals *l, uint32_t number)
{
	struct ts_local local = *ts_locals_at(l, number);

	/* With the counters it may use, since it is the same worker. */
	local.flags |= TS_ASKED;
	return put(l, &local);
}

uint64_t ts_step_touches(const struct ts_plan *p, const struct ts_step *s)
{
	switch (s->act) {
	case TS_CLAIM:
	case TS_WAIT:
	case TS_SIGNAL: return ts_counter_bit(p, s->counter);
	case TS_WORK:
	case TS_FIX_UP:
	case TS_STOP: break;
	}
	return 0;
}

/* Adds to the mask of a local those of all that can follow it. True if that changed it. */
static bool gather(struct ts_locals *l, uint32_t number, uint32_t answer_max)
{
	struct ts_local *local = ts_locals_at(l, number);
	uint64_t touches = local->touches;

	if (local->step.act == TS_STOP)
		return false;
	if (local->step.act != TS_CLAIM)
		answer_max = 0;
	for (uint32_t answer = 0; answer <= answer_max; answer++)
		touches |= ts_locals_at(l, ts_locals_then(l, number, answer))->touches;
	if (touches == local->touches)
		return false;
	local->touches = touches;
	return true;
}

void ts_locals_close(struct ts_locals *l, uint32_t answer_max)
{
	bool changed = true;

	for (uint32_t id = 0; id < l->plan->workers && l->all->len < LOCALS_MAX; id++)
		ts_locals_enter(l, id);
	for (uint32_t i = TS_LOCALS_FROM; i < l->all->len; i++) {
		const struct ts_local *local = ts_locals_at(l, i);
		uint32_t answers = local->step.act == TS_CLAIM ? answer_max : 0;

		for (uint32_t a = 0; local->step.act != TS_STOP && a <= answers; a++) {
			if (l->all->len >= LOCALS_MAX)
				return;
			ts_locals_then(l, i, a);
		}
	}
	for (uint32_t i = TS_LOCALS_FROM; i < l->all->len; i++) {
		struct ts_local *local = ts_locals_at(l, i);

		local->touches = ts_step_touches(l->plan, &local->step);
	}
	/* What follows has mostly a higher number, so backwards there are few rounds. */
	while (changed) {
		changed = false;
		for (uint32_t i = l->all->len - 1; i >= TS_LOCALS_FROM; i--)
			changed |= gather(l, i, answer_max);
	}
	l->closed = true;
}
