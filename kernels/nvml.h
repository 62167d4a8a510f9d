/* Clock and power of the first NVIDIA GPU, from NVML, which is opened when the program runs and
 * needs no header to build. */
#ifndef TS_NVML_H
#define TS_NVML_H

#include <stdint.h>

struct ts_nvml;

/* NULL where there is no library or no GPU. Free with ts_nvml_free(), which accepts NULL. */
struct ts_nvml *ts_nvml_new(void);
void ts_nvml_free(struct ts_nvml *n);

/* The SMs' clock in MHz and the board's power in W at this moment; 0 where they can't be read, and
 * where `n` is NULL. */
void ts_nvml_read(const struct ts_nvml *n, uint32_t *ret_clock_mhz, uint32_t *ret_watts);

#endif
