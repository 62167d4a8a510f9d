/* The truth about a listing: each k iteration of each tile is counted, one by one. */
#include "tests/mutation/listing.h"

enum { DEPTH_MAX = 16 };

struct tile {
	uint32_t done[DEPTH_MAX]; /* times, per k iteration */
	uint32_t items, owners;
};

static uint32_t rounded_up(int64_t size, int64_t block)
{
	return (uint32_t)((size + block - 1) / block);
}

static void add_item(struct ts_truth *t, struct tile *tile, const struct ts_step *s, uint32_t depth)
{
	if (s->k_begin > s->k_end || s->k_end > depth || (s->k_begin == s->k_end && depth > 0)) {
		t->faults[TS_K_RANGE] = true;
		return;
	}
	tile->items++;
	tile->owners += s->owns ? 1 : 0;
	if (depth == 0 && tile->items > 1)
		t->faults[TS_TILE_TWICE] = true;
	for (uint32_t k = s->k_begin; k < s->k_end; k++)
		if (tile->done[k]++ > 0)
			t->faults[TS_TILE_TWICE] = true;
}

static void end_tile(struct ts_truth *t, const struct tile *tile, uint32_t depth)
{
	bool all = tile->items > 0;

	for (uint32_t k = 0; k < depth; k++)
		all = all && tile->done[k] > 0;
	if (!all)
		t->missing++;
	else if (tile->owners != 1)
		t->faults[TS_OWNERS] = true;
}

/* Tiles are missing by starvation where a counter has given less than it did. */
static void count_claims(struct ts_truth *t, const struct ts_listing *l)
{
	g_autofree uint32_t *claims = g_new0(uint32_t, l->plan.counters + 1);

	for (uint32_t i = 0; i < l->events->len; i++) {
		const struct ts_step *s = &ts_listing_at(l, i)->step;

		if (s->act != TS_CLAIM)
			continue;
		if (s->counter >= l->plan.counters)
			t->faults[TS_COUNTER] = true;
		else
			claims[s->counter]++;
	}
	if (t->missing == 0)
		return;
	for (uint32_t i = 0; i < l->plan.counters; i++)
		if (claims[i] < l->given[i])
			t->faults[TS_STARVED] = true;
	t->faults[TS_TILE_MISSING] = !t->faults[TS_STARVED];
}

/* Partial sums, each question answered by a look through the list. `NONE` is no event. */
enum { NONE = INT32_MAX };

static const struct ts_step *step_at(const struct ts_listing *l, uint32_t i)
{
	return &ts_listing_at(l, i)->step;
}

static bool stores(const struct ts_step *s, uint32_t slot)
{
	return s->act == TS_WORK && !s->owns && s->slot == slot;
}

static bool reads(const struct ts_step *s, uint32_t slot)
{
	return s->act == TS_FIX_UP && slot - s->slot < s->parts;
}

/* The last event before `end` that uses the slot. */
static uint32_t last_use(const struct ts_listing *l, uint32_t end, uint32_t slot)
{
	while (end-- > 0)
		if (stores(step_at(l, end), slot) || reads(step_at(l, end), slot))
			return end;
	return NONE;
}

/* Does event `at` come after event `use` of the slot, whatever the order of the others? By the same
 * worker, or by a wait for the first signal that the user gave behind it. */
static bool is_after(const struct ts_listing *l, uint32_t use, uint32_t at)
{
	uint32_t user = ts_listing_at(l, use)->worker, worker = ts_listing_at(l, at)->worker;
	uint32_t signal = use, wait = at, sum = 0;

	if (user == worker)
		return true;
	while (signal < at &&
		(ts_listing_at(l, signal)->worker != user || step_at(l, signal)->act != TS_SIGNAL))
		signal++;
	while (wait > 0 &&
		(ts_listing_at(l, wait)->worker != worker || step_at(l, wait)->act != TS_WAIT))
		wait--;
	if (signal >= at || step_at(l, wait)->act != TS_WAIT ||
		ts_listing_at(l, wait)->worker != worker ||
		step_at(l, wait)->counter != step_at(l, signal)->counter)
		return false;
	for (uint32_t i = 0; i <= signal; i++)
		if (step_at(l, i)->act == TS_SIGNAL &&
			step_at(l, i)->counter == step_at(l, signal)->counter)
			sum += step_at(l, i)->value;
	return step_at(l, wait)->value >= sum;
}

/* The item whose sums the worker of event `at` keeps there, NONE if there is none: its last owned
 * part with no fix-up behind it that owns. */
static uint32_t kept(const struct ts_listing *l, uint32_t at)
{
	uint32_t worker = ts_listing_at(l, at)->worker;

	while (at-- > 0) {
		const struct ts_step *s = step_at(l, at);

		if (ts_listing_at(l, at)->worker != worker)
			continue;
		if (s->act == TS_FIX_UP && s->owns)
			return NONE;
		if (s->act == TS_WORK && s->owns && s->parts > 0)
			return at;
	}
	return NONE;
}

static void judge_fix_up(struct ts_truth *t, const struct ts_listing *l, uint32_t at)
{
	const struct ts_step *s = step_at(l, at);
	uint32_t item = kept(l, at), left = 0, done = 0;
	const struct ts_step *own = item == NONE ? NULL : step_at(l, item);
	bool mine = own != NULL && own->m == s->m && own->n == s->n;

	if (mine) {
		done = own->k_begin == 0 ? own->k_end : 0;
		left = own->parts;
	}
	/* What the worker has added since, and then what it adds here. */
	for (uint32_t i = mine ? item + 1 : at; i <= at; i++) {
		const struct ts_step *f = step_at(l, i);

		if (f->act != TS_FIX_UP ||
			ts_listing_at(l, i)->worker != ts_listing_at(l, at)->worker)
			continue;
		for (uint32_t slot = f->slot, count = 0; count < f->parts; slot++, count++) {
			uint32_t use = slot < l->plan.workspace ? last_use(l, i, slot) : NONE;
			const struct ts_step *part = use == NONE ? NULL : step_at(l, use);
			bool early = part == NULL || part->act != TS_WORK || !is_after(l, use, i);
			bool other = !mine || left == 0 || early || part->m != own->m ||
				part->n != own->n || part->k_begin != done;

			if (i == at && slot >= l->plan.workspace)
				t->faults[TS_NO_SLOT] = true;
			else if (i == at && mine && early)
				t->faults[TS_SLOT_EARLY] = true;
			else if (i == at && other)
				t->faults[TS_SLOT_OTHER] = true;
			if (other)
				continue;
			left--;
			done = part->k_end == own->k_begin ? own->k_end : part->k_end;
		}
	}
	if (s->owns && (!mine || left > 0 || done != l->plan.depth))
		t->faults[TS_NOT_ADDED] = true;
}

static void judge_part(struct ts_truth *t, const struct ts_listing *l, uint32_t at)
{
	const struct ts_step *s = step_at(l, at);
	uint32_t use;

	if (kept(l, at) != NONE)
		t->faults[TS_NOT_ADDED] = true;
	if (s->owns)
		return;
	if (s->slot >= l->plan.workspace) {
		t->faults[TS_NO_SLOT] = true;
		return;
	}
	use = last_use(l, at, s->slot);
	if (use != NONE && (step_at(l, use)->act == TS_WORK || !is_after(l, use, at)))
		t->faults[TS_SLOT_BUSY] = true;
}

static void judge_partial_sums(struct ts_truth *t, const struct ts_listing *l)
{
	uint32_t count = l->events->len;

	for (uint32_t i = 0; i < count; i++) {
		if (step_at(l, i)->act == TS_FIX_UP)
			judge_fix_up(t, l, i);
		if (step_at(l, i)->act == TS_WORK)
			judge_part(t, l, i);
		if (step_at(l, i)->act == TS_STOP && kept(l, i) != NONE)
			t->faults[TS_NOT_ADDED] = true;
	}
	for (uint32_t slot = 0; slot < l->plan.workspace; slot++) {
		uint32_t use = last_use(l, count, slot);

		if (use != NONE && step_at(l, use)->act == TS_WORK)
			t->faults[TS_NOT_ADDED] = true;
	}
}

struct ts_truth ts_truth_of(const struct ts_listing *l)
{
	const struct ts_spec *spec = &l->spec;
	uint32_t rows = rounded_up(spec->m, spec->block_m);
	uint32_t cols = rounded_up(spec->n, spec->block_n);
	uint32_t depth = rounded_up(spec->k, spec->block_k);
	uint32_t height = (uint32_t)spec->cluster_m, ranks = height * (uint32_t)spec->cluster_n;
	g_autofree struct tile *tiles = g_new0(struct tile, rows * cols + 1);
	struct ts_truth t = {0};

	g_assert_cmpuint(depth, <=, DEPTH_MAX);
	for (uint32_t i = 0; i < l->events->len; i++) {
		const struct ts_step *s = &ts_listing_at(l, i)->step;

		if (s->act == TS_WORK && (s->m >= rows || s->n >= cols))
			t.faults[TS_OUTSIDE] = true;
		for (uint32_t rank = 0; s->act == TS_WORK && rank < ranks; rank++) {
			uint64_t m = (uint64_t)s->m + rank % height;
			uint64_t n = (uint64_t)s->n + rank / height;

			if (s->counter == rank + 1)
				continue;
			if (m < rows && n < cols)
				add_item(&t, &tiles[m * cols + n], s, depth);
			else if (s->value == rank + 1)
				t.faults[TS_OUTSIDE] = true;
		}
	}
	for (uint32_t i = 0; i < rows * cols; i++)
		end_tile(&t, &tiles[i], depth);
	count_claims(&t, l);
	if (l->plan.workspace > 0)
		judge_partial_sums(&t, l);
	t.faults[TS_SOUND] = true;
	for (size_t i = TS_SOUND + 1; i < TS_FAULTS; i++)
		t.faults[TS_SOUND] = t.faults[TS_SOUND] && !t.faults[i];
	return t;
}
