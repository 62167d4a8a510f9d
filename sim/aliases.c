/* The aliases. An exact combination of axes, or the summary says where it is not. */
#include "sim/aliases.h"

#include <string.h>

static const struct ts_alias aliases[] = {
	{"aiter", "aiter's GEMM: XCD remap, then pid_grid; GROUP_SIZE_M is tuned, 4 here",
		"aiter/ops/triton/utils/pid_preprocessing.py: remap_xcd, pid_grid",
		{[TS_AXIS_POLICY] = "data-parallel",
			[TS_AXIS_ORDER] = "rotated-m",
			[TS_AXIS_WIDTH] = "4",
			[TS_AXIS_REMAP] = "chiplet"}},
	{"ck-spatial",
		"ck_tile's spatially local partitioner with M01 4 and as many groups as XCDs; on a "
		"grid of one row or column CK leaves the ids as they are",
		"ck_tile/ops/gemm/kernel/gemm_tile_partitioner.hpp: "
		"GemmSpatiallyLocalTilePartitioner",
		{[TS_AXIS_POLICY] = "data-parallel",
			[TS_AXIS_ORDER] = "grouped-m",
			[TS_AXIS_WIDTH] = "4",
			[TS_AXIS_REMAP] = "chiplet"}},
	{"cutlass-identity",
		"CUTLASS 2.x identity swizzle of N 8, without the padding of the last panel",
		"cutlass/gemm/threadblock/threadblock_swizzle.h: GemmIdentityThreadblockSwizzle",
		{[TS_AXIS_POLICY] = "data-parallel",
			[TS_AXIS_ORDER] = "cutlass-2",
			[TS_AXIS_WIDTH] = "8"}},
	{"cutlass-persistent",
		"CUTLASS 3.x static persistent, raster order by its heuristic, max_swizzle_size 1 "
		"(--swizzle), without the padding of the grid to whole panels",
		"cutlass/gemm/kernel/sm90_tile_scheduler.hpp: PersistentTileSchedulerSm90",
		{[TS_AXIS_POLICY] = "persistent",
			[TS_AXIS_ORDER] = "cutlass",
			[TS_AXIS_WIDTH] = "1",
			[TS_AXIS_REMAP] = "none"}},
	{"deepgemm",
		"DeepGEMM on sm90 with multicast of B; of A: --order paired-n; without: grouped-m",
		"deep_gemm/include/deep_gemm/scheduler/gemm.cuh: Scheduler",
		{[TS_AXIS_POLICY] = "persistent",
			[TS_AXIS_ORDER] = "paired-m",
			[TS_AXIS_WIDTH] = "0",
			[TS_AXIS_REMAP] = "none"}},
	{"fa3-lpt",
		"FlashAttention-3's dynamic persistent scheduler of causal attention: give M and "
		"K the "
		"queries and keys, N the head's size in one block, --batch heads times batches. "
		"--section is 32 MB over the bytes of a head's K and V, down to a power of two: 8 "
		"here, for 8192 keys of 128 in bf16. There a worker's first item is not claimed",
		"flash-attention hopper/tile_scheduler.hpp: DynamicPersistentTileScheduler",
		{[TS_AXIS_POLICY] = "worksteal",
			[TS_AXIS_MODE] = "global",
			[TS_AXIS_ORDER] = "column",
			[TS_AXIS_REMAP] = "none",
			[TS_AXIS_SHAPE] = "causal",
			[TS_AXIS_ROW_ORDER] = "descending",
			[TS_AXIS_SECTION] = "8"}},
	{"hipkittens", "HipKittens' GEMM with window 8 (--window) and chunk 64 (--chunk)",
		"HipKittens include/common/util.cuh: chiplet_transform_chunked",
		{[TS_AXIS_POLICY] = "data-parallel",
			[TS_AXIS_ORDER] = "grouped-m",
			[TS_AXIS_WIDTH] = "8",
			[TS_AXIS_REMAP] = "chunked",
			[TS_AXIS_CHUNK] = "64"}},
	{"quack-persistent", "QuACK's static persistent scheduler with max_swizzle_size 8",
		"quack/tile_scheduler.py: TileScheduler",
		{[TS_AXIS_POLICY] = "persistent",
			[TS_AXIS_ORDER] = "quack",
			[TS_AXIS_WIDTH] = "8",
			[TS_AXIS_REMAP] = "none"}},
	{"streamk",
		"CUTLASS 3.x stream-K in mode StreamK, max_swizzle_size 1; there, parts that end "
		"within 8 k iterations of a tile's edge are moved to it, and groups along k need "
		"not "
		"divide the tiles",
		"cutlass/gemm/kernel/sm90_tile_scheduler_stream_k.hpp: "
		"PersistentTileSchedulerSm90StreamK",
		{[TS_AXIS_POLICY] = "stream-k",
			[TS_AXIS_HYBRID] = "two-tile",
			[TS_AXIS_MIN_K] = "8",
			[TS_AXIS_K_GROUPS] = "8",
			[TS_AXIS_ORDER] = "cutlass",
			[TS_AXIS_WIDTH] = "1",
			[TS_AXIS_REMAP] = "none"}},
	{"thunderkittens", "ThunderKittens' H100 GEMM: row panels of SUPER_M 12",
		"ThunderKittens kernels/gemm/bf16_h100",
		{[TS_AXIS_POLICY] = "persistent",
			[TS_AXIS_ORDER] = "grouped-m",
			[TS_AXIS_WIDTH] = "12",
			[TS_AXIS_REMAP] = "none"}},
	{"tilelang-persistent", "TileLang's PersistentTileScheduler with swizzle_size 8",
		"tilelang/language/tile_schedule.py: PersistentTileScheduler",
		{[TS_AXIS_POLICY] = "persistent",
			[TS_AXIS_ORDER] = "grouped-n",
			[TS_AXIS_WIDTH] = "8",
			[TS_AXIS_REMAP] = "none"}},
	{"tilelang-swizzle", "TileLang's T.use_swizzle(10): the launch grid in a snake of rows",
		"tilelang src/tl_templates/cuda/threadblock_swizzle.h: rasterization2DRow",
		{[TS_AXIS_POLICY] = "data-parallel",
			[TS_AXIS_ORDER] = "snake-m",
			[TS_AXIS_WIDTH] = "10",
			[TS_AXIS_REMAP] = "none"}},
	{"triton-grouped", "Triton's tutorial 03 with GROUP_SIZE_M 8",
		"triton python/tutorials/03-matrix-multiplication.py",
		{[TS_AXIS_POLICY] = "data-parallel",
			[TS_AXIS_ORDER] = "grouped-m",
			[TS_AXIS_WIDTH] = "8",
			[TS_AXIS_REMAP] = "none"}},
	{"triton-persistent", "Triton's tutorial 09, persistent matmul, with GROUP_SIZE_M 8",
		"triton python/tutorials/09-persistent-matmul.py",
		{[TS_AXIS_POLICY] = "persistent",
			[TS_AXIS_ORDER] = "rotated-m",
			[TS_AXIS_WIDTH] = "8",
			[TS_AXIS_REMAP] = "none"}},
	{"tritonblas",
		"tritonBLAS' matmul, called persistent but with a program per tile, GROUP_M 8",
		"tritonBLAS include/tritonblas/kernels/persistent_gemm.py",
		{[TS_AXIS_POLICY] = "data-parallel",
			[TS_AXIS_ORDER] = "grouped-m",
			[TS_AXIS_WIDTH] = "8",
			[TS_AXIS_REMAP] = "chunked",
			[TS_AXIS_CHUNK] = "0"}},
	{"tritonblas-global", "tritonBLAS' work stealing from one counter",
		"tritonBLAS include/tritonblas/kernels/persistent_gemm_work_stealing.py",
		{[TS_AXIS_POLICY] = "worksteal",
			[TS_AXIS_MODE] = "global",
			[TS_AXIS_ORDER] = "grouped-m",
			[TS_AXIS_WIDTH] = "8",
			[TS_AXIS_REMAP] = "chiplet"}},
	{"tritonblas-worksteal",
		"tritonBLAS' work stealing from counters per XCD and slot; there --counters is 8 "
		"up "
		"to 512 tiles, 4 up to 1536, 2 up to 2048, else 1, and where the tiles don't "
		"divide, the last XCDs and slots get fewer, here all differ by one at most",
		"tritonBLAS include/tritonblas/kernels/persistent_gemm_work_stealing.py",
		{[TS_AXIS_POLICY] = "worksteal",
			[TS_AXIS_MODE] = "slots",
			[TS_AXIS_ORDER] = "grouped-m",
			[TS_AXIS_WIDTH] = "8",
			[TS_AXIS_REMAP] = "none",
			[TS_AXIS_SLOTS] = "4"}},
};

const struct ts_alias *ts_alias(uint32_t i)
{
	return i < G_N_ELEMENTS(aliases) ? &aliases[i] : NULL;
}

uint32_t ts_alias_find(const char *name)
{
	for (uint32_t i = 0; i < G_N_ELEMENTS(aliases); i++)
		if (strcmp(aliases[i].name, name) == 0)
			return i;
	return UINT32_MAX;
}
