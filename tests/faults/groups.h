/* Faults of groups and shapes. */
#ifndef TS_TESTS_FAULTS_GROUPS_H
#define TS_TESTS_FAULTS_GROUPS_H

/* Adds its tests to GLib's. */
void ts_group_faults_add(void);

#endif
