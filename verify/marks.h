/* Marks: which k iterations of which tile are done. One bit a tile, and a list of k ranges only for
 * tiles that are begun and not complete. */
#ifndef TS_MARKS_H
#define TS_MARKS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ts_span_k {
	uint32_t begin, end;
};

/* The marked ranges of one tile, ascending, with a gap after each. Most lists have one. */
struct ts_part {
	uint64_t key; /* 1 + tile, 0 for a free place */
	uint32_t count, room;
	union {
		struct ts_span_k one; /* where room is 0 */
		struct ts_span_k *many;
	} spans;
};

struct ts_marks {
	uint64_t *bits;
	uint64_t tiles, whole;
	/* Open addressing, at most half full; `mask` + 1 places. */
	struct ts_part *parts;
	uint64_t part_count, mask;
};

/* False where there is no memory for so many bits. */
bool ts_marks_init(struct ts_marks *m, uint64_t tiles);
void ts_marks_finish(struct ts_marks *m);

/* Marks k iterations [begin, end) of a tile that has `depth`, and is not known to be whole and
 * untouched. False where some were marked before. */
bool ts_marks_add_part(
	struct ts_marks *m, uint64_t tile, uint32_t begin, uint32_t end, uint32_t depth);

/* The list of a tile, or NULL where nothing of it, or all of it, is marked. */
const struct ts_part *ts_marks_part(const struct ts_marks *m, uint64_t tile);
const struct ts_span_k *ts_part_spans(const struct ts_part *part);

static inline bool ts_marks_whole(const struct ts_marks *m, uint64_t tile)
{
	return (m->bits[tile >> 6] >> (tile & 63) & 1) != 0;
}

static inline bool ts_marks_add(
	struct ts_marks *m, uint64_t tile, uint32_t begin, uint32_t end, uint32_t depth)
{
	uint64_t bit = (uint64_t)1 << (tile & 63);
	uint64_t *word = &m->bits[tile >> 6];

	if ((*word & bit) != 0)
		return false;
	if (begin != 0 || end != depth || m->part_count > 0)
		return ts_marks_add_part(m, tile, begin, end, depth);
	*word |= bit;
	m->whole++;
	return true;
}

#endif
