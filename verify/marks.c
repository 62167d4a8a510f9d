/* The lists of k ranges. */
#include "verify/marks.h"

#include <string.h>

bool ts_marks_init(struct ts_marks *m, uint64_t tiles)
{
	memset(m, 0, sizeof *m);
	m->tiles = tiles;
	m->bits = g_try_malloc0_n(tiles / 64 + 1, sizeof *m->bits);
	return m->bits != NULL;
}

static void clear(struct ts_part *part)
{
	if (part->room > 0)
		g_free(part->spans.many);
	memset(part, 0, sizeof *part);
}

void ts_marks_finish(struct ts_marks *m)
{
	for (uint64_t i = 0; m->parts != NULL && i <= m->mask; i++)
		clear(&m->parts[i]);
	g_clear_pointer(&m->parts, g_free);
	g_clear_pointer(&m->bits, g_free);
}

/* Fibonacci hashing: neighbouring tiles far apart. */
static uint64_t home(const struct ts_marks *m, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15u >> 20) & m->mask;
}

/* The place of `key`, or the free one where it would be. */
static struct ts_part *place(const struct ts_marks *m, uint64_t key)
{
	uint64_t at = home(m, key);

	while (m->parts[at].key != 0 && m->parts[at].key != key)
		at = (at + 1) & m->mask;
	return &m->parts[at];
}

static void make_room(struct ts_marks *m)
{
	struct ts_part *old = m->parts;
	uint64_t places = old == NULL ? 0 : m->mask + 1;

	if (2 * (m->part_count + 1) <= places)
		return;
	m->mask = MAX(2 * places, 64) - 1;
	m->parts = g_new0(struct ts_part, m->mask + 1);
	for (uint64_t i = 0; i < places; i++)
		if (old[i].key != 0)
			*place(m, old[i].key) = old[i];
	g_free(old);
}

/* Frees a place and closes the gap, so that every key is still found from its home on. */
static void drop(struct ts_marks *m, struct ts_part *part)
{
	uint64_t hole = (uint64_t)(part - m->parts);

	clear(part);
	m->part_count--;
	for (uint64_t at = (hole + 1) & m->mask; m->parts[at].key != 0; at = (at + 1) & m->mask) {
		uint64_t wanted = home(m, m->parts[at].key);

		if (((at - wanted) & m->mask) < ((at - hole) & m->mask))
			continue;
		m->parts[hole] = m->parts[at];
		memset(&m->parts[at], 0, sizeof m->parts[at]);
		hole = at;
	}
}

const struct ts_span_k *ts_part_spans(const struct ts_part *part)
{
	return part->room == 0 ? &part->spans.one : part->spans.many;
}

static struct ts_span_k *spans_of(struct ts_part *part)
{
	return part->room == 0 ? &part->spans.one : part->spans.many;
}

/* Puts a range in at `at`. */
static void insert(struct ts_part *part, uint32_t at, struct ts_span_k span)
{
	struct ts_span_k first = part->spans.one;
	struct ts_span_k *spans;

	if (part->count > 0 && part->count >= part->room) {
		uint32_t room = MAX(4, 2 * part->room);

		part->spans.many =
			g_renew(struct ts_span_k, part->room == 0 ? NULL : part->spans.many, room);
		if (part->room == 0)
			part->spans.many[0] = first;
		part->room = room;
	}
	spans = spans_of(part);
	memmove(spans + at + 1, spans + at, (part->count - at) * sizeof *spans);
	spans[at] = span;
	part->count++;
}

/* Adds a range, joined with those that it meets; false where it shares an iteration with one. */
static bool unite(struct ts_part *part, struct ts_span_k span)
{
	struct ts_span_k *spans = spans_of(part);
	uint32_t first = 0, after = part->count;
	bool fresh = true;

	while (first < after) {
		uint32_t middle = first + (after - first) / 2;

		if (spans[middle].end < span.begin)
			first = middle + 1;
		else
			after = middle;
	}
	for (after = first; after < part->count && spans[after].begin <= span.end; after++) {
		fresh &= spans[after].end <= span.begin || spans[after].begin >= span.end;
		span.begin = MIN(span.begin, spans[after].begin);
		span.end = MAX(span.end, spans[after].end);
	}
	if (after == first) {
		insert(part, first, span);
		return fresh;
	}
	spans[first] = span;
	memmove(spans + first + 1, spans + after, (part->count - after) * sizeof *spans);
	part->count -= after - first - 1;
	return fresh;
}

bool ts_marks_add_part(
	struct ts_marks *m, uint64_t tile, uint32_t begin, uint32_t end, uint32_t depth)
{
	struct ts_part *part;
	bool fresh;

	make_room(m);
	part = place(m, tile + 1);
	if (part->key == 0) {
		part->key = tile + 1;
		m->part_count++;
	}
	fresh = unite(part, (struct ts_span_k){begin, end});
	if (ts_part_spans(part)->begin == 0 && ts_part_spans(part)->end == depth) {
		drop(m, part);
		m->bits[tile >> 6] |= (uint64_t)1 << (tile & 63);
		m->whole++;
	}
	return fresh;
}

const struct ts_part *ts_marks_part(const struct ts_marks *m, uint64_t tile)
{
	const struct ts_part *part = m->parts == NULL ? NULL : place(m, tile + 1);

	return part == NULL || part->key == 0 ? NULL : part;
}
