/* Predictions in tables and a picture. */
#include "policies/all.h"
#include "sim/gpu_predict.h"
#include "sim/plot_script.h"
#include "sim/request.h"

static const struct ts_prediction *at(const struct ts_predict_report *r, guint i)
{
	return &g_array_index(r->predictions, struct ts_prediction, i);
}

static double percent(guint part, guint of)
{
	return of > 0 ? 100.0 * part / of : 0;
}

static void put_row(const struct ts_prediction *p, GString *out)
{
	const struct ts_spec *s = &p->timing->spec;
	g_autofree char *name = ts_request_schedule_text(s);

	g_string_append_printf(out,
		"%-16s %6" G_GINT64_FORMAT " %6" G_GINT64_FORMAT " %6" G_GINT64_FORMAT
		" %5u %10.2f %10.2f %7.1f  %s\n",
		p->timing->shape, s->m, s->n, s->k, p->timing->clock_mhz,
		(double)p->timing->ps / 1e6, (double)p->ps / 1e6, 100 * ts_prediction_error(p),
		name);
}

static void put_accuracy(const struct ts_predict_report *r, GString *out)
{
	const struct ts_accuracy *a = &r->accuracy;
	const struct ts_prediction *worst = at(r, a->worst);

	g_string_append_printf(out,
		"\nerror        %.1f %% in the mean of %u times of %u shapes; %.1f %% at most, of "
		"%s\n",
		100 * a->mean_error, a->runs, a->shapes, 100 * a->worst_error,
		worst->timing->shape);
	g_string_append_printf(out,
		"order        %.1f %% of %u pairs of a shape's times that differ by more than %.0f "
		"%%; of "
		"%u that differ in policy only %.1f %%\n",
		percent(a->pairs_right, a->pairs), a->pairs, 100 * TS_PREDICT_DIFFERENT,
		a->policy_pairs, percent(a->policy_pairs_right, a->policy_pairs));
	g_string_append_printf(out,
		"choice       the first has %.1f %% of the best measured speed in the geometric "
		"mean, "
		"%.1f %% at least (%s);\n"
		"             the best of the first %d, measured, %.1f %%, %.1f %% at least\n",
		100 * a->first, 100 * a->first_worst, a->first_worst_shape, TS_PREDICT_FIRST,
		100 * a->first_four, 100 * a->first_four_worst);
}

static char *text_report(const struct ts_predict_report *r)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "device       %s, --memory %s, at %s\nmeasured     %s, on %s\n",
		r->device->name, r->costs,
		r->measured_clock ? "the clock of each run" : "the clock of the device file",
		r->timings->source, r->timings->gpu != NULL ? r->timings->gpu : "some GPU");
	if (r->fitted_to != NULL)
		g_string_append_printf(out, "calibrated   %s\n", r->fitted_to);
	g_string_append_printf(out, "\n%-16s %6s %6s %6s %5s %10s %10s %7s  schedule\n", "shape",
		"m", "n", "k", "MHz", "measured", "simulated", "error %");
	for (guint i = 0; i < r->predictions->len; i++)
		put_row(at(r, i), out);
	put_accuracy(r, out);
	return g_string_free(out, FALSE);
}

/* What distinguishes a row, in the words of its options. */
static const char *policy_of(const struct ts_spec *s)
{
	return ts_policy((enum ts_policy_id)s->policy).name;
}

static char *csv_report(const struct ts_predict_report *r)
{
	GString *out = g_string_new("shape,m,n,k,policy,order,cluster_m,cluster_n,block_m,block_n,"
				    "block_k,clock_mhz,measured_us,simulated_us,error\n");

	for (guint i = 0; i < r->predictions->len; i++) {
		const struct ts_prediction *p = at(r, i);
		const struct ts_spec *s = &p->timing->spec;

		g_string_append_printf(out,
			"%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
			",%s,%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
			",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%u,%.3f,%.3f,%.4f\n",
			p->timing->shape, s->m, s->n, s->k, policy_of(s), ts_order_name(s->order),
			s->cluster_m, s->cluster_n, s->block_m, s->block_n, s->block_k,
			p->timing->clock_mhz, (double)p->timing->ps / 1e6, (double)p->ps / 1e6,
			ts_prediction_error(p));
	}
	return g_string_free(out, FALSE);
}

static void put_json_row(JsonBuilder *b, const struct ts_prediction *p)
{
	const struct ts_spec *s = &p->timing->spec;
	g_autofree char *name = ts_request_schedule_text(s);

	json_builder_begin_object(b);
	ts_json_text_member(b, "shape", p->timing->shape);
	ts_json_count(b, "m", (uint64_t)s->m);
	ts_json_count(b, "n", (uint64_t)s->n);
	ts_json_count(b, "k", (uint64_t)s->k);
	ts_json_text_member(b, "schedule", name);
	ts_json_text_member(b, "policy", policy_of(s));
	ts_json_text_member(b, "order", ts_order_name(s->order));
	ts_json_count(b, "clock_mhz", p->timing->clock_mhz);
	ts_json_count(b, "measured_ps", p->timing->ps);
	ts_json_count(b, "simulated_ps", p->ps);
	ts_json_number(b, "error", ts_prediction_error(p));
	json_builder_end_object(b);
}

static char *json_report(const struct ts_predict_report *r)
{
	const struct ts_accuracy *a = &r->accuracy;
	JsonBuilder *b = json_builder_new();

	json_builder_begin_object(b);
	ts_json_text_member(b, "device", r->device->name);
	ts_json_text_member(b, "memory", r->costs);
	ts_json_text_member(b, "clock", r->measured_clock ? "measured" : "device");
	ts_json_count(b, "times", a->runs);
	ts_json_count(b, "shapes", a->shapes);
	ts_json_number(b, "mean_error", a->mean_error);
	ts_json_number(b, "worst_error", a->worst_error);
	ts_json_text_member(b, "worst_shape", at(r, a->worst)->timing->shape);
	ts_json_count(b, "pairs", a->pairs);
	ts_json_count(b, "pairs_right", a->pairs_right);
	ts_json_count(b, "policy_pairs", a->policy_pairs);
	ts_json_count(b, "policy_pairs_right", a->policy_pairs_right);
	ts_json_number(b, "first_choice", a->first);
	ts_json_number(b, "first_choice_worst", a->first_worst);
	ts_json_number(b, "first_four", a->first_four);
	ts_json_number(b, "first_four_worst", a->first_four_worst);
	json_builder_set_member_name(b, "runs");
	json_builder_begin_array(b);
	for (guint i = 0; i < r->predictions->len; i++)
		put_json_row(b, at(r, i));
	json_builder_end_array(b);
	json_builder_end_object(b);
	return ts_json_text(b);
}

char *ts_predict_text(const struct ts_predict_report *r, enum ts_format format)
{
	switch (format) {
	case TS_JSON: return json_report(r);
	case TS_CSV: return csv_report(r);
	case TS_TEXT:
	case TS_FORMATS: break;
	}
	return text_report(r);
}

bool ts_predict_plot(const struct ts_predict_report *r, const char *path, GError **error)
{
	g_autoptr(GString) rows = g_string_new("# measured us, simulated us: a block a policy\n");
	g_autoptr(GString) names = g_string_new(NULL);
	g_autoptr(GString) words = g_string_new(NULL);
	double least = 1e300, most = 0;
	guint policies = 0;

	for (uint32_t id = 0; id < TS_POLICIES; id++) {
		guint count = 0;

		for (guint i = 0; i < r->predictions->len; i++) {
			double x = (double)at(r, i)->timing->ps / 1e6,
			       y = (double)at(r, i)->ps / 1e6;

			if (at(r, i)->timing->spec.policy != id)
				continue;
			g_string_append_printf(rows, "%.4f %.4f\n", x, y);
			least = MIN(least, MIN(x, y));
			most = MAX(most, MAX(x, y));
			count++;
		}
		if (count == 0)
			continue;
		g_string_append(rows, "\n\n");
		g_string_append_printf(names, "%s ", ts_policy((enum ts_policy_id)id).name);
		policies++;
	}
	g_string_append_printf(words,
		"title = 'Simulated and measured: %u times of %u shapes, error %.1f %% in the "
		"mean'\n"
		"least = %.4f\nmost = %.4f\npolicies = %u\nnames = '%s'\n",
		r->accuracy.runs, r->accuracy.shapes, 100 * r->accuracy.mean_error, least * 0.9,
		most * 1.1, policies, names->str);
	return ts_plot_script_table("predict", rows->str, words->str, path, error);
}
