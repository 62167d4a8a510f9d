/* Which schedule is in which public project, and what there is of it here. */
#ifndef TS_PROJECTS_H
#define TS_PROJECTS_H

#include <stdbool.h>

/* Prints the table, as text or as JSON. */
void ts_projects_print(bool json);

#endif
