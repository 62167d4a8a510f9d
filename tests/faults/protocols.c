/* Policies whose workers meet at counters, rightly and wrongly. */
#include "tests/faults/protocols.h"

/* The first item is the worker's own id, later ones are claimed, `offset` behind. */
static struct ts_step own_first(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer, uint32_t offset)
{
	if (w->claiming == 1) {
		w->claiming = 0;
		if (answer + offset >= p->items)
			return ts_stop();
		return ts_order_item(p, answer + offset);
	}
	if (w->turn == 0) {
		w->turn = 1;
		if (w->id < p->items)
			return ts_order_item(p, w->id);
	}
	w->claiming = 1;
	return ts_claim(0);
}

struct ts_step ts_plant_own_first_right(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	return own_first(p, w, answer, p->workers);
}

struct ts_step ts_plant_own_first_no_offset(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	return own_first(p, w, answer, 0);
}

struct ts_step ts_plant_own_first_long_offset(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	return own_first(p, w, answer, p->workers + 1);
}

/* Claims one item ahead, and holds it while it works on another: between items it looks as if it
 * had nothing. `turn` is 1 + the item held, or 0. */
struct ts_step ts_plant_holds_one(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t held = w->turn;

	if (w->claiming == 0) {
		w->claiming = 1;
		return ts_claim(0);
	}
	w->claiming = 0;
	w->turn = answer < p->items ? answer + 1 : 0;
	if (held == 0 && w->turn == 0)
		return ts_stop();
	if (held == 0) {
		w->claiming = 1;
		return ts_claim(0);
	}
	return ts_order_item(p, held - 1);
}

/* Worker 1 of three loses item 5 if it had item 0 and then claims 5 next. */
struct ts_step ts_plant_forgets(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	if (w->claiming == 0) {
		w->claiming = 1;
		return ts_claim(0);
	}
	w->claiming = 0;
	if (answer >= p->items)
		return ts_stop();
	if (w->id == 1 && w->turn == 1 && answer == 5) {
		w->claiming = 1;
		return ts_claim(0);
	}
	w->turn = answer + 1;
	return ts_order_item(p, answer);
}

/* The same, and what it loses belongs to a counter that somebody then waits for in vain: whoever
 * has claimed the last item waits until each item was signalled. */
struct ts_step ts_plant_last_one_waits(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s;

	if (w->claiming == 1) {
		w->claiming = 0;
		if (answer >= p->items)
			return ts_stop();
		w->turn = answer + 1;
		return ts_order_item(p, answer);
	}
	if (w->turn > 0 && w->turn < p->items) {
		s = ts_step_make(TS_SIGNAL);
		s.counter = 1;
		s.value = w->id == 1 && w->turn == 2 ? 0 : 1;
		w->turn = 0;
		return s;
	}
	if (w->turn == p->items) {
		s = ts_step_make(TS_WAIT);
		s.counter = 1;
		s.value = p->items - 1;
		w->turn = 0;
		return s;
	}
	w->claiming = 1;
	return ts_claim(0);
}

/* Pairs of workers on one tile each: the even one waits for the odd one, or the other way round. */
static struct ts_step pairs(const struct ts_plan *p, struct ts_worker *w, uint32_t first_waits)
{
	uint32_t tile = w->id / 2;
	struct ts_step s;

	w->turn++;
	if (w->id % 2 != first_waits) {
		s = ts_step_make(TS_SIGNAL);
		s.counter = tile;
		s.value = 1;
		return w->turn == 1 ? s : ts_stop();
	}
	if (w->turn == 1) {
		s = ts_step_make(TS_WAIT);
		s.counter = tile;
		s.value = 1;
		return s;
	}
	return w->turn == 2 ? ts_order_item(p, tile) : ts_stop();
}

struct ts_step ts_plant_even_waits(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return pairs(p, w, 0);
}

struct ts_step ts_plant_odd_waits(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return pairs(p, w, 1);
}

/* Each waits for the one before it in a ring, then does its item and signals. */
struct ts_step ts_plant_ring(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_step_make(w->turn == 0 ? TS_WAIT : TS_SIGNAL);

	(void)answer;
	w->turn++;
	s.counter = w->turn == 1 ? (w->id + p->workers - 1) % p->workers : w->id;
	s.value = 1;
	if (w->turn == 2)
		return ts_order_item(p, w->id);
	return w->turn > 3 ? ts_stop() : s;
}

struct ts_step ts_plant_claims_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)w;
	(void)answer;
	return ts_claim(0);
}

struct ts_step ts_plant_waits_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)w;
	(void)answer;
	return ts_step_make(TS_WAIT);
}

struct ts_step ts_plant_works_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return ts_order_item(p, w->id);
}

struct ts_step ts_plant_far_claim(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)w;
	(void)answer;
	return ts_claim(p->counters);
}

/* Fix-ups, wrong in one step each. */

struct ts_step ts_plant_no_wait(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	return s.act == TS_WAIT ? ts_next(p, w, answer) : s;
}

struct ts_step ts_plant_no_signal(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	return s.act == TS_SIGNAL ? ts_next(p, w, answer) : s;
}

struct ts_step ts_plant_no_fix_up(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	return s.act == TS_FIX_UP ? ts_next(p, w, answer) : s;
}

struct ts_step ts_plant_wait_for_less(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.value -= s.act == TS_WAIT ? 1 : 0;
	return s;
}

/* `claiming` says that the signal has gone ahead of its part. */
struct ts_step ts_plant_signal_first(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	enum { AHEAD = 99 };
	struct ts_worker after = *w;
	struct ts_step s;

	if (w->claiming == AHEAD) {
		w->claiming = 0;
		s = ts_next(p, w, answer);
		ts_next(p, w, answer);
		return s;
	}
	s = ts_next(p, &after, answer);
	if (s.act == TS_WORK && !s.owns) {
		w->claiming = AHEAD;
		return ts_next(p, &after, answer);
	}
	*w = after;
	return s;
}

struct ts_step ts_plant_one_slot(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.slot = 0;
	return s;
}

/* The slots in the wrong order: of two the second alone, then the first. */
struct ts_step ts_plant_backwards(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	enum { SECOND = 99 };
	struct ts_worker before = *w;
	bool second = w->claiming == SECOND;
	struct ts_step s;

	if (second)
		w->claiming = 3; /* as fix_up.h does in front of its last step */
	s = ts_next(p, w, answer);
	if (s.act != TS_FIX_UP || s.parts != 2)
		return s;
	s.parts = 1;
	if (second)
		return s;
	*w = before;
	w->claiming = SECOND;
	s.slot++;
	s.owns = false;
	return s;
}

/* Two workers a tile; the first one owns, and waits for the second. */
struct ts_step ts_plant_owner_first(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	uint32_t item = w->id / 2, turn = w->turn++;
	bool owns = w->id % 2 == 0;
	struct ts_step s = ts_order_item(p, item);

	(void)answer;
	s.k_begin = owns ? 0 : 1;
	s.k_end = owns ? 1 : p->depth;
	s.owns = owns;
	s.slot = item;
	s.parts = owns ? 1 : 0;
	if (turn == 0)
		return s;
	if (turn == 1)
		return owns ? ts_wait(item, 1) : ts_signal(item, 1);
	s.act = TS_FIX_UP;
	return owns && turn == 2 ? s : ts_stop();
}

/* Four workers and two tiles, whose parts go into one slot, one after the other. */
static struct ts_step reuse(const struct ts_plan *p, struct ts_worker *w, bool waits)
{
	uint32_t turn = w->turn++ + (w->id == 2 && !waits ? 1 : 0);
	struct ts_step s = ts_order_item(p, w->id / 2);

	s.owns = w->id % 2 == 1;
	s.k_begin = s.owns ? 1 : 0;
	s.k_end = s.owns ? p->depth : 1;
	s.parts = s.owns ? 1 : 0;
	if (w->id == 2 && turn == 0)
		return ts_wait(1, 1);
	turn -= w->id == 2 ? 1 : 0;
	if (turn == 0)
		return s;
	if (!s.owns)
		return turn == 1 ? ts_signal(0, 1) : ts_stop();
	if (turn == 1)
		return ts_wait(0, w->id == 1 ? 1 : 2);
	s.act = TS_FIX_UP;
	if (turn == 2)
		return s;
	return turn == 3 && w->id == 1 ? ts_signal(1, 1) : ts_stop();
}

struct ts_step ts_plant_reuse(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return reuse(p, w, true);
}

struct ts_step ts_plant_reuse_early(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return reuse(p, w, false);
}

/* Takes the answer of a claim that failed for one that did not. */
struct ts_step ts_plant_decodes_failure(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	return ts_next(p, w, answer >= p->items ? answer - p->items : answer);
}

/* Claims before it has done the item of its own id. */
struct ts_step ts_plant_forgets_own(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	w->turn = 1;
	return ts_next(p, w, answer);
}
