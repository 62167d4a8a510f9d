/* The grid that a trace is checked against, from the options of `tilesim check`. */
#ifndef TS_CHECK_GRID_H
#define TS_CHECK_GRID_H

#include "sim/settings.h"
#include "verify/ledger.h"

/* As typed; NULL where not given. */
struct ts_grid_options {
	char *tiles, *k_iterations, *groups, *group_tiles;
};

/* From --group-tiles, --tiles or the problem in `spec`. Free with ts_tiling_finish() in either
 * case. */
bool ts_grid_make(const struct ts_grid_options *o, const struct ts_settings *settings,
	const struct ts_spec *spec, struct ts_tiling *ret_tiling, GError **error);
void ts_tiling_finish(struct ts_tiling *t);

#endif
