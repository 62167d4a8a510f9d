/* Aliases: the names under which projects know combinations of the axes. */
#ifndef TS_ALIASES_H
#define TS_ALIASES_H

#include "sim/axes.h"

/* A value of --policy that stands for values of several axes. An axis that the user gives, too,
 * keeps the user's value. */
struct ts_alias {
	const char *name;
	const char *summary; /* whose it is, and where it differs from ours */
	const char *source;
	const char *axes[TS_AXES]; /* as one would type them; NULL where the alias says nothing */
};

/* Alias number `i`, in the order of their names; NULL past the last one. */
const struct ts_alias *ts_alias(uint32_t i);

/* The number of the one called `name`, or UINT32_MAX. */
uint32_t ts_alias_find(const char *name);

#endif
