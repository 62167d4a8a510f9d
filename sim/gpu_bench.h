/* The parts of `tilesim gpu bench`. */
#ifndef TS_GPU_BENCH_H
#define TS_GPU_BENCH_H

#include "kernels/gemm_time.h"
#include "sim/report.h"
#include "sim/shapes.h"

/* One shape by one schedule. */
struct ts_bench_cell {
	struct ts_spec spec;
	struct ts_gemm_times ours, theirs;
	GArray *our_rounds, *their_rounds; /* double: medians in ms; NULL where it was not timed */
	uint32_t clock_mhz; /* between the launches, or after them; 0 where it can't be read */
	uint32_t watts;     /* after the last of them; 0 as well */
	char *fault;        /* the product is wrong, in words; NULL */
	bool there;         /* there is a kernel and a plan for it */
};

struct ts_bench {
	const char *gpu;
	struct ts_gemm_form form;
	GArray *shapes;              /* struct ts_shape */
	GArray *schedules;           /* struct ts_spec, whose sizes mean nothing */
	struct ts_bench_cell *cells; /* [shape][schedule] */
	uint32_t repeat;             /* launches of each, in so many rounds: 1 to `repeat` */
	uint32_t rounds;
	bool cublas;  /* timed beside ours, launch by launch in turn */
	bool checked; /* the products */
	enum ts_format format;
};

struct ts_gpu_gemm;

enum { TS_BENCH_REPEAT = 21, TS_BENCH_ROUNDS = 3 };

/* Times all schedules of one shape after another, in rounds in which each has its turn, so that
 * what slows down the device for a while doesn't slow down one of them alone. Checks the product of
 * each in the first round. b->cells have their specs. False where the GPU failed. */
bool ts_bench_run(struct ts_gpu_gemm *x, struct ts_bench *b, GError **error);

void ts_bench_cell_finish(struct ts_bench_cell *c);

/* The schedule of a shape that is right and has the least median; -1 where there is none. */
int ts_bench_best(const struct ts_bench *b, guint shape);

/* Median of cuBLAS over ours, as timed side by side; 0 where it was not timed. */
double ts_bench_ratio(const struct ts_bench_cell *c);

/* By how much of its median a schedule's rounds are apart: the largest median of one less the
 * smallest; 0 where there is one round. */
double ts_bench_noise(const struct ts_bench_cell *c);

/* Geometric mean over the shapes of the best schedules' ratios; 0 where there are none. */
double ts_bench_mean(const struct ts_bench *b);

/* Times schedules of `shapes`, unchecked and without cuBLAS: the report in JSON, to be freed with
 * g_free(). NULL and an error, or what the report's command would exit with in `ret_code`. `words`
 * are options of the plan beside the defaults; `backend`, `repeat` and `rounds` may be NULL. */
char *ts_bench_measure(const char *words, const char *backend, const char *shapes,
	const char *repeat, const char *rounds, int *ret_code, GError **error);

/* Times the first `want` requests that there is a kernel for on the GPU, in rounds: medians in ms,
 * 0 for the others. False and an error, of the backend or a refusal. */
bool ts_bench_specs(const GArray *specs, guint want, double *ret_ms, GError **error);

/* The whole report. Free with g_free(). */
char *ts_bench_report(const struct ts_bench *b, const char *command);

/* Draws the best of each shape and cuBLAS as bars, to a file whose name ends in .png or .svg. */
bool ts_bench_plot(const struct ts_bench *b, const char *path, GError **error);

#endif
