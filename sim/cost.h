/* Cost: how long an item takes, by one of several models of memory. The engine knows only this
 * interface. */
#ifndef TS_COST_H
#define TS_COST_H

#include "policies/all.h"
#include "sim/device.h"

/* Which work an edge tile costs: matrix units compute the whole tile, a masked kernel less. */
enum ts_edge { TS_EDGE_FULL, TS_EDGE_REAL, TS_EDGES };

const char *ts_edge_name(enum ts_edge edge);

/* What memory costs: each item its share of the least that DRAM must deliver, or what the caches
 * lack, or what the device's calibration says. The second takes an event per k iteration. */
enum ts_memory {
	TS_MEMORY_ROOFLINE,
	TS_MEMORY_CACHES,
	TS_MEMORY_CALIBRATED, /* and all other costs */
	TS_MEMORIES
};

const char *ts_memory_name(enum ts_memory memory);

struct ts_cost {
	const struct ts_plan *plan;
	enum ts_edge edge;
	double flops_per_ps;    /* of one CTA */
	double l2_bytes_per_ps; /* of one CTA */
	double far_ps_per_item; /* its share of what DRAM must deliver at least; 0 with caches */
	double bytes;           /* of an element */
	double prologue_ps, epilogue_ps;
	double slot_ps, add_ps; /* a CTA's share of a workspace slot, written, or read and added */
	bool shared;            /* all workers of a tile add its parts, and so read one each */
	uint64_t claim_ps;
	uint64_t signal_ps; /* until who waits sees it */
	uint64_t launch_ps;
	uint64_t start_ps; /* of a worker that enters where another left */
	uint64_t store_ps; /* of the last item, when its worker leaves */
	/* Of a calibration, where there is one: */
	const struct ts_calibration *calibration;
	double cycle_ps;
	double load;       /* the units that work at once in the mean, of all */
	double outside;    /* those of them that ask for rows outside A or B */
	double apart;      /* how far units that share operands are from the same k, 0 to 1 */
	double missing;    /* the share of the matrices that L2 lacks */
	bool dealt;        /* clusters along n with several items, none of them claimed */
	double slowdown;   /* by the load */
	double flops_rate; /* of one CTA in a cycle */
};

/* An item's time at normal speed, and what it consists of. */
struct ts_price {
	double fixed_ps;  /* prologue and epilogue */
	double k_ps;      /* k iterations */
	double padded_ps; /* the part of k_ps that is spent outside M x N x K */
	double fix_up_ps; /* partial sums, written or added */
};

/* False and a refusal where the device has no rate for `dtype`. What works at once, `places` at
 * most, shares the bandwidth of DRAM, unless `memory` says that caches stand before it. */
bool ts_cost_init(struct ts_cost *c, const struct ts_plan *plan, const struct ts_device *device,
	enum ts_dtype dtype, enum ts_edge edge, enum ts_memory memory, uint32_t places,
	GError **error);

/* All of it. */
static inline double ts_price_ps(const struct ts_price *price)
{
	return price->fixed_ps + price->k_ps + price->fix_up_ps;
}

/* How many of the elements of block number `at` lie below `size`. */
static inline double ts_cost_inside(uint32_t at, uint32_t block, uint32_t size)
{
	uint64_t first = (uint64_t)at * block;

	if (first >= size)
		return 0;
	return (double)MIN(block, size - first);
}

/* The price of item `s`, whose first CTA has the largest tile, or of a fix-up. Partial sums go
 * through L2, and the output is written where the item is complete. */
struct ts_price ts_cost_item(const struct ts_cost *c, const struct ts_step *s);

/* The problem's own FLOPs: 2 M N K, or what a shape has of it, summed over groups. */
double ts_cost_flops(const struct ts_plan *plan);

/* How long the owner of an item adds so many parts of it. */
double ts_cost_add_ps(const struct ts_cost *c, double parts);

#endif
