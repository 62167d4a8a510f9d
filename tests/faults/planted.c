/* Each fault is the smallest wrong edit of a right policy. */
#include "tests/faults/planted.h"

static bool is_marked(const struct ts_step *s)
{
	return s->act == TS_WORK && s->m == 1 && s->n == 0;
}

struct ts_step ts_plant_drop(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	return is_marked(&s) ? ts_next(p, w, answer) : s;
}

/* `claiming` is free in a policy without claims: 1 once the item has been repeated. */
struct ts_step ts_plant_twice(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_worker before = *w;
	struct ts_step s = ts_next(p, w, answer);

	if (is_marked(&s) && before.claiming == 0) {
		*w = before;
		w->claiming = 1;
	}
	return s;
}

struct ts_step ts_plant_down(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.m++;
	return s;
}

struct ts_step ts_plant_right(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.n++;
	return s;
}

struct ts_step ts_plant_long_stride(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_plan other = *p;

	other.workers++;
	return ts_next(&other, w, answer);
}

struct ts_step ts_plant_short_stride(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_plan other = *p;

	other.workers--;
	return ts_next(&other, w, answer);
}

struct ts_step ts_plant_far_claim(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	s.counter += s.act == TS_CLAIM ? p->counters : 0;
	return s;
}

static struct ts_step use_counter(enum ts_act act, uint32_t counter, uint32_t value)
{
	struct ts_step s = ts_step_make(act);

	s.counter = counter;
	s.value = value;
	return s;
}

struct ts_step ts_plant_far_wait(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)w;
	(void)answer;
	return use_counter(TS_WAIT, p->counters, 0);
}

struct ts_step ts_plant_far_signal(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)w;
	(void)answer;
	return use_counter(TS_SIGNAL, p->counters, 1);
}

struct ts_step ts_plant_claim_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)w;
	(void)answer;
	return ts_claim(0);
}

struct ts_step ts_plant_signal_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)w;
	(void)answer;
	return use_counter(TS_SIGNAL, 0, 0);
}

struct ts_step ts_plant_wait_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)w;
	(void)answer;
	return use_counter(TS_WAIT, 0, 0);
}

struct ts_step ts_plant_wait_for_nobody(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	return s.act == TS_STOP ? use_counter(TS_WAIT, 0, 1000000) : s;
}

/* Worker `id` loses what it claims where the counter's old value has this parity. */
static struct ts_step lose(
	const struct ts_plan *p, struct ts_worker *w, uint32_t answer, uint32_t id, uint32_t parity)
{
	struct ts_step s = ts_next(p, w, answer);
	bool loses = s.act == TS_WORK && w->id == id && answer % 2 == parity;

	return loses ? ts_next(p, w, answer) : s;
}

struct ts_step ts_plant_even_only(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	return lose(p, w, answer, 0, 1);
}

struct ts_step ts_plant_odd_only(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	return lose(p, w, answer, 1, 0);
}

struct ts_step ts_plant_no_steal(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	return w->turn > 0 ? ts_stop() : s;
}

/* Worker `id` is the one that waits, of its item's two. */
static struct ts_step halves(const struct ts_plan *p, struct ts_worker *w, bool waits)
{
	uint32_t item = w->id / 2;
	struct ts_step s = ts_order_item(p, item);
	uint32_t turn = w->turn++;

	if (turn == 2)
		return ts_stop();
	if (waits && turn == 0)
		return use_counter(TS_WAIT, item, 1);
	if (!waits && turn == 1)
		return use_counter(TS_SIGNAL, item, 1);
	s.k_begin = waits ? p->depth / 2 : 0;
	s.k_end = waits ? p->depth : p->depth / 2;
	s.owns = waits;
	return s;
}

struct ts_step ts_plant_second_waits(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return halves(p, w, w->id % 2 == 1);
}

struct ts_step ts_plant_first_waits(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return halves(p, w, w->id % 2 == 0);
}

struct ts_tile ts_plant_no_guard(const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	struct ts_tile t = ts_cta_tile(p, s, rank);

	t.valid = true;
	return t;
}

struct ts_tile ts_plant_same_rank(const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	(void)rank;
	return ts_cta_tile(p, s, 0);
}

struct ts_tile ts_plant_transposed(const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	struct ts_plan other = *p;

	other.cluster_m = p->cluster_n;
	other.cluster_n = p->cluster_m;
	return ts_cta_tile(&other, s, rank);
}

struct ts_tile ts_plant_strict_guard(
	const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	struct ts_tile t = ts_cta_tile(p, s, rank);

	t.valid = t.valid && t.m + 1 < p->rows;
	return t;
}
