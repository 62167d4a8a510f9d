/* The flags of a plan that cuts items, as kernels for Hopper leave them: what is right, and faults
 * that must be found. The CPU computes the product, and the flags are written by hand. */
#include "kernels/cpu_backend.h"
#include "kernels/gemm_args.h"
#include "kernels/gemm_check.h"
#include "policies/plan.h"

enum { SPLITS = 3, LEFT = 0, PARTS = 1 };

/* One word that is not what it should be, in flag (2 counter + rank) 2 + half of a plan whose
 * workers are all there at once, or of one with more. Flag 6 is of a CTA without a tile. */
static const struct {
	const char *name;
	bool all;
	uint32_t flag, word, value;
	const char *finding; /* NULL: it is right */
} rows[] = {
	{"no share was left", true, 0, LEFT, 0, NULL},
	{"a share was left", true, 1, LEFT, 1, NULL},
	{"all but the last share were left", true, 4, LEFT, 3, NULL},
	{"the last share was left", true, 4, LEFT, 4, "flag 4 ends with bits 0x4, of 3 parts"},
	{"a share of no part", true, 5, LEFT, 9, "flag 5 ends with bits 0x9, of 3 parts"},
	{"a share of no tile", true, 6, LEFT, 1, "flag 6 ends with bits 0x1, of 0 parts"},
	{"a part of no tile", true, 6, PARTS, 1, "flag 6 ends at 1, not at 0"},
	{"the owner's part is missing", true, 3, PARTS, 2, "flag 3 ends at 2, not at 3"},
	{"a part came twice", true, 3, PARTS, 4, "flag 3 ends at 4, not at 3"},
	{"an owner adds all", false, 0, PARTS, 2, NULL},
	{"the owner told itself", false, 0, PARTS, 3, "flag 0 ends at 3, not at 2"},
	{"a part is missing", false, 5, PARTS, 1, "flag 5 ends at 1, not at 2"},
	{"an owner that left a share", false, 0, LEFT, 1, "flag 0 ends with bits 0x1, of 2 parts"},
};

/* Three tiles of M in clusters of two: the last CTA of each second cluster has none. */
static struct ts_plan make_plan(bool all)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan;

	spec.policy = TS_SPLIT_K;
	spec.splits = SPLITS;
	spec.order = TS_ROW;
	spec.m = 130;
	spec.n = all ? 40 : 70;
	spec.k = 100;
	spec.block_m = spec.block_n = 64;
	spec.block_k = 32;
	spec.cluster_m = 2;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	return plan;
}

static void store_flags(struct ts_gemm *g, const struct ts_plan *p, size_t row)
{
	const uint32_t parts = rows[row].all ? SPLITS : SPLITS - 1;
	uint64_t count = p->counters * 2 * TS_GEMM_HALVES;
	g_autofree uint32_t *words = g_new0(uint32_t, count * 2);
	g_autoptr(GError) error = NULL;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t cluster_row = i / 4 / p->cluster_cols, rank = i / 2 % 2;

		words[2 * i + PARTS] = 2 * cluster_row + rank < 3 ? parts : 0;
	}
	words[2 * rows[row].flag + rows[row].word] = rows[row].value;
	g->gpu.ops->store(
		&g->gpu, ts_gemm_at(g, g->layout.flags), words, count * 2 * sizeof *words, &error);
	g_assert_no_error(error);
}

static void test_flags(gconstpointer data)
{
	size_t row = GPOINTER_TO_SIZE(data);
	const struct ts_gemm_form form = {.type = TS_MMA_BF16, .layout = TS_MMA_ALONG_K};
	struct ts_plan plan = make_plan(rows[row].all);
	struct ts_gemm_kind kind = ts_gemm_mma;
	struct ts_gemm_verdict v = {0};
	g_autoptr(GError) error = NULL;
	struct ts_gemm g;

	kind.flags = true;
	g_assert_true(ts_gemm_open(&g, &ts_cpu_backend, &kind, &form, NULL, &error));
	g_assert_true(ts_gemm_is_shared(&plan, g.gpu.is.units) == rows[row].all);
	g_assert_true(ts_gemm_prepare(&g, &plan, 1, &error));
	g_assert_true(ts_gemm_start(&g, &plan, NULL, &error));
	store_flags(&g, &plan, row);
	/* Of kinds that have records nobody looks at the flags. */
	kind.records = false;
	g_assert_true(ts_gemm_check(&g, &plan, NULL, TS_GEMM_FULL, &v, &error));
	g_assert_cmpstr(v.fault, ==, rows[row].finding);
	g_assert_true(v.sound == (rows[row].finding == NULL));
	g_free(v.fault);
	ts_gemm_close(&g);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *path = g_strconcat("/gemm flags/", rows[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_flags);
	}
	return g_test_run();
}
