/* The HIP backend on a libamdhip64 that needs no GPU (fake_hip.c), in the versions 5, 6 and 7: what
 * is said where something is missing or fails, whose code object is loaded, and the probe from end
 * to end. Without code objects in the program, or with a real library in the way, it is skipped. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "kernels/hip.h"
#include "kernels/images.h"

enum { OK = 0, FAILED = 1, REFUSED = 2, ABSENT = 77 };

/* A folder with one library, by the name under which the loader looks for it. */
struct room {
	char *folder, *library, *log;
};

static struct room make_room(const char *version)
{
	struct room r = {.folder = g_dir_make_tmp("tilesim-hip-XXXXXX", NULL)};

	g_assert_nonnull(r.folder);
	r.log = g_build_filename(r.folder, "calls", NULL);
	if (version != NULL) {
		g_autofree char *variable = g_strconcat("FAKE_HIP_", version, NULL);
		g_autofree char *name = g_strdup_printf("libamdhip64.so.%c", version[0]);
		g_autoptr(GFile) link = NULL;

		r.library = g_build_filename(r.folder, name, NULL);
		link = g_file_new_for_path(r.library);
		g_assert_true(g_file_make_symbolic_link(link, g_getenv(variable), NULL, NULL));
	}
	return r;
}

static void drop_room(struct room *r)
{
	if (r->library != NULL)
		g_remove(r->library);
	g_remove(r->log);
	g_assert_cmpint(g_rmdir(r->folder), ==, 0);
	g_free(r->folder);
	g_free(r->library);
	g_free(r->log);
}

struct answer {
	int code;
	char *out, *err, *calls;
};

static void drop_answer(struct answer *a)
{
	g_free(a->out);
	g_free(a->err);
	g_free(a->calls);
}

/* Runs tilesim with these words, that version of the library, and what it is to pretend: words
 * NAME=VALUE. */
static struct answer call(const char *words, const char *version, const char *pretend)
{
	struct room room = make_room(version);
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_auto(GStrv) environment = g_get_environ();
	g_auto(GStrv) variables = g_strsplit(pretend == NULL ? "" : pretend, " ", -1);
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	struct answer a = {0};
	int status;

	environment = g_environ_setenv(environment, "LD_LIBRARY_PATH", room.folder, TRUE);
	environment = g_environ_setenv(environment, "FAKE_HIP_LOG", room.log, TRUE);
	for (char **v = variables; *v != NULL; v++) {
		g_auto(GStrv) pair = g_strsplit(*v, "=", 2);

		environment = g_environ_setenv(environment, pair[0], pair[1], TRUE);
	}
	g_shell_parse_argv(line, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	g_spawn_sync(NULL, argv, environment, G_SPAWN_DEFAULT, NULL, NULL, &a.out, &a.err, &status,
		&error);
	g_assert_no_error(error);
	if (!g_spawn_check_wait_status(status, &error))
		a.code = error->domain == G_SPAWN_EXIT_ERROR ? error->code : -1;
	if (!g_file_get_contents(room.log, &a.calls, NULL, NULL))
		a.calls = g_strdup("");
	drop_room(&room);
	return a;
}

/* What is said, and the exit code. `says` is in what is printed on stderr, or on stdout where the
 * code is OK or the probe failed. */
struct expectation {
	const char *name, *words, *version, *pretend;
	int code;
	const char *says;
};

static void expect(const struct expectation *e)
{
	struct answer a = call(e->words, e->version, e->pretend);

	if (a.code != e->code || (strstr(a.err, e->says) == NULL && strstr(a.out, e->says) == NULL))
		g_error("tilesim %s, version %s, %s: exit code %d, not %d, or not '%s': %s%s",
			e->words, e->version, e->pretend, a.code, e->code, e->says, a.out, a.err);
	if (a.code != OK && a.out[0] == '\0') {
		g_assert_true(g_str_has_prefix(a.err, "tilesim: "));
		g_assert_cmpuint((gsize)(strchr(a.err, '\n') - a.err), ==, strlen(a.err) - 1);
	}
	drop_answer(&a);
}

static const char probe[] = "gpu probe --backend hip --m 700 --n 900 --k 128 --block 128x128x64";

static const struct expectation messages[] = {
	{"no library", probe, NULL, NULL, ABSENT,
		"tilesim: no GPU: AMD's HIP library (libamdhip64.so.7, .6 or .5) is not installed"},
	{"no backend at all", "gpu probe", NULL, NULL, ABSENT, "; AMD's HIP library"},
	{"no device, by hipInit", probe, "7", "FAKE_HIP_FAIL=hipInit=100", ABSENT,
		"no GPU: libamdhip64.so.7 sees no device"},
	{"no device, by hipGetDeviceCount", probe, "6", "FAKE_HIP_FAIL=hipGetDeviceCount=100",
		ABSENT, "no GPU: libamdhip64.so.6 sees no device"},
	{"no device, by their number", probe, "5", "FAKE_HIP_DEVICES=0", ABSENT,
		"no GPU: libamdhip64.so.5 sees no device"},
	{"a driver that is too old", probe, "6", "FAKE_HIP_FAIL=hipInit=35", ABSENT,
		"no GPU: libamdhip64.so.6 does not start: fake trouble (error 35)"},
	{"a library without a function", probe, "5_LACKS_MEMSET", NULL, ABSENT,
		"libamdhip64.so.5 has no hipMemsetD32; install ROCm 5.0 or newer"},
	{"a library without the properties", probe, "6_LACKS_PROPERTIES", NULL, ABSENT,
		"libamdhip64.so.6 has no hipGetDevicePropertiesR0600"},
	{"a target without an image", probe, "7", "FAKE_HIP_TARGET=gfx1030", ABSENT,
		"AMD Instinct Fake is a gfx1030, for which this tilesim has no probe kernel; it "
		"has "
		"them for gfx90a, gfx942, gfx950, gfx1100, gfx1200"},
	{"a target that begins as another", probe, "7", "FAKE_HIP_TARGET=gfx94", ABSENT,
		"is a gfx94, for which"},
	{"no target", probe, "7", "FAKE_HIP_TARGET=sm_90", FAILED, "names no target"},
	{"a code object that is refused", probe, "7", "FAKE_HIP_FAIL=hipModuleLoadData=209", ABSENT,
		"libamdhip64.so.7 does not take the kernels for gfx942"},
	{"clusters", "gpu probe --backend hip --cluster 2x1", "7", NULL, REFUSED,
		"cluster 2x1 on a device whose clusters have at most 1 CTAs"},
	{"the first backend with a device", "gpu probe --m 700 --n 900 --k 128", "6", NULL, OK,
		"device       AMD Instinct Fake: 40 CUs in 8 XCDs"},
	{"a backend that there is not", "gpu probe --backend metal", NULL, NULL, REFUSED,
		"--backend metal: must be auto"},
	{"claims that are not counted", "gpu probe --backend hip --policy worksteal", "7",
		"FAKE_HIP_LOSE=97", FAILED, "FAILED"},
	{"no occupancy", probe, "6",
		"FAKE_HIP_FAIL=hipModuleOccupancyMaxActiveBlocksPerMultiprocessor=1", REFUSED,
		"has no room for one"},
	/* The domains are the plan's own where the hardware gives them. */
	{"domains from the hardware",
		"gpu probe --backend hip --policy worksteal --domain hardware --xcds 4", "7", NULL,
		OK, "4 domains"},
	{"every policy, mode, order and remap",
		"gpu probe --backend hip --policy all --mode all --order all --remap all "
		"--xcds 1,3,8 --m 1,700 --n 900 --k 128 --block 128x128x64",
		"7", NULL, OK, "failures"},
	{"a kernel of the GEMM", "gpu gemm --backend hip", "7", NULL, ABSENT, "no GPU: "},
};

static void test_message(gconstpointer data)
{
	expect(data);
}

/* Each version finds the device, what its target is with features behind it, and as many XCDs. */
static void test_versions(void)
{
	static const char *const targets[] = {"gfx90a:sramecc+:xnack-", "gfx942:sramecc+:xnack-",
		"gfx942:sramecc+:xnack+", "gfx950", "gfx1100", "gfx1200"};

	for (char version[] = "5"; version[0] <= '7'; version[0]++) {
		for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
			g_autofree char *pretend =
				g_strconcat("FAKE_HIP_TARGET=", targets[i], NULL);
			g_autofree char *target = g_strndup(targets[i], strcspn(targets[i], ":"));
			g_autofree char *says = g_strdup_printf(
				"device       AMD Instinct Fake, %s, HIP %s.2", target, version);
			const struct expectation e = {
				NULL, "gpu describe", version, pretend, OK, says};

			expect(&e);
		}
	}
}

static uint32_t count_lines(const char *text, const char *line)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	uint32_t count = 0;

	for (char **l = lines; *l != NULL; l++)
		count += strcmp(*l, line) == 0;
	return count;
}

/* What is taken is given back, also after an error in the middle. */
static void check_balance(const struct answer *a)
{
	static const char *const pairs[][2] = {{"hipMalloc", "hipFree"},
		{"hipModuleLoadData", "hipModuleUnload"}, {"hipEventCreate", "hipEventDestroy"}};

	for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
		g_assert_cmpuint(
			count_lines(a->calls, pairs[i][0]), ==, count_lines(a->calls, pairs[i][1]));
}

/* What fails when a call returns an error, by the words in front of the error's text. */
static const struct {
	const char *function, *what;
} failures[] = {
	{"hipGetDeviceCount", "hipGetDeviceCount"},
	{"hipSetDevice", "hipSetDevice"},
	{"hipDeviceGetName", "hipDeviceGetName"},
	{"hipDeviceTotalMem", "hipDeviceTotalMem"},
	{"hipDeviceGetAttribute", "hipDeviceGetAttribute"},
	{"hipRuntimeGetVersion", "hipRuntimeGetVersion"},
	{"hipGetDevicePropertiesR0600", "hipGetDeviceProperties"},
	{"hipModuleLoadData", "hipModuleLoadData"},
	{"hipModuleGetFunction", "ts_probe"},
	{"hipMalloc", "hipMalloc"},
	{"hipMemsetD32", "hipMemsetD32"},
	{"hipMemcpyDtoH", "hipMemcpyDtoH"},
	{"hipModuleLaunchKernel", "hipModuleLaunchKernel"},
	{"hipDeviceSynchronize", "the kernel"},
};

static void test_failures(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(failures); i++) {
		g_autofree char *pretend =
			g_strdup_printf("FAKE_HIP_FAIL=%s=2", failures[i].function);
		g_autofree char *says = g_strdup_printf(
			"tilesim: HIP: %s: out of memory (error 2)\n", failures[i].what);
		struct answer a = call(probe, "6", pretend);

		g_assert_cmpstr(a.err, ==, says);
		g_assert_cmpint(a.code, ==, FAILED);
		/* The one that failed took nothing. */
		if (strcmp(failures[i].function, "hipMalloc") != 0 &&
			strcmp(failures[i].function, "hipModuleLoadData") != 0)
			check_balance(&a);
		drop_answer(&a);
	}
}

static void test_balance(void)
{
	struct answer a = call(probe, "7", NULL);

	g_assert_cmpint(a.code, ==, OK);
	g_assert_cmpuint(count_lines(a.calls, "hipMalloc"), >, 0);
	check_balance(&a);
	drop_answer(&a);
}

/* Each item's domain is its XCD modulo the plan's domains, and not its worker's number. */
static void test_domains(void)
{
	g_autofree char *folder = g_dir_make_tmp("tilesim-hip-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "records.csv", NULL);
	g_autofree char *words = g_strdup_printf("%s --policy worksteal --domain hardware --xcds 3 "
						 "--records %s",
		probe, path);
	struct answer a = call(words, "5", NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	uint32_t rows = 0;

	g_assert_cmpstr(a.err, ==, "");
	g_assert_cmpint(a.code, ==, OK);
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	g_assert_true(g_str_has_prefix(lines[0], "worker,rank,cu,xcd,domain,"));
	for (char **l = lines + 1; **l != '\0'; l++, rows++) {
		g_auto(GStrv) fields = g_strsplit(*l, ",", -1);
		guint64 worker = g_ascii_strtoull(fields[0], NULL, 10);
		guint64 xcd = g_ascii_strtoull(fields[3], NULL, 10);

		g_assert_cmpuint(xcd, ==, worker % 8);
		g_assert_cmpuint(g_ascii_strtoull(fields[4], NULL, 10), ==, xcd % 3);
	}
	g_assert_cmpuint(rows, ==, 48);
	drop_answer(&a);
	g_remove(path);
	g_rmdir(folder);
}

/* The device file is one that the simulator takes. */
static void test_device_file(void)
{
	g_autofree char *folder = g_dir_make_tmp("tilesim-hip-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "fake.device", NULL);
	g_autofree char *make = g_strdup_printf("gpu describe --output %s", path);
	g_autofree char *use = g_strdup_printf("--device %s --policy worksteal", path);
	const struct expectation cases[] = {
		{NULL, make, "6", NULL, OK, "written"},
		{NULL, use, NULL, NULL, OK, "AMD Instinct Fake: 40 CUs in 8 XCDs, 40 places"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		expect(&cases[i]);
	g_remove(path);
	g_rmdir(folder);
}

/* The functions that the probe has no use for. */
static void use_rest(void)
{
	const uint32_t here[4] = {1, 2, 3, 4};
	const struct ts_backend_ops *ops = &ts_hip_backend;
	g_autoptr(GError) error = NULL;
	void *from = NULL, *to = NULL;
	uint32_t there[4] = {0};
	struct ts_backend b;
	uint64_t address;
	float ms = -1;

	g_assert_true(ts_backend_open(&b, ops, "probe", &error));
	g_assert_cmpstr(b.is.name, ==, "AMD Instinct Fake");
	g_assert_cmpstr(b.is.target, ==, "gfx942");
	g_assert_cmpuint(b.is.units, ==, 40);
	g_assert_cmpuint(b.is.domains, ==, 8);
	g_assert_cmpuint(b.is.max_cluster, ==, 1);
	g_assert_cmpuint(b.is.lanes, ==, 64);
	g_assert_cmpuint(b.is.shared_bytes, ==, 65536);
	g_assert_cmpuint(b.is.memory_bytes, ==, UINT64_C(192) << 30);
	g_assert_cmpuint(b.is.l2_bytes, ==, 4194304);
	g_assert_cmpuint(b.is.clock_khz, ==, 2100000);
	address = ops->alloc(&b, sizeof here, &error);
	g_assert_true(ops->store(&b, address, here, sizeof here, &error));
	g_assert_true(ops->fill(&b, address + 4, 7, 2, &error));
	g_assert_true(ops->fetch(&b, there, address, sizeof there, &error));
	g_assert_cmpuint(there[0], ==, 1);
	g_assert_cmpuint(there[1], ==, 7);
	g_assert_cmpuint(there[2], ==, 7);
	g_assert_cmpuint(there[3], ==, 4);
	g_assert_false(ops->store(&b, address + 4, here, sizeof here, &error));
	g_assert_cmpstr(error->message, ==, "HIP: hipMemcpyHtoD: fake trouble (error 1)");
	g_clear_error(&error);
	g_assert_true(ops->event_make(&b, &from, &error) && ops->event_make(&b, &to, &error));
	g_assert_true(ops->event_record(&b, from, &error) && ops->event_record(&b, to, &error));
	g_assert_true(ops->event_ms(&b, from, to, &ms, &error));
	g_assert_cmpfloat(ms, ==, 0);
	ops->event_free(&b, from);
	ops->event_free(&b, to);
	g_assert_null(ops->kernel(&b, "no_such_kernel", 0, &error));
	g_assert_cmpstr(error->message, ==, "HIP: no_such_kernel: fake trouble (error 500)");
	ts_backend_free(&b, address);
	ts_backend_close(&b);
	ts_backend_close(&b);
}

/* In a process of its own, which finds the library. */
static void test_rest(void)
{
	struct room room;

	if (g_test_subprocess()) {
		use_rest();
		return;
	}
	room = make_room("7");
	g_setenv("LD_LIBRARY_PATH", room.folder, TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
	g_unsetenv("LD_LIBRARY_PATH");
	drop_room(&room);
	g_test_trap_assert_passed();
}

/* Is there anything to test, and no real library that would be found as well? */
static bool is_testable(void)
{
	struct answer a = call("gpu probe --backend hip", NULL, NULL);
	bool good = strstr(a.err, "is not installed") != NULL;

	drop_answer(&a);
	return good;
}

static void test_nothing(void)
{
	g_test_skip("no AMD kernels in this build, or ROCm is installed");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	if (!g_test_subprocess() && !is_testable()) {
		g_test_add_func("/hip/on a fake library", test_nothing);
		return g_test_run();
	}
	for (size_t i = 0; i < G_N_ELEMENTS(messages); i++) {
		g_autofree char *path = g_strconcat("/hip/", messages[i].name, NULL);

		g_test_add_data_func(path, &messages[i], test_message);
	}
	g_test_add_func("/hip/versions 5, 6 and 7, and every target", test_versions);
	g_test_add_func("/hip/an error from each call", test_failures);
	g_test_add_func("/hip/what is taken is given back", test_balance);
	g_test_add_func("/hip/domains are XCDs", test_domains);
	g_test_add_func("/hip/the device file", test_device_file);
	g_test_add_func("/hip/copies, fills and events", test_rest);
	return g_test_run();
}
