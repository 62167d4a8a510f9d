/* The parts of `tilesim gpu gemm`. */
#ifndef TS_GPU_GEMM_H
#define TS_GPU_GEMM_H

#include "kernels/gemm_check.h"
#include "kernels/gemm_time.h"
#include "sim/report.h"
#include "sim/settings.h"

struct ts_gpu_gemm {
	struct ts_settings *settings;
	const struct ts_backend_ops *ops; /* as asked for; NULL: any */
	struct ts_gemm gemm;
	const struct ts_gemm_kind *kind; /* NULL: whichever suits the device */
	struct ts_gemm_form form;
	const char *as; /* instructions of the CPU; NULL: not given */
	bool hardware_domain;
	bool several;             /* blocks and clusters by default */
	struct ts_cublas *cublas; /* NULL where it was not asked for */
	uint64_t workspace;       /* its memory */
	struct ts_axes axes;
	struct ts_group_room room; /* that the last plan points to */
	enum ts_gemm_effort effort;
	enum ts_format format;
	int64_t repeat; /* -1: not given */
	int64_t seed;
};

/* One plan's results. */
struct ts_gpu_product {
	struct ts_gemm_verdict verdict;
	struct ts_gemm_times ours, theirs;
	bool timed;
};

/* Its launches, and cuBLAS' beside them where it is there. Zeroed: none. */
struct ts_gpu_series {
	struct ts_gemm_series ours, theirs;
};

/* The options that all commands around the GEMM take, as typed. */
struct ts_gpu_gemm_options {
	char *backend, *kernel, *as, *layout, *gap, *format;
};

/* Adds them to those of a command. */
void ts_gpu_gemm_entries(struct ts_gpu_gemm_options *o, GOptionContext *context);
void ts_gpu_gemm_options_finish(struct ts_gpu_gemm_options *o);

/* Reads them, and of x->settings what is no axis. False and a refusal. */
bool ts_gpu_gemm_read(struct ts_gpu_gemm *x, const struct ts_gpu_gemm_options *o, GError **error);

/* One of the names behind --as, whatever the number. */
const char *ts_gpu_gemm_instructions(uint32_t number);

/* Reads --repeat, from `least` on, and --check; each is NULL where it was not given. */
bool ts_gpu_gemm_read_repeat(
	struct ts_gpu_gemm *x, const char *repeat, int64_t least, GError **error);
bool ts_gpu_gemm_read_check(struct ts_gpu_gemm *x, const char *check, GError **error);

/* "tilesim gpu VERB ...", which repeats a run of `spec`. Free with g_free(). */
char *ts_gpu_gemm_command_text(
	const struct ts_gpu_gemm *x, const char *verb, const struct ts_spec *spec, int64_t seed);

/* False and a refusal where options of the simulator are given, which mean nothing on a real
 * device. */
bool ts_gpu_gemm_suits(const struct ts_settings *s, GError **error);

/* Opens the GPU, cuBLAS where it is wanted, and the axes of the settings. False and an error, of
 * the backend or a refusal; in either case to be closed. */
bool ts_gpu_gemm_open(struct ts_gpu_gemm *x, bool cublas, GError **error);
void ts_gpu_gemm_close(struct ts_gpu_gemm *x);

/* The plan of a request, with as many workers as are resident where none were given, which `spec`
 * is then told. It is valid until the next one. False and a refusal, also where there is no kernel
 * for it. */
bool ts_gpu_gemm_plan(
	struct ts_gpu_gemm *x, struct ts_spec *spec, struct ts_plan *ret_plan, GError **error);

/* Computes and checks one plan, and times a round of `launches`, after which C has to be what it
 * was before them; where `launches` is 0 there is none. False where the GPU failed. */
bool ts_gpu_gemm_first_round(struct ts_gpu_gemm *x, const struct ts_plan *p, int64_t seed,
	uint32_t launches, struct ts_gpu_series *series, struct ts_gemm_verdict *ret_verdict,
	GError **error);

/* Times one more round of a plan, or an unchecked first one. */
bool ts_gpu_gemm_next_round(struct ts_gpu_gemm *x, const struct ts_plan *p, int64_t seed,
	uint32_t launches, struct ts_gpu_series *series, GError **error);

void ts_gpu_series_finish(struct ts_gpu_series *s);

/* Computes and checks one plan, and times `repeat` launches. False where the GPU failed. */
bool ts_gpu_gemm_run(struct ts_gpu_gemm *x, const struct ts_plan *p, int64_t seed, uint32_t repeat,
	struct ts_gpu_product *ret_product, GError **error);

/* Checks the launch of a prepared plan that was the last one, with workers that were asked to leave
 * as in ts_gpu_check_asked(), or NULL. False where the GPU failed. */
bool ts_gpu_gemm_verdict(struct ts_gpu_gemm *x, const struct ts_plan *p, const bool *asked,
	struct ts_gemm_verdict *ret_verdict, GError **error);

/* The first lines of a report: on what, what and by what. */
void ts_gpu_gemm_head(const struct ts_gpu_gemm *x, const struct ts_plan *p, GString *out);

/* The whole report of one plan, in text or JSON. Free with g_free(). */
char *ts_gpu_gemm_report(const struct ts_gpu_gemm *x, const struct ts_plan *p,
	const struct ts_gpu_product *r, const char *command);

#endif
