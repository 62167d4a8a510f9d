/* Does the verifier's memory depend on how many shapes it checks? It must not: nothing is kept from
 * one request to the next. Fails where a hundred times the shapes take a mebibyte more. */
#include <glib.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALLOWED_KIB = 1024 };

/* Peak resident memory of one `tilesim verify` in KiB, or 0 where it failed. */
static long peak(const char *policy, const char *shapes)
{
	char *argv[] = {g_strdup(g_getenv("TILESIM")), g_strdup("verify"), g_strdup("--jobs"),
		g_strdup("1"), g_strdup("--m"), g_strdup("4096"), g_strdup("--n"), g_strdup("4096"),
		g_strdup("--k"), g_strdup(shapes), g_strdup("--policy"), g_strdup(policy), NULL};
	struct rusage usage = {0};
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (freopen("/dev/null", "w", stdout) != NULL)
			execv(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
		usage.ru_maxrss = 0;
	for (size_t i = 0; argv[i] != NULL; i++)
		g_free(argv[i]);
	return usage.ru_maxrss;
}

int main(void)
{
	static const char *const policies[] = {"data-parallel", "persistent", "worksteal"};
	int code = 0;

	printf("# peak memory of verify, 4096 x 4096 x k for 100 and for 10000 values of k\n");
	printf("# %-14s %9s %9s\n", "policy", "100, KiB", "10^4, KiB");
	for (size_t i = 0; i < G_N_ELEMENTS(policies); i++) {
		long few = peak(policies[i], "1:100");
		long many = peak(policies[i], "1:10000");

		printf("  %-14s %9ld %9ld\n", policies[i], few, many);
		if (few == 0 || many == 0 || many > few + ALLOWED_KIB)
			code = 1;
	}
	return code;
}
