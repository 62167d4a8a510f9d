/* Goals: each one is missed by a schedule that was planted for it, with figures worked out by hand,
 * and met where the limit is just what the schedule has. */
#include <glib/gstdio.h>
#include <stdbool.h>
#include <string.h>

#include "tests/call.h"

static char *folder;

struct limit {
	const char *sentence, *words;
	const char *missed, *met; /* the goal, out of reach and just in reach */
	const char *says;         /* of the one that is missed */
};

/* Of simulations and walks alike, 4 SMs with one L2 unless the words say otherwise. */
static const struct limit limits[] = {
	{"a worker that was launched for nothing", "--policy persistent --m 3 --n 1 --k 1",
		"--max-empty 24.9", "--max-empty 25",
		"empty workers: 1 of 4 launched workers (25.0 %) compute nothing, the first of "
		"them worker 3; --max-empty allows 24.9"},
	{"no worker more than there are items", "--policy data-parallel --m 9 --n 1 --k 1", NULL,
		"--max-empty 0", NULL},
	{"an empty problem", "--policy persistent --m 0 --n 1 --k 1", NULL,
		"--max-empty 0 --max-idle 0 --min-split 9 --max-panels 0", NULL},
	{"k iterations that could be shared", "--policy persistent --m 1 --n 1 --k 3",
		"--max-idle 66", "--max-idle 67",
		"idle workers: 1 of 4 workers compute something, where 3 could share the work: "
		"66.7 % of these are idle; --max-idle allows 66"},
	{"one k iteration", "--policy persistent --m 1 --n 1 --k 1", NULL, "--max-idle 0", NULL},
	{"more tiles than workers", "--policy data-parallel --m 9 --n 1 --k 5", NULL,
		"--max-idle 0", NULL},
	{"a launch that is too small", "--cus 16 --policy-file fix-up.h --m 3 --n 2 --k 5",
		"--max-idle 24", "--max-idle 25", "12 of 16 workers compute something"},
	{"a part of two k iterations", "--policy-file fix-up.h --m 1 --n 1 --k 5", "--min-split 3",
		"--min-split 2",
		"small split: worker 1 computes only k iterations [0, 2) of tile (0,0), 2 of 5; "
		"--min-split asks for 3"},
	{"whole tiles", "--policy persistent --m 3 --n 3 --k 5", NULL, "--min-split 1000", NULL},
	/* 9 of 9 x 9 tiles at a time: one row of A and all of B, or the other way round. */
	{"all panels of B", "--cus 9 --policy persistent --order row --m 9 --n 9 --k 1",
		"--max-b-panels 8.9", "--max-b-panels 9 --max-a-panels 1 --max-panels 10",
		"locality: 9.0 operand panels of B per wave, up to 9 in wave 1 of L2 0; "
		"--max-b-panels allows 8.9"},
	{"all panels of A", "--cus 9 --policy persistent --order column --m 9 --n 9 --k 1",
		"--max-a-panels 8.9", "--max-a-panels 9 --max-b-panels 1",
		"locality: 9.0 operand panels of A per wave, up to 9 in wave 1 of L2 0; "
		"--max-a-panels allows 8.9"},
	{"panels of both", "--cus 9 --policy persistent --swizzle 3 --m 9 --n 9 --k 1",
		"--max-panels 5.9", "--max-a-panels 3 --max-b-panels 3",
		"locality: 6.0 operand panels per wave, up to 6 in wave 1 of L2 0; --max-panels "
		"allows 5.9"},
	{"panels of clusters",
		"--cus 48 --policy persistent --cluster 2x1 --order row --m 4 --n 4 "
		"--k 1 --workers 2",
		"--max-a-panels 1", "--max-a-panels 2 --max-b-panels 2",
		"2.0 operand panels of A per wave"},
	/* Row by row in turns: XCD 0 has the even columns, two rows at a time. */
	{"panels of an XCD",
		"--device mi300x --cus 8 --xcds 2 --policy data-parallel --order row "
		"--m 4 --n 4 --k 1",
		"--max-b-panels 1", "--max-a-panels 2 --max-b-panels 2",
		"2.0 operand panels of B per wave"},
};

static void write_policy(void)
{
	g_autofree char *path = g_build_filename(folder, "fix-up.h", NULL);
	g_autofree char *text = g_strdup_printf(
		"enum { OWNERS_LAST = 0 };\n#include \"%s/tests/data/policies/fix-up.h\"\n",
		g_getenv("TILESIM_SOURCE"));
	g_autoptr(GError) error = NULL;

	g_file_set_contents(path, text, -1, &error);
	g_assert_no_error(error);
}

/* Expects exit code 0, or 1 and `says` on one line that ends with a command. Returns that command's
 * words, or NULL. Free with g_free(). */
static char *expect(const char *words, bool met, const char *says)
{
	struct call c = ts_call(folder, words);
	bool verifies = g_str_has_prefix(words, "verify");
	const char *text = verifies ? c.out : c.err;
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	const char *at = NULL;
	char *command = NULL;

	if (met) {
		if (c.code != 0 || c.err[0] != '\0')
			g_test_fail_printf("tilesim %s: %d: %s%s", words, c.code, c.out, c.err);
		ts_call_finish(&c);
		return NULL;
	}
	for (size_t i = 0; at == NULL && lines[i] != NULL; i++)
		at = strstr(lines[i], says);
	if (c.code != 1 || at == NULL) {
		g_test_fail_printf(
			"tilesim %s: %d and not \"%s\": %s%s", words, c.code, says, c.out, c.err);
		ts_call_finish(&c);
		return NULL;
	}
	at = strstr(verifies ? text : at, "repeat with  tilesim ");
	g_assert_nonnull(at);
	command = g_strdup(at + strlen("repeat with  tilesim "));
	command[strcspn(command, "\n")] = '\0';
	ts_call_finish(&c);
	return command;
}

/* By the command, which is "" for a simulation. */
static void test_limit(const char *command, const struct limit *row)
{
	g_autofree char *base = g_strdup_printf("%s --device h200 --block 1x1x1 %s", command,
		strstr(row->words, "--cus") == NULL ? "--cus 4" : "");
	g_autofree char *met = g_strjoin(" ", base, row->words, row->met, NULL);
	g_autofree char *missed = g_strjoin(" ", base, row->words, row->missed, NULL);
	g_autofree char *again = NULL;

	g_free(expect(g_strchug(met), true, NULL));
	if (row->missed == NULL)
		return;
	again = expect(g_strchug(missed), false, row->says);
	/* What is printed fails in the same way, if need be in smaller figures. */
	if (again != NULL)
		g_free(expect(again, false,
			strchr(row->says, ';') == NULL ? "" : strchr(row->says, ';')));
}

static void test_limits(gconstpointer data)
{
	test_limit("", data);
	test_limit("verify", data);
}

struct pace {
	const char *sentence, *words;
	int code;
	const char *says;
};

static const struct pace paces[] = {
	{"half of the SMs take twice as long", "--cus 4 --no-slower-than '--cus 8'", 1,
		"2.00 times as long as the "},
	{"twice the SMs do not", "--cus 8 --no-slower-than '--cus 4'", 0, ""},
	{"nothing else is not slower", "--cus 8 --no-slower-than '--cus 8'", 0, ""},
	{"another order", "--cus 8 --order row --swizzle 0 --no-slower-than '--order column'", 0,
		""},
	{"a policy without the mode of this one",
		"--cus 8 --policy worksteal --mode global --claim-ns 9e6 --no-slower-than "
		"'--policy persistent'",
		1, "slower: "},
	{"a scenario", "--cus 8 --slow sm0:2 --no-slower-than '--slow sm0:1'", 1, "2.00 times"},
	{"a policy file", "--cus 16 --no-slower-than '--policy-file fix-up.h'", 0, ""},
	{"for a policy file",
		"--cus 16 --policy-file fix-up.h --no-slower-than '--policy persistent'", 1,
		"of '--policy persistent'; repeat with  tilesim --device h200 --cus 16 "
		"--policy-file fix-up.h"},
	{"a deadlock", "--cus 8 --no-slower-than '--policy-file fix-up.h'", 2,
		"--no-slower-than: deadlock: all 8 resident workers wait"},
	{"an unsound one",
		"--cus 8 --no-slower-than '--policy worksteal --mode slots --counters 9 --m 2048'",
		2, "--no-slower-than: starvation: counter 8"},
	{"one that is refused", "--cus 8 --no-slower-than '--policy banana'", 2,
		"--no-slower-than: --policy: there is no policy 'banana'"},
	{"an unknown option", "--cus 8 --no-slower-than '--frob 3'", 2, "--frob"},
	{"no option at all", "--cus 8 --no-slower-than persistent", 2,
		"'persistent' is not an option"},
	{"an open quote", "--cus 8 --no-slower-than \"'\"", 2, "--no-slower-than"},
};

static void test_pace(gconstpointer data)
{
	const struct pace *row = data;
	g_autofree char *words = g_strjoin(" ",
		"--device h200 --policy persistent --block 128x128x64 --m 1024 --n 128 --k 1024",
		row->words, NULL);
	g_autofree char *own = NULL;
	struct call c;

	/* The row's own policy takes the place of the default one. */
	if (strstr(row->words, "--policy") == strchr(row->words + strlen("--cus "), ' ') + 1)
		own = g_strjoin(" ", "--device h200 --block 128x128x64 --m 1024 --n 128 --k 1024",
			row->words, NULL);
	c = ts_call(folder, own == NULL ? words : own);
	if (c.code != row->code || strstr(c.err, row->says) == NULL)
		g_test_fail_printf(
			"tilesim %s: %d and not \"%s\": %s", words, c.code, row->says, c.err);
	if (row->code == 2)
		g_assert_cmpstr(c.out, ==, "");
	if (row->code == 1 && c.code == 1) {
		const char *at = strstr(c.err, "repeat with  tilesim ");
		struct call again;

		g_assert_nonnull(at);
		again = ts_call(folder, at + strlen("repeat with  tilesim "));
		g_assert_cmpint(again.code, ==, 1);
		/* The same times; the options are now written out. */
		g_assert_true(strncmp(again.err, c.err, strcspn(c.err, "'")) == 0);
		ts_call_finish(&again);
	}
	ts_call_finish(&c);
}

/* The useful part of four SMs' time, of which one has nothing to do. */
static void test_useful(void)
{
	static const char words[] = "--device h200 --cus 4 --policy persistent --block 128x128x64 "
				    "--m 384 --n 128 --k 64000 --prologue-ns 0 --epilogue-ns 0 ";
	g_autofree char *missed = g_strconcat(words, "--min-useful 75.1", NULL);
	g_autofree char *met = g_strconcat(words, "--min-useful 74.9", NULL);
	g_autofree char *again = NULL;
	struct call c = ts_call(folder, "verify --min-useful 3");

	again = expect(missed, false,
		"useful time: 75.0 % of the places' time is useful; --min-useful asks for 75.1");
	g_free(expect(again, false, "--min-useful asks for 75.1"));
	g_free(expect(met, true, NULL));
	g_assert_cmpint(c.code, ==, 2);
	ts_call_finish(&c);
}

/* Each goal that is missed has a line. */
static void test_several(void)
{
	struct call c = ts_call(folder,
		"--device h200 --cus 4 --policy persistent --block 1x1x1 --m 3 --n 1 --k 3 "
		"--max-idle 0 --max-empty 0 --max-a-panels 0 --max-b-panels 1");
	g_auto(GStrv) lines = g_strsplit(c.err, "\n", -1);

	g_assert_cmpint(c.code, ==, 1);
	g_assert_cmpuint(g_strv_length(lines), ==, 4);
	g_assert_true(g_str_has_prefix(lines[0], "tilesim: idle workers: "));
	g_assert_true(g_str_has_prefix(lines[1], "tilesim: empty workers: "));
	g_assert_true(g_str_has_prefix(lines[2], "tilesim: locality: "));
	ts_call_finish(&c);
}

int main(int argc, char **argv)
{
	g_autofree char *policy = NULL;
	int code;

	g_test_init(&argc, &argv, NULL);
	folder = g_dir_make_tmp("tilesim-goals-XXXXXX", NULL);
	g_assert_nonnull(folder);
	write_policy();
	for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
		g_autofree char *path = g_strdup_printf("/goals/%s", limits[i].sentence);

		g_test_add_data_func(path, &limits[i], test_limits);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(paces); i++) {
		g_autofree char *path = g_strdup_printf("/no slower/%s", paces[i].sentence);

		g_test_add_data_func(path, &paces[i], test_pace);
	}
	g_test_add_func("/goals/useful time", test_useful);
	g_test_add_func("/goals/several at once", test_several);
	code = g_test_run();
	policy = g_build_filename(folder, "fix-up.h", NULL);
	g_unlink(policy);
	g_rmdir(folder);
	g_free(folder);
	return code;
}
