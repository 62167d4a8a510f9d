/* Calls a target with each of the files that are named, or that lie in folders that are named. Each
 * path is printed before its turn, so that the last one is the culprit of a crash. */
#include <stdio.h>

#include "tests/fuzz/target.h"

static int by_name(gconstpointer a, gconstpointer b)
{
	return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

static void add_folder(GPtrArray *paths, const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir != NULL && (name = g_dir_read_name(dir)) != NULL)
		g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
}

int main(int argc, char **argv)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

	for (int i = 1; i < argc; i++) {
		if (g_file_test(argv[i], G_FILE_TEST_IS_DIR))
			add_folder(paths, argv[i]);
		else
			g_ptr_array_add(paths, g_strdup(argv[i]));
	}
	g_ptr_array_sort(paths, by_name);
	for (guint i = 0; i < paths->len; i++) {
		const char *path = g_ptr_array_index(paths, i);
		g_autofree char *text = NULL;
		g_autofree uint8_t *data = NULL;
		gsize size;

		printf("%s\n", path);
		fflush(stdout);
		if (!g_file_get_contents(path, &text, &size, NULL)) {
			fprintf(stderr, "%s cannot be read\n", path);
			return 1;
		}
		/* Exactly as large as the input, so that ASan sees who reads behind it. */
		data = g_malloc(size);
		for (gsize j = 0; j < size; j++)
			data[j] = (uint8_t)text[j];
		LLVMFuzzerTestOneInput(data, size);
	}
	return paths->len > 0 ? 0 : 1;
}
