/* The parts of `tilesim tune`. */
#ifndef TS_TUNE_H
#define TS_TUNE_H

#include "sim/report.h"
#include "sim/shapes.h"

/* One configuration of one shape, simulated. */
struct ts_tuned {
	struct ts_spec spec;
	uint64_t makespan; /* ps; UINT64_MAX: not simulated, since too slow to be asked for */
	double tflops;
	double missed; /* bytes that an L2 lacked; 0 without caches */
	/* Fractions of the places' time, as in struct ts_summary. */
	double useful, quantization, imbalance, unmanned, claims, fixed, padding;
	double fix_up;      /* with the waits for it */
	double measured_ms; /* on the GPU that is there; 0: not measured */
	bool sound;         /* and not refused */
};

/* A shape with all of its configurations, the best first. */
struct ts_tuning {
	const struct ts_settings *settings;
	const struct ts_device *device;
	const struct ts_shape *shape;
	const struct ts_tuned *all;
	guint count;    /* of those that are sound: 1 at least */
	guint measured; /* of those, the first: by their measured times */
	guint refused;
};

/* Simulates what may be among the fastest `want` of `all`, an array of struct ts_tuned with their
 * specs, or the fastest that has other tiles than the first, and sorts: first the fastest, last
 * those that are not sound. What a lower bound of the makespan shows to be slower is left out. */
void ts_tune_search(GArray *all, const struct ts_settings *settings, unsigned threads, guint want);

/* Have both the same blocks and clusters? */
bool ts_tune_same_tiles(const struct ts_spec *a, const struct ts_spec *b);

/* Why the first is the first, in a sentence: against the best one that has other tiles. Free with
 * g_free(). */
char *ts_tune_reason(const struct ts_tuning *t);

/* The settings of the first in the words of CUTLASS, Triton and TileLang, a line each; nothing
 * where a project cannot express it. */
void ts_tune_settings(const struct ts_tuning *t, GString *out);

/* The first `top` in a table, the reason and the settings; in JSON an object. */
void ts_tune_text(const struct ts_tuning *t, guint top, GString *out);
void ts_tune_json(const struct ts_tuning *t, guint top, JsonBuilder *b);

#endif
