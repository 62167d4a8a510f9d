/* Memory and launches of the probe. */
#include "kernels/prober.h"

#include <string.h>

/* Static shared memory of the kernels, with room to grow. */
enum { STATIC_SHARED = 1024 };

/* To meet every unit: as many CTAs as there are, several times, each busy for a while. */
enum { WAVES = 8, CLAIMS = 256 };

/* Notes the units of enough CTAs to fill all of them a few times, one claim each. */
static bool find_units(struct ts_prober *p, GError **error)
{
	struct ts_claims what = {p->gpu.is.units * WAVES, 0, CLAIMS, 0};
	g_autofree uint32_t *own = g_new(uint32_t, what.ctas);
	struct ts_latency ignored = {0};

	if (!ts_prober_latency(p, &what, own, &ignored, error))
		return false;
	ts_units_add(&p->units, own, what.ctas);
	p->gpu.is.units = MAX(p->gpu.is.units, ts_units_count(&p->units));
	p->gpu.is.domains = MAX(p->gpu.is.domains, ts_units_groups(&p->units));
	return true;
}

bool ts_prober_open(struct ts_prober *p, const struct ts_backend_ops *ops,
	const struct ts_prober_cta *cta, GError **error)
{
	memset(p, 0, sizeof *p);
	if (!ts_backend_open(&p->gpu, ops, "probe", error))
		return false;
	p->cta = *cta;
	p->cta.shared =
		MIN(cta->shared, MAX(p->gpu.is.shared_bytes, STATIC_SHARED) - STATIC_SHARED);
	p->probe = p->gpu.ops->kernel(&p->gpu, "ts_probe", p->cta.shared, error);
	if (p->probe != NULL)
		p->latency = p->gpu.ops->kernel(&p->gpu, "ts_latency", p->cta.shared, error);
	if (p->latency != NULL && (!p->gpu.is.sparse_units || find_units(p, error)))
		return true;
	ts_prober_close(p);
	return false;
}

void ts_prober_close(struct ts_prober *p)
{
	ts_backend_free(&p->gpu, p->memory);
	ts_backend_close(&p->gpu);
	ts_units_finish(&p->units);
	g_clear_pointer(&p->words, g_free);
	memset(p, 0, sizeof *p);
}

static struct ts_backend_grid make_grid(
	const struct ts_prober *p, uint32_t count, uint32_t cluster_m, uint32_t cluster_n)
{
	struct ts_backend_grid grid = {
		count, {cluster_m, cluster_n}, p->cta.threads, p->cta.shared};

	return grid;
}

uint32_t ts_prober_residency(const struct ts_prober *p, uint32_t cluster_m, uint32_t cluster_n)
{
	struct ts_backend_grid grid = make_grid(p, 1, cluster_m, cluster_n);

	return p->gpu.ops->residency(&p->gpu, p->probe, &grid);
}

/* Makes sure of `words` words on the device and here. */
static bool make_room(struct ts_prober *p, uint64_t words, GError **error)
{
	if (words > p->memory_words) {
		ts_backend_free(&p->gpu, p->memory);
		p->memory_words = 0;
		p->memory = p->gpu.ops->alloc(&p->gpu, words * sizeof *p->words, error);
		if (p->memory == 0)
			return false;
		p->memory_words = words;
	}
	if (words > p->words_made) {
		g_free(p->words);
		p->words = g_new(uint32_t, words);
		p->words_made = words;
	}
	return true;
}

/* Finds the kernel of the plan. */
static void *find_kernel(struct ts_prober *p, const struct ts_plan *plan, GError **error)
{
	if (plan->plain)
		return p->probe;
	if (p->probe_groups == NULL && ts_backend_load(&p->gpu, "probe_groups", error))
		p->probe_groups =
			p->gpu.ops->kernel(&p->gpu, "ts_probe_groups", p->cta.shared, error);
	return p->probe_groups;
}

/* Gives the parts of the probe's memory their names. */
static void name_parts(struct ts_prober *p, const struct ts_plan *plan,
	const struct ts_probe_layout *l, const struct ts_probe_args *args)
{
	uint64_t ranks = (uint64_t)plan->cluster_m * plan->cluster_n;
	const struct ts_backend_part parts[] = {
		{(uintptr_t)args->cursors, sizeof *args->cursors, "cursors"},
		{(uintptr_t)args->counters, plan->counters * sizeof *args->counters, "counters"},
		{(uintptr_t)args->records, l->group_room * ranks * sizeof *args->records,
			"records"},
		{(uintptr_t)args->events, l->event_room * sizeof *args->events, "events"},
		{(uintptr_t)args->table, ts_group_table_words(plan) * sizeof(uint32_t), "groups"}};
	/* The last one only where there is a table. */
	uint32_t count = G_N_ELEMENTS(parts) - (plan->plain ? 1 : 0);

	if (p->gpu.ops->name_parts != NULL)
		p->gpu.ops->name_parts(&p->gpu, p->memory, parts, count);
}

/* A word of device memory as the kernel's pointer to it. */
static void *at(const struct ts_prober *p, uint64_t word)
{
	return (void *)(uintptr_t)(p->memory + word * sizeof(uint32_t));
}

/* Puts the plan's table behind everything else, where it has one. */
static bool store_table(
	struct ts_prober *p, const struct ts_plan *plan, uint64_t word, GError **error)
{
	uint64_t words = ts_group_table_words(plan);

	if (words == 0)
		return true;
	ts_group_table_make(plan, (uintptr_t)at(p, word), p->words);
	return p->gpu.ops->store(
		&p->gpu, (uintptr_t)at(p, word), p->words, words * sizeof(uint32_t), error);
}

/* Gives the units in the records that were written their numbers from 0 on. */
static void number_units(
	const struct ts_prober *p, const struct ts_plan *plan, const struct ts_probe_log *log)
{
	const struct ts_probe_cursors *c = ts_probe_cursors(log);
	uint64_t ranks = (uint64_t)plan->cluster_m * plan->cluster_n;
	struct ts_probe_record *records = ts_probe_records(log);
	struct ts_probe_event *events = ts_probe_events(log);

	for (uint64_t i = 0; i < MIN(c->groups, log->layout.group_room) * ranks; i++)
		if (records[i].worker != TS_PROBE_POISON)
			records[i].unit = ts_units_find(&p->units, records[i].unit);
	for (uint64_t i = 0; i < MIN(c->events, log->layout.event_room); i++)
		events[i].unit = ts_units_find(&p->units, events[i].unit);
}

bool ts_prober_run(struct ts_prober *p, const struct ts_plan *plan,
	const struct ts_probe_pace *pace, struct ts_probe_log *ret_log, GError **error)
{
	struct ts_probe_layout l = ts_probe_layout_make(plan);
	struct ts_backend_grid grid = make_grid(p, plan->workers, plan->cluster_m, plan->cluster_n);
	struct ts_probe_args args = {.plan = *plan,
		.busy_ns = pace->busy_ns,
		.hardware_domain = pace->hardware_domain ? 1 : 0,
		.group_room = (uint32_t)l.group_room,
		.event_room = (uint32_t)l.event_room};
	void *arguments[] = {&args};
	void *kernel = find_kernel(p, plan, error);
	uint64_t table = (l.words + TS_PROBE_GUARD) / TS_PROBE_GUARD * TS_PROBE_GUARD;

	if (kernel == NULL || !make_room(p, table + ts_group_table_words(plan), error))
		return false;
	if (!plan->plain)
		args.table = at(p, table);
	args.cursors = at(p, l.cursors);
	args.counters = at(p, l.counters);
	args.records = at(p, l.records);
	args.events = at(p, l.events);
	name_parts(p, plan, &l, &args);
	if (!store_table(p, plan, table, error) ||
		!p->gpu.ops->fill(&p->gpu, p->memory, TS_PROBE_POISON, l.words, error) ||
		!p->gpu.ops->fill(&p->gpu, p->memory + l.cursors * sizeof(uint32_t), 0,
			sizeof(struct ts_probe_cursors) / sizeof(uint32_t), error))
		return false;
	if (plan->counters > 0 &&
		!p->gpu.ops->fill(&p->gpu, p->memory + l.counters * sizeof(uint32_t), 0,
			plan->counters, error))
		return false;
	/* Without items a policy is not asked. */
	if (plan->items > 0 && !ts_backend_run(&p->gpu, kernel, &grid, arguments, error))
		return false;
	ret_log->layout = l;
	ret_log->words = p->words;
	if (!p->gpu.ops->fetch(&p->gpu, p->words, p->memory, l.words * sizeof(uint32_t), error))
		return false;
	if (ts_units_count(&p->units) > 0)
		number_units(p, plan, ret_log);
	return true;
}

bool ts_prober_latency(struct ts_prober *p, const struct ts_claims *what, uint32_t *ret_units,
	struct ts_latency *ret_latency, GError **error)
{
	uint64_t results = what->first + ((uint64_t)what->ctas * what->apart + 4) / 2 * 2;
	uint64_t words = results + (uint64_t)what->ctas * 4 * 2;
	struct ts_backend_grid grid = make_grid(p, what->ctas, 1, 1);
	struct ts_latency_args args = {.apart = what->apart, .claims = what->claims};
	void *arguments[] = {&args};
	const uint64_t *figures;

	if (!make_room(p, words, error))
		return false;
	args.counters = at(p, what->first);
	args.ret = at(p, results);
	if (p->gpu.ops->name_parts != NULL)
		p->gpu.ops->name_parts(&p->gpu, p->memory, NULL, 0);
	if (!p->gpu.ops->fill(&p->gpu, p->memory, 0, words, error) ||
		!ts_backend_run(&p->gpu, p->latency, &grid, arguments, error) ||
		!p->gpu.ops->fetch(&p->gpu, p->words, p->memory, words * sizeof(uint32_t), error))
		return false;
	figures = (const uint64_t *)(const void *)(p->words + results);
	for (uint32_t i = 0; i < what->ctas; i++, figures += 4) {
		double ns = (double)figures[1] / what->claims;

		ret_latency->ctas++;
		ret_latency->cycles += (double)figures[0] / what->claims;
		ret_latency->ns += ns;
		ret_latency->least_ns =
			ret_latency->ctas == 1 ? ns : MIN(ret_latency->least_ns, ns);
		ret_latency->most_ns = MAX(ret_latency->most_ns, ns);
		if (ret_units != NULL)
			ret_units[i] = ts_units_count(&p->units) == 0
				? (uint32_t)figures[3]
				: ts_units_find(&p->units, (uint32_t)figures[3]);
	}
	return true;
}
