/* A schedule as a list of what its workers do, to be changed by hand; and what is really wrong with
 * it, counted in plain arrays from the request alone. */
#ifndef TS_TESTS_MUTATION_LISTING_H
#define TS_TESTS_MUTATION_LISTING_H

#include <glib.h>

#include "verify/finding.h"

/* A step other than a wait that has not ended; an item with the claim that gave it. Of an item,
 * `step.value` is 1 + the rank whose tile is taken for valid although it isn't, `step.counter` 1 +
 * the rank whose tile is left out. */
struct ts_event {
	uint32_t worker;
	struct ts_step step;
	uint32_t counter, answer;
};

struct ts_listing {
	struct ts_spec spec;
	struct ts_plan plan;
	GArray *events;
	uint32_t *given; /* per counter: claims that gave an item, before any change */
	GRand *random;   /* makes all choices, so that a seed gives the same listing again */
};

/* A walk of the plan of `spec`, in a random order of workers, with some items cut along k where the
 * plan has no workspace, and then in any order. False
 * where the request is refused, and then there is nothing to clear. */
bool ts_listing_make(struct ts_listing *l, const struct ts_spec *spec, uint32_t seed);
void ts_listing_clear(struct ts_listing *l);

struct ts_event *ts_listing_at(const struct ts_listing *l, uint32_t i);

/* A number below `end`, which is at least 1. */
uint32_t ts_listing_draw(struct ts_listing *l, uint32_t end);

/* Cuts item `i` in two, if it has two k iterations; one of the halves, which is drawn, keeps the
 * ownership. */
void ts_listing_cut(struct ts_listing *l, uint32_t i);
void ts_listing_shuffle(struct ts_listing *l);

/* Ids of workers are below this, also where they are renumbered. */
enum { TS_LISTING_IDS = 7919 };

struct ts_truth {
	bool faults[TS_FAULTS]; /* [TS_SOUND] where there is no other */
	uint64_t missing;       /* tiles */
};

struct ts_truth ts_truth_of(const struct ts_listing *l);

/* A change of a listing: most are mistakes, but some of those turn out to be harmless. */
struct ts_change {
	const char *sentence;
	bool harmless; /* by itself: it may never make a sound schedule wrong */
	/* False where the listing has no place for it. */
	bool (*apply)(struct ts_listing *l);
};

/* Ends with a sentence that is NULL. */
extern const struct ts_change ts_changes[];

#endif
