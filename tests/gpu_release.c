/* tilesim gpu release: workers that are asked to leave in the middle of a GEMM on the CPU, faults
 * planted in how they leave, and what is refused. */

#include "sim/gpu_release.h"
#include "kernels/cpu.h"
#include "kernels/cpu_backend.h"
#include "kernels/cpu_hooks.h"
#include "sim/gpu_check.h"
#include "tests/call.h"

/* Kernels made from the source by tests/meson.build: workers that leave only with a claimed item,
 * and that never listen. */
extern const struct cpu_kernel ts_mma_bf16_nk_64_leave_holding, ts_mma_bf16_nk_64_leave_never;

static const struct cpu_kernel *planted;

static void *planted_kernel(const struct ts_gemm *g, uint32_t block_m, uint32_t block_n, bool plain)
{
	(void)block_m;
	(void)g;
	(void)plain;
	(void)block_n;
	return (void *)(uintptr_t)planted;
}

enum { XCDS = 4, WORKERS = 8 };

static struct ts_spec make_spec(enum ts_mode mode)
{
	struct ts_spec s = ts_spec_default();

	s.policy = TS_WORKSTEAL;
	s.mode = mode;
	s.m = 64 * 7 + 7;
	s.n = 64 * 5 + 1;
	s.k = 40;
	s.block_m = s.block_n = TS_MMA_SMALL;
	s.block_k = TS_MMA_BLOCK_K;
	s.domains = XCDS;
	s.workers = WORKERS;
	return s;
}

/* A run in which XCD `domain` is asked for when so many percent are begun. */
static struct ts_gpu_release release(
	struct ts_gpu_gemm *x, const struct ts_spec *spec, uint32_t domain, double percent)
{
	struct ts_gpu_release r = {.gemm = x};
	struct ts_release_when when = {true, false, percent};
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(ts_plan_make(&r.plan, spec), ==, TS_OK);
	r.when = g_new0(struct ts_release_when, r.plan.domains);
	r.when[domain] = when;
	ts_gpu_release_run(&r, &error);
	g_assert_no_error(error);
	g_assert_true(r.run.released[domain].asked);
	return r;
}

static void open_cpu(struct ts_gpu_gemm *x, const struct ts_gemm_kind *kind)
{
	struct ts_gemm_form form = {TS_MMA_BF16, TS_MMA_ALONG_K, 3};
	g_autoptr(GError) error = NULL;

	ts_gemm_open(&x->gemm, &ts_cpu_backend, kind, &form, "sm80", &error);
	g_assert_no_error(error);
	x->seed = g_test_rand_int_range(0, 1000);
}

/* Sound, whoever does the rest; the domain's workers are gone long before the end, if they were
 * asked early. */
static void test_release(gconstpointer data)
{
	struct ts_spec spec = make_spec((enum ts_mode)GPOINTER_TO_INT(data));
	struct ts_gpu_gemm x = {.effort = TS_GEMM_FULL};

	open_cpu(&x, &ts_gemm_mma);
	for (uint32_t d = 0; d < XCDS; d += XCDS - 1) {
		struct ts_gpu_release r = release(&x, &spec, d, 20);
		const struct ts_released *is = &r.run.released[d];

		if (!r.verdict.sound)
			g_error("XCD %u: %s", d, r.verdict.fault);
		g_assert_cmpuint(r.verdict.checked, ==, (uint64_t)spec.m * (uint64_t)spec.n);
		g_assert_cmpuint(r.run.items, ==, r.plan.items);
		g_assert_cmpuint(is->workers, ==, WORKERS / XCDS);
		g_assert_cmpuint(is->as_asked, ==, is->workers);
		g_assert_cmpuint(is->left_ns, <=, r.run.end_ns);
		for (uint32_t other = 0; other < XCDS; other++)
			if (other != d)
				g_assert_cmpuint(r.run.released[other].as_asked, ==, 0);
		ts_gpu_release_finish(&r);
	}
	ts_gemm_close(&x.gemm);
}

/* With domains from where a worker runs. */
static void test_hardware(void)
{
	struct ts_spec spec = make_spec(TS_STEAL);
	struct ts_gpu_gemm x = {.effort = TS_GEMM_FULL, .hardware_domain = true};
	struct ts_gpu_release r;

	spec.workers = 16;
	open_cpu(&x, &ts_gemm_mma);
	x.gemm.hardware_domain = true;
	r = release(&x, &spec, 1, 20);
	if (!r.verdict.sound)
		g_error("%s", r.verdict.fault);
	ts_gpu_release_finish(&r);
	ts_gemm_close(&x.gemm);
}

static const struct {
	const char *name;
	const struct cpu_kernel *kernel;
	const char *finding;
} faults[] = {
	{"a worker that leaves with a claimed item undone", &ts_mma_bf16_nk_64_leave_holding,
		"C[*] in tile (*) is *: it was not written"},
	{"workers that don't listen", &ts_mma_bf16_nk_64_leave_never,
		"a worker of XCD 2 began * items after it was asked to leave"},
};

static void test_fault(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	struct ts_gemm_kind kind = ts_gemm_mma;
	struct ts_spec spec = make_spec(TS_STEAL);
	struct ts_gpu_gemm x = {.effort = TS_GEMM_FULL};
	struct ts_gpu_release r;

	planted = faults[i].kernel;
	kind.kernel = planted_kernel;
	open_cpu(&x, &kind);
	r = release(&x, &spec, 2, 5);
	g_test_message("%s", r.verdict.sound ? "sound" : r.verdict.fault);
	g_assert_false(r.verdict.sound);
	if (!g_pattern_match_simple(faults[i].finding, r.verdict.fault))
		g_error("found '%s', not '%s'", r.verdict.fault, faults[i].finding);
	ts_gpu_release_finish(&r);
	ts_gemm_close(&x.gemm);
}

/* The records by themselves: who leaves with a claim, and who leaves unasked. */
static void test_records(void)
{
	struct ts_spec spec = make_spec(TS_STEAL);
	struct ts_gpu_gemm x = {.effort = TS_GEMM_FULL};
	struct ts_gpu_release r;
	struct ts_gpu_verdict v;
	struct ts_probe_log log;
	struct ts_probe_event *events;
	bool asked[XCDS] = {false, true, false, false};
	g_autoptr(GError) error = NULL;
	uint32_t last = UINT32_MAX;

	open_cpu(&x, &ts_gemm_mma);
	r = release(&x, &spec, 1, 20);
	g_assert_true(ts_gemm_log(&x.gemm, &r.plan, &log, &error));
	v = ts_gpu_check_asked(&r.plan, &log, false, TS_CPU_UNITS, asked);
	g_assert_true(v.sound);
	v = ts_gpu_check(&r.plan, &log, false, TS_CPU_UNITS);
	g_assert_false(v.sound);
	g_test_message("%s", v.fault);
	g_free(v.fault);
	/* The last claim of another worker is taken to be one of the domain's. */
	events = ts_probe_events(&log);
	for (uint32_t i = 0; i < ts_probe_cursors(&log)->events; i++)
		if (events[i].worker == 0)
			last = i;
	g_assert_cmpuint(last, !=, UINT32_MAX);
	events[last].worker = 1;
	events[last].domain = 1;
	v = ts_gpu_check_asked(&r.plan, &log, false, TS_CPU_UNITS, asked);
	g_assert_false(v.sound);
	g_test_message("%s", v.fault);
	g_free(v.fault);
	g_free(log.words);
	ts_gpu_release_finish(&r);
	ts_gemm_close(&x.gemm);
}

#define CPU "gpu release --backend cpu --block 64x64x32 --m 400 --n 300 --k 40 "

static const struct {
	const char *name, *words;
	int code;
	const char *says;
} cases[] = {
	{"a release", CPU "--xcds 4", 0, "verdict      sound: 120000 elements right, and 35 items"},
	{"two releases, one by time", CPU "--xcds 4 --release xcd0,xcd2@10% --release xcd3@1", 0,
		"--release xcd0,xcd2@10% --release xcd3@1"},
	{"JSON", CPU "--mode global --format json", 0, "\"drain_us\""},
	{"a static policy", CPU "--policy persistent", 2, "its items are dealt out beforehand"},
	{"cut items", CPU "--policy stream-k", 2, "its items are dealt out beforehand"},
	{"a mode with queues of its own", CPU "--mode slots", 2,
		"would be computed by nobody; use --mode steal or --mode global"},
	{"a hierarchy", CPU "--mode hierarchical", 2, "would be computed by nobody"},
	{"an XCD that there is not", CPU "--release xcd8@30%", 2, "the plan has xcd0 to xcd7"},
	{"no time", CPU "--release xcd1", 2, "--release xcd1: write XCDS@PERCENT%"},
	{"more than all", CPU "--release xcd1@101%", 2, "--release xcd1@101%: write XCDS@PERCENT%"},
	{"all XCDs", CPU "--xcds 2 --release xcd0,xcd1@10%", 2, "nobody would do the rest"},
	{"all that have workers", CPU "--workers 2 --release xcd0,xcd1@10%", 2,
		"nobody would do the rest"},
	{"too late", CPU "--release xcd1@900000000", 2, "ask earlier, or give it more work"},
	{"several plans", CPU "--order row,column", 2, "gpu release takes one plan, not 2"},
	{"a kernel that the CPU lacks", "gpu release --backend cpu --kernel sm90", 2,
		"--kernel mma"},
	{"no GPU, or one", "gpu release --backend hip", 77, "no GPU"},
};

static void test_case(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);

	ts_call_expect(cases[i].words, cases[i].code, cases[i].says);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/gpu release/steal", GINT_TO_POINTER(TS_STEAL), test_release);
	g_test_add_data_func("/gpu release/global", GINT_TO_POINTER(TS_GLOBAL), test_release);
	g_test_add_func("/gpu release/domains from the hardware", test_hardware);
	g_test_add_func("/gpu release/records", test_records);
	for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strconcat("/gpu release/found: ", faults[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_fault);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/gpu release/", cases[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_case);
	}
	return g_test_run();
}
