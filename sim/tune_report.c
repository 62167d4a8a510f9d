/* What a tuning found, in words. */
#include "sim/tune.h"

#include <math.h>
#include <string.h>

#include "sim/request.h"

/* The best that has other tiles or clusters than the first; else the second; NULL where it is
 * alone. */
static const struct ts_tuned *runner_up(const struct ts_tuning *t)
{
	for (guint i = 1; i < t->count; i++)
		if (!ts_tune_same_tiles(&t->all[0].spec, &t->all[i].spec))
			return &t->all[i];
	return t->count > 1 ? &t->all[1] : NULL;
}

/* Of what a run's time consists: 2 M N K at the rate of the places' matrix units is 1. */
struct part {
	const char *name;
	double first, other; /* in units of the first's makespan */
};

char *ts_tune_reason(const struct ts_tuning *t)
{
	const struct ts_tuned *first = &t->all[0], *other = runner_up(t);
	double longer;
	g_autofree char *name = NULL;

	if (t->measured > 0)
		return g_strdup_printf("the fastest of %u that were measured", t->measured);
	if (other == NULL || first->makespan == 0)
		return g_strdup("there is nothing else to choose from");
	name = ts_request_schedule_text(&other->spec);
	longer = (double)other->makespan / (double)first->makespan;
	const struct part parts[] = {
		{"k iterations themselves", first->useful, other->useful * longer},
		{"wave quantization", first->quantization, other->quantization * longer},
		{"imbalance", first->imbalance, other->imbalance * longer},
		{"places without a worker", first->unmanned, other->unmanned * longer},
		{"claims", first->claims, other->claims * longer},
		{"prologues and epilogues", first->fixed, other->fixed * longer},
		{"partial sums", first->fix_up, other->fix_up * longer},
		{"edges of tiles outside the output", first->padding, other->padding * longer}};
	size_t most = 0;

	for (size_t i = 1; i < G_N_ELEMENTS(parts); i++)
		if (parts[i].other - parts[i].first > parts[most].other - parts[most].first)
			most = i;
	if (longer - 1 < 0.0005)
		return g_strdup_printf("as fast as %s within 0.05 %%", name);
	return g_strdup_printf("%s takes %.1f %% longer, mostly in %s: %.1f %% of the first's time "
			       "instead of %.1f %%",
		name, 100 * (longer - 1), parts[most].name, 100 * parts[most].other,
		100 * parts[most].first);
}

/* Panels of CUTLASS are 1, 2, 4 or 8 wide. */
static int64_t cutlass_swizzle(uint32_t width)
{
	return width >= 8 ? 8 : width >= 4 ? 4 : width >= 2 ? 2 : 1;
}

static void put_cutlass(const struct ts_spec *s, const struct ts_plan *p, GString *out)
{
	bool by_columns = ts_order_by_columns(s->order);
	g_autofree char *split = g_strdup_printf(
		"StreamKScheduler, decomposition_mode SplitK, splits %u", p->splits.by);
	const char *const schedulers[TS_POLICIES] = {[TS_DATA_PARALLEL] = "no persistent scheduler",
		[TS_PERSISTENT] = "PersistentScheduler",
		[TS_STREAM_K] = "StreamKScheduler, decomposition_mode StreamK",
		[TS_SPLIT_K] = split};

	if (schedulers[s->policy] == NULL)
		return;
	g_string_append_printf(out,
		"CUTLASS      TileShape_MNK %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
		"x%" G_GINT64_FORMAT ", ClusterShape_MNK %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
		"x1, %s, raster_order %s, max_swizzle_size %" G_GINT64_FORMAT "\n",
		s->block_m, s->block_n, s->block_k, s->cluster_m, s->cluster_n,
		schedulers[s->policy], by_columns ? "AlongM" : "AlongN",
		cutlass_swizzle(p->width.by));
}

/* Triton's blocks are powers of two. */
static bool is_power(int64_t value)
{
	return (value & (value - 1)) == 0;
}

static void put_triton(const struct ts_spec *s, const struct ts_plan *p, GString *out)
{
	if (s->policy != TS_PERSISTENT && s->policy != TS_DATA_PARALLEL)
		return;
	if (s->cluster_m * s->cluster_n != 1 || ts_order_by_columns(s->order) ||
		!is_power(s->block_m) || !is_power(s->block_n) || !is_power(s->block_k))
		return;
	g_string_append_printf(out,
		"Triton       BLOCK_SIZE_M=%" G_GINT64_FORMAT " BLOCK_SIZE_N=%" G_GINT64_FORMAT
		" BLOCK_SIZE_K=%" G_GINT64_FORMAT " GROUP_SIZE_M=%u, grid %u%s\n",
		s->block_m, s->block_n, s->block_k, s->order == TS_ROW ? 1 : p->width.by,
		p->workers, s->policy == TS_PERSISTENT ? ", persistent" : "");
}

static void put_tilelang(const struct ts_spec *s, const struct ts_plan *p, GString *out)
{
	if (s->policy != TS_PERSISTENT && s->policy != TS_DATA_PARALLEL)
		return;
	if (s->cluster_n != 1)
		return;
	g_string_append_printf(out,
		"TileLang     block_M=%" G_GINT64_FORMAT " block_N=%" G_GINT64_FORMAT
		" block_K=%" G_GINT64_FORMAT,
		s->block_m, s->block_n, s->block_k);
	if (s->policy == TS_PERSISTENT)
		g_string_append_printf(out,
			", PersistentTileScheduler(swizzle_size=%u, column_major=%s, "
			"cluster_size=%" G_GINT64_FORMAT ")",
			p->width.by, ts_order_by_columns(s->order) ? "True" : "False",
			s->cluster_m);
	g_string_append(out, "\n");
}

void ts_tune_settings(const struct ts_tuning *t, GString *out)
{
	const struct ts_spec *s = &t->all[0].spec;
	struct ts_plan plan;

	/* A policy of the user's own has no name elsewhere. */
	if (s->policy >= TS_POLICIES || ts_plan_make(&plan, s) != TS_OK || plan.items == 0)
		return;
	if (!t->device->amd)
		put_cutlass(s, &plan, out);
	put_triton(s, &plan, out);
	put_tilelang(s, &plan, out);
}

static void put_row(
	const struct ts_tuned *c, guint rank, uint64_t best, bool measured, GString *out)
{
	g_autofree char *name = ts_request_schedule_text(&c->spec);

	g_string_append_printf(out, "%4u", rank);
	if (c->measured_ms > 0)
		g_string_append_printf(out, " %11.2f", c->measured_ms * 1e3);
	else if (measured)
		g_string_append_printf(out, " %11s", "");
	g_string_append_printf(out, " %11.2f %9.1f %7.3f %8.1f %7.1f %7.1f %7.1f %7.1f  %s\n",
		(double)c->makespan / 1e6, c->tflops,
		best > 0 ? (double)c->makespan / (double)best : 1, 100 * c->useful,
		100 * c->quantization, 100 * (c->imbalance + c->unmanned + c->claims + c->fix_up),
		100 * c->fixed, 100 * c->padding, name);
}

void ts_tune_text(const struct ts_tuning *t, guint top, GString *out)
{
	g_autofree char *reason = ts_tune_reason(t);
	g_autofree char *command = ts_settings_command(t->settings, "", &t->all[0].spec);

	g_string_append_printf(out,
		"%sproblem      %s: M=%" G_GINT64_FORMAT " N=%" G_GINT64_FORMAT
		" K=%" G_GINT64_FORMAT " on %s\n",
		out->len > 0 ? "\n" : "", t->shape->name, t->shape->m, t->shape->n, t->shape->k,
		t->device->name);
	g_string_append_printf(out,
		"tried        %u configurations, and %u that are impossible\n\n", t->count,
		t->refused);
	g_string_append_printf(out, "%4s%s %11s %9s %7s %8s %7s %7s %7s %7s  %s\n", "",
		t->measured > 0 ? " measured us" : "", "us", "TFLOP/s", "times", "useful %",
		"waves %", "idle %", "fixed %", "edges %", "schedule");
	for (guint i = 0; i < MIN(top, t->count); i++)
		put_row(&t->all[i], i + 1, t->all[0].makespan, t->measured > 0, out);
	g_string_append_printf(out, "\nwhy          %s\n", reason);
	g_string_append_printf(out, "simulate     %s\n", command);
	ts_tune_settings(t, out);
}

void ts_tune_json(const struct ts_tuning *t, guint top, JsonBuilder *b)
{
	g_autofree char *reason = ts_tune_reason(t);
	g_autoptr(GString) settings = g_string_new(NULL);

	ts_tune_settings(t, settings);
	json_builder_begin_object(b);
	ts_json_text_member(b, "shape", t->shape->name);
	ts_json_count(b, "m", (uint64_t)t->shape->m);
	ts_json_count(b, "n", (uint64_t)t->shape->n);
	ts_json_count(b, "k", (uint64_t)t->shape->k);
	ts_json_text_member(b, "device", t->device->name);
	ts_json_count(b, "configurations", t->count);
	ts_json_count(b, "impossible", t->refused);
	ts_json_text_member(b, "why", reason);
	ts_json_text_member(b, "settings", settings->str);
	json_builder_set_member_name(b, "ranking");
	json_builder_begin_array(b);
	for (guint i = 0; i < MIN(top, t->count); i++) {
		const struct ts_tuned *c = &t->all[i];
		g_autofree char *name = ts_request_schedule_text(&c->spec);
		g_autofree char *command = ts_settings_command(t->settings, "", &c->spec);

		json_builder_begin_object(b);
		ts_json_text_member(b, "schedule", name);
		ts_json_count(b, "makespan_ps", c->makespan);
		if (c->measured_ms > 0)
			ts_json_number(b, "measured_ms", c->measured_ms);
		ts_json_number(b, "tflops", c->tflops);
		ts_json_number(b, "useful", c->useful);
		ts_json_number(b, "wave_quantization", c->quantization);
		ts_json_number(b, "imbalance", c->imbalance);
		ts_json_number(b, "places_without_worker", c->unmanned);
		ts_json_number(b, "claims", c->claims);
		ts_json_number(b, "prologue_epilogue", c->fixed);
		ts_json_number(b, "edges", c->padding);
		ts_json_number(b, "fix_up", c->fix_up);
		ts_json_text_member(b, "command", command);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	json_builder_end_object(b);
}
