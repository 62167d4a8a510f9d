/* Scripts of the pictures: their settings, and gnuplot. */
#ifndef TS_PLOT_SCRIPT_H
#define TS_PLOT_SCRIPT_H

#include <stdio.h>

#include "sim/plot_tables.h"

/* What the scripts are told beside the tables. */
struct ts_picture {
	const char *format;            /* "png" or "svg" */
	uint64_t until;                /* ps: end of the time axis */
	uint64_t unit_ps;              /* of all times in scripts and tables */
	const char *const *conditions; /* NULL-terminated: what disturbs the run, in words */
};

/* Writes settings.gp, look.gp, map.gp and the script of each of `kinds` into `folder`. */
bool ts_plot_script_write(const struct ts_plot_tables *t, const struct ts_picture *picture,
	const char *folder, const char *const *kinds, GError **error);

/* Runs the script KIND.gp in `folder`, and copies the picture, if it is whole, to `out`. */
bool ts_plot_script_run(
	const char *folder, const char *kind, const char *format, FILE *out, GError **error);

/* Draws a picture of one table: runs the script KIND.gp, which reads KIND.txt and settings.gp, and
 * writes to `path`, whose name ends in .png or .svg. `settings` are more lines of gnuplot's. */
bool ts_plot_script_table(const char *kind, const char *table, const char *settings,
	const char *path, GError **error);

/* False and a refusal where a picture's name ends in neither, or it can't be written; NULL is good.
 */
bool ts_plot_script_suits(const char *path, GError **error);

#endif
