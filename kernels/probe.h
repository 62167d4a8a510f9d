/* The probe: a kernel that computes nothing and writes down who got which tile, where and when.
 * What it takes and leaves in memory, for the kernel and for its host. */
#ifndef TS_PROBE_H
#define TS_PROBE_H

#include "kernels/group_table.h"

/* One item, as one CTA of its worker saw it. The CTAs of a cluster have consecutive records. */
struct ts_probe_record {
	uint32_t worker, rank, unit, domain;
	uint32_t counter, answer; /* of the claim that gave the item; TS_PROBE_NONE, 0 without */
	uint32_t g, m, n, valid;  /* the CTA's tile, and the group whose grid it is in */
	uint32_t k_begin, k_end, owns;
	uint32_t slot;     /* of the step */
	uint64_t from, to; /* ns */
};

/* What a worker did to a counter, in its order: claims with the old value, signals with what was
 * added. A TS_WAIT is only noted where the worker gave it up. */
struct ts_probe_event {
	uint32_t worker, domain, act, counter, value, unit;
};

enum { TS_PROBE_NONE = -1 };

/* How many groups of records, one record a CTA, and how many events there are. More than there is
 * room for are counted but not written, and end the worker. */
struct ts_probe_cursors {
	uint32_t groups, events;
};

struct ts_probe_args {
	struct ts_plan plan;
	const struct ts_plan *table; /* of a plan that is not plain, see group_table.h */
	uint64_t busy_ns;            /* that a k iteration takes */
	uint32_t hardware_domain; /* 1: the domain is gpu_domain(), else the id, modulo domains */
	uint32_t group_room, event_room;
	struct ts_probe_cursors *cursors;
	uint32_t *counters;
	struct ts_probe_record *records;
	struct ts_probe_event *events;
};

/* The latency of a claim: `claims` of them by each CTA, each after the answer of the one before,
 * from counters `apart` words from each other. `ret` has four numbers a CTA: cycles, ns, the last
 * answer and the SM. */
struct ts_latency_args {
	uint32_t *counters;
	uint32_t apart, claims;
	uint64_t *ret;
};

/* A kernel that only keeps its places: each CTA tells that it is there, and stays until the host
 * lets it go, or for so long at most. `let_go` and `there`, a word for each CTA, are in memory of
 * the host's. */
enum ts_hold_there { TS_HOLD_NOT_YET, TS_HOLD_THERE, TS_HOLD_TOO_LONG };

struct ts_hold_args {
	const uint32_t *let_go;
	uint32_t *there;
	uint64_t most_ns;
};

/* Threads that a CTA of these kernels may have. */
enum { TS_PROBE_THREADS_MAX = 1024 };

/* The memory of one launch, in words of 32 bits: guards, cursors, counters, records and events.
 * Cursors and counters start at 0, and every other word at TS_PROBE_POISON. */
struct ts_probe_layout {
	uint64_t group_room, event_room;
	uint64_t cursors, counters, records, events; /* where they begin */
	uint64_t words;
};

/* That memory after a launch. */
struct ts_probe_log {
	struct ts_probe_layout layout;
	uint32_t *words;
};

enum { TS_PROBE_GUARD = 64, TS_PROBE_SPARE = 64 };

static const uint32_t TS_PROBE_POISON = 0x7e57c0de;

/* Host only: room for what the plan may need at most and for some items too many, which can then be
 * named. Workers and items too many for memory are for the caller to refuse. */
static inline struct ts_probe_layout ts_probe_layout_make(const struct ts_plan *p)
{
	struct ts_probe_layout l;
	uint64_t ranks = (uint64_t)p->cluster_m * p->cluster_n;
	uint64_t align = 4; /* records hold 64 bit numbers */

	l.group_room = (uint64_t)p->items + p->workers + TS_PROBE_SPARE;
	l.event_room = 0;
	/* Signals of parts, and of each worker a wait that it gives up. */
	if (p->workspace > 0)
		l.event_room = (uint64_t)p->workspace + p->workers + TS_PROBE_SPARE;
	else if (p->counters > 0)
		l.event_room = p->items + (uint64_t)p->workers * ((uint64_t)p->counters + 1) +
			TS_PROBE_SPARE;
	l.cursors = TS_PROBE_GUARD;
	l.counters = l.cursors + TS_PROBE_GUARD;
	l.records = l.counters + (p->counters + align - 1) / align * align + TS_PROBE_GUARD;
	l.events = l.records + TS_PROBE_GUARD +
		l.group_room * ranks * (sizeof(struct ts_probe_record) / sizeof(uint32_t));
	l.words = l.events + TS_PROBE_GUARD +
		l.event_room * (sizeof(struct ts_probe_event) / sizeof(uint32_t));
	return l;
}

static inline struct ts_probe_cursors *ts_probe_cursors(const struct ts_probe_log *log)
{
	return (struct ts_probe_cursors *)(void *)(log->words + log->layout.cursors);
}

static inline struct ts_probe_record *ts_probe_records(const struct ts_probe_log *log)
{
	return (struct ts_probe_record *)(void *)(log->words + log->layout.records);
}

static inline struct ts_probe_event *ts_probe_events(const struct ts_probe_log *log)
{
	return (struct ts_probe_event *)(void *)(log->words + log->layout.events);
}

#endif
