/* The machine of a run: the places where workers can be, and which worker enters where. */
#ifndef TS_MACHINE_H
#define TS_MACHINE_H

#include "sim/scenario.h"

/* Room for one worker: a CTA, or a whole cluster inside one group. */
struct ts_place {
	uint32_t unit; /* its first unit */
	uint32_t group;
	double slow;
	uint64_t hold_from, hold_to;
	uint64_t release;
};

struct ts_machine {
	const struct ts_device *device;
	struct ts_place *places; /* in the order in which the hardware fills them */
	uint32_t count;
	uint32_t *entered; /* per queue: workers that have entered */
	uint32_t workers;
};

/* How many workers of `ctas` CTAs are resident at once on the whole device: for clusters, what the
 * sizes of the groups allow (as cudaOccupancyMaxActiveClusters says). */
uint32_t ts_machine_residency(const struct ts_device *device, uint32_t ctas);

/* Places for `workers` workers of `ctas` CTAs on what the scenario leaves of the device. */
void ts_machine_init(struct ts_machine *m, const struct ts_device *device,
	const struct ts_scenario *scenario, uint32_t ctas, uint32_t workers);
void ts_machine_finish(struct ts_machine *m);

/* How many of the workers go to `group`; on NVIDIA, where any may, all of them. */
uint32_t ts_machine_workers(const struct ts_machine *m, uint32_t group);

/* The next worker for a free place. AMD: workgroups go to XCD id / chunk % xcds whatever its state,
 * and wait there. NVIDIA: the first that has not run. False where none is left for it. */
bool ts_machine_enter(struct ts_machine *m, const struct ts_place *place, uint32_t *ret_worker);

/* The group whose places worker `id` waits for; 0 on NVIDIA, where it may go to any. */
uint32_t ts_machine_queue(const struct ts_machine *m, uint32_t id);

/* Has worker `id` entered? */
bool ts_machine_has_entered(const struct ts_machine *m, uint32_t id);

#endif
