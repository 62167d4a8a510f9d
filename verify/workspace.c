/* The life of slots. */
#include "verify/workspace.h"

#include <string.h>

/* A slot is dirty until its worker, having written or read it, signals. */
enum slot_state { EMPTY, WRITTEN, PUBLISHED, READ, FREED };

static void blame(
	struct ts_finding *f, enum ts_fault fault, uint32_t worker, const struct ts_step *s)
{
	memset(f, 0, sizeof *f);
	f->fault = fault;
	f->worker = worker;
	f->tiles[0].g = s->g;
	f->tiles[0].m = s->m;
	f->tiles[0].n = s->n;
	f->count = 1;
	f->k_begin = s->k_begin;
	f->k_end = s->k_end;
	f->slot = s->slot;
}

static bool is_dirty(const struct ts_slot *slot)
{
	return slot->state == WRITTEN || slot->state == READ;
}

/* Notes that the worker uses the slot, until its next signal. */
static void use(const struct ts_workspace *w, struct ts_hand *hand, uint32_t worker, uint32_t at,
	enum slot_state state)
{
	struct ts_slot *slot = &w->slots[at];
	bool listed = is_dirty(slot) && slot->worker == worker;
	uint32_t next = listed ? slot->next : hand->used;

	memset(slot, 0, sizeof *slot);
	slot->state = state;
	slot->worker = worker;
	slot->next = next;
	if (!listed)
		hand->used = at + 1;
}

/* Does the worker come after the last use of the slot: its own, or one whose signal it has waited
 * for? */
static bool comes_after(const struct ts_hand *hand, uint32_t worker, const struct ts_slot *slot)
{
	if (slot->worker == worker)
		return true;
	return !is_dirty(slot) && hand->waits == 1 && hand->counter == slot->counter &&
		hand->value >= slot->at;
}

static bool store(const struct ts_workspace *w, struct ts_hand *hand, uint32_t worker,
	const struct ts_step *s, struct ts_finding *f)
{
	struct ts_slot *slot = &w->slots[s->slot];
	bool was_read = slot->state == READ || slot->state == FREED;

	if (slot->state != EMPTY && !(was_read && comes_after(hand, worker, slot))) {
		blame(f, TS_SLOT_BUSY, worker, s);
		f->other = slot->worker;
		return false;
	}
	use(w, hand, worker, s->slot, WRITTEN);
	slot->g = s->g;
	slot->m = s->m;
	slot->n = s->n;
	slot->k_begin = s->k_begin;
	slot->k_end = s->k_end;
	return true;
}

static bool work(const struct ts_workspace *w, struct ts_hand *hand, uint32_t worker,
	const struct ts_step *s, struct ts_finding *f)
{
	if (hand->keeps == 1) {
		blame(f, TS_NOT_ADDED, worker, s);
		f->tiles[0].g = hand->g;
		f->tiles[0].m = hand->m;
		f->tiles[0].n = hand->n;
		return false;
	}
	if (!s->owns && s->slot >= w->plan->workspace) {
		blame(f, TS_NO_SLOT, worker, s);
		return false;
	}
	if (!s->owns)
		return store(w, hand, worker, s, f);
	if (s->parts == 0)
		return true;
	hand->keeps = 1;
	hand->g = s->g;
	hand->m = s->m;
	hand->n = s->n;
	hand->k_begin = s->k_begin;
	hand->k_end = s->k_end;
	hand->done = s->k_begin == 0 ? s->k_end : 0;
	hand->left = s->parts;
	return true;
}

/* Adds one slot to the kept sums. */
static enum ts_fault add(
	const struct ts_workspace *w, struct ts_hand *hand, uint32_t worker, uint32_t at)
{
	struct ts_slot *slot = &w->slots[at];
	bool written = slot->state == WRITTEN || slot->state == PUBLISHED;
	bool in_turn = slot->k_begin == hand->done;

	if (!written || !comes_after(hand, worker, slot))
		return TS_SLOT_EARLY;
	if (slot->g != hand->g || slot->m != hand->m || slot->n != hand->n || hand->left == 0 ||
		(w->fixed_sum && !in_turn))
		return TS_SLOT_OTHER;
	hand->done = slot->k_end;
	if (hand->done == hand->k_begin)
		hand->done = hand->k_end;
	hand->left--;
	use(w, hand, worker, at, READ);
	return TS_SOUND;
}

static bool fix_up(const struct ts_workspace *w, struct ts_hand *hand, uint32_t worker,
	const struct ts_step *s, struct ts_finding *f)
{
	bool kept = hand->keeps == 1 && hand->g == s->g && hand->m == s->m && hand->n == s->n;

	for (uint32_t i = 0; i < s->parts; i++) {
		uint32_t at = s->slot + i;
		enum ts_fault fault = TS_SLOT_OTHER;

		if (at < s->slot || at >= w->plan->workspace)
			fault = TS_NO_SLOT;
		else if (kept)
			fault = add(w, hand, worker, at);
		if (fault == TS_SOUND)
			continue;
		blame(f, fault, worker, s);
		f->slot = at;
		f->other = fault == TS_NO_SLOT ? 0 : w->slots[at].worker;
		return false;
	}
	if (!s->owns)
		return true;
	if (!kept || hand->left > 0 || (w->fixed_sum && hand->done != w->plan->depth)) {
		blame(f, TS_NOT_ADDED, worker, s);
		return false;
	}
	hand->keeps = 0;
	return true;
}

/* Everything that the worker has used is there for whoever waits for this. */
static void publish(
	const struct ts_workspace *w, struct ts_hand *hand, const struct ts_step *s, uint32_t has)
{
	while (hand->used != 0) {
		struct ts_slot *slot = &w->slots[hand->used - 1];

		hand->used = slot->next;
		slot->next = 0;
		slot->state = slot->state == WRITTEN ? PUBLISHED : FREED;
		slot->counter = s->counter;
		slot->at = has;
	}
}

bool ts_workspace_step(const struct ts_workspace *w, struct ts_hand *hand, uint32_t worker,
	const struct ts_step *s, uint32_t has, struct ts_finding *ret_finding)
{
	if (w->plan->workspace == 0 && s->act != TS_FIX_UP)
		return true;
	switch (s->act) {
	case TS_WORK: return work(w, hand, worker, s, ret_finding);
	case TS_FIX_UP: return fix_up(w, hand, worker, s, ret_finding);
	case TS_SIGNAL: publish(w, hand, s, has); return true;
	case TS_WAIT:
		hand->waits = 1;
		hand->counter = s->counter;
		hand->value = s->value;
		return true;
	case TS_STOP:
		if (hand->keeps == 0)
			return true;
		blame(ret_finding, TS_NOT_ADDED, worker, s);
		ret_finding->tiles[0].g = hand->g;
		ret_finding->tiles[0].m = hand->m;
		ret_finding->tiles[0].n = hand->n;
		return false;
	case TS_CLAIM: break;
	}
	return true;
}

bool ts_workspace_verdict(const struct ts_workspace *w, struct ts_finding *ret_finding)
{
	for (uint32_t i = 0; i < w->plan->workspace; i++) {
		const struct ts_slot *slot = &w->slots[i];

		if (slot->state != WRITTEN && slot->state != PUBLISHED)
			continue;
		memset(ret_finding, 0, sizeof *ret_finding);
		ret_finding->fault = TS_NOT_ADDED;
		ret_finding->worker = slot->worker;
		ret_finding->tiles[0].g = slot->g;
		ret_finding->tiles[0].m = slot->m;
		ret_finding->tiles[0].n = slot->n;
		ret_finding->count = 1;
		ret_finding->k_begin = slot->k_begin;
		ret_finding->k_end = slot->k_end;
		ret_finding->slot = i;
		return false;
	}
	return true;
}
