/* Tables and pictures of a benchmark. */
#include <math.h>
#include <string.h>

#include "sim/gpu_bench.h"
#include "sim/plot_script.h"
#include "sim/request.h"

static const struct ts_bench_cell *cell(const struct ts_bench *b, guint shape, guint schedule)
{
	return &b->cells[(gsize)shape * b->schedules->len + schedule];
}

/* Rows of A of all groups. */
static int64_t all_rows(const struct ts_spec *s)
{
	int64_t rows = ts_spec_has_list(s) ? 0 : s->m;

	for (int64_t i = 0; i < s->list_count; i++)
		rows += s->list_m[i];
	return rows * s->batch;
}

static double tflops(const struct ts_spec *s, double ms)
{
	return ms > 0 ? 2.0 * (double)all_rows(s) * (double)s->n * (double)s->k / (ms * 1e9) : 0;
}

static bool is_good(const struct ts_bench_cell *c)
{
	return c->there && c->fault == NULL;
}

int ts_bench_best(const struct ts_bench *b, guint shape)
{
	int best = -1;

	for (guint i = 0; i < b->schedules->len; i++) {
		const struct ts_bench_cell *c = cell(b, shape, i);

		if (is_good(c) &&
			(best < 0 ||
				c->ours.median_ms < cell(b, shape, (guint)best)->ours.median_ms))
			best = (int)i;
	}
	return best;
}

double ts_bench_ratio(const struct ts_bench_cell *c)
{
	return c->ours.median_ms > 0 ? c->theirs.median_ms / c->ours.median_ms : 0;
}

double ts_bench_noise(const struct ts_bench_cell *c)
{
	double least = c->ours.median_ms, most = c->ours.median_ms;

	for (guint i = 0; c->our_rounds != NULL && i < c->our_rounds->len; i++) {
		least = MIN(least, g_array_index(c->our_rounds, double, i));
		most = MAX(most, g_array_index(c->our_rounds, double, i));
	}
	return c->ours.median_ms > 0 ? (most - least) / c->ours.median_ms : 0;
}

double ts_bench_mean(const struct ts_bench *b)
{
	double sum = 0;
	guint count = 0;

	for (guint i = 0; b->cublas && i < b->shapes->len; i++) {
		int best = ts_bench_best(b, i);

		if (best < 0)
			continue;
		sum += log(ts_bench_ratio(cell(b, i, (guint)best)));
		count++;
	}
	return count > 0 ? exp(sum / count) : 0;
}

/* The slowest right schedule's median over the best one's. */
static double spread(const struct ts_bench *b, guint shape, guint best)
{
	double most = 0;

	for (guint i = 0; i < b->schedules->len; i++)
		if (is_good(cell(b, shape, i)))
			most = MAX(most, cell(b, shape, i)->ours.median_ms);
	return most / cell(b, shape, best)->ours.median_ms;
}

/* Has the shape a schedule that was run? */
static bool is_there(const struct ts_bench *b, guint shape)
{
	bool there = false;

	for (guint i = 0; i < b->schedules->len; i++)
		there |= cell(b, shape, i)->there;
	return there;
}

static void put_shape(const struct ts_bench *b, guint at, GString *out)
{
	const struct ts_shape *shape = &g_array_index(b->shapes, struct ts_shape, at);
	int best = ts_bench_best(b, at);
	const struct ts_bench_cell *c;

	g_string_append_printf(out,
		"%-22s %7" G_GINT64_FORMAT " %7" G_GINT64_FORMAT " %7" G_GINT64_FORMAT, shape->name,
		shape->m, shape->n, shape->k);
	if (best < 0) {
		g_string_append(out,
			is_there(b, at) ? "  no schedule is right\n"
					: "  there is no kernel for any of these plans\n");
		return;
	}
	c = cell(b, at, (guint)best);
	g_string_append_printf(out, " %9.1f", tflops(&c->spec, c->ours.median_ms));
	if (b->cublas)
		g_string_append_printf(out, " %9.1f %6.3f", tflops(&c->spec, c->theirs.median_ms),
			ts_bench_ratio(c));
	g_string_append_printf(out, " %7.2f %5u %5u  [%d]\n", spread(b, at, (guint)best),
		c->clock_mhz, c->watts, best + 1);
}

static const char *type_text(const struct ts_bench *b)
{
	return b->form.type == TS_MMA_BF16 ? "bf16" : "fp16";
}

static const char *layout_text(const struct ts_bench *b)
{
	return b->form.layout == TS_MMA_ALONG_K ? "A and C row-major, B column-major"
						: "A, B and C row-major";
}

/* Whether the times can be relied on. */
static void put_noise(const struct ts_bench *b, GString *out)
{
	guint count = b->shapes->len * b->schedules->len, timed = 0, worst = 0;
	double sum = 0;

	for (guint i = 0; i < count; i++) {
		timed += b->cells[i].there;
		sum += ts_bench_noise(&b->cells[i]);
		if (ts_bench_noise(&b->cells[i]) > ts_bench_noise(&b->cells[worst]))
			worst = i;
	}
	if (b->rounds > 1 && timed > 0)
		g_string_append_printf(out,
			"\na schedule's %u rounds are %.1f %% apart in the mean, %.1f %% at most: "
			"[%u] of %s\n",
			b->rounds, 100 * sum / timed, 100 * ts_bench_noise(&b->cells[worst]),
			worst % b->schedules->len + 1,
			g_array_index(b->shapes, struct ts_shape, worst / b->schedules->len).name);
}

static char *text_report(const struct ts_bench *b, const char *command)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out,
		"device       %s\nmedians of %u launches in %u round%s%s%s; %s, %s\n\n", b->gpu,
		b->repeat, b->rounds, b->rounds == 1 ? "" : "s",
		b->checked ? "" : ", products not checked",
		b->cublas ? ", each followed by one of cuBLAS' best algorithm" : "", type_text(b),
		layout_text(b));
	if (ts_shapes_have_groups(b->shapes))
		g_string_append(out,
			"m is the rows of all groups; cuBLAS is called once for each that has "
			"any\n\n");
	for (guint i = 0; i < b->schedules->len; i++) {
		g_autofree char *name =
			ts_request_schedule_text(&g_array_index(b->schedules, struct ts_spec, i));

		g_string_append_printf(out, "[%u] %s\n", i + 1, name);
	}
	g_string_append_printf(out, "\n%-22s %7s %7s %7s %9s%s %7s %5s %5s  %s\n", "shape", "m",
		"n", "k", "TFLOP/s", b->cublas ? "    cuBLAS  ratio" : "", "spread", "MHz", "W",
		"best");
	for (guint i = 0; i < b->shapes->len; i++)
		put_shape(b, i, out);
	if (ts_bench_mean(b) > 0)
		g_string_append_printf(
			out, "\ngeometric mean of the ratios %.3f\n", ts_bench_mean(b));
	put_noise(b, out);
	g_string_append_printf(out, "\nrepeat with  %s\n", command);
	return g_string_free(out, FALSE);
}

static void put_times(JsonBuilder *j, const char *name, const struct ts_spec *s,
	const struct ts_gemm_times *t, const GArray *rounds)
{
	json_builder_set_member_name(j, name);
	json_builder_begin_object(j);
	ts_json_number(j, "median_ms", t->median_ms);
	ts_json_number(j, "least_ms", t->least_ms);
	ts_json_number(j, "most_ms", t->most_ms);
	ts_json_number(j, "tflops", tflops(s, t->median_ms));
	json_builder_set_member_name(j, "round_medians_ms");
	json_builder_begin_array(j);
	for (guint i = 0; rounds != NULL && i < rounds->len; i++)
		json_builder_add_double_value(j, g_array_index(rounds, double, i));
	json_builder_end_array(j);
	json_builder_end_object(j);
}

static void put_cell(JsonBuilder *j, const struct ts_bench *b, guint shape, guint schedule)
{
	const struct ts_bench_cell *c = cell(b, shape, schedule);
	g_autofree char *name = ts_request_schedule_text(&c->spec);
	g_autoptr(GString) options = g_string_new(NULL);

	ts_request_options(&c->spec, NULL, options);
	json_builder_begin_object(j);
	ts_json_text_member(j, "shape", g_array_index(b->shapes, struct ts_shape, shape).name);
	ts_json_count(j, "groups",
		(uint64_t)(c->spec.batch * (ts_spec_has_list(&c->spec) ? c->spec.list_count : 1)));
	ts_json_count(j, "m", (uint64_t)all_rows(&c->spec));
	ts_json_count(j, "n", (uint64_t)c->spec.n);
	ts_json_count(j, "k", (uint64_t)c->spec.k);
	ts_json_text_member(j, "schedule", name);
	ts_json_text_member(j, "options", g_strchug(options->str));
	ts_json_text_member(j, "verdict",
		c->fault != NULL     ? c->fault
			: b->checked ? "sound"
				     : "not checked");
	ts_json_text_member(j, "policy", ts_policy((enum ts_policy_id)c->spec.policy).name);
	ts_json_count(j, "block_m", (uint64_t)c->spec.block_m);
	ts_json_count(j, "block_n", (uint64_t)c->spec.block_n);
	ts_json_count(j, "block_k", (uint64_t)c->spec.block_k);
	ts_json_count(j, "cluster_m", (uint64_t)c->spec.cluster_m);
	ts_json_count(j, "cluster_n", (uint64_t)c->spec.cluster_n);
	ts_json_count(j, "workers", (uint64_t)c->spec.workers);
	put_times(j, "time", &c->spec, &c->ours, c->our_rounds);
	if (b->cublas) {
		put_times(j, "cublas", &c->spec, &c->theirs, c->their_rounds);
		ts_json_number(j, "ratio", ts_bench_ratio(c));
	}
	ts_json_count(j, "clock_mhz", c->clock_mhz);
	ts_json_count(j, "watts", c->watts);
	json_builder_set_member_name(j, "best");
	json_builder_add_boolean_value(j, ts_bench_best(b, shape) == (int)schedule);
	json_builder_end_object(j);
}

static char *json_report(const struct ts_bench *b, const char *command)
{
	JsonBuilder *j = json_builder_new();

	json_builder_begin_object(j);
	ts_json_text_member(j, "command", command);
	ts_json_text_member(j, "device", b->gpu);
	ts_json_text_member(j, "layout", layout_text(b));
	ts_json_text_member(j, "dtype", type_text(b));
	ts_json_count(j, "launches", b->repeat);
	ts_json_count(j, "rounds", b->rounds);
	ts_json_number(j, "mean_ratio", ts_bench_mean(b));
	json_builder_set_member_name(j, "runs");
	json_builder_begin_array(j);
	for (guint i = 0; i < b->shapes->len; i++)
		for (guint s = 0; s < b->schedules->len; s++)
			if (cell(b, i, s)->there)
				put_cell(j, b, i, s);
	json_builder_end_array(j);
	json_builder_end_object(j);
	return ts_json_text(j);
}

char *ts_bench_report(const struct ts_bench *b, const char *command)
{
	return b->format == TS_JSON ? json_report(b, command) : text_report(b, command);
}

bool ts_bench_plot(const struct ts_bench *b, const char *path, GError **error)
{
	g_autoptr(GString) rows = g_string_new("# shape, TFLOP/s of ours, of cuBLAS, ratio\n");
	g_autofree char *words = g_strdup_printf("shapes = %u\ncublas = %d\ntitle = '%s: the best "
						 "schedule of each shape, medians of "
						 "%u launches, bf16'\n",
		b->shapes->len, b->cublas, b->gpu, b->repeat);

	for (guint i = 0; i < b->shapes->len; i++) {
		const struct ts_shape *shape = &g_array_index(b->shapes, struct ts_shape, i);
		int best = ts_bench_best(b, i);
		const struct ts_bench_cell *c;

		if (best < 0)
			continue;
		c = cell(b, i, (guint)best);
		g_string_append_printf(rows,
			"%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			" %.3f %.3f %.4f\n",
			shape->m, shape->n, shape->k, tflops(&c->spec, c->ours.median_ms),
			tflops(&c->spec, c->theirs.median_ms), ts_bench_ratio(c));
	}
	return ts_plot_script_table("bench", rows->str, words, path, error);
}
