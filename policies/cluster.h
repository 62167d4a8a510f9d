/* Clusters: which tile of an item belongs to which CTA of the cluster that works on it. */
#ifndef TS_CLUSTER_H
#define TS_CLUSTER_H

#include "group.h"
#include "shape.h"

/* The tile of one CTA. Where `valid` is false the CTA has no tile: it must not touch A, B or C,
 * but takes part in its cluster's barriers and multicasts as always. */
struct ts_tile {
	uint32_t m, n;
	bool valid;
};

/* The tile of the CTA with `rank` in its cluster, 0 <= rank < cluster_m * cluster_n, m fastest as
 * in a cluster of dimensions (cluster_m, cluster_n). A tail cluster reaches over the grid's edge,
 * where M or N is no multiple of cluster * BLOCK, and leaves those CTAs without a tile. */
static inline TS_HD struct ts_tile ts_cta_tile(
	const struct ts_plan *p, const struct ts_step *s, uint32_t rank)
{
	const struct ts_plan *grid = ts_grid(p, s->g);
	struct ts_tile t;
	/* Without the division in the common case, a cluster along m or none. */
	uint32_t across = rank < p->cluster_m ? 0 : rank / p->cluster_m;

	t.m = s->m + rank - across * p->cluster_m;
	t.n = s->n + across;
	t.valid = t.m < grid->rows && t.n < grid->cols;
	if (!ts_is_plain(p) && p->shape == TS_TRIANGLE)
		t.valid = ts_shape_has(grid, t.m, t.n);
	return t;
}

#endif
