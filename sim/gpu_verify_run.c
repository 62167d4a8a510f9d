/* Random runs, and the smallest that fails. */
#include <string.h>

#include "sim/gpu_verify.h"
#include "verify/shrink.h"

static const int64_t s_us = 1000000;

/* A run for shrinking. */
struct attempt {
	struct ts_gpu_verify *v;
	int64_t until;
	int64_t seed;
	char *last; /* what a GPU failed with, which then takes no other launch */
};

static char *command(const struct ts_gpu_verify *v, const struct ts_spec *spec, int64_t seed)
{
	struct ts_gpu_gemm *x = v->sweep.gemm;

	x->repeat = 1;
	return ts_gpu_gemm_command_text(x, "gemm", spec, seed);
}

/* What is wrong, without its place in the counts. Free with g_free(). */
static char *fault_of(struct attempt *a, const struct ts_spec *spec)
{
	struct ts_gpu_gemm *x = a->v->sweep.gemm;
	g_autoptr(GError) error = NULL;
	struct ts_gpu_product r;
	struct ts_plan plan;

	if (a->last != NULL || !ts_gpu_draw_plan(x, spec, &plan))
		return NULL;
	if (ts_gpu_gemm_run(x, &plan, a->seed, 1, &r, &error))
		return r.verdict.fault;
	if (!x->gemm.gpu.ops->only_by_name)
		a->last = g_strdup(error->message);
	return g_strdup(error->message);
}

static bool fails(void *data, const struct ts_spec *spec)
{
	struct attempt *a = data;
	g_autofree char *fault = NULL;

	if (g_get_monotonic_time() > a->until)
		return false;
	fault = fault_of(a, spec);
	return fault != NULL;
}

/* Tries a simpler form, or puts the old one back. */
static void try_form(struct attempt *a, const struct ts_spec *spec, struct ts_gemm_form form)
{
	struct ts_gpu_gemm *x = a->v->sweep.gemm;
	struct ts_gemm_form before = x->form;

	if (memcmp(&form, &before, sizeof form) == 0)
		return;
	x->form = form;
	if (ts_gpu_draw_use(x, NULL) && fails(a, spec))
		return;
	x->form = before;
	ts_gpu_draw_use(x, NULL);
}

static void simplify_form(struct attempt *a, const struct ts_spec *spec)
{
	const struct ts_gpu_gemm *x = a->v->sweep.gemm;
	struct ts_gemm_form form = x->form;

	form.gap = 0;
	try_form(a, spec, form);
	form = x->form;
	form.layout = TS_MMA_ALONG_K;
	try_form(a, spec, form);
	form = x->form;
	form.type = TS_MMA_BF16;
	try_form(a, spec, form);
}

/* What has a simplest value that is no number: first of all the policy, since what fails without
 * any schedule is the kernel's fault. */
static void simplify(struct attempt *a, struct ts_spec *spec)
{
	struct ts_spec tried = *spec;

	tried.policy = TS_DATA_PARALLEL;
	tried.mode = TS_STEAL;
	ts_gpu_draw_tidy(&tried);
	if (fails(a, &tried))
		*spec = tried;
	tried = *spec;
	tried.order = TS_ROW;
	ts_gpu_draw_tidy(&tried);
	if (fails(a, &tried))
		*spec = tried;
	tried = *spec;
	tried.remap = TS_REMAP_NONE;
	ts_gpu_draw_tidy(&tried);
	if (fails(a, &tried))
		*spec = tried;
}

/* Keeps the failure as it was found, and the smallest. */
static void shrink(struct ts_gpu_verify *v, const struct ts_spec *spec, int64_t seed)
{
	struct attempt a = {v, g_get_monotonic_time() + (int64_t)v->limit_s * s_us, seed, NULL};
	struct ts_spec smallest = *spec;

	v->found_command = command(v, spec, seed);
	/* Only if it fails again: a race may not. */
	if (fails(&a, spec)) {
		simplify(&a, &smallest);
		simplify_form(&a, &smallest);
		ts_shrink(&smallest, fails, &a);
		v->smallest = a.last != NULL ? g_strdup(a.last) : fault_of(&a, &smallest);
	}
	if (v->smallest == NULL)
		v->smallest = g_strdup("it did not fail a second time");
	v->smallest_command = command(v, &smallest, seed);
	ts_shrink_free(&smallest);
	g_free(a.last);
}

bool ts_gpu_verify_run(struct ts_gpu_verify *v, GError **error)
{
	int64_t until = g_get_monotonic_time() + (int64_t)v->limit_s * s_us;
	struct ts_gpu_gemm *x = v->sweep.gemm;

	/* Workers are drawn. */
	x->axes.default_workers = false;
	while (v->found == NULL && v->done < v->count && g_get_monotonic_time() < until) {
		int64_t seed = (x->seed + (int64_t)v->done) % TS_COUNT_MAX;
		struct ts_spec spec;
		struct ts_plan plan;

		if (!ts_gpu_draw_next(&v->draw, v->done, &spec, &plan, error))
			return false;
		v->done++;
		if (!ts_gpu_sweep_run(&v->sweep, &spec, &plan, seed, 1, &v->found, error)) {
			g_autofree char *text = command(v, &spec, seed);

			g_prefix_error(error, "%s: ", text);
			return false;
		}
		if (v->found != NULL)
			shrink(v, &spec, seed);
	}
	return true;
}

void ts_gpu_verify_finish(struct ts_gpu_verify *v)
{
	g_free(v->found);
	g_free(v->found_command);
	g_free(v->smallest);
	g_free(v->smallest_command);
	ts_gpu_sweep_finish(&v->sweep);
}
