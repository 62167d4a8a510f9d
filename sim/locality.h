/* Locality without a cache model: how many operand panels does one wave need?
 *
 * A panel is BLOCK_M rows of A or BLOCK_N columns of B, all of K. A wave is as many consecutive
 * items of one L2 as it has places, or workers if these are fewer; items count as they end. The
 * fewer different panels a wave touches, the more an L2 can serve. */
#ifndef TS_LOCALITY_H
#define TS_LOCALITY_H

#include "sim/engine.h"

struct ts_locality {
	const struct ts_plan *plan;
	bool shared; /* one L2 for all groups */
	uint32_t caches;
	uint32_t *wave_items;            /* per cache: the items of a full wave */
	uint64_t *seen;                  /* per cache: items so far */
	uint64_t *row_first, *col_first; /* per group: its first tile row and column, of all */
	uint32_t *row_wave; /* [cache][tile row of all groups]: 1 + the last wave that touched it */
	uint32_t *col_wave;
	uint64_t panels;  /* first touches, over all waves and caches */
	uint64_t touches; /* all touches: two a tile */
	uint64_t waves;
	uint64_t first_panels; /* those of each cache's first wave */
};

void ts_locality_init(struct ts_locality *l, const struct ts_plan *plan,
	const struct ts_machine *machine, bool shared_l2);
void ts_locality_finish(struct ts_locality *l);

/* The mean number of panels that one wave touches in one L2. */
double ts_locality_panels_per_wave(const struct ts_locality *l);

void ts_locality_item(struct ts_locality *l, const struct ts_item *item);

#endif
