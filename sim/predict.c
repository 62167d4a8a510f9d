/* Simulated against measured times. */
#include "sim/predict.h"

#include <math.h>
#include <string.h>

#include "sim/parallel.h"
#include "sim/refuse.h"
#include "sim/run.h"

struct job {
	const struct ts_settings *settings;
	GArray *all;
	bool measured_clock;
	GError **causes; /* of each run that can't be simulated */
};

static bool work(void *data, void *state, uint64_t index)
{
	struct job *j = data;
	struct ts_prediction *p = &g_array_index(j->all, struct ts_prediction, index);
	struct ts_settings settings = *j->settings;
	g_autofree char *clock = g_strdup_printf("%u", p->timing->clock_mhz);
	GError **cause = &j->causes[index];
	struct ts_run run;

	(void)state;
	if (j->measured_clock && p->timing->clock_mhz > 0)
		settings.clock = clock;
	if (ts_run_init(&run, &settings, &p->timing->spec, cause) &&
		ts_run_simulate(&run, &settings, NULL, cause) && !run.sound)
		ts_refuse(cause, "%s: the schedule is not sound", p->timing->shape);
	p->ps = run.summary.outcome.makespan;
	ts_run_finish(&run);
	return true;
}

GArray *ts_predict(const struct ts_settings *settings, const struct ts_timings *timings,
	bool measured_clock, GError **error)
{
	struct job j = {.settings = settings,
		.all = g_array_new(FALSE, TRUE, sizeof(struct ts_prediction)),
		.measured_clock = measured_clock};
	struct ts_loop loop = {.threads = ts_loop_threads(), .work = work, .data = &j};
	bool good = true;

	for (guint i = 0; i < timings->runs->len; i++) {
		struct ts_prediction p = {
			.timing = &g_array_index(timings->runs, struct ts_timing, i)};

		g_array_append_val(j.all, p);
	}
	loop.count = j.all->len;
	j.causes = g_new0(GError *, loop.count + 1);
	ts_loop_run(&loop);
	for (uint64_t i = 0; i < loop.count; i++) {
		if (j.causes[i] == NULL)
			continue;
		if (good)
			g_propagate_error(error, j.causes[i]);
		else
			g_error_free(j.causes[i]);
		good = false;
	}
	g_free(j.causes);
	if (!good)
		g_clear_pointer(&j.all, g_array_unref);
	return j.all;
}

double ts_prediction_error(const struct ts_prediction *p)
{
	return (double)p->ps / (double)p->timing->ps - 1;
}

static const struct ts_prediction *at(const GArray *all, guint i)
{
	return &g_array_index(all, struct ts_prediction, i);
}

/* The end of the runs of one shape that begin at `from`. */
static guint shape_end(const GArray *all, guint from)
{
	guint end = from;

	while (end < all->len &&
		strcmp(at(all, end)->timing->shape, at(all, from)->timing->shape) == 0)
		end++;
	return end;
}

static bool differ_in_policy(const struct ts_spec *a, const struct ts_spec *b)
{
	return (a->policy != b->policy || a->mode != b->mode) && a->order == b->order &&
		a->width == b->width && a->remap == b->remap && a->block_m == b->block_m &&
		a->block_n == b->block_n && a->block_k == b->block_k &&
		a->cluster_m == b->cluster_m && a->cluster_n == b->cluster_n;
}

static void compare_pair(
	struct ts_accuracy *a, const struct ts_prediction *p, const struct ts_prediction *q)
{
	double x = (double)p->timing->ps, y = (double)q->timing->ps;
	bool right = (x < y) == (p->ps < q->ps) && p->ps != q->ps;

	if (MAX(x, y) <= MIN(x, y) * (1 + TS_PREDICT_DIFFERENT))
		return;
	a->pairs++;
	a->pairs_right += right;
	if (!differ_in_policy(&p->timing->spec, &q->timing->spec))
		return;
	a->policy_pairs++;
	a->policy_pairs_right += right;
}

/* By simulated time; of equals the first that was measured, which is the plainer. */
static gint by_simulated(gconstpointer x, gconstpointer y)
{
	const struct ts_prediction *p = *(const struct ts_prediction *const *)x;
	const struct ts_prediction *q = *(const struct ts_prediction *const *)y;

	if (p->ps != q->ps)
		return p->ps < q->ps ? -1 : 1;
	return (p->timing > q->timing) - (p->timing < q->timing);
}

/* Adds one shape's choices; the means are still sums of logarithms. */
static void choose(struct ts_accuracy *a, const GArray *all, guint from, guint end)
{
	g_autoptr(GPtrArray) order = g_ptr_array_new();
	uint64_t least = UINT64_MAX, four = UINT64_MAX;
	double first, best;

	for (guint i = from; i < end; i++) {
		least = MIN(least, at(all, i)->timing->ps);
		g_ptr_array_add(order, &g_array_index(all, struct ts_prediction, i));
	}
	g_ptr_array_sort(order, by_simulated);
	for (guint i = 0; i < MIN(order->len, TS_PREDICT_FIRST); i++) {
		const struct ts_prediction *p = order->pdata[i];

		four = MIN(four, p->timing->ps);
	}
	first = (double)least / (double)((const struct ts_prediction *)order->pdata[0])->timing->ps;
	best = (double)least / (double)four;
	a->first += log(first);
	a->first_four += log(best);
	a->first_four_worst = MIN(a->first_four_worst, best);
	if (first < a->first_worst) {
		a->first_worst = first;
		a->first_worst_shape = at(all, from)->timing->shape;
	}
}

struct ts_accuracy ts_accuracy_of(const GArray *all)
{
	struct ts_accuracy a = {
		.runs = all->len, .first_worst = 2, .first_four_worst = 2, .worst_error = -1};

	for (guint i = 0; i < all->len; i++) {
		double error = fabs(ts_prediction_error(at(all, i)));

		a.mean_error += error / all->len;
		if (error > a.worst_error) {
			a.worst_error = error;
			a.worst = i;
		}
	}
	for (guint from = 0, end; from < all->len; from = end) {
		end = shape_end(all, from);
		a.shapes++;
		for (guint i = from; i < end; i++)
			for (guint j = i + 1; j < end; j++)
				compare_pair(&a, at(all, i), at(all, j));
		choose(&a, all, from, end);
	}
	a.first = exp(a.first / MAX(a.shapes, 1));
	a.first_four = exp(a.first_four / MAX(a.shapes, 1));
	return a;
}
