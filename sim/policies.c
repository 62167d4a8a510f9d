/* tilesim policies: what there is on each axis. */
#include <string.h>

#include "policies/all.h"
#include "sim/command.h"
#include "sim/refuse.h"

/* What a promise means to the reader. */
static const char *promise_text(enum ts_promise promise)
{
	switch (promise) {
	case TS_NEEDS_ALL: return "every worker must run";
	case TS_NEEDS_EACH_QUEUE:
		return "each counter with items needs one worker that begins with it";
	case TS_NEEDS_ANY: return "any one worker is enough";
	}
	return NULL;
}

static const char *mode_text(enum ts_mode mode)
{
	switch (mode) {
	case TS_STEAL:
		return "own counter first, then its XCD's others, then the next XCDs', all round";
	case TS_SLOTS: return "own counter only: a slot without a worker loses its tiles";
	case TS_GLOBAL: return "one counter; the remap spreads claimed ids over the XCDs";
	case TS_HIERARCHICAL:
		return "own counter (--local percent of the items), then a global one";
	case TS_MODES: break;
	}
	return NULL;
}

static const char *hybrid_text(enum ts_hybrid hybrid)
{
	switch (hybrid) {
	case TS_TWO_TILE:
		return "of a last, partial wave and one full wave; whole tiles after that";
	case TS_ONE_TILE: return "of a last, partial wave; whole tiles after that";
	case TS_BASIC: return "all";
	case TS_HYBRIDS: break;
	}
	return NULL;
}

static const char *order_text(enum ts_order order)
{
	switch (order) {
	case TS_ROW: return "row after row";
	case TS_COLUMN: return "column after column";
	case TS_GROUPED_M: return "panels of --swizzle rows, down each column of a panel";
	case TS_GROUPED_N: return "panels of --swizzle columns, along each row of a panel";
	case TS_SNAKE_M: return "as grouped-m, every second panel backwards";
	case TS_SNAKE_N: return "as grouped-n, every second panel backwards";
	case TS_ORDERS: break;
	}
	return NULL;
}

static const char *remap_text(enum ts_remap remap)
{
	switch (remap) {
	case TS_REMAP_NONE: return "ids as they are";
	case TS_REMAP_CHIPLET:
		return "one contiguous share of the ids per XCD, exact for any count";
	case TS_REMAP_CHUNKED: return "--chunk consecutive ids per XCD in turn; the rest stays";
	case TS_REMAPS: break;
	}
	return NULL;
}

static const char *shape_text(enum ts_shape_kind shape)
{
	switch (shape) {
	case TS_RECTANGLE: return "all tiles, all k iterations";
	case TS_TRIANGLE:
		return "tiles that reach the diagonal or lie below; the order runs over the fold";
	case TS_CAUSAL: return "row i sees keys up to K - M + i: k iterations grow with the row";
	case TS_SHAPES: break;
	}
	return NULL;
}

static const char *row_order_text(enum ts_row_order row_order)
{
	switch (row_order) {
	case TS_ROWS_ASCENDING: return "as the order has them";
	case TS_ROWS_DESCENDING: return "last row first: longest first, of a causal shape";
	case TS_ROWS_FOLD: return "last, first, last but one, second, ...: pairs of equal length";
	case TS_ROW_ORDERS: break;
	}
	return NULL;
}

static void list(void)
{
	g_print("policies (--policy): who gets which linear index\n");
	for (int i = 0; i < TS_POLICIES; i++)
		g_print("  %-14s %s\n", ts_policy((enum ts_policy_id)i).name,
			ts_policy((enum ts_policy_id)i).summary);
	g_print("\nmodes of worksteal (--mode): where a worker claims\n");
	for (int i = 0; i < TS_MODES; i++)
		g_print("  %-14s %s\n", ts_mode_name((enum ts_mode)i), mode_text((enum ts_mode)i));
	g_print("\nhybrids of stream-k (--hybrid): which tiles are cut along k\n");
	for (int i = 0; i < TS_HYBRIDS; i++)
		g_print("  %-14s %s\n", ts_hybrid_name((enum ts_hybrid)i),
			hybrid_text((enum ts_hybrid)i));
	g_print("\norders (--order): which tile a linear index is\n");
	for (int i = 0; i < TS_ORDERS; i++)
		g_print("  %-14s %s\n", ts_order_name((enum ts_order)i),
			order_text((enum ts_order)i));
	g_print("\nremaps (--remap): a permutation of the indices in front of it\n");
	for (int i = 0; i < TS_REMAPS; i++)
		g_print("  %-14s %s\n", ts_remap_name((enum ts_remap)i),
			remap_text((enum ts_remap)i));
	g_print("\nshapes (--shape): what there is to compute, in each group of --batch and "
		"--groups\n");
	for (int i = 0; i < TS_SHAPES; i++)
		g_print("  %-14s %s\n", ts_shape_name((enum ts_shape_kind)i),
			shape_text((enum ts_shape_kind)i));
	g_print("\norders of rows (--row-order)\n");
	for (int i = 0; i < TS_ROW_ORDERS; i++)
		g_print("  %-14s %s\n", ts_row_order_name((enum ts_row_order)i),
			row_order_text((enum ts_row_order)i));
	g_print("\nAny combination works. `tilesim policies NAME` explains a policy.\n");
}

/* What a kernel and its launch owe a policy that cuts tiles. */
static void explain_sums(const struct ts_policy *policy)
{
	g_print("sums        partial ones go through a workspace, and the owner of a tile adds "
		"them %s\n",
		policy->fixed_sum ? "in the order\n            of k: C is the same to the bit in "
				    "every launch"
				  : "in any order");
	g_print("waits       %s\n",
		policy->all_resident
			? "all workers must be resident at once"
			: "for lower ids only: any number of places, if workers start in the order "
			  "of their ids");
	g_print("counters    signals of parts; zero before each launch\n");
}

static void explain(enum ts_policy_id id)
{
	struct ts_policy policy = ts_policy(id);
	struct ts_plan plan = {.policy = id};

	g_print("%s: %s\nsource      %s\n", policy.name, policy.summary, policy.source);
	if (policy.counter_items == NULL) {
		g_print("claims      none: who computes what is fixed before the launch\n"
			"guarantee   %s\n",
			promise_text(policy.promise(&plan)));
		if ((policy.uses(TS_STEAL) & (TS_USES_SPLITS | TS_USES_HYBRID)) != 0)
			explain_sums(&policy);
		return;
	}
	if (id == TS_CLC) {
		g_print("claims      ids of clusters that the hardware has not launched yet; no "
			"counter in memory\nguarantee   %s: what is not launched is claimed, and "
			"where one leaves the next is launched\n",
			promise_text(policy.promise(&plan)));
		return;
	}
	g_print("claims      one atomic add an item; counters are zero before each launch\n");
	if ((policy.uses(TS_STEAL) & TS_USES_MODE) == 0) {
		g_print("guarantee   %s\n", promise_text(policy.promise(&plan)));
		return;
	}
	for (int i = 0; i < TS_MODES; i++) {
		plan.mode = (uint32_t)i;
		g_print("--mode %-13s %s\n                     guarantee: %s\n",
			ts_mode_name((enum ts_mode)i), mode_text((enum ts_mode)i),
			promise_text(policy.promise(&plan)));
	}
}

int ts_policies_command(int argc, char **argv, GError **error)
{
	if (argc > 2) {
		ts_refuse(error, "policies takes one name at most");
		return TS_EXIT_USAGE;
	}
	if (argc < 2 || strcmp(argv[1], "--help") == 0) {
		list();
		return TS_EXIT_OK;
	}
	for (int i = 0; i < TS_POLICIES; i++) {
		if (strcmp(ts_policy((enum ts_policy_id)i).name, argv[1]) == 0) {
			explain((enum ts_policy_id)i);
			return TS_EXIT_OK;
		}
	}
	ts_refuse(error, "there is no policy '%s'; `tilesim policies` lists them", argv[1]);
	return TS_EXIT_USAGE;
}
