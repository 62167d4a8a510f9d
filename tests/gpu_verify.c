/* tilesim gpu verify: what it draws, faults planted in the kernel that it must find and shrink, and
 * its words. */
#include <string.h>

#include "kernels/cpu_backend.h"
#include "kernels/cpu_hooks.h"
#include "sim/gpu_verify.h"
#include "tests/call.h"

/* Kernels with a fault each, made from the source by tests/meson.build. */
extern const struct cpu_kernel ts_mma_bf16_nk_64_one_rank, ts_mma_bf16_nk_64_tail_unmasked,
	ts_mma_bf16_nk_64_store_unmasked;

static const struct cpu_kernel *planted;

static void *planted_kernel(const struct ts_gemm *g, uint32_t block_m, uint32_t block_n, bool plain)
{
	(void)block_m;
	(void)g;
	(void)plain;
	(void)block_n;
	return (void *)(uintptr_t)planted;
}

/* The only kernel that is planted. */
static bool has_block(int64_t block_m, int64_t block_n, int64_t block_k)
{
	return block_m == TS_MMA_SMALL && block_n == TS_MMA_SMALL && block_k == TS_MMA_BLOCK_K;
}

static void open_cpu(struct ts_gpu_verify *v, struct ts_gpu_gemm *x, struct ts_settings *settings,
	const struct ts_gemm_kind *kind)
{
	g_autoptr(GError) error = NULL;

	x->settings = settings;
	x->ops = &ts_cpu_backend;
	x->kind = kind;
	x->as = "sm80";
	x->seed = g_test_rand_int_range(0, 100000);
	ts_gpu_sweep_init(&v->sweep, x);
	v->draw.gemm = x;
	v->draw.type = v->draw.layout = v->draw.gap = true;
	ts_gpu_draw_presets(settings);
	ts_gpu_gemm_open(x, false, &error);
	g_assert_no_error(error);
	x->axes.default_workers = false;
}

/* Everything that there is comes up, also among few hundred. */
static void test_draw(void)
{
	struct ts_settings settings = {.seed = NULL};
	struct ts_gpu_gemm x = {0};
	struct ts_gpu_verify v = {0};
	uint32_t policies = 0, modes = 0, forms = 0, orders = 0, ragged = 0, tiny = 0, odd = 0,
		 gaps = 0, waits = 0, empty = 0;
	uint32_t remaps = 0, large = 0;

	open_cpu(&v, &x, &settings, &ts_gemm_mma);
	/* The tiles of all kernels. */
	g_assert_nonnull(strstr(settings.axes[TS_AXIS_BLOCK], "128x256x64,"));
	g_assert_true(g_str_has_suffix(settings.axes[TS_AXIS_BLOCK], ",128x128x32,64x64x32"));
	for (uint64_t i = 0; i < 500; i++) {
		g_autoptr(GError) error = NULL;
		struct ts_spec s;
		struct ts_plan p;

		ts_gpu_draw_next(&v.draw, i, &s, &p, &error);
		g_assert_no_error(error);
		policies |= 1u << s.policy;
		modes |= s.policy == TS_WORKSTEAL ? 1u << s.mode : 0;
		forms |= 1u << (x.form.type * 2 + x.form.layout);
		orders |= 1u << s.order;
		remaps |= 1u << s.remap;
		gaps += x.form.gap > 0;
		ragged += s.cluster_m > 1 && s.m % (s.cluster_m * s.block_m) > 0 && s.m > s.block_m;
		tiny += s.m < 10 && s.n < 10;
		odd += s.m % 2 == 1 && s.k % 2 == 1;
		empty += s.k == 0;
		large += s.block_m == TS_MMA_LARGE;
		waits += p.workers > ts_gemm_residency(&x.gemm, true, p.block_m, p.block_n, 1, 1);
	}
	g_assert_cmphex(policies, ==, (1u << TS_POLICIES) - 1 - (1u << TS_CLC));
	g_assert_cmphex(modes, ==, (1u << TS_MODES) - 1);
	g_assert_cmphex(forms, ==, 15);
	g_assert_cmphex(orders, ==, (1u << TS_ORDERS) - 1);
	g_assert_cmphex(remaps, ==, (1u << TS_REMAPS) - 1);
	g_assert_cmpuint(ragged, >, 50);
	g_assert_cmpuint(tiny, >, 2);
	g_assert_cmpuint(odd, >, 50);
	g_assert_cmpuint(gaps, >, 100);
	g_assert_cmpuint(waits, >, 20);
	g_assert_cmpuint(empty, >, 1);
	g_assert_cmpuint(large, >, 100);
	ts_gpu_verify_finish(&v);
	ts_gpu_gemm_close(&x);
	ts_settings_finish(&settings);
}

/* What is planted, the words by which it is found, and options that the smallest has. */
static const struct {
	const char *name;
	const struct cpu_kernel *kernel;
	const char *finding;
	const char *smallest; /* a pattern of the command */
} faults[] = {
	/* K is 0 or 1, as it was drawn: without it rows and tiles are wrong just the same. */
	{"nothing", NULL, NULL, NULL},
	{"only the first tile of a cluster", &ts_mma_bf16_nk_64_one_rank,
		"item 0: CTA 1 wrote no record",
		"* --m 1 --n 1 --k ? * --policy data-parallel --order row --remap none --cluster "
		"?x? --workers 1 *"},
	{"elements beyond K read", &ts_mma_bf16_nk_64_tail_unmasked, "*",
		"* --m 1 --n 1 --k * --policy data-parallel --order row --remap none --cluster 1x1 "
		"*"},
	{"rows beyond M written", &ts_mma_bf16_nk_64_store_unmasked, "*",
		"* --n 1 --k ? * --policy data-parallel --order row --remap none --cluster 1x1 *"},
};

static void test_fault(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	struct ts_gemm_kind kind = ts_gemm_mma;
	struct ts_settings settings = {.seed = NULL};
	struct ts_gpu_gemm x = {.effort = TS_GEMM_FULL};
	struct ts_gpu_verify v = {.count = faults[i].kernel == NULL ? 5 : 200, .limit_s = 3600};
	g_autoptr(GError) error = NULL;
	struct ts_gpu_tally sum;

	planted = faults[i].kernel;
	kind.has_block = has_block;
	if (planted != NULL)
		kind.kernel = planted_kernel;
	open_cpu(&v, &x, &settings, &kind);
	/* As the planted kernel takes them. */
	v.draw.type = v.draw.layout = false;
	g_test_message("seed %d", (int)x.seed);
	ts_gpu_verify_run(&v, &error);
	g_assert_no_error(error);
	sum = ts_gpu_sweep_sum(&v.sweep);
	if (planted == NULL) {
		g_assert_cmpstr(v.found, ==, NULL);
		g_assert_cmpuint(v.done, ==, 5);
		g_assert_cmpuint(sum.runs, ==, 5);
		g_assert_cmpuint(sum.failures, ==, 0);
		g_assert_cmpuint(sum.shapes, <=, 5);
	} else {
		g_assert_nonnull(v.found);
		g_assert_cmpuint(sum.failures, ==, 1);
		g_assert_cmpuint(sum.runs, ==, v.done);
		g_test_message(
			"%s\n%s\n%s\n%s", v.found, v.found_command, v.smallest, v.smallest_command);
		g_assert_true(g_pattern_match_simple(faults[i].finding, v.smallest));
		if (!g_pattern_match_simple(faults[i].smallest, v.smallest_command))
			g_error("the smallest is '%s'", v.smallest_command);
	}
	ts_gpu_verify_finish(&v);
	ts_gpu_gemm_close(&x);
	ts_settings_finish(&settings);
}

static const struct {
	const char *name, *words;
	int code;
	const char *says;
} cases[] = {
	{"a few runs", "gpu verify --backend cpu --count 8", 0, "sound        8 runs: products"},
	{"runs of one policy in one type",
		"gpu verify --backend cpu --count 4 --policy worksteal --mode global --dtype fp16 "
		"--layout kn --gap 3 --as gfx942 --m 1:200 --n 65 --k 33 --workers 3",
		0, "worksteal global               4"},
	{"JSON", "gpu verify --backend cpu --count 2 --format json", 0, "\"verdict\" : \"sound\""},
	{"domains from the hardware", "gpu verify --backend cpu --count 4 --domain hardware", 0,
		"sound        4 runs"},
	{"no runs", "gpu verify --count 0", 2, "--count 0: must be"},
	{"no time", "gpu verify --limit x", 2, "--limit x: must be"},
	{"a tile without a kernel", "gpu verify --backend cpu --block 32x32x32", 2,
		"there is no kernel or plan for what is asked for"},
	{"only launch control", "gpu verify --backend cpu --policy clc", 2,
		"there is no kernel or plan for what is asked for"},
	{"groups", "gpu verify --backend cpu --batch 2", 2, "--batch"},
	{"the simulator's device", "gpu verify --device h200", 2, "--device"},
	{"no GPU", "gpu verify --backend hip", 77, "no GPU"},
};

static void test_case(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);

	ts_call_expect(cases[i].words, cases[i].code, cases[i].says);
}

/* The same seed, the same runs. */
static void test_seed(void)
{
	struct call a = ts_call(NULL, "gpu verify --backend cpu --count 6 --seed 5");
	struct call b = ts_call(NULL, "gpu verify --backend cpu --count 6 --seed 5");
	struct call other = ts_call(NULL, "gpu verify --backend cpu --count 6 --seed 6");

	g_assert_cmpstr(a.out, ==, b.out);
	g_assert_cmpstr(a.out, !=, other.out);
	ts_call_finish(&a);
	ts_call_finish(&b);
	ts_call_finish(&other);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gpu verify/what is drawn", test_draw);
	g_test_add_func("/gpu verify/by its seed", test_seed);
	for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strconcat("/gpu verify/found: ", faults[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_fault);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/gpu verify/", cases[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_case);
	}
	return g_test_run();
}
