/* The report of `tilesim gpu predict`. */
#ifndef TS_GPU_PREDICT_H
#define TS_GPU_PREDICT_H

#include "sim/predict.h"
#include "sim/report.h"

struct ts_predict_report {
	const struct ts_timings *timings;
	const struct ts_device *device;
	const GArray *predictions;
	struct ts_accuracy accuracy;
	const char *costs;     /* of --memory */
	const char *fitted_to; /* the device's calibration, in words; NULL where it is not used */
	bool measured_clock;
};

/* The whole report; CSV has the rows only. Free with g_free(). */
char *ts_predict_text(const struct ts_predict_report *r, enum ts_format format);

/* Draws simulated over measured times, to a file whose name ends in .png or .svg. */
bool ts_predict_plot(const struct ts_predict_report *r, const char *path, GError **error);

#endif
