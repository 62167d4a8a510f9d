/* Caches: which operand panels are in an L2 or in the memory side cache, and when a panel arrives.
 *
 * A panel is BLOCK_M rows of A or BLOCK_N columns of B, one k iteration deep. Each L2 (one a group
 * on AMD, one for all elsewhere) and the memory side cache behind them, where there is one, keep
 * panels by bytes and drop the least recently used. They are filled in the order in which the items
 * really run: the engine asks once per k iteration. What an L2 lacks comes through the memory side
 * cache and DRAM, each of which serves one request after the other at its bandwidth, so that those
 * who miss wait and fall back into step with those who follow them. */
#ifndef TS_CACHE_H
#define TS_CACHE_H

#include "policies/all.h"
#include "sim/device.h"

/* Requests of panels by the level above. Bytes of operands only. */
struct ts_cache_use {
	uint64_t hits, misses;
	double hit_bytes, miss_bytes;
};

struct ts_caches;

/* Empty caches for a run of `plan`. NULL and a refusal: the device states no size of its L2, or no
 * bandwidth of DRAM, or the problem has more panels than can be kept track of. */
struct ts_caches *ts_caches_new(const struct ts_plan *plan, const struct ts_device *device,
	uint32_t element_bytes, GError **error);

/* Accepts NULL. */
void ts_caches_free(struct ts_caches *c);

/* A worker in `group` asks at `now` for the panels of k iteration `k` of item `s`: of a cluster
 * each panel once, which multicast hands on. Returns when the last of them is in its L2; times in
 * ps. Times of calls must not fall. */
double ts_caches_fetch(
	struct ts_caches *c, double now, uint32_t group, const struct ts_step *s, uint32_t k);

/* The output of item `s` goes through the L2 and the memory side cache to DRAM, and takes the place
 * of operands there. */
void ts_caches_store(struct ts_caches *c, double now, uint32_t group, const struct ts_step *s);

/* As long as all panels that the whole plan asks for take from DRAM, one after the other. */
double ts_caches_longest_ps(const struct ts_caches *c);

/* How many L2s there are, and what was asked of one; of the memory side cache where there is one,
 * else nothing. */
uint32_t ts_caches_l2s(const struct ts_caches *c);
struct ts_cache_use ts_caches_l2(const struct ts_caches *c, uint32_t i);
struct ts_cache_use ts_caches_llc(const struct ts_caches *c);
bool ts_caches_has_llc(const struct ts_caches *c);

/* Operand bytes that came from DRAM, and bytes of C that went there. */
double ts_caches_dram_bytes(const struct ts_caches *c);
double ts_caches_stored_bytes(const struct ts_caches *c);

/* Share of the requests that hit, in percent; 0 where there were none. */
double ts_cache_hit_percent(struct ts_cache_use use);

#endif
