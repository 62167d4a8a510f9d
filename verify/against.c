/* Each worker of the trace follows the policy's worker, step by step. */
#include "verify/against.h"

#include <string.h>

/* The policy's worker that one worker of the trace follows, or one CTA of it. */
struct seat {
	struct ts_worker worker;
	uint32_t items;   /* so far */
	uint32_t counter; /* that it is claiming from */
	uint32_t least;   /* the answer that it can get at least */
	uint32_t state;
};

enum { ENTERED = 1, STOPPED = 2, LOST = 4 };

/* Whose counters are not numbered up to its items, or whose items are no whole clusters. */
static bool refuse(GError **error, const char *why)
{
	g_set_error(error, ts_trace_quark(), 0,
		"--against: %s, of which traces can't be compared; leave --against out", why);
	return false;
}

/* Can an item begin at this tile? */
static bool is_first(const struct ts_plan *p, int64_t g, int64_t m, int64_t n)
{
	const struct ts_plan *grid = g >= 0 && g < p->groups ? ts_grid(p, (uint32_t)g) : NULL;

	return grid != NULL && m >= 0 && m < grid->rows && n >= 0 && n < grid->cols &&
		m % p->cluster_m == 0 && n % p->cluster_n == 0;
}

/* Notes which items counter `c` gives out, asking a worker that is about to claim from it. */
static bool deal(
	struct ts_against *a, uint32_t c, uint32_t items, struct ts_worker w, GError **error)
{
	const struct ts_plan *p = a->plan;

	for (uint32_t answer = 0; answer < items; answer++) {
		struct ts_worker claimer = w;
		struct ts_step s = a->rules.next(p, &claimer, answer);

		if (s.act != TS_WORK || s.k_begin != 0 || !is_first(p, s.g, s.m, s.n) ||
			s.k_end != ts_shape_depth(ts_grid(p, s.g), s.m))
			return refuse(error, "this policy claims something else than whole items");
		a->positions[ts_tile_index(p, s.g, s.m, s.n)] = 1 + a->first[c] + answer;
	}
	return true;
}

/* Follows workers, to whom every counter is empty, until all counters have been seen. */
static bool find_items(struct ts_against *a, const struct ts_policy *policy, GError **error)
{
	const struct ts_plan *p = a->plan;
	g_autofree uint8_t *seen = g_new0(uint8_t, p->counters);
	uint32_t unseen = p->counters;

	for (uint32_t id = 0; id < p->workers && unseen > 0; id++) {
		struct ts_worker w = ts_worker_make(id, id % p->domains);
		struct ts_step s = a->rules.next(p, &w, 0);

		for (uint32_t hops = 0; s.act == TS_CLAIM && hops <= p->counters; hops++) {
			uint32_t items;

			if (s.counter >= p->counters)
				return refuse(error,
					"this policy claims from a counter that its plan lacks");
			items = policy->counter_items(p, s.counter);
			if (seen[s.counter] == 0 && !deal(a, s.counter, items, w, error))
				return false;
			unseen -= seen[s.counter] == 0;
			seen[s.counter] = 1;
			s = a->rules.next(p, &w, items);
		}
	}
	return true;
}

bool ts_against_init(struct ts_against *a, const struct ts_plan *plan, const struct ts_rules *rules,
	bool hardware, struct ts_lapses *lapses, GError **error)
{
	struct ts_policy policy = ts_rules_policy(rules, plan->policy);
	struct ts_worker w = ts_worker_make(0, 0);
	uint64_t sum = 0;

	memset(a, 0, sizeof *a);
	ts_pages_init(&a->seats, sizeof(struct seat));
	a->plan = plan;
	a->rules.next = rules == NULL ? ts_next : rules->next;
	a->rules.cta_tile = rules == NULL ? ts_cta_tile : rules->cta_tile;
	a->hardware = hardware;
	a->lapses = lapses;
	if (plan->items == 0)
		return true;
	a->claims = a->rules.next(plan, &w, 0).act == TS_CLAIM;
	for (uint32_t i = 0; !a->claims && policy.counter_items != NULL && i < plan->counters; i++)
		if (policy.counter_items(plan, i) > 0)
			return refuse(
				error, "this policy begins with a fixed item and claims later");
	if (!a->claims)
		return true;
	if (policy.counter_items == NULL)
		return refuse(
			error, "this policy does not say how many items its counters give out");
	a->positions = g_new0(uint32_t, plan->cells);
	a->first = g_new0(uint32_t, plan->counters + 1);
	for (uint32_t i = 0; i < plan->counters; i++) {
		a->first[i] = (uint32_t)sum;
		sum += policy.counter_items(plan, i);
		if (sum > plan->items)
			return refuse(
				error, "this policy's counters give out more items than there are");
	}
	a->first[plan->counters] = (uint32_t)sum;
	return find_items(a, &policy, error);
}

void ts_against_finish(struct ts_against *a)
{
	ts_pages_finish(&a->seats);
	g_clear_pointer(&a->positions, g_free);
	g_clear_pointer(&a->first, g_free);
}

static bool has(const struct ts_against *a, enum ts_col col)
{
	return (a->lapses->columns >> col & 1) != 0;
}

static struct ts_lapse *lapse(
	struct ts_against *a, enum ts_lapse_kind kind, const struct ts_record *r, struct seat *seat)
{
	struct ts_lapse *first = ts_lapses_note(a->lapses, kind, r);

	if (seat != NULL)
		seat->state |= LOST;
	if (first != NULL && seat != NULL)
		first->nth = seat->items;
	return first;
}

static void lapse_number(struct ts_against *a, enum ts_lapse_kind kind, const struct ts_record *r,
	struct seat *seat, int64_t number, int64_t bound)
{
	struct ts_lapse *first = lapse(a, kind, r, seat);

	if (first == NULL)
		return;
	first->number = number;
	first->bound = bound;
}

/* The next item of a worker that claims nothing, cut down to the CTA's tile where there are ranks;
 * false where it stops. */
static bool next_item(
	const struct ts_against *a, struct seat *seat, uint32_t rank, struct ts_where *ret_item)
{
	const struct ts_plan *p = a->plan;

	while ((seat->state & STOPPED) == 0) {
		struct ts_step s = a->rules.next(p, &seat->worker, 0);
		struct ts_tile tile = {s.m, s.n, true};

		if (s.act == TS_STOP || s.act == TS_CLAIM)
			seat->state |= STOPPED;
		if (s.act == TS_WORK && has(a, TS_COL_RANK) && s.g < p->groups)
			tile = a->rules.cta_tile(p, &s, rank);
		*ret_item = (struct ts_where){s.g, tile.m, tile.n, s.k_begin, s.k_end};
		if (s.act == TS_WORK && tile.valid)
			return true;
	}
	return false;
}

static void add_static(struct ts_against *a, struct seat *seat, const struct ts_record *r)
{
	struct ts_where item;
	struct ts_lapse *first;

	if (!next_item(a, seat, (uint32_t)r->value[TS_COL_RANK], &item)) {
		lapse(a, TS_LAPSE_EXTRA, r, seat);
		return;
	}
	if (item.group == r->value[TS_COL_GROUP] && item.m == r->value[TS_COL_M] &&
		item.n == r->value[TS_COL_N] && item.k_begin == r->value[TS_COL_K_BEGIN] &&
		item.k_end == r->value[TS_COL_K_END])
		return;
	first = lapse(a, TS_LAPSE_DIFFERS, r, seat);
	if (first != NULL)
		first->wanted = item;
}

/* The counter that gives out place `at` of the row of all items. */
static uint32_t counter_of(const struct ts_against *a, uint32_t at)
{
	uint32_t low = 0, high = a->plan->counters;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (a->first[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Leaves counters as empty until the worker claims from `counter`; false where it never does. */
static bool go_to(const struct ts_against *a, struct seat *seat, uint32_t counter)
{
	for (uint32_t hops = 0; hops <= a->plan->counters; hops++) {
		struct ts_step s;

		if ((seat->state & STOPPED) != 0 || seat->counter == counter)
			break;
		s = a->rules.next(a->plan, &seat->worker,
			a->first[seat->counter + 1] - a->first[seat->counter]);
		if (s.act != TS_CLAIM)
			seat->state |= STOPPED;
		seat->counter = s.counter;
		seat->least = 0;
	}
	return (seat->state & STOPPED) == 0 && seat->counter == counter;
}

/* Where in the row of all items the line's item is; -1 where no counter gives it out, or not to a
 * CTA of this rank. */
static int64_t position(const struct ts_against *a, const struct ts_record *r)
{
	const struct ts_plan *p = a->plan;
	const int64_t *v = r->value;
	int64_t m = v[TS_COL_M] - v[TS_COL_RANK] % p->cluster_m;
	int64_t n = v[TS_COL_N] - v[TS_COL_RANK] / p->cluster_m;
	int64_t g = v[TS_COL_GROUP];

	if (!is_first(p, g, m, n) || v[TS_COL_K_BEGIN] != 0 ||
		v[TS_COL_K_END] != ts_shape_depth(ts_grid(p, (uint32_t)g), (uint32_t)m))
		return -1;
	return (int64_t)a->positions[ts_tile_index(p, (uint32_t)g, (uint32_t)m, (uint32_t)n)] - 1;
}

static void add_claim(struct ts_against *a, struct seat *seat, const struct ts_record *r)
{
	int64_t at = position(a, r);
	int64_t recorded = has(a, TS_COL_COUNTER) ? r->value[TS_COL_COUNTER] : -1;
	uint32_t counter, answer;
	struct ts_step s;

	if (at < 0) {
		lapse_number(a, TS_LAPSE_QUEUE, r, seat, -1, 0);
		return;
	}
	counter = counter_of(a, (uint32_t)at);
	answer = (uint32_t)at - a->first[counter];
	if (recorded >= 0 && recorded != counter) {
		lapse_number(a, TS_LAPSE_COUNTER, r, seat, recorded, counter);
	} else if (!go_to(a, seat, counter)) {
		lapse_number(a, TS_LAPSE_QUEUE, r, seat, counter, 0);
	} else if (answer < seat->least) {
		lapse_number(a, TS_LAPSE_CLAIMS, r, seat, answer, (int64_t)seat->least - 1);
	} else {
		seat->least = answer + 1;
		a->rules.next(a->plan, &seat->worker, answer);
		s = a->rules.next(a->plan, &seat->worker, 0);
		if (s.act != TS_CLAIM)
			seat->state |= STOPPED;
		else if (s.counter != seat->counter)
			seat->least = 0;
		seat->counter = s.counter;
	}
}

static void enter(const struct ts_against *a, struct seat *seat, uint32_t id, uint32_t domain)
{
	struct ts_step s;

	seat->state = ENTERED;
	seat->worker = ts_worker_make(id, domain);
	if (!a->claims)
		return;
	s = a->rules.next(a->plan, &seat->worker, 0);
	seat->counter = s.counter;
	if (s.act != TS_CLAIM)
		seat->state |= STOPPED;
}

void ts_against_add(struct ts_against *a, const struct ts_record *r)
{
	const struct ts_plan *p = a->plan;
	const int64_t *v = r->value;
	int64_t domain = v[TS_COL_WORKER] % p->domains;
	int64_t ctas = (int64_t)p->cluster_m * p->cluster_n;
	struct seat *seat;

	if (a->hardware)
		domain = v[has(a, TS_COL_DOMAIN) ? TS_COL_DOMAIN : TS_COL_XCD];
	if (v[TS_COL_WORKER] >= p->workers || p->items == 0) {
		lapse_number(a, TS_LAPSE_STRANGER, r, NULL, 0, (int64_t)p->workers - 1);
		return;
	}
	seat = ts_pages_at(&a->seats, (uint32_t)v[TS_COL_RANK], (uint32_t)v[TS_COL_WORKER]);
	if ((seat->state & LOST) != 0)
		return;
	if (v[TS_COL_RANK] >= ctas) {
		/* Of a cluster the ledger has already said so. */
		seat->state |= LOST;
		if (ctas == 1)
			lapse_number(a, TS_LAPSE_RANK, r, seat, v[TS_COL_RANK], 0);
		return;
	}
	if (domain >= p->domains) {
		lapse_number(a, TS_LAPSE_DOMAIN, r, seat, domain, (int64_t)p->domains - 1);
		return;
	}
	if ((seat->state & ENTERED) == 0)
		enter(a, seat, (uint32_t)v[TS_COL_WORKER], (uint32_t)domain);
	if (a->claims)
		add_claim(a, seat, r);
	else
		add_static(a, seat, r);
	seat->items++;
}

void ts_against_close(struct ts_against *a)
{
	const struct ts_plan *p = a->plan;
	uint32_t ranks = has(a, TS_COL_RANK) ? p->cluster_m * p->cluster_n : 1;

	for (uint32_t rank = 0; rank < ranks && !a->claims && p->items > 0; rank++) {
		for (uint32_t id = 0; id < p->workers; id++) {
			struct seat fresh = {.state = 0};
			struct seat *seat = ts_pages_peek(&a->seats, rank, id);
			struct ts_record r = {0};
			struct ts_where item;
			struct ts_lapse *first;

			seat = seat == NULL ? &fresh : seat;
			if ((seat->state & LOST) != 0)
				continue;
			if ((seat->state & ENTERED) == 0)
				enter(a, seat, id, id % p->domains);
			if (!next_item(a, seat, rank, &item))
				continue;
			r.value[TS_COL_WORKER] = id;
			r.value[TS_COL_RANK] = rank;
			first = lapse(a, TS_LAPSE_UNDONE, &r, seat);
			if (first != NULL)
				first->wanted = item;
		}
	}
}
