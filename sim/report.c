/* One run in words and figures. */
#include "sim/report.h"

#include <string.h>

#include "sim/refuse.h"
#include "sim/request.h"

const char *ts_format_name(int format)
{
	switch (format) {
	case TS_TEXT: return "text";
	case TS_JSON: return "json";
	case TS_CSV: return "csv";
	default: return NULL;
	}
}

bool ts_format_parse(const char *text, enum ts_format *ret_format, GError **error)
{
	*ret_format = TS_TEXT;
	if (text == NULL)
		return true;
	for (int i = 0; ts_format_name(i) != NULL; i++) {
		if (strcmp(ts_format_name(i), text) == 0) {
			*ret_format = (enum ts_format)i;
			return true;
		}
	}
	return ts_refuse(error, "--format '%s': must be text, json or csv", text);
}

char *ts_time_text(uint64_t ps)
{
	if (ps >= 1000000000000)
		return g_strdup_printf("%.3f s", (double)ps / 1e12);
	if (ps >= 1000000000)
		return g_strdup_printf("%.3f ms", (double)ps / 1e9);
	return g_strdup_printf("%.3f us", (double)ps / 1e6);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static double uses_per_panel(const struct ts_locality *l)
{
	return l->panels[TS_OPERANDS] > 0 ? (double)l->touches / (double)l->panels[TS_OPERANDS] : 0;
}

/* From 0 to the makespan, what of the places' time is spent in one group. */
static double group_busy(const struct ts_run *r, uint32_t group, uint32_t *ret_places)
{
	uint32_t places = 0;

	for (uint32_t i = 0; i < r->machine.count; i++)
		places += r->machine.places[i].group == group;
	*ret_places = places;
	return percent((double)r->summary.groups[group].busy,
		(double)places * (double)r->summary.outcome.makespan);
}

static void put_table(const struct ts_run *r, GString *out)
{
	g_string_append_printf(out, "\n%-4s %8s %9s %9s %7s %9s %8s  %s\n",
		ts_device_group_word(r->device), "places", "workers", "tiles", "busy %", "claims",
		"steals", "last finish");
	for (uint32_t g = 0; g < r->device->groups; g++) {
		const struct ts_sums *s = &r->summary.groups[g];
		g_autofree char *last = ts_time_text(s->last);
		uint32_t places;
		double busy = group_busy(r, g, &places);

		g_string_append_printf(out,
			"%-4u %8u %9u %9" G_GUINT64_FORMAT " %7.1f %9" G_GUINT64_FORMAT
			" %8" G_GUINT64_FORMAT "  %s\n",
			g, places, s->workers, s->tiles, busy, s->claims, s->steals, last);
	}
}

static void put_verdict(const struct ts_run *r, GString *out)
{
	const struct ts_plan *p = &r->plan;
	g_autofree char *text = NULL;

	if (!r->sound) {
		text = ts_finding_text(&r->coverage.finding, p);
		g_string_append_printf(
			out, "%s: %s\n", ts_fault_name(r->coverage.finding.fault), text);
		return;
	}
	g_string_append_printf(out,
		"sound: %" G_GUINT64_FORMAT " tiles computed once each, none outside ", p->tiles);
	if (p->groups == 1 && p->shape != TS_TRIANGLE)
		g_string_append_printf(out, "%u x %u", p->m, p->n);
	else
		g_string_append(out, p->groups == 1 ? "the triangle" : "its group");
	if (p->counters > 0)
		g_string_append_printf(out, ", %u counters in range %s", p->counters,
			p->workspace > 0 ? "and partial sums added in order" : "and drained");
	g_string_append(out, "\n");
}

static struct ts_cache_use all_l2s(const struct ts_caches *c, double *ret_least, double *ret_most)
{
	struct ts_cache_use sum = {0};

	*ret_least = 100;
	*ret_most = 0;
	for (uint32_t i = 0; i < ts_caches_l2s(c); i++) {
		struct ts_cache_use one = ts_caches_l2(c, i);

		sum.hits += one.hits;
		sum.misses += one.misses;
		sum.hit_bytes += one.hit_bytes;
		sum.miss_bytes += one.miss_bytes;
		*ret_least = MIN(*ret_least, ts_cache_hit_percent(one));
		*ret_most = MAX(*ret_most, ts_cache_hit_percent(one));
	}
	return sum;
}

static void put_caches(const struct ts_caches *c, GString *out)
{
	double least, most;
	struct ts_cache_use l2 = all_l2s(c, &least, &most);

	g_string_append_printf(out, "caches       L2 hits %.1f %%", ts_cache_hit_percent(l2));
	if (ts_caches_l2s(c) > 1)
		g_string_append_printf(out, " (%.1f to %.1f)", least, most);
	if (ts_caches_has_llc(c))
		g_string_append_printf(out, ", memory side cache hits %.1f %%",
			ts_cache_hit_percent(ts_caches_llc(c)));
	g_string_append_printf(out,
		"\n             %.3f GB asked of L2, %.3f GB behind it, %.3f GB from DRAM; %.3f GB "
		"of C "
		"stored\n",
		(l2.hit_bytes + l2.miss_bytes) / 1e9, l2.miss_bytes / 1e9,
		ts_caches_dram_bytes(c) / 1e9, ts_caches_stored_bytes(c) / 1e9);
}

/* What differs between the groups: rows, tiles and with them the work. */
struct spread {
	uint32_t empty, rows_min, rows_max;
	double rows, tiles, tiles_max; /* means, and the most of one */
};

static struct spread spread_of(const struct ts_plan *p)
{
	struct spread s = {.rows_min = UINT32_MAX};

	for (uint32_t i = 0; i < p->grid_count; i++) {
		const struct ts_plan *grid = p->grids != NULL ? &p->grids[i] : p;
		double tiles = (double)(p->grids != NULL ? grid->tiles : p->tiles / p->batch.by);

		s.empty += tiles == 0 ? p->batch.by : 0;
		s.rows_min = MIN(s.rows_min, grid->m);
		s.rows_max = MAX(s.rows_max, grid->m);
		s.rows += (double)grid->m / p->grid_count;
		s.tiles += tiles / p->grid_count;
		s.tiles_max = MAX(s.tiles_max, tiles);
	}
	return s;
}

static void put_spread(const struct ts_plan *p, GString *out)
{
	struct spread s;

	if (p->grids == NULL)
		return;
	s = spread_of(p);
	g_string_append_printf(out,
		"groups       %u to %u rows, %.1f in the mean, %u empty; the largest has %.0f "
		"tiles, %.2f times the mean\n",
		s.rows_min, s.rows_max, s.rows, s.empty, s.tiles_max,
		s.tiles > 0 ? s.tiles_max / s.tiles : 0);
}

char *ts_problem_text(const struct ts_plan *p, const char *dtype)
{
	GString *out = g_string_new(NULL);
	const char *what = p->shape == TS_TRIANGLE ? "lower triangles"
		: p->shape == TS_CAUSAL            ? "causal problems"
						   : "problems";

	if (p->groups != 1)
		g_string_append_printf(
			out, "%u %s, %s ", p->groups, what, p->grids == NULL ? "each" : "up to");
	else if (p->shape == TS_TRIANGLE)
		g_string_append(out, "lower triangle of ");
	else if (p->shape == TS_CAUSAL)
		g_string_append(out, "causal ");
	g_string_append_printf(out,
		"C[%u,%u] = A[%u,%u] B[%u,%u] in %s: %u x %u tiles of %ux%u, %u k iterations of %u",
		p->m, p->n, p->m, p->k, p->k, p->n, dtype, p->rows, p->cols, p->block_m, p->block_n,
		p->depth, p->block_k);
	if (p->groups != 1 || p->shape == TS_TRIANGLE)
		g_string_append_printf(out, ", %" G_GUINT64_FORMAT " tiles in all", p->tiles);
	return g_string_free(out, FALSE);
}

/* What the collective adds to the kernel's time. */
static void put_exchange(const struct ts_run *r, GString *out)
{
	const struct ts_plan *p = &r->plan;
	const struct ts_exchange *x = &r->exchange;
	bool gathers = p->collective == TS_ALL_GATHER;
	uint64_t end = ts_run_end(r);
	uint64_t rows = gathers ? x->received : x->sent;
	g_autofree char *link = ts_time_text((uint64_t)((double)rows * x->ps_per_row + 0.5));
	g_autofree char *all = ts_time_text(end);

	g_string_append_printf(out,
		"collective   %s, rank %u of %u: %u chunks of %u rows; %" G_GUINT64_FORMAT
		" rows %s in %s at %g GB/s\n"
		"             items wait for rows %.1f %% of the places' time; all is done after "
		"%s\n",
		ts_collective_name((enum ts_collective)p->collective), p->rank, p->ranks, p->chunks,
		p->chunk_rows.by, rows, gathers ? "arrive" : "leave", link, r->device->link_gbps,
		percent((double)x->waited, r->summary.capacity), all);
}

static char *text_report(const struct ts_run *r, const char *command)
{
	const struct ts_plan *p = &r->plan;
	const struct ts_summary *s = &r->summary;
	g_autofree char *plan = ts_request_plan_text(p);
	g_autofree char *makespan = ts_time_text(s->outcome.makespan);
	g_autofree char *problem = NULL;
	GString *out = g_string_new(NULL);

	problem = ts_problem_text(p, ts_dtype_name(r->dtype));
	g_string_append_printf(out, "problem      %s\n", problem);
	put_spread(p, out);
	g_string_append_printf(out, "plan         %s\n", plan);
	g_string_append_printf(out, "device       %s: %u %ss in %u %ss, %u places\n",
		r->device->name, r->device->units, ts_device_unit_word(r->device),
		r->device->groups, ts_device_group_word(r->device), r->machine.count);
	g_string_append(out, "verified     ");
	put_verdict(r, out);
	g_string_append_printf(
		out, "makespan     %s, %.1f TFLOP/s\n", makespan, ts_summary_tflops(s));
	g_string_append_printf(out,
		"utilisation  %.1f %% of the places' time computes items, %.1f %% is useful\n",
		100 * ts_summary_utilisation(s), 100 * s->useful);
	g_string_append_printf(out,
		"loss         wave quantization %.1f %%, imbalance %.1f %%, places without a "
		"worker %.1f %%,\n"
		"             claims %.1f %%, prologue and epilogue %.1f %%, edges %.1f %%\n",
		100 * s->quantization, 100 * s->imbalance, 100 * s->unmanned, 100 * s->claims,
		100 * s->fixed, 100 * s->padding);
	if (s->launch > 0)
		g_string_append_printf(out,
			"launch       %.1f %% of the time, before the first item\n",
			100 * s->launch);
	if (p->workspace > 0) {
		g_autofree char *size =
			g_format_size_full(ts_request_workspace(p), G_FORMAT_SIZE_IEC_UNITS);

		g_string_append_printf(out,
			"fix-up       partial sums %.1f %%, waits for them %.1f %%; a workspace of "
			"%u slots, %s\n",
			100 * s->fix_up,
			100 * s->waits - percent((double)r->exchange.waited, s->capacity),
			p->workspace, size);
	}
	if (p->collective != TS_ALONE)
		put_exchange(r, out);
	g_string_append_printf(out,
		"locality     %.1f operand panels per wave and L2 (%.1f of A, %.1f of B), each "
		"used by %.2f tiles; first wave: %" G_GUINT64_FORMAT " block loads\n",
		ts_locality_panels_per_wave(&s->locality, TS_OPERANDS),
		ts_locality_panels_per_wave(&s->locality, TS_OPERAND_A),
		ts_locality_panels_per_wave(&s->locality, TS_OPERAND_B),
		uses_per_panel(&s->locality), s->locality.first_panels * p->depth);
	if (r->caches != NULL)
		put_caches(r->caches, out);
	put_table(r, out);
	g_string_append_printf(out, "\nrepeat with  %s\n", command);
	return g_string_free(out, FALSE);
}

void ts_json_number(JsonBuilder *b, const char *name, double value)
{
	json_builder_set_member_name(b, name);
	json_builder_add_double_value(b, value);
}

void ts_json_count(JsonBuilder *b, const char *name, uint64_t value)
{
	json_builder_set_member_name(b, name);
	json_builder_add_int_value(b, (gint64)value);
}

void ts_json_text_member(JsonBuilder *b, const char *name, const char *value)
{
	json_builder_set_member_name(b, name);
	json_builder_add_string_value(b, value);
}

char *ts_json_text(JsonBuilder *builder)
{
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = NULL;

	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, TRUE);
	text = json_generator_to_data(generator, NULL);
	g_object_unref(builder);
	return g_strconcat(text, "\n", NULL);
}

static void put_json_caches(JsonBuilder *b, const struct ts_caches *c)
{
	double least, most;
	struct ts_cache_use l2 = all_l2s(c, &least, &most);

	json_builder_set_member_name(b, "caches");
	json_builder_begin_object(b);
	ts_json_number(b, "l2_hit_percent", ts_cache_hit_percent(l2));
	json_builder_set_member_name(b, "l2_hit_percents");
	json_builder_begin_array(b);
	for (uint32_t i = 0; i < ts_caches_l2s(c); i++)
		json_builder_add_double_value(b, ts_cache_hit_percent(ts_caches_l2(c, i)));
	json_builder_end_array(b);
	if (ts_caches_has_llc(c))
		ts_json_number(b, "llc_hit_percent", ts_cache_hit_percent(ts_caches_llc(c)));
	ts_json_number(b, "l2_bytes", l2.hit_bytes + l2.miss_bytes);
	ts_json_number(b, "l2_miss_bytes", l2.miss_bytes);
	ts_json_number(b, "dram_bytes", ts_caches_dram_bytes(c));
	ts_json_number(b, "stored_bytes", ts_caches_stored_bytes(c));
	json_builder_end_object(b);
}

static void add_spread(JsonBuilder *b, const struct ts_plan *p)
{
	struct spread s = spread_of(p);

	json_builder_begin_object(b);
	ts_json_count(b, "count", p->groups);
	ts_json_count(b, "empty", s.empty);
	ts_json_count(b, "rows_min", p->grid_count > 0 ? s.rows_min : 0);
	ts_json_count(b, "rows_max", s.rows_max);
	ts_json_number(b, "rows_mean", s.rows);
	ts_json_number(b, "tiles_mean", s.tiles);
	ts_json_number(b, "tiles_max", s.tiles_max);
	json_builder_end_object(b);
}

static char *json_report(const struct ts_run *r, const char *command)
{
	const struct ts_plan *p = &r->plan;
	const struct ts_summary *s = &r->summary;
	g_autofree char *policy = ts_request_policy_text(&r->spec);
	g_autofree char *finding = ts_finding_text(&r->coverage.finding, p);
	double waited = percent((double)r->exchange.waited, s->capacity) / 100;
	JsonBuilder *b = json_builder_new();

	json_builder_begin_object(b);
	ts_json_text_member(b, "command", command);
	ts_json_text_member(b, "device", r->device->name);
	ts_json_text_member(b, "dtype", ts_dtype_name(r->dtype));
	ts_json_count(b, "m", p->m);
	ts_json_count(b, "n", p->n);
	ts_json_count(b, "k", p->k);
	ts_json_count(b, "tile_rows", p->rows);
	ts_json_count(b, "tile_columns", p->cols);
	ts_json_count(b, "k_iterations", p->depth);
	ts_json_text_member(b, "shape", ts_shape_name((enum ts_shape_kind)p->shape));
	ts_json_text_member(b, "row_order", ts_row_order_name((enum ts_row_order)p->row_order));
	ts_json_count(b, "tiles", p->tiles);
	json_builder_set_member_name(b, "problem_groups");
	add_spread(b, p);
	ts_json_text_member(b, "policy", policy);
	ts_json_text_member(b, "order", ts_order_name((enum ts_order)p->order));
	ts_json_text_member(b, "asked_order", ts_order_name((enum ts_order)p->asked_order));
	ts_json_count(b, "swizzle", p->width.by);
	ts_json_text_member(b, "remap", ts_remap_name((enum ts_remap)p->remap));
	ts_json_count(b, "cluster_m", p->cluster_m);
	ts_json_count(b, "cluster_n", p->cluster_n);
	ts_json_count(b, "items", p->items);
	ts_json_count(b, "workers", p->workers);
	ts_json_count(b, "domains", p->domains);
	ts_json_count(b, "counters", p->counters);
	ts_json_count(b, "workspace_slots", p->workspace);
	ts_json_count(b, "workspace_bytes", ts_request_workspace(p));
	ts_json_text_member(b, "verdict", ts_fault_name(r->coverage.finding.fault));
	ts_json_text_member(b, "finding", finding);
	ts_json_count(b, "makespan_ps", s->outcome.makespan);
	ts_json_number(b, "tflops", ts_summary_tflops(s));
	ts_json_number(b, "utilisation", ts_summary_utilisation(s));
	ts_json_number(b, "useful", s->useful);
	ts_json_number(b, "wave_quantization", s->quantization);
	ts_json_number(b, "imbalance", s->imbalance);
	ts_json_number(b, "places_without_worker", s->unmanned);
	ts_json_number(b, "claims", s->claims);
	ts_json_number(b, "prologue_epilogue", s->fixed);
	ts_json_number(b, "edges", s->padding);
	if (s->launch > 0)
		ts_json_number(b, "launch", s->launch);
	if (r->caches != NULL)
		put_json_caches(b, r->caches);
	ts_json_number(b, "fix_up", s->fix_up);
	ts_json_number(b, "fix_up_waits", s->waits - waited);
	ts_json_number(b, "chunk_waits", waited);
	ts_json_text_member(b, "collective", ts_collective_name((enum ts_collective)p->collective));
	ts_json_count(b, "ranks", p->ranks);
	ts_json_count(b, "rank", p->rank);
	ts_json_count(b, "chunks", p->chunks);
	ts_json_count(b, "end_ps", ts_run_end(r));
	ts_json_number(
		b, "panels_per_wave", ts_locality_panels_per_wave(&s->locality, TS_OPERANDS));
	ts_json_number(
		b, "a_panels_per_wave", ts_locality_panels_per_wave(&s->locality, TS_OPERAND_A));
	ts_json_number(
		b, "b_panels_per_wave", ts_locality_panels_per_wave(&s->locality, TS_OPERAND_B));
	ts_json_number(b, "uses_per_panel", uses_per_panel(&s->locality));
	ts_json_count(b, "empty_workers", ts_balance_empty(&s->balance));
	ts_json_count(b, "idle_workers", ts_balance_idle(&s->balance));
	ts_json_count(b, "least_k_iterations_of_a_split", ts_balance_least(&s->balance));
	ts_json_count(b, "first_wave_block_loads", s->locality.first_panels * p->depth);
	json_builder_set_member_name(b, "groups");
	json_builder_begin_array(b);
	for (uint32_t g = 0; g < r->device->groups; g++) {
		uint32_t places;
		double busy = group_busy(r, g, &places);

		json_builder_begin_object(b);
		ts_json_count(b, "group", g);
		ts_json_count(b, "places", places);
		ts_json_count(b, "workers", s->groups[g].workers);
		ts_json_count(b, "tiles", s->groups[g].tiles);
		ts_json_number(b, "busy_percent", busy);
		ts_json_count(b, "claims", s->groups[g].claims);
		ts_json_count(b, "steals", s->groups[g].steals);
		ts_json_count(b, "last_finish_ps", s->groups[g].last);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	json_builder_end_object(b);
	return ts_json_text(b);
}

static char *csv_report(const struct ts_run *r)
{
	GString *out = g_string_new(
		"group,places,workers,tiles,busy_percent,claims,steals,last_finish_ps\n");

	for (uint32_t g = 0; g < r->device->groups; g++) {
		const struct ts_sums *s = &r->summary.groups[g];
		uint32_t places;
		double busy = group_busy(r, g, &places);

		g_string_append_printf(out,
			"%u,%u,%u,%" G_GUINT64_FORMAT ",%.3f,%" G_GUINT64_FORMAT
			",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n",
			g, places, s->workers, s->tiles, busy, s->claims, s->steals, s->last);
	}
	return g_string_free(out, FALSE);
}

char *ts_report(const struct ts_run *r, enum ts_format format, const char *command)
{
	switch (format) {
	case TS_JSON: return json_report(r, command);
	case TS_CSV: return csv_report(r);
	case TS_TEXT:
	case TS_FORMATS: break;
	}
	return text_report(r, command);
}
