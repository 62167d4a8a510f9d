/* Axes: what the user gave for each field of a request, as lists and ranges, and their product.
 * `--m 1:4096:127 --policy all` is a product of some thousand requests; none of it is stored. */
#ifndef TS_AXES_H
#define TS_AXES_H

#include "policies/plan.h"
#include "sim/device.h"
#include "sim/groups.h"

enum ts_axis {
	TS_AXIS_POLICY,
	TS_AXIS_MODE,
	TS_AXIS_ORDER,
	TS_AXIS_WIDTH,
	TS_AXIS_REMAP,
	TS_AXIS_CHUNK,
	TS_AXIS_CLUSTER,
	TS_AXIS_BLOCK,
	TS_AXIS_WORKERS,
	TS_AXIS_XCDS,
	TS_AXIS_SLOTS,
	TS_AXIS_LOCAL,
	TS_AXIS_SPLITS,
	TS_AXIS_HYBRID,
	TS_AXIS_MIN_K,
	TS_AXIS_K_GROUPS,
	TS_AXIS_SHAPE,
	TS_AXIS_COLLECTIVE,
	TS_AXIS_RANKS,
	TS_AXIS_RANK,
	TS_AXIS_RANK_CHUNKS,
	TS_AXIS_ROW_ORDER,
	TS_AXIS_BATCH,
	TS_AXIS_SECTION,
	TS_AXIS_LAYOUT,
	TS_AXIS_GROUP_ORDER,
	TS_AXIS_GROUPS,
	TS_AXIS_M,
	TS_AXIS_N,
	TS_AXIS_K,
	TS_AXES
};

/* From `first` on, `count` values `step` apart. Only single values have a second and third part:
 * those of a block, 256x128x64, and of a cluster, 2x1. */
struct ts_span {
	int64_t first[3];
	int64_t step;
	uint64_t count;
};

struct ts_axes {
	GArray *spans[TS_AXES];
	uint64_t sizes[TS_AXES];
	uint64_t count;         /* of the product; UINT64_MAX where it is larger */
	bool default_workers;   /* not given: to be set to what is resident on the device */
	bool given[TS_AXES];    /* by the user, so that no alias and no mode says otherwise */
	const GPtrArray *lists; /* that values of TS_AXIS_GROUPS are numbers of; -1: no list */
	struct ts_spec base;
};

/* The option of an axis, without its dashes. */
const char *ts_axis_name(enum ts_axis axis);
const char *ts_axis_help(enum ts_axis axis);

/* Parses texts[TS_AXES], NULL where an option was not given. XCDs are then taken from the device,
 * and lists of groups go into `lists`, which must outlive the requests. A refusal names the option.
 */
bool ts_axes_init(struct ts_axes *a, char *const *texts, const struct ts_device *device,
	int64_t max_cluster, int64_t max_counters, GPtrArray *lists, GError **error);
void ts_axes_finish(struct ts_axes *a);

/* Is `value` among the axis's? */
bool ts_axes_have(const struct ts_axes *a, enum ts_axis axis, int64_t value);

/* The same of a policy, by its own name or by an alias. */
bool ts_axes_have_policy(const struct ts_axes *a, enum ts_policy_id id);

/* Request number `index` of the product, groups and M and N and K changing fastest. False if it
 * repeats another one, as a mode does where the policy is not worksteal. */
bool ts_axes_spec(const struct ts_axes *a, uint64_t index, struct ts_spec *ret_spec);

/* Behind a request that repeats another one: the first that need not, for the same reason. */
uint64_t ts_axes_skip(const struct ts_axes *a, uint64_t index);

/* One that is drawn evenly from each axis, with a generator's next value for each. */
void ts_axes_draw(const struct ts_axes *a, GRand *random, struct ts_spec *ret_spec);

#endif
