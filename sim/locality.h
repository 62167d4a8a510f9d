/* Locality without a cache model: how many operand panels does one wave need?
 *
 * A panel is BLOCK_M rows of A or BLOCK_N columns of B, all of K. A wave is as many consecutive
 * items of one L2 as it has places, or workers if these are fewer; items count as they end. The
 * fewer different panels a wave touches, the more an L2 can serve. */
#ifndef TS_LOCALITY_H
#define TS_LOCALITY_H

#include "sim/engine.h"

enum ts_operands { TS_OPERAND_A, TS_OPERAND_B, TS_OPERANDS, TS_OPERANDS_KINDS };

/* Different panels that a wave touches in one L2. */
struct ts_wave {
	uint32_t panels[TS_OPERANDS_KINDS];
	uint32_t number, cache; /* waves are counted from 1 */
};

struct ts_locality {
	const struct ts_plan *plan;
	bool shared; /* one L2 for all groups */
	uint32_t caches;
	uint32_t *wave_items;            /* per cache: the items of a full wave */
	uint64_t *seen;                  /* per cache: items so far */
	uint64_t *row_first, *col_first; /* per group: its first tile row and column, of all */
	uint32_t *row_wave; /* [cache][tile row of all groups]: 1 + the last wave that touched it */
	uint32_t *col_wave;
	struct ts_wave *now;                     /* per cache */
	struct ts_wave worst[TS_OPERANDS_KINDS]; /* the first of those with the most */
	uint64_t panels[TS_OPERANDS_KINDS];      /* first touches, over all waves and caches */
	uint64_t touches;                        /* all touches: two a tile */
	uint64_t waves;
	uint64_t first_panels; /* those of each cache's first wave */
};

/* Bytes of memory that this takes. */
uint64_t ts_locality_bytes(const struct ts_plan *plan, uint32_t caches);

void ts_locality_init(struct ts_locality *l, const struct ts_plan *plan,
	const struct ts_machine *machine, bool shared_l2);

/* Without a machine: `places` dealt evenly over `caches`, as ids are over domains. */
void ts_locality_init_places(
	struct ts_locality *l, const struct ts_plan *plan, uint32_t caches, uint32_t places);
void ts_locality_finish(struct ts_locality *l);

/* The mean number of panels that one wave touches in one L2. */
double ts_locality_panels_per_wave(const struct ts_locality *l, enum ts_operands of);

/* An item that has been computed, at a tile inside the grid, in the L2 of `group`. */
void ts_locality_item(struct ts_locality *l, const struct ts_step *item, uint32_t group);

#endif
