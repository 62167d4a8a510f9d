/* Tables of a run for gnuplot: whitespace separated text, a line beginning with # on top. */
#ifndef TS_PLOT_TABLES_H
#define TS_PLOT_TABLES_H

#include "sim/run.h"

/* What one item leaves in a picture. */
struct ts_plot_bar {
	uint64_t from, to; /* ps */
	uint32_t worker, place, group;
	uint32_t g, m, n;
	uint32_t k_begin, k_end; /* both 0: a fix-up */
	uint32_t nth;            /* of its place */
	bool owns;
};

struct ts_plot_tables {
	const struct ts_run *run;
	GArray *boxes;   /* struct ts_plot_bar, in the order of their ends */
	uint32_t *lanes; /* lane -> place: by group, then by unit */
	struct ts_plot_lane {
		uint32_t lane, items;
		uint64_t finish; /* ps: the end of its last item */
	} * places;
	uint64_t end;     /* ps: the makespan, or where nobody left, the end of the last item */
	uint64_t tail;    /* ps: when the first place is out of work for good */
	uint64_t missing; /* tiles that nobody computed */
};

/* Tile rows of all groups, one below another, as the maps show them. */
uint64_t ts_plot_map_rows(const struct ts_plan *p);

/* For a run that is ready to be simulated and outlives `t`. */
void ts_plot_tables_init(struct ts_plot_tables *t, const struct ts_run *run);
void ts_plot_tables_finish(struct ts_plot_tables *t);

/* Takes items. */
struct ts_sink ts_plot_tables_sink(struct ts_plot_tables *t);

/* After the run: sets end and tail. */
void ts_plot_tables_close(struct ts_plot_tables *t);

/* Writes every table into `folder`, and sets missing. Times are in units of
 * `unit_ps`. */
bool ts_plot_tables_write(
	struct ts_plot_tables *t, const char *folder, uint64_t unit_ps, GError **error);

/* Least, mean and greatest busy time of the places of one group, or of all for a group past the
 * last; in ps. */
struct ts_busy {
	uint64_t min, max, sum;
	uint32_t places;
};

struct ts_busy ts_plot_tables_busy(const struct ts_plot_tables *t, uint32_t group);

#endif
