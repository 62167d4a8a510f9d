/* Chunks and rows, as intervals: nothing here divides, as chunk.h does. */
#include "verify/chunks.h"

#include "policies/chunk.h"

static bool fault(struct ts_finding *ret_finding, uint32_t row, uint32_t chunk, uint64_t count)
{
	struct ts_finding f = {.fault = TS_CHUNK, .chunk = chunk, .count = count};

	f.tiles[0].m = row;
	*ret_finding = f;
	return false;
}

/* When each chunk comes, by its number; UINT32_MAX for one that never does. */
static uint32_t *find_turns(const struct ts_plan *p)
{
	uint32_t *turns = g_new(uint32_t, p->chunks);

	for (uint32_t i = 0; i < p->chunks; i++)
		turns[i] = UINT32_MAX;
	for (uint32_t turn = 0; turn < p->chunks; turn++) {
		uint32_t chunk = ts_chunk_at(p, turn);

		if (chunk < p->chunks)
			turns[chunk] = turn;
	}
	return turns;
}

/* With rows in the order of the chunks, a row never comes before one whose last chunk arrives
 * earlier, or whose first one leaves earlier. */
static bool check_order(const struct ts_plan *p, const uint32_t *turns, struct ts_finding *f)
{
	bool gathers = p->collective == TS_ALL_GATHER;
	uint32_t before = 0;

	if (p->row_order != TS_ROWS_RANK)
		return true;
	for (uint32_t i = 0; i < p->cluster_rows; i++) {
		uint32_t m = ts_row_at(p, i) * p->cluster_m;
		struct ts_chunks c = ts_chunks_of(p, m);
		uint32_t decides = c.first;

		for (uint32_t chunk = c.first; chunk < c.after; chunk++)
			if (gathers ? turns[chunk] > turns[decides] : turns[chunk] < turns[decides])
				decides = chunk;
		if (turns[decides] < before)
			return fault(f, m, decides, 0);
		before = turns[decides];
	}
	return true;
}

bool ts_chunks_check(const struct ts_plan *p, struct ts_finding *ret_finding)
{
	uint64_t length = p->collective == TS_ALONE ? 0 : p->chunk_rows.by;
	g_autofree uint64_t *items = NULL;
	g_autofree uint32_t *turns = NULL;
	uint64_t begin = 0;
	uint32_t first = 0;

	if (length == 0 || p->items == 0)
		return true;
	items = g_new0(uint64_t, p->chunks);
	/* `first` is the chunk of the row's first element, `begin` where that chunk begins. */
	for (uint32_t m = 0; m < p->rows; m += p->cluster_m) {
		uint64_t from = (uint64_t)m * p->block_m;
		uint64_t to = MIN(from + (uint64_t)p->cluster_m * p->block_m, p->m);
		struct ts_chunks said = ts_chunks_of(p, m);
		uint32_t chunk;

		for (; begin + length <= from; begin += length)
			first++;
		for (chunk = first; begin + (chunk - first) * length < to; chunk++) {
			if (chunk < said.first || chunk >= said.after || chunk >= p->chunks)
				return fault(ret_finding, m, chunk, 0);
			items[chunk] += p->cluster_cols;
		}
		if (said.first != first || said.after != chunk)
			return fault(ret_finding, m, said.first != first ? said.first : chunk, 0);
	}
	turns = find_turns(p);
	for (uint32_t chunk = 0; chunk < p->chunks; chunk++) {
		if (ts_chunk_items(p, chunk) != items[chunk])
			return fault(ret_finding, UINT32_MAX, chunk, items[chunk]);
		if (turns[chunk] == UINT32_MAX)
			return fault(ret_finding, UINT32_MAX, chunk, items[chunk]);
	}
	return check_order(p, turns, ret_finding);
}
