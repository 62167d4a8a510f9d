/* What files of policies may not do: each is refused or stopped with one line that says what is
 * wrong with it, and leaves nothing behind. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tests/call.h"

static char *folder; /* the files', and for what the program leaves in its temporary folder */

/* A right policy, whose parts a row may take the place of: each is a macro then. */
static const char frame[] =
	"#include <tilesim/rules.h>\n"
	"%s\n"
	"#ifndef NEXT\n"
	"#define NEXT\n"
	"#endif\n"
	"#ifndef PLAN\n"
	"#define PLAN\n"
	"#endif\n"
	"#ifndef ITEMS\n"
	"#define ITEMS p->items\n"
	"#endif\n"
	"#ifndef RULES\n"
	"#define RULES\n"
	"#endif\n"
	"static inline struct ts_step next(\n"
	"	const struct ts_plan *p, struct ts_worker *w, uint32_t answer)\n"
	"{\n"
	"	NEXT;\n"
	"	w->claiming ^= 1;\n"
	"	if (w->claiming == 1)\n"
	"		return ts_claim(0);\n"
	"	return answer < p->items ? ts_order_item(p, answer) : ts_stop();\n"
	"}\n"
	"static inline enum ts_status plan(struct ts_plan *p, const struct ts_spec *spec)\n"
	"{\n"
	"	(void)spec;\n"
	"	p->remap_span = p->items;\n"
	"	p->counters = 1;\n"
	"	PLAN;\n"
	"	return TS_OK;\n"
	"}\n"
	"static inline uint32_t items(const struct ts_plan *p, uint32_t counter)\n"
	"{\n"
	"	(void)counter;\n"
	"	return ITEMS;\n"
	"}\n"
	"static inline enum ts_promise promise(const struct ts_plan *p)\n"
	"{\n"
	"	(void)p;\n"
	"	return TS_NEEDS_ANY;\n"
	"}\n"
	"static inline struct ts_rules ts_user_rules(void)\n"
	"{\n"
	"	struct ts_rules rules = ts_rules_make(\"tickets\", \"\", next);\n"
	"	rules.policy.plan = plan;\n"
	"	rules.policy.counter_items = items;\n"
	"	rules.policy.promise = promise;\n"
	"	RULES;\n"
	"	return rules;\n"
	"}\n";

static const struct file {
	const char *sentence, *text;
	int code;
	const char *says; /* on either output; on stderr there is a line at most */
} files[] = {
	{"nothing wrong", "", 0, "sound"},
	{"a counter that is not drained", "#define ITEMS p->items + 5000", 1,
		"of its 5004 items left, though all tiles are computed"},
	{"a workspace without end", "#define PLAN p->workspace = 0xffffffff", 1,
		"plan() asks for a workspace of 4294967295 slots"},
	{"a workspace of one slot too many", "#define PLAN p->workspace = 4 * 128 + 1", 1,
		"there are 512"},
	{"no domains", "#define PLAN p->domains = 0", 1, "plan() changes the number of domains"},
	{"a collective of its own", "#define PLAN p->collective = TS_ALL_GATHER", 1,
		"plan() changes the chunks"},
	{"launches without a counter", "#define PLAN p->launches = 1, p->counters = 0", 1,
		"plan() sets launches"},
	{"a status of its own", "#define PLAN return (enum ts_status)999", 1, "an enum ts_status"},
	{"no workers", "#define PLAN p->workers = 0", 2, "workers must be from 1"},
	{"more counters than there is memory", "#define PLAN p->counters = 0xffffffff", 2,
		"more counters than there are"},
	{"a recursion without end",
		"static uint32_t sink(volatile uint32_t *above)\n"
		"{\n"
		"	volatile uint32_t here[999] = {*above + 1};\n"
		"	return sink(here) + here[0];\n"
		"}\n"
		"#define NEXT answer = sink(&w->id)",
		1, "access to memory that is not there, or a recursion without end"},
	{"a recursion without end in plan()",
		"static uint32_t sink(volatile uint32_t *above)\n"
		"{\n"
		"	volatile uint32_t here[999] = {*above + 1};\n"
		"	return sink(here) + here[0];\n"
		"}\n"
		"#define PLAN p->counters = sink(&p->counters)",
		1, "access to memory that is not there, or a recursion without end"},
	{"a division by zero", "#define NEXT answer %= (volatile uint32_t){0}", 1,
		"division by zero"},
	{"an overflow", "#define NEXT answer += (uint32_t)(2147483647 + (volatile int){1})", 1,
		"an integer overflows"},
	{"a loop without end in plan()", "#define PLAN for (volatile int i = 0;; i = i)", 1,
		"has not returned from one call for 5 seconds"},
	{"an end of the program",
		"#include <stdlib.h>\n"
		"#define RULES exit(0)",
		1, "must not call exit()"},
	{"an abort as it is loaded",
		"#include <stdlib.h>\n"
		"#define RULES abort()",
		1, "abort(), or an assertion that failed"},
	{"a plan that is written to", "#define NEXT ((struct ts_plan *)(uintptr_t)p)->m++", 1,
		"next() changed the plan"},
	{"a memory of its own", "#define NEXT static uint32_t i; w->turn = i++", 1,
		"pure function"},
	{"a function left out", "#define RULES rules.next = 0", 2, "leaves a function out"},
};

/* Is the folder empty but for the file of the policy, and records that are whole? */
static bool is_clean(void)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;
	bool clean = true;

	while ((name = g_dir_read_name(dir)) != NULL)
		clean = clean && (strcmp(name, "mine.h") == 0 || strcmp(name, "r.csv") == 0);
	return clean;
}

static void test_file(gconstpointer data)
{
	const struct file *row = data;
	g_autofree char *path = g_build_filename(folder, "mine.h", NULL);
	g_autofree char *records = g_build_filename(folder, "r.csv", NULL);
	g_autofree char *text = g_strdup_printf(frame, row->text);
	static const char *const commands[] = {"--records r.csv", "verify"};

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *words =
			g_strconcat(commands[i], " --policy-file mine.h --m 512 --n 512", NULL);
		struct call c = ts_call(folder, words);
		const char *end = strchr(c.err, '\n');

		if (c.code != row->code ||
			(strstr(c.out, row->says) == NULL && strstr(c.err, row->says) == NULL) ||
			(end != NULL && end[1] != '\0'))
			g_test_fail_printf("tilesim %s: exit code %d, or not one line with %s: "
					   "%s%s",
				words, c.code, row->says, c.out, c.err);
		if (!is_clean())
			g_test_fail_printf("tilesim %s leaves files behind", words);
		ts_call_finish(&c);
	}
	g_unlink(records);
	g_unlink(path);
}

/* As many partial sums as such a problem can have, but not as a machine has room for. */
static void test_too_large(void)
{
	static const char *const commands[] = {"", "verify"};
	g_autofree char *path = g_build_filename(folder, "mine.h", NULL);
	g_autofree char *text = g_strdup_printf(frame, "#define PLAN p->workspace = 0xffffffff");

	if ((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) > 340000000000) {
		g_test_skip("this machine has room for it");
		return;
	}
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *words = g_strconcat(commands[i],
			" --policy-file mine.h --m 2147483647 --n 256 --k 65536", NULL);
		struct call c = ts_call(folder, words);

		g_assert_cmpint(c.code, ==, 2);
		g_assert_nonnull(strstr(c.err, "4294967295 slots for partial sums take 17"));
		g_assert_true(is_clean());
		ts_call_finish(&c);
	}
	g_unlink(path);
}

/* One that another run is compared with is gone when the other goes on. */
static void test_two_files(void)
{
	static const char *const names[] = {"mine.h", "other.h"};
	struct call c;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(folder, names[i], NULL);
		g_autofree char *text = g_strdup_printf(frame, "");

		g_assert_true(g_file_set_contents(path, text, -1, NULL));
	}
	c = ts_call(folder, "--policy-file mine.h --no-slower-than '--policy-file other.h'");
	g_assert_cmpint(c.code, ==, 0);
	g_assert_cmpstr(c.err, ==, "");
	ts_call_finish(&c);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(folder, names[i], NULL);

		g_unlink(path);
	}
}

int main(int argc, char **argv)
{
	int code;

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	folder = g_dir_make_tmp("tilesim-files-XXXXXX", NULL);
	g_assert_nonnull(folder);
	g_setenv("TMPDIR", folder, TRUE);
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_strdup_printf("/policy files/%s", files[i].sentence);

		g_test_add_data_func(path, &files[i], test_file);
	}
	g_test_add_func("/policy files/more than there is memory for", test_too_large);
	g_test_add_func("/policy files/two of them", test_two_files);
	code = g_test_run();
	g_rmdir(folder);
	g_free(folder);
	return code;
}
