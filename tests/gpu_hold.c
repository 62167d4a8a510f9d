/* tilesim gpu hold: its table from made up times, the kernel that holds on the CPU, and what is
 * refused. The measurement itself takes a GPU. */
#include <string.h>

#include "kernels/cpu_backend.h"
#include "kernels/probe.h"
#include "sim/gpu_hold.h"
#include "tests/call.h"

static struct ts_hold_table make_table(void)
{
	static const struct {
		uint32_t policy, held;
		double measured, predicted;
	} rows[] = {{TS_PERSISTENT, 0, 2, 1}, {TS_PERSISTENT, 20, 4, 1.5},
		{TS_PERSISTENT, 40, 5, 2}, {TS_DATA_PARALLEL, 0, 4, 2},
		{TS_DATA_PARALLEL, 20, 5, 2.5}};
	struct ts_hold_table t = {.gpu = "made up",
		.kernel = "mma",
		.model = "h200",
		.repeat = 3,
		.cells = g_array_new(FALSE, FALSE, sizeof(struct ts_hold_cell))};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_hold_cell c = {.spec = ts_spec_default(), .held = rows[i].held};

		c.spec.policy = rows[i].policy;
		c.times.median_ms = rows[i].measured;
		c.predicted_ms = rows[i].predicted;
		g_array_append_val(t.cells, c);
	}
	return t;
}

static void test_report(void)
{
	struct ts_hold_table t = make_table();
	g_autofree char *text = NULL;
	g_autofree char *json = NULL;
	g_autofree char *plain = NULL;

	g_assert_cmpfloat(ts_hold_slowdown(&t, 0), ==, 1);
	g_assert_cmpfloat(ts_hold_slowdown(&t, 2), ==, 2.5);
	g_assert_cmpfloat(ts_hold_predicted(&t, 2), ==, 2);
	/* Of its own schedule. */
	g_assert_cmpfloat(ts_hold_slowdown(&t, 4), ==, 1.25);
	text = ts_hold_report(&t, "command");
	g_assert_nonnull(strstr(text, "   20      4.0000     2.000        1.5000     1.500\n"));
	g_assert_nonnull(strstr(text, "   20      5.0000     1.250        2.5000     1.250\n"));
	t.format = TS_JSON;
	g_array_index(t.cells, struct ts_hold_cell, 1).fault = (char *)"C[0, 0] is 1";
	json = ts_hold_report(&t, "command");
	g_assert_nonnull(strstr(json, "\"simulated_slowdown\" : 1.5"));
	g_assert_nonnull(strstr(json, "\"finding\" : \"C[0, 0] is 1\""));
	t.format = TS_TEXT;
	t.model = NULL;
	plain = ts_hold_report(&t, "command");
	g_assert_nonnull(strstr(plain, "WRONG: C[0, 0] is 1\n"));
	g_assert_nonnull(strstr(plain, "give one by --device"));
	g_assert_null(strstr(plain, "1.5000"));
	g_array_unref(t.cells);
}

/* Each CTA tells that it is there, and leaves when it is let go or its time is over. */
static void test_kernel(void)
{
	g_autoptr(GError) error = NULL;
	struct ts_backend gpu;
	struct ts_backend_grid grid = {3, {1, 1}, 32, 1024};
	struct ts_hold_args args = {0};
	void *arguments[] = {&args};
	uint32_t *words;
	void *kernel;

	g_assert_true(ts_backend_open(&gpu, &ts_cpu_backend, "probe", &error));
	kernel = gpu.ops->kernel(&gpu, "ts_hold", 1024, &error);
	g_assert_no_error(error);
	words = gpu.ops->share(&gpu, 5 * sizeof *words, &error);
	args.let_go = words;
	args.there = words + 1;
	for (uint32_t let_go = 0; let_go < 2; let_go++) {
		words[0] = let_go;
		words[1] = words[2] = words[3] = 0;
		args.most_ns = let_go == 1 ? UINT64_MAX : 1000;
		g_assert_true(ts_backend_run(&gpu, kernel, &grid, arguments, &error));
		for (uint32_t i = 0; i < 3; i++)
			g_assert_cmpuint(
				words[1 + i], ==, let_go == 1 ? TS_HOLD_THERE : TS_HOLD_TOO_LONG);
		g_assert_cmpuint(words[4], ==, 0);
	}
	gpu.ops->unshare(&gpu, words);
	ts_backend_close(&gpu);
}

static const struct {
	const char *name, *words;
	int code;
	const char *says;
} cases[] = {
	{"the CPU", "gpu hold --backend cpu", 2, "runs one kernel at a time"},
	{"no launches", "gpu hold --repeat 0", 2, "--repeat 0: must be"},
	{"a model that there is not", "gpu hold --device nothing", 2, "no device 'nothing'"},
	{"a scenario of the simulator's", "gpu hold --hold any20@0", 2, "--hold"},
	{"an unknown check", "gpu hold --check full", 2, "--check full: must be sample or none"},
	{"CSV", "gpu hold --format csv", 2, "--format csv"},
	{"no GPU", "gpu hold --backend hip", 77, "no GPU"},
};

static void test_case(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	struct call c = ts_call(NULL, cases[i].words);

	if (c.code != cases[i].code || strstr(c.err, cases[i].says) == NULL)
		g_error("tilesim %s: exit code %d, not %d, or not '%s': %s%s", cases[i].words,
			c.code, cases[i].code, cases[i].says, c.out, c.err);
	ts_call_finish(&c);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gpu hold/report", test_report);
	g_test_add_func("/gpu hold/the kernel on the CPU", test_kernel);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/gpu hold/", cases[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_case);
	}
	return g_test_run();
}
