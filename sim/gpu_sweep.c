/* Runs, and what came of them by policy. */
#include "sim/gpu_sweep.h"

#include <string.h>

#include "sim/request.h"

void ts_gpu_sweep_init(struct ts_gpu_sweep *s, struct ts_gpu_gemm *gemm)
{
	s->gemm = gemm;
	s->tallies = g_array_new(FALSE, FALSE, sizeof(struct ts_gpu_tally));
}

void ts_gpu_sweep_finish(struct ts_gpu_sweep *s)
{
	for (guint i = 0; i < s->tallies->len; i++) {
		struct ts_gpu_tally *t = &g_array_index(s->tallies, struct ts_gpu_tally, i);

		g_free(t->name);
		g_hash_table_unref(t->sizes);
	}
	g_array_unref(s->tallies);
}

/* The tally of the request's policy. */
static struct ts_gpu_tally *find_tally(struct ts_gpu_sweep *s, const struct ts_spec *spec)
{
	g_autofree char *name = ts_request_policy_text(spec);
	struct ts_gpu_tally fresh = {0};
	guint at = 0; /* in the order of names */

	for (guint i = 0; i < s->tallies->len; i++)
		if (strcmp(g_array_index(s->tallies, struct ts_gpu_tally, i).name, name) == 0)
			return &g_array_index(s->tallies, struct ts_gpu_tally, i);
	fresh.name = g_steal_pointer(&name);
	fresh.sizes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	while (at < s->tallies->len &&
		strcmp(g_array_index(s->tallies, struct ts_gpu_tally, at).name, fresh.name) < 0)
		at++;
	g_array_insert_val(s->tallies, at, fresh);
	return &g_array_index(s->tallies, struct ts_gpu_tally, at);
}

bool ts_gpu_sweep_run(struct ts_gpu_sweep *s, const struct ts_spec *spec, const struct ts_plan *p,
	int64_t seed, uint32_t launches, char **ret_fault, GError **error)
{
	struct ts_gpu_tally *t = find_tally(s, spec);
	g_autoptr(GError) cause = NULL;
	struct ts_gpu_product r;

	*ret_fault = NULL;
	if (!ts_gpu_gemm_run(s->gemm, p, seed, launches, &r, &cause)) {
		if (!s->gemm->gemm.gpu.ops->only_by_name) {
			g_propagate_error(error, g_steal_pointer(&cause));
			return false;
		}
		memset(&r, 0, sizeof r);
		r.verdict.fault = g_strdup(cause->message);
	}
	g_hash_table_add(t->sizes,
		g_strdup_printf("%" G_GUINT64_FORMAT " %u %u", ts_gemm_used_rows(p), p->n, p->k));
	t->runs++;
	t->shapes = g_hash_table_size(t->sizes);
	t->tiles += p->tiles;
	t->elements += r.verdict.checked;
	t->failures += r.verdict.sound ? 0 : 1;
	t->error = MAX(t->error, r.verdict.error);
	t->worst = MAX(t->worst, r.verdict.worst);
	*ret_fault = r.verdict.fault;
	return true;
}

struct ts_gpu_tally ts_gpu_sweep_sum(const struct ts_gpu_sweep *s)
{
	g_autoptr(GHashTable) sizes = g_hash_table_new(g_str_hash, g_str_equal);
	struct ts_gpu_tally sum = {.name = (char *)"all"};

	for (guint i = 0; i < s->tallies->len; i++) {
		const struct ts_gpu_tally *t = &g_array_index(s->tallies, struct ts_gpu_tally, i);
		GHashTableIter all;
		void *size;

		g_hash_table_iter_init(&all, t->sizes);
		while (g_hash_table_iter_next(&all, &size, NULL))
			g_hash_table_add(sizes, size);
		sum.runs += t->runs;
		sum.tiles += t->tiles;
		sum.elements += t->elements;
		sum.failures += t->failures;
		sum.error = MAX(sum.error, t->error);
		sum.worst = MAX(sum.worst, t->worst);
	}
	sum.shapes = g_hash_table_size(sizes);
	return sum;
}

static void put_row(GString *out, const struct ts_gpu_tally *t)
{
	g_string_append_printf(out,
		"%-24s %7" G_GUINT64_FORMAT " %7" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT
		" %12" G_GUINT64_FORMAT " %9.2g %6.2f %9" G_GUINT64_FORMAT "\n",
		t->name, t->runs, t->shapes, t->tiles, t->elements, t->error, t->worst,
		t->failures);
}

void ts_gpu_sweep_text(const struct ts_gpu_sweep *s, GString *out)
{
	struct ts_gpu_tally sum = ts_gpu_sweep_sum(s);

	g_string_append_printf(out, "%-24s %7s %7s %9s %12s %9s %6s %9s\n", "policy", "runs",
		"shapes", "tiles", "elements", "error", "worst", "failures");
	for (guint i = 0; i < s->tallies->len; i++)
		put_row(out, &g_array_index(s->tallies, struct ts_gpu_tally, i));
	put_row(out, &sum);
}

static void put_members(JsonBuilder *b, const struct ts_gpu_tally *t)
{
	ts_json_text_member(b, "policy", t->name);
	ts_json_count(b, "runs", t->runs);
	ts_json_count(b, "shapes", t->shapes);
	ts_json_count(b, "tiles", t->tiles);
	ts_json_count(b, "elements", t->elements);
	ts_json_count(b, "failures", t->failures);
	ts_json_number(b, "error", t->error);
	/* It is infinite where an element is wrong. */
	if (t->failures == 0)
		ts_json_number(b, "worst_share", t->worst);
}

void ts_gpu_sweep_json(const struct ts_gpu_sweep *s, JsonBuilder *b)
{
	struct ts_gpu_tally sum = ts_gpu_sweep_sum(s);

	ts_json_text_member(b, "device", s->gemm->gemm.gpu.is.name);
	put_members(b, &sum);
	json_builder_set_member_name(b, "policies");
	json_builder_begin_array(b);
	for (guint i = 0; i < s->tallies->len; i++) {
		json_builder_begin_object(b);
		put_members(b, &g_array_index(s->tallies, struct ts_gpu_tally, i));
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}
