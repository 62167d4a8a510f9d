/* From the memory after a launch to a verdict. */
#include "kernels/gemm_check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/gemm_args.h"
#include "kernels/mma_soft.h"

/* Products that are quickly summed here; and of the samples of larger problems the lines and
 * elements, and of how many groups they are at most. */
enum { SMALL = 1 << 23, SMALL_ALONE = 1 << 26, LINES = 8, SPOTS = 512, GROUPS = 8 };

static const uint16_t POISON = 0x7fc0;

struct check {
	struct ts_gemm *g;
	const struct ts_plan *plan;
	struct ts_gemm_verdict *v;
	struct ts_gemm_group group; /* that is looked at */
	uint16_t *a, *b;            /* its operands */
	uint16_t *c;                /* all of C */
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

static double widen(const struct check *k, uint16_t bits)
{
	return mma_soft_widen(bits, k->g->form.type == TS_MMA_FP16);
}

/* What any element may be off beside its rounding: sums of N(0, 1) products grow as sqrt(K), and
 * each of the K additions may cost 2^-24 of what there is. */
static double find_slack(uint32_t k)
{
	return ldexp(k * sqrt(k), -24);
}

static void compare(struct check *k, uint32_t m, uint32_t n, double reference)
{
	const struct ts_gemm *g = k->g;
	uint16_t bits = k->c[(k->group.row + m) * g->layout.c.ld + n];
	double value = widen(k, bits);
	double error = value - reference;
	/* Rounding costs half a unit: 2^-8 at most of bf16, 2^-11 of half precision. Without K
	 * nothing may be lost. */
	double unit = g->form.type == TS_MMA_FP16 ? 2048 : 256;
	char of[32] = "";
	double share = fabs(error) / (fabs(reference) / unit + k->slack + DBL_MIN);

	k->squares += reference * reference;
	k->error_squares += error * error;
	k->v->checked++;
	/* The comparison is false for NaN. */
	if (share <= 1) {
		k->v->worst = MAX(k->v->worst, share);
		return;
	}
	k->v->worst = INFINITY;
	if (k->plan->groups > 1)
		g_snprintf(of, sizeof of, " of group %u", k->group.g);
	fault(k, "C[%u, %u] in tile (%u, %u)%s is %g, where the product is %g%s", m, n,
		m / k->plan->block_m, n / k->plan->block_n, of, value, reference,
		bits == POISON ? ": it was not written" : "");
}

/* The same with a float64 sum that is made here. */
static void compare_here(struct check *k, uint32_t m, uint32_t n)
{
	const struct ts_gemm_layout *l = &k->g->layout;
	bool along_k = k->g->form.layout == TS_MMA_ALONG_K;
	const uint16_t *a = &k->a[m * l->a.ld];
	const uint16_t *b = &k->b[along_k ? n * l->b.ld : n];
	uint64_t step = along_k ? 1 : l->b.ld;
	double sum = 0;

	for (uint32_t i = 0; i < k->plan->k; i++)
		sum += widen(k, a[i]) * widen(k, b[i * step]);
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

/* `lines` rows and columns of a group. */
static void compare_lines(struct check *k, GRand *random, uint32_t lines)
{
	const struct ts_plan *p = k->plan;

	for (uint32_t i = 0; i < lines; i++) {
		uint32_t m = pick_line(random, k->group.rows, p->block_m, i);
		uint32_t n = pick_line(random, p->n, p->block_n, i);

		for (uint32_t j = 0; j < p->n; j++)
			compare_here(k, m, j);
		for (uint32_t j = 0; j < k->group.rows; j++)
			compare_here(k, j, n);
	}
}

/* `spots` elements of a group, most of them at its edges. */
static void compare_spots(struct check *k, GRand *random, uint32_t spots)
{
	const struct ts_plan *p = k->plan;

	for (uint32_t i = 0; i < spots; i++) {
		uint32_t m = pick_line(
			random, k->group.rows, p->block_m, (uint32_t)g_rand_int(random) % 16);
		uint32_t n = pick_line(random, p->n, p->block_n, (uint32_t)g_rand_int(random) % 16);

		compare_here(k, m, n);
	}
}

static void compare_each(struct check *k, GRand *random, uint32_t ignored)
{
	(void)random;
	(void)ignored;
	for (uint32_t m = 0; m < k->group.rows; m++)
		for (uint32_t n = 0; n < k->plan->n; n++)
			compare_here(k, m, n);
}

/* Rows [row, row + rows) of a matrix. */
static uint16_t *fetch_rows(struct check *k, const struct ts_gemm_matrix *x, uint64_t row,
	uint64_t rows, GError **error)
{
	/* Memory is fetched in words of two elements. */
	uint64_t from = row * x->ld, odd = from % 2;
	g_autofree uint16_t *words =
		ts_gemm_fetch(k->g, x->at + from / 2, (rows * x->ld + odd + 1) / 2, error);

	if (words == NULL)
		return NULL;
	memmove(words, words + odd, rows * x->ld * sizeof *words);
	return g_steal_pointer(&words);
}

/* Looks at one group with sums that are made here. */
static bool look_at(struct check *k, uint32_t index, GRand *random,
	void (*compare_some)(struct check *k, GRand *random, uint32_t count), uint32_t count,
	GError **error)
{
	const struct ts_gemm_layout *l = &k->g->layout;
	uint64_t rows_b = l->b.rows / k->plan->groups;

	k->group = ts_gemm_group(k->g, k->plan, index);
	if (k->group.rows == 0)
		return true;
	k->a = fetch_rows(k, &l->a, k->group.row, k->group.rows, error);
	if (k->a != NULL)
		k->b = fetch_rows(k, &l->b, k->group.row_b, rows_b, error);
	if (k->b != NULL)
		compare_some(k, random, count);
	g_clear_pointer(&k->a, g_free);
	if (k->b == NULL)
		return false;
	g_clear_pointer(&k->b, g_free);
	return true;
}

/* The same of all groups, or of a few: the first and the last that have rows, the longest, and any.
 */
static bool look_at_some(struct check *k, GRand *random,
	void (*compare_some)(struct check *k, GRand *random, uint32_t count), uint32_t count,
	GError **error)
{
	const struct ts_plan *p = k->plan;
	g_autoptr(GArray) filled = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t longest = 0;

	for (uint32_t i = 0; i < p->groups; i++) {
		if (ts_grid(p, i)->m > 0)
			g_array_append_val(filled, i);
		if (ts_grid(p, i)->m > ts_grid(p, longest)->m)
			longest = i;
	}
	for (uint32_t i = 0; i < MIN(filled->len, GROUPS); i++) {
		uint32_t index = g_array_index(filled, uint32_t, i);

		if (filled->len > GROUPS && i == 1)
			index = g_array_index(filled, uint32_t, filled->len - 1);
		else if (filled->len > GROUPS && i == 2)
			index = longest;
		else if (filled->len > GROUPS && i > 2)
			index = g_array_index(filled, uint32_t,
				(uint32_t)g_rand_int_range(random, 0, (gint32)filled->len));
		if (!look_at(k, index, random, compare_some, count, error))
			return false;
	}
	return true;
}

/* All of C against the other kernel's product, and spots of it against sums made here. */
static bool compare_all(struct check *k, GRand *random, GError **error)
{
	const struct ts_plan *p = k->plan;
	uint64_t count = (uint64_t)k->g->layout.c.rows * p->n;
	g_autofree float *reference = NULL;

	if (!look_at_some(k, random, compare_spots, SPOTS / MIN(p->groups, GROUPS), error) ||
		!ts_gemm_refer(k->g, p, error))
		return false;
	reference = ts_gemm_fetch(k->g, k->g->layout.reference, count, error);
	if (reference == NULL)
		return false;
	k->v->checked = 0;
	k->squares = k->error_squares = 0;
	for (uint32_t i = 0; i < p->groups; i++) {
		k->group = ts_gemm_group(k->g, p, i);
		for (uint32_t m = 0; m < k->group.rows; m++)
			for (uint32_t n = 0; n < p->n; n++)
				compare(k, m, n, (double)reference[(k->group.row + m) * p->n + n]);
	}
	return true;
}

/* What is between the rows of C, and the rows that no group has. */
static void check_gaps(struct check *k)
{
	const struct ts_gemm_matrix *c = &k->g->layout.c;
	g_autofree uint8_t *used = g_new0(uint8_t, c->rows);

	for (uint32_t i = 0; i < k->plan->groups; i++) {
		struct ts_gemm_group group = ts_gemm_group(k->g, k->plan, i);

		memset(used + group.row, 1, group.rows);
	}
	for (uint64_t m = 0; m < c->rows; m++)
		for (uint64_t n = 0; used[m] == 0 && n < c->cols; n++)
			if (k->c[m * c->ld + n] != POISON)
				fault(k,
					"element %" G_GUINT64_FORMAT " of row %" G_GUINT64_FORMAT
					" of C was written, which is no group's",
					n, m);
	for (uint64_t m = 0; m < c->rows; m++)
		for (uint64_t n = c->cols; n < c->ld; n++)
			if (k->c[m * c->ld + n] != POISON)
				fault(k,
					"row %" G_GUINT64_FORMAT
					" of C was written %" G_GUINT64_FORMAT
					" elements beyond its end",
					m, n - c->cols);
}

static bool check_product(struct check *k, enum ts_gemm_effort effort, GError **error)
{
	const struct ts_plan *p = k->plan;
	const struct ts_gemm_matrix *c = &k->g->layout.c;
	uint64_t most = k->g->gpu.ops->only_by_name ? SMALL_ALONE : SMALL;
	bool small = ts_gemm_used_rows(p) * p->n <= most / MAX(p->k, 1);
	GRand *random = g_rand_new_with_seed(p->m ^ p->n << 10 ^ p->k << 20);
	bool good = true;

	k->c = fetch_rows(k, c, 0, c->rows, error);
	if (k->c != NULL)
		check_gaps(k);
	if (k->c == NULL)
		good = false;
	else if (small)
		for (uint32_t i = 0; good && i < p->groups; i++)
			good = look_at(k, i, random, compare_each, 0, error);
	else if (effort == TS_GEMM_SAMPLE)
		good = look_at_some(k, random, compare_lines,
			p->groups == 1 ? LINES : MAX(LINES / p->groups, 2), error);
	else
		good = compare_all(k, random, error);
	g_rand_free(random);
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

/* A part of the memory, from word `at` on. */
struct stretch {
	uint64_t at, bytes;
	const char *name;
};

static struct stretch matrix_stretch(const struct ts_gemm_matrix *x, const char *name)
{
	struct stretch s = {x->at, x->rows * x->ld * sizeof(uint16_t), name};

	return s;
}

/* What is between the parts of the memory. The copy engine may write to the end of a row of C's
 * copy, since it clips at multiples of 16 bytes. */
static bool check_guards(struct check *k, GError **error)
{
	const struct ts_plan *p = k->plan;
	const struct ts_gemm_layout *l = &k->g->layout;
	const struct stretch parts[] = {{0, 0, "at the beginning"},
		matrix_stretch(&l->a, "after A"), matrix_stretch(&l->b, "after B"),
		matrix_stretch(&l->c, "after C"), matrix_stretch(&l->wide_a, "after A's copy"),
		matrix_stretch(&l->wide_b, "after B's copy"),
		matrix_stretch(&l->wide_c, "after C's copy"),
		{l->counters, (uint64_t)p->counters * l->counter_words * 4, "after the counters"},
		{l->flags, k->g->kind->flags ? ts_gemm_flags(p) * 4 : 0, "after the flags"},
		{l->fault, 4, "after the fault"},
		{l->workspace, ts_gemm_sums(k->g, p) * 4, "after the workspace"},
		/* Those of the records are for whoever reads them. */
		{l->log, 0, ""}, {l->table, ts_group_table_words(p) * 4, "after the groups"},
		{l->reference, 0, ""}};
	const struct stretch *before = &parts[0];

	for (size_t i = 1; i < G_N_ELEMENTS(parts); i++) {
		if (parts[i].at == 0)
			continue;
		if (before->name[0] != '\0' &&
			!check_guard(k, before->at * 4 + before->bytes, parts[i].at, before->name,
				error))
			return false;
		before = &parts[i];
	}
	return true;
}

/* Claims of a worker that never gets anything: those that it makes in vain. Workers who were asked
 * to leave may have left before, and are counted apart; where the hardware says which XCD is
 * theirs, that may be any. */
static void count_vain(const struct ts_gemm *g, const struct ts_plan *p, const bool *asked,
	uint32_t *counts, uint32_t *asked_counts)
{
	for (uint32_t id = 0; id < p->workers; id++) {
		struct ts_worker w = ts_worker_make(id, id % p->domains);
		struct ts_step s = ts_next(p, &w, 0);
		bool may_leave = asked != NULL && (g->hardware_domain || asked[w.domain]);
		uint32_t *to = may_leave ? asked_counts : counts;

		while (s.act == TS_CLAIM) {
			to[s.counter]++;
			s = ts_next(p, &w, UINT32_MAX);
		}
	}
}

/* Adds to each flag of the plan the signals that it gets: those of both halves of each part's
 * tiles, and of the owner's where `all` workers of a tile tell each other. */
static void count_signals(const struct ts_plan *p, bool all, uint32_t *counts)
{
	uint32_t flags = p->cluster_m * p->cluster_n * TS_GEMM_HALVES;

	for (uint32_t id = 0; id < p->workers; id++) {
		struct ts_worker w = ts_worker_make(id, id % p->domains);
		struct ts_step s = ts_next(p, &w, 0), part = s;

		for (; s.act != TS_STOP; s = ts_next(p, &w, 0)) {
			uint32_t signals = s.act == TS_SIGNAL ? s.value
				: s.act == TS_WAIT && all     ? 1
							      : 0;

			if (s.act == TS_WORK)
				part = s;
			for (uint32_t i = 0; signals > 0 && i < flags; i++)
				if (ts_cta_tile(p, &part, i / TS_GEMM_HALVES).valid)
					counts[s.counter * flags + i] += signals;
		}
	}
}

/* A flag counts parts in its last word, and has bits in the first, of some of them, where all
 * workers of a tile tell each other: not of the part that comes last, which waits for nobody. */
static bool check_flags(struct check *k, GError **error)
{
	uint64_t words = ts_gemm_flags(k->plan), count = words / TS_GEMM_FLAG;
	bool all = k->g->leave.asked == NULL && ts_gemm_is_shared(k->plan, k->g->gpu.is.units);
	g_autofree uint32_t *counts = g_new0(uint32_t, count);
	g_autofree uint32_t *flags = ts_gemm_fetch(k->g, k->g->layout.flags, words, error);

	count_signals(k->plan, all, counts);
	for (uint64_t i = 0; flags != NULL && i < count; i++) {
		const uint32_t *flag = &flags[i * TS_GEMM_FLAG];
		uint32_t last = all && counts[i] > 0 ? counts[i] - 1 : 0;
		uint64_t bits = ((uint64_t)1 << last) - 1;

		if (flag[1] != counts[i])
			fault(k, "flag %" G_GUINT64_FORMAT " ends at %u, not at %u", i, flag[1],
				counts[i]);
		if ((flag[0] & ~bits) != 0)
			fault(k, "flag %" G_GUINT64_FORMAT " ends with bits %#x, of %u parts", i,
				flag[0], counts[i]);
	}
	return flags != NULL;
}

/* A counter ends at its items and one claim in vain for each worker that tries it. */
static bool check_counters(struct check *k, const bool *asked, GError **error)
{
	const struct ts_plan *p = k->plan;
	struct ts_policy policy = ts_policy((enum ts_policy_id)p->policy);
	static const char *const faults[] = {
		[TS_MMA_NO_COUNTER] = "a step for a counter that there is not",
		[TS_MMA_PARTIAL] = "part of a tile that it can't add up",
		[TS_MMA_STUCK] = "a counter that it waited for in vain",
		[TS_MMA_NO_RECORD] = "more items than the plan has"};
	g_autofree uint32_t *counts = g_new0(uint32_t, MAX(p->counters, 1));
	g_autofree uint32_t *more = g_new0(uint32_t, MAX(p->counters, 1));
	g_autofree uint32_t *fault_word = ts_gemm_fetch(k->g, k->g->layout.fault, 1, error);
	g_autofree uint32_t *counters = NULL;

	if (fault_word == NULL)
		return false;
	if (*fault_word != TS_GEMM_NO_FAULT)
		fault(k, "the kernel met %s",
			*fault_word < G_N_ELEMENTS(faults) ? faults[*fault_word] : "a fault");
	/* Where claims are on record, the records tell. */
	if (k->g->kind->records)
		return true;
	if (p->workspace > 0)
		return check_flags(k, error);
	if (p->counters == 0)
		return true;
	counters = ts_gemm_fetch(k->g, k->g->layout.counters, p->counters, error);
	count_vain(k->g, p, asked, counts, more);
	for (uint32_t i = 0; counters != NULL && i < p->counters; i++) {
		uint32_t least = counts[i] + policy.counter_items(p, i);

		if (counters[i] >= least && counters[i] - least <= more[i])
			continue;
		if (more[i] == 0)
			fault(k, "counter %u ends at %u, not at %u", i, counters[i], least);
		else
			fault(k, "counter %u ends at %u, not at %u to %u", i, counters[i], least,
				least + more[i]);
	}
	return counters != NULL;
}

bool ts_gemm_check(struct ts_gemm *g, const struct ts_plan *plan, const bool *asked,
	enum ts_gemm_effort effort, struct ts_gemm_verdict *ret_verdict, GError **error)
{
	struct ts_gemm_verdict v = {0};
	struct check k = {.g = g, .plan = plan, .v = &v, .slack = find_slack(plan->k)};

	/* The reference overwrites nothing that is looked at before. */
	if (!check_counters(&k, asked, error) || !check_guards(&k, error) ||
		!check_product(&k, effort, error)) {
		g_free(v.fault);
		return false;
	}
	v.sound = v.fault == NULL;
	*ret_verdict = v;
	return true;
}
