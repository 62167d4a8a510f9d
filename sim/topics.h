/* Topics: what `tilesim policies` says of each order, remap, mode and hybrid. */
#ifndef TS_TOPICS_H
#define TS_TOPICS_H

#include "policies/all.h"

struct ts_topic {
	const char *summary;
	const char *map;        /* from a linear id, in clusters of a grid of rows x cols */
	const char *parameters; /* NULL: none */
	const char *needs;      /* preconditions; NULL: none */
	const char *source;     /* in public code; NULL: ours */
};

struct ts_topic ts_topic_order(enum ts_order order);
struct ts_topic ts_topic_remap(enum ts_remap remap);
struct ts_topic ts_topic_mode(enum ts_mode mode);
struct ts_topic ts_topic_hybrid(enum ts_hybrid hybrid);
struct ts_topic ts_topic_shape(enum ts_shape_kind shape);
struct ts_topic ts_topic_row_order(enum ts_row_order row_order);

#endif
