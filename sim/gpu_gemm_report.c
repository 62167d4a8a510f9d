/* Reports of GEMMs on the GPU. */
#include "sim/gpu_gemm.h"
#include "sim/request.h"

static double teraflops(const struct ts_plan *p, double ms)
{
	return 2.0 * (double)ts_gemm_used_rows(p) * p->n * p->k / (ms * 1e9);
}

static void put_problem(GString *out, const struct ts_gpu_gemm *x, const struct ts_plan *p)
{
	if (p->grids != NULL)
		g_string_append_printf(out,
			"%u %s groups with %" G_GUINT64_FORMAT " rows of A in all, N=%u K=%u",
			p->groups, ts_layout_name((enum ts_layout)p->layout), ts_gemm_used_rows(p),
			p->n, p->k);
	else if (p->groups > 1)
		g_string_append_printf(out, "%u times M=%u N=%u K=%u", p->groups, p->m, p->n, p->k);
	else
		g_string_append_printf(out, "M=%u N=%u K=%u", p->m, p->n, p->k);
	g_string_append_printf(out, " in %s, rows of B along %s, tiles of %ux%ux%u\n",
		x->form.type == TS_MMA_FP16 ? "fp16" : "bf16",
		x->form.layout == TS_MMA_ALONG_K ? "K" : "N", p->block_m, p->block_n, p->block_k);
}

static void put_times(
	GString *out, const char *who, const struct ts_plan *p, const struct ts_gemm_times *t)
{
	g_string_append_printf(out,
		"%-12s %.4f ms in the median, from %.4f to %.4f ms: %.1f TFLOP/s\n", who,
		t->median_ms, t->least_ms, t->most_ms, teraflops(p, t->median_ms));
}

void ts_gpu_gemm_head(const struct ts_gpu_gemm *x, const struct ts_plan *p, GString *out)
{
	g_autofree char *plan = ts_request_plan_text(p);

	g_string_append_printf(out, "device       %s\nproblem      ", x->gemm.gpu.is.name);
	put_problem(out, x, p);
	g_string_append_printf(out, "plan         %s\nkernel       %s%s%s\n", plan,
		x->gemm.kind->name, x->as == NULL ? "" : " as ", x->as == NULL ? "" : x->as);
}

static char *text_report(const struct ts_gpu_gemm *x, const struct ts_plan *p,
	const struct ts_gpu_product *r, const char *command)
{
	const struct ts_gemm_verdict *v = &r->verdict;
	const struct ts_gemm_layout *l = &x->gemm.layout;
	GString *out = g_string_new(NULL);

	ts_gpu_gemm_head(x, p, out);
	if (l->wide_a.at != 0 || l->wide_c.at != 0)
		g_string_append_printf(out,
			"copies       of %s%s%s, since rows are no multiple of 16 bytes\n",
			l->wide_a.at != 0 ? "A and B" : "",
			l->wide_a.at != 0 && l->wide_c.at != 0 ? ", and " : "",
			l->wide_c.at != 0 ? "C" : "");
	if (v->sound)
		g_string_append(out, "verdict      sound\n");
	else
		g_string_append_printf(out, "verdict      FAILED: %s\n", v->fault);
	g_string_append_printf(out,
		"error        %.3g of %" G_GUINT64_FORMAT " elements (%" G_GUINT64_FORMAT
		" by sums on the host), at worst %.2f of what is allowed\n",
		v->error, v->checked, v->on_host, v->worst);
	if (r->timed)
		put_times(out, "time", p, &r->ours);
	if (r->timed && x->cublas != NULL) {
		put_times(out, "cuBLAS", p, &r->theirs);
		g_string_append_printf(out, "ratio        %.3f of cuBLAS' speed%s\n",
			r->theirs.median_ms / r->ours.median_ms,
			p->groups > 1 ? ", with a call for each group that has rows" : "");
	}
	g_string_append_printf(out, "\nrepeat with  %s\n", command);
	return g_string_free(out, FALSE);
}

static void put_json_times(
	JsonBuilder *b, const char *name, const struct ts_plan *p, const struct ts_gemm_times *t)
{
	json_builder_set_member_name(b, name);
	json_builder_begin_object(b);
	ts_json_number(b, "median_ms", t->median_ms);
	ts_json_number(b, "least_ms", t->least_ms);
	ts_json_number(b, "most_ms", t->most_ms);
	ts_json_number(b, "tflops", teraflops(p, t->median_ms));
	json_builder_end_object(b);
}

static char *json_report(const struct ts_gpu_gemm *x, const struct ts_plan *p,
	const struct ts_gpu_product *r, const char *command)
{
	g_autofree char *plan = ts_request_plan_text(p);
	const struct ts_gemm_verdict *v = &r->verdict;
	JsonBuilder *b = json_builder_new();

	json_builder_begin_object(b);
	ts_json_text_member(b, "command", command);
	ts_json_text_member(b, "device", x->gemm.gpu.is.name);
	ts_json_text_member(b, "kernel", x->gemm.kind->name);
	ts_json_count(b, "groups", p->groups);
	ts_json_count(b, "m", p->m);
	ts_json_count(b, "rows", ts_gemm_used_rows(p));
	ts_json_count(b, "n", p->n);
	ts_json_count(b, "k", p->k);
	ts_json_text_member(b, "plan", plan);
	ts_json_text_member(b, "verdict", v->sound ? "sound" : "failed");
	ts_json_text_member(b, "finding", v->sound ? "" : v->fault);
	ts_json_count(b, "checked", v->checked);
	ts_json_count(b, "checked_on_host", v->on_host);
	ts_json_number(b, "error", v->error);
	if (v->sound)
		ts_json_number(b, "worst_share", v->worst);
	if (r->timed)
		put_json_times(b, "time", p, &r->ours);
	if (r->timed && x->cublas != NULL)
		put_json_times(b, "cublas", p, &r->theirs);
	json_builder_end_object(b);
	return ts_json_text(b);
}

char *ts_gpu_gemm_report(const struct ts_gpu_gemm *x, const struct ts_plan *p,
	const struct ts_gpu_product *r, const char *command)
{
	return x->format == TS_JSON ? json_report(x, p, r, command) : text_report(x, p, r, command);
}
