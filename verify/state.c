/* The table of states. */
#include "verify/state.h"

#include <string.h>

enum { CHUNK_BYTES = 1 << 20, SLOTS_FIRST = 1 << 10, BESIDE = 2 };

void ts_states_init(struct ts_states *s, uint64_t words, uint64_t most, uint64_t bytes)
{
	uint64_t room;

	memset(s, 0, sizeof *s);
	s->words = words;
	s->stride = words + BESIDE;
	/* A state takes up to four slots. */
	room = bytes / ((s->stride + 8) * sizeof(uint32_t));
	s->most = (uint32_t)CLAMP(MIN(most, room), 1, (uint32_t)1 << 30);
	s->chunk = (uint32_t)MAX(1, CHUNK_BYTES / (s->stride * sizeof(uint32_t)));
	s->chunks = g_ptr_array_new_with_free_func(g_free);
	s->slots = g_new0(uint64_t, SLOTS_FIRST);
	s->slots_mask = SLOTS_FIRST - 1;
}

void ts_states_finish(struct ts_states *s)
{
	g_ptr_array_unref(s->chunks);
	g_free(s->slots);
}

static uint32_t *at(const struct ts_states *s, uint32_t index)
{
	uint32_t *chunk = g_ptr_array_index(s->chunks, index / s->chunk);

	return chunk + index % s->chunk * s->stride;
}

const uint32_t *ts_states_at(const struct ts_states *s, uint32_t index)
{
	return at(s, index);
}

uint32_t ts_states_from(const struct ts_states *s, uint32_t index, uint32_t *ret_move)
{
	const uint32_t *beside = at(s, index) + s->words;

	*ret_move = beside[1];
	return beside[0];
}

/* Spreads well; two states with the same hash are compared. */
static uint32_t hash(const struct ts_states *s, const uint32_t *state)
{
	uint64_t h = s->words;

	for (uint64_t i = 0; i < s->words; i++) {
		h = (h ^ state[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

static void grow(struct ts_states *s)
{
	uint32_t mask = s->slots_mask * 2 + 1;
	uint64_t *slots = g_new0(uint64_t, (size_t)mask + 1);

	for (uint32_t i = 0; i <= s->slots_mask; i++) {
		uint32_t slot = (uint32_t)(s->slots[i] >> 32) & mask;

		if (s->slots[i] == 0)
			continue;
		while (slots[slot] != 0)
			slot = (slot + 1) & mask;
		slots[slot] = s->slots[i];
	}
	g_free(s->slots);
	s->slots = slots;
	s->slots_mask = mask;
}

uint32_t ts_states_put(struct ts_states *s, const uint32_t *state, uint32_t from, uint32_t move)
{
	uint32_t h = hash(s, state);
	uint32_t slot = h & s->slots_mask;
	uint32_t *place;

	for (; s->slots[slot] != 0; slot = (slot + 1) & s->slots_mask) {
		uint32_t index = (uint32_t)s->slots[slot] - 1;

		if (s->slots[slot] >> 32 == h &&
			memcmp(at(s, index), state, s->words * sizeof *state) == 0)
			return index;
	}
	if (s->count >= s->most)
		return ts_no_state;
	if (s->count / s->chunk >= s->chunks->len)
		g_ptr_array_add(s->chunks, g_new(uint32_t, s->chunk * s->stride));
	place = at(s, s->count);
	memcpy(place, state, s->words * sizeof *state);
	place[s->words] = from;
	place[s->words + 1] = move;
	s->slots[slot] = (uint64_t)h << 32 | ++s->count;
	if (s->count > s->slots_mask / 2)
		grow(s);
	return s->count - 1;
}
