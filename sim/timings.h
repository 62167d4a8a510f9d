/* Timings: what `tilesim gpu bench --format json` measured, read back from its file. */
#ifndef TS_TIMINGS_H
#define TS_TIMINGS_H

#include "policies/spec.h"
#include "sim/device.h"

/* One schedule of one shape. */
struct ts_timing {
	char *shape;
	struct ts_spec spec;
	uint64_t ps;        /* median of the launches */
	uint32_t clock_mhz; /* of the SMs meanwhile; 0 where it is not known */
};

struct ts_timings {
	char *source; /* the file, or how it was measured, in words */
	char *gpu;    /* the device's own name */
	GArray *runs; /* struct ts_timing; those of one shape follow each other */
};

/* Reads the file at `path`. Products that were found wrong are left out. False and a refusal that
 * says which run lacks what; call ts_timings_finish() in either case. */
bool ts_timings_load(struct ts_timings *t, const char *path, GError **error);

/* The same from text; `source` is used in refusals. */
bool ts_timings_parse(struct ts_timings *t, const char *source, const char *text, GError **error);

/* Accepts one that is zeroed. */
void ts_timings_finish(struct ts_timings *t);

#endif
