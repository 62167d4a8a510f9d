/* The boxes. Sizes are counted in tiles, of one element each, and always ragged. */
#include "sim/box.h"

#include <string.h>

#include "sim/refuse.h"

/* Panels with a neat walk are tried with all of a policy's axes, in the first part of a box. The
 * other maps meet fewer of them: what a distribution does with an id does not depend on its place.
 */
static const char panels[] = "row,column,grouped-m,grouped-n,snake-m,snake-n";
static const char others[] =
	"rotated-m,paired-m,paired-n,inplace-m,inplace-n,cohort,morton,hilbert,hilbert-clipped,"
	"auto,cutlass,cutlass-m,cutlass-n,cutlass-2,quack";

static const char rows[] = "ascending,descending,fold";
static const char xcd_remaps[] = "none,chiplet,chunked";

/* Triangles, alone and beside others, with tiles of all ratios. */
#define TRIANGLES                                                                                  \
	{                                                                                          \
		[TS_AXIS_POLICY] = "all", [TS_AXIS_MODE] = "all", [TS_AXIS_ORDER] = "all",         \
		[TS_AXIS_WIDTH] = "2", [TS_AXIS_REMAP] = "all",                                    \
		[TS_AXIS_CLUSTER] = "1x1,2x1,1x2,2x2", [TS_AXIS_BLOCK] = "1x1x1,2x1x1,1x3x1",      \
		[TS_AXIS_WORKERS] = "1,3", [TS_AXIS_XCDS] = "2", [TS_AXIS_SHAPE] = "triangle",     \
		[TS_AXIS_BATCH] = "1,2",                                                           \
		[TS_AXIS_GROUPS] = "1x1x1;2x2x1;3x3x1;4x4x1;5x5x1;6x6x1;7x7x1;"                    \
				   "8x8x1;9x9x2;3x3x1,0x0x1,6x6x2",                                \
		[TS_AXIS_M] = "1", [TS_AXIS_N] = "1", [TS_AXIS_K] = "1"                            \
	}

/* Causal attention: heads, sections of them, and all orders of rows. */
#define CAUSAL                                                                                     \
	{                                                                                          \
		[TS_AXIS_POLICY] = "all", [TS_AXIS_MODE] = "all", [TS_AXIS_ORDER] = "grouped-m",   \
		[TS_AXIS_WIDTH] = "2", [TS_AXIS_REMAP] = "none,chiplet",                           \
		[TS_AXIS_CLUSTER] = "1x1,2x1", [TS_AXIS_BLOCK] = "2x1x1",                          \
		[TS_AXIS_WORKERS] = "1,3", [TS_AXIS_XCDS] = "2", [TS_AXIS_SHAPE] = "causal",       \
		[TS_AXIS_ROW_ORDER] = rows, [TS_AXIS_BATCH] = "1,2,3",                             \
		[TS_AXIS_SECTION] = "1,2,0", [TS_AXIS_GROUP_ORDER] = "all",                        \
		[TS_AXIS_GROUPS] = "1x1x1;3x1x3;5x1x9;8x1x3;2x1x0;5x1x5,0x1x3,4x1x9",              \
		[TS_AXIS_M] = "1", [TS_AXIS_N] = "1", [TS_AXIS_K] = "1"                            \
	}

/* Collectives: every rank, and shards that tiles don't divide, among them empty ones. */
#define RANKS                                                                                      \
	{                                                                                          \
		[TS_AXIS_POLICY] = "all", [TS_AXIS_MODE] = "all", [TS_AXIS_ORDER] = "grouped-m",   \
		[TS_AXIS_WIDTH] = "1,2", [TS_AXIS_REMAP] = "none,chiplet",                         \
		[TS_AXIS_CLUSTER] = "1x1,2x1", [TS_AXIS_BLOCK] = "1x1x1,3x1x1",                    \
		[TS_AXIS_WORKERS] = "1,3", [TS_AXIS_XCDS] = "2",                                   \
		[TS_AXIS_COLLECTIVE] = "all-gather,reduce-scatter", [TS_AXIS_RANKS] = "1,2,3",     \
		[TS_AXIS_RANK] = "0,1,2", [TS_AXIS_RANK_CHUNKS] = "1,2",                           \
		[TS_AXIS_ROW_ORDER] = "ascending,rank", [TS_AXIS_M] = "1:4,7,12",                  \
		[TS_AXIS_N] = "2", [TS_AXIS_K] = "1"                                               \
	}

static const struct ts_box boxes[] = {
	{"small",
		{{[TS_AXIS_POLICY] = "all",
			 [TS_AXIS_MODE] = "all",
			 [TS_AXIS_ORDER] = panels,
			 [TS_AXIS_WIDTH] = "0,1,2,3",
			 [TS_AXIS_REMAP] = xcd_remaps,
			 [TS_AXIS_CHUNK] = "0,1,3",
			 [TS_AXIS_CLUSTER] = "1x1,2x1,1x2,3x2",
			 [TS_AXIS_BLOCK] = "1x1x1",
			 [TS_AXIS_WORKERS] = "1,2,3,5",
			 [TS_AXIS_XCDS] = "1,2,3,8",
			 [TS_AXIS_SLOTS] = "1,2",
			 [TS_AXIS_LOCAL] = "90,0,100",
			 [TS_AXIS_M] = "1:4",
			 [TS_AXIS_N] = "1:4",
			 [TS_AXIS_K] = "1"},
			/* Every list of groups that is small enough: empty ones anywhere. */
			{[TS_AXIS_POLICY] = "all",
				[TS_AXIS_MODE] = "all",
				[TS_AXIS_ORDER] = "grouped-m",
				[TS_AXIS_WIDTH] = "2",
				[TS_AXIS_REMAP] = "none,chiplet",
				[TS_AXIS_CLUSTER] = "1x1,2x1",
				[TS_AXIS_BLOCK] = "1x1x1",
				[TS_AXIS_WORKERS] = "3",
				[TS_AXIS_XCDS] = "2",
				[TS_AXIS_GROUPS] = "upto:4x5",
				[TS_AXIS_M] = "1",
				[TS_AXIS_N] = "2",
				[TS_AXIS_K] = "1"},
			TRIANGLES, CAUSAL, RANKS,
			{[TS_AXIS_POLICY] = "all",
				[TS_AXIS_MODE] = "all",
				[TS_AXIS_ORDER] = others,
				[TS_AXIS_WIDTH] = "0,1,2,3",
				[TS_AXIS_REMAP] = "all",
				[TS_AXIS_CHUNK] = "0,3",
				[TS_AXIS_CLUSTER] = "1x1,2x1,3x2",
				[TS_AXIS_BLOCK] = "1x1x1",
				[TS_AXIS_WORKERS] = "2,5",
				[TS_AXIS_XCDS] = "1,3",
				[TS_AXIS_SLOTS] = "1",
				[TS_AXIS_LOCAL] = "90",
				[TS_AXIS_M] = "1:6",
				[TS_AXIS_N] = "1:6",
				[TS_AXIS_K] = "1"},
			/* Tiles cut along k. */
			{[TS_AXIS_POLICY] = "stream-k,split-k",
				[TS_AXIS_ORDER] = "row,snake-n",
				[TS_AXIS_WIDTH] = "0",
				[TS_AXIS_REMAP] = "none,chiplet",
				[TS_AXIS_CLUSTER] = "1x1,3x2",
				[TS_AXIS_BLOCK] = "1x1x1",
				[TS_AXIS_WORKERS] = "1,2,3,5,7",
				[TS_AXIS_XCDS] = "3",
				[TS_AXIS_SPLITS] = "1,2,3,5",
				[TS_AXIS_HYBRID] = "all",
				[TS_AXIS_MIN_K] = "1,2",
				[TS_AXIS_K_GROUPS] = "1,2,3",
				[TS_AXIS_M] = "1:4",
				[TS_AXIS_N] = "1:3",
				[TS_AXIS_K] = "0:5,8"}},
		3},
	/* More of everything on grids up to 9 x 9, and grids as large as real ones, with clusters
	 * up to the 8 CTAs that any Hopper GPU takes. */
	{"large",
		{{[TS_AXIS_POLICY] = "all",
			 [TS_AXIS_MODE] = "all",
			 [TS_AXIS_ORDER] = panels,
			 [TS_AXIS_WIDTH] = "0,1,2,3,5",
			 [TS_AXIS_REMAP] = xcd_remaps,
			 [TS_AXIS_CHUNK] = "0,1,3",
			 [TS_AXIS_CLUSTER] = "1x1,2x1,1x2,2x2,3x2",
			 [TS_AXIS_BLOCK] = "1x1x1",
			 [TS_AXIS_WORKERS] = "1,2,3,5,8",
			 [TS_AXIS_XCDS] = "1,2,3,8",
			 [TS_AXIS_SLOTS] = "1,2,3",
			 [TS_AXIS_LOCAL] = "90,0,50,100",
			 [TS_AXIS_M] = "1:5,7,9",
			 [TS_AXIS_N] = "1:5,7,9",
			 [TS_AXIS_K] = "1"},
			{[TS_AXIS_POLICY] = "all",
				[TS_AXIS_MODE] = "all",
				[TS_AXIS_ORDER] =
					"row,column,grouped-m,grouped-n,snake-m,snake-n,hilbert",
				[TS_AXIS_WIDTH] = "0,3,8",
				[TS_AXIS_REMAP] = xcd_remaps,
				[TS_AXIS_CHUNK] = "0,25",
				[TS_AXIS_CLUSTER] = "1x1,2x1,2x2,4x2",
				[TS_AXIS_BLOCK] = "1x1x1",
				[TS_AXIS_WORKERS] = "132,304",
				[TS_AXIS_XCDS] = "1,8",
				[TS_AXIS_SLOTS] = "1",
				[TS_AXIS_LOCAL] = "90",
				[TS_AXIS_M] = "509,1021",
				[TS_AXIS_N] = "127,1023",
				[TS_AXIS_K] = "1"},
			/* Every list of groups that is small enough: empty ones anywhere. */
			{[TS_AXIS_POLICY] = "all",
				[TS_AXIS_MODE] = "all",
				[TS_AXIS_ORDER] = "all",
				[TS_AXIS_WIDTH] = "2",
				[TS_AXIS_REMAP] = "none,chiplet",
				[TS_AXIS_CLUSTER] = "1x1,2x1,2x2",
				[TS_AXIS_BLOCK] = "1x1x1",
				[TS_AXIS_WORKERS] = "3",
				[TS_AXIS_XCDS] = "2",
				[TS_AXIS_GROUPS] = "upto:5x4",
				[TS_AXIS_M] = "1",
				[TS_AXIS_N] = "2",
				[TS_AXIS_K] = "1"},
			TRIANGLES, CAUSAL, RANKS,
			{[TS_AXIS_POLICY] = "all",
				[TS_AXIS_MODE] = "all",
				[TS_AXIS_ORDER] = others,
				[TS_AXIS_WIDTH] = "0,1,2,3,5,8",
				[TS_AXIS_REMAP] = "all",
				[TS_AXIS_CHUNK] = "0,3",
				[TS_AXIS_CLUSTER] = "1x1,2x1,1x2,3x2",
				[TS_AXIS_BLOCK] = "1x1x1",
				[TS_AXIS_WORKERS] = "2,5",
				[TS_AXIS_XCDS] = "1,3",
				[TS_AXIS_SLOTS] = "1,2",
				[TS_AXIS_LOCAL] = "90",
				[TS_AXIS_M] = "1:9,17",
				[TS_AXIS_N] = "1:9,13",
				[TS_AXIS_K] = "1"},
			/* Tiles cut along k, by more workers and in more parts than in small, on
			 * few grids: what is new is along k. Most of the walks of large are here.
			 */
			{[TS_AXIS_POLICY] = "stream-k,split-k",
				[TS_AXIS_ORDER] = "row,snake-n",
				[TS_AXIS_WIDTH] = "0",
				[TS_AXIS_REMAP] = "all",
				[TS_AXIS_CHUNK] = "0,2",
				[TS_AXIS_CLUSTER] = "1x1,2x1,3x2",
				[TS_AXIS_BLOCK] = "1x1x1",
				[TS_AXIS_WORKERS] = "1:9,132",
				[TS_AXIS_XCDS] = "3,8",
				[TS_AXIS_SPLITS] = "1:5,9",
				[TS_AXIS_HYBRID] = "all",
				[TS_AXIS_MIN_K] = "1,2,8",
				[TS_AXIS_K_GROUPS] = "1,2,3,8",
				[TS_AXIS_M] = "1:3,7",
				[TS_AXIS_N] = "1:3,5",
				[TS_AXIS_K] = "0:5,8,13,31"}},
		4},
};

const struct ts_box *ts_box_find(const char *name, GError **error)
{
	g_autoptr(GString) all = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(boxes); i++) {
		if (strcmp(boxes[i].name, name) == 0)
			return &boxes[i];
		g_string_append_printf(all, "%s%s", i == 0 ? "" : " or ", boxes[i].name);
	}
	ts_refuse(error, "--box '%s': must be %s", name, all->str);
	return NULL;
}
