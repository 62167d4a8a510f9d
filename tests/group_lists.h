/* Lists of groups. */
#ifndef TS_TESTS_GROUP_LISTS_H
#define TS_TESTS_GROUP_LISTS_H

/* Adds its tests to GLib's. */
void ts_lists_add(void);

#endif
