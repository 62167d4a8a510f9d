/* Medians over rounds. */
#include "kernels/gemm_series.h"

#include <stdlib.h>

void ts_gemm_series_finish(struct ts_gemm_series *s)
{
	g_clear_pointer(&s->ms, g_array_unref);
	g_clear_pointer(&s->mhz, g_array_unref);
	g_clear_pointer(&s->rounds, g_array_unref);
}

static void append(GArray **to, const double *values, uint32_t count)
{
	if (*to == NULL)
		*to = g_array_new(FALSE, FALSE, sizeof(double));
	g_array_append_vals(*to, values, count);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A copy in ascending order. Free with g_free(). */
static double *sort(const double *values, uint32_t count)
{
	double *sorted = g_memdup2(values, count * sizeof *values);

	qsort(sorted, count, sizeof *sorted, by_size);
	return sorted;
}

static double middle(const double *sorted, uint32_t count)
{
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static double median(const double *values, uint32_t count)
{
	g_autofree double *sorted = sort(values, count);

	return middle(sorted, count);
}

void ts_gemm_series_add(
	struct ts_gemm_series *s, const double *ms, const double *mhz, uint32_t count)
{
	double round = median(ms, count);

	append(&s->ms, ms, count);
	if (mhz != NULL)
		append(&s->mhz, mhz, count);
	append(&s->rounds, &round, 1);
}

struct ts_gemm_times ts_gemm_series_times(const struct ts_gemm_series *s)
{
	g_autofree double *sorted = sort((const double *)(const void *)s->ms->data, s->ms->len);
	struct ts_gemm_times times = {.median_ms = middle(sorted, s->ms->len),
		.least_ms = sorted[0],
		.most_ms = sorted[s->ms->len - 1]};

	if (s->mhz != NULL)
		times.clock_mhz = median((const double *)(const void *)s->mhz->data, s->mhz->len);
	return times;
}

uint32_t ts_gemm_series_share(uint32_t launches, uint32_t rounds, uint32_t round)
{
	return launches / rounds + (round < launches % rounds ? 1 : 0);
}
