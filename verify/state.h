/* States: every state of an exploration that was met, word for word, each once. A state is known
 * again only if all its words are equal, so two are never taken for one. */
#ifndef TS_STATE_H
#define TS_STATE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* In the order in which they were met. */
struct ts_states {
	uint64_t words;       /* of a state */
	uint64_t stride;      /* with what is kept beside it */
	uint32_t count, most; /* states there are, and may be */
	uint32_t chunk;       /* states in a chunk of memory */
	GPtrArray *chunks;
	uint64_t *slots; /* hash << 32 | (1 + index), or 0; open addressing */
	uint32_t slots_mask;
};

static const uint32_t ts_no_state = UINT32_MAX;

/* At most `most` states of `words` uint32_t each, and at most `bytes` of memory for them. */
void ts_states_init(struct ts_states *s, uint64_t words, uint64_t most, uint64_t bytes);
void ts_states_finish(struct ts_states *s);

const uint32_t *ts_states_at(const struct ts_states *s, uint32_t index);

/* The index of a state, which is put in, coming from state `from` by `move`, if it is new.
 * ts_no_state if it is new and there is no room. */
uint32_t ts_states_put(struct ts_states *s, const uint32_t *state, uint32_t from, uint32_t move);

/* Where the state came from when it was new. */
uint32_t ts_states_from(const struct ts_states *s, uint32_t index, uint32_t *ret_move);

#endif
