/* Predictions: measured runs simulated, and how well the two agree. */
#ifndef TS_PREDICT_H
#define TS_PREDICT_H

#include "sim/settings.h"
#include "sim/timings.h"

struct ts_prediction {
	const struct ts_timing *timing;
	uint64_t ps; /* simulated */
};

/* Simulates each of the runs under `settings`, which say nothing of the plan: at the clock that it
 * was measured at if `measured_clock`, where that is known, else at the device's. An array of
 * struct ts_prediction in the runs' order, to be freed with g_array_unref(); NULL and a refusal. */
GArray *ts_predict(const struct ts_settings *settings, const struct ts_timings *timings,
	bool measured_clock, GError **error);

/* Simulated over measured time, less 1. */
double ts_prediction_error(const struct ts_prediction *p);

/* Two runs of a shape differ if their measured times do by more than this. */
static const double TS_PREDICT_DIFFERENT = 0.02;

/* How many of the simulated order are measured, where several are. */
enum { TS_PREDICT_FIRST = 4 };

struct ts_accuracy {
	guint runs, shapes;
	double mean_error; /* of the errors' absolute values */
	double worst_error;
	guint worst;              /* which prediction */
	guint pairs, pairs_right; /* of runs of a shape that differ; in the right order */
	guint policy_pairs, policy_pairs_right; /* those in nothing but the policy */
	/* The shape's least measured time over that of what simulation puts first, and over the
	 * least of what it puts first to fourth: geometric means over shapes, and the worst. */
	double first, first_worst, first_four, first_four_worst;
	const char *first_worst_shape;
};

/* Of predictions made from one ts_timings. */
struct ts_accuracy ts_accuracy_of(const GArray *predictions);

#endif
