/* What is to happen, by time, and of the same time by place. An event that comes behind all others
 * goes to the end of a row: that is the rule where all places take equally long for a step. One
 * that comes before the end of the row goes to a binary heap (Williams, CACM 1964). */
#ifndef TS_EVENTS_H
#define TS_EVENTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ts_event {
	uint64_t time; /* ps */
	uint32_t place;
};

struct ts_events {
	struct ts_event *row;             /* a ring, from `first` on; its size is a power of two */
	uint32_t first, in_row, row_mask; /* `first` wraps */
	struct ts_event *heap;
	uint32_t in_heap;
};

/* Room for `most` events at once. */
static inline void ts_events_init(struct ts_events *e, uint32_t most)
{
	*e = (struct ts_events){0};
	while (e->row_mask < most)
		e->row_mask = 2 * e->row_mask + 1;
	e->row = g_new(struct ts_event, (gsize)e->row_mask + 1);
	e->heap = g_new(struct ts_event, (gsize)most + 1);
}

static inline void ts_events_finish(struct ts_events *e)
{
	g_clear_pointer(&e->row, g_free);
	g_clear_pointer(&e->heap, g_free);
}

static inline bool ts_events_empty(const struct ts_events *e)
{
	return e->in_row == 0 && e->in_heap == 0;
}

static inline bool ts_event_before(struct ts_event a, struct ts_event b)
{
	return a.time < b.time || (a.time == b.time && a.place < b.place);
}

static inline void ts_events_push(struct ts_events *e, uint64_t time, uint32_t place)
{
	struct ts_event added = {time, place};
	uint32_t end = e->first + e->in_row, at;

	if (e->in_row == 0 || !ts_event_before(added, e->row[(end - 1) & e->row_mask])) {
		e->row[end & e->row_mask] = added;
		e->in_row++;
		return;
	}
	at = e->in_heap++;
	while (at > 0 && ts_event_before(added, e->heap[(at - 1) / 2])) {
		e->heap[at] = e->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	e->heap[at] = added;
}

static inline struct ts_event ts_events_pop_heap(struct ts_events *e)
{
	struct ts_event first = e->heap[0];
	struct ts_event last = e->heap[--e->in_heap];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < e->in_heap && ts_event_before(e->heap[child + 1], e->heap[child]))
			child++;
		if (child >= e->in_heap || !ts_event_before(e->heap[child], last))
			break;
		e->heap[at] = e->heap[child];
		at = child;
	}
	e->heap[at] = last;
	return first;
}

/* The first event, which is no longer there then. There must be one. */
static inline struct ts_event ts_events_pop(struct ts_events *e)
{
	struct ts_event *first = &e->row[e->first & e->row_mask];

	if (e->in_row == 0 || (e->in_heap > 0 && ts_event_before(e->heap[0], *first)))
		return ts_events_pop_heap(e);
	e->first++;
	e->in_row--;
	return *first;
}

#endif
