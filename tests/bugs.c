/* Public scheduling faults: each is found and named, and its right form passes. bugs/cases.ini
 * lists them, with the project and the thread that each comes from. */
#include <glib/gstdio.h>
#include <stdbool.h>
#include <string.h>

enum { SOUND, UNSOUND };

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

/* Runs one form; returns what it printed, on both streams, and its exit code. Free with g_free().
 */
static char *run(const char *name, bool right, int *ret_code)
{
	g_auto(GStrv) argv = words(name, right);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	g_autoptr(GError) error = NULL;
	gint64 began = g_get_monotonic_time();
	int status;

	g_spawn_sync(folder, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, &error);
	g_assert_no_error(error);
	g_test_message("%s form: %.2f s", right ? "right" : "faulty",
		(double)(g_get_monotonic_time() - began) / G_USEC_PER_SEC);
	*ret_code = SOUND;
	if (!g_spawn_check_wait_status(status, &error))
		*ret_code = error->domain == G_SPAWN_EXIT_ERROR ? error->code : -1;
	return g_strconcat(out, err, NULL);
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
	if (faulty_code != UNSOUND || !has_any(faulty, faults) || strstr(faulty, named) == NULL)
		g_test_fail_printf("%s: not exit code 1 with \"%s\" and \"%s\", but %d: %s", name,
			faults[0], named, faulty_code, faulty);
	right = run(name, true, &right_code);
	if (right_code != SOUND)
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
