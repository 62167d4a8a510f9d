/* Device files: any bytes are refused, or make a device whose numbers keep their bounds. */
#include "sim/device.h"

#include "sim/machine.h"
#include "tests/fuzz/target.h"

static void check(const struct ts_device *d)
{
	uint64_t sum = 0;

	g_assert_cmpuint(d->units, >=, 1);
	g_assert_cmpuint(d->units, <=, 1 << 20);
	g_assert_cmpuint(d->groups, >=, 1);
	for (uint32_t i = 0; i < d->groups; i++) {
		g_assert_cmpuint(d->group_units[i], >=, 1);
		sum += d->group_units[i];
	}
	g_assert_cmpuint(sum, ==, d->units);
	g_assert_true(d->amd ? d->xcds == d->groups : d->xcds >= 1);
	g_assert_true(d->occupancy >= 1 && d->max_cluster >= 1 && d->dispatch_chunk >= 1);
	g_assert_true(d->clock_mhz >= 1 && d->dram_gbps > 0 && d->l2_bytes_per_clock > 0);
	g_assert_true(d->claim_ns >= 0 && d->prologue_ns >= 0 && d->epilogue_ns >= 0);
	for (int i = 0; i < TS_DTYPES; i++)
		g_assert_true(d->flops[i] == 0 || d->flops[i] >= 1);
	g_assert_cmpuint(ts_machine_residency(d, 1), <=, 64 << 20);
	g_assert_cmpuint(ts_machine_residency(d, d->max_cluster), <=, ts_machine_residency(d, 1));
}

static void resize(struct ts_device *d, int64_t units, int64_t xcds)
{
	GError *error = NULL;

	if (ts_device_resize(d, units, xcds, &error))
		check(d);
	else
		ts_fuzz_refused(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GString) text = g_string_new(NULL);
	GError *error = NULL;
	struct ts_device *d = ts_device_load(ts_fuzz_file(data, size), &error);

	if (d == NULL) {
		ts_fuzz_refused(error);
		return 0;
	}
	check(d);
	ts_device_describe(d, text);
	g_assert_true(g_utf8_validate(d->name, -1, NULL));
	resize(d, d->units, d->xcds);
	resize(d, d->units - 1, d->xcds);
	resize(d, 1 << 20, 65536);
	resize(d, 7, 3);
	resize(d, INT64_MIN, INT64_MAX);
	ts_device_free(d);
	return 0;
}
