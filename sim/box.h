/* Boxes: small worlds in which every combination is tried. */
#ifndef TS_BOX_H
#define TS_BOX_H

#include "sim/axes.h"

enum { TS_BOX_PARTS = 8 };

/* A box is the union of a few products of axes. The first value of an axis is the one that is taken
 * where the axis does not matter. */
struct ts_box {
	const char *name;
	const char *axes[TS_BOX_PARTS][TS_AXES]; /* a part without M is none */
	uint32_t masked_workers;                 /* see struct ts_checker */
};

/* The box called `name`; NULL and a refusal where there is none. */
const struct ts_box *ts_box_find(const char *name, GError **error);

#endif
