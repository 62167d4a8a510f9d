/* tilesim gpu: run policies on the GPU that is there. */
#include "sim/gpu.h"

#include <string.h>

#include "sim/refuse.h"

static const struct {
	const char *name;
	ts_command_fn *run;
	bool on_cpu; /* --backend cpu does it too */
	const char *help;
} parts[] = {
	{"probe", ts_gpu_probe_command, true, "record who computes which tile, and verify it"},
	{"describe", ts_gpu_describe_command, false,
		"measure the GPU, and write it as a device file"},
	{"gemm", ts_gpu_gemm_command, true,
		"multiply matrices by the plan, check the product and time it"},
	{"release", ts_gpu_release_command, true,
		"ask for the CUs of a domain during a GEMM, and check that all is done"},
	{"hold", ts_gpu_hold_command, false,
		"time schedules while another kernel holds SMs or CUs"},
	{"verify", ts_gpu_verify_command, true,
		"random GEMMs by random plans, each with every check"},
	{"bench", ts_gpu_bench_command, true,
		"time schedules over shapes, beside the vendor's library"},
	{"calibrate", ts_gpu_calibrate_command, false,
		"fit a device file's costs to times of the GPU"},
	{"predict", ts_gpu_predict_command, false, "set simulated beside measured times"},
};

int ts_gpu_exit(const GError *error)
{
	if (error->domain != ts_backend_error_quark())
		return TS_EXIT_USAGE;
	return error->code == TS_BACKEND_ABSENT ? TS_EXIT_ABSENT : TS_EXIT_UNSOUND;
}

const char ts_gpu_backend_help[] = "cuda, hip, cpu or auto (default): the first GPU that is found";

bool ts_gpu_backend(const char *name, const struct ts_backend_ops **ret_ops, GError **error)
{
	g_autoptr(GString) names = g_string_new("auto");

	*ret_ops = NULL;
	if (name == NULL || strcmp(name, "auto") == 0)
		return true;
	for (size_t i = 0; ts_backends[i] != NULL; i++) {
		if (strcmp(name, ts_backends[i]->name) == 0) {
			*ret_ops = ts_backends[i];
			return true;
		}
		g_string_append_printf(names, "%s%s", ts_backends[i + 1] == NULL ? " or " : ", ",
			ts_backends[i]->name);
	}
	return ts_refuse(error, "--backend %s: must be %s", name, names->str);
}

bool ts_gpu_cta(
	const char *threads, const char *shared_kb, struct ts_prober_cta *ret_cta, GError **error)
{
	int64_t count = TS_PROBER_THREADS, kb = TS_PROBER_SHARED / 1024;

	if (threads != NULL && (!ts_parse_int(threads, &count) || count < 1 || count > 1024))
		return ts_refuse(
			error, "--threads %s: must be a whole number from 1 to 1024", threads);
	if (shared_kb != NULL && (!ts_parse_int(shared_kb, &kb) || kb < 0 || kb > 1024))
		return ts_refuse(
			error, "--shared-kb %s: must be a whole number from 0 to 1024", shared_kb);
	ret_cta->threads = (uint32_t)count;
	ret_cta->shared = (uint32_t)kb * 1024;
	return true;
}

/* Says of a GPU that is not there what can be done without one. */
static void add_hint(GError *error)
{
	g_autofree char *said = error->message;

	error->message = g_strconcat(said, "; --backend cpu needs none", NULL);
}

int ts_gpu_command(int argc, char **argv, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		g_print("Runs policies inside kernels on the GPU that is there, NVIDIA's or "
			"AMD's.\n\n");
		for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
			g_print("  tilesim gpu %-9s [OPTION...] %s\n", parts[i].name,
				parts[i].help);
		g_print("\nEach takes --help. Exit codes: as of tilesim, and %d where no GPU can "
			"be used.\n",
			TS_EXIT_ABSENT);
		return TS_EXIT_OK;
	}
	for (size_t i = 0; argc > 1 && i < G_N_ELEMENTS(parts); i++)
		if (strcmp(argv[1], parts[i].name) == 0) {
			int code = parts[i].run(argc - 1, argv + 1, error);

			if (code == TS_EXIT_ABSENT && parts[i].on_cpu)
				add_hint(*error);
			return code;
		}
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		g_string_append_printf(names, "%sgpu %s",
			i == 0 ? "" : (i + 1 < G_N_ELEMENTS(parts) ? ", " : " or "), parts[i].name);
	ts_refuse(
		error, "gpu%s%s: say %s", argc > 1 ? " " : "", argc > 1 ? argv[1] : "", names->str);
	return TS_EXIT_USAGE;
}
