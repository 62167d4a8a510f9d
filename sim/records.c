/* Item records as CSV and as a Chrome trace. */
#include "sim/records.h"

#include <inttypes.h>
#include <string.h>

#include "sim/refuse.h"

/* Places on one unit get one track each, beside each other. */
static uint64_t track(const struct ts_machine *m, uint32_t place)
{
	uint32_t layer = 0;

	if (m->device->occupancy > 1)
		for (uint32_t i = 0; i < place; i++)
			layer += m->places[i].unit == m->places[place].unit;
	return (uint64_t)m->places[place].unit * m->device->occupancy + layer;
}

static void name_tracks(struct ts_records *r)
{
	const struct ts_device *d = r->machine->device;
	FILE *f = r->trace.file;

	fprintf(f, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	for (uint32_t g = 0; g < d->groups; g++)
		fprintf(f,
			"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%"
			"s "
			"%u\"}},\n",
			g, ts_device_group_word(d), g);
	for (uint32_t i = 0; i < r->machine->count; i++)
		fprintf(f,
			"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%" PRIu64
			",\"args\":{\"name\":\"%s %u\"}}%s\n",
			r->machine->places[i].group, track(r->machine, i), ts_device_unit_word(d),
			r->machine->places[i].unit, i + 1 < r->machine->count ? "," : "");
}

bool ts_records_open(struct ts_records *r, const struct ts_plan *plan,
	const struct ts_machine *machine, const char *csv, const char *trace, GError **error)
{
	g_autofree char *first = csv == NULL ? NULL : g_canonicalize_filename(csv, NULL);
	g_autofree char *second = trace == NULL ? NULL : g_canonicalize_filename(trace, NULL);

	memset(r, 0, sizeof *r);
	if (first != NULL && g_strcmp0(first, second) == 0)
		return ts_refuse(error, "--records %s and --trace %s: give two files", csv, trace);
	r->plan = plan;
	r->machine = machine;
	if (csv != NULL && !ts_output_open(&r->csv, csv, error))
		return false;
	if (trace != NULL && !ts_output_open(&r->trace, trace, error)) {
		ts_output_drop(&r->csv);
		return false;
	}
	if (csv != NULL)
		fprintf(r->csv.file,
			"worker,unit,group,domain,%sm,n,k_begin,k_end,owns,counter,t0_ps,t1_ps\n",
			plan->groups > 1 ? "g," : "");
	if (trace != NULL)
		name_tracks(r);
	return true;
}

static void on_item(void *data, const struct ts_item *item)
{
	struct ts_records *r = data;
	const struct ts_step *s = &item->step;
	char of[32] = "", arg[32] = "";

	if (r->plan->groups > 1) {
		g_snprintf(of, sizeof of, " of %u", s->g);
		g_snprintf(arg, sizeof arg, "\"g\":%u,", s->g);
	}
	if (r->csv.file != NULL) {
		fprintf(r->csv.file, "%u,%u,%u,%u,", item->worker, item->unit, item->group,
			item->domain);
		if (r->plan->groups > 1)
			fprintf(r->csv.file, "%u,", s->g);
		fprintf(r->csv.file, "%u,%u,%u,%u,%d,", s->m, s->n, s->k_begin, s->k_end, s->owns);
		if (item->counter != UINT32_MAX)
			fprintf(r->csv.file, "%u", item->counter);
		fprintf(r->csv.file, ",%" PRIu64 ",%" PRIu64 "\n", item->from, item->to);
	}
	if (r->trace.file != NULL)
		fprintf(r->trace.file,
			",{\"ph\":\"X\",\"name\":\"(%u,%u)%s\",\"cat\":\"item\",\"pid\":%u,\"tid\":"
			"%" PRIu64 ",\"ts\":%" PRIu64 ".%06" PRIu64 ",\"dur\":%" PRIu64
			".%06" PRIu64 ",\"args\":{\"worker\":%u,%s\"m\":%u,\"n\":%u,\"k_begin\":%u,"
			"\"k_end\":%u}}\n",
			s->m, s->n, of, item->group, track(r->machine, item->place),
			item->from / 1000000, item->from % 1000000,
			(item->to - item->from) / 1000000, (item->to - item->from) % 1000000,
			item->worker, arg, s->m, s->n, s->k_begin, s->k_end);
}

/* "wait 3" or "fix-up (1,0)" on the worker's track. */
static void on_met(void *data, const struct ts_met *met)
{
	struct ts_records *r = data;
	bool waits = met->step.act == TS_WAIT;
	g_autofree char *name = waits ? g_strdup_printf("wait %u", met->step.counter)
				      : g_strdup_printf("fix-up (%u,%u)", met->step.m, met->step.n);

	if (r->trace.file == NULL || (!waits && met->step.act != TS_FIX_UP))
		return;
	fprintf(r->trace.file,
		",{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%u,\"tid\":%" PRIu64
		",\"ts\":%" PRIu64 ".%06" PRIu64 ",\"dur\":%" PRIu64 ".%06" PRIu64
		",\"args\":{\"worker\":%u,\"parts\":%u}}\n",
		name, waits ? "wait" : "fix-up", met->group, track(r->machine, met->place),
		met->from / 1000000, met->from % 1000000, (met->to - met->from) / 1000000,
		(met->to - met->from) % 1000000, met->worker,
		waits ? met->step.value : met->step.parts);
}

static void on_claim(void *data, const struct ts_claimed *claim)
{
	struct ts_records *r = data;

	if (r->trace.file != NULL)
		fprintf(r->trace.file,
			",{\"ph\":\"X\",\"name\":\"claim "
			"%u\",\"cat\":\"claim\",\"pid\":%u,\"tid\":%" PRIu64 ",\"ts\":%" PRIu64
			".%06" PRIu64 ",\"dur\":%" PRIu64 ".%06" PRIu64
			",\"args\":{\"worker\":%u}}\n",
			claim->counter, claim->group, track(r->machine, claim->place),
			claim->from / 1000000, claim->from % 1000000,
			(claim->to - claim->from) / 1000000, (claim->to - claim->from) % 1000000,
			claim->worker);
}

struct ts_sink ts_records_sink(struct ts_records *r)
{
	struct ts_sink sink = {r, on_item, on_claim, on_met};

	return sink;
}

bool ts_records_close(struct ts_records *r, bool keep, GError **error)
{
	bool good = keep;

	if (good && r->trace.file != NULL) {
		fprintf(r->trace.file, "]}\n");
		good = ts_output_flush(&r->trace, error);
	}
	if (good && r->csv.file != NULL)
		good = ts_output_flush(&r->csv, error);
	if (good && r->trace.file != NULL)
		good = ts_output_commit(&r->trace, error);
	if (good && r->csv.file != NULL)
		good = ts_output_commit(&r->csv, error);
	ts_output_drop(&r->csv);
	ts_output_drop(&r->trace);
	return good;
}
