/* Commands: one file and one row of the table in main.c each. */
#ifndef TS_COMMAND_H
#define TS_COMMAND_H

#include <glib.h>

enum ts_exit {
	TS_EXIT_OK = 0,
	TS_EXIT_UNSOUND = 1, /* the verifier found a fault */
	TS_EXIT_USAGE = 2,   /* a refusal */
	TS_EXIT_ABSENT = 77  /* there is no GPU that could be used */
};

/* Runs with argv[0] being the command's name; returns an exit code. With TS_EXIT_USAGE `error` says
 * why and main() prints it. */
typedef int ts_command_fn(int argc, char **argv, GError **error);

ts_command_fn ts_simulate_command, ts_verify_command, ts_explore_command, ts_compare_command,
	ts_plot_command, ts_roles_command, ts_policies_command, ts_devices_command,
	ts_check_command, ts_tune_command, ts_gpu_command;

#endif
