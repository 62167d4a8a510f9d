/* How long launches took, in one round or several, and what to make of that. */
#ifndef TS_GEMM_SERIES_H
#define TS_GEMM_SERIES_H

#include <glib.h>
#include <stdint.h>

struct ts_gemm_times {
	double median_ms, least_ms, most_ms;
	double clock_mhz; /* of an SM between the launches; 0 where it can't be measured */
};

/* Launches of one plan, with others between its rounds. Zeroed: there were none. */
struct ts_gemm_series {
	GArray *ms;     /* double: of every launch */
	GArray *mhz;    /* double: after it; NULL where it can't be measured */
	GArray *rounds; /* double: the median of each round, in ms */
};

void ts_gemm_series_finish(struct ts_gemm_series *s);

/* One more round, of `count` >= 1 launches; `mhz` is NULL or has as many. */
void ts_gemm_series_add(
	struct ts_gemm_series *s, const double *ms, const double *mhz, uint32_t count);

/* Of the launches of all rounds, of which there is one at least. What slows down less than half of
 * them doesn't move the median out of the others' range. */
struct ts_gemm_times ts_gemm_series_times(const struct ts_gemm_series *s);

/* How many of the launches belong to round `round` < `rounds`: each has as many, or one more. */
uint32_t ts_gemm_series_share(uint32_t launches, uint32_t rounds, uint32_t round);

#endif
