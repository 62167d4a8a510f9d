/* Fits: the calibration under which simulated times come closest to measured ones. */
#ifndef TS_FIT_H
#define TS_FIT_H

#include "sim/device.h"
#include "sim/timings.h"

struct ts_fit {
	struct ts_calibration calibration;
	guint runs, shapes, rounds;
	uint32_t guessed; /* a bit for each key that none of the times depends on */
	/* Of the fitted runs themselves; errors are simulated over measured time, less 1. */
	double mean_error, worst_error;
};

/* Robust nonlinear least squares (Levenberg and Marquardt's steps, Huber's weights) over the
 * logarithms of simulated over measured times, each run at its own clock. `device` says all that is
 * not fitted. The calibration's clock is the median of the runs', or the device's where they say
 * none. False and a refusal where a run can't be simulated, or there are fewer runs than there are
 * parameters. */
bool ts_fit_timings(struct ts_fit *ret_fit, const struct ts_device *device,
	const struct ts_timings *timings, GError **error);

#endif
