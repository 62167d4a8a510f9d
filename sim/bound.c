/* The least makespan: what all items cost the places in the mean, or what one worker costs its
 * place. Of a rectangle's items only those of the last row and column of clusters can have another
 * price than the rest, so that four prices are all. */
#include "sim/bound.h"

#include <math.h>

/* Items that are cut, and the parts of them whose sums are given away. */
struct cuts {
	double items, parts;
};

/* The prices of the first and the last item along both sides, from k iteration `k_begin` on, less
 * what rounding can take: with caches, each k iteration is paid in whole picoseconds. Returns the
 * least. Of a part not the epilogue, which comes with its fix-up. */
static double find_least(const struct ts_cost *c, uint32_t k_begin, double prices[4])
{
	const struct ts_plan *p = c->plan;
	struct ts_step s = {.act = TS_WORK,
		.k_begin = k_begin,
		.k_end = p->depth,
		.owns = true,
		.parts = k_begin > 0};
	double least = INFINITY;

	for (uint32_t i = 0; i < 4; i++) {
		struct ts_price price;

		s.m = i < 2 ? 0 : (p->cluster_rows - 1) * p->cluster_m;
		s.n = i % 2 == 0 ? 0 : (p->cluster_cols - 1) * p->cluster_n;
		price = ts_cost_item(c, &s);
		prices[i] = ts_price_ps(&price) - (p->depth - k_begin) * 0.5;
		least = MIN(least, prices[i]);
	}
	return least;
}

static struct cuts count_cuts(const struct ts_plan *p)
{
	struct cuts cuts = {0};
	uint64_t last = UINT64_MAX;
	uint32_t of_a_group;

	if (p->workspace == 0)
		return cuts;
	if (p->policy == TS_SPLIT_K)
		return (struct cuts){p->items, p->workspace};
	of_a_group = p->units / p->k_groups.by;
	for (uint32_t nth = 1; nth < of_a_group; nth++) {
		uint64_t at = ts_stream_k_begin(p, nth);

		if (at % p->depth == 0)
			continue;
		cuts.parts += p->k_groups.by;
		cuts.items += at / p->depth != last ? p->k_groups.by : 0;
		last = at / p->depth;
	}
	return cuts;
}

/* The worker that owns the item of the most parts: its share of k iterations, of which the last of
 * a tile may be the shortest; a look at the counter; and the sums of the others. Those of split-K
 * have as long a share and write their sums first; stream-K's owners go on with whole items. */
static double owner_ps(const struct ts_cost *c, struct cuts cuts, double whole_ps)
{
	const struct ts_plan *p = c->plan;
	bool split = p->policy == TS_SPLIT_K;
	uint64_t run = split ? p->depth / p->splits.by : p->unit_k;
	uint64_t wholes = run / p->depth;
	uint32_t rest = (uint32_t)(run % p->depth);
	double ps = ts_cost_add_ps(c, ceil(cuts.parts / cuts.items)), prices[4];

	ps += (double)c->signal_ps + (double)c->store_ps;
	ps += wholes > 0 ? (double)wholes * whole_ps : c->epilogue_ps;
	if (rest > 0)
		ps += find_least(c, p->depth - rest, prices);
	if (split)
		ps += c->slot_ps;
	else
		ps += (p->items - p->shared_items) / p->workers * whole_ps;
	return ps;
}

uint64_t ts_bound_makespan(
	const struct ts_plan *p, const struct ts_cost *c, const struct ts_machine *machine)
{
	double rows = p->cluster_rows - 1.0, cols = p->cluster_cols - 1.0;
	double places = MIN(machine->count, p->workers);
	bool claims = p->counters > 0 && p->workspace == 0;
	double prices[4], all, least, longest, item_ps, ends_ps, rounding;
	struct cuts cuts;

	if (!p->plain || p->items == 0 || places < 1)
		return 0;
	cuts = count_cuts(p);
	least = find_least(c, 0, prices);
	/* A claim an item, and those that fail. Whoever computes the last item of a place stores
	 * it. */
	item_ps = claims ? (double)c->claim_ps : 0;
	ends_ps = cuts.parts > 0 ? 0 : (double)c->store_ps;
	if (p->policy == TS_WORKSTEAL)
		ends_ps += ts_worksteal_tries(p) * (double)c->claim_ps;
	/* Of as many workers as there is work, the first of a place start with the launch. */
	if (p->policy == TS_DATA_PARALLEL || p->policy == TS_SPLIT_K) {
		item_ps = p->splits.by * (double)c->start_ps + (double)c->store_ps;
		ends_ps = -(double)c->start_ps;
	}
	all = prices[0] * rows * cols + prices[1] * rows + prices[2] * cols + prices[3];
	all += p->items * item_ps + cuts.items * (double)c->signal_ps;
	all += cuts.parts * (c->prologue_ps + c->slot_ps);
	if (cuts.parts > 0)
		all += cuts.items * ts_cost_add_ps(c, cuts.parts / cuts.items);
	longest = all / places + ends_ps;
	if (cuts.parts > 0)
		longest = MAX(longest, owner_ps(c, cuts, least));
	else
		longest = MAX(longest, ceil(p->items / places) * (least + item_ps) + ends_ps);
	/* Of the other parts of a price; a sum of doubles errs by far less than a thousandth of a
	 * millionth. */
	rounding = 2 + p->items + (double)p->workspace + longest * 1e-9;
	return (uint64_t)MAX((double)c->launch_ps + longest - rounding, 0);
}
