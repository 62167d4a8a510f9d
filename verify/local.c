/* Interning of locals, and which counters a worker may still use. */
#include "verify/local.h"

#include <string.h>

enum { LOCALS_MAX = 1 << 16, ANSWERS_KEPT = 1 << 12 };

static guint hash(gconstpointer data)
{
	const struct ts_local *local = data;
	const unsigned char *bytes = (const unsigned char *)&local->worker;
	guint h = local->answer * 31 + local->flags;

	for (size_t i = 0; i < sizeof local->worker; i++)
		h = h * 16777619u ^ bytes[i];
	return h;
}

static gboolean equal(gconstpointer a, gconstpointer b)
{
	const struct ts_local *x = a, *y = b;

	return x->answer == y->answer && x->flags == y->flags &&
		memcmp(&x->worker, &y->worker, sizeof x->worker) == 0;
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

static uint32_t intern(
	struct ts_locals *l, const struct ts_worker *worker, uint32_t answer, uint32_t flags)
{
	struct ts_local probe = {.worker = *worker, .answer = answer, .flags = flags};
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(l->numbers, &probe));
	struct ts_local *local;

	if (number != 0)
		return number;
	number = l->all->len;
	local = g_memdup2(&probe, sizeof probe);
	local->after = *worker;
	local->step = l->next(l->plan, &local->after, answer);
	local->touches = local->raises = UINT64_MAX;
	l->escaped = l->closed;
	g_ptr_array_add(l->all, local);
	g_hash_table_insert(l->numbers, local, GUINT_TO_POINTER(number));
	return number;
}

uint32_t ts_locals_enter(struct ts_locals *l, uint32_t id)
{
	struct ts_worker worker = ts_worker_make(id, id % l->plan->domains);

	return intern(l, &worker, 0, 0);
}

uint32_t ts_locals_then(struct ts_locals *l, uint32_t number, uint32_t answer)
{
	struct ts_local *local = ts_locals_at(l, number);
	uint32_t flags = l->keep_started ? TS_STARTED : 0;
	uint32_t wanted, made;

	if (local->step.act != TS_CLAIM)
		answer = 0;
	if (answer >= ANSWERS_KEPT)
		return intern(l, &local->after, answer, flags);
	if (answer >= local->then_made) {
		wanted = answer < 2 ? answer + 1 : 2 * answer;
		made = local->then_made;
		local->then = g_renew(uint32_t, local->then, wanted);
		memset(local->then + made, 0, (wanted - made) * sizeof *local->then);
		local->then_made = wanted;
	}
	if (local->then[answer] == 0)
		local->then[answer] = intern(l, &local->after, answer, flags);
	return local->then[answer];
}

uint32_t ts_locals_ask(struct ts_locals *l, uint32_t number)
{
	const struct ts_local *local = ts_locals_at(l, number);
	bool escaped = l->escaped;
	uint32_t asked = intern(l, &local->worker, local->answer, local->flags | TS_ASKED);

	/* The same worker, so no surprise. */
	ts_locals_at(l, asked)->touches = local->touches;
	ts_locals_at(l, asked)->raises = local->raises;
	l->escaped = escaped;
	return asked;
}

uint64_t ts_step_touches(const struct ts_plan *p, const struct ts_step *s)
{
	switch (s->act) {
	case TS_CLAIM:
	case TS_WAIT:
	case TS_SIGNAL: return ts_counter_bit(p, s->counter);
	case TS_WORK:
	case TS_STOP: break;
	}
	return 0;
}

/* Adds to the masks of a local those of all that can follow it. True if that changed them. */
static bool gather(struct ts_locals *l, uint32_t number, uint32_t answer_max)
{
	struct ts_local *local = ts_locals_at(l, number);
	uint64_t touches = local->touches, raises = local->raises;

	if (local->step.act == TS_STOP)
		return false;
	if (local->step.act != TS_CLAIM)
		answer_max = 0;
	for (uint32_t answer = 0; answer <= answer_max; answer++) {
		const struct ts_local *next = ts_locals_at(l, ts_locals_then(l, number, answer));

		touches |= next->touches;
		raises |= next->raises;
	}
	if (touches == local->touches && raises == local->raises)
		return false;
	local->touches = touches;
	local->raises = raises;
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
		local->raises = local->step.act == TS_WAIT ? 0 : local->touches;
	}
	/* What follows has mostly a higher number, so backwards there are few rounds. */
	while (changed) {
		changed = false;
		for (uint32_t i = l->all->len - 1; i >= TS_LOCALS_FROM; i--)
			changed |= gather(l, i, answer_max);
	}
	l->closed = true;
}
