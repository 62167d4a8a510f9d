/* The parts of `tilesim gpu`. */
#ifndef TS_GPU_COMMAND_H
#define TS_GPU_COMMAND_H

#include "sim/command.h"
#include "sim/gpu_check.h"
#include "sim/gpu_map.h"
#include "sim/output.h"
#include "sim/report.h"

/* One launch, to be reported. */
struct ts_gpu_run {
	const struct ts_prober *prober;
	const struct ts_gpu_map *map;
	const struct ts_plan *plan;
	const struct ts_probe_log *log;
	const struct ts_gpu_verdict *verdict;
	const char *command; /* that repeats it */
};

/* The whole report, in text or JSON. Free with g_free(). */
char *ts_gpu_report(const struct ts_gpu_run *r, enum ts_format format);

/* One CSV line per item and CTA; false and a refusal where the file can't be written. */
bool ts_gpu_records(const struct ts_gpu_run *r, const char *path, GError **error);

/* The commands behind `tilesim gpu`; argv[0] is the word itself. */
ts_command_fn ts_gpu_probe_command, ts_gpu_describe_command, ts_gpu_gemm_command,
	ts_gpu_bench_command, ts_gpu_release_command, ts_gpu_hold_command, ts_gpu_verify_command,
	ts_gpu_calibrate_command, ts_gpu_predict_command;

/* Reads --threads and --shared-kb; each is NULL where it was not given. */
bool ts_gpu_cta(
	const char *threads, const char *shared_kb, struct ts_prober_cta *ret_cta, GError **error);

/* The help of --backend, which each of them takes, and what it names: NULL where it is NULL or
 * auto. False and a refusal. */
extern const char ts_gpu_backend_help[];
bool ts_gpu_backend(const char *name, const struct ts_backend_ops **ret_ops, GError **error);

/* What to exit with after an error of the backend or a refusal. */
int ts_gpu_exit(const GError *error);

#endif
