/* Public scheduling faults: each is found and named, and its right form passes. bugs/cases.ini
 * lists them, with the project and the thread that each comes from. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { SOUND, UNSOUND, HUNG = -2 };

/* Of one run, on a machine with other work and under sanitizers too. */
enum { DEADLINE_MS = 60000 };

static char *folder;  /* where the calls run */
static char *samples; /* tests/bugs */
static GKeyFile *cases;

/* Of a case's key; NULL where it is not there. Free with g_free(). */
static char *value(const char *name, const char *key)
{
	return g_key_file_get_string(cases, name, key, NULL);
}

/* Writes a policy file that is the faulty or the right form of `header`. */
static void write_form(const char *header, bool right)
{
	g_autofree char *path = g_build_filename(folder, header, NULL);
	g_autofree char *text = g_strdup_printf(
		"enum { FIXED = %d };\n#include \"%s/%s\"\n", right, samples, header);
	g_autoptr(GError) error = NULL;

	g_file_set_contents(path, text, -1, &error);
	g_assert_no_error(error);
}

/* The words of the case's command, %f being its file and %d the folder of all. */
static char **words(const char *name, bool right)
{
	g_autofree char *file = value(name, right ? "right-file" : "file");
	g_autofree char *command = value(name, right ? "right-command" : "command");
	g_autoptr(GString) line = g_string_new("tilesim ");
	g_autoptr(GError) error = NULL;
	char **argv;

	if (file == NULL)
		file = value(name, "file");
	if (command == NULL)
		command = value(name, "command");
	g_assert_nonnull(command);
	g_string_append(line, command);
	if (file != NULL && g_str_has_suffix(file, ".h"))
		write_form(file, right);
	else if (file != NULL)
		g_string_replace(line, "%f", "%d/%f", 0);
	if (file != NULL)
		g_string_replace(line, "%f", file, 0);
	g_string_replace(line, "%d", samples, 0);
	g_shell_parse_argv(line->str, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	return argv;
}

/* A child with a deadline. Its own children are in its group of processes and end with it. */
struct child {
	GSubprocess *process;
	char *out, *err;
	bool ended, hung;
};

static void lead_group(gpointer data)
{
	(void)data;
	setpgid(0, 0);
}

static gboolean end_child(gpointer data)
{
	struct child *child = data;
	const char *id = g_subprocess_get_identifier(child->process);

	child->hung = true;
	if (id != NULL)
		kill(-(pid_t)g_ascii_strtoll(id, NULL, 10), SIGKILL);
	return G_SOURCE_REMOVE;
}

static void take_output(GObject *object, GAsyncResult *result, gpointer data)
{
	struct child *child = data;
	g_autoptr(GError) error = NULL;

	(void)object;
	g_subprocess_communicate_utf8_finish(
		child->process, result, &child->out, &child->err, &error);
	g_assert_no_error(error);
	child->ended = true;
}

/* Runs a command; returns what it printed, on both streams, and its exit code, or HUNG if it was
 * ended after `deadline_ms`. Free with g_free(). */
static char *run_argv(char *const *argv, guint deadline_ms, int *ret_code)
{
	g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(
		G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
	g_autoptr(GError) error = NULL;
	struct child child = {0};
	guint deadline;
	char *text;

	g_subprocess_launcher_set_cwd(launcher, folder);
	g_subprocess_launcher_set_child_setup(launcher, lead_group, NULL, NULL);
	child.process = g_subprocess_launcher_spawnv(
		launcher, (const char *const *)(gconstpointer)argv, &error);
	g_assert_no_error(error);
	deadline = g_timeout_add(deadline_ms, end_child, &child);
	g_subprocess_communicate_utf8_async(child.process, NULL, NULL, take_output, &child);
	while (!child.ended)
		g_main_context_iteration(NULL, TRUE);
	if (child.hung)
		*ret_code = HUNG;
	else if (g_subprocess_get_if_exited(child.process))
		*ret_code = g_subprocess_get_exit_status(child.process);
	else
		*ret_code = -1;
	if (!child.hung)
		g_source_remove(deadline);
	text = g_strconcat(child.out, child.err, NULL);
	g_free(child.out);
	g_free(child.err);
	g_object_unref(child.process);
	return text;
}

/* Runs one form of a case, as run_argv() does. */
static char *run(const char *name, bool right, int *ret_code)
{
	g_auto(GStrv) argv = words(name, right);
	gint64 began = g_get_monotonic_time();
	char *text = run_argv(argv, DEADLINE_MS, ret_code);

	g_test_message("%s form: %.2f s", right ? "right" : "faulty",
		(double)(g_get_monotonic_time() - began) / G_USEC_PER_SEC);
	if (*ret_code == HUNG)
		g_test_fail_printf("%s: the %s form was ended after %d s: %s", name,
			right ? "right" : "faulty", DEADLINE_MS / 1000, text);
	return text;
}

static bool has_any(const char *text, char **parts)
{
	for (size_t i = 0; parts[i] != NULL; i++)
		if (strstr(text, parts[i]) != NULL)
			return true;
	return false;
}

static void test_case(gconstpointer data)
{
	const char *name = data;
	g_auto(GStrv) faults = g_key_file_get_string_list(cases, name, "fault", NULL, NULL);
	g_autofree char *named = value(name, "text");
	g_autofree char *faulty = NULL;
	g_autofree char *right = NULL;
	int faulty_code, right_code;

	g_assert_nonnull(faults);
	g_assert_nonnull(named);
	faulty = run(name, false, &faulty_code);
	if (faulty_code == HUNG)
		return;
	if (faulty_code != UNSOUND || !has_any(faulty, faults) || strstr(faulty, named) == NULL)
		g_test_fail_printf("%s: not exit code 1 with \"%s\" and \"%s\", but %d: %s", name,
			faults[0], named, faulty_code, faulty);
	right = run(name, true, &right_code);
	if (right_code != SOUND && right_code != HUNG)
		g_test_fail_printf(
			"%s: the right form has exit code %d: %s", name, right_code, right);
}

/* What a file's name must look like to be a sample. */
static bool is_sample(const char *name)
{
	return name[0] == 'b' && g_ascii_isdigit(name[1]);
}

/* Every sample belongs to a case, and every case's samples are there. */
static void test_listed(void)
{
	g_autofree char *text = g_key_file_to_data(cases, NULL, NULL);
	g_autoptr(GDir) dir = g_dir_open(samples, 0, NULL);
	g_auto(GStrv) names = g_key_file_get_groups(cases, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir)) != NULL)
		if (is_sample(name) && strstr(text, name) == NULL)
			g_test_fail_printf("bugs/%s: no case in cases.ini has it", name);
	for (size_t i = 0; names[i] != NULL; i++) {
		const char *keys[] = {"file", "right-file"};

		for (size_t j = 0; j < G_N_ELEMENTS(keys); j++) {
			g_autofree char *file = value(names[i], keys[j]);
			g_autofree char *path =
				file == NULL ? NULL : g_build_filename(samples, file, NULL);

			if (path != NULL && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
				g_test_fail_printf("%s: bugs/%s is not there", names[i], file);
		}
	}
}

/* Each case says where it comes from, what it is, and which of the corpus' checks finds it. */
static void test_described(void)
{
	static const char *const keys[] = {"source", "what", "check"};
	g_auto(GStrv) names = g_key_file_get_groups(cases, NULL);

	for (size_t i = 0; names[i] != NULL; i++)
		for (size_t j = 0; j < G_N_ELEMENTS(keys); j++) {
			g_autofree char *text = value(names[i], keys[j]);

			if (text == NULL || text[0] == '\0')
				g_test_fail_printf("%s: has no %s", names[i], keys[j]);
		}
}

/* A run that hangs is ended, with what it has started, and told from one that fails. */
static void test_deadline(void)
{
	char *hangs[] = {(char *)"sh", (char *)"-c", (char *)"echo begun; sleep 600 & wait", NULL};
	char *killed[] = {(char *)"sh", (char *)"-c", (char *)"kill -9 $$", NULL};
	char *fails[] = {(char *)"sh", (char *)"-c", (char *)"echo no >&2; exit 3", NULL};
	gint64 began = g_get_monotonic_time();
	g_autofree char *text = NULL;
	int code;

	text = run_argv(hangs, 300, &code);
	g_assert_cmpint(code, ==, HUNG);
	g_assert_cmpint(g_get_monotonic_time() - began, <, 300 * G_USEC_PER_SEC);
	g_free(text);
	text = run_argv(killed, DEADLINE_MS, &code);
	g_assert_cmpint(code, ==, -1);
	g_free(text);
	text = run_argv(fails, DEADLINE_MS, &code);
	g_assert_cmpint(code, ==, 3);
	g_assert_cmpstr(text, ==, "no\n");
}

static void remove_folder(void)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_unlink(path);
	}
	g_rmdir(folder);
}

int main(int argc, char **argv)
{
	g_auto(GStrv) names = NULL;
	g_autofree char *list = NULL;
	g_autoptr(GError) error = NULL;
	int code;

	g_test_init(&argc, &argv, NULL);
	samples = g_build_filename(g_getenv("TILESIM_SOURCE"), "tests", "bugs", NULL);
	list = g_build_filename(samples, "cases.ini", NULL);
	cases = g_key_file_new();
	g_key_file_load_from_file(cases, list, G_KEY_FILE_NONE, &error);
	g_assert_no_error(error);
	folder = g_dir_make_tmp("tilesim-bugs-XXXXXX", &error);
	g_assert_no_error(error);
	names = g_key_file_get_groups(cases, NULL);
	g_test_add_func("/bugs/listed", test_listed);
	g_test_add_func("/bugs/described", test_described);
	g_test_add_func("/bugs/deadline", test_deadline);
	for (size_t i = 0; names[i] != NULL; i++) {
		g_autofree char *path = g_strconcat("/bugs/", names[i], NULL);

		g_test_add_data_func(path, names[i], test_case);
	}
	code = g_test_run();
	remove_folder();
	g_free(folder);
	g_free(samples);
	g_key_file_free(cases);
	return code;
}
