/* The prober: launches the probe kernel for one plan after another and fetches what it wrote. */
#ifndef TS_PROBER_H
#define TS_PROBER_H

#include "kernels/backend.h"
#include "kernels/probe.h"
#include "kernels/units.h"

/* The size of each CTA. By default those of a GEMM, of which one takes a whole SM. */
struct ts_prober_cta {
	uint32_t threads;
	uint32_t shared; /* bytes of dynamic shared memory */
};

enum { TS_PROBER_THREADS = 256, TS_PROBER_SHARED = 200 * 1024 };

struct ts_prober {
	struct ts_backend gpu;
	void *probe, *latency;
	void *probe_groups; /* for plans that are not plain; NULL: not wanted yet */
	struct ts_prober_cta cta;
	struct ts_units units; /* where the device's own numbers have gaps; else empty */
	uint64_t memory, memory_words;
	uint32_t *words; /* the last launch's memory */
	uint64_t words_made;
};

/* How a launch differs from another of the same plan. */
struct ts_probe_pace {
	uint64_t busy_ns; /* that each k iteration takes */
	bool hardware_domain;
};

/* Opens a GPU of that backend, or the first there is where `ops` is NULL. Where its units have any
 * numbers they are found by a launch, and numbered from 0 on in all that is returned. CTAs get less
 * shared memory than `cta` says where one may not have as much. */
bool ts_prober_open(struct ts_prober *p, const struct ts_backend_ops *ops,
	const struct ts_prober_cta *cta, GError **error);
void ts_prober_close(struct ts_prober *p);

/* Workers of cluster_m x cluster_n CTAs that are resident at once; 0 where there is no room. */
uint32_t ts_prober_residency(const struct ts_prober *p, uint32_t cluster_m, uint32_t cluster_n);

/* Runs `plan`, whose layout is not too large for memory. The log stays valid until the next run. */
bool ts_prober_run(struct ts_prober *p, const struct ts_plan *plan,
	const struct ts_probe_pace *pace, struct ts_probe_log *ret_log, GError **error);

/* Dependent claims by one thread in each of `ctas` CTAs, from counters `apart` words from each
 * other, the first at word `first` (even); 0 apart: all from the same one. */
struct ts_claims {
	uint32_t ctas, apart, claims, first;
};

/* What a claim took: summed over so many CTAs the mean of each, and the least and the largest. */
struct ts_latency {
	uint32_t ctas;
	double cycles, ns;
	double least_ns, most_ns;
};

/* Adds to `ret_latency`, which starts as zeros; the SM of each CTA goes to ret_units[ctas], which
 * may be NULL. The kernel is one without clusters. */
bool ts_prober_latency(struct ts_prober *p, const struct ts_claims *what, uint32_t *ret_units,
	struct ts_latency *ret_latency, GError **error);

#endif
