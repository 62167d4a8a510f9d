/* What the shared options say: numbers, names, the device, requests and the scenario. */
#include <string.h>

#include "sim/machine.h"
#include "sim/refuse.h"
#include "sim/request.h"
#include "sim/settings.h"

/* An option that is a whole number; `ret_value` keeps its default where it was not given. */
static bool number(const char *name, const char *text, int64_t from, int64_t to, int64_t *ret_value,
	GError **error)
{
	int64_t value = 0;

	if (text == NULL)
		return true;
	if (!ts_parse_int(text, &value) || value < from || value > to)
		return ts_refuse(error,
			"--%s %s: must be a whole number from %" G_GINT64_FORMAT
			" to %" G_GINT64_FORMAT,
			name, text, from, to);
	*ret_value = value;
	return true;
}

static bool decimal(const char *name, const char *text, double from, double to, double *ret_value,
	GError **error)
{
	double value;

	if (text == NULL)
		return true;
	if (!ts_parse_double(text, &value) || !(value >= from && value <= to))
		return ts_refuse(
			error, "--%s %s: must be a number from %g to %g", name, text, from, to);
	*ret_value = value;
	return true;
}

/* The position of `text` among names; `ret_value` keeps its default where it was not given. */
static bool name(const char *option, const char *text, const char *(*names)(int i), int *ret_value,
	GError **error)
{
	g_autoptr(GString) all = g_string_new(NULL);

	if (text == NULL)
		return true;
	for (int i = 0; names(i) != NULL; i++) {
		g_string_append_printf(all, "%s%s", i == 0 ? "" : ", ", names(i));
		if (strcmp(names(i), text) == 0) {
			*ret_value = i;
			return true;
		}
	}
	return ts_refuse(error, "--%s '%s': must be one of %s", option, text, all->str);
}

const char *ts_settings_device_name(const struct ts_settings *s)
{
	return s->device == NULL ? "mi300x" : s->device;
}

struct ts_device *ts_settings_device(const struct ts_settings *s, GError **error)
{
	struct ts_device *d = ts_device_load(ts_settings_device_name(s), error);
	int64_t units, occupancy, max_cluster, xcds;
	double clock = 0;

	if (d == NULL)
		return NULL;
	units = d->units;
	occupancy = d->occupancy;
	max_cluster = d->max_cluster;
	/* So that --cus and --xcds can be given together; a list is dealt with per request. */
	if (s->axes[TS_AXIS_XCDS] == NULL || !ts_parse_int(s->axes[TS_AXIS_XCDS], &xcds))
		xcds = d->xcds;
	if (number("cus", s->cus, 1, 1 << 20, &units, error) &&
		number("occupancy", s->occupancy, 1, 64, &occupancy, error) &&
		number("max-cluster", s->max_cluster, 1, 1024, &max_cluster, error) &&
		decimal("clock", s->clock, 1, 1e5, &clock, error) &&
		decimal("claim-ns", s->claim_ns, 0, 1e9, &d->claim_ns, error) &&
		decimal("prologue-ns", s->prologue_ns, 0, 1e9, &d->prologue_ns, error) &&
		decimal("epilogue-ns", s->epilogue_ns, 0, 1e9, &d->epilogue_ns, error) &&
		decimal("link-gbps", s->link_gbps, 0.001, 1e6, &d->link_gbps, error) &&
		ts_device_resize(d, units, xcds, error)) {
		if (clock > 0) {
			d->clock_mhz = clock;
			d->calibration.run_mhz = clock;
		}
		d->occupancy = (uint32_t)occupancy;
		d->max_cluster = (uint32_t)max_cluster;
		return d;
	}
	ts_device_free(d);
	return NULL;
}

/* Options of one policy. */
static const struct {
	enum ts_axis axis;
	uint32_t use;
	const char *policy;
} of_policies[] = {
	{TS_AXIS_MODE, TS_USES_MODE, "worksteal"},
	{TS_AXIS_LOCAL, TS_USES_LOCAL, "worksteal"},
	{TS_AXIS_SPLITS, TS_USES_SPLITS, "split-k"},
	{TS_AXIS_HYBRID, TS_USES_HYBRID, "stream-k"},
	{TS_AXIS_MIN_K, TS_USES_HYBRID, "stream-k"},
	{TS_AXIS_K_GROUPS, TS_USES_HYBRID, "stream-k"},
};

/* Refuses an option that none of the policies looks at. A policy file may look at all but modes. */
static bool all_used(const struct ts_settings *s, const struct ts_axes *axes, GError **error)
{
	uint32_t uses = s->file != NULL ? ~(uint32_t)TS_USES_MODE : 0;

	for (uint32_t id = 0; s->file == NULL && id < TS_POLICIES; id++)
		for (int mode = 0; mode < TS_MODES; mode++)
			if (ts_axes_have_policy(axes, (enum ts_policy_id)id))
				uses |= ts_policy((enum ts_policy_id)id).uses((enum ts_mode)mode);
	for (size_t i = 0; i < G_N_ELEMENTS(of_policies); i++) {
		enum ts_axis axis = of_policies[i].axis;

		if (s->axes[axis] != NULL && (uses & of_policies[i].use) == 0)
			return ts_refuse(error, "--%s %s: only --policy %s has one",
				ts_axis_name(axis), s->axes[axis], of_policies[i].policy);
	}
	return true;
}

bool ts_settings_axes(const struct ts_settings *s, const struct ts_device *device,
	struct ts_axes *ret_axes, GError **error)
{
	int64_t max_counters = TS_COUNT_MAX;

	if (!number("max-counters", s->max_counters, 0, TS_COUNT_MAX, &max_counters, error))
		return false;
	if (!ts_axes_init(
		    ret_axes, s->axes, device, device->max_cluster, max_counters, s->lists, error))
		return false;
	if (!s->box && !all_used(s, ret_axes, error))
		return ts_axes_finish(ret_axes), false;
	/* Rows come from the list, unless they are what each group of a masked layout may have. */
	if (s->axes[TS_AXIS_GROUPS] != NULL && s->axes[TS_AXIS_M] != NULL && !s->box &&
		!ts_axes_have(ret_axes, TS_AXIS_LAYOUT, TS_MASKED))
		return ts_axes_finish(ret_axes),
		       ts_refuse(error,
			       "--m %s and --groups %s: the rows come from the groups; leave out "
			       "--m, or give --layout masked to make it their capacity",
			       s->axes[TS_AXIS_M], s->axes[TS_AXIS_GROUPS]);
	for (guint i = 0; device->amd && i < ret_axes->spans[TS_AXIS_XCDS]->len; i++) {
		const struct ts_span *span =
			&g_array_index(ret_axes->spans[TS_AXIS_XCDS], struct ts_span, i);
		int64_t last = span->first[0] + (int64_t)(span->count - 1) * span->step;

		if (last > device->units)
			return ts_axes_finish(ret_axes),
			       ts_refuse(error,
				       "--xcds %" G_GINT64_FORMAT
				       " with %u CUs: each XCD needs one at least",
				       last, device->units);
	}
	/* A policy file takes the place of the one value that the axis has by default. */
	if (s->file != NULL)
		g_array_index(ret_axes->spans[TS_AXIS_POLICY], struct ts_span, 0).first[0] =
			TS_POLICIES;
	return true;
}

bool ts_settings_spec(const struct ts_settings *s, const struct ts_device *device,
	struct ts_spec *ret_spec, GError **error)
{
	struct ts_axes axes;
	bool single;

	if (!ts_settings_axes(s, device, &axes, error))
		return false;
	single = axes.count == 1;
	if (single)
		ts_axes_spec(&axes, 0, ret_spec);
	for (enum ts_axis i = 0; !single && i < TS_AXES; i++)
		if (axes.sizes[i] > 1) {
			ts_refuse(error,
				"--%s %s: a simulation takes one value; `tilesim compare` and "
				"`tilesim "
				"verify` take several",
				ts_axis_name(i), s->axes[i]);
			break;
		}
	if (single && axes.default_workers)
		ret_spec->workers = 0;
	ts_axes_finish(&axes);
	return single;
}

bool ts_settings_one_problem(const struct ts_settings *s, const char *who, GError **error)
{
	static const enum ts_axis several[] = {TS_AXIS_SHAPE, TS_AXIS_BATCH, TS_AXIS_SECTION,
		TS_AXIS_LAYOUT, TS_AXIS_GROUP_ORDER, TS_AXIS_GROUPS, TS_AXIS_COLLECTIVE,
		TS_AXIS_ROW_ORDER};

	for (size_t i = 0; i < G_N_ELEMENTS(several) && !s->help; i++)
		if (s->axes[several[i]] != NULL)
			return ts_refuse(error, "--%s %s: %s has one rectangle; leave it out",
				ts_axis_name(several[i]), s->axes[several[i]], who);
	return true;
}

bool ts_settings_rectangles(const struct ts_settings *s, const char *who, GError **error)
{
	if (s->help || s->axes[TS_AXIS_SHAPE] == NULL ||
		strcmp(s->axes[TS_AXIS_SHAPE], "rectangle") == 0)
		return true;
	return ts_refuse(
		error, "--shape %s: %s has rectangles; leave it out", s->axes[TS_AXIS_SHAPE], who);
}

static const char *dtype_name(int i)
{
	return ts_dtype_name((enum ts_dtype)i);
}

bool ts_settings_dtype(const struct ts_settings *s, enum ts_dtype *ret_dtype, GError **error)
{
	int value = TS_BF16;

	if (!name("dtype", s->dtype, dtype_name, &value, error))
		return false;
	*ret_dtype = (enum ts_dtype)value;
	return true;
}

static const char *edge_name(int i)
{
	return ts_edge_name((enum ts_edge)i);
}

bool ts_settings_edge(const struct ts_settings *s, enum ts_edge *ret_edge, GError **error)
{
	int value = TS_EDGE_FULL;

	if (!name("edge", s->edge, edge_name, &value, error))
		return false;
	*ret_edge = (enum ts_edge)value;
	return true;
}

static const char *memory_name(int i)
{
	return ts_memory_name((enum ts_memory)i);
}

bool ts_settings_memory(const struct ts_settings *s, enum ts_memory *ret_memory, GError **error)
{
	int value = TS_MEMORY_ROOFLINE;

	if (!name("memory", s->memory, memory_name, &value, error))
		return false;
	*ret_memory = (enum ts_memory)value;
	return true;
}

static const char *domain_name(int i)
{
	return i == 0 ? "id" : i == 1 ? "hardware" : NULL;
}

void ts_settings_prefer_calibrated(struct ts_settings *s, const struct ts_device *device)
{
	if (s->memory == NULL && device->calibration.clock_mhz > 0)
		s->memory = g_strdup(ts_memory_name(TS_MEMORY_CALIBRATED));
}

bool ts_settings_hardware_domain(const struct ts_settings *s, bool *ret_hardware, GError **error)
{
	int value = 0;

	if (!name("domain", s->domain, domain_name, &value, error))
		return false;
	*ret_hardware = value == 1;
	return true;
}

bool ts_settings_scenario(const struct ts_settings *s, const struct ts_device *device,
	struct ts_scenario *ret_scenario, GError **error)
{
	struct ts_scenario_spec spec = {.mask = s->mask,
		.slow = s->slow,
		.hold = s->hold,
		.release = s->release,
		.seed = 1};

	if (s->jitter != NULL && !ts_parse_double(s->jitter, &spec.jitter_percent))
		return ts_refuse(error, "--jitter %s: must be a number of percent", s->jitter);
	return number("seed", s->seed, 0, INT64_MAX, &spec.seed, error) &&
		ts_scenario_make(ret_scenario, &spec, device, error);
}
