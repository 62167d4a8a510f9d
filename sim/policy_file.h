/* Policy files: a user's header, compiled and loaded at run time. */
#ifndef TS_POLICY_FILE_H
#define TS_POLICY_FILE_H

#include <gio/gio.h>
#include <stdbool.h>

#include "policies/rules.h"

struct ts_policy_file;

/* Compiles the header at `path` with the C compiler that is found ($CC, cc, gcc or clang) in a
 * private folder and loads it. Every signed operation in it traps on overflow. NULL and a refusal,
 * which holds the compiler's message where there is one.
 *
 * From then on a policy that stays in one call for seconds, that traps, or that is no pure function
 * ends the program with one line on standard error that names the file, and exit code 1. */
struct ts_policy_file *ts_policy_file_load(const char *path, GError **error);

/* Accepts NULL. */
void ts_policy_file_free(struct ts_policy_file *f);

/* The file's policy, guarded as described; valid until the file is freed. */
const struct ts_rules *ts_policy_file_rules(const struct ts_policy_file *f);

/* Names what this thread works on, for the line that a trap prints. The text must stay valid. */
void ts_policy_file_note(const char *text);

#endif
