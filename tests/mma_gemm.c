/* The portable GEMM on the CPU as each of the devices: every policy on random odd shapes and ragged
 * groups, both types and layouts of B, and faults planted in its source or its launch, which must
 * be found by name. */
#include <gio/gio.h>
#include <string.h>

#include "kernels/cpu_backend.h"
#include "kernels/cpu_hooks.h"
#include "kernels/gemm_check.h"
#include "kernels/mma_soft.h"
#include "policies/plan.h"
#include "sim/gpu_check.h"

/* Problems a device, in quick tests and else. */
enum { FEW = 6, MANY = 48, SIZE_MOST = 300, GROUPS_MOST = 6 };

static const char *const devices[] = {"sm80", "gfx942", "gfx950", "gfx1100", "gfx1200"};

/* The kernels with a fault each, made from the source by tests/meson.build. */
extern const struct cpu_kernel ts_mma_bf16_nk_64_rows_wrapped, ts_mma_bf16_nk_64_rows_unmasked,
	ts_mma_bf16_nk_64_tail_unmasked, ts_mma_bf16_nk_64_store_unmasked,
	ts_mma_bf16_nk_64_no_copy_wait, ts_mma_bf16_nk_64_no_fix_up_wait,
	ts_mma_bf16_nk_64_no_zeros, ts_mma_bf16_nk_64_one_rank;

/* In what gfx950 does alone. */
extern const struct cpu_kernel ts_mma_bf16_nk_64_rows_loaded, ts_mma_bf16_nk_64_tail_loaded,
	ts_mma_bf16_nk_64_no_load_wait, ts_mma_bf16_nk_64_own_base,
	ts_mma_bf16_nk_64_source_not_swizzled;

extern const struct cpu_kernel ts_mma_groups_bf16_nk_64_longest,
	ts_mma_groups_bf16_nk_64_c_a_row_off, ts_mma_groups_bf16_nk_64_a_a_row_off,
	ts_mma_groups_bf16_nk_64_first_b, ts_mma_groups_bf16_nk_64_tail_kept;

/* The groups of a request: their rows, and room for its plan. */
struct groups {
	int64_t m[GROUPS_MOST];
	struct ts_turn turns[GROUPS_MOST];
	struct ts_plan grids[GROUPS_MOST];
};

static struct ts_plan make_plan(const struct ts_spec *spec)
{
	struct ts_plan plan;
	enum ts_status status = ts_plan_make(&plan, spec);

	if (status != TS_OK)
		g_error("M=%d N=%d K=%d: %s", (int)spec->m, (int)spec->n, (int)spec->k,
			ts_status_text(status));
	return plan;
}

/* The first fault of a launch, or NULL. Free with g_free(). */
static char *run(struct ts_gemm *g, const struct ts_plan *p, uint64_t seed)
{
	g_autoptr(GError) error = NULL;
	struct ts_gemm_verdict v;
	struct ts_gpu_verdict records;
	struct ts_probe_log log;

	if (!ts_gemm_prepare(g, p, seed, &error) || !ts_gemm_start(g, p, NULL, &error) ||
		!ts_gemm_check(g, p, NULL, TS_GEMM_FULL, &v, &error))
		return g_strdup(error->message);
	if (!v.sound)
		return v.fault;
	g_assert_cmpuint(v.on_host, ==, ts_gemm_used_rows(p) * p->n);
	g_assert_true(ts_gemm_log(g, p, &log, &error));
	records = ts_gpu_check(p, &log, g->hardware_domain, g->gpu.is.units);
	g_free(log.words);
	return records.fault;
}

static void open_cpu(struct ts_gemm *g, const struct ts_gemm_kind *kind,
	const struct ts_gemm_form *form, const char *as)
{
	g_autoptr(GError) error = NULL;

	ts_gemm_open(g, &ts_cpu_backend, kind, form, as, &error);
	g_assert_no_error(error);
}

static int pick(int from, int to)
{
	return g_test_rand_int_range(from, to + 1);
}

/* Sizes of one element, round the edges of tiles, and any. */
static int pick_size(int least)
{
	static const int edges[] = {1, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256, 257};

	if (pick(0, 2) == 0)
		return edges[pick(0, (int)G_N_ELEMENTS(edges) - 1)];
	return pick(least, SIZE_MOST);
}

static struct ts_spec pick_spec(uint32_t policy)
{
	struct ts_spec s = ts_spec_default();

	s.policy = policy;
	s.mode = (enum ts_mode)pick(0, TS_MODES - 1);
	s.order = (enum ts_order)pick(0, TS_ORDERS - 1);
	s.remap = (enum ts_remap)pick(0, TS_REMAPS - 1);
	s.m = pick_size(1);
	s.n = pick_size(1);
	s.k = pick(0, 15) == 0 ? 0 : pick_size(1);
	/* Rows of whole chunks, of which some are at an edge of a tile. */
	if (pick(0, 1) == 0) {
		s.n = (s.n + 7) / 8 * 8;
		s.k = (s.k + 7) / 8 * 8;
	}
	s.block_m = s.block_n = pick(0, 2) == 0 ? TS_MMA_LARGE : TS_MMA_SMALL;
	s.block_k = TS_MMA_BLOCK_K;
	s.cluster_m = pick(1, 3);
	s.cluster_n = pick(1, 2);
	s.domains = pick(1, 3);
	s.workers = pick((int)s.domains, 9); /* none may be without: see the policies' promises */
	s.splits = pick(1, 4);
	s.hybrid = (enum ts_hybrid)pick(0, TS_HYBRIDS - 1);
	s.min_k = pick(1, 3);
	return s;
}

/* Copies, ragged groups of which some are empty, or both. */
static void pick_groups(struct ts_spec *s, struct groups *g)
{
	s->batch = pick(1, 3);
	s->section = pick(0, 2);
	s->n = MIN(s->n, 150);
	s->m = pick(1, 150);
	if (pick(0, 3) == 0)
		return;
	s->list_count = pick(1, GROUPS_MOST);
	for (int64_t i = 0; i < s->list_count; i++)
		g->m[i] = pick(0, 2) == 0 ? 0 : pick(1, 140);
	/* One row at least. */
	g->m[pick(0, (int)s->list_count - 1)] = pick(1, 140);
	s->layout = (enum ts_layout)pick(0, TS_LAYOUTS - 1);
	if (s->layout == TS_MASKED)
		s->m = pick(140, 150);
	s->list_m = g->m;
	s->group_order = (enum ts_group_order)pick(0, TS_GROUP_ORDERS - 1);
	s->turns = g->turns;
	s->grids = g->grids;
}

/* Moves the groups apart, so that what is written beyond the end of one is seen, whoever writes the
 * next one's rows later. */
static void part_groups(struct ts_plan *p, struct groups *g)
{
	uint64_t gap = 0;

	for (uint32_t i = 0; p->grids != NULL && i < p->grid_count; i++) {
		gap += (uint64_t)pick(0, 3);
		g->grids[i].first_row += gap;
	}
}

static char *describe_groups(const struct ts_plan *p)
{
	GString *out = g_string_new("rows of groups");

	for (uint32_t i = 0; i < p->groups; i++)
		g_string_append_printf(out, " %u", ts_grid(p, i)->m);
	return g_string_free(out, FALSE);
}

static void test_products(gconstpointer data)
{
	const char *as = data;
	uint32_t rounds = g_test_slow() ? MANY : FEW;

	for (uint32_t i = 0; i < rounds; i++) {
		struct ts_gemm_form form = {(enum ts_mma_type)pick(0, 1),
			(enum ts_mma_layout)pick(0, 1),
			pick(0, 1) == 0 ? 0 : (uint32_t)pick(1, 40)};
		struct ts_spec spec = pick_spec(i % TS_POLICIES);
		g_autofree char *fault = NULL;
		g_autofree char *rows = NULL;
		struct groups groups;
		struct ts_plan plan;
		struct ts_gemm g;

		if (i / TS_POLICIES % 2 == 1 || pick(0, 3) == 0)
			pick_groups(&spec, &groups);
		plan = make_plan(&spec);
		if (pick(0, 1) == 0)
			part_groups(&plan, &groups);
		rows = describe_groups(&plan);
		/* Cluster launch control is the hardware's. */
		if (plan.launches == 1)
			continue;
		open_cpu(&g, &ts_gemm_mma, &form, as);
		g.hardware_domain = pick(0, 1) == 0 &&
			ts_policy((enum ts_policy_id)plan.policy).promise(&plan) == TS_NEEDS_ANY;
		/* With a seed races in shared memory are found too. */
		if (pick(0, 3) == 0)
			g.gpu.ops->seed(&g.gpu, (uint64_t)pick(0, 1000));
		fault = run(&g, &plan, (uint64_t)pick(0, 1000));
		if (fault != NULL)
			g_error("as %s, M=%u N=%u K=%u, tiles of %u, cluster %ux%u, policy %s, %u "
				"workers, %u domains, type %d, layout %d, gap %u, %s: %s",
				as, plan.m, plan.n, plan.k, plan.block_m, plan.cluster_m,
				plan.cluster_n, ts_policy((enum ts_policy_id)plan.policy).name,
				plan.workers, plan.domains, (int)form.type, (int)form.layout,
				form.gap, rows, fault);
		ts_gemm_close(&g);
	}
}

/* A launch that is not as it should be. */
static const struct cpu_kernel *planted;

static void *planted_kernel(const struct ts_gemm *g, uint32_t block_m, uint32_t block_n, bool plain)
{
	(void)block_m;
	(void)g;
	(void)plain;
	(void)block_n;
	return (void *)(uintptr_t)planted;
}

/* With a counter less than the policy needs. */
static bool few_counters(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	struct ts_plan fewer = *p;

	fewer.counters--;
	return ts_gemm_mma.multiply(g, &fewer, error);
}

/* Twice, and the counters are as the first one left them. */
static bool twice(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	return ts_gemm_mma.multiply(g, p, error) && ts_gemm_mma.multiply(g, p, error);
}

/* The counters one after the other, where others think that each has a line. */
static bool close_counters(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	uint32_t words = g->layout.counter_words;
	bool good;

	g->layout.counter_words = 1;
	good = ts_gemm_mma.multiply(g, p, error);
	g->layout.counter_words = words;
	return good;
}

/* What is planted, in which plan, and the words by which it is found. */
static const struct {
	const char *name, *as;
	const struct cpu_kernel *kernel;
	bool (*multiply)(struct ts_gemm *g, const struct ts_plan *p, GError **error);
	uint32_t policy;
	const char *finding;
} faults[] = {
	{"nothing", "sm80", NULL, NULL, TS_WORKSTEAL, NULL},
	{"nothing, and items cut", "sm80", NULL, NULL, TS_SPLIT_K, NULL},
	{"rows beyond M wrapped to the first", "sm80", &ts_mma_bf16_nk_64_rows_wrapped, NULL,
		TS_PERSISTENT, "C[0, 0] in tile (0, 0) is *, where the product is*"},
	{"rows beyond M read", "sm80", &ts_mma_bf16_nk_64_rows_unmasked, NULL, TS_PERSISTENT,
		"CPU: *tile (2, 0)*copies from 16 bytes at *: offset 56160 of A, which has 56160 "
		"bytes"},
	{"elements beyond K read", "sm80", &ts_mma_bf16_nk_64_tail_unmasked, NULL, TS_PERSISTENT,
		"C[*] in tile (*) is *nan, where the product is*"},
	{"rows beyond M written", "sm80", &ts_mma_bf16_nk_64_store_unmasked, NULL, TS_PERSISTENT,
		"CPU: *store_unmasked*writes 2 bytes at *"},
	{"copies not waited for", "sm80", &ts_mma_bf16_nk_64_no_copy_wait, NULL, TS_PERSISTENT,
		"C[*] in tile (*) is *nan, where the product is*"},
	{"nothing on gfx950", "gfx950", NULL, NULL, TS_WORKSTEAL, NULL},
	{"rows beyond M loaded to LDS", "gfx950", &ts_mma_bf16_nk_64_rows_loaded, NULL,
		TS_PERSISTENT,
		"CPU: *tile (2, 0)*copies from 16 bytes at *: offset * of A, which has 56160 "
		"bytes"},
	{"elements beyond K loaded to LDS", "gfx950", &ts_mma_bf16_nk_64_tail_loaded, NULL,
		TS_PERSISTENT, "C[*] in tile (*) is *nan, where the product is*"},
	{"loads to LDS not waited for", "gfx950", &ts_mma_bf16_nk_64_no_load_wait, NULL,
		TS_PERSISTENT, "CPU: *reads, before they were written, *"},
	{"a base of each lane's for loads to LDS", "gfx950", &ts_mma_bf16_nk_64_own_base, NULL,
		TS_PERSISTENT, "CPU: *loads to LDS with the base *the same in all lanes"},
	{"a source that is not swizzled", "gfx950", &ts_mma_bf16_nk_64_source_not_swizzled, NULL,
		TS_PERSISTENT, "C[*] in tile (*) is *, where the product is*"},
	{"parts not waited for", "sm80", &ts_mma_bf16_nk_64_no_fix_up_wait, NULL, TS_SPLIT_K,
		"C[*] in tile (*) is *nan, where the product is*"},
	{"sums that don't begin at 0", "sm80", &ts_mma_bf16_nk_64_no_zeros, NULL, TS_PERSISTENT,
		"C[*] in tile (*) is *, where the product is*"},
	{"only the first tile of a cluster", "sm80", &ts_mma_bf16_nk_64_one_rank, NULL,
		TS_PERSISTENT, "C[*] in tile (1, 0) is *: it was not written"},
	{"too few counters", "sm80", NULL, few_counters, TS_WORKSTEAL,
		"the kernel met a step for a counter that there is not"},
	{"counters that are not reset", "sm80", NULL, twice, TS_WORKSTEAL,
		"worker * did not leave when the policy says"},
	{"counters at the wrong places", "sm80", NULL, close_counters, TS_WORKSTEAL,
		"counter * ends at *"},
};

static void test_fault(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	struct ts_gemm_form form = {
		TS_MMA_BF16, TS_MMA_ALONG_K, 3}; /* A is copied in whole chunks, C not */
	struct ts_gemm_kind kind = ts_gemm_mma;
	struct ts_spec spec = ts_spec_default();
	g_autofree char *fault = NULL;
	struct ts_plan plan;
	struct ts_gemm g;

	spec.policy = faults[i].policy;
	spec.m = 130; /* in a cluster of two tiles: the last CTA has none */
	spec.n = 70;
	spec.k = 213; /* not a whole chunk, and more stages than there are */
	spec.block_m = spec.block_n = TS_MMA_SMALL;
	spec.block_k = TS_MMA_BLOCK_K;
	spec.cluster_m = 2;
	spec.workers = faults[i].policy == TS_PERSISTENT ? 1 : 3; /* the last tile is the last */
	spec.domains = 2;
	plan = make_plan(&spec);
	planted = faults[i].kernel;
	if (planted != NULL)
		kind.kernel = planted_kernel;
	if (faults[i].multiply != NULL)
		kind.multiply = faults[i].multiply;
	open_cpu(&g, &kind, &form, faults[i].as);
	/* Whether a part comes too late, or which worker meets the fault last, is then no matter of
	 * chance. */
	if (spec.workers > 1)
		g.gpu.ops->seed(&g.gpu, 1);
	fault = run(&g, &plan, 1);
	ts_gemm_close(&g);
	g_test_message("%s", fault == NULL ? "sound" : fault);
	if (faults[i].finding == NULL)
		g_assert_cmpstr(fault, ==, NULL);
	else if (fault == NULL || !g_pattern_match_simple(faults[i].finding, fault))
		g_error("%s: found '%s', not '%s'", faults[i].name,
			fault == NULL ? "nothing" : fault, faults[i].finding);
}

/* --- Groups ------------------------------------------------------------------------------------
 */

/* With the table of another list of groups, which has as many items. */
static bool other_table(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	struct groups groups;
	struct ts_plan other = *p;

	memcpy(groups.turns, p->turns, p->grid_count * sizeof *p->turns);
	memcpy(groups.grids, p->grids, p->grid_count * sizeof *p->grids);
	/* The third group begins where the first does. */
	groups.grids[2].first_row = 0;
	other.turns = groups.turns;
	other.grids = groups.grids;
	g_autofree uint32_t *table = g_new(uint32_t, ts_group_table_words(&other));

	ts_group_table_make(&other, ts_gemm_at(g, g->layout.table), table);
	return g->gpu.ops->store(&g->gpu, ts_gemm_at(g, g->layout.table), table,
		       ts_group_table_words(&other) * sizeof(uint32_t), error) &&
		ts_gemm_mma.multiply(g, p, error);
}

/* Groups of 70, 0, 130 and 5 rows one behind the other, or each in room for 140. */
static const struct {
	const char *name;
	const struct cpu_kernel *kernel;
	bool (*multiply)(struct ts_gemm *g, const struct ts_plan *p, GError **error);
	enum ts_layout layout;
	const char *finding;
} group_faults[] = {
	{"nothing", NULL, NULL, TS_CONTIGUOUS, NULL},
	{"nothing, masked", NULL, NULL, TS_MASKED, NULL},
	{"a ragged tail that is not masked", &ts_mma_groups_bf16_nk_64_longest, NULL, TS_MASKED,
		"element 0 of row 70 of C was written, which is no group's"},
	{"a ragged tail that is not masked, one behind the other",
		&ts_mma_groups_bf16_nk_64_longest, NULL, TS_CONTIGUOUS,
		"CPU: *copies from*of A, which has*"},
	{"a wrong offset in C", &ts_mma_groups_bf16_nk_64_c_a_row_off, NULL, TS_MASKED,
		"element 0 of row 70 of C was written, which is no group's"},
	{"a wrong offset in A", &ts_mma_groups_bf16_nk_64_a_a_row_off, NULL, TS_MASKED,
		"C[0, 0] in tile (0, 0) of group 0 is *, where the product is *"},
	{"the first group's B", &ts_mma_groups_bf16_nk_64_first_b, NULL, TS_CONTIGUOUS,
		"C[0, 0] in tile (0, 0) of group 2 is *, where the product is *"},
	{"a ragged tail that is cut short", &ts_mma_groups_bf16_nk_64_tail_kept, NULL,
		TS_CONTIGUOUS, "C[69, 0] in tile (1, 0) of group 0 is *: it was not written"},
	{"a wrong offset in the table", NULL, other_table, TS_CONTIGUOUS,
		"C[0, 0] in tile (0, 0) of group 0 is *, where the product is *"},
};

static void test_group_fault(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	struct ts_gemm_form form = {TS_MMA_BF16, TS_MMA_ALONG_K, 0};
	struct ts_gemm_kind kind = ts_gemm_mma;
	struct groups groups = {.m = {70, 0, 130, 5}};
	struct ts_spec spec = ts_spec_default();
	g_autofree char *fault = NULL;
	struct ts_plan plan;
	struct ts_gemm g;

	spec.policy = TS_PERSISTENT;
	spec.m = 140;
	spec.n = 70;
	spec.k = 96;
	spec.block_m = spec.block_n = TS_MMA_SMALL;
	spec.block_k = TS_MMA_BLOCK_K;
	spec.workers = 1; /* the last group is the last */
	spec.list_count = 4;
	spec.list_m = groups.m;
	spec.layout = group_faults[i].layout;
	spec.turns = groups.turns;
	spec.grids = groups.grids;
	plan = make_plan(&spec);
	planted = group_faults[i].kernel;
	if (planted != NULL)
		kind.kernel = planted_kernel;
	if (group_faults[i].multiply != NULL)
		kind.multiply = group_faults[i].multiply;
	open_cpu(&g, &kind, &form, "sm80");
	fault = run(&g, &plan, 1);
	ts_gemm_close(&g);
	g_test_message("%s", fault == NULL ? "sound" : fault);
	if (group_faults[i].finding == NULL)
		g_assert_cmpstr(fault, ==, NULL);
	else if (fault == NULL || !g_pattern_match_simple(group_faults[i].finding, fault))
		g_error("%s: found '%s', not '%s'", group_faults[i].name,
			fault == NULL ? "nothing" : fault, group_faults[i].finding);
}

/* As a copy engine does it that takes rows in whole 16 bytes: from the matrices' copies, and a row
 * of C is written up to the next multiple. */
static bool in_sixteens(struct ts_gemm *g, const struct ts_plan *p, GError **error)
{
	const struct ts_gemm_layout layout = g->layout;
	const struct ts_gemm_matrix *c = layout.wide_c.at != 0 ? &layout.wide_c : &layout.c;
	uint16_t *to = (uint16_t *)(uintptr_t)ts_gemm_at(g, c->at);
	bool good;

	if (layout.wide_a.at != 0)
		g->layout.a = layout.wide_a;
	if (layout.wide_b.at != 0)
		g->layout.b = layout.wide_b;
	g->layout.c = *c;
	g_assert_cmpuint((g->layout.a.ld % 8) + (g->layout.b.ld % 8) + (g->layout.c.ld % 8), ==, 0);
	good = ts_gemm_mma.multiply(g, p, error);
	for (uint64_t m = 0; m < c->rows; m++)
		for (uint64_t n = c->cols; n % 8 != 0; n++)
			to[m * c->ld + n] = 1;
	g->layout = layout;
	return good;
}

/* Rows of C that are no multiple of 16 bytes get a copy, also where its rows begin at such. */
static void test_copies(void)
{
	struct ts_gemm_kind kind = ts_gemm_mma;
	struct ts_spec spec = ts_spec_default();

	kind.align = 8;
	kind.multiply = in_sixteens;
	spec.m = 70;
	spec.k = 45;
	spec.block_m = spec.block_n = TS_MMA_SMALL;
	spec.block_k = TS_MMA_BLOCK_K;
	for (spec.n = 88; spec.n <= 96; spec.n += 4)
		for (uint32_t gap = 0; gap <= 8; gap += 4) {
			struct ts_gemm_form form = {TS_MMA_BF16, TS_MMA_ALONG_K, gap};
			struct ts_plan plan = make_plan(&spec);
			g_autofree char *fault = NULL;
			struct ts_gemm g;

			open_cpu(&g, &kind, &form, "sm80");
			fault = run(&g, &plan, gap);
			if (fault != NULL)
				g_error("N=%d, gap %u: %s", (int)spec.n, gap, fault);
			g_assert_true(
				(g.layout.wide_c.at != 0) == (spec.n % 8 != 0 || gap % 8 != 0));
			ts_gemm_close(&g);
		}
}

/* The kernels on matrices do what the host does. */
static void test_matrices(void)
{
	struct ts_spec spec = ts_spec_default();
	g_autoptr(GError) error = NULL;

	spec.m = 67;
	spec.n = 33;
	spec.k = 40;
	spec.block_m = spec.block_n = TS_MMA_SMALL;
	spec.block_k = TS_MMA_BLOCK_K;
	for (uint32_t i = 0; i < 4; i++) {
		struct ts_gemm_form form = {
			(enum ts_mma_type)(i / 2), (enum ts_mma_layout)(i % 2), 3};
		struct ts_plan plan = make_plan(&spec);
		g_autofree float *reference = NULL;
		g_autofree char *fault = NULL;
		g_autofree uint16_t *c = NULL;
		struct ts_gemm g;

		open_cpu(&g, &ts_gemm_mma, &form, "gfx1100");
		fault = run(&g, &plan, i);
		g_assert_cmpstr(fault, ==, NULL);
		g_assert_true(ts_gemm_refer(&g, &plan, &error));
		reference =
			ts_gemm_fetch(&g, g.layout.reference, (uint64_t)plan.m * plan.n, &error);
		c = ts_gemm_fetch(&g, g.layout.c.at, (plan.m * g.layout.c.ld + 1) / 2, &error);
		for (uint32_t m = 0; m < plan.m; m++)
			for (uint32_t n = 0; n < plan.n; n++)
				g_assert_cmpfloat_with_epsilon(
					mma_soft_widen(c[m * g.layout.c.ld + n], i / 2 == 1),
					(double)reference[m * plan.n + n],
					0.001 + ABS((double)reference[m * plan.n + n]) / 250);
		ts_gemm_close(&g);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(devices); i++) {
		g_autofree char *path =
			g_strconcat("/mma gemm/products on the CPU as ", devices[i], NULL);

		g_test_add_data_func(path, devices[i], test_products);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strconcat("/mma gemm/found: ", faults[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_fault);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(group_faults); i++) {
		g_autofree char *path =
			g_strconcat("/mma gemm/groups/found: ", group_faults[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_group_fault);
	}
	g_test_add_func("/mma gemm/copies for a kernel that takes 16 bytes at a time", test_copies);
	g_test_add_func("/mma gemm/the kernels on matrices", test_matrices);
	return g_test_run();
}
