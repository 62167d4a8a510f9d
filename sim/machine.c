/* Places and dispatch. */
#include "sim/machine.h"

uint32_t ts_machine_residency(const struct ts_device *d, uint32_t ctas)
{
	uint64_t sum = 0;

	for (uint32_t g = 0; g < d->groups; g++)
		sum += (uint64_t)d->group_units[g] * d->occupancy / ctas;
	return (uint32_t)MIN(sum, INT32_MAX);
}

/* The place on `ctas` of a group's live units from number `from` on, counted over the layers of
 * occupancy. A hold of any of them holds it, a release of any releases it. */
static struct ts_place make_place(const struct ts_scenario *s, const uint32_t *live, uint32_t count,
	uint32_t from, uint32_t ctas)
{
	struct ts_place place = {.unit = live[from % count], .slow = 1, .release = UINT64_MAX};

	for (uint32_t i = from; i < from + ctas; i++) {
		const struct ts_unit *u = &s->units[live[i % count]];

		place.slow = MAX(place.slow, u->slow);
		place.release = MIN(place.release, u->release);
		if (u->hold_from == u->hold_to)
			continue;
		if (place.hold_from == place.hold_to) {
			place.hold_from = u->hold_from;
			place.hold_to = u->hold_to;
		}
		place.hold_from = MIN(place.hold_from, u->hold_from);
		place.hold_to = MAX(place.hold_to, u->hold_to);
	}
	return place;
}

void ts_machine_init(struct ts_machine *m, const struct ts_device *d, const struct ts_scenario *s,
	uint32_t ctas, uint32_t workers)
{
	g_autofree uint32_t *live = g_new(uint32_t, d->units);
	g_autofree uint32_t *live_count = g_new0(uint32_t, d->groups);
	g_autofree uint32_t *live_first = g_new0(uint32_t, d->groups);
	uint32_t first = 0, most = 0;

	for (uint32_t g = 0; g < d->groups; g++) {
		live_first[g] = first;
		for (uint32_t i = 0; i < d->group_units[g]; i++)
			if (!s->units[first + i].masked)
				live[first + live_count[g]++] = first + i;
		first += d->group_units[g];
		most = MAX(most, live_count[g] * d->occupancy / ctas);
	}
	m->device = d;
	m->workers = workers;
	m->count = 0;
	m->entered = g_new0(uint32_t, d->groups);
	m->places = g_new(struct ts_place, MAX(ts_machine_residency(d, ctas), 1));
	for (uint32_t row = 0; row < most; row++) {
		for (uint32_t g = 0; g < d->groups; g++) {
			if (row >= live_count[g] * d->occupancy / ctas)
				continue;
			m->places[m->count] = make_place(
				s, live + live_first[g], live_count[g], row * ctas, ctas);
			m->places[m->count++].group = g;
		}
	}
}

void ts_machine_finish(struct ts_machine *m)
{
	g_clear_pointer(&m->places, g_free);
	g_clear_pointer(&m->entered, g_free);
}

uint32_t ts_machine_workers(const struct ts_machine *m, uint32_t group)
{
	const struct ts_device *d = m->device;
	uint64_t round = (uint64_t)d->dispatch_chunk * d->groups;
	uint64_t rest = m->workers % round;
	uint64_t first = (uint64_t)group * d->dispatch_chunk;
	uint64_t more = rest > first ? MIN(rest - first, d->dispatch_chunk) : 0;

	if (!d->amd)
		return m->workers;
	return (uint32_t)(m->workers / round * d->dispatch_chunk + more);
}

bool ts_machine_enter(struct ts_machine *m, const struct ts_place *place, uint32_t *ret_worker)
{
	const struct ts_device *d = m->device;
	uint32_t queue = d->amd ? place->group : 0;
	uint64_t worker = m->entered[queue];

	if (d->amd) {
		uint64_t round = worker / d->dispatch_chunk;

		worker = (round * d->groups + queue) * d->dispatch_chunk +
			worker % d->dispatch_chunk;
	}
	if (worker >= m->workers)
		return false;
	m->entered[queue]++;
	*ret_worker = (uint32_t)worker;
	return true;
}

uint32_t ts_machine_queue(const struct ts_machine *m, uint32_t id)
{
	const struct ts_device *d = m->device;

	return d->amd ? id / d->dispatch_chunk % d->groups : 0;
}

bool ts_machine_has_entered(const struct ts_machine *m, uint32_t id)
{
	const struct ts_device *d = m->device;
	uint32_t nth = id; /* in its queue */

	if (d->amd)
		nth = id / d->dispatch_chunk / d->groups * d->dispatch_chunk +
			id % d->dispatch_chunk;
	return nth < m->entered[ts_machine_queue(m, id)];
}
