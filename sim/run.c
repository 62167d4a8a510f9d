/* Ties plan, machine, cost, engine and verifier together. */
#include "sim/run.h"

#include <string.h>

#include "sim/progress.h"
#include "sim/refuse.h"
#include "sim/request.h"
#include "verify/wait_graph.h"

/* Simulated time is kept below this, so that sums of picoseconds fit 64 bits. */
static const double makespan_max_ps = 1e18;

bool ts_run_init(struct ts_run *r, const struct ts_settings *settings, const struct ts_spec *spec,
	GError **error)
{
	struct ts_spec roomy;
	uint32_t ctas = 1;
	enum ts_edge edge;
	enum ts_memory memory;

	memset(r, 0, sizeof *r);
	ts_coverage_init(&r->coverage);
	r->spec = *spec;
	r->device = ts_settings_device(settings, error);
	if (r->device == NULL ||
		!ts_device_resize(r->device, r->device->units, spec->domains, error) ||
		!ts_settings_scenario(settings, r->device, &r->scenario, error) ||
		!ts_settings_dtype(settings, &r->dtype, error) ||
		!ts_settings_edge(settings, &edge, error) ||
		!ts_settings_memory(settings, &memory, error))
		return false;
	if (ts_in_range(spec->cluster_m, 1, 1024) && ts_in_range(spec->cluster_n, 1, 1024))
		ctas = (uint32_t)(spec->cluster_m * spec->cluster_n);
	if (spec->workers == 0 && settings->axes[TS_AXIS_WORKERS] == NULL)
		r->spec.workers = ts_machine_residency(r->device, ctas);
	if (r->spec.workers == 0 && settings->axes[TS_AXIS_WORKERS] == NULL &&
		ctas <= r->device->max_cluster)
		return ts_refuse(error,
			"clusters of %u CTAs: no %s of %s has room for one; use a smaller cluster",
			ctas, ts_device_group_word(r->device), r->device->name);
	if (r->spec.workers == 0 && settings->axes[TS_AXIS_WORKERS] == NULL)
		r->spec.workers = 1; /* the cluster is what will be refused */
	if (ts_settings_rules(settings) != NULL) {
		r->note = ts_settings_command(settings, "", &r->spec);
		ts_policy_file_note(r->note);
	}
	roomy = ts_group_room_give(&r->room, &r->spec);
	if (!ts_request_plan_as(&r->plan, &roomy, ts_settings_rules(settings), error) ||
		!ts_request_fits(&r->plan,
			ts_locality_bytes(&r->plan, r->device->amd ? r->device->groups : 1), error))
		return false;
	ts_machine_init(&r->machine, r->device, &r->scenario, ctas, r->plan.workers);
	if (!ts_cost_init(
		    &r->cost, &r->plan, r->device, r->dtype, edge, memory, r->machine.count, error))
		return false;
	if (memory == TS_MEMORY_CACHES) {
		r->caches = ts_caches_new(&r->plan, r->device, ts_dtype_bytes(r->dtype), error);
		if (r->caches == NULL)
			return false;
	}
	if (r->plan.collective != TS_ALONE)
		ts_exchange_init(
			&r->exchange, &r->plan, ts_dtype_bytes(r->dtype), r->device->link_gbps);
	ts_summary_init(&r->summary, &r->plan, &r->machine, r->spec.workers);
	r->hands = g_new0(struct ts_hand, MAX(r->machine.count, 1));
	ts_coverage_reset(&r->coverage, &r->plan);
	r->coverage.rules = ts_settings_rules(settings);
	return true;
}

void ts_run_finish(struct ts_run *r)
{
	ts_coverage_finish(&r->coverage);
	g_clear_pointer(&r->hands, g_free);
	ts_summary_finish(&r->summary);
	ts_exchange_finish(&r->exchange);
	ts_machine_finish(&r->machine);
	g_clear_pointer(&r->caches, ts_caches_free);
	ts_group_room_finish(&r->room);
	ts_scenario_finish(&r->scenario);
	g_clear_pointer(&r->device, ts_device_free);
	ts_policy_file_note(NULL);
	g_clear_pointer(&r->note, g_free);
}

static void cover_item(void *data, const struct ts_item *item)
{
	struct ts_run *r = data;
	struct ts_coverage *c = &r->coverage;

	ts_coverage_item(
		c, item->worker, &item->step, c->rules == NULL ? ts_cta_tile : c->rules->cta_tile);
	if (r->plan.workspace > 0)
		ts_coverage_step(c, &r->hands[item->place], item->worker, &item->step);
}

static void cover_claim(void *data, const struct ts_claimed *claim)
{
	struct ts_run *r = data;
	uint32_t old;

	ts_coverage_claim(&r->coverage, claim->worker, claim->counter, &old);
}

static void cover_met(void *data, const struct ts_met *met)
{
	struct ts_run *r = data;
	struct ts_hand *hand = &r->hands[met->place];

	ts_coverage_step(&r->coverage, hand, met->worker, &met->step);
	if (met->step.act == TS_STOP)
		memset(hand, 0, sizeof *hand);
}

/* Items computed so far, of a run that may take long. */
struct watch {
	struct ts_progress progress;
	uint64_t done;
	int64_t next; /* us: when to show it again */
};

enum { WATCH_US = 100000, WATCH_ITEMS = 1 << 12 };

static void watch_item(void *data, const struct ts_item *item)
{
	struct watch *w = data;
	int64_t now;

	w->done += item->step.owns ? 1 : 0;
	if (w->done % WATCH_ITEMS != 0)
		return;
	now = g_get_monotonic_time();
	if (now < w->next)
		return;
	w->next = now + WATCH_US;
	ts_progress_show(&w->progress, w->done);
}

/* Who waits, once nothing can happen any more. */
struct jam {
	const struct ts_run *run;
	const struct ts_engine *engine;
	struct ts_wait_graph graph;
	uint32_t *counters; /* NULL as long as nobody does */
};

static void begin_jam(struct jam *jam, const uint32_t *counters)
{
	const struct ts_plan *p = &jam->run->plan;
	const struct ts_machine *m = &jam->run->machine;

	jam->counters = g_memdup2(counters, p->counters * sizeof *counters);
	ts_wait_graph_init(&jam->graph, p, jam->engine->rules, jam->counters);
	jam->graph.queues = m->device->groups;
	for (uint32_t id = 0; id < p->workers; id++) {
		struct ts_waiter *w = &jam->graph.waiters[id];

		w->presence = ts_machine_has_entered(m, id) ? TS_HAS_LEFT : TS_IS_OUTSIDE;
		w->queue = ts_machine_queue(m, id);
		if (jam->engine->hardware_domain && m->device->amd)
			w->worker.domain = w->queue % p->domains;
	}
}

static void note_stuck(void *data, const struct ts_stuck *stuck)
{
	struct jam *jam = data;
	struct ts_waiter *w;

	if (jam->counters == NULL)
		begin_jam(jam, stuck->counters);
	w = &jam->graph.waiters[stuck->worker.id];
	w->presence = TS_IS_WAITING;
	w->worker = stuck->worker;
	w->counter = stuck->step.counter;
	w->value = stuck->step.value;
}

static void end_jam(struct jam *jam, struct ts_coverage *c)
{
	struct ts_finding f;

	if (jam->counters == NULL)
		return;
	ts_wait_graph_solve(&jam->graph, &f);
	ts_coverage_fault(c, &f);
	ts_wait_graph_finish(&jam->graph);
	g_free(jam->counters);
}

/* What only the engine knows about how the run ended. */
static void cover_end(struct ts_run *r, const struct ts_outcome *outcome)
{
	struct ts_finding f = {.worker = outcome->worker, .counter = outcome->counter};

	if (r->plan.items > 0 && r->plan.launches == 1)
		r->coverage.claimed[0] += (uint32_t)outcome->entered;
	else if (r->plan.items > 0)
		r->coverage.idle_workers = r->plan.workers - outcome->entered;
	switch (outcome->end) {
	case TS_ALL_LEFT:
	case TS_ALL_WAIT: return;
	case TS_NO_END:
		f.fault = TS_ENDLESS;
		f.count = outcome->steps;
		break;
	case TS_BAD_COUNTER: f.fault = TS_COUNTER; break;
	case TS_BAD_STEP: f.fault = TS_NO_STEP; break;
	}
	ts_coverage_fault(&r->coverage, &f);
}

bool ts_run_fits(const struct ts_run *r, GError **error)
{
	struct ts_step whole = {.act = TS_WORK, .k_end = r->plan.depth, .owns = true};
	struct ts_price price = ts_cost_item(&r->cost, &whole);
	double slowest = 1, claims, far = 0;

	for (uint32_t i = 0; i < r->machine.count; i++)
		slowest = MAX(slowest, r->machine.places[i].slow);
	/* Nothing waits for longer than for all that anybody asks for. */
	if (r->caches != NULL)
		far = ts_caches_longest_ps(r->caches);
	if (r->plan.collective != TS_ALONE)
		far += (double)r->plan.m * r->exchange.ps_per_row;
	claims = r->plan.items + (double)r->plan.workers * r->plan.counters;
	/* Cut items cost another prologue, a slot's writing and reading, and a wait for each part.
	 */
	claims += r->plan.workspace;
	price.fix_up_ps = (ts_price_ps(&price) + 2 * r->cost.slot_ps) *
		((double)r->plan.workspace / MAX(r->plan.items, 1));
	if (ts_price_ps(&price) * 2 * slowest * r->plan.items +
			(double)MAX(r->cost.claim_ps, r->cost.signal_ps) * claims + far >
		makespan_max_ps)
		return ts_refuse(error,
			"the run could take more than %g s of simulated time; use a smaller "
			"problem, or "
			"smaller slow factors",
			makespan_max_ps / 1e12);
	return true;
}

bool ts_run_simulate(struct ts_run *r, const struct ts_settings *settings,
	const struct ts_sink *extra, GError **error)
{
	struct jam jam = {.run = r};
	struct watch watch = {0};
	struct ts_sink sinks[6] = {ts_summary_sink(&r->summary),
		{r, cover_item, cover_claim, cover_met}, {&jam, .stuck = note_stuck}};
	struct ts_engine engine = {.plan = &r->plan,
		.rules = ts_settings_rules(settings),
		.scenario = &r->scenario,
		.machine = &r->machine,
		.cost = &r->cost,
		.row_ready = r->exchange.row_ready,
		.caches = r->caches,
		.sinks = sinks,
		.sink_count = 3};
	struct ts_outcome outcome;

	if (!ts_settings_hardware_domain(settings, &engine.hardware_domain, error) ||
		!ts_run_fits(r, error))
		return false;
	if (r->plan.collective != TS_ALONE)
		sinks[engine.sink_count++] = ts_exchange_sink(&r->exchange);
	if (extra != NULL)
		sinks[engine.sink_count++] = *extra;
	jam.engine = &engine;
	watch.progress = ts_progress_begin(r->shows_progress ? "items" : NULL, r->plan.items);
	watch.next = watch.progress.start + WATCH_US;
	if (watch.progress.visible)
		sinks[engine.sink_count++] = (struct ts_sink){&watch, watch_item};
	outcome = ts_engine_run(&engine);
	ts_progress_end(&watch.progress);
	end_jam(&jam, &r->coverage);
	cover_end(r, &outcome);
	r->sound = ts_coverage_verdict(&r->coverage) &&
		(r->plan.items == 0 || ts_coverage_drained(&r->coverage));
	ts_summary_close(&r->summary, &outcome);
	return true;
}

uint64_t ts_run_end(const struct ts_run *r)
{
	return ts_exchange_end(&r->exchange, r->summary.outcome.makespan);
}
