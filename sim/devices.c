/* tilesim devices: the devices that are built in, and one with all its numbers. */
#include <string.h>

#include "sim/command.h"
#include "sim/device.h"
#include "sim/refuse.h"

static int list(GError **error)
{
	g_auto(GStrv) names = ts_resource_names("devices");

	for (size_t i = 0; names[i] != NULL; i++) {
		struct ts_device *d = ts_device_load(names[i], error);

		if (d == NULL)
			return TS_EXIT_USAGE;
		g_print("%-12s %-36s %3u %ss in %2u %ss, %6.0f TFLOP/s bf16\n", names[i], d->name,
			d->units, ts_device_unit_word(d), d->groups, ts_device_group_word(d),
			d->flops[TS_BF16] * d->units * d->clock_mhz / 1e6);
		ts_device_free(d);
	}
	g_print("\n`tilesim devices NAME` shows one; NAME may be the path of a .device file.\n");
	return TS_EXIT_OK;
}

int ts_devices_command(int argc, char **argv, GError **error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct ts_device *d;

	if (argc > 2) {
		ts_refuse(error, "devices takes one name at most");
		return TS_EXIT_USAGE;
	}
	if (argc < 2 || strcmp(argv[1], "--help") == 0)
		return list(error);
	d = ts_device_load(argv[1], error);
	if (d == NULL)
		return TS_EXIT_USAGE;
	ts_device_describe(d, out);
	g_print("%s", out->str);
	ts_device_free(d);
	return TS_EXIT_OK;
}
