/* tilesim: the table of commands. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "sim/command.h"
#include "sim/refuse.h"

struct command {
	const char *name;
	ts_command_fn *run;
	const char *help;
};

static ts_command_fn help_command;

static const struct command commands[] = {
	{"verify", ts_verify_command, "check schedules of many shapes, without simulating time"},
	{"explore", ts_explore_command, "try every order of events of a small schedule"},
	{"roles", ts_roles_command, "check the barriers between the roles of a persistent kernel"},
	{"check", ts_check_command, "check a trace that a kernel recorded"},
	{"gpu", ts_gpu_command, "run schedules inside kernels on the GPU that is there"},
	{"compare", ts_compare_command, "simulate policies side by side over shapes"},
	{"tune", ts_tune_command, "rank tiles, clusters and policies for a shape"},
	{"plot", ts_plot_command, "draw a run: balance, finish times, maps of the output"},
	{"policies", ts_policies_command, "list policies, orders and remaps, or explain one"},
	{"devices", ts_devices_command, "list devices, or show one with its sources"},
	{"help", help_command, "show this"},
};

static int help_command(int argc, char **argv, GError **error)
{
	if (argc > 1) {
		ts_refuse(error,
			"'%s': help takes no argument; `tilesim %s --help` explains a command",
			argv[1], argv[1]);
		return TS_EXIT_USAGE;
	}
	g_print("tilesim simulates and verifies how a GPU kernel deals its output tiles to "
		"workers.\n\n"
		"  tilesim [OPTION...]          simulate one schedule and verify it\n");
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		g_print("  tilesim %-8s [OPTION...] %s\n", commands[i].name, commands[i].help);
	g_print("\nEach takes --help. Try:\n\n"
		"  tilesim --policy worksteal --xcds 8\n"
		"  tilesim verify --policy all --m 1:600:37 --n 1:600:53\n"
		"  tilesim compare --shapes llama3-8b\n\n"
		"Exit codes: 0 all is well, 1 a schedule is unsound, 2 the input was refused,\n"
		"77 there is no GPU.\n");
	return TS_EXIT_OK;
}

static int run(int argc, char **argv, GError **error)
{
	if (argc < 2 || argv[1][0] == '-')
		return ts_simulate_command(argc, argv, error);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1, error);
	ts_refuse(error, "there is no command '%s'; `tilesim help` lists them", argv[1]);
	return TS_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	int code;

	/* For file names in messages; never for numbers, whose form must not depend on the user. */
	setlocale(LC_CTYPE, "");
	g_set_prgname("tilesim");
	code = run(argc, argv, &error);
	if (error != NULL)
		g_printerr("tilesim: %s\n", error->message);
	if ((fflush(stdout) != 0 || ferror(stdout) != 0) && code == TS_EXIT_OK) {
		g_printerr("tilesim: standard output cannot be written\n");
		code = TS_EXIT_USAGE;
	}
	return code;
}
