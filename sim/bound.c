/* The least makespan. Of a rectangle's items only those of the last row and column of clusters can
 * have another price than the rest, so that four prices are all. */
#include "sim/bound.h"

#include <math.h>

/* Cut items cost no less than whole ones: the k iterations of all parts, one prologue at least, and
 * the epilogue of the owner. */
static double whole_ps(const struct ts_cost *c, uint32_t m, uint32_t n)
{
	struct ts_step s = {.act = TS_WORK, .m = m, .n = n, .k_end = c->plan->depth, .owns = true};
	struct ts_price price = ts_cost_item(c, &s);

	return ts_price_ps(&price);
}

uint64_t ts_bound_makespan(
	const struct ts_plan *p, const struct ts_cost *c, const struct ts_machine *machine)
{
	uint32_t rows = p->cluster_rows, cols = p->cluster_cols;
	uint32_t m = (rows - 1) * p->cluster_m, n = (cols - 1) * p->cluster_n;
	double places = MIN(machine->count, p->workers);
	double all, least, most, share, worker_ps, ends_ps, rounding;

	if (!p->plain || p->items == 0 || places < 1)
		return 0;
	const double prices[] = {
		whole_ps(c, 0, 0), whole_ps(c, 0, n), whole_ps(c, m, 0), whole_ps(c, m, n)};

	all = prices[0] * (rows - 1) * (cols - 1) + prices[1] * (rows - 1) +
		prices[2] * (cols - 1) + prices[3];
	all *= p->batch.by;
	least = MIN(MIN(prices[0], prices[1]), MIN(prices[2], prices[3]));
	most = ceil(p->items / places);
	/* Whoever computes the last item of a place stores it. Data-parallel has a worker an item,
	 * of which only the first of a place start with the launch. */
	ends_ps = p->workspace == 0 ? (double)c->store_ps : 0;
	worker_ps = 0;
	if (p->policy == TS_DATA_PARALLEL) {
		worker_ps = (double)c->start_ps + (double)c->store_ps;
		ends_ps = -(double)c->start_ps;
	}
	share = (all + p->items * worker_ps) / places;
	if (p->workspace == 0)
		share = MAX(share, most * (least + worker_ps));
	/* A price becomes whole picoseconds when it is paid; a sum of doubles errs by far less than
	 * a thousandth of a millionth. */
	rounding = 1 + 2 * (p->items + (double)p->workspace) / places + share * 1e-9;
	return (uint64_t)MAX((double)c->launch_ps + share + ends_ps - rounding, 0);
}
