/* What is said of orders, remaps, modes and hybrids. What they guarantee is not said here but found
 * out. */
#include "sim/topics.h"

static const char default_width[] = "--swizzle, --window: the width, 0 for 8 or 16 by DeepGEMM's "
				    "rule";
static const char power_width[] =
	"--swizzle: max_swizzle_size; width 8 where it is 8 or more and the side has 6 tiles, 4 "
	"from 4 and 3, 2 from 2 and 2, else 1 (the default)";

struct ts_topic ts_topic_order(enum ts_order order)
{
	switch (order) {
	case TS_ROW:
		return (struct ts_topic){.summary = "row after row",
			.map = "m = id / cols, n = id % cols",
			.source = "CUTLASS GemmHorizontalThreadblockSwizzle"};
	case TS_COLUMN:
		return (struct ts_topic){.summary = "column after column",
			.map = "m = id % rows, n = id / rows",
			.source = "Triton with GROUP_SIZE_M >= rows; a 2-D grid launched m first"};
	case TS_GROUPED_M:
		return (struct ts_topic){
			.summary = "panels of --swizzle rows, down each column of a panel",
			.map = "x = id % (width cols), panel = id / (width cols) of h <= width "
			       "rows: m = panel width + x % h, n = x / h",
			.parameters = default_width,
			.source = "Triton tutorial 03 (GROUP_SIZE_M), tritonBLAS, HipKittens "
				  "(window), ThunderKittens (SUPER_M), CUTLASS along N"};
	case TS_GROUPED_N:
		return (struct ts_topic){
			.summary = "panels of --swizzle columns, along each row of a panel",
			.map = "grouped-m with rows and columns exchanged",
			.parameters = default_width,
			.source = "TileLang PersistentTileScheduler, CuTeDSL along M"};
	case TS_SNAKE_M:
		return (struct ts_topic){.summary = "as grouped-m, every second panel backwards",
			.map = "as grouped-m, with n = cols - 1 - n in odd panels",
			.parameters = default_width,
			.source = "QuACK along M, TileLang T.use_swizzle in row order"};
	case TS_SNAKE_N:
		return (struct ts_topic){.summary = "as grouped-n, every second panel backwards",
			.map = "as grouped-n, with m = rows - 1 - m in odd panels",
			.parameters = default_width,
			.source = "ThunderKittens get_swizzled_2d_idx, QuACK along N, TileLang "
				  "T.use_swizzle in column order"};
	case TS_ROTATED_M:
		return (struct ts_topic){
			.summary = "as grouped-m, the rows of a lower last panel rotated",
			.map = "as grouped-m, with m = panel width + id % h",
			.parameters = default_width,
			.source = "Triton tutorial 09, aiter pid_grid"};
	case TS_PAIRED_M:
		return (struct ts_topic){
			.summary = "as grouped-m, an odd last row on its own: ids 2i, 2i+1 share "
				   "an operand",
			.map = "grouped-m over rows - rows % 2, then the last row if rows is odd",
			.parameters = "--swizzle: the width, rounded up to an even number, 0 for 8 "
				      "or 16 by DeepGEMM's rule",
			.needs = "to share loads in pairs: an even number of workers",
			.source = "DeepGEMM get_swizzled_block_idx on sm90 with multicast of B"};
	case TS_PAIRED_N:
		return (struct ts_topic){
			.summary = "as grouped-n, an odd last column on its own: ids 2i, 2i+1 "
				   "share an operand",
			.map = "paired-m with rows and columns exchanged",
			.parameters = "--swizzle: the width, rounded up to an even number, 0 for 8 "
				      "or 16 by DeepGEMM's rule",
			.needs = "to share loads in pairs: an even number of workers",
			.source = "DeepGEMM get_swizzled_block_idx on sm90 with multicast of A"};
	case TS_INPLACE_M:
		return (struct ts_topic){
			.summary = "row-major ids that change places within strips of --swizzle "
				   "rows",
			.map = "inplace-n with rows and columns exchanged",
			.parameters = default_width,
			.source = "CUTLASS sm100_tile_scheduler.hpp swizzle_and_rasterize along N"};
	case TS_INPLACE_N:
		return (struct ts_topic){
			.summary = "column-major ids that change places within strips of "
				   "--swizzle columns",
			.map = "a = id % rows, b = id / rows, w = width; where a < rows/w w and b "
			       "< cols/w w: m = a/w + rows/w (b%w), n = a%w + b/w w; else m = a, "
			       "n = b",
			.parameters = default_width,
			.source = "CUTLASS sm100_tile_scheduler.hpp swizzle_and_rasterize along M"};
	case TS_COHORT:
		return (struct ts_topic){
			.summary = "blocks of --swizzle x 4, row-major inside and outside",
			.map = "panels of width rows; in them blocks of 4 columns; in those row by "
			       "row",
			.parameters = "--swizzle: rows of a block, 0 for 8",
			.source = "CUTLASS threadblock_swizzle_streamk.h, cohorts of 8 x 4"};
	case TS_MORTON:
		return (struct ts_topic){.summary = "Z-order: by the bits of m and n interleaved",
			.map = "the cells of the grid by ascending ..m1 n1 m0 n0, without gaps",
			.source = "G. M. Morton, 1966"};
	case TS_HILBERT:
		return (struct ts_topic){
			.summary = "Hilbert curve of any rectangle: consecutive ids are neighbours",
			.map = "a long part is halved; another one is up its first half, along, "
			       "and down its second half. One step may be diagonal where the "
			       "longer "
			       "side is odd and the shorter one even",
			.source = "J. Cerveny's generalised Hilbert curve (gilbert)"};
	case TS_HILBERT_CLIPPED:
		return (struct ts_topic){
			.summary = "Hilbert curve of the square around the grid, without what is "
				   "outside",
			.map = "the cells of the grid by ascending distance d of (m,n) = d2xy(d) "
			       "in the smallest 2^k x 2^k around it",
			.source = "fast.cu createHilbert (its own deal to 64 workers aside)"};
	case TS_AUTO:
		return (struct ts_topic){
			.summary = "grouped-m or grouped-n, and the width with which a wave loads "
				   "least",
			.map = "of both axes and widths 1, 2, 4 ... 64 the one whose wave touches "
			       "the fewest elements of A and B per k; the wave is that of one XCD "
			       "where XCDs have ids of their own (a remap, or worksteal's "
			       "counters), else of all workers; a tie goes to grouped-m, then to "
			       "the narrower"};
	case TS_CUTLASS:
		return (struct ts_topic){.summary = "cutlass-m or cutlass-n by CUTLASS' heuristic",
			.map = "cutlass-m where the padded grid is wider than high, else cutlass-n",
			.parameters = power_width,
			.needs = "in CUTLASS: clusters of a power of two. There both sides are "
				 "padded to whole panels and the padding computed; here the tail "
				 "is exact",
			.source = "CUTLASS tile_scheduler_params.h get_rasterization_order"};
	case TS_CUTLASS_M:
		return (struct ts_topic){.summary = "CUTLASS 3.x along M: panels of 2^s columns",
			.map = "grouped-n with a width of a power of two",
			.parameters = power_width,
			.source = "CUTLASS sm90_tile_scheduler.hpp get_work_idx_m_and_n"};
	case TS_CUTLASS_N:
		return (struct ts_topic){.summary = "CUTLASS 3.x along N: panels of 2^s rows",
			.map = "grouped-m with a width of a power of two",
			.parameters = power_width,
			.source = "CUTLASS sm90_tile_scheduler.hpp get_work_idx_m_and_n"};
	case TS_CUTLASS_2:
		return (struct ts_topic){
			.summary = "CUTLASS 2.x identity swizzle: panels of 2^s columns",
			.map = "grouped-n with a width of a power of two, by the number of columns",
			.parameters = power_width,
			.source = "CUTLASS threadblock_swizzle.h GemmIdentityThreadblockSwizzle"};
	case TS_QUACK:
		return (struct ts_topic){.summary = "snake-m or snake-n by QuACK's heuristic",
			.map = "snake-m where the grid, rounded up to widths, is wider than high, "
			       "else snake-n",
			.parameters = "--swizzle: max_swizzle_size, 0 for 8",
			.source = "QuACK tile_scheduler.py"};
	case TS_ORDERS: break;
	}
	return (struct ts_topic){.summary = "none"};
}

struct ts_topic ts_topic_remap(enum ts_remap remap)
{
	switch (remap) {
	case TS_REMAP_NONE: return (struct ts_topic){.summary = "ids as they are", .map = "id"};
	case TS_REMAP_CHIPLET:
		return (struct ts_topic){
			.summary = "one contiguous share of the ids per XCD, exact for any count",
			.map = "x = id % xcds: x (ids / xcds) + min(x, ids % xcds) + id / xcds",
			.parameters = "--xcds",
			.source = "tritonBLAS chiplet_transform, aiter remap_xcd, CK; the floor "
				  "form of IRIS and Triton perf-kernels where xcds divides ids"};
	case TS_REMAP_CHUNKED:
		return (struct ts_topic){
			.summary = "--chunk consecutive ids per XCD in turn; the rest stays",
			.map = "x = id % xcds, y = id / xcds, c = chunk: (y / c) xcds c + x c + y "
			       "% c, below the last multiple of xcds c",
			.parameters = "--xcds; --chunk, 0 for tritonBLAS' min(width^2, ids / xcds)",
			.needs = "to do anything: at least xcds x chunk ids",
			.source = "HipKittens, tritonBLAS chiplet_transform_chunked, aiter "
				  "remap_xcd_chunked"};
	case TS_REMAP_ROTATED:
		return (struct ts_topic){
			.summary = "ids turned by --chunk: a rank's own shard first, or last",
			.map = "(id + chunk) % ids",
			.parameters =
				"--chunk, 0 for an XCD's share; rank r of R: r ids / R for its "
				"own rows first, (r + 1) ids / R for last",
			.needs = "for whole shards: row order and R dividing the rows",
			.source = "Flux all-gather GEMM, ThunderKittens reduce-scatter GEMM"};
	case TS_REMAPS: break;
	}
	return (struct ts_topic){.summary = "none"};
}

struct ts_topic ts_topic_mode(enum ts_mode mode)
{
	switch (mode) {
	case TS_STEAL:
		return (struct ts_topic){.summary = "own counter first, then its XCD's others, "
						    "then the next XCDs', all round",
			.map = "XCD d has ids share d of the items, cut over its counters; "
			       "worker w begins with counter (w / xcds) % counters of its XCD",
			.parameters = "--counters per XCD",
			.source = "hipBLASLt StreamK=4 with WorkQueueStealing, which tries one "
				  "more XCD only"};
	case TS_SLOTS:
		return (struct ts_topic){
			.summary = "own counter only: a slot without a worker loses its tiles",
			.map = "XCD d has ids share d of the items, cut over its counters; "
			       "worker w has counter (w / xcds) % counters of its XCD",
			.parameters = "--counters per XCD",
			.source = "tritonBLAS persistent_gemm_work_stealing.py"};
	case TS_GLOBAL:
		return (struct ts_topic){
			.summary = "one counter; the remap spreads claimed ids over the XCDs",
			.map = "claim c is id remap(c)",
			.source = "tritonBLAS persistent_gemm_work_stealing.py"};
	case TS_HIERARCHICAL:
		return (struct ts_topic){
			.summary = "own counter (--local percent of the items), then a global one",
			.map = "as slots for the first --local percent of the ids, then the "
			       "global counter for the others",
			.parameters = "--counters per XCD; --local percent",
			.source = "tritonBLAS, Primus-Turbo grouped_gemm_kernel_ws.hpp"};
	case TS_MODES: break;
	}
	return (struct ts_topic){.summary = "none"};
}

struct ts_topic ts_topic_hybrid(enum ts_hybrid hybrid)
{
	const char *source = "Osama et al., \"Stream-K\", PPoPP 2023, section 5.2";

	switch (hybrid) {
	case TS_TWO_TILE:
		return (struct ts_topic){.summary = "those of a last, partial wave and one full "
						    "wave; whole tiles after that",
			.parameters = "--min-k, --k-groups",
			.source = source};
	case TS_ONE_TILE:
		return (struct ts_topic){
			.summary = "those of a last, partial wave; whole tiles after that",
			.parameters = "--min-k, --k-groups",
			.source = source};
	case TS_BASIC:
		return (struct ts_topic){
			.summary = "all", .parameters = "--min-k, --k-groups", .source = source};
	case TS_HYBRIDS: break;
	}
	return (struct ts_topic){.summary = "none"};
}

struct ts_topic ts_topic_shape(enum ts_shape_kind shape)
{
	switch (shape) {
	case TS_RECTANGLE: return (struct ts_topic){.summary = "all tiles, all k iterations"};
	case TS_TRIANGLE:
		return (struct ts_topic){.summary = "tiles that reach the diagonal or lie below",
			.map = "the grid is folded to a rectangle, which the order runs over",
			.needs = "M = N, and of an item's sides one divides the other",
			.source = "CUTLASS' rank 2k grouped schedulers, which take a square root"};
	case TS_CAUSAL:
		return (struct ts_topic){
			.summary =
				"row i sees keys up to K - M + i: k iterations grow with the row",
			.source = "FlashAttention 3, tile_scheduler.hpp"};
	case TS_SHAPES: break;
	}
	return (struct ts_topic){.summary = "none"};
}

struct ts_topic ts_topic_row_order(enum ts_row_order row_order)
{
	switch (row_order) {
	case TS_ROWS_ASCENDING: return (struct ts_topic){.summary = "as the order has them"};
	case TS_ROWS_DESCENDING:
		return (struct ts_topic){
			.summary = "last row first: longest first, of a causal shape",
			.source = "FlashAttention 3's LPT schedulers"};
	case TS_ROWS_FOLD:
		return (struct ts_topic){
			.summary = "last, first, last but one, second, ...: pairs of equal length"};
	case TS_ROWS_RANK:
		return (struct ts_topic){
			.summary = "as a collective brings or takes the rows of each rank",
			.map = "rows of clusters turned round: of an all-gather from the first "
			       "that "
			       "lies in this rank's shard, of a reduce-scatter from the first of "
			       "the next rank's",
			.parameters = "--collective, --ranks, --rank, --rank-chunks",
			.needs = "--collective",
			.source = "Flux and Triton-distributed; QuACK where tiles divide shards"};
	case TS_ROW_ORDERS: break;
	}
	return (struct ts_topic){.summary = "none"};
}
