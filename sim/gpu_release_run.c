/* A release, carried out and checked. */
#include "sim/gpu_release.h"

/* Keeps the first fault. */
G_GNUC_PRINTF(2, 3)
static void fault(struct ts_gpu_release *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (r->verdict.sound) {
		r->verdict.sound = false;
		r->verdict.fault = g_strdup_vprintf(format, args);
	}
	va_end(args);
}

/* Did all workers say that they were gone, and those that were asked go? */
static void check_news(struct ts_gpu_release *r)
{
	const struct ts_plan *p = &r->plan;
	uint32_t gone = 0;

	for (uint32_t d = 0; d < p->domains; d++) {
		const struct ts_released *is = &r->run.released[d];

		gone += is->workers;
		if (is->most_after > TS_RELEASE_AFTER_MAX)
			fault(r, "a worker of XCD %u began %u items after it was asked to leave", d,
				is->most_after);
		if (!is->asked && is->as_asked > 0)
			fault(r, "%u workers of XCD %u left, whom nobody had asked", is->as_asked,
				d);
	}
	if (gone != p->workers)
		fault(r, "%u of %u workers never said that they were gone", p->workers - gone,
			p->workers);
	if (r->run.items != p->items)
		fault(r, "the workers told of %" G_GUINT64_FORMAT " items, where there are %u",
			r->run.items, p->items);
}

/* How long it takes without a request; the kernel is then loaded, too. */
static bool run_plain(struct ts_gpu_release *r, GError **error)
{
	g_autofree struct ts_release_when *never = g_new0(struct ts_release_when, r->plan.domains);
	struct ts_release plain;

	for (int i = 0; i < 2; i++) {
		if (!ts_gemm_release(&r->gemm->gemm, &r->plan, never, &plain, error))
			return false;
		r->plain_ns = plain.end_ns;
		ts_release_finish(&plain);
	}
	return true;
}

bool ts_gpu_release_run(struct ts_gpu_release *r, GError **error)
{
	struct ts_gpu_gemm *x = r->gemm;
	g_autofree bool *asked = g_new0(bool, r->plan.domains);

	if (!ts_gemm_prepare(&x->gemm, &r->plan, (uint64_t)x->seed, error) ||
		!run_plain(r, error) ||
		!ts_gemm_prepare(&x->gemm, &r->plan, (uint64_t)x->seed, error) ||
		!ts_gemm_release(&x->gemm, &r->plan, r->when, &r->run, error))
		return false;
	for (uint32_t d = 0; d < r->plan.domains; d++)
		asked[d] = r->run.released[d].asked;
	if (!ts_gpu_gemm_verdict(x, &r->plan, asked, &r->verdict, error))
		return false;
	check_news(r);
	return true;
}

void ts_gpu_release_finish(struct ts_gpu_release *r)
{
	ts_release_finish(&r->run);
	g_clear_pointer(&r->verdict.fault, g_free);
	g_clear_pointer(&r->when, g_free);
}
