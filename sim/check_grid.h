/* The grid that a trace is checked against, from the options of `tilesim check`. */
#ifndef TS_CHECK_GRID_H
#define TS_CHECK_GRID_H

#include "sim/settings.h"
#include "verify/ledger.h"

/* As typed; NULL where not given. */
struct ts_grid_options {
	char *tiles, *k_iterations, *group_tiles;
};

/* The grid of each group, and the plan that they were taken from, if any. Not to be moved. */
struct ts_check_grid {
	struct ts_tiling tiling;
	struct ts_plan plan;
	struct ts_group_room room;
};

/* From --group-tiles, --tiles or the problem in `spec`. Free with ts_grid_finish() in either case.
 */
bool ts_grid_make(const struct ts_grid_options *o, const struct ts_settings *settings,
	const struct ts_spec *spec, struct ts_check_grid *ret_grid, GError **error);
void ts_grid_finish(struct ts_check_grid *g);

#endif
