/* From the memory after a launch to a verdict. */
#include "kernels/gemm_check.h"

#include <math.h>
#include <string.h>

/* Products that are quickly summed here; and lines and elements of the samples of larger problems.
 */
enum { SMALL = 1 << 23, LINES = 8, SPOTS = 512 };

static const uint16_t POISON = 0x7fc0;

struct check {
	struct ts_gemm *g;
	const struct ts_plan *plan;
	struct ts_gemm_verdict *v;
	uint16_t *a, *b, *c;
	double slack;
	double squares, error_squares; /* of the reference, and of the errors */
};

/* Keeps the first fault. Returns false. */
G_GNUC_PRINTF(2, 3)
static bool fault(struct check *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (k->v->fault == NULL)
		k->v->fault = g_strdup_vprintf(format, args);
	va_end(args);
	return false;
}

static double widen(uint16_t bits)
{
	uint32_t word = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &word, sizeof value);
	return (double)value;
}

/* What any element may be off beside its rounding: sums of N(0, 1) products grow as sqrt(K), and
 * each of the K additions may cost 2^-24 of what there is. */
static double find_slack(uint32_t k)
{
	return ldexp(k * sqrt(k), -24);
}

static void compare(struct check *k, uint32_t m, uint32_t n, double reference)
{
	double value = widen(k->c[(uint64_t)m * k->plan->n + n]);
	double error = value - reference;
	/* Rounding to bf16 costs half a unit, 2^-8 at most. */
	double share = fabs(error) / (fabs(reference) / 256 + k->slack);

	k->squares += reference * reference;
	k->error_squares += error * error;
	k->v->checked++;
	/* The comparison is false for NaN. */
	if (share <= 1) {
		k->v->worst = MAX(k->v->worst, share);
		return;
	}
	k->v->worst = INFINITY;
	fault(k, "C[%u, %u] in tile (%u, %u) is %g, where the product is %g%s", m, n,
		m / k->plan->block_m, n / k->plan->block_n, value, reference,
		k->c[(uint64_t)m * k->plan->n + n] == POISON ? ": it was not written" : "");
}

/* The same with a float64 sum that is made here. */
static void compare_here(struct check *k, uint32_t m, uint32_t n)
{
	const uint16_t *a = &k->a[(uint64_t)m * k->plan->k], *b = &k->b[(uint64_t)n * k->plan->k];
	double sum = 0;

	for (uint32_t i = 0; i < k->plan->k; i++)
		sum += widen(a[i]) * widen(b[i]);
	k->v->on_host++;
	compare(k, m, n, sum);
}

/* A line of an axis that may go wrong by itself: the first, the last, and those round the edges of
 * the first and the last tile; then any. */
static uint32_t pick_line(GRand *random, uint32_t size, uint32_t block, uint32_t i)
{
	uint32_t last = (size - 1) / block * block;
	const uint32_t lines[] = {0, size - 1, last, last > 0 ? last - 1 : 0, MIN(block, size - 1),
		MIN(block - 1, size - 1)};

	if (i < G_N_ELEMENTS(lines))
		return lines[i];
	return (uint32_t)g_rand_int_range(random, 0, (gint32)size);
}

static void compare_lines(struct check *k, GRand *random)
{
	const struct ts_plan *p = k->plan;

	for (uint32_t i = 0; i < LINES; i++) {
		uint32_t m = pick_line(random, p->m, p->block_m, i);
		uint32_t n = pick_line(random, p->n, p->block_n, i);

		for (uint32_t j = 0; j < p->n; j++)
			compare_here(k, m, j);
		for (uint32_t j = 0; j < p->m; j++)
			compare_here(k, j, n);
	}
}

/* All of C against the other kernel's product, and spots of it against sums made here. */
static bool compare_all(struct check *k, GRand *random, GError **error)
{
	const struct ts_plan *p = k->plan;
	uint64_t count = (uint64_t)p->m * p->n;
	g_autofree float *reference = NULL;

	for (uint32_t i = 0; i < SPOTS; i++) {
		uint32_t m = pick_line(random, p->m, p->block_m, (uint32_t)g_rand_int(random) % 16);
		uint32_t n = pick_line(random, p->n, p->block_n, (uint32_t)g_rand_int(random) % 16);

		compare_here(k, m, n);
	}
	if (!ts_gemm_refer(k->g, p, error))
		return false;
	reference = ts_gemm_fetch(k->g, k->g->layout.reference, count, error);
	if (reference == NULL)
		return false;
	k->v->checked = 0;
	k->squares = k->error_squares = 0;
	for (uint64_t i = 0; i < count; i++)
		compare(k, (uint32_t)(i / p->n), (uint32_t)(i % p->n), (double)reference[i]);
	return true;
}

static bool check_product(struct check *k, enum ts_gemm_effort effort, GError **error)
{
	const struct ts_plan *p = k->plan;
	const struct ts_gemm_layout *l = &k->g->layout;
	bool small = (uint64_t)p->m * p->n <= SMALL / p->k;
	GRand *random = g_rand_new_with_seed(p->m ^ p->n << 10 ^ p->k << 20);
	bool good = true;

	k->a = ts_gemm_fetch(k->g, l->a, ((uint64_t)p->m * p->k + 1) / 2, error);
	if (k->a != NULL)
		k->b = ts_gemm_fetch(k->g, l->b, ((uint64_t)p->n * p->k + 1) / 2, error);
	if (k->b != NULL)
		k->c = ts_gemm_fetch(k->g, l->c, ((uint64_t)p->m * p->n + 1) / 2, error);
	if (k->c == NULL)
		good = false;
	else if (small)
		for (uint64_t i = 0; i < (uint64_t)p->m * p->n; i++)
			compare_here(k, (uint32_t)(i / p->n), (uint32_t)(i % p->n));
	else if (effort == TS_GEMM_SAMPLE)
		compare_lines(k, random);
	else
		good = compare_all(k, random, error);
	g_rand_free(random);
	g_free(k->a);
	g_free(k->b);
	g_free(k->c);
	k->v->error = sqrt(k->error_squares / MAX(k->squares, 1e-300));
	return good;
}

/* From byte `from` of the memory to word `to` all must be as it was. */
static bool check_guard(
	struct check *k, uint64_t from, uint64_t to, const char *where, GError **error)
{
	uint64_t first = from / sizeof(uint32_t);
	g_autofree uint16_t *halves = ts_gemm_fetch(k->g, first, to - first, error);

	if (halves == NULL)
		return false;
	for (uint64_t i = (from - first * 4) / 2; i < (to - first) * 2; i++) {
		if (halves[i] == POISON)
			continue;
		fault(k, "memory %" G_GUINT64_FORMAT " bytes %s was overwritten with 0x%04x",
			i * 2 + first * 4 - from, where, halves[i]);
		break;
	}
	return true;
}

/* The gaps between the parts of the memory. The copy engine may write to the end of a row of C's
 * copy, since it clips at multiples of 16 bytes. */
static bool check_guards(struct check *k, GError **error)
{
	const struct ts_plan *p = k->plan;
	const struct ts_gemm_layout *l = &k->g->layout;
	uint64_t m = p->m, n = p->n, wide_n = (n + 7) / 8 * 8;
	uint64_t slot = (uint64_t)p->cluster_m * p->cluster_n * p->block_m * p->block_n;
	uint64_t after_c = l->wide_a != 0 ? l->wide_a : l->wide_c != 0 ? l->wide_c : l->counters;

	if (!check_guard(k, 0, l->a, "at the beginning", error) ||
		!check_guard(k, l->a * 4 + m * p->k * 2, l->b, "after A", error) ||
		!check_guard(k, l->b * 4 + n * p->k * 2, l->c, "after B", error) ||
		!check_guard(k, l->c * 4 + m * n * 2, after_c, "after C", error) ||
		!check_guard(k, (l->counters + p->counters) * 4, l->flags, "after the counters",
			error) ||
		!check_guard(k, (l->flags + ts_gemm_flags(p)) * 4, l->workspace, "after the flags",
			error) ||
		!check_guard(k, (l->workspace + p->workspace * slot) * 4, l->fault,
			"after the workspace", error) ||
		!check_guard(k, l->fault * 4 + 4, l->reference, "after the fault", error))
		return false;
	return l->wide_c == 0 ||
		check_guard(
			k, l->wide_c * 4 + m * wide_n * 2, l->counters, "after C's copy", error);
}

/* Claims of a worker that never gets anything: those that it makes in vain. */
static void count_vain(const struct ts_plan *p, uint32_t *counts)
{
	for (uint32_t id = 0; id < p->workers; id++) {
		struct ts_worker w = ts_worker_make(id, id % p->domains);
		struct ts_step s = ts_next(p, &w, 0);

		while (s.act == TS_CLAIM) {
			counts[s.counter]++;
			s = ts_next(p, &w, UINT32_MAX);
		}
	}
}

/* Adds to each flag of the plan the signals that it gets: those of both halves of each part's
 * tiles. */
static void count_signals(const struct ts_plan *p, uint32_t *counts)
{
	uint32_t ranks = p->cluster_m * p->cluster_n;

	for (uint32_t id = 0; id < p->workers; id++) {
		struct ts_worker w = ts_worker_make(id, id % p->domains);
		struct ts_step s = ts_next(p, &w, 0), part = s;

		for (; s.act != TS_STOP; s = ts_next(p, &w, 0)) {
			if (s.act == TS_WORK)
				part = s;
			for (uint32_t i = 0; s.act == TS_SIGNAL && i < ranks * TS_GEMM_HALVES; i++)
				if (ts_cta_tile(p, &part, i / TS_GEMM_HALVES).valid)
					counts[s.counter * ranks * TS_GEMM_HALVES + i] += s.value;
		}
	}
}

static bool check_flags(struct check *k, GError **error)
{
	uint64_t count = ts_gemm_flags(k->plan);
	g_autofree uint32_t *counts = g_new0(uint32_t, count);
	g_autofree uint32_t *flags = ts_gemm_fetch(k->g, k->g->layout.flags, count, error);

	count_signals(k->plan, counts);
	for (uint64_t i = 0; flags != NULL && i < count; i++)
		if (flags[i] != counts[i])
			fault(k, "flag %" G_GUINT64_FORMAT " ends at %u, not at %u", i, flags[i],
				counts[i]);
	return flags != NULL;
}

/* A counter ends at its items and one claim in vain for each worker that tries it. */
static bool check_counters(struct check *k, GError **error)
{
	const struct ts_plan *p = k->plan;
	struct ts_policy policy = ts_policy((enum ts_policy_id)p->policy);
	g_autofree uint32_t *counts = g_new0(uint32_t, MAX(p->counters, 1));
	g_autofree uint32_t *fault_word = ts_gemm_fetch(k->g, k->g->layout.fault, 1, error);
	g_autofree uint32_t *counters = NULL;

	if (fault_word == NULL)
		return false;
	if (*fault_word != TS_GEMM_NO_FAULT)
		fault(k, "%s",
			*fault_word == TS_GEMM_NO_COUNTER
				? "the kernel was asked to claim from a counter that there is not"
				: "the kernel was asked for steps between workers that it does not "
				  "know");
	if (p->workspace > 0)
		return check_flags(k, error);
	if (p->counters == 0)
		return true;
	counters = ts_gemm_fetch(k->g, k->g->layout.counters, p->counters, error);
	count_vain(p, counts);
	for (uint32_t i = 0; counters != NULL && i < p->counters; i++)
		if (counters[i] != counts[i] + policy.counter_items(p, i))
			fault(k, "counter %u ends at %u, not at %u", i, counters[i],
				counts[i] + policy.counter_items(p, i));
	return counters != NULL;
}

bool ts_gemm_check(struct ts_gemm *g, const struct ts_plan *plan, enum ts_gemm_effort effort,
	struct ts_gemm_verdict *ret_verdict, GError **error)
{
	struct ts_gemm_verdict v = {0};
	struct check k = {.g = g, .plan = plan, .v = &v, .slack = find_slack(plan->k)};

	/* The reference overwrites nothing that is looked at before. */
	if (!check_counters(&k, error) || !check_guards(&k, error) ||
		!check_product(&k, effort, error)) {
		g_free(v.fault);
		return false;
	}
	v.sound = v.fault == NULL;
	*ret_verdict = v;
	return true;
}
