/* One walk with somebody who looks on. */
#include "sim/measure.h"

struct watch {
	const struct ts_device *device;
	struct ts_balance balance;
	struct ts_locality locality;
};

static void on_item(void *data, uint32_t worker, const struct ts_step *item)
{
	struct watch *w = data;

	ts_balance_item(&w->balance, worker, item);
	ts_locality_item(
		&w->locality, item, worker / w->device->dispatch_chunk % w->locality.caches);
}

char *ts_measure_missed(const struct ts_measure *how, const struct ts_plan *plan,
	const struct ts_goals *goals, struct ts_coverage *c, enum ts_goal *ret_goal)
{
	struct watch w = {.device = how->device};
	struct ts_measured had = {&w.balance, &w.locality, 1};
	struct ts_walk walk = {.pick = TS_IN_TURNS,
		.resident = how->resident,
		.live = how->live,
		.item = on_item,
		.data = &w};
	char *missed = NULL;

	ts_balance_init(&w.balance, plan, how->asked);
	ts_locality_init_places(
		&w.locality, plan, how->device->amd ? plan->domains : 1, how->resident);
	ts_walk_run(&walk, plan, how->rules, c);
	for (enum ts_goal i = 0; i < TS_GOALS && missed == NULL; i++) {
		missed = ts_goals_missed(goals, i, &had);
		*ret_goal = i;
	}
	ts_balance_finish(&w.balance);
	ts_locality_finish(&w.locality);
	return missed;
}
