/* Numbers 0, 1, 2, ... for SMs or CUs whose own are any: those of AMD have gaps, where CUs are
 * switched off, and their XCD in the bits from 8 on. */
#ifndef TS_UNITS_H
#define TS_UNITS_H

#include <glib.h>
#include <stdint.h>

enum { TS_UNITS_GROUP_SHIFT = 8 };

struct ts_units {
	GArray *found; /* of uint32_t: their own numbers, ascending */
};

/* Notes the own numbers of some units, each any number of times. */
void ts_units_add(struct ts_units *u, const uint32_t *own, uint32_t count);
void ts_units_finish(struct ts_units *u);

/* How many different ones were noted. */
uint32_t ts_units_count(const struct ts_units *u);

/* A unit's number among those noted; UINT32_MAX where it is none of them. */
uint32_t ts_units_find(const struct ts_units *u, uint32_t own);

/* The XCD of a unit that was noted, numbered in their order too; and how many there are. */
uint32_t ts_units_group(const struct ts_units *u, uint32_t unit);
uint32_t ts_units_groups(const struct ts_units *u);

#endif
