/* Reports of releases. */
#include "sim/gpu_release.h"
#include "sim/request.h"

static double us(uint64_t ns)
{
	return (double)ns / 1e3;
}

static char *text_report(const struct ts_gpu_release *r, const char *command)
{
	const struct ts_gemm_verdict *v = &r->verdict;
	GString *out = g_string_new(NULL);

	ts_gpu_gemm_head(r->gemm, &r->plan, out);
	if (v->sound)
		g_string_append_printf(out,
			"verdict      sound: %" G_GUINT64_FORMAT
			" elements right, and %" G_GUINT64_FORMAT
			" items on record as the policy says\n",
			v->checked, r->run.items);
	else
		g_string_append_printf(out, "verdict      FAILED: %s\n", v->fault);
	g_string_append_printf(out,
		"time         %.1f us from the first item to the last worker's end, %.1f us "
		"without the request\n\n%-6s %8s %12s %14s %12s %12s\n",
		us(r->run.end_ns), us(r->plain_ns), "XCD", "workers", "asked at us",
		"all left at us", "it took us", "items after");
	for (uint32_t d = 0; d < r->run.domains; d++) {
		const struct ts_released *is = &r->run.released[d];

		g_string_append_printf(out, "%-6u %8u ", d, is->workers);
		if (is->asked)
			g_string_append_printf(out, "%12.1f %14.1f %12.1f %12u\n", us(is->asked_ns),
				us(is->left_ns), us(is->left_ns - MIN(is->asked_ns, is->left_ns)),
				is->items_after);
		else
			g_string_append_printf(
				out, "%12s %14.1f %12s %12s\n", "-", us(is->left_ns), "-", "-");
	}
	g_string_append_printf(out, "\nrepeat with  %s\n", command);
	return g_string_free(out, FALSE);
}

static void put_domain(JsonBuilder *b, const struct ts_released *is)
{
	json_builder_begin_object(b);
	ts_json_count(b, "workers", is->workers);
	ts_json_number(b, "all_left_us", us(is->left_ns));
	if (is->asked) {
		ts_json_number(b, "asked_us", us(is->asked_ns));
		ts_json_number(b, "drain_us", us(is->left_ns - MIN(is->asked_ns, is->left_ns)));
		ts_json_count(b, "left_as_asked", is->as_asked);
		ts_json_count(b, "items_after", is->items_after);
	}
	json_builder_end_object(b);
}

static char *json_report(const struct ts_gpu_release *r, const char *command)
{
	g_autofree char *plan = ts_request_plan_text(&r->plan);
	const struct ts_gemm_verdict *v = &r->verdict;
	JsonBuilder *b = json_builder_new();

	json_builder_begin_object(b);
	ts_json_text_member(b, "command", command);
	ts_json_text_member(b, "device", r->gemm->gemm.gpu.is.name);
	ts_json_text_member(b, "plan", plan);
	ts_json_text_member(b, "verdict", v->sound ? "sound" : "failed");
	ts_json_text_member(b, "finding", v->sound ? "" : v->fault);
	ts_json_count(b, "checked", v->checked);
	ts_json_count(b, "items", r->run.items);
	ts_json_number(b, "time_us", us(r->run.end_ns));
	ts_json_number(b, "time_without_request_us", us(r->plain_ns));
	json_builder_set_member_name(b, "xcds");
	json_builder_begin_array(b);
	for (uint32_t d = 0; d < r->run.domains; d++)
		put_domain(b, &r->run.released[d]);
	json_builder_end_array(b);
	json_builder_end_object(b);
	return ts_json_text(b);
}

char *ts_gpu_release_report(const struct ts_gpu_release *r, const char *command)
{
	return r->gemm->format == TS_JSON ? json_report(r, command) : text_report(r, command);
}
