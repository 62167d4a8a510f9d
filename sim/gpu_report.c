/* One probe in words and figures. */
#include <string.h>

#include "sim/gpu.h"
#include "sim/request.h"

/* What one SM or CU did, or all of a GPC or XCD. Times in ns from the start of the first item. */
struct share {
	uint32_t units, items;
	uint64_t busy, last;
};

struct shares {
	struct share *units, *groups;
	uint64_t start, makespan;
};

static const struct ts_probe_record *find_record(const struct ts_gpu_run *r, uint64_t i)
{
	return &ts_probe_records(r->log)[i];
}

static uint64_t count_records(const struct ts_gpu_run *r)
{
	uint64_t groups = MIN(ts_probe_cursors(r->log)->groups, r->log->layout.group_room);

	return groups * r->plan->cluster_m * r->plan->cluster_n;
}

static void add(struct share *s, const struct ts_probe_record *record, uint64_t start)
{
	s->items++;
	s->busy += record->to - record->from;
	s->last = MAX(s->last, record->to - start);
}

/* Unsound records may hold anything: only units that exist are counted. */
static void share_out(const struct ts_gpu_run *r, struct shares *s)
{
	uint64_t count = count_records(r);

	s->units = g_new0(struct share, r->map->units);
	s->groups = g_new0(struct share, r->map->units);
	s->start = count == 0 ? 0 : UINT64_MAX;
	s->makespan = 0;
	for (uint64_t i = 0; i < count; i++)
		s->start = MIN(s->start, find_record(r, i)->from);
	for (uint64_t i = 0; i < count; i++) {
		const struct ts_probe_record *record = find_record(r, i);

		if (record->unit >= r->map->units || record->valid == 0)
			continue;
		add(&s->units[record->unit], record, s->start);
		add(&s->groups[r->map->group[record->unit]], record, s->start);
		s->makespan = MAX(s->makespan, record->to - s->start);
	}
	for (uint32_t i = 0; i < r->map->units; i++)
		s->groups[r->map->group[i]].units++;
}

static void free_shares(struct shares *s)
{
	g_free(s->units);
	g_free(s->groups);
}

static double busy_percent(const struct share *s, uint64_t makespan)
{
	double whole = (double)s->units * (double)makespan;

	return whole > 0 ? 100 * (double)s->busy / whole : 0;
}

static void put_verdict(GString *out, const struct ts_gpu_run *r)
{
	const struct ts_plan *p = r->plan;
	const struct ts_gpu_verdict *v = r->verdict;

	if (!v->sound) {
		g_string_append_printf(out, "FAILED       %s\n", v->fault);
		return;
	}
	g_string_append_printf(out,
		"sound        %" G_GUINT64_FORMAT " items, %" G_GUINT64_FORMAT
		" tiles computed once each, none outside ",
		v->items, v->tiles);
	if (p->groups > 1)
		g_string_append_printf(out, "its group of %u", p->groups);
	else
		g_string_append_printf(out, "%u x %u", p->m, p->n);
	g_string_append(out, "; each worker did what the policy says\n");
	if (p->counters > 0)
		g_string_append_printf(out,
			"counters     %u, with %" G_GUINT64_FORMAT
			" claims answered 0, 1, 2, ... once each\n",
			p->counters, v->claims);
}

static void put_balance(GString *out, const struct ts_gpu_run *r, const struct shares *s)
{
	const char *unit = r->prober->gpu.ops->unit;
	uint32_t used = 0, least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < r->map->units; i++) {
		used += s->units[i].items > 0;
		least = MIN(least, s->units[i].items);
		most = MAX(most, s->units[i].items);
	}
	g_string_append_printf(out, "balance      %u of %u %ss had tiles, from %u to %u each\n",
		used, r->map->units, unit, least, most);
	g_string_append_printf(out, "\n%-4s %7ss %9s %7s  %s\n", r->prober->gpu.ops->group, unit,
		"tiles", "busy %", "last finish");
	for (uint32_t g = 0; g < r->map->groups; g++) {
		const struct share *share = &s->groups[g];
		g_autofree char *last = ts_time_text(1000 * share->last);

		g_string_append_printf(out, "%-4u %8u %9u %7.1f  %s\n", g, share->units,
			share->items, busy_percent(share, s->makespan), last);
	}
}

static char *text_report(const struct ts_gpu_run *r, const struct shares *s)
{
	const struct ts_plan *p = r->plan;
	g_autofree char *plan = ts_request_plan_text(p);
	const struct ts_backend *gpu = &r->prober->gpu;
	g_autofree char *makespan = ts_time_text(1000 * s->makespan);
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "device       %s: %u %ss in %u %ss\n", gpu->is.name,
		r->map->units, gpu->ops->unit, r->map->groups, gpu->ops->group);
	g_string_append_printf(out, "plan         %s\n", plan);
	g_string_append_printf(out,
		"launch       %u clusters of %ux%u CTAs with %u bytes of shared memory, %u "
		"resident\n",
		p->workers, p->cluster_m, p->cluster_n, r->prober->cta.shared,
		ts_prober_residency(r->prober, p->cluster_m, p->cluster_n));
	put_verdict(out, r);
	g_string_append_printf(
		out, "makespan     %s, measured from the first item to the last\n", makespan);
	put_balance(out, r, s);
	g_string_append_printf(out, "\nrepeat with  %s\n", r->command);
	return g_string_free(out, FALSE);
}

/* An array "gpcs" of objects "gpc", or of the other words that a vendor has for them. */
static void put_shares(JsonBuilder *b, const char *word, const char *part_word,
	const struct share *shares, uint32_t count, uint64_t makespan)
{
	g_autofree char *index = g_ascii_strdown(word, -1);
	g_autofree char *name = g_strconcat(index, "s", NULL);
	g_autofree char *part = g_ascii_strdown(part_word, -1);
	g_autofree char *parts = g_strconcat(part, "s", NULL);

	json_builder_set_member_name(b, name);
	json_builder_begin_array(b);
	for (uint32_t i = 0; i < count; i++) {
		json_builder_begin_object(b);
		ts_json_count(b, index, i);
		ts_json_count(b, parts, shares[i].units);
		ts_json_count(b, "tiles", shares[i].items);
		ts_json_number(b, "busy_percent", busy_percent(&shares[i], makespan));
		ts_json_count(b, "last_finish_ns", shares[i].last);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static char *json_report(const struct ts_gpu_run *r, struct shares *s)
{
	const struct ts_plan *p = r->plan;
	g_autofree char *plan = ts_request_plan_text(p);
	const struct ts_backend_ops *ops = r->prober->gpu.ops;
	JsonBuilder *b = json_builder_new();

	for (uint32_t i = 0; i < r->map->units; i++)
		s->units[i].units = 1;
	json_builder_begin_object(b);
	ts_json_text_member(b, "command", r->command);
	ts_json_text_member(b, "device", r->prober->gpu.is.name);
	ts_json_text_member(b, "plan", plan);
	ts_json_text_member(b, "verdict", r->verdict->sound ? "sound" : "failed");
	ts_json_text_member(b, "finding", r->verdict->sound ? "" : r->verdict->fault);
	ts_json_count(b, "workers", p->workers);
	ts_json_count(b, "resident", ts_prober_residency(r->prober, p->cluster_m, p->cluster_n));
	ts_json_count(b, "items", r->verdict->items);
	ts_json_count(b, "tiles", r->verdict->tiles);
	ts_json_count(b, "counters", p->counters);
	ts_json_count(b, "claims", r->verdict->claims);
	ts_json_count(b, "makespan_ns", s->makespan);
	put_shares(b, ops->group, ops->unit, s->groups, r->map->groups, s->makespan);
	put_shares(b, ops->unit, ops->unit, s->units, r->map->units, s->makespan);
	json_builder_end_object(b);
	return ts_json_text(b);
}

char *ts_gpu_report(const struct ts_gpu_run *r, enum ts_format format)
{
	struct shares s;
	char *text;

	share_out(r, &s);
	text = format == TS_JSON ? json_report(r, &s) : text_report(r, &s);
	free_shares(&s);
	return text;
}

bool ts_gpu_records(const struct ts_gpu_run *r, const char *path, GError **error)
{
	g_autofree char *unit = g_ascii_strdown(r->prober->gpu.ops->unit, -1);
	g_autofree char *group = g_ascii_strdown(r->prober->gpu.ops->group, -1);
	uint64_t count = count_records(r), start = UINT64_MAX;
	struct ts_output o = {0};

	if (!ts_output_open(&o, path, error))
		return false;
	for (uint64_t i = 0; i < count; i++)
		start = MIN(start, find_record(r, i)->from);
	fprintf(o.file,
		"worker,rank,%s,%s,domain,counter,answer,%sm,n,valid,k_begin,k_end,owns,from_ns,"
		"to_ns\n",
		unit, group, r->plan->groups > 1 ? "g," : "");
	for (uint64_t i = 0; i < count; i++) {
		const struct ts_probe_record *a = find_record(r, i);
		bool claimed = a->counter != (uint32_t)TS_PROBE_NONE;

		fprintf(o.file, "%u,%u,%u,", a->worker, a->rank, a->unit);
		if (a->unit < r->map->units)
			fprintf(o.file, "%u", r->map->group[a->unit]);
		fprintf(o.file, ",%u,", a->domain);
		if (claimed)
			fprintf(o.file, "%u,%u", a->counter, a->answer);
		fprintf(o.file, "%s,", claimed ? "" : ",");
		if (r->plan->groups > 1)
			fprintf(o.file, "%u,", a->g);
		fprintf(o.file, "%u,%u,%u,%u,%u,%u,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n",
			a->m, a->n, a->valid, a->k_begin, a->k_end, a->owns, a->from - start,
			a->to - start);
	}
	return ts_output_commit(&o, error);
}
