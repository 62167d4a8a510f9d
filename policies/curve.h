/* Space-filling curves over a rectangle of any sides, without holes: id i is the i-th cell of the
 * curve, found from the top down in O(log(sides)) steps without a table.
 *
 * Two are curves of the smallest square with a power of two as its side that holds the rectangle,
 * with the cells outside left out: what lies before a quadrant is counted, not walked. The third
 * divides the rectangle itself. */
#ifndef TS_CURVE_H
#define TS_CURVE_H

#include "policy.h"

static inline TS_HD struct ts_point ts_point_make(uint32_t m, uint32_t n)
{
	struct ts_point c;

	c.m = m;
	c.n = n;
	return c;
}

/* How much of [from, from + side) lies below `limit`. */
static inline TS_HD uint32_t ts_curve_clip(uint32_t from, uint32_t side, uint32_t limit)
{
	uint32_t left = from < limit ? limit - from : 0;

	return left < side ? left : side;
}

/* Half the side of the square around the grid. */
static inline uint32_t ts_curve_half(uint32_t rows, uint32_t cols)
{
	uint32_t longest = rows > cols ? rows : cols;
	uint32_t half = 0;

	if (longest > 1)
		half = 1;
	while (half > 0 && half < longest - half)
		half *= 2;
	return half;
}

/* Cell number `id` < rows * cols of a curve that visits the quarters of the square one after the
 * other; `half` is ts_curve_half(). Morton: cells by the bits of m and n interleaved, those of n
 * the lower ones. Hilbert: fast.cu's, by the usual d2xy() with m for x: each quarter is the curve
 * again, the first one transposed, the last one transposed about the other diagonal. */
static inline TS_HD struct ts_point ts_curve_clipped(
	uint32_t id, uint32_t rows, uint32_t cols, uint32_t half, bool hilbert)
{
	struct ts_point c = ts_point_make(0, 0);
	uint32_t swap = 0, flip = 0;

	for (uint32_t side = half; side > 0; side /= 2) {
		uint32_t quarter, down = 0, right = 0;

		for (quarter = 0; quarter < 4; quarter++) {
			uint32_t count, u = quarter / 2, v = quarter % 2;

			if (hilbert) {
				v ^= u;
				down = (swap ? v : u) ^ flip;
				right = (swap ? u : v) ^ flip;
			} else {
				down = u;
				right = v;
			}
			count = ts_curve_clip(c.m + down * side, side, rows) *
				ts_curve_clip(c.n + right * side, side, cols);
			if (id < count)
				break;
			id -= count;
		}
		c.m += down * side;
		c.n += right * side;
		swap ^= quarter == 0 || quarter == 3 ? 1 : 0;
		flip ^= quarter == 3 ? 1 : 0;
	}
	return c;
}

/* Where a part of the generalised curve lies: from a corner cell, `length` cells along (am, an) and
 * `depth` cells along (bm, bn). It ends in the corner at the other end of its length. */
struct ts_curve {
	int32_t m, n, am, an, bm, bn;
	uint32_t length, depth;
};

/* Moves the corner by `along` and `across` cells. */
static inline TS_HD void ts_curve_move(struct ts_curve *s, uint32_t along, uint32_t across)
{
	s->m += s->am * (int32_t)along + s->bm * (int32_t)across;
	s->n += s->an * (int32_t)along + s->bn * (int32_t)across;
}

/* Length and depth exchanged, and turned back where `sign` is -1. */
static inline TS_HD void ts_curve_turn(
	struct ts_curve *s, int32_t sign, uint32_t length, uint32_t depth)
{
	int32_t m = s->am, n = s->an;

	s->am = sign * s->bm;
	s->an = sign * s->bn;
	s->bm = sign * m;
	s->bn = sign * n;
	s->length = length;
	s->depth = depth;
}

/* Cell number `id` < rows * cols of the generalised Hilbert curve: a long part is halved; any other
 * is walked up its first half, along the rest of its depth, and down its second half. Halves are
 * even where they can be, so that consecutive cells are neighbours, but for one diagonal step at
 * most where the longer side is odd and the shorter one even: no curve between two such corners is
 * without. After J. Cerveny, "Generalized Hilbert space-filling curve for rectangular domains of
 * arbitrary (non-power of two) sizes". */
static inline TS_HD struct ts_point ts_curve_hilbert(uint32_t id, uint32_t rows, uint32_t cols)
{
	bool wide = cols >= rows;
	struct ts_curve s;

	s.m = s.n = 0;
	s.am = s.bn = wide ? 0 : 1;
	s.an = s.bm = wide ? 1 : 0;
	s.length = wide ? cols : rows;
	s.depth = wide ? rows : cols;
	while (s.length > 1 && s.depth > 1) { /* so both are below 2^30 */
		uint32_t along = s.length / 2, across = s.depth / 2, up, over;

		if (2 * s.length > 3 * s.depth) {
			along += along % 2;
			if (id < along * s.depth) {
				s.length = along;
			} else {
				id -= along * s.depth;
				ts_curve_move(&s, along, 0);
				s.length -= along;
			}
			continue;
		}
		across += s.depth > 2 ? across % 2 : 0;
		up = across * along;
		over = (s.depth - across) * s.length;
		if (id < up) {
			ts_curve_turn(&s, 1, across, along);
		} else if (id < up + over) {
			id -= up;
			ts_curve_move(&s, 0, across);
			s.depth -= across;
		} else {
			id -= up + over;
			ts_curve_move(&s, s.length - 1, across - 1);
			ts_curve_turn(&s, -1, across, s.length - along);
		}
	}
	ts_curve_move(&s, s.depth == 1 ? id : 0, s.depth == 1 ? 0 : id);
	return ts_point_make((uint32_t)s.m, (uint32_t)s.n);
}

#endif
