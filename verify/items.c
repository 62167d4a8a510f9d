/* One play of a plan, worker by worker in turns. */
#include "verify/items.h"

#include "policies/plan.h"

struct seat {
	struct ts_worker worker;
	struct ts_step waits; /* TS_WAIT while it cannot go on */
	uint32_t answer;
	bool left;
};

struct play {
	const struct ts_plan *plan;
	struct ts_rules rules;
	uint32_t *counters;
	struct seat *seats;
	GPtrArray *items;
};

enum moved { MOVED, BLOCKED, FAILED };

static struct ts_role_item item_of(const struct play *play, const struct ts_step *s)
{
	uint32_t ranks = play->plan->cluster_m * play->plan->cluster_n;
	struct ts_role_item item = {.k = s->k_end - s->k_begin};

	for (uint32_t rank = 0; rank < MIN(ranks, 64); rank++)
		if (!play->rules.cta_tile(play->plan, s, rank).valid)
			item.absent |= UINT64_C(1) << rank;
	return item;
}

static enum moved move(struct play *play, uint32_t worker)
{
	struct seat *seat = &play->seats[worker];
	struct ts_step s = seat->waits;
	struct ts_role_item item;

	if (s.act != TS_WAIT)
		s = play->rules.next(play->plan, &seat->worker, seat->answer);
	if (s.act != TS_STOP && s.act != TS_WORK && s.act != TS_FIX_UP &&
		s.counter >= play->plan->counters)
		return FAILED;
	if (s.act == TS_WORK && s.g >= play->plan->groups)
		return FAILED;
	switch (s.act) {
	case TS_STOP: seat->left = true; break;
	case TS_WORK:
		item = item_of(play, &s);
		g_array_append_val((GArray *)play->items->pdata[worker], item);
		break;
	case TS_CLAIM: seat->answer = play->counters[s.counter]++; break;
	case TS_WAIT:
		seat->waits = s;
		if (play->counters[s.counter] < s.value)
			return BLOCKED;
		seat->waits.act = TS_STOP;
		break;
	case TS_SIGNAL: play->counters[s.counter] += s.value; break;
	case TS_FIX_UP: break;
	}
	return MOVED;
}

static bool run(struct play *play)
{
	uint32_t workers = play->plan->workers;
	uint64_t left = ts_plan_steps_max(play->plan);
	uint32_t there = workers;

	while (there > 0) {
		uint32_t moved = 0;

		there = 0;
		for (uint32_t w = 0; w < workers; w++) {
			enum moved how;

			if (play->seats[w].left)
				continue;
			there++;
			how = move(play, w);
			if (how == FAILED || left-- == 0)
				return false;
			moved += how == MOVED;
		}
		if (there > 0 && moved == 0)
			return false;
	}
	return true;
}

static void free_items(void *items)
{
	g_array_free(items, TRUE);
}

GPtrArray *ts_items_of_plan(const struct ts_plan *plan, const struct ts_rules *rules)
{
	struct play play = {.plan = plan, .rules = {.next = ts_next, .cta_tile = ts_cta_tile}};
	bool ran;

	if (rules != NULL)
		play.rules = *rules;
	play.counters = g_new0(uint32_t, plan->counters);
	if (plan->launches == 1)
		play.counters[0] = plan->workers; /* all of them are there */
	play.seats = g_new0(struct seat, plan->workers);
	play.items = g_ptr_array_new_with_free_func(free_items);
	for (uint32_t w = 0; w < plan->workers; w++) {
		play.seats[w].worker = ts_worker_make(w, w % plan->domains);
		/* No policy is asked about a plan without items. */
		play.seats[w].left = plan->items == 0;
		g_ptr_array_add(play.items, g_array_new(FALSE, FALSE, sizeof(struct ts_role_item)));
	}
	ran = run(&play);
	g_free(play.counters);
	g_free(play.seats);
	if (ran)
		return play.items;
	g_ptr_array_unref(play.items);
	return NULL;
}

bool ts_roles_set_items(struct ts_roles *m, const struct ts_plan *plan, const GArray *items)
{
	uint32_t ctas = plan->cluster_m * plan->cluster_n;

	if (items->len > TS_ROLE_ITEMS_MAX || ctas > 64)
		return false;
	m->ctas = MIN(ctas, 2);
	m->items = 0;
	m->depth = MIN(plan->depth, TS_ROLE_K_MAX);
	for (uint32_t i = 0; i < items->len; i++) {
		uint32_t k = g_array_index(items, struct ts_role_item, i).k;

		if (k > TS_ROLE_K_MAX || !ts_roles_add(m, k))
			return false;
	}
	return true;
}

void ts_roles_guard_absent(
	struct ts_roles *m, const GArray *items, uint32_t row, enum ts_guard guard)
{
	for (uint32_t i = 0; i < m->items; i++) {
		uint64_t absent = g_array_index(items, struct ts_role_item, i).absent;

		if ((absent & 1) != 0)
			m->guards[0][row][i] = (uint8_t)guard;
		/* The last rank has none of the tiles that any other lacks. */
		if (m->ctas > 1 && absent != 0)
			m->guards[1][row][i] = (uint8_t)guard;
	}
}
