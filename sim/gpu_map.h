/* The GPU's map: which SMs share a GPC, or CUs an XCD, and in which order a grid fills them. XCDs
 * are known; GPCs are found by launching clusters, whose CTAs are always inside one. */
#ifndef TS_GPU_MAP_H
#define TS_GPU_MAP_H

#include "kernels/prober.h"

enum { TS_GPU_CLUSTER_MAX = 16 };

struct ts_gpu_map {
	uint32_t units, groups;
	uint32_t *group; /* per SM or CU: its GPC or XCD, numbered in the order of the first wave */
	uint32_t *sizes; /* per GPC or XCD: its SMs or CUs */
	uint32_t *wave;  /* the SM or CU of each CTA of a first wave; as many as SMs */
	uint32_t resident[TS_GPU_CLUSTER_MAX + 1]; /* clusters of so many CTAs; 0 where none fit */
	uint32_t max_cluster;
	uint32_t odd; /* a size of clusters of which other than `resident` fit the GPCs; 0: none */
};

bool ts_gpu_map_make(struct ts_gpu_map *map, struct ts_prober *p, GError **error);
void ts_gpu_map_finish(struct ts_gpu_map *map);

/* Clusters of `ctas` CTAs that fit into the GPCs as they were found. */
uint32_t ts_gpu_map_fit(const struct ts_gpu_map *map, uint32_t ctas);

#endif
