/* tilesim gpu gemm: what it refuses, and products where there is a GPU. The complete sweep is
 * kernels/check_gemm.sh. */
#include <gio/gio.h>
#include <string.h>

enum { NO_GPU = 77 };

/* Runs tilesim with these words; returns its exit code. Free `ret_err`. */
static int call(const char *words, char **ret_err)
{
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	int status;

	g_shell_parse_argv(line, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, ret_err,
		&status, &error);
	g_assert_no_error(error);
	if (g_spawn_check_wait_status(status, &error))
		return 0;
	return error->domain == G_SPAWN_EXIT_ERROR ? error->code : -1;
}

/* What a command exits with, and whether that needs a GPU. */
static const struct {
	const char *name, *words;
	int code;
	gboolean needs_gpu;
} cases[] = {
	{"a repeat that is no number", "gpu gemm --repeat x", 2, FALSE},
	{"a negative repeat", "gpu gemm --repeat -1", 2, FALSE},
	{"an unknown check", "gpu gemm --check none", 2, FALSE},
	{"CSV", "gpu gemm --format csv", 2, FALSE},
	{"a negative seed", "gpu gemm --seed -1", 2, FALSE},
	{"a device of the simulator", "gpu gemm --device h200", 2, FALSE},
	{"domains from the hardware", "gpu gemm --domain hardware", 2, FALSE},
	{"a block without a kernel", "gpu gemm --block 256x256x64", 2, TRUE},
	{"a cluster without a kernel", "gpu gemm --cluster 3x1", 2, TRUE},
	{"an empty sum", "gpu gemm --k 0", 2, TRUE},
	{"one product", "gpu gemm --m 300 --n 520 --k 200 --format json", 0, TRUE},
	{"products of odd sizes by every policy",
		"gpu gemm --policy all --mode all --cluster 1x1,2x1,1x2 --xcds 3 "
		"--block 128x256x64,128x128x64 --m 1,257 --n 129,520 --k 65,200",
		0, TRUE},
};

static void test_case(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	g_autofree char *err = NULL;
	int code = call(cases[i].words, &err);

	if (cases[i].needs_gpu && code == NO_GPU) {
		g_assert_true(g_str_has_prefix(err, "tilesim: no GPU: "));
		g_assert_cmpuint((gsize)(strchr(err, '\n') - err), ==, strlen(err) - 1);
		g_test_skip("no GPU");
		return;
	}
	if (code != cases[i].code)
		g_error("tilesim %s: exit code %d, not %d: %s", cases[i].words, code, cases[i].code,
			err);
	if (code != 0)
		g_assert_true(g_str_has_prefix(err, "tilesim: "));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/gpu gemm/", cases[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_case);
	}
	return g_test_run();
}
