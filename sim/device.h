/* Devices: the numbers of a GPU, from a key file. */
#ifndef TS_DEVICE_H
#define TS_DEVICE_H

#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/calibration.h"

enum ts_dtype { TS_BF16, TS_FP16, TS_FP8, TS_TF32, TS_FP32, TS_DTYPES };

const char *ts_dtype_name(enum ts_dtype dtype);

/* Bytes of one element of A and B. */
uint32_t ts_dtype_bytes(enum ts_dtype dtype);

/* A unit is a CU or an SM; a group is an XCD or a GPC. */
struct ts_device {
	char *id;   /* what the user called it */
	char *name; /* from the file */
	bool amd;   /* dispatch: workgroup id % xcds, one queue each; else the first free place */
	uint32_t groups;
	uint32_t *group_units; /* units in each group, in the order of placement */
	uint32_t units;
	uint32_t xcds; /* domains that policies see: the groups on AMD, 1 elsewhere */
	uint32_t max_cluster;
	uint32_t occupancy;      /* CTAs of a GEMM that fit on a unit */
	uint32_t dispatch_chunk; /* consecutive workgroups that go to one XCD */
	double clock_mhz;
	double flops[TS_DTYPES];    /* dense, per clock and unit; 0 where unknown */
	double l2_bytes;            /* of each XCD, or in all on NVIDIA; 0 where unknown */
	double l2_bytes_per_clock;  /* per unit */
	double llc_bytes, llc_gbps; /* of the memory side cache; 0 where there is none */
	double dram_gbps;
	double dram_efficiency;          /* share of dram_gbps that misses of the caches reach */
	double link_gbps;                /* to other devices, in one direction */
	double claim_ns;                 /* one atomic add at device scope, until its answer */
	double prologue_ns, epilogue_ns; /* of an item, before and after its k iterations */
	struct ts_calibration calibration;
	GKeyFile *file;
};

/* Reads the built-in device `id`, or the key file at that path where `id` has a '/' or ends in
 * ".device". NULL and a refusal that names the key, where one is unknown, missing or out of range.
 */
struct ts_device *ts_device_load(const char *id, GError **error);

/* The built-in device of a driver's name for a GPU: the one called so, "NVIDIA H200", or else of so
 * many units (0: not known, and so none) whose id is a word of the name, "NVIDIA H100 80GB HBM3".
 * NULL where there is none. */
struct ts_device *ts_device_find(const char *name, uint32_t units);

/* Accepts NULL. */
void ts_device_free(struct ts_device *d);

/* Deals `units` evenly over `xcds`, if that is not what there is. On NVIDIA `xcds` only says how
 * many domains the policies see. */
bool ts_device_resize(struct ts_device *d, int64_t units, int64_t xcds, GError **error);

/* Every key with its value and source. */
void ts_device_describe(const struct ts_device *d, GString *out);

/* "XCD" or "GPC", and "CU" or "SM". */
const char *ts_device_group_word(const struct ts_device *d);
const char *ts_device_unit_word(const struct ts_device *d);

#endif
