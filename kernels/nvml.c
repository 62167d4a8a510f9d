/* The four functions of NVML that it takes. */
#include "kernels/nvml.h"

#include <dlfcn.h>
#include <glib.h>

#include "kernels/backend.h"

/* nvmlReturn_t's success, nvmlClockType_t's clock of the SMs, and milliwatts in a watt. */
enum { SUCCESS = 0, CLOCK_SM = 1, MILLI = 1000 };

struct ts_nvml {
	void *library;
	void *device;
	int (*init)(void);
	int (*shutdown)(void);
	int (*get_device)(unsigned index, void **ret_device);
	int (*get_clock)(void *device, int type, unsigned *ret_mhz);
	int (*get_power)(void *device, unsigned *ret_milliwatts);
};

static const struct ts_backend_symbol symbols[] = {
	{"nvmlInit_v2", G_STRUCT_OFFSET(struct ts_nvml, init)},
	{"nvmlShutdown", G_STRUCT_OFFSET(struct ts_nvml, shutdown)},
	{"nvmlDeviceGetHandleByIndex_v2", G_STRUCT_OFFSET(struct ts_nvml, get_device)},
	{"nvmlDeviceGetClockInfo", G_STRUCT_OFFSET(struct ts_nvml, get_clock)},
	{"nvmlDeviceGetPowerUsage", G_STRUCT_OFFSET(struct ts_nvml, get_power)},
};

struct ts_nvml *ts_nvml_new(void)
{
	struct ts_nvml *n = g_new0(struct ts_nvml, 1);

	n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (n->library != NULL &&
		ts_backend_symbols(n->library, symbols, G_N_ELEMENTS(symbols), n) == NULL &&
		n->init() == SUCCESS) {
		if (n->get_device(0, &n->device) == SUCCESS)
			return n;
		n->shutdown();
	}
	if (n->library != NULL)
		dlclose(n->library);
	g_free(n);
	return NULL;
}

void ts_nvml_free(struct ts_nvml *n)
{
	if (n == NULL)
		return;
	n->shutdown();
	dlclose(n->library);
	g_free(n);
}

void ts_nvml_read(const struct ts_nvml *n, uint32_t *ret_clock_mhz, uint32_t *ret_watts)
{
	unsigned clock = 0, power = 0;

	*ret_clock_mhz = *ret_watts = 0;
	if (n == NULL)
		return;
	if (n->get_clock(n->device, CLOCK_SM, &clock) == SUCCESS)
		*ret_clock_mhz = clock;
	if (n->get_power(n->device, &power) == SUCCESS)
		*ret_watts = power / MILLI;
}
