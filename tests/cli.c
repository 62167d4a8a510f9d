/* The program from end to end: what it prints, what it writes, and how it ends. */
#include <glib/gstdio.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/call.h"

static char *folder; /* where the calls run and write, empty before each test */

static void refuse(const char *words, const char *says)
{
	struct call c = ts_call(folder, words);
	const char *end = strchr(c.err, '\n');

	ts_call_ends(words, &c, 2);
	if (c.out[0] != '\0' || end == NULL || end[1] != '\0' ||
		!g_str_has_prefix(c.err, "tilesim: ") || !ts_call_says(c.err, says))
		g_error("tilesim %s: not one line with %s, but: %s%s", words, says, c.out, c.err);
	g_assert_cmpint(ts_call_clean(folder), ==, 0);
	ts_call_finish(&c);
}

/* data/refusals.txt has command lines, and below each what the refusal must say. */
static void test_refusals(void)
{
	g_autofree char *path =
		g_strdup_printf("%s/tests/data/refusals.txt", g_getenv("TILESIM_SOURCE"));
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	const char *words = NULL;
	size_t count = 0;

	g_file_get_contents(path, &text, NULL, &error);
	g_assert_no_error(error);
	lines = g_strsplit(text, "\n", -1);
	for (size_t i = 0; lines[i] != NULL; i++) {
		if (lines[i][0] == '\t') {
			refuse(words, lines[i] + 1);
			count++;
		} else if (lines[i][0] != '\0' && lines[i][0] != '#') {
			words = lines[i];
		}
	}
	g_assert_cmpuint(count, >=, 40);
}

/* Options that would have no effect, or not the one that was asked for. */
static void test_ignored(void)
{
	refuse("verify --format csv", "csv|text|json");
	refuse("compare --m 4 --shapes llama3-8b", "--m|--shapes");
}

/* A refusal leaves no file behind, whichever part of the work it comes from. */
static void test_nothing_half_written(void)
{
	static const char *const cases[] = {"--m -1", "--policy banana", "--domain nowhere",
		"--format yaml", "--dtype int8", "--mask xcd9", "--hold any20",
		"--trace no/such.json", "--records no/such.csv", "--trace .", "--records ."};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *words = g_strconcat(
			"--m 256 --n 256 --records r.csv --trace t.json ", cases[i], NULL);
		struct call c = ts_call(folder, words);

		ts_call_ends(words, &c, 2);
		g_assert_cmpint(ts_call_clean(folder), ==, 0);
		ts_call_finish(&c);
	}
}

static int count_files(void)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	int count = 0;

	while (g_dir_read_name(dir) != NULL)
		count++;
	return count;
}

/* Nor does who is ended while writing: here a run of minutes. */
static void test_ended(void)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGTERM};

	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
		const char *argv[] = {g_getenv("TILESIM"), "--m", "2147483647", "--records",
			"r.csv", "--trace", "t.json", NULL};
		g_autoptr(GError) error = NULL;
		GPid id;
		int status;

		/* A child ignores what a script that starts this one does. */
		signal(ends[i], SIG_DFL);
		g_spawn_async(folder, (char **)(gpointer)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
			NULL, NULL, &id, &error);
		g_assert_no_error(error);
		while (count_files() < 2)
			g_usleep(1000);
		g_assert_cmpint(kill(id, ends[i]), ==, 0);
		g_assert_cmpint(waitpid(id, &status, 0), ==, id);
		g_assert_true(WIFSIGNALED(status));
		g_assert_cmpint(WTERMSIG(status), ==, ends[i]);
		g_assert_cmpint(ts_call_clean(folder), ==, 0);
	}
}

/* Nor a folder of its own, whoever is at work in there. */
static void test_ended_at_work(void)
{
	static const char *const cases[] = {
		"plot gantt --m 256 --n 256 --output p.png", "--policy-file gnuplot"};
	g_autofree char *temporary = g_dir_make_tmp("tilesim-ended-XXXXXX", NULL);
	g_autofree char *gnuplot = g_build_filename(folder, "gnuplot", NULL);
	g_autofree char *begun = g_build_filename(folder, "begun", NULL);
	g_autofree char *script = g_strdup_printf("#!/bin/sh\n: >%s\nexec sleep 2\n", begun);
	g_autofree char *path = g_strconcat(folder, ":", g_getenv("PATH"), NULL);
	g_auto(GStrv) environment = g_get_environ();

	signal(SIGTERM, SIG_DFL);
	environment = g_environ_setenv(environment, "TMPDIR", temporary, TRUE);
	environment = g_environ_setenv(environment, "PATH", path, TRUE);
	environment = g_environ_setenv(environment, "CC", gnuplot, TRUE);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *line = g_strconcat(g_getenv("TILESIM"), " ", cases[i], NULL);
		g_auto(GStrv) argv = g_strsplit(line, " ", -1);
		g_autoptr(GError) error = NULL;
		GPid id;
		int status;

		g_assert_true(g_file_set_contents(gnuplot, script, -1, NULL));
		g_assert_cmpint(g_chmod(gnuplot, 0700), ==, 0);
		g_spawn_async(folder, argv, environment, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &id,
			&error);
		g_assert_no_error(error);
		while (!g_file_test(begun, G_FILE_TEST_EXISTS))
			g_usleep(1000);
		g_assert_cmpint(kill(id, SIGTERM), ==, 0);
		g_assert_cmpint(waitpid(id, &status, 0), ==, id);
		g_assert_true(WIFSIGNALED(status));
		g_assert_cmpint(ts_call_clean(folder), ==, 2);
	}
	g_assert_cmpint(g_rmdir(temporary), ==, 0);
}

static void test_help(void)
{
	static const struct {
		const char *words, *says;
	} cases[] = {{"help", "verify|compare|plot|policies|devices|Exit codes"},
		{"--help",
			"--policy|--records|--mask|--claim-ns|--min-useful|--max-idle|--no-slower-"
			"than"},
		{"verify --help", "--random|--jobs|--policy|--residency|--max-empty|--min-split"},
		/* Nothing beside it is refused. */
		{"tune 1 2 --help", "tune [M N K]"}, {"tune --groups 2,3 --help", "tune [M N K]"},
		{"gpu bench --shape lower --help", "--rounds"},
		{"compare --help", "--shapes|--policy"}, {"devices", "mi300x|h200|rtx5090"},
		{"devices mi300x", "clock_mhz|data sheet"},
		{"policies", "data-parallel|persistent|worksteal|snake-n|chunked|hierarchical"},
		{"policies worksteal", "source|--mode steal|guarantee"},
		{"policies", "hilbert|cutlass-2|tilelang-persistent|--policy persistent --order"},
		{"policies persistent", "static|the same bits|every worker must run|deepgemm"},
		{"policies hilbert", "--order hilbert|map|each cluster once|source"},
		{"policies chunked", "--remap chunked|--chunk|HipKittens"},
		{"policies hipkittens", "stands for|--chunk 64"},
		{"policies slots", "dynamic|2 for 2 XCDs|needs one worker that begins with it"},
		{"policies --projects", "CUTLASS|Y ships it|--order hilbert|--remap chunked|cuda"},
		{"policies --help", "--projects|--format"}, {"policies", "stream-k|clc|two-tile"},
		{"policies stream-k",
			"--hybrid|in the order of k|lower ids|zero before each launch"},
		{"policies clc", "not launched|any one worker"}};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct call c = ts_call(folder, cases[i].words);

		ts_call_ends(cases[i].words, &c, 0);
		g_assert_cmpstr(c.err, ==, "");
		if (!ts_call_says(c.out, cases[i].says))
			g_error("tilesim %s does not say %s", cases[i].words, cases[i].says);
		ts_call_finish(&c);
	}
}

/* The same bytes each time, and with any number of threads. */
static void same_bytes(const char *const *cases, size_t count)
{
	static const char *const jobs[] = {"1", "2", "5", "1"};

	for (size_t i = 0; i < count; i++) {
		struct call first = {0};

		for (size_t j = 0; j < G_N_ELEMENTS(jobs); j++) {
			g_auto(GStrv) halves = g_strsplit(cases[i], "%s", 2);
			g_autofree char *words = g_strjoinv(jobs[j], halves);
			struct call c = ts_call(folder, words);

			if (j == 0) {
				first = c;
				continue;
			}
			if (c.code != first.code || strcmp(c.out, first.out) != 0 ||
				strcmp(c.err, first.err) != 0)
				g_error("tilesim %s: differs from that with --jobs 1:\n%s%s\n%s%s",
					words, first.out, first.err, c.out, c.err);
			ts_call_finish(&c);
		}
		ts_call_finish(&first);
	}
}

static void test_same_bytes(void)
{
	static const char *const cases[] = {
		"--m 5000 --n 3000 --policy worksteal --jitter 20 --seed 3",
		"--m 5000 --n 3000 --format json --slow xcd1:1.3",
		"verify --m 1:900:41 --n 1:900:57 --policy all --mode all",
		"verify --random 300 --seed 9 --m 0:2000 --n 0:2000 --policy all --order all "
		"--jobs %s",
		"verify --policy worksteal --mode slots,steal --m 1:5000:33 --n 300 --mask xcd3 "
		"--jobs %s",
		"verify --policy worksteal --mode steal,slots --m 1:9000:33 --n 3000 --mask xcd3 "
		"--jobs %s",
		"compare --m 64:4096:500 --n 1000 --k 512 --jobs %s",
		"compare --m 64:4096:500 --n 1000 --k 512 --jitter 9 --format csv --jobs %s",
		"compare --m 999,64 --n 1000 --k 512 --mask xcd3 --format json --jobs %s",
	};

	same_bytes(cases, G_N_ELEMENTS(cases));
}

/* A refusal too, though each thread meets other requests first. */
static void test_same_refusal(void)
{
	static const char *const cases[] = {
		"verify --random 50 --m -9:-1 --order row,column --jobs %s",
		"verify --random 33 --m -9:-1 --jobs %s", "verify --m -90:-1 --jobs %s",
		"verify --block 0x1x1 --m 1:90 --jobs %s",
		"verify --order row --swizzle 1:80 --jobs %s"};

	same_bytes(cases, G_N_ELEMENTS(cases));
}

/* The command that a report names gives that report again. */
static void test_repeat_with(void)
{
	static const char *const cases[] = {"", "--m 0", "--m 257 --n 300 --k 0",
		"--policy data-parallel --order column --remap chiplet --m 999",
		"--policy worksteal --mode global --swizzle 3",
		"--policy worksteal --mode global --remap none",
		"--policy worksteal --mode hierarchical --local 33 --counters 2 --remap chunked "
		"--chunk 5",
		"--policy worksteal --mode slots --counters 4 --max-counters 40 --domain hardware",
		"--device h200 --cluster 2x1 --dtype fp8 --edge real --workers 50 --k 777",
		"--cus 100 --xcds 4 --occupancy 2 --clock 1500 --claim-ns 3.5 --prologue-ns 0 "
		"--epilogue-ns 1e3",
		"--mask xcd3,cu5-9 --slow xcd1:2 --slow cu0:1.5 --policy worksteal --jitter 3 "
		"--seed 77",
		"--hold any20@0:500 --hold cu37@3 --release xcd2@40 --policy worksteal",
		"--policy worksteal --mode slots --mask xcd3",
		"--order snake-n --window 5 --block 128x64x32",
		"--order auto --m 3000 --n 20000 --remap chiplet", "--policy deepgemm --cus 100",
		"--policy cutlass-persistent --swizzle 8 --device h200 --cluster 2x1",
		"--policy hipkittens --window 5 --chunk 25 --m 20000",
		"--policy tritonblas-worksteal --counters 2 --order hilbert",
		"--policy stream-k --device h200 --m 700 --n 900 --block 128x128x64",
		"--policy stream-k --hybrid basic --min-k 2 --k-groups 4 --m 384 --workers 40",
		"--policy split-k --splits 5 --m 384 --k 700", "--policy clc --device b200",
		"--memory caches --m 999 --edge real",
		"--device 'a file.device' --max-cluster 3 --cluster 1x3"};
	g_autofree char *path = g_build_filename(folder, "a file.device", NULL);

	g_file_set_contents(path,
		"[device]\nname=A\nvendor=amd\nxcds=2\ncus_per_xcd=9\n"
		"clock_mhz=1000\nflops_bf16=512\ndram_gbps=900\n",
		-1, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct call c = ts_call(folder, cases[i]), again;
		const char *at = strstr(c.out, "repeat with  tilesim ");
		g_autofree char *words = NULL;

		g_assert_nonnull(at);
		words = g_strchomp(g_strdup(at + strlen("repeat with  tilesim ")));
		again = ts_call(folder, words);
		ts_call_ends(words, &again, c.code);
		g_assert_cmpstr(again.out, ==, c.out);
		ts_call_finish(&c);
		ts_call_finish(&again);
	}
	ts_call_clean(folder);
}

/* Sound or not, and what is said about it. */
static const struct {
	const char *words;
	int code;
	const char *says;
} verdicts[] = {
	{"--m 257 --n 300 --k 64", 0, "sound: 4 tiles"},
	{"verify --m 257 --n 1:3000:113 --k 64 --policy all --mode all --remap all --order all", 0,
		"sound"},
	{"verify --m 257 --n 257 --block 128x128x64,256x128x64 --device h200 --cluster "
	 "1x1,2x1,1x2,2x2 "
	 "--policy all --order all",
		0, "sound"},
	{"--m 65536 --n 65536 --k 8192", 0, "sound: 65536 tiles"},
	{"--m 65536 --n 65536 --k 8192 --policy worksteal --block 128x128x64", 0,
		"sound: 262144 tiles"},
	{"--m 0", 0, "sound: 0 tiles"},
	/* Sixteen workers man two of the four counters of each XCD. */
	{"--policy worksteal --mode slots --counters 4 --workers 16 --m 2048 --n 2048", 1,
		"starvation|counter 2 (XCD 0, slot 2)|32 tiles: (4,0) (4,1)"},
	{"verify --policy worksteal --mode slots --counters 4 --workers 16 --m 2048 --n 2048", 1,
		"FAILED|starvation|smallest|repeat with"},
	{"--policy worksteal --mode steal --counters 4 --workers 16 --m 2048 --n 2048", 0, "sound"},
	{"--policy worksteal --mode slots --mask xcd3 --m 2048 --n 2048", 1,
		"starvation|counter 3|XCD 3"},
	{"--policy worksteal --mode steal --mask xcd3 --m 2048 --n 2048", 0, "sound: 64 tiles"},
	{"--policy persistent --mask xcd3 --m 2048 --n 2048", 1, "missing tile|8 tiles"},
	{"verify --policy worksteal --mode slots --mask xcd3 --m 2048", 1, "starvation"},
	{"verify --policy worksteal --mode steal,global --mask xcd3 --m 2048", 0, "sound"},
	{"compare --policy worksteal --mode slots,steal --mask xcd3 --m 2048", 1, "UNSOUND"},
	{"verify --m 1:2000:371 --n 64,128,1000:1010 --policy persistent,worksteal", 0,
		"156 schedules"},
	{"verify --random 200 --seed 5 --m 0:3000 --n 0:3000 --policy all --mode all --xcds 1:9", 0,
		"sound|200 schedules"},
	{"verify --order row,grouped-m --swizzle 0,4 --m 300", 0, "sound|3 schedules"},
	{"compare --m 100:120:10,64,7:8 --n 64 --k 64 --policy persistent --format csv", 0,
		"\n100x64x64,|\n110x64x64,|\n120x64x64,|\n64x64x64,|\n7x64x64,|\n8x64x64,"},
	{"compare --shapes gemm-suite --policy persistent", 0, "square_8192|best TFLOP/s"},
	/* An alias is its axes, and what is given beside it goes first. */
	{"--policy hipkittens --m 20000 --n 20000", 0,
		"data-parallel, order grouped-m of width 8, remap chunked by 64|sound"},
	{"--policy hipkittens --window 5 --chunk 25", 0, "of width 5, remap chunked by 25"},
	{"--policy hipkittens --order row --remap chiplet", 0,
		"order row, remap chiplet, cl|sound"},
	{"--policy tritonblas-worksteal", 0, "worksteal slots|32 counters|sound"},
	{"--policy tritonblas-worksteal --mode steal --counters 2", 0,
		"worksteal steal|16 counters"},
	{"--policy tritonblas-worksteal --mode global", 0, "worksteal global|1 counter\n"},
	{"--policy cutlass-persistent --swizzle 8 --m 9000 --n 3000", 0,
		"persistent, order cutlass: grouped-m of width 8|--order cutlass --swizzle 8"},
	{"--order auto --m 1000 --n 60000 --block 128x128x64", 0,
		"order auto: grouped-|--order auto"},
	{"verify --policy deepgemm,quack-persistent,worksteal --mode steal,slots --m 3000", 0,
		"sound|4 schedules"},
	{"compare --policy tilelang-persistent,triton-grouped --m 3000", 0,
		"persistent, grouped-n 8|data-parallel, grouped-m 8"},
	/* Tiles cut along k. */
	{"--policy stream-k --device h200 --m 384 --n 384 --k 32768 --block 128x128x64", 0,
		"sound: 9 tiles|9 items cut over 132 workers|a workspace of 132 slots|fix-up"},
	{"--policy split-k --splits 3 --m 600 --n 300 --k 700", 0,
		"sound: 6 tiles|in 3 parts|12 workspace slots"},
	{"--policy stream-k --hybrid basic --mask xcd3 --m 2048 --n 2048", 1, "deadlock"},
	{"--policy clc --mask xcd3 --m 2048 --n 2048", 0, "sound: 64 tiles"},
	{"verify --policy stream-k,split-k --hybrid all --splits 1:4 --min-k 1,8 --k-groups 1,8 "
	 "--cluster 1x1,2x1 --m 300,900 --n 300 --k 0:3000:700",
		0, "sound"},
	{"explore --policy stream-k --hybrid basic --min-k 1 --k 3 --m 3 --n 2 --residency 1", 0,
		"sound"},
	{"explore --policy stream-k --hybrid basic --min-k 1 --k 3 --m 3 --n 2 --workers 4 --dirty",
		1, "partial sum read too early|adds 1 partial sum to tile"},
	{"explore --policy clc --m 4 --n 1 --residency 2 --late --release --dirty", 0, "sound"},
};

static void test_verdicts(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verdicts); i++) {
		struct call c = ts_call(folder, verdicts[i].words);

		ts_call_ends(verdicts[i].words, &c, verdicts[i].code);
		if (!ts_call_says(c.out, verdicts[i].says))
			g_error("tilesim %s: does not say %s: %s", verdicts[i].words,
				verdicts[i].says, c.out);
		ts_call_finish(&c);
	}
}

/* What one option allows, another must not refuse on the way. */
static void test_allowed(void)
{
	static const char *const cases[] = {"--cus 4 --xcds 2 --m 512 --n 512",
		"--k 0 --m 300 --n 300 --jitter 30",
		"verify --random 20 --m 1:3000 --n 1:3000 --k 0:2147483647 --workers 1:4000"};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct call c = ts_call(folder, cases[i]);

		ts_call_ends(cases[i], &c, 0);
		ts_call_finish(&c);
	}
}

/* What `verify` found is found again by the commands that it prints. */
static void test_failure_repeats(void)
{
	struct call c = ts_call(folder,
		"verify --policy worksteal --mode slots --counters 1:4 --workers 16 "
		"--m 1:4000:731 --n 3000");
	g_auto(GStrv) lines = g_strsplit(c.out, "\n", -1);
	int seen = 0;

	ts_call_ends("verify", &c, 1);
	for (size_t i = 0; lines[i] != NULL; i++) {
		const char *at = strstr(lines[i], "  tilesim ");
		struct call again;

		if (at == NULL)
			continue;
		again = ts_call(folder, at + strlen("  tilesim "));
		ts_call_ends(at, &again, 1);
		g_assert_nonnull(strstr(again.out, "starvation"));
		seen++;
		ts_call_finish(&again);
	}
	g_assert_cmpint(seen, ==, 2);
	ts_call_finish(&c);
}

static void test_shape_file(void)
{
	g_autofree char *path = g_build_filename(folder, "my.csv", NULL);
	struct call c;

	g_file_set_contents(path, "# mine\nname,m,n,k\none,256,512,64\nnone,0,5,5\n", -1, NULL);
	c = ts_call(
		folder, "compare --shapes my.csv --policy persistent,data-parallel --format csv");
	ts_call_ends("compare --shapes my.csv", &c, 0);
	g_assert_true(ts_call_says(c.out, "\none,256,512,64,|\nnone,0,5,5,"));
	ts_call_finish(&c);
	g_file_set_contents(path, "name,m,n,k\none,256,512\n", -1, NULL);
	c = ts_call(folder, "compare --shapes my.csv");
	ts_call_ends("compare --shapes my.csv", &c, 2);
	g_assert_true(ts_call_says(c.err, "my.csv|line 2|one,256,512"));
	ts_call_finish(&c);
	ts_call_clean(folder);
}

int main(int argc, char **argv)
{
	int code;

	g_test_init(&argc, &argv, NULL);
	/* Messages of the C library are compared below. */
	g_setenv("LC_ALL", "C.UTF-8", TRUE);
	folder = g_dir_make_tmp("tilesim-XXXXXX", NULL);
	g_assert_nonnull(folder);
	g_test_add_func("/cli/refusals are one line that says what is allowed", test_refusals);
	g_test_add_func("/cli/help", test_help);
	g_test_add_func("/cli/the same bytes each time", test_same_bytes);
	g_test_add_func("/cli/the command that repeats a run", test_repeat_with);
	g_test_add_func("/cli/verdicts", test_verdicts);
	g_test_add_func("/cli/a failure is found again", test_failure_repeats);
	g_test_add_func("/cli/shape files", test_shape_file);
	g_test_add_func("/cli/nothing is half written", test_nothing_half_written);
	g_test_add_func("/cli/nothing is left of who is ended", test_ended);
	g_test_add_func(
		"/cli/nothing is left of who is ended at work in a folder", test_ended_at_work);
	g_test_add_func("/cli/the same refusal each time", test_same_refusal);
	g_test_add_func("/cli/options that would be ignored", test_ignored);
	g_test_add_func("/cli/options that go together", test_allowed);
	code = g_test_run();
	ts_call_clean(folder);
	g_rmdir(folder);
	g_free(folder);
	return code;
}
