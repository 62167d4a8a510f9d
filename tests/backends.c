/* The CUDA and HIP backends on libraries that need no GPU (fake/): what is said where something is
 * missing or fails, whose code object is loaded, and the probe from end to end. A backend without
 * kernels in the program, or with a real library in the way, is skipped. */
#include <glib/gstdio.h>
#include <string.h>

#include "kernels/backend.h"
#include "kernels/images.h"
#include "tests/fake/call.h"

enum { OK = 0, FAILED = 1, REFUSED = 2, ABSENT = 77 };

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
static const char cuda_probe[] =
	"gpu probe --backend cuda --m 700 --n 900 --k 128 --block 128x128x64";

static const struct expectation hip_messages[] = {
	{"no library", probe, NULL, NULL, ABSENT,
		"tilesim: no GPU: AMD's HIP library (libamdhip64.so.7, .6 or .5) is not installed"},
	{"no device, by hipInit", probe, "HIP_7", "FAKE_GPU_FAIL=hipInit=100", ABSENT,
		"no GPU: libamdhip64.so.7 sees no device"},
	{"no device, by hipGetDeviceCount", probe, "HIP_6", "FAKE_GPU_FAIL=hipGetDeviceCount=100",
		ABSENT, "no GPU: libamdhip64.so.6 sees no device"},
	{"no device, by their number", probe, "HIP_5", "FAKE_GPU_DEVICES=0", ABSENT,
		"no GPU: libamdhip64.so.5 sees no device"},
	{"a driver that is too old", probe, "HIP_6", "FAKE_GPU_FAIL=hipInit=35", ABSENT,
		"no GPU: libamdhip64.so.6 does not start: fake trouble (error 35)"},
	{"a library without a function", probe, "HIP_5_LACKS_MEMSET", NULL, ABSENT,
		"libamdhip64.so.5 has no hipMemsetD32; install ROCm 5.0 or newer"},
	{"a library without the properties", probe, "HIP_6_LACKS_PROPERTIES", NULL, ABSENT,
		"libamdhip64.so.6 has no hipGetDevicePropertiesR0600"},
	{"a target without an image", probe, "HIP_7", "FAKE_GPU_TARGET=gfx1030", ABSENT,
		"AMD Instinct Fake is a gfx1030, for which this tilesim has no probe kernel; it "
		"has "
		"them for gfx90a, gfx942, gfx950, gfx1100, gfx1200"},
	{"a target that begins as another", probe, "HIP_7", "FAKE_GPU_TARGET=gfx94", ABSENT,
		"is a gfx94, for which"},
	{"no target", probe, "HIP_7", "FAKE_GPU_TARGET=sm_90", FAILED, "names no target"},
	{"a code object that is refused", probe, "HIP_7", "FAKE_GPU_FAIL=hipModuleLoadData=209",
		ABSENT, "libamdhip64.so.7 does not take the kernels for gfx942"},
	{"clusters", "gpu probe --backend hip --cluster 2x1", "HIP_7", NULL, REFUSED,
		"cluster 2x1 on a device whose clusters have at most 1 CTAs"},
	{"a backend that there is not", "gpu probe --backend metal", NULL, NULL, REFUSED,
		"--backend metal: must be auto"},
	{"claims that are not counted", "gpu probe --backend hip --policy worksteal", "HIP_7",
		"FAKE_GPU_LOSE=97", FAILED, "FAILED"},
	{"no occupancy", probe, "HIP_6",
		"FAKE_GPU_FAIL=hipModuleOccupancyMaxActiveBlocksPerMultiprocessor=1", REFUSED,
		"has no room for one"},
	/* The domains are the plan's own where the hardware gives them. */
	{"domains from the hardware",
		"gpu probe --backend hip --policy worksteal --domain hardware --xcds 4", "HIP_7",
		NULL, OK, "4 domains"},
	{"every policy, mode, order and remap",
		"gpu probe --backend hip --policy all --mode all --order all --remap all "
		"--xcds 1,3,8 --m 1,700 --n 900 --k 128 --block 128x128x64",
		"HIP_7", NULL, OK, "failures"},
};

/* Where neither has a library of its own. */
static const struct expectation auto_messages[] = {
	{"no backend at all", "gpu probe", NULL, NULL, ABSENT,
		"; AMD's HIP library (libamdhip64.so.7, .6 or .5) is not installed; --backend cpu "
		"needs none"},
	{"no backend at all, where the CPU's times are of no use", "gpu calibrate", NULL, NULL,
		ABSENT, "AMD's HIP library (libamdhip64.so.7, .6 or .5) is not installed\n"},
	{"the first backend with a device", "gpu probe --m 700 --n 900 --k 128", "HIP_6", NULL, OK,
		"device       AMD Instinct Fake: 40 CUs in 8 XCDs"},
};

static const struct expectation cuda_messages[] = {
	{"no library", cuda_probe, NULL, NULL, ABSENT,
		"tilesim: no GPU: the CUDA driver (libcuda.so.1) is not installed"},
	{"no device", cuda_probe, "CUDA", "FAKE_GPU_FAIL=cuDeviceGetCount=100", ABSENT,
		"tilesim: no GPU: the CUDA driver sees no device"},
	{"no device, by their number", cuda_probe, "CUDA", "FAKE_GPU_DEVICES=0", ABSENT,
		"tilesim: no GPU: the CUDA driver sees no device"},
	{"a driver that does not start", cuda_probe, "CUDA", "FAKE_GPU_FAIL=cuInit=804", ABSENT,
		"no GPU: the CUDA driver does not start: fake trouble (error 804)"},
	{"a driver that is too old", cuda_probe, "CUDA_LACKS_ENCODE", NULL, ABSENT,
		"it has no cuTensorMapEncodeTiled; 12.0 or newer is needed"},
	{"a device without a kernel", cuda_probe, "CUDA", "FAKE_GPU_FAIL=cuModuleLoadData=209",
		ABSENT, "NVIDIA Fake has compute capability 9.0, for which"},
	{"clusters without room", "gpu probe --backend cuda --cluster 2x1", "CUDA", NULL, REFUSED,
		"at most 1 CTAs"},
	{"CUDA comes first", "gpu probe --m 700 --n 900 --k 128", "CUDA", NULL, OK,
		"device       NVIDIA Fake: 12 SMs in 12 GPCs"},
	{"what the driver tells", "gpu describe", "CUDA", NULL, OK,
		"device       NVIDIA Fake, compute capability 9.0, driver for CUDA 13.1"},
	{"memory by clock and width", "gpu describe", "CUDA", NULL, OK,
		"memory       L2 62914560 bytes; 4917 GB/s"},
	{"claims that are not counted", "gpu probe --backend cuda --policy worksteal", "CUDA",
		"FAKE_GPU_LOSE=97", FAILED, "FAILED"},
	{"every policy, mode, order and remap",
		"gpu probe --backend cuda --policy all --mode all --order all --remap all "
		"--xcds 1,3 --m 1,700 --n 900 --k 128 --block 128x128x64",
		"CUDA", NULL, OK, "failures"},
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

	for (char version[] = "HIP_5"; version[4] <= '7'; version[4]++) {
		for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
			g_autofree char *pretend =
				g_strconcat("FAKE_GPU_TARGET=", targets[i], NULL);
			g_autofree char *target = g_strndup(targets[i], strcspn(targets[i], ":"));
			g_autofree char *says = g_strdup_printf(
				"device       AMD Instinct Fake, %s, HIP %c.2", target, version[4]);
			const struct expectation e = {
				NULL, "gpu describe --backend hip", version, pretend, OK, says};

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

/* A backend's calls that take something, and those that give it back. */
struct backend {
	const char *name, *version, *probe, *title;
	const char *pairs[4][2];
	/* What fails when a call returns an error: the words in front of the error's text. */
	struct {
		const char *function, *what;
	} failures[20];
};

static const struct backend backends[] = {
	{"hip", "HIP_6", probe, "HIP",
		{{"hipMalloc", "hipFree"}, {"hipModuleLoadData", "hipModuleUnload"}},
		{{"hipGetDeviceCount", "hipGetDeviceCount"}, {"hipSetDevice", "hipSetDevice"},
			{"hipDeviceGetName", "hipDeviceGetName"},
			{"hipDeviceTotalMem", "hipDeviceTotalMem"},
			{"hipDeviceGetAttribute", "hipDeviceGetAttribute"},
			{"hipRuntimeGetVersion", "hipRuntimeGetVersion"},
			{"hipGetDevicePropertiesR0600", "hipGetDeviceProperties"},
			{"hipModuleLoadData", "hipModuleLoadData"},
			{"hipModuleGetFunction", "ts_probe"}, {"hipMalloc", "hipMalloc"},
			{"hipMemsetD32", "hipMemsetD32"}, {"hipMemcpyDtoH", "hipMemcpyDtoH"},
			{"hipModuleLaunchKernel", "hipModuleLaunchKernel"},
			{"hipDeviceSynchronize", "the kernel"}}},
	{"cuda", "CUDA", cuda_probe, "CUDA",
		{{"cuMemAlloc_v2", "cuMemFree_v2"}, {"cuModuleLoadData", "cuModuleUnload"},
			{"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"}},
		{{"cuDeviceGetCount", "cuDeviceGetCount"}, {"cuDeviceGet", "cuDeviceGet"},
			{"cuDeviceGetName", "cuDeviceGetName"},
			{"cuDeviceTotalMem_v2", "cuDeviceTotalMem"},
			{"cuDriverGetVersion", "cuDriverGetVersion"},
			{"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain"},
			{"cuCtxSetCurrent", "cuCtxSetCurrent"},
			{"cuModuleLoadData", "cuModuleLoadData"},
			{"cuModuleGetFunction", "ts_probe"}, {"cuFuncSetAttribute", "ts_probe"},
			{"cuMemAlloc_v2", "cuMemAlloc"}, {"cuMemsetD32_v2", "cuMemsetD32"},
			{"cuMemcpyDtoH_v2", "cuMemcpyDtoH"},
			{"cuLaunchKernelEx", "cuLaunchKernelEx"},
			{"cuCtxSynchronize", "the kernel"}}},
};

/* What is taken is given back, also after an error in the middle; `failed` took nothing. */
static void check_balance(const struct backend *b, const struct answer *a, const char *failed)
{
	for (size_t i = 0; b->pairs[i][0] != NULL; i++)
		if (g_strcmp0(b->pairs[i][0], failed) != 0)
			g_assert_cmpuint(count_lines(a->calls, b->pairs[i][0]), ==,
				count_lines(a->calls, b->pairs[i][1]));
}

static void test_failures(gconstpointer data)
{
	const struct backend *b = data;

	for (size_t i = 0; b->failures[i].function != NULL; i++) {
		g_autofree char *pretend =
			g_strdup_printf("FAKE_GPU_FAIL=%s=2", b->failures[i].function);
		g_autofree char *says =
			g_strdup_printf("tilesim: %s: %s: out of memory (error 2)\n", b->title,
				b->failures[i].what);
		struct answer a = call(b->probe, b->version, pretend);

		g_assert_cmpstr(a.err, ==, says);
		g_assert_cmpint(a.code, ==, FAILED);
		check_balance(b, &a, b->failures[i].function);
		drop_answer(&a);
	}
}

static void test_balance(gconstpointer data)
{
	const struct backend *b = data;
	struct answer a = call(b->probe, b->version, NULL);

	g_assert_cmpint(a.code, ==, OK);
	g_assert_cmpuint(count_lines(a.calls, b->pairs[0][0]), >, 0);
	check_balance(b, &a, NULL);
	drop_answer(&a);
}

/* Each item's domain is its XCD modulo the plan's domains, and not its worker's number. */
static void test_domains(void)
{
	g_autofree char *folder = g_dir_make_tmp("tilesim-fake-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "records.csv", NULL);
	g_autofree char *words = g_strdup_printf("%s --policy worksteal --domain hardware --xcds 3 "
						 "--records %s",
		probe, path);
	struct answer a = call(words, "HIP_5", NULL);
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
	g_autofree char *folder = g_dir_make_tmp("tilesim-fake-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "fake.device", NULL);
	g_autofree char *make = g_strdup_printf("gpu describe --backend hip --output %s", path);
	g_autofree char *use = g_strdup_printf("--device %s --policy worksteal", path);
	const struct expectation cases[] = {
		{NULL, make, "HIP_6", NULL, OK, "written"},
		{NULL, use, NULL, NULL, OK, "AMD Instinct Fake: 40 CUs in 8 XCDs, 40 places"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		expect(&cases[i]);
	g_remove(path);
	g_rmdir(folder);
}

/* The functions that the probe has no use for, and what is known of the device. */
static void use_rest(const struct backend *backend)
{
	const uint32_t here[4] = {1, 2, 3, 4};
	g_autoptr(GError) error = NULL;
	const struct ts_backend_ops *ops;
	void *from = NULL, *to = NULL;
	uint32_t there[4] = {0};
	struct ts_backend b;
	uint64_t address;
	size_t which = 0;
	float ms = -1;

	while (strcmp(ts_backends[which]->name, backend->name) != 0)
		which++;
	ops = ts_backends[which];
	g_assert_true(ts_backend_open(&b, ops, "probe", &error));
	if (strcmp(backend->name, "hip") == 0) {
		g_assert_cmpstr(b.is.name, ==, "AMD Instinct Fake");
		g_assert_cmpstr(b.is.target, ==, "gfx942");
		g_assert_cmpuint(b.is.units, ==, 40);
		g_assert_cmpuint(b.is.max_cluster, ==, 1);
		g_assert_cmpuint(b.is.lanes, ==, 64);
		g_assert_cmpuint(b.is.shared_bytes, ==, 65536);
		g_assert_cmpuint(b.is.memory_bytes, ==, UINT64_C(192) << 30);
		g_assert_cmpuint(b.is.l2_bytes, ==, 4194304);
		g_assert_cmpuint(b.is.clock_khz, ==, 2100000);
	} else {
		g_assert_cmpstr(b.is.name, ==, "NVIDIA Fake");
		g_assert_cmpstr(b.is.target, ==, "sm_90");
		g_assert_cmpuint(b.is.units, ==, 12);
		g_assert_cmpuint(b.is.max_cluster, ==, 16);
		g_assert_cmpuint(b.is.lanes, ==, 32);
		g_assert_cmpuint(b.is.shared_bytes, ==, 232448);
		g_assert_cmpuint(b.is.memory_bytes, ==, UINT64_C(141) << 30);
		g_assert_cmpuint(b.is.l2_bytes, ==, 62914560);
		g_assert_cmpuint(b.is.clock_khz, ==, 1980000);
	}
	address = ops->alloc(&b, sizeof here, &error);
	g_assert_true(ops->store(&b, address, here, sizeof here, &error));
	g_assert_true(ops->fill(&b, address + 4, 7, 2, &error));
	g_assert_true(ops->fetch(&b, there, address, sizeof there, &error));
	g_assert_cmpuint(there[0], ==, 1);
	g_assert_cmpuint(there[1], ==, 7);
	g_assert_cmpuint(there[2], ==, 7);
	g_assert_cmpuint(there[3], ==, 4);
	g_assert_false(ops->store(&b, address + 4, here, sizeof here, &error));
	g_assert_true(g_str_has_suffix(error->message, "MemcpyHtoD: fake trouble (error 1)"));
	g_clear_error(&error);
	g_assert_true(ops->event_make(&b, &from, &error) && ops->event_make(&b, &to, &error));
	g_assert_true(ops->event_record(&b, from, &error) && ops->event_record(&b, to, &error));
	g_assert_true(ops->event_ms(&b, from, to, &ms, &error));
	g_assert_cmpfloat(ms, ==, 0);
	ops->event_free(&b, from);
	ops->event_free(&b, to);
	g_assert_null(ops->kernel(&b, "no_such_kernel", 0, &error));
	g_assert_true(g_str_has_suffix(error->message, "no_such_kernel: fake trouble (error 500)"));
	ts_backend_free(&b, address);
	ts_backend_close(&b);
	ts_backend_close(&b);
}

/* What the copy engine is told of A, B and C: box, size and stride in bytes of each dimension. The
 * kernels compute nothing here. */
static const struct {
	const char *words;
	const char *maps[3];
} gemms[] = {
	/* Rows of 200 elements are 400 bytes, those of 520 are 1040. */
	{"--layout nk --m 300 --n 520 --k 200 --block 128x256x64",
		{"map 64 of 200 by 2 128 of 300 by 400", "map 64 of 200 by 2 256 of 520 by 400",
			"map 64 of 520 by 2 64 of 300 by 1040"}},
	{"--layout kn --dtype fp16 --m 300 --n 520 --k 200 --block 128x256x64",
		{"map 64 of 200 by 2 128 of 300 by 400",
			"map 64 of 520 by 2 64 of 200 by 1040 1 of 1 by 208000",
			"map 64 of 520 by 2 64 of 300 by 1040"}},
	/* CTAs of a cluster load parts: of B's rows along N of the tile's 256, of those along K
	   of 64. */
	{"--layout nk --m 600 --n 520 --k 200 --block 128x256x64 --cluster 4x1",
		{"map 64 of 200 by 2 128 of 600 by 400", "map 64 of 200 by 2 64 of 520 by 400",
			"map 64 of 520 by 2 64 of 600 by 1040"}},
	{"--layout kn --m 600 --n 520 --k 200 --block 128x192x64 --cluster 4x2",
		{"map 64 of 200 by 2 64 of 600 by 400",
			"map 64 of 520 by 2 16 of 200 by 1040 1 of 1 by 208000",
			"map 64 of 520 by 2 64 of 600 by 1040"}},
	/* Rows of 515 elements are copied to some of 520; those of 515 with a gap of 5 are not, but
	 * for C, where the copy engine would write to the gap. */
	{"--layout kn --m 300 --n 515 --k 200 --block 64x128x64",
		{"map 64 of 200 by 2 64 of 300 by 400",
			"map 64 of 515 by 2 64 of 200 by 1040 1 of 1 by 208000",
			"map 64 of 515 by 2 64 of 300 by 1040"}},
	{"--layout kn --gap 5 --m 300 --n 515 --k 203 --block 64x128x64",
		{"map 64 of 203 by 2 64 of 300 by 416",
			"map 64 of 515 by 2 64 of 203 by 1040 1 of 1 by 211120",
			"map 64 of 515 by 2 64 of 300 by 1040"}},
	/* Of groups A and C have the rows of all; only along N K ends with each group. */
	{"--layout nk --groups 5,0,130 --n 72 --k 80 --block 128x64x64",
		{"map 64 of 80 by 2 128 of 135 by 160", "map 64 of 80 by 2 64 of 216 by 160",
			"map 64 of 72 by 2 64 of 135 by 144"}},
	{"--layout kn --groups 5,0,130 --n 72 --k 80 --block 128x64x64",
		{"map 64 of 80 by 2 128 of 135 by 160",
			"map 64 of 72 by 2 64 of 80 by 144 1 of 3 by 11520",
			"map 64 of 72 by 2 64 of 135 by 144"}},
};

static void test_maps(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(gemms); i++) {
		g_autofree char *words = g_strconcat("gpu gemm --backend cuda --kernel sm90 "
						     "--policy data-parallel --repeat 0 ",
			gemms[i].words, NULL);
		struct answer a = call(words, "CUDA", "FAKE_GPU_CLUSTERS=3");

		if (strstr(a.out, "it was not written") == NULL)
			g_error("tilesim %s: %s%s", words, a.out, a.err);
		g_assert_cmpint(a.code, ==, FAILED);
		for (size_t j = 0; j < G_N_ELEMENTS(gemms[i].maps); j++)
			if (count_lines(a.calls, gemms[i].maps[j]) != 1)
				g_error("tilesim %s: no '%s' in %s", words, gemms[i].maps[j],
					a.calls);
		drop_answer(&a);
	}
}

/* The kernels for each plan, on 12 SMs: static ones; those of split-k for up to 32 splits whose
 * workers are all there at once; and those for any plan. */
static const struct {
	const char *words, *kernel;
} plans[] = {
	{"--policy data-parallel --m 300 --n 520", "ts_gemm_static_"},
	{"--policy persistent --m 3000 --n 5200", "ts_gemm_static_"},
	{"--policy persistent --order hilbert --m 300 --n 520", "ts_gemm_"},
	{"--policy persistent --remap rotated --m 300 --n 520", "ts_gemm_"},
	{"--policy worksteal --m 300 --n 520", "ts_gemm_"},
	{"--policy stream-k --m 300 --n 520", "ts_gemm_"},
	{"--policy split-k --splits 12 --m 128 --n 256 --k 2048", "ts_gemm_split_"},
	{"--policy split-k --splits 13 --m 128 --n 256 --k 2048", "ts_gemm_"},
	{"--policy split-k --splits 3 --m 130 --n 257", "ts_gemm_split_"},
	{"--policy split-k --splits 3 --m 130 --n 513", "ts_gemm_"},
	{"--policy split-k --splits 6 --cluster 2x1 --m 256 --n 256", "ts_gemm_split_"},
	{"--policy split-k --splits 7 --cluster 2x1 --m 256 --n 256", "ts_gemm_"},
	{"--policy split-k --splits 3 --cluster 2x2 --m 256 --n 512", "ts_gemm_"},
	{"--policy split-k --splits 1 --m 128 --n 256", "ts_gemm_"},
	{"--policy split-k --splits 2 --order hilbert --m 128 --n 256", "ts_gemm_"},
	{"--policy split-k --splits 2 --groups 5,0,70 --n 72", "ts_gemm_groups_"},
};

static void test_plans(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(plans); i++) {
		g_autofree char *words =
			g_strconcat("gpu gemm --backend cuda --kernel sm90 --k 512 "
				    "--block 128x256x64 --repeat 0 ",
				plans[i].words, NULL);
		struct answer a = call(words, "CUDA", "FAKE_GPU_CLUSTERS=12");

		g_assert_cmpint(a.code, ==, FAILED);
		if (count_lines(a.calls, plans[i].kernel) != 1)
			g_error("tilesim %s: not one %s in %s", words, plans[i].kernel, a.calls);
		drop_answer(&a);
	}
}

/* In a process of its own, which finds the library. */
static void test_rest(gconstpointer data)
{
	const struct backend *b = data;
	struct room room;

	if (g_test_subprocess()) {
		use_rest(b);
		return;
	}
	room = make_room(b->version);
	g_setenv("LD_LIBRARY_PATH", room.folder, TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
	g_unsetenv("LD_LIBRARY_PATH");
	drop_room(&room);
	g_test_trap_assert_passed();
}

/* Is there anything to test, and no real library that would be found as well? */
static bool is_testable(const struct backend *b)
{
	struct answer a = call(b->probe, NULL, NULL);
	bool good = strstr(a.err, "is not installed") != NULL;

	drop_answer(&a);
	return good;
}

/* Sanitizers' builds have the probe's images only. */
static bool has_program(const char *program)
{
	return ts_image_find(program, "cuda") != NULL;
}

static void test_nothing(void)
{
	g_test_skip("no kernels for it in this build, or its library is installed");
}

static void add(const struct backend *b, const char *title, gconstpointer data, GTestDataFunc test)
{
	g_autofree char *path = g_strdup_printf("/backends/%s/%s", b->name, title);

	g_test_add_data_func(path, data, test);
}

static void add_messages(const struct backend *b, const struct expectation *messages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(b, messages[i].name, &messages[i], test_message);
}

int main(int argc, char **argv)
{
	size_t testable = 0;

	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(backends); i++) {
		const struct backend *b = &backends[i];

		if (!g_test_subprocess() && !is_testable(b)) {
			g_autofree char *path = g_strdup_printf("/backends/%s", b->name);

			g_test_add_func(path, test_nothing);
			continue;
		}
		testable++;
		add(b, "an error from each call", b, test_failures);
		add(b, "what is taken is given back", b, test_balance);
		add(b, "copies, fills and events", b, test_rest);
		if (strcmp(b->name, "cuda") == 0) {
			add_messages(b, cuda_messages, G_N_ELEMENTS(cuda_messages));
			if (!has_program("gemm_sm90"))
				continue;
			g_test_add_func("/backends/cuda/maps of matrices", test_maps);
			g_test_add_func("/backends/cuda/kernels of plans", test_plans);
			continue;
		}
		add_messages(b, hip_messages, G_N_ELEMENTS(hip_messages));
		g_test_add_func(
			"/backends/hip/versions 5, 6 and 7, and every target", test_versions);
		g_test_add_func("/backends/hip/domains are XCDs", test_domains);
		g_test_add_func("/backends/hip/the device file", test_device_file);
	}
	if (testable == G_N_ELEMENTS(backends))
		add_messages(&backends[0], auto_messages, G_N_ELEMENTS(auto_messages));
	return g_test_run();
}
