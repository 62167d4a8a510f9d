/* Sums and where the time is lost. */
#include "sim/summary.h"

#include <math.h>
#include <string.h>

void ts_summary_init(struct ts_summary *s, const struct ts_plan *plan,
	const struct ts_machine *machine, int64_t asked)
{
	memset(s, 0, sizeof *s);
	s->plan = plan;
	s->machine = machine;
	s->groups = g_new0(struct ts_sums, machine->device->groups);
	s->places = g_new0(struct ts_sums, MAX(machine->count, 1));
	s->present = g_new0(uint32_t, MAX(machine->count, 1));
	ts_locality_init(&s->locality, plan, machine, !machine->device->amd);
	ts_balance_init(&s->balance, plan, asked);
}

void ts_summary_finish(struct ts_summary *s)
{
	ts_locality_finish(&s->locality);
	ts_balance_finish(&s->balance);
	g_clear_pointer(&s->groups, g_free);
	g_clear_pointer(&s->places, g_free);
	g_clear_pointer(&s->present, g_free);
}

/* Was the item claimed from a counter that belongs to another domain than the worker's? */
static bool is_steal(const struct ts_plan *p, const struct ts_item *item)
{
	uint32_t owned = p->queue_domains * p->slots.by;

	return item->counter < owned && item->counter / p->slots.by != item->domain;
}

/* Notes the part of [from, to) in which another kernel waits for the place. */
static void keep(struct ts_summary *s, uint32_t place, uint64_t from, uint64_t to)
{
	const struct ts_place *p = &s->machine->places[place];
	uint64_t first = MAX(from, p->hold_from);
	uint64_t after = MIN(to, p->hold_to);

	if (after > first)
		s->places[place].kept += after - first;
}

static void add_item(struct ts_sums *sums, const struct ts_item *item, uint64_t tiles, bool steal)
{
	sums->items++;
	sums->tiles += tiles;
	sums->steals += steal;
	sums->wait_time += item->from - item->asked;
	sums->busy += item->to - item->from;
	sums->last = MAX(sums->last, item->to);
}

static void see_worker(struct ts_summary *s, uint32_t place, uint32_t group, uint32_t worker)
{
	if (s->present[place] == worker + 1)
		return;
	s->present[place] = worker + 1;
	s->places[place].workers++;
	s->groups[group].workers++;
	s->all.workers++;
}

static void on_item(void *data, const struct ts_item *item)
{
	struct ts_summary *s = data;
	const struct ts_plan *p = s->plan;
	uint64_t covers = ts_item_tiles(p, &item->step);
	/* Of those that compute parts of a tile, its owner has it. */
	uint64_t tiles = item->step.owns ? covers : 0;
	bool steal = is_steal(p, item);
	double price, scale;

	see_worker(s, item->place, item->group, item->worker);
	keep(s, item->place, item->asked, item->to);
	ts_balance_item(&s->balance, item->worker, &item->step);
	add_item(&s->groups[item->group], item, tiles, steal);
	add_item(&s->places[item->place], item, tiles, steal);
	add_item(&s->all, item, tiles, steal);
	/* The price was rounded to whole picoseconds; its parts are shares of what was paid. */
	price = ts_price_ps(&item->price);
	scale = price > 0 ? (double)(item->to - item->from) / price : 0;
	s->fixed_ps += item->price.fixed_ps * scale;
	s->padded_ps += item->price.padded_ps * scale;
	s->fix_up_ps += item->price.fix_up_ps * scale;
	if (covers > 0)
		ts_locality_item(&s->locality, &item->step, item->group);
}

static void add_claim(struct ts_sums *sums, const struct ts_claimed *claim)
{
	sums->claims++;
	sums->claim_time += claim->to - claim->from;
	sums->last = MAX(sums->last, claim->to);
}

static void on_claim(void *data, const struct ts_claimed *claim)
{
	struct ts_summary *s = data;

	see_worker(s, claim->place, claim->group, claim->worker);
	keep(s, claim->place, claim->from, claim->to);
	add_claim(&s->groups[claim->group], claim);
	add_claim(&s->places[claim->place], claim);
	add_claim(&s->all, claim);
}

static void add_met(struct ts_sums *sums, const struct ts_met *met)
{
	if (met->step.act == TS_FIX_UP)
		sums->busy += met->to - met->from;
	else
		sums->wait_time += met->to - met->from;
	sums->last = MAX(sums->last, met->to);
}

static void on_met(void *data, const struct ts_met *met)
{
	struct ts_summary *s = data;
	double price = ts_price_ps(&met->price);
	double scale = price > 0 ? (double)(met->to - met->from) / price : 0;

	if (met->step.act != TS_WAIT && met->step.act != TS_FIX_UP)
		return;
	keep(s, met->place, met->from, met->to);
	add_met(&s->groups[met->group], met);
	add_met(&s->places[met->place], met);
	add_met(&s->all, met);
	s->fixed_ps += met->price.fixed_ps * scale;
	s->fix_up_ps += met->price.fix_up_ps * scale;
}

struct ts_sink ts_summary_sink(struct ts_summary *s)
{
	struct ts_sink sink = {s, on_item, on_claim, on_met};

	return sink;
}

/* How long before `makespan` the place is not the kernel's: another one has it, less what a worker
 * that was there first keeps of that, or its worker was asked to leave and has left. */
static double lost(const struct ts_place *place, const struct ts_sums *sums, uint64_t makespan)
{
	uint64_t to = MIN(place->hold_to, makespan);
	uint64_t left = MAX(place->release, sums->last);
	double held = 0;

	if (to > place->hold_from)
		held = (double)(to - place->hold_from) - (double)sums->kept;
	if (place->release < makespan && left < makespan)
		return MAX(held, (double)(makespan - left));
	return held;
}

void ts_summary_close(struct ts_summary *s, const struct ts_outcome *outcome)
{
	const struct ts_plan *p = s->plan;
	double makespan = (double)outcome->makespan;
	double busy = (double)s->all.busy;
	double items = (double)s->all.items;
	double idle, places, waves, unavoidable;
	double unmanned = 0;

	s->outcome = *outcome;
	s->flops = ts_cost_flops(p);
	for (uint32_t i = 0; i < s->machine->count; i++) {
		double had =
			makespan - lost(&s->machine->places[i], &s->places[i], outcome->makespan);

		s->capacity += had;
		/* With a worker for each place, one that stops at once is no empty place. */
		if (p->workers < s->machine->count && s->present[i] == 0 && p->workers < p->items)
			unmanned += had;
	}
	if (s->capacity <= 0 || items <= 0)
		return;
	idle = MAX(s->capacity - busy - (double)s->all.claim_time - (double)s->all.wait_time, 0);
	unmanned = MIN(unmanned, idle);
	idle -= unmanned;
	/* What equal items leave idle even under the best balance: the empty part of the last wave,
	 * on as many places as the kernel had in the mean. */
	places = (s->capacity - unmanned) / makespan;
	waves = ceil(items / places - 1e-9);
	unavoidable = CLAMP((waves * places - items) * busy / items, 0, idle);
	/* Parts of stream-K are as long as they are, to fill the waves. */
	if (p->shared_items > 0)
		unavoidable = 0;
	s->padding = s->padded_ps / s->capacity;
	s->fixed = s->fixed_ps / s->capacity;
	s->fix_up = s->fix_up_ps / s->capacity;
	s->waits = (double)s->all.wait_time / s->capacity;
	s->useful = MAX(busy / s->capacity - s->padding - s->fixed - s->fix_up, 0);
	s->claims = (double)s->all.claim_time / s->capacity;
	s->quantization = unavoidable / s->capacity;
	s->imbalance = (idle - unavoidable) / s->capacity;
	s->unmanned = unmanned / s->capacity;
}

double ts_summary_utilisation(const struct ts_summary *s)
{
	return s->useful + s->padding + s->fixed;
}

double ts_summary_tflops(const struct ts_summary *s)
{
	if (s->outcome.makespan == 0)
		return 0;
	return s->flops / (double)s->outcome.makespan;
}
