/* Timings for the parts of `tilesim gpu` that take them from a file or from the GPU. */
#ifndef TS_GPU_MEASURED_H
#define TS_GPU_MEASURED_H

#include "sim/device.h"
#include "sim/timings.h"

struct ts_gpu_measured {
	/* As typed; NULL where not given. */
	char *from, *backend, *shapes, *repeat, *rounds;
};

/* The options of that, and what to free. */
void ts_gpu_measured_add(struct ts_gpu_measured *m, GOptionContext *context);
void ts_gpu_measured_finish(struct ts_gpu_measured *m);

/* Reads the file, or times schedules of the shapes, `shapes` by default; `words` are options of the
 * plan beside gpu bench's defaults. Returns an exit code; `t` is to be finished in any case. */
int ts_gpu_measured_get(const struct ts_gpu_measured *m, const char *shapes, const char *words,
	struct ts_timings *t, GError **error);

/* The device called `id`, or where that is NULL the built-in one of the GPU's name. NULL and a
 * refusal. */
struct ts_device *ts_gpu_measured_device(
	const struct ts_timings *t, const char *id, GError **error);

#endif
