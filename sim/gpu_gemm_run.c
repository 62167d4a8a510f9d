/* Plans of the GEMM, launched and checked one by one. */
#include <string.h>

#include "sim/gpu.h"
#include "sim/gpu_gemm.h"
#include "sim/refuse.h"
#include "sim/request.h"

enum { CPU_PRODUCTS_MAX = 1 << 30, SIZE_MAX_ELEMENTS = 1 << 30 };

static const uint64_t WORDS_MAX = UINT64_C(1) << 34;
static const uint64_t WORKSPACE_BYTES = 64 << 20;

/* Is there a kernel for the request, whose size it can take? */
static bool check_spec(const struct ts_gpu_gemm *x, const struct ts_spec *s, GError **error)
{
	const struct ts_gemm_kind *kind = x->gemm.kind;
	int64_t least_k = kind->align > 1 ? 1 : 0;

	if (!kind->has_block(s->block_m, s->block_n, s->block_k))
		return ts_refuse(error,
			"blocks of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			": the kernels of %s have %s",
			s->block_m, s->block_n, s->block_k, kind->name, kind->blocks);
	if (!kind->has_cluster(s->cluster_m, s->cluster_n))
		return ts_refuse(error,
			"cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			": the kernels of %s take %s",
			s->cluster_m, s->cluster_n, kind->name, kind->clusters);
	if (!ts_in_range(s->m, 1, SIZE_MAX_ELEMENTS) || !ts_in_range(s->n, 1, SIZE_MAX_ELEMENTS) ||
		!ts_in_range(s->k, least_k, SIZE_MAX_ELEMENTS))
		return ts_refuse(error,
			"M=%" G_GINT64_FORMAT ", N=%" G_GINT64_FORMAT ", K=%" G_GINT64_FORMAT
			": the kernels of %s take sizes from 1 to %d%s",
			s->m, s->n, s->k, kind->name, SIZE_MAX_ELEMENTS,
			least_k == 0 ? ", K from 0" : "");
	return true;
}

/* Groups that the kernels can take: of the same N and K, and not more than there can be memory for.
 */
static bool check_groups(const struct ts_gpu_gemm *x, const struct ts_plan *p, GError **error)
{
	uint64_t rows = ts_gemm_rows(p), rows_b = (uint64_t)p->groups * MAX(p->n, p->k);

	for (uint32_t i = 0; p->grids != NULL && i < p->grid_count; i++)
		if (p->grids[i].n != p->n || p->grids[i].k != p->k)
			return ts_refuse(error,
				"group %u has N=%u and K=%u, another one N=%u and K=%u: the GEMM "
				"takes groups that differ in their rows only",
				i, p->grids[i].n, p->grids[i].k, p->n, p->k);
	if (p->items == 0)
		return ts_refuse(
			error, "%u groups without a row: there is nothing to compute", p->groups);
	if (rows > SIZE_MAX_ELEMENTS || rows_b > SIZE_MAX_ELEMENTS)
		return ts_refuse(error,
			"%u groups with %" G_GUINT64_FORMAT " rows of A, and %" G_GUINT64_FORMAT
			" of B or its transpose: the kernels of %s take up to %d",
			p->groups, rows, rows_b, x->gemm.kind->name, SIZE_MAX_ELEMENTS);
	return true;
}

bool ts_gpu_gemm_plan(
	struct ts_gpu_gemm *x, struct ts_spec *spec, struct ts_plan *ret_plan, GError **error)
{
	bool plain =
		spec->batch == 1 && !ts_spec_has_list(spec) && spec->row_order == TS_ROWS_ASCENDING;
	struct ts_spec roomy;
	uint32_t resident;

	if (!check_spec(x, spec, error))
		return false;
	/* An alias may say so. */
	if (spec->shape != TS_RECTANGLE)
		return ts_refuse(error, "--shape %s: the GEMM kernel has rectangles",
			ts_shape_name(spec->shape));
	resident = ts_gemm_residency(&x->gemm, plain, (uint32_t)spec->block_m,
		(uint32_t)spec->block_n, (uint32_t)spec->cluster_m, (uint32_t)spec->cluster_n);
	if (resident == 0)
		return ts_refuse(error,
			"cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT ": %s has no room for one",
			spec->cluster_m, spec->cluster_n, x->gemm.gpu.is.name);
	if (x->axes.default_workers)
		spec->workers = resident;
	roomy = ts_group_room_give(&x->room, spec);
	if (!ts_request_plan(ret_plan, &roomy, error) || !check_groups(x, ret_plan, error))
		return false;
	if (x->gemm.gpu.ops->only_by_name &&
		(double)ts_gemm_used_rows(ret_plan) * ret_plan->n * MAX(ret_plan->k, 1) >
			CPU_PRODUCTS_MAX)
		return ts_refuse(error,
			"M=%" G_GUINT64_FORMAT ", N=%u, K=%u: would take the CPU hours; use --m, "
			"--n and --k of 1024 or less",
			ts_gemm_used_rows(ret_plan), ret_plan->n, ret_plan->k);
	if (ret_plan->launches == 1)
		return ts_refuse(error,
			"--policy clc: these kernels have no cluster launch control; worksteal "
			"--mode "
			"global claims in the same way from memory");
	if (ts_gemm_words(&x->gemm, ret_plan) > WORDS_MAX)
		return ts_refuse(error, "M=%u, N=%u, K=%u: the matrices take more than 64 GiB",
			ret_plan->m, ret_plan->n, ret_plan->k);
	return true;
}

/* Times the launches. C is the same to the bit after all of them, or the kernel has a race. */
static bool repeat(struct ts_gpu_gemm *x, const struct ts_plan *p, uint32_t launches,
	struct ts_gpu_series *s, struct ts_gemm_verdict *v, GError **error)
{
	const struct ts_gemm_matrix *c = &x->gemm.layout.c;
	uint64_t words = (c->rows * c->ld + 1) / 2;
	g_autofree uint32_t *before = ts_gemm_fetch(&x->gemm, c->at, words, error);
	g_autofree uint32_t *after = NULL;

	if (before == NULL ||
		!ts_gemm_time(&x->gemm, p, launches, x->cublas, &s->ours, &s->theirs, error))
		return false;
	after = ts_gemm_fetch(&x->gemm, c->at, words, error);
	if (after == NULL)
		return false;
	if (v->sound && memcmp(before, after, words * sizeof *after) != 0) {
		v->sound = false;
		v->fault = g_strdup("C changes from launch to launch");
	}
	return true;
}

bool ts_gpu_gemm_verdict(struct ts_gpu_gemm *x, const struct ts_plan *p, const bool *asked,
	struct ts_gemm_verdict *v, GError **error)
{
	const struct ts_backend_properties *is = &x->gemm.gpu.is;
	struct ts_gpu_verdict records;
	struct ts_probe_log log;

	if (!ts_gemm_check(&x->gemm, p, asked, x->effort, v, error))
		return false;
	if (!x->gemm.kind->records || !v->sound)
		return true;
	if (!ts_gemm_log(&x->gemm, p, &log, error))
		return false;
	/* Was what the launch wrote down a run of the plan? */
	records = ts_gpu_check_asked(
		p, &log, x->hardware_domain, is->sparse_units ? UINT32_MAX : is->units, asked);
	g_free(log.words);
	v->sound = records.sound;
	v->fault = records.fault;
	return true;
}

bool ts_gpu_gemm_first_round(struct ts_gpu_gemm *x, const struct ts_plan *p, int64_t seed,
	uint32_t launches, struct ts_gpu_series *s, struct ts_gemm_verdict *v, GError **error)
{
	return ts_gemm_prepare(&x->gemm, p, (uint64_t)seed, error) &&
		ts_gemm_start(&x->gemm, p, NULL, error) &&
		ts_gpu_gemm_verdict(x, p, NULL, v, error) &&
		(launches == 0 || repeat(x, p, launches, s, v, error));
}

bool ts_gpu_gemm_next_round(struct ts_gpu_gemm *x, const struct ts_plan *p, int64_t seed,
	uint32_t launches, struct ts_gpu_series *s, GError **error)
{
	return ts_gemm_prepare_again(&x->gemm, p, (uint64_t)seed, error) &&
		ts_gemm_time(&x->gemm, p, launches, x->cublas, &s->ours, &s->theirs, error);
}

void ts_gpu_series_finish(struct ts_gpu_series *s)
{
	ts_gemm_series_finish(&s->ours);
	ts_gemm_series_finish(&s->theirs);
}

bool ts_gpu_gemm_run(struct ts_gpu_gemm *x, const struct ts_plan *p, int64_t seed, uint32_t count,
	struct ts_gpu_product *r, GError **error)
{
	struct ts_gpu_series s = {0};
	bool good;

	memset(r, 0, sizeof *r);
	good = ts_gpu_gemm_first_round(x, p, seed, count, &s, &r->verdict, error);
	r->timed = good && count > 0;
	if (r->timed)
		r->ours = ts_gemm_series_times(&s.ours);
	if (r->timed && x->cublas != NULL)
		r->theirs = ts_gemm_series_times(&s.theirs);
	ts_gpu_series_finish(&s);
	return good;
}

/* The requests, for the GPU that is there. */
static bool read_axes(struct ts_gpu_gemm *x, GError **error)
{
	char **block = &x->settings->axes[TS_AXIS_BLOCK];
	char **cluster = &x->settings->axes[TS_AXIS_CLUSTER];
	struct ts_device *d = g_new0(struct ts_device, 1);
	bool good;

	d->id = g_strdup("gpu");
	d->name = g_strdup(x->gemm.gpu.is.name);
	d->units = x->gemm.gpu.is.units;
	d->groups = d->xcds = d->occupancy = 1;
	d->max_cluster = TS_GEMM_RANKS;
	d->group_units = g_new(uint32_t, 1);
	d->group_units[0] = d->units;
	if (*block == NULL)
		*block = g_strdup(x->gemm.kind->default_blocks[x->several ? 1 : 0]);
	if (x->several && *cluster == NULL)
		*cluster = g_strdup(x->gemm.kind->default_clusters);
	good = ts_settings_axes(x->settings, d, &x->axes, error);
	ts_device_free(d);
	return good;
}

/* Opens cuBLAS where it is wanted. */
static bool open_cublas(struct ts_gpu_gemm *x, bool wanted, GError **error)
{
	g_autoptr(GError) cause = NULL;

	if (!wanted)
		return true;
	x->workspace = x->gemm.gpu.ops->alloc(&x->gemm.gpu, WORKSPACE_BYTES, error);
	if (x->workspace == 0)
		return false;
	x->cublas =
		ts_cublas_new(x->form.type, x->form.layout, x->workspace, WORKSPACE_BYTES, &cause);
	if (x->cublas != NULL)
		return true;
	if (strcmp(x->gemm.gpu.ops->name, "cuda") != 0)
		return ts_refuse(error,
			"cuBLAS is for NVIDIA's GPUs, not for the backend %s (%s); leave --cublas "
			"out, or add --alone to gpu bench",
			x->gemm.gpu.ops->name, cause->message);
	g_propagate_error(error, g_steal_pointer(&cause));
	return false;
}

bool ts_gpu_gemm_open(struct ts_gpu_gemm *x, bool cublas, GError **error)
{
	if (!ts_gemm_open(&x->gemm, x->ops, x->kind, &x->form, x->as, error))
		return false;
	if (x->hardware_domain && !x->gemm.kind->hardware_domain)
		return ts_refuse(error,
			"--domain hardware: the kernels of %s deal domains out by the workers' "
			"numbers; use --kernel mma",
			x->gemm.kind->name);
	x->gemm.hardware_domain = x->hardware_domain;
	return open_cublas(x, cublas, error) && read_axes(x, error);
}

void ts_gpu_gemm_close(struct ts_gpu_gemm *x)
{
	ts_axes_finish(&x->axes);
	ts_group_room_finish(&x->room);
	ts_cublas_free(x->cublas);
	ts_backend_free(&x->gemm.gpu, x->workspace);
	ts_gemm_close(&x->gemm);
}
