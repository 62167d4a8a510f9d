/* Settings: the options that all commands share. */
#ifndef TS_SETTINGS_H
#define TS_SETTINGS_H

#include "sim/axes.h"
#include "sim/cost.h"
#include "sim/policy_file.h"
#include "sim/scenario.h"

/* As typed; NULL where not given. ts_settings_finish() frees what the option parser made. */
struct ts_settings {
	char *axes[TS_AXES];
	char *policy_file, *window; /* the latter until it is the axis' */
	char *device, *dtype, *cus, *occupancy, *max_cluster, *max_counters;
	char *clock, *claim_ns, *prologue_ns, *epilogue_ns, *link_gbps;
	char *edge, *memory, *domain, *jitter, *seed;
	char *mask, **slow, **hold, **release;
	gboolean help;
	bool box;         /* axes come from a box: those that say nothing are no mistake */
	GPtrArray *lists; /* of groups, as far as the axes were made */
	struct ts_policy_file *file; /* loaded from policy_file */
	bool borrows_file;
};

/* The parser of a command's options: its own `entries` first, then the shared ones. `usage` is what
 * follows the program's name. Free with g_option_context_free(). */
GOptionContext *ts_settings_context(
	struct ts_settings *s, const char *usage, const char *summary, const GOptionEntry *entries);

/* Parses, and refuses what is left over. True with s->help set where help was asked for and
 * printed. */
bool ts_settings_parse(
	struct ts_settings *s, GOptionContext *context, int argc, char **argv, GError **error);
void ts_settings_finish(struct ts_settings *s);

/* Settings that are those of `base` but for the options in `words`, which are as a shell would read
 * them. An option whose axis belongs to one that is given anew, as a mode does to its policy, is
 * not taken over. `base` must outlive them. */
bool ts_settings_vary(
	struct ts_settings *s, const struct ts_settings *base, const char *words, GError **error);

/* The policy file's rules, or NULL for the registered policies. */
const struct ts_rules *ts_settings_rules(const struct ts_settings *s);

/* As given, or what stands in for it. */
const char *ts_settings_device_name(const struct ts_settings *s);

/* The device, with every override applied; of --xcds only a single number. NULL and a refusal. */
struct ts_device *ts_settings_device(const struct ts_settings *s, GError **error);

bool ts_settings_axes(const struct ts_settings *s, const struct ts_device *device,
	struct ts_axes *ret_axes, GError **error);

/* The one request that the settings give; a refusal where they give several. */
bool ts_settings_spec(const struct ts_settings *s, const struct ts_device *device,
	struct ts_spec *ret_spec, GError **error);

bool ts_settings_dtype(const struct ts_settings *s, enum ts_dtype *ret_dtype, GError **error);
bool ts_settings_edge(const struct ts_settings *s, enum ts_edge *ret_edge, GError **error);
bool ts_settings_memory(const struct ts_settings *s, enum ts_memory *ret_memory, GError **error);

/* --memory calibrated for a device that is, where nothing else was asked for. */
void ts_settings_prefer_calibrated(struct ts_settings *s, const struct ts_device *device);

/* Do workers take their domain from where they run, not from their id? */
bool ts_settings_hardware_domain(const struct ts_settings *s, bool *ret_hardware, GError **error);

bool ts_settings_scenario(const struct ts_settings *s, const struct ts_device *device,
	struct ts_scenario *ret_scenario, GError **error);

/* Refuses a policy file and the options of a model, but for those in `taken` (up to a NULL), where
 * a kernel runs on a real device. `who` takes it as it is: "the GEMM". */
bool ts_settings_real_device(
	const struct ts_settings *s, const char *who, const char *const *taken, GError **error);

/* Refuses the scenario, but for those in `taken`, where nothing takes time, which `why` says: "a
 * trace is what has happened". What says how long something takes may be there, for commands to be
 * alike, but must make sense. */
bool ts_settings_no_time(
	const struct ts_settings *s, const char *why, const char *const *taken, GError **error);

/* Refuses groups and shapes where there can be only one rectangle. `who` cannot: "a GPU run". Who
 * asks for help is refused nothing, here and by the next one. */
bool ts_settings_one_problem(const struct ts_settings *s, const char *who, GError **error);

/* False and a refusal where a shape with a part left out is asked for, which `who` has not. */
bool ts_settings_rectangles(const struct ts_settings *s, const char *who, GError **error);

/* "tilesim COMMAND --device ...": repeats a run of `spec` under these settings. Free with g_free().
 */
char *ts_settings_command(
	const struct ts_settings *s, const char *command, const struct ts_spec *spec);

#endif
