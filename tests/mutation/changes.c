/* Changes of a listing, one each: mistakes that a policy or a kernel could make, and what is no
 * mistake. */
#include "tests/mutation/listing.h"

typedef bool is_kind_fn(const struct ts_listing *l, const struct ts_event *e);

static bool is_item(const struct ts_listing *l, const struct ts_event *e)
{
	(void)l;
	return e->step.act == TS_WORK;
}

static bool is_signal(const struct ts_listing *l, const struct ts_event *e)
{
	(void)l;
	return e->step.act == TS_SIGNAL;
}

static bool is_wait(const struct ts_listing *l, const struct ts_event *e)
{
	(void)l;
	return e->step.act == TS_WAIT;
}

static bool is_fix_up(const struct ts_listing *l, const struct ts_event *e)
{
	(void)l;
	return e->step.act == TS_FIX_UP;
}

static bool is_owner(const struct ts_listing *l, const struct ts_event *e)
{
	return is_item(l, e) && e->step.owns;
}

static bool is_part(const struct ts_listing *l, const struct ts_event *e)
{
	return is_item(l, e) && !e->step.owns;
}

static bool is_claim(const struct ts_listing *l, const struct ts_event *e)
{
	(void)l;
	return e->step.act == TS_CLAIM;
}

static bool is_tail(const struct ts_listing *l, const struct ts_event *e)
{
	const struct ts_plan *p = &l->plan;

	return is_item(l, e) &&
		(e->step.m + p->cluster_m > p->rows || e->step.n + p->cluster_n > p->cols);
}

/* An event of the kind, which is drawn, or NULL. It moves when events are added. */
static struct ts_event *find(struct ts_listing *l, is_kind_fn *is_kind)
{
	uint32_t count = l->events->len;
	uint32_t start = ts_listing_draw(l, count + 1);

	for (uint32_t i = 0; i < count; i++)
		if (is_kind(l, ts_listing_at(l, (start + i) % count)))
			return ts_listing_at(l, (start + i) % count);
	return NULL;
}

static uint32_t index_of(const struct ts_listing *l, const struct ts_event *e)
{
	return (uint32_t)(e - ts_listing_at(l, 0));
}

static void insert(struct ts_listing *l, struct ts_event e)
{
	uint32_t place = ts_listing_draw(l, l->events->len + 1);

	g_array_insert_val(l->events, place, e);
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static bool remove_of(struct ts_listing *l, is_kind_fn *is_kind)
{
	struct ts_event *e = find(l, is_kind);

	if (e == NULL)
		return false;
	g_array_remove_index(l->events, index_of(l, e));
	return true;
}

static bool drop(struct ts_listing *l)
{
	return remove_of(l, is_item);
}

static bool drop_claim(struct ts_listing *l)
{
	return remove_of(l, is_claim);
}

/* All of one worker's items, while its claims stay. */
static bool drop_worker(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);
	uint32_t worker = e == NULL ? 0 : e->worker;

	for (uint32_t i = l->events->len; i > 0; i--)
		if (is_item(l, ts_listing_at(l, i - 1)) &&
			ts_listing_at(l, i - 1)->worker == worker)
			g_array_remove_index(l->events, i - 1);
	return e != NULL;
}

/* A counter is left before its end: its last claims and what they gave. */
static bool leave_counter(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);
	struct ts_event first;

	if (e == NULL || l->plan.counters == 0)
		return false;
	first = *e;
	for (uint32_t i = l->events->len; i > 0; i--) {
		e = ts_listing_at(l, i - 1);
		if (e->counter == first.counter && e->answer >= first.answer)
			g_array_remove_index(l->events, i - 1);
	}
	return true;
}

static bool claim_far(struct ts_listing *l)
{
	static const uint32_t beyond[] = {0, 0, 1, 7, 1u << 31, UINT32_MAX / 2};
	struct ts_event e = {0};

	e.worker = ts_listing_draw(l, MAX(l->plan.workers, 1));
	e.step.act = TS_CLAIM;
	e.step.counter = l->plan.counters + beyond[ts_listing_draw(l, G_N_ELEMENTS(beyond))];
	insert(l, e);
	return true;
}

static bool repeat(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);

	if (e == NULL)
		return false;
	insert(l, *e);
	return true;
}

static bool repeat_as_part(struct ts_listing *l)
{
	struct ts_event *e = l->plan.depth > 0 ? find(l, is_owner) : NULL;
	struct ts_event part;

	if (e == NULL)
		return false;
	part = *e;
	part.step.owns = false;
	insert(l, part);
	return true;
}

static bool shift(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);

	if (e == NULL)
		return false;
	*(ts_listing_draw(l, 2) == 0 ? &e->step.m : &e->step.n) +=
		ts_listing_draw(l, 2) == 0 ? 1 : UINT32_MAX;
	return true;
}

static bool move_far(struct ts_listing *l)
{
	static const uint32_t far[] = {0, 1, 2, 5, 1u << 16, 1u << 31, UINT32_MAX / 2};
	uint32_t by = far[ts_listing_draw(l, G_N_ELEMENTS(far))];
	struct ts_event *e = find(l, is_item);

	if (e == NULL)
		return false;
	if (ts_listing_draw(l, 2) == 0)
		e->step.m = l->plan.rows + by;
	else
		e->step.n = l->plan.cols + by;
	return true;
}

static bool swap_rows(struct ts_listing *l)
{
	struct ts_event *a = find(l, is_item), *b = find(l, is_item);

	if (a != b)
		swap(&a->step.m, &b->step.m);
	return a != b;
}

static bool transpose(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);

	if (e != NULL)
		swap(&e->step.m, &e->step.n);
	return e != NULL;
}

/* One item at the tile of another, with its own k range. */
static bool follow(struct ts_listing *l)
{
	struct ts_event *a = find(l, is_item), *b = find(l, is_item);

	if (a == b)
		return false;
	a->step.m = b->step.m;
	a->step.n = b->step.n;
	return true;
}

static bool swap_ranges(struct ts_listing *l)
{
	struct ts_event *a = find(l, is_item), *b = find(l, is_item);

	if (a == b)
		return false;
	swap(&a->step.k_begin, &b->step.k_begin);
	swap(&a->step.k_end, &b->step.k_end);
	return true;
}

/* How far an end of a k range moves: by one, either way, or by more than there is. */
static const uint32_t distances[] = {1, 1, UINT32_MAX, UINT32_MAX, 1u << 31, 20};

static bool move_end(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);

	if (e != NULL)
		e->step.k_end += distances[ts_listing_draw(l, G_N_ELEMENTS(distances))];
	return e != NULL;
}

static bool move_begin(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);

	if (e != NULL)
		e->step.k_begin += distances[ts_listing_draw(l, G_N_ELEMENTS(distances))];
	return e != NULL;
}

static bool empty(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);

	if (e == NULL)
		return false;
	if (ts_listing_draw(l, 2) == 0)
		e->step.k_begin = e->step.k_end;
	else
		e->step.k_end = e->step.k_begin;
	return true;
}

/* To all k iterations, as if nobody had cut the tile. */
static bool widen(struct ts_listing *l)
{
	struct ts_event *e = find(l, ts_listing_draw(l, 2) == 0 ? is_part : is_owner);

	if (e == NULL)
		return false;
	e->step.k_begin = 0;
	e->step.k_end = l->plan.depth;
	return true;
}

static bool disown(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_owner);

	if (e != NULL)
		e->step.owns = false;
	return e != NULL;
}

static bool own(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_part);

	if (e != NULL)
		e->step.owns = true;
	return e != NULL;
}

static bool validate(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_tail);
	uint32_t height = l->plan.cluster_m, ranks = height * l->plan.cluster_n;
	uint32_t rank = ts_listing_draw(l, ranks);

	while (e != NULL && e->step.m + rank % height < l->plan.rows &&
		e->step.n + rank / height < l->plan.cols)
		rank = (rank + 1) % ranks;
	if (e != NULL)
		e->step.value = 1 + rank;
	return e != NULL;
}

/* The tile of one CTA: harmless where it has none. */
static bool leave_out(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_item);

	if (e != NULL)
		e->step.counter = 1 + ts_listing_draw(l, l->plan.cluster_m * l->plan.cluster_n);
	return e != NULL;
}

/* Steps between workers that share a tile. */

static bool drop_fix_up(struct ts_listing *l)
{
	return remove_of(l, is_fix_up);
}

static bool drop_signal(struct ts_listing *l)
{
	return remove_of(l, is_signal);
}

static bool drop_wait(struct ts_listing *l)
{
	return remove_of(l, is_wait);
}

/* A step goes in front of the one of the same worker before it. */
static bool hurry(struct ts_listing *l, is_kind_fn *is_kind)
{
	struct ts_event *e = find(l, is_kind);

	for (struct ts_event *before = e; e != NULL && before-- > ts_listing_at(l, 0);) {
		struct ts_event kept = *before;

		if (before->worker != e->worker)
			continue;
		*before = *e;
		*e = kept;
		return true;
	}
	return false;
}

static bool signal_first(struct ts_listing *l)
{
	return hurry(l, is_signal);
}

static bool fix_up_first(struct ts_listing *l)
{
	return hurry(l, is_fix_up);
}

static bool wait_for_less(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_wait);

	if (e != NULL)
		e->step.value -= 1 + ts_listing_draw(l, e->step.value);
	return e != NULL;
}

static bool wait_for_another(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_wait);

	if (e != NULL)
		e->step.counter = ts_listing_draw(l, l->plan.counters);
	return e != NULL;
}

/* A part goes into the slot of another, be it read already or not. */
static bool share_slot(struct ts_listing *l)
{
	struct ts_event *a = find(l, is_part), *b = find(l, is_part);

	if (a != NULL && l->plan.workspace > 0)
		a->step.slot = b->step.slot;
	return a != b && l->plan.workspace > 0;
}

static bool store_far(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_part);

	if (e != NULL && l->plan.workspace > 0)
		e->step.slot = l->plan.workspace + ts_listing_draw(l, 3);
	return e != NULL && l->plan.workspace > 0;
}

static bool add_others(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_fix_up);

	if (e != NULL)
		e->step.slot += ts_listing_draw(l, 2) == 0 ? 1 : UINT32_MAX;
	return e != NULL;
}

static bool add_fewer(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_fix_up);

	if (e != NULL)
		e->step.parts -= 1 + ts_listing_draw(l, e->step.parts);
	return e != NULL;
}

static bool add_twice(struct ts_listing *l)
{
	struct ts_event *e = find(l, is_fix_up);
	struct ts_event again;

	if (e == NULL)
		return false;
	again = *e;
	again.step.owns = ts_listing_draw(l, 2) == 0;
	g_array_insert_val(l->events, index_of(l, e), again);
	return true;
}

/* The fix-up of one tile adds to another. */
static bool fix_up_another(struct ts_listing *l)
{
	struct ts_event *a = find(l, is_fix_up), *b = find(l, is_fix_up);

	if (a == b)
		return false;
	a->step.m = b->step.m;
	a->step.n = b->step.n;
	return true;
}

static bool nothing(struct ts_listing *l)
{
	(void)l;
	return true;
}

/* Partial sums forbid most orders, and most other workers. */
static bool is_free(const struct ts_listing *l)
{
	return l->plan.workspace == 0;
}

static bool reorder(struct ts_listing *l)
{
	if (is_free(l))
		ts_listing_shuffle(l);
	return is_free(l);
}

static bool renumber(struct ts_listing *l)
{
	uint32_t turn = ts_listing_draw(l, 1u << 30);

	for (uint32_t i = 0; i < l->events->len; i++)
		ts_listing_at(l, i)->worker =
			(ts_listing_at(l, i)->worker * 5 + turn) % TS_LISTING_IDS;
	return true;
}

static bool swap_workers(struct ts_listing *l)
{
	struct ts_event *a = find(l, is_item), *b = find(l, is_item);

	if (a == NULL || !is_free(l))
		return false;
	swap(&a->worker, &b->worker);
	return true;
}

static bool cut_all(struct ts_listing *l)
{
	for (uint32_t i = 0; is_free(l) && i < l->events->len; i++)
		ts_listing_cut(l, i);
	return is_free(l);
}

/* Another part of the same cluster. */
static bool hand_over(struct ts_listing *l)
{
	struct ts_event *part = find(l, is_part);

	if (part == NULL || !is_free(l))
		return false;
	for (uint32_t i = 0; i < l->events->len; i++) {
		struct ts_event *e = ts_listing_at(l, i);

		if (is_item(l, e) && e->step.m == part->step.m && e->step.n == part->step.n)
			e->step.owns = e == part;
	}
	return true;
}

const struct ts_change ts_changes[] = {
	{"an item is lost", false, drop},
	{"a worker's items are lost", false, drop_worker},
	{"a counter is left before its end", false, leave_counter},
	{"a counter that is not there is claimed from", false, claim_far},
	{"an item is done twice", false, repeat},
	{"an item is done twice, once without being owned", false, repeat_as_part},
	{"an item is one tile off", false, shift},
	{"an item is outside the grid", false, move_far},
	{"the rows of two items are swapped", false, swap_rows},
	{"an item is transposed", false, transpose},
	{"an item follows another", false, follow},
	{"the k ranges of two items are swapped", false, swap_ranges},
	{"a k range ends elsewhere", false, move_end},
	{"a k range begins elsewhere", false, move_begin},
	{"a k range is empty", false, empty},
	{"a part is made the whole", false, widen},
	{"nobody owns an item", false, disown},
	{"two own an item", false, own},
	{"a CTA beyond the grid computes", false, validate},
	{"a CTA does not compute", false, leave_out},
	{"a fix-up is left out", false, drop_fix_up},
	{"a signal is left out", false, drop_signal},
	{"a wait is left out", false, drop_wait},
	{"a signal comes before the sums are written", false, signal_first},
	{"a fix-up comes before the wait", false, fix_up_first},
	{"a wait is for fewer signals", false, wait_for_less},
	{"a wait is for another tile's signals", false, wait_for_another},
	{"two parts share a slot", false, share_slot},
	{"a part goes beyond the workspace", false, store_far},
	{"a fix-up adds the slots beside", false, add_others},
	{"a fix-up adds fewer slots", false, add_fewer},
	{"a fix-up comes twice", false, add_twice},
	{"a fix-up is of another tile", false, fix_up_another},
	{"nothing is changed", true, nothing},
	{"a claim is not seen", true, drop_claim},
	{"events come in another order", true, reorder},
	{"workers are renumbered", true, renumber},
	{"two workers swap items", true, swap_workers},
	{"all items are cut along k", true, cut_all},
	{"another part owns", true, hand_over},
	{NULL, false, NULL},
};
