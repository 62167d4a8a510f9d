/* Device key files. */
#include "sim/device.h"

#include <string.h>

#include "sim/refuse.h"

/* The keys of [device] whose values are numbers. `from` .. `to` is the allowed range; a key that is
 * not `required` has a stated default. */
struct key {
	const char *name;
	size_t offset;
	double from, to;
	bool required;
	double missing;
};

static const struct key numbers[] = {
	{"clock_mhz", G_STRUCT_OFFSET(struct ts_device, clock_mhz), 1, 1e5, true, 0},
	{"flops_bf16", G_STRUCT_OFFSET(struct ts_device, flops[TS_BF16]), 1, 1e7, false, 0},
	{"flops_fp16", G_STRUCT_OFFSET(struct ts_device, flops[TS_FP16]), 1, 1e7, false, 0},
	{"flops_fp8", G_STRUCT_OFFSET(struct ts_device, flops[TS_FP8]), 1, 1e7, false, 0},
	{"flops_tf32", G_STRUCT_OFFSET(struct ts_device, flops[TS_TF32]), 1, 1e7, false, 0},
	{"flops_fp32", G_STRUCT_OFFSET(struct ts_device, flops[TS_FP32]), 1, 1e7, false, 0},
	{"l2_bytes", G_STRUCT_OFFSET(struct ts_device, l2_bytes), 1, 1e15, false, 0},
	/* One 64 byte line a clock: what both vendors' compute units were built for at least. */
	{"l2_bytes_per_clock", G_STRUCT_OFFSET(struct ts_device, l2_bytes_per_clock), 0.01, 1e7,
		false, 64},
	{"llc_bytes", G_STRUCT_OFFSET(struct ts_device, llc_bytes), 1, 1e15, false, 0},
	{"llc_gbps", G_STRUCT_OFFSET(struct ts_device, llc_gbps), 0.01, 1e9, false, 0},
	{"dram_gbps", G_STRUCT_OFFSET(struct ts_device, dram_gbps), 0.01, 1e9, true, 0},
	{"dram_efficiency", G_STRUCT_OFFSET(struct ts_device, dram_efficiency), 0.01, 1, false, 1},
	/* Twice what one H200 shows: a device-scope atomic on a die with a fabric between caches.
	 */
	{"claim_ns", G_STRUCT_OFFSET(struct ts_device, claim_ns), 0, 1e9, false, 500},
	/* About one miss to DRAM, until the first operands are there. */
	{"prologue_ns", G_STRUCT_OFFSET(struct ts_device, prologue_ns), 0, 1e9, false, 500},
	{"epilogue_ns", G_STRUCT_OFFSET(struct ts_device, epilogue_ns), 0, 1e9, false, 500},
	/* NVLink 4, one direction: half of the 900 GB/s in NVIDIA's H100 data sheet; the seven
	 * links of an MI300X in a platform of eight have 448 GB/s by AMD's. */
	{"link_gbps", G_STRUCT_OFFSET(struct ts_device, link_gbps), 0.001, 1e6, false, 450},
};

struct count {
	const char *name;
	size_t offset;
	uint32_t to;
	uint32_t missing;
};

static const struct count counts[] = {
	{"max_cluster", G_STRUCT_OFFSET(struct ts_device, max_cluster), 1024, 1},
	{"occupancy", G_STRUCT_OFFSET(struct ts_device, occupancy), 64, 1},
	{"dispatch_chunk", G_STRUCT_OFFSET(struct ts_device, dispatch_chunk), 65536, 1},
};

static const char *const other_keys[] = {"name", "vendor", "xcds", "cus_per_xcd", "sms", "gpcs"};

enum { UNITS_MAX = 1 << 20, GROUPS_MAX = 65536, GPC_GUESS = 16 };

static const char group_name[] = "device";

const char *ts_dtype_name(enum ts_dtype dtype)
{
	switch (dtype) {
	case TS_BF16: return "bf16";
	case TS_FP16: return "fp16";
	case TS_FP8: return "fp8";
	case TS_TF32: return "tf32";
	case TS_FP32: return "fp32";
	case TS_DTYPES: break;
	}
	return NULL;
}

uint32_t ts_dtype_bytes(enum ts_dtype dtype)
{
	switch (dtype) {
	case TS_BF16:
	case TS_FP16: return 2;
	case TS_FP8: return 1;
	case TS_TF32:
	case TS_FP32:
	case TS_DTYPES: break;
	}
	return 4;
}

const char *ts_device_group_word(const struct ts_device *d)
{
	return d->amd ? "XCD" : "GPC";
}

const char *ts_device_unit_word(const struct ts_device *d)
{
	return d->amd ? "CU" : "SM";
}

void ts_device_free(struct ts_device *d)
{
	if (d == NULL)
		return;
	g_free(d->id);
	g_free(d->name);
	g_free(d->group_units);
	g_clear_pointer(&d->file, g_key_file_unref);
	g_free(d);
}

static bool has(const struct ts_device *d, const char *key)
{
	return g_key_file_has_key(d->file, group_name, key, NULL);
}

static bool known_key(const char *key)
{
	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (strcmp(numbers[i].name, key) == 0)
			return true;
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
		if (strcmp(counts[i].name, key) == 0)
			return true;
	for (size_t i = 0; i < G_N_ELEMENTS(other_keys); i++)
		if (strcmp(other_keys[i], key) == 0)
			return true;
	return false;
}

/* A count from 1 to `to`; `missing` where the key is not there, an error if that is 0. */
static bool read_count(const struct ts_device *d, const char *key, uint32_t to, uint32_t missing,
	uint32_t *ret_count, GError **error)
{
	g_autofree char *text = g_key_file_get_value(d->file, group_name, key, NULL);
	int64_t value = missing;

	if (text != NULL && !ts_parse_int(g_strstrip(text), &value))
		value = 0;
	if (text == NULL && missing == 0)
		return ts_refuse(error, "device %s: key %s is missing from [device]", d->id, key);
	if (value < 1 || value > to)
		return ts_refuse(error, "device %s: %s=%s must be a whole number from 1 to %u",
			d->id, key, text, to);
	*ret_count = (uint32_t)value;
	return true;
}

static bool read_number(struct ts_device *d, const struct key *key, GError **error)
{
	g_autofree char *text = g_key_file_get_value(d->file, group_name, key->name, NULL);
	double *field = (double *)(gpointer)((char *)d + key->offset);

	*field = key->missing;
	if (text == NULL && key->required)
		return ts_refuse(
			error, "device %s: key %s is missing from [device]", d->id, key->name);
	if (text == NULL)
		return true;
	if (!ts_parse_double(g_strstrip(text), field) || *field < key->from || *field > key->to)
		return ts_refuse(error, "device %s: %s=%s must be a number from %g to %g", d->id,
			key->name, text, key->from, key->to);
	return true;
}

/* Equal groups, the first ones larger by one where they don't come out even. */
static void deal_units(struct ts_device *d, uint32_t units, uint32_t groups)
{
	d->units = units;
	d->groups = groups;
	g_free(d->group_units);
	d->group_units = g_new(uint32_t, groups);
	for (uint32_t i = 0; i < groups; i++)
		d->group_units[i] = units / groups + (i < units % groups ? 1 : 0);
}

/* GPCs of 16 SMs and a smaller last one: the stated default where a file has no `gpcs`. */
static void guess_gpcs(struct ts_device *d)
{
	d->groups = (d->units + GPC_GUESS - 1) / GPC_GUESS;
	d->group_units = g_new(uint32_t, d->groups);
	for (uint32_t i = 0; i < d->groups; i++)
		d->group_units[i] = MIN(GPC_GUESS, d->units - i * GPC_GUESS);
}

static bool read_gpcs(struct ts_device *d, GError **error)
{
	g_autofree char *text = g_key_file_get_value(d->file, group_name, "gpcs", NULL);
	g_auto(GStrv) sizes = NULL;
	int64_t sum = 0;

	if (!read_count(d, "sms", UNITS_MAX, 0, &d->units, error))
		return false;
	if (text == NULL)
		return guess_gpcs(d), true;
	g_strdelimit(g_strstrip(text), ",", ';');
	if (g_str_has_suffix(text, ";"))
		text[strlen(text) - 1] = '\0';
	sizes = g_strsplit(text, ";", -1);
	d->groups = g_strv_length(sizes);
	d->group_units = g_new0(uint32_t, MAX(d->groups, 1));
	for (uint32_t i = 0; i < d->groups; i++) {
		int64_t size = 0;

		if (!ts_parse_int(g_strstrip(sizes[i]), &size) || size < 1 || size > UNITS_MAX)
			return ts_refuse(error,
				"device %s: gpcs=%s must be SM counts such as 16;16;18", d->id,
				text);
		d->group_units[i] = (uint32_t)size;
		sum += size;
	}
	if (sum != d->units)
		return ts_refuse(error,
			"device %s: gpcs=%s adds up to %" G_GINT64_FORMAT " SMs, but sms=%u", d->id,
			text, sum, d->units);
	return true;
}

static bool read_units(struct ts_device *d, GError **error)
{
	g_autofree char *vendor = g_key_file_get_value(d->file, group_name, "vendor", NULL);
	uint32_t each;

	if (g_strcmp0(vendor, "amd") != 0 && g_strcmp0(vendor, "nvidia") != 0)
		return ts_refuse(error, "device %s: vendor=%s must be amd or nvidia", d->id,
			vendor == NULL ? "" : vendor);
	d->amd = strcmp(vendor, "amd") == 0;
	for (size_t i = 2; i < G_N_ELEMENTS(other_keys); i++)
		if (has(d, other_keys[i]) && d->amd != (i < 4))
			return ts_refuse(error, "device %s: key %s does not go with vendor=%s",
				d->id, other_keys[i], vendor);
	d->xcds = 1;
	if (!d->amd)
		return read_gpcs(d, error);
	if (!read_count(d, "xcds", GROUPS_MAX, 0, &d->xcds, error) ||
		!read_count(d, "cus_per_xcd", UNITS_MAX, 0, &each, error))
		return false;
	if ((uint64_t)each * d->xcds > UNITS_MAX)
		return ts_refuse(error,
			"device %s: xcds=%u times cus_per_xcd=%u is more than %d CUs", d->id,
			d->xcds, each, UNITS_MAX);
	deal_units(d, each * d->xcds, d->xcds);
	return true;
}

/* A misspelt [calibrated] must not pass for a device without one. */
static bool check_groups(const struct ts_device *d, GError **error)
{
	static const char *const known[] = {group_name, "sources", "calibrated", NULL};
	g_auto(GStrv) groups = g_key_file_get_groups(d->file, NULL);

	for (size_t i = 0; groups[i] != NULL; i++)
		if (!g_strv_contains(known, groups[i]))
			return ts_refuse(error,
				"device %s: no group is called [%s]; there are [device], [sources] "
				"and "
				"[calibrated]",
				d->id, groups[i]);
	return true;
}

static bool read_keys(struct ts_device *d, GError **error)
{
	g_auto(GStrv) keys = g_key_file_get_keys(d->file, group_name, NULL, NULL);

	if (keys == NULL)
		return ts_refuse(error, "device %s: there is no group [device]", d->id);
	if (!check_groups(d, error))
		return false;
	for (size_t i = 0; keys[i] != NULL; i++)
		if (!known_key(keys[i]))
			return ts_refuse(error,
				"device %s: no key is called %s; `tilesim devices mi300x` shows a "
				"complete "
				"file",
				d->id, keys[i]);
	d->name = g_key_file_get_string(d->file, group_name, "name", NULL);
	if (d->name == NULL || d->name[0] == '\0' || !g_utf8_validate(d->name, -1, NULL))
		return ts_refuse(error, "device %s: key name is missing from [device]", d->id);
	if (!read_units(d, error))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (!read_number(d, &numbers[i], error))
			return false;
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
		if (!read_count(d, counts[i].name, counts[i].to, counts[i].missing,
			    (uint32_t *)(gpointer)((char *)d + counts[i].offset), error))
			return false;
	return ts_calibration_read(&d->calibration, d->file, d->id, error);
}

/* The text of the file, from a path or from inside the program. */
static char *find_text(const char *id, GError **error)
{
	g_autofree char *all = NULL;
	g_auto(GStrv) names = NULL;
	char *text = NULL;

	if (strchr(id, '/') != NULL || g_str_has_suffix(id, ".device"))
		return ts_read_text(id, "device file", error);

	text = ts_resource("devices", id, ".device");
	if (text == NULL) {
		names = ts_resource_names("devices");
		all = g_strjoinv(", ", names);
		ts_refuse(error, "no device '%s'; there are: %s, or the path of a .device file", id,
			all);
	}
	return text;
}

struct ts_device *ts_device_load(const char *id, GError **error)
{
	g_autofree char *text = find_text(id, error);
	g_autoptr(GError) cause = NULL;
	struct ts_device *d;

	if (text == NULL)
		return NULL;
	d = g_new0(struct ts_device, 1);
	d->id = g_strdup(id);
	d->file = g_key_file_new();
	if (!g_key_file_load_from_data(
		    d->file, text, strlen(text), G_KEY_FILE_KEEP_COMMENTS, &cause))
		ts_refuse(error, "device %s is not a key file: %s", id, cause->message);
	else if (read_keys(d, error))
		return d;
	ts_device_free(d);
	return NULL;
}

struct ts_device *ts_device_find(const char *name, uint32_t units)
{
	g_auto(GStrv) ids = ts_resource_names("devices");
	g_autofree char *lower = g_ascii_strdown(name, -1);
	g_auto(GStrv) words = g_strsplit_set(lower, " -", -1);

	for (size_t i = 0; ids != NULL && ids[i] != NULL; i++) {
		struct ts_device *d = ts_device_load(ids[i], NULL);

		if (d != NULL &&
			(strcmp(d->name, name) == 0 ||
				(d->units == units &&
					g_strv_contains((const char *const *)words, ids[i]))))
			return d;
		ts_device_free(d);
	}
	return NULL;
}

bool ts_device_resize(struct ts_device *d, int64_t units, int64_t xcds, GError **error)
{
	int64_t groups = d->groups;

	if (units < 1 || units > UNITS_MAX)
		return ts_refuse(error,
			"%" G_GINT64_FORMAT " CUs or SMs: there must be from 1 to %d", units,
			UNITS_MAX);
	if (xcds < 1 || xcds > GROUPS_MAX)
		return ts_refuse(error, "%" G_GINT64_FORMAT " XCDs: there must be from 1 to %d",
			xcds, GROUPS_MAX);
	if (d->amd)
		groups = xcds;
	else
		groups = MIN(groups, units);
	if (groups > units)
		return ts_refuse(error,
			"%" G_GINT64_FORMAT " %s for %" G_GINT64_FORMAT
			" %s: each %s needs one at least",
			units, ts_device_unit_word(d), groups, ts_device_group_word(d),
			ts_device_group_word(d));
	d->xcds = (uint32_t)xcds;
	if (units != d->units || groups != d->groups)
		deal_units(d, (uint32_t)units, (uint32_t)groups);
	return true;
}

static void describe_key(
	const struct ts_device *d, const char *key, const char *missing, GString *out)
{
	g_autofree char *value = g_key_file_get_value(d->file, group_name, key, NULL);
	g_autofree char *source = g_key_file_get_value(d->file, "sources", key, NULL);

	if (value == NULL && missing == NULL)
		return;
	g_string_append_printf(out, "%-19s %-12s %s\n", key, value == NULL ? missing : value,
		value == NULL            ? "(default: not stated in the file)"
			: source == NULL ? "(no source given)"
					 : source);
}

static void describe_calibration(const struct ts_device *d, GString *out)
{
	static const char *const words[] = {"source", "residuals"};
	struct ts_calibration c = d->calibration;

	g_string_append(out, "\ncalibrated, for --memory calibrated\n");
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		g_autofree char *text =
			g_key_file_get_string(d->file, "calibrated", words[i], NULL);

		g_string_append_printf(
			out, "%-19s %s\n", words[i], text == NULL ? "(not given)" : text);
	}
	g_string_append_printf(out, "%-19s %g\n", "clock_mhz", c.clock_mhz);
	for (size_t i = 0; i < ts_calibration_key_count; i++)
		g_string_append_printf(
			out, "%-19s %g\n", ts_calibration_keys[i].name, *ts_calibration_at(&c, i));
}

void ts_device_describe(const struct ts_device *d, GString *out)
{
	g_string_append_printf(out, "%s: %u %ss in %u %ss\n\n", d->name, d->units,
		ts_device_unit_word(d), d->groups, ts_device_group_word(d));
	for (size_t i = 2; i < G_N_ELEMENTS(other_keys); i++)
		describe_key(d, other_keys[i], NULL, out);
	if (!d->amd && !has(d, "gpcs"))
		g_string_append_printf(out, "%-19s %-12s (default: not stated in the file)\n",
			"gpcs", "16;16;...");
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_autofree char *missing = g_strdup_printf("%u", counts[i].missing);

		describe_key(d, counts[i].name, missing, out);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
		g_autofree char *missing = g_strdup_printf("%g", numbers[i].missing);

		describe_key(d, numbers[i].name, numbers[i].missing > 0 ? missing : NULL, out);
	}
	if (d->calibration.clock_mhz > 0)
		describe_calibration(d, out);
}
