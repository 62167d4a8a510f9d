/* Remaps: permutations of ids in front of an order or of a persistent start, for locality on
 * devices whose hardware deals consecutive workgroups round robin over XCDs. */
#ifndef TS_REMAP_H
#define TS_REMAP_H

#include "policy.h"

enum ts_remap {
	TS_REMAP_NONE,
	TS_REMAP_CHIPLET, /* each XCD gets one contiguous share of the ids (tritonBLAS, aiter, CK)
			   */
	TS_REMAP_CHUNKED, /* each XCD gets `chunk` consecutive ids in turn (HipKittens, tritonBLAS)
			   */
	TS_REMAP_ROTATED, /* id + `chunk`, round the end: a rank's own shard first or last (Flux,
			     ThunderKittens) */
	TS_REMAPS
};

static inline const char *ts_remap_name(enum ts_remap remap)
{
	switch (remap) {
	case TS_REMAP_NONE: return "none";
	case TS_REMAP_CHIPLET: return "chiplet";
	case TS_REMAP_CHUNKED: return "chunked";
	case TS_REMAP_ROTATED: return "rotated";
	case TS_REMAPS: break;
	}
	return 0;
}

/* Does the remap look at the chunk of a request? */
static inline bool ts_remap_has_chunk(enum ts_remap remap)
{
	return remap == TS_REMAP_CHUNKED || remap == TS_REMAP_ROTATED;
}

/* The permutation of [0, plan.remap_span). Chiplet is exact for any count: shares differ by one at
 * most. Chunked moves only whole rounds of domains * chunk ids and leaves the rest as they are. */
static inline TS_HD uint32_t ts_remap_id(const struct ts_plan *p, uint32_t id)
{
	uint32_t domains = p->remap_domains.by;
	uint32_t turn, domain, round;

	if (p->remap == TS_REMAP_NONE)
		return id;
	turn = ts_quotient(id, p->remap_domains);
	domain = id - turn * domains;
	switch ((enum ts_remap)p->remap) {
	case TS_REMAP_CHIPLET:
		return ts_share_first(p->remap_span, p->remap_domains, domain) + turn;
	case TS_REMAP_CHUNKED:
		if (id >= p->remap_limit)
			return id;
		round = ts_quotient(turn, p->remap_chunk);
		return (round * domains + domain) * p->remap_chunk.by + turn -
			round * p->remap_chunk.by;
	case TS_REMAP_ROTATED:
		id += p->remap_limit;
		return id < p->remap_span ? id : id - p->remap_span;
	case TS_REMAP_NONE:
	case TS_REMAPS: break;
	}
	return id;
}

#endif
