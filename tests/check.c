/* `tilesim check`: good traces are sound, each planted fault is found and named, and what is no
 * trace is refused with its line. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOUND, UNSOUND, REFUSED };

static char *folder, *samples;
static GKeyFile *cases;

/* What a command printed, on both streams, and its exit code. */
struct outcome {
	char *text;
	int code;
};

/* Runs tilesim with these words, `input` being what comes in on standard input. */
static struct outcome run(const char *words, const char *input, gsize size)
{
	g_autofree char *all = g_strconcat(g_getenv("TILESIM"), " ", words, NULL);
	g_autofree char *output = g_build_filename(folder, "output", NULL);
	g_auto(GStrv) argv = g_strsplit(all, " ", -1);
	g_autoptr(GBytes) bytes = g_bytes_new(input, size);
	g_autoptr(GError) error = NULL;
	GSubprocessLauncher *launcher = g_subprocess_launcher_new(
		G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE);
	GSubprocess *process;
	struct outcome o;

	/* Into a file, since a refusal closes the input early and communicating then fails. */
	g_unlink(output);
	g_subprocess_launcher_set_stdout_file_path(launcher, output);
	process = g_subprocess_launcher_spawnv(launcher, (const char *const *)argv, &error);
	g_assert_no_error(error);
	g_subprocess_communicate(process, bytes, NULL, NULL, NULL, NULL);
	g_subprocess_wait(process, NULL, NULL);
	g_assert_true(g_subprocess_get_if_exited(process));
	o.code = g_subprocess_get_exit_status(process);
	g_assert_true(g_file_get_contents(output, &o.text, NULL, NULL));
	g_object_unref(process);
	g_object_unref(launcher);
	return o;
}

static void expect(const char *words, const char *input, gsize size, int code, const char *text)
{
	struct outcome o = run(words, input, size);

	if (o.code != code || strstr(o.text, text) == NULL)
		g_test_message("tilesim %s: exit code %d, wanted %d with \"%s\":\n%s", words,
			o.code, code, text, o.text);
	g_assert_cmpint(o.code, ==, code);
	g_assert_nonnull(strstr(o.text, text));
	g_free(o.text);
}

/* Writes a trace; free the path with g_free(). */
static char *write_file(const char *name, const char *text, gssize size)
{
	char *path = g_build_filename(folder, name, NULL);
	g_autoptr(GError) error = NULL;

	g_file_set_contents(path, text, size, &error);
	g_assert_no_error(error);
	return path;
}

/* From a file, where a second pass can name who was first. */
static void expect_file(const char *trace, const char *words, int code, const char *text)
{
	g_autofree char *path = write_file("trace", trace, -1);
	g_autofree char *all = g_strconcat("check ", path, " ", words, NULL);

	expect(all, "", 0, code, text);
}

/* One case of cases.ini: a section "kind/what". */
static void test_case(gconstpointer data)
{
	const char *section = data;
	int code = g_str_has_prefix(section, "sound/") ? SOUND
		: g_str_has_prefix(section, "fault/")  ? UNSOUND
						       : REFUSED;
	g_autofree char *trace = g_key_file_get_string(cases, section, "trace", NULL);
	g_autofree char *given = g_key_file_get_string(cases, section, "words", NULL);
	g_autofree char *says = g_key_file_get_string(cases, section, "says", NULL);
	g_auto(GStrv) parts = g_strsplit(given, "DATA", -1);
	g_autofree char *words = g_strjoinv(samples, parts);
	g_autofree char *all = g_strconcat(trace == NULL ? "check " : "check - ", words, NULL);

	if (trace != NULL)
		expect_file(trace, words, code, says);
	/* Who was first is not known of a pipe. */
	expect(all, trace == NULL ? "" : trace, trace == NULL ? 0 : strlen(trace), code,
		strstr(says, "in line") != NULL ? "" : says);
}

/* A problem whose grid no cluster and no number of workers divides. */
static const char problem[] = "--m 1500 --n 1300 --k 500 --workers 7 --device h100";

static const char *const plans[] = {"--policy persistent", "--policy data-parallel --order snake-n",
	"--policy worksteal --mode steal", "--policy worksteal --mode steal --counters 3",
	"--policy worksteal --mode global", "--policy worksteal --mode hierarchical --xcds 2",
	"--policy worksteal --mode slots", "--policy persistent --xcds 4 --remap chiplet"};
static const char *const clusters[] = {"1x1", "2x1", "1x2", "4x2"};

/* The records of a plan. Free with g_free(). */
static char *record(const char *plan)
{
	g_autofree char *path = g_build_filename(folder, "records", NULL);
	g_autofree char *words = g_strconcat(problem, " ", plan, " --records ", path, NULL);
	char *text = NULL;

	expect(words, "", 0, SOUND, "sound");
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

static void test_records(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(plans); i++) {
		for (size_t j = 0; j < G_N_ELEMENTS(clusters); j++) {
			g_autofree char *plan =
				g_strconcat(plans[i], " --cluster ", clusters[j], NULL);
			g_autofree char *text = record(plan);
			g_autofree char *words =
				g_strconcat(problem, " ", plan, " --against", NULL);

			expect_file(text, words, SOUND, "sound: 36 tiles");
		}
	}
}

/* Lines of the records in another order; `turn` reverses them, else they are sorted by worker, each
 * worker's lines staying in order. */
static char *reorder(const char *text, bool turn)
{
	g_auto(GStrv) lines = g_strsplit(g_strchomp((char *)text), "\n", -1);
	GString *out = g_string_new(lines[0]);
	guint count = g_strv_length(lines);

	for (guint i = 1; turn && i < count; i++)
		g_string_append_printf(out, "\n%s", lines[count - i]);
	for (guint worker = 0; !turn && worker < count; worker++)
		for (guint i = 1; i < count; i++)
			if (g_ascii_strtoull(lines[i], NULL, 10) == worker)
				g_string_append_printf(out, "\n%s", lines[i]);
	return g_string_free(out, FALSE);
}

static void test_shuffled(void)
{
	g_autofree char *text = record("--policy persistent");
	g_autofree char *sorted = reorder(text, false);
	g_autofree char *turned = reorder(text, true);
	g_autofree char *words = g_strconcat(problem, " --against", NULL);

	expect_file(sorted, words, SOUND, "sound");
	expect_file(turned, problem, UNSOUND, "two items at once");
	expect_file(turned, words, UNSOUND, "not the plan's item");
}

/* Against another plan than the one that ran, and against the right one with a line changed. */
static void test_against(void)
{
	static const struct {
		const char *ran, *compared, *says;
	} rows[] = {
		{"--policy persistent", "--policy persistent --order row",
			"not the plan's item: line 3: worker 1 has as its item 0"},
		{"--policy persistent", "--policy persistent --workers 6",
			"but the plan has workers 0 to 5"},
		{"--policy persistent", "--policy persistent --workers 9",
			"items of the plan left out; the first: worker 7 has done 0 items"},
		{"--policy worksteal --mode global", "--policy worksteal --mode slots --xcds 4",
			"not the worker's queue"},
		{"--policy worksteal --mode global", "--policy persistent --order row",
			"not the plan's item"},
		{"--policy worksteal --mode slots --xcds 4",
			"--policy worksteal --xcds 4 --counters 2", "wrong counter"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = record(rows[i].ran);
		/* Of an option that is given twice the second value counts. */
		g_autofree char *words =
			g_strconcat(problem, " --against ", rows[i].compared, NULL);

		expect_file(text, words, UNSOUND, rows[i].says);
	}
	expect_file("worker,m,n\n0,0,0\n0,0,1\n0,0,2\n",
		"--m 1 --n 2 --k 1 --block 1x1x1 --workers 1 --order row --against", UNSOUND,
		"item beyond the plan");
	expect_file("worker,m,n\n0,0,1\n0,0,0\n",
		"--m 1 --n 2 --k 1 --block 1x1x1 --workers 1 --order row --policy worksteal --xcds "
		"1 "
		"--against",
		UNSOUND, "number 0 of its counter, after having claimed number 1");
	expect_file("worker,xcd,m,n\n0,1,0,1\n0,1,0,0\n",
		"--m 1 --n 2 --k 1 --block 1x1x1 --workers 2 --order row --policy worksteal --xcds "
		"2 "
		"--against --domain hardware",
		SOUND, "sound");
	expect_file("worker,xcd,m,n\n0,2,0,1\n0,2,0,0\n",
		"--m 1 --n 2 --k 1 --block 1x1x1 --workers 2 --order row --policy worksteal --xcds "
		"2 "
		"--against --domain hardware",
		UNSOUND, "no such domain");
}

static void test_long_lines(void)
{
	g_autoptr(GString) text = g_string_new("m,n\n0,");

	for (gsize i = 0; i < (1 << 20) - 3; i++)
		g_string_append_c(text, ' ');
	g_string_append(text, "0\n");
	expect("check - --tiles 1x1", text->str, text->len, SOUND, "sound");
	g_string_insert(text, 5, "  ");
	expect("check - --tiles 1x1", text->str, text->len, REFUSED,
		"line 2: is longer than 1048576");
	g_string_truncate(text, 0);
	for (gsize i = 0; i < 3 << 20; i++)
		g_string_append_c(text, i % 7 == 0 ? '\0' : 'x');
	expect("check - --tiles 1x1", text->str, text->len, REFUSED, "line 1: is longer");
}

static void test_bytes(void)
{
	static const char marked[] = "\xef\xbb\xbfm,n\n0,0\n";
	static const char binary[] = "\x7f"
				     "ELF\x02\x01\x01\n\x01\x02";

	expect("check - --tiles 1x1", marked, strlen(marked), SOUND, "sound");
	expect("check - --tiles 1x1", binary, sizeof binary, REFUSED, "'\\x7fELF\\x02\\x01");
	expect("check - --tiles 1x1", "\0m,n\n", 5, REFUSED, "'\\x00m'");
	expect("check - --tiles 1x1", "m,n\n0,\0\n", 8, REFUSED, "column n: '\\x00'");
	expect("check - --tiles 1x1", "{\"m\":0,\"n\":0}\n{\"m\0\":0}", 22, REFUSED,
		"column m\\x00: the first");
}

static void test_pipe(void)
{
	static const char text[] = "worker,m,n\n1,0,0\n2,0,0\n";

	expect("check - --tiles 1x1", text, strlen(text), UNSOUND,
		"worker 2 computes tile (0,0) k [0, 1), some of which was already done (by whom is "
		"only "
		"known for a file");
	expect("check - --tiles 1x1", text, strlen(text), UNSOUND,
		"repeat with  tilesim check - --tiles 1x1\n");
}

static void test_json(void)
{
	static const char text[] = "worker,m,n\n1,0,0\n2,0,0\n";
	struct outcome o = run("check - --tiles 1x1 --format json", text, strlen(text));
	JsonParser *parser = json_parser_new();
	JsonObject *root, *fault;

	g_assert_cmpint(o.code, ==, UNSOUND);
	g_assert_true(json_parser_load_from_data(parser, o.text, -1, NULL));
	root = json_node_get_object(json_parser_get_root(parser));
	g_assert_cmpstr(json_object_get_string_member(root, "verdict"), ==, "tile computed twice");
	g_assert_cmpint(json_object_get_int_member(root, "items"), ==, 2);
	fault = json_array_get_object_element(json_object_get_array_member(root, "faults"), 0);
	g_assert_cmpint(json_object_get_int_member(fault, "line"), ==, 3);
	g_assert_cmpint(json_object_get_int_member(fault, "count"), ==, 1);
	g_object_unref(parser);
	g_free(o.text);
}

/* Peak memory in KiB of a check of 1000 x 1000 tiles, each in `pieces` lines, tile by tile or, with
 * all first pieces in front of all second ones, in rounds. */
static long memory(unsigned pieces, bool rounds)
{
	char *argv[] = {(char *)g_getenv("TILESIM"), (char[]){"check"}, (char[]){"-"},
		(char[]){"--tiles"}, (char[]){"1000x1000"}, (char[]){"--k-iterations"},
		(char[]){"4"}, NULL};
	unsigned outer = rounds ? pieces : 1, inner = rounds ? 1 : pieces;
	struct rusage usage;
	int input, output = open("/dev/null", O_WRONLY | O_CLOEXEC), status;
	FILE *pipe;
	GPid pid;

	g_assert_true(g_spawn_async_with_pipes_and_fds(NULL, (const char *const *)argv, NULL,
		G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, -1, output, -1, NULL, NULL, 0, &pid, &input,
		NULL, NULL, NULL));
	pipe = fdopen(input, "w");
	fputs("worker,m,n,k_begin,k_end\n", pipe);
	for (unsigned o = 0; o < outer; o++)
		for (unsigned tile = 0; tile < 1000000; tile++)
			for (unsigned i = 0; i < inner; i++) {
				unsigned piece = o * inner + i;

				fprintf(pipe, "%u,%u,%u,%u,%u\n", tile % 132, tile / 1000,
					tile % 1000, piece * 4 / pieces, (piece + 1) * 4 / pieces);
			}
	fclose(pipe);
	close(output);
	g_assert_cmpint(wait4(pid, &status, 0, &usage), ==, pid);
	g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return usage.ru_maxrss;
}

static void test_memory(void)
{
	long few;

	if (!g_test_slow()) {
		g_test_skip("a sanitizer needs memory of its own");
		return;
	}
	few = memory(1, false);
	g_assert_cmpint(memory(4, false), <, few + 1024);
	/* A million tiles that are begun and not complete: 24 bytes each in a table half full. */
	g_assert_cmpint(memory(4, true), <, few + 96 * 1024);
}

static void add_cases(void)
{
	g_autofree char *path = g_build_filename(samples, "cases.ini", NULL);
	g_auto(GStrv) sections = NULL;
	g_autoptr(GError) error = NULL;

	cases = g_key_file_new();
	g_key_file_load_from_file(cases, path, G_KEY_FILE_NONE, &error);
	g_assert_no_error(error);
	sections = g_key_file_get_groups(cases, NULL);
	for (size_t i = 0; sections[i] != NULL; i++) {
		g_autofree char *name = g_strconcat("/check/", sections[i], NULL);

		g_test_add_data_func_full(name, g_strdup(sections[i]), test_case, g_free);
	}
}

int main(int argc, char **argv)
{
	int code;

	g_test_init(&argc, &argv, NULL);
	/* A refusal closes its input before all of it is written. */
	signal(SIGPIPE, SIG_IGN);
	folder = g_dir_make_tmp("tilesim-check-XXXXXX", NULL);
	samples = g_build_filename(g_getenv("TILESIM_SOURCE"), "tests/data/traces", NULL);
	add_cases();
	g_test_add_func("/check/records", test_records);
	g_test_add_func("/check/shuffled", test_shuffled);
	g_test_add_func("/check/against", test_against);
	g_test_add_func("/check/long lines", test_long_lines);
	g_test_add_func("/check/bytes", test_bytes);
	g_test_add_func("/check/pipe", test_pipe);
	g_test_add_func("/check/json", test_json);
	g_test_add_func("/check/memory", test_memory);
	code = g_test_run();
	for (const char *const *name = (const char *const[]){"trace", "records", "output", NULL};
		*name != NULL; name++) {
		g_autofree char *path = g_build_filename(folder, *name, NULL);

		g_unlink(path);
	}
	g_rmdir(folder);
	g_free(folder);
	g_free(samples);
	g_key_file_free(cases);
	return code;
}
