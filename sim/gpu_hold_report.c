/* The table of held units. */
#include "sim/gpu_hold.h"
#include "sim/request.h"

static const struct ts_hold_cell *cell_of(const struct ts_hold_table *t, guint i)
{
	return &g_array_index(t->cells, struct ts_hold_cell, i);
}

/* The same schedule with nothing held. */
static const struct ts_hold_cell *free_of(const struct ts_hold_table *t, guint i)
{
	while (i > 0 && cell_of(t, i)->held > 0)
		i--;
	return cell_of(t, i);
}

static double ratio(double a, double b)
{
	return a > 0 && b > 0 ? a / b : 0;
}

double ts_hold_slowdown(const struct ts_hold_table *t, guint i)
{
	return ratio(cell_of(t, i)->times.median_ms, free_of(t, i)->times.median_ms);
}

double ts_hold_predicted(const struct ts_hold_table *t, guint i)
{
	return ratio(cell_of(t, i)->predicted_ms, free_of(t, i)->predicted_ms);
}

static char *text_report(const struct ts_hold_table *t, const char *command)
{
	const struct ts_spec *s = &cell_of(t, 0)->spec;
	GString *out = g_string_new(NULL);

	g_string_append_printf(out,
		"device       %s\nproblem      M=%" G_GINT64_FORMAT " N=%" G_GINT64_FORMAT
		" K=%" G_GINT64_FORMAT "\nkernel       %s, %u launches each\nmodel        %s\n\n"
		"%-44s %5s %11s %9s %13s %9s\n",
		t->gpu, s->m, s->n, s->k, t->kernel, t->repeat,
		t->model == NULL ? "none of this device: give one by --device" : t->model,
		"schedule", "held", "measured ms", "slowdown", "simulated ms", "slowdown");
	for (guint i = 0; i < t->cells->len; i++) {
		const struct ts_hold_cell *c = cell_of(t, i);
		g_autofree char *name = ts_request_schedule_text(&c->spec);

		g_string_append_printf(out, "%-44s %5u %11.4f %9.3f ", c->held == 0 ? name : "",
			c->held, c->times.median_ms, ts_hold_slowdown(t, i));
		if (t->model != NULL)
			g_string_append_printf(
				out, "%13.4f %9.3f\n", c->predicted_ms, ts_hold_predicted(t, i));
		else
			g_string_append_printf(out, "%13s %9s\n", "-", "-");
		if (c->fault != NULL)
			g_string_append_printf(out, "  WRONG: %s\n", c->fault);
	}
	g_string_append_printf(out, "\nrepeat with  %s\n", command);
	return g_string_free(out, FALSE);
}

static void put_cell(JsonBuilder *b, const struct ts_hold_table *t, guint i)
{
	const struct ts_hold_cell *c = cell_of(t, i);
	g_autofree char *name = ts_request_schedule_text(&c->spec);

	json_builder_begin_object(b);
	ts_json_text_member(b, "schedule", name);
	ts_json_count(b, "held", c->held);
	ts_json_number(b, "median_ms", c->times.median_ms);
	ts_json_number(b, "least_ms", c->times.least_ms);
	ts_json_number(b, "most_ms", c->times.most_ms);
	ts_json_number(b, "slowdown", ts_hold_slowdown(t, i));
	if (t->model != NULL) {
		ts_json_number(b, "simulated_ms", c->predicted_ms);
		ts_json_number(b, "simulated_slowdown", ts_hold_predicted(t, i));
	}
	ts_json_text_member(b, "verdict", c->fault == NULL ? "sound" : "wrong");
	ts_json_text_member(b, "finding", c->fault == NULL ? "" : c->fault);
	json_builder_end_object(b);
}

static char *json_report(const struct ts_hold_table *t, const char *command)
{
	const struct ts_spec *s = &cell_of(t, 0)->spec;
	JsonBuilder *b = json_builder_new();

	json_builder_begin_object(b);
	ts_json_text_member(b, "command", command);
	ts_json_text_member(b, "device", t->gpu);
	ts_json_text_member(b, "kernel", t->kernel);
	ts_json_text_member(b, "model", t->model == NULL ? "" : t->model);
	ts_json_count(b, "m", (uint64_t)s->m);
	ts_json_count(b, "n", (uint64_t)s->n);
	ts_json_count(b, "k", (uint64_t)s->k);
	ts_json_count(b, "repeat", t->repeat);
	json_builder_set_member_name(b, "runs");
	json_builder_begin_array(b);
	for (guint i = 0; i < t->cells->len; i++)
		put_cell(b, t, i);
	json_builder_end_array(b);
	json_builder_end_object(b);
	return ts_json_text(b);
}

char *ts_hold_report(const struct ts_hold_table *t, const char *command)
{
	return t->format == TS_JSON ? json_report(t, command) : text_report(t, command);
}
