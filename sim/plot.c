/* tilesim plot: draw a run with gnuplot. */
#include "sim/command.h"
#include "sim/refuse.h"

int ts_plot_command(int argc, char **argv, GError **error)
{
	(void)argc;
	(void)argv;
	ts_refuse(error, "to be written");
	return TS_EXIT_USAGE;
}
