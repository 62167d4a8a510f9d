/* Levenberg-Marquardt with Huber's loss: Marquardt, "An Algorithm for Least-Squares Estimation of
 * Nonlinear Parameters", 1963; Huber, "Robust Estimation of a Location Parameter", 1964. */
#include "sim/fit.h"

#include <math.h>
#include <string.h>

#include "sim/engine.h"
#include "sim/parallel.h"
#include "sim/refuse.h"
#include "sim/request.h"

enum { PARAMETERS = 24, ROUNDS = 60, TRIES = 14 };

/* A residual beyond it counts in proportion only; a step in shares of a parameter's first guess;
 * the share of the loss below which a round gains nothing; and a time's loss that is as good as
 * none. */
static const double outlier = 0.05, nudge = 1e-3, little = 1e-5, exact = 1e-12;

struct cell {
	struct ts_plan plan;
	double ps, clock_mhz;
};

struct fit {
	const struct ts_device *device;
	struct cell *cells;
	guint count;
	size_t keys;
	uint32_t guessed;
	/* What is simulated now. */
	struct ts_calibration calibration;
	double *residuals;
};

/* The engine alone: nobody verifies or sums up. False and a refusal where the device can't run it.
 */
static bool simulate_cell(
	const struct fit *f, const struct cell *cell, uint64_t *ret_ps, GError **error)
{
	struct ts_device device = *f->device;
	struct ts_scenario_spec nothing = {.seed = 1};
	struct ts_scenario scenario;
	struct ts_machine machine;
	struct ts_cost cost;
	struct ts_outcome outcome = {0};
	uint32_t ctas = cell->plan.cluster_m * cell->plan.cluster_n;
	bool good;

	device.calibration = f->calibration;
	device.calibration.run_mhz = cell->clock_mhz;
	ts_scenario_make(&scenario, &nothing, &device, NULL);
	ts_machine_init(&machine, &device, &scenario, ctas, cell->plan.workers);
	good = ts_cost_init(&cost, &cell->plan, &device, TS_BF16, TS_EDGE_FULL,
		TS_MEMORY_CALIBRATED, machine.count, error);
	if (good) {
		struct ts_engine engine = {.plan = &cell->plan,
			.scenario = &scenario,
			.machine = &machine,
			.cost = &cost};

		outcome = ts_engine_run(&engine);
		if (machine.count == 0 || outcome.end != TS_ALL_LEFT)
			good = ts_refuse(error,
				"%s has no room for the schedule's clusters of %u, or its workers "
				"can't all be there that wait for each other",
				device.name, ctas);
	}
	*ret_ps = outcome.makespan;
	ts_machine_finish(&machine);
	ts_scenario_finish(&scenario);
	return good;
}

static bool simulate(void *data, void *state, uint64_t index)
{
	struct fit *f = data;
	struct cell *cell = &f->cells[index];
	uint64_t ps;

	(void)state;
	/* It was tried before. */
	simulate_cell(f, cell, &ps, NULL);
	f->residuals[index] = log(MAX((double)ps, 1) / cell->ps);
	return true;
}

static double loss_of(double residual)
{
	double size = fabs(residual);

	return size < outlier ? size * size / 2 : outlier * (size - outlier / 2);
}

/* The residuals under these parameters, and the sum of their losses. */
static double evaluate(struct fit *f, const double *parameters, double *ret_residuals)
{
	struct ts_loop loop = {
		.count = f->count, .threads = ts_loop_threads(), .work = simulate, .data = f};
	double loss = 0;

	for (size_t i = 0; i < f->keys; i++)
		*ts_calibration_at(&f->calibration, i) = parameters[i];
	f->residuals = ret_residuals;
	ts_loop_run(&loop);
	for (guint i = 0; i < f->count; i++)
		loss += loss_of(ret_residuals[i]);
	return loss;
}

/* Solves a x = b for a symmetric, positive a of `n` rows by Cholesky's factors; b becomes x. False
 * where a has no factors. */
static bool solve(double a[PARAMETERS][PARAMETERS], double *b, size_t n)
{
	for (size_t j = 0; j < n; j++) {
		for (size_t k = 0; k < j; k++)
			a[j][j] -= a[j][k] * a[j][k];
		if (!(a[j][j] > 0))
			return false;
		a[j][j] = sqrt(a[j][j]);
		for (size_t i = j + 1; i < n; i++) {
			for (size_t k = 0; k < j; k++)
				a[i][j] -= a[i][k] * a[j][k];
			a[i][j] /= a[j][j];
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			b[i] -= a[i][k] * b[k];
		b[i] /= a[i][i];
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			b[i] -= a[k][i] * b[k];
		b[i] /= a[i][i];
	}
	return true;
}

static double scale_of(size_t key)
{
	return ts_calibration_keys[key].guess;
}

/* The weighted normal equations around `at`, in units of the guesses. `slopes` has room for them
 * all, key by key. */
static void linearise(struct fit *f, const double *at, const double *residuals, double *slopes,
	double a[PARAMETERS][PARAMETERS], double *gradient)
{
	double moved[PARAMETERS];

	for (size_t i = 0; i < f->keys; i++) {
		double *slope = slopes + i * f->count;

		memcpy(moved, at, f->keys * sizeof *at);
		moved[i] += nudge * scale_of(i);
		evaluate(f, moved, slope);
		for (guint r = 0; r < f->count; r++)
			slope[r] = (slope[r] - residuals[r]) / nudge;
	}
	f->guessed = 0;
	for (size_t i = 0; i < f->keys; i++) {
		gradient[i] = 0;
		for (size_t j = 0; j < f->keys; j++)
			a[i][j] = 0;
		for (guint r = 0; r < f->count; r++) {
			double weight = outlier / MAX(fabs(residuals[r]), outlier);
			double slope = slopes[i * f->count + r] * weight;

			gradient[i] += slope * residuals[r];
			for (size_t j = 0; j <= i; j++)
				a[i][j] += slope * slopes[j * f->count + r];
		}
		if (a[i][i] == 0)
			f->guessed |= UINT32_C(1) << i;
	}
}

/* One round: steps that are the shorter the less they help. False where none helps any more. */
static bool improve(
	struct fit *f, double *at, double *residuals, double *slopes, double *loss, double *damping)
{
	double a[PARAMETERS][PARAMETERS], gradient[PARAMETERS];
	g_autofree double *tried = g_new(double, f->count);
	double before = *loss;

	linearise(f, at, residuals, slopes, a, gradient);
	for (int i = 0; i < TRIES; i++, *damping *= 10) {
		double damped[PARAMETERS][PARAMETERS], step[PARAMETERS], next[PARAMETERS], now;

		memcpy(damped, a, sizeof a);
		for (size_t k = 0; k < f->keys; k++) {
			damped[k][k] += *damping * a[k][k] + 1e-9;
			step[k] = -gradient[k];
		}
		if (!solve(damped, step, f->keys))
			continue;
		for (size_t k = 0; k < f->keys; k++)
			next[k] = CLAMP(at[k] + step[k] * scale_of(k), ts_calibration_keys[k].from,
				ts_calibration_keys[k].to);
		now = evaluate(f, next, tried);
		if (now >= before)
			continue;
		memcpy(at, next, f->keys * sizeof *at);
		memcpy(residuals, tried, f->count * sizeof *tried);
		*loss = now;
		*damping = MAX(*damping / 10, 1e-6);
		return now < before * (1 - little) && now > f->count * exact;
	}
	return false;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Plans of the runs; the calibration's clock. */
static bool prepare(struct fit *f, const struct ts_timings *timings, GError **error)
{
	g_autofree double *clocks = g_new(double, MAX(timings->runs->len, 1));
	guint known = 0;

	f->cells = g_new0(struct cell, MAX(timings->runs->len, 1));
	for (guint i = 0; i < timings->runs->len; i++) {
		const struct ts_timing *t = &g_array_index(timings->runs, struct ts_timing, i);
		struct cell *cell = &f->cells[f->count++];

		if (!ts_request_plan(&cell->plan, &t->spec, error)) {
			g_prefix_error(error, "%s: ", t->shape);
			return false;
		}
		cell->ps = (double)t->ps;
		cell->clock_mhz = t->clock_mhz;
		if (t->clock_mhz > 0)
			clocks[known++] = t->clock_mhz;
	}
	qsort(clocks, known, sizeof *clocks, by_size);
	f->calibration.clock_mhz = known > 0 ? clocks[known / 2] : f->device->clock_mhz;
	for (size_t k = 0; k < f->keys; k++)
		*ts_calibration_at(&f->calibration, k) = ts_calibration_keys[k].guess;
	for (guint i = 0; i < f->count; i++) {
		uint64_t ps;

		if (f->cells[i].clock_mhz <= 0)
			f->cells[i].clock_mhz = f->calibration.clock_mhz;
		if (!simulate_cell(f, &f->cells[i], &ps, error)) {
			g_prefix_error(error,
				"%s: ", g_array_index(timings->runs, struct ts_timing, i).shape);
			return false;
		}
	}
	return true;
}

/* Down from the guesses, with operands that are late: where they are never, no slope says how long
 * they take. */
static void find(struct fit *f, struct ts_fit *ret)
{
	g_autofree double *residuals = g_new(double, f->count);
	g_autofree double *slopes = g_new(double, f->count * f->keys);
	double at[PARAMETERS], loss, damping = 1e-2;

	for (size_t i = 0; i < f->keys; i++)
		at[i] = ts_calibration_keys[i].guess;
	loss = evaluate(f, at, residuals);
	while (ret->rounds < ROUNDS && improve(f, at, residuals, slopes, &loss, &damping))
		ret->rounds++;
	ret->guessed = f->guessed;
	for (guint r = 0; r < f->count; r++) {
		double error = fabs(exp(residuals[r]) - 1);

		ret->mean_error += error / f->count;
		ret->worst_error = MAX(ret->worst_error, error);
	}
	ret->calibration = f->calibration;
	for (size_t k = 0; k < f->keys; k++)
		*ts_calibration_at(&ret->calibration, k) = at[k];
}

bool ts_fit_timings(struct ts_fit *ret, const struct ts_device *device,
	const struct ts_timings *timings, GError **error)
{
	struct fit f = {.device = device, .keys = ts_calibration_key_count};
	bool good;

	g_assert(f.keys <= PARAMETERS);
	memset(ret, 0, sizeof *ret);
	ret->runs = timings->runs->len;
	for (guint i = 0; i < ret->runs; i++)
		ret->shapes += i == 0 ||
			strcmp(g_array_index(timings->runs, struct ts_timing, i - 1).shape,
				g_array_index(timings->runs, struct ts_timing, i).shape) != 0;
	if (ret->runs <= f.keys)
		return ts_refuse(error,
			"%s: %u runs for %zu parameters; measure more shapes and schedules",
			timings->source, ret->runs, f.keys);
	good = prepare(&f, timings, error);
	if (good)
		find(&f, ret);
	g_free(f.cells);
	return good;
}
