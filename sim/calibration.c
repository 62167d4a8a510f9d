/* The group [calibrated] of device files. */
#include "sim/calibration.h"

#include <string.h>

#include "sim/refuse.h"

static const char group[] = "calibrated";

/* Where a fit begins: about what Hopper has. */
const struct ts_calibration_key ts_calibration_keys[] = {
	{"launch_ns", G_STRUCT_OFFSET(struct ts_calibration, launch_ns), 0, 1e9, 6000},
	{"launch_cluster_ns", G_STRUCT_OFFSET(struct ts_calibration, launch_cluster_ns), 0, 1e9,
		800},
	{"launch_handed_ns", G_STRUCT_OFFSET(struct ts_calibration, launch_handed_ns), 0, 1e9,
		1000},
	{"start_ns", G_STRUCT_OFFSET(struct ts_calibration, start_ns), 0, 1e9, 2500},
	{"start_load_ns", G_STRUCT_OFFSET(struct ts_calibration, start_load_ns), 0, 1e9, 300},
	{"item_cycles", G_STRUCT_OFFSET(struct ts_calibration, item_cycles), 0, 1e9, 1500},
	{"store_cycles", G_STRUCT_OFFSET(struct ts_calibration, store_cycles), 0, 1e3, 0.08},
	{"lone_cycles", G_STRUCT_OFFSET(struct ts_calibration, lone_cycles), 0, 1e6, 300},
	{"tensor_share", G_STRUCT_OFFSET(struct ts_calibration, tensor_share), 0.01, 1.5, 0.9},
	{"load_slowdown", G_STRUCT_OFFSET(struct ts_calibration, load_slowdown), 0, 10, 0.2},
	{"line_ns", G_STRUCT_OFFSET(struct ts_calibration, line_ns), 0, 1e4, 1.5},
	{"line_unaligned", G_STRUCT_OFFSET(struct ts_calibration, line_unaligned), 1, 100, 2},
	{"line_split", G_STRUCT_OFFSET(struct ts_calibration, line_split), 0, 100, 0.5},
	{"line_apart", G_STRUCT_OFFSET(struct ts_calibration, line_apart), 0, 100, 1.5},
	{"line_contention", G_STRUCT_OFFSET(struct ts_calibration, line_contention), 0, 100, 0.3},
	{"line_missing", G_STRUCT_OFFSET(struct ts_calibration, line_missing), 0, 100, 0.3},
	{"line_dealt", G_STRUCT_OFFSET(struct ts_calibration, line_dealt), 0, 100, 0.2},
	{"outside_ns", G_STRUCT_OFFSET(struct ts_calibration, outside_ns), 0, 1e4, 2},
	{"outside_wait_ns", G_STRUCT_OFFSET(struct ts_calibration, outside_wait_ns), 0, 1e6, 300},
	{"part_ns", G_STRUCT_OFFSET(struct ts_calibration, part_ns), 0, 1e9, 200},
	{"part_cycles", G_STRUCT_OFFSET(struct ts_calibration, part_cycles), 0, 1e3, 0.08},
	{"part_contention", G_STRUCT_OFFSET(struct ts_calibration, part_contention), 0, 100, 1.5},
	{"dram_share", G_STRUCT_OFFSET(struct ts_calibration, dram_share), 0.01, 1, 0.9},
};

const size_t ts_calibration_key_count = G_N_ELEMENTS(ts_calibration_keys);

static const char *const other_keys[] = {"clock_mhz", "source", "residuals"};

double *ts_calibration_at(struct ts_calibration *c, size_t key)
{
	return (double *)(gpointer)((char *)c + ts_calibration_keys[key].offset);
}

static bool read_number(GKeyFile *file, const char *id, const char *key, double from, double to,
	double *ret, GError **error)
{
	g_autofree char *text = g_key_file_get_value(file, group, key, NULL);

	if (text == NULL)
		return ts_refuse(error,
			"device %s: key %s is missing from [calibrated]; remove the group, and "
			"`tilesim gpu calibrate --device %s` writes it anew",
			id, key, id);
	if (!ts_parse_double(g_strstrip(text), ret) || *ret < from || *ret > to)
		return ts_refuse(error,
			"device %s: [calibrated] %s=%s must be a number from %g to %g", id, key,
			text, from, to);
	return true;
}

static bool known(const char *key)
{
	for (size_t i = 0; i < ts_calibration_key_count; i++)
		if (strcmp(ts_calibration_keys[i].name, key) == 0)
			return true;
	for (size_t i = 0; i < G_N_ELEMENTS(other_keys); i++)
		if (strcmp(other_keys[i], key) == 0)
			return true;
	return false;
}

bool ts_calibration_read(struct ts_calibration *ret, GKeyFile *file, const char *id, GError **error)
{
	g_auto(GStrv) keys = g_key_file_get_keys(file, group, NULL, NULL);

	memset(ret, 0, sizeof *ret);
	if (keys == NULL)
		return true;
	for (size_t i = 0; keys[i] != NULL; i++)
		if (!known(keys[i]))
			return ts_refuse(error,
				"device %s: no key of [calibrated] is called %s; remove the group, "
				"and `tilesim gpu calibrate --device %s` writes it anew",
				id, keys[i], id);
	for (size_t i = 0; i < ts_calibration_key_count; i++) {
		const struct ts_calibration_key *k = &ts_calibration_keys[i];

		if (!read_number(
			    file, id, k->name, k->from, k->to, ts_calibration_at(ret, i), error))
			return false;
	}
	if (!read_number(file, id, "clock_mhz", 1, 1e5, &ret->clock_mhz, error))
		return false;
	ret->run_mhz = ret->clock_mhz;
	return true;
}

static void put_number(GKeyFile *file, const char *key, double value)
{
	g_autofree char *text = g_strdup_printf("%.5g", value);

	g_key_file_set_string(file, group, key, text);
}

void ts_calibration_write(
	const struct ts_calibration *c, GKeyFile *file, const char *source, const char *residuals)
{
	struct ts_calibration copy = *c;

	g_key_file_remove_group(file, group, NULL);
	g_key_file_set_string(file, group, "source", source);
	g_key_file_set_string(file, group, "residuals", residuals);
	put_number(file, "clock_mhz", c->clock_mhz);
	for (size_t i = 0; i < ts_calibration_key_count; i++)
		put_number(file, ts_calibration_keys[i].name, *ts_calibration_at(&copy, i));
}
