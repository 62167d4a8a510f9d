/* Roles and barriers: known faults, each beside the model that mends it, and exact conditions over
 * small boxes of models. */
#include "verify/roles.h"

enum { LIMIT = 4000000 };

static uint64_t models, states; /* checked so far */

static enum ts_roles_fault verdict(const struct ts_roles *m)
{
	struct ts_roles_result r;

	g_assert_null(ts_roles_refusal(m));
	r = ts_roles_check(m, LIMIT);
	g_assert_cmpint(r.fault, !=, TS_ROLES_UNDECIDED);
	g_assert_true((r.fault == TS_ROLES_SOUND) == (r.finding == NULL));
	models++;
	states += r.states;
	ts_roles_result_clear(&r);
	return r.fault;
}

static bool sound(const struct ts_roles *m)
{
	return verdict(m) == TS_ROLES_SOUND;
}

/* Items as in "3,0,2". */
static struct ts_roles model(uint32_t stages, uint32_t consumers, const char *items)
{
	g_auto(GStrv) words = g_strsplit(items, ",", -1);
	struct ts_roles m = ts_roles_default();

	m.stages = stages;
	m.consumers = consumers;
	for (char **k = words; *k != NULL; k++)
		g_assert_true(ts_roles_add(&m, (uint32_t)g_ascii_strtoull(*k, NULL, 10)));
	return m;
}

/* The next list of up to `items_max` items with 0 .. k_max iterations; false after the last. */
static bool next_items(struct ts_roles *m, uint32_t items_max, uint32_t k_max)
{
	uint32_t i = 0;

	while (i < m->items && m->k[i] == k_max)
		m->k[i++] = 0;
	if (i < m->items)
		m->k[i]++;
	else if (m->items == items_max)
		return false;
	else
		m->k[m->items++] = 0;
	m->depth = 0;
	for (i = 0; i < m->items; i++)
		m->depth = MAX(m->depth, m->k[i]);
	return true;
}

static uint32_t total(const struct ts_roles *m, uint32_t from)
{
	uint32_t sum = 0;

	for (uint32_t i = from; i < m->items; i++)
		sum += m->k[i];
	return sum;
}

/* Calls `check` for stages 1..4, consumers 1..2, accumulators 0..2 and all lists of items. */
static void over_box(uint32_t items_max, uint32_t k_max, void (*check)(const struct ts_roles *))
{
	gint64 begun = g_get_monotonic_time();
	uint64_t models_before = models, states_before = states;
	double seconds;

	/* Under a sanitizer, which runs quick tests only, the code is what matters, not the box. */
	if (!g_test_slow())
		k_max = MIN(k_max, 3);

	for (uint32_t i = 0; i < 24; i++) {
		struct ts_roles m = ts_roles_default();

		m.stages = 1 + i % 4;
		m.consumers = 1 + i / 4 % 2;
		m.accumulators = i / 8;
		do {
			check(&m);
		} while (next_items(&m, items_max, k_max));
	}
	seconds = (double)(g_get_monotonic_time() - begun) / 1e6;
	g_test_message("%" G_GUINT64_FORMAT " models, %" G_GUINT64_FORMAT
		       " states, %.2f s, %.1f million states/s",
		models - models_before, states - states_before, seconds,
		(double)(states - states_before) / 1e6 / MAX(seconds, 1e-6));
}

static void places_agree(void)
{
	for (uint32_t stages = 1; stages <= 5; stages++) {
		struct ts_pipeline p = {0, 0};

		for (uint32_t n = 0; n < 60; n++, p = ts_pipeline_next(p, stages)) {
			struct ts_pipeline at = ts_pipeline_at(n, stages);
			struct ts_pipeline after = ts_pipeline_after(at, 7, stages);
			struct ts_pipeline later = ts_pipeline_at(n + 7, stages);

			g_assert_cmpuint(p.stage, ==, at.stage);
			g_assert_cmpuint(p.parity, ==, at.parity);
			g_assert_cmpuint(after.stage, ==, later.stage);
			g_assert_cmpuint(after.parity, ==, later.parity);
			g_assert_cmpuint(ts_full_parity(p), ==, n / stages % 2);
			g_assert_cmpuint(ts_empty_parity(p), ==, 1 - n / stages % 2);
		}
	}
	/* A count that no 32 bits hold. */
	g_assert_cmpuint(ts_pipeline_at(UINT64_C(3) << 32, 3).parity, ==, 0);
	g_assert_cmpuint(ts_pipeline_at((UINT64_C(3) << 32) + 5, 3).stage, ==, 2);
	g_assert_cmpuint(ts_pipeline_at((UINT64_C(3) << 32) + 5, 3).parity, ==, 1);
	g_assert_cmpuint(
		ts_pipeline_after(ts_pipeline_at(6000000001, 3000000001), 1, 3000000001).stage, ==,
		0);
}

static void check_sound(const struct ts_roles *m)
{
	struct ts_roles at_once = *m;

	at_once.at_once = true;
	g_assert_true(sound(m));
	g_assert_true(sound(&at_once));
}

static void count_is_sound(void)
{
	over_box(3, 5, check_sound);
}

/* Where both roles share a formula, all is well exactly if each wait asks for the parity of the
 * uses that its stage has had. */
static bool history_agrees(const struct ts_roles *m, enum ts_phase phase)
{
	uint32_t uses[TS_STAGES_MAX] = {0};
	uint32_t count = 0;

	for (uint32_t item = 0; item < m->items; item++)
		for (uint32_t i = 0; i < m->k[item]; i++, count++) {
			uint32_t n = phase == TS_BY_TILE ? i
				: phase == TS_BY_WAVE    ? item * m->depth + i
							 : count;
			uint32_t parity = phase == TS_BY_LOOP ? n % 2 : n / m->stages % 2;

			if (parity != uses[n % m->stages]++ % 2)
				return false;
		}
	return true;
}

static void check_formulas(const struct ts_roles *m)
{
	static const enum ts_phase phases[] = {TS_BY_TILE, TS_BY_WAVE, TS_BY_LOOP};

	if (m->accumulators > 0)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(phases); i++) {
		struct ts_roles both = *m;

		both.producer = both.consumer = phases[i];
		g_assert_true(sound(&both) == history_agrees(m, phases[i]));
	}
}

static void formulas_need_history(void)
{
	over_box(3, 5, check_formulas);
}

/* A phase that restarts with each tile: right iff there is one wave or k mod 2 stages is 0. */
static void tile_phase(void)
{
	for (uint32_t i = 0; i < 4 * 2 * 3 * 3 * 13; i++) {
		struct ts_roles m = ts_roles_default();
		uint32_t k = i / 72, who = i / 24 % 3;

		m.stages = 1 + i % 4;
		m.consumers = 1 + i / 4 % 2;
		for (uint32_t items = 1 + i / 8 % 3; items > 0; items--)
			ts_roles_add(&m, k);
		m.producer = who == 1 ? TS_BY_COUNT : TS_BY_TILE;
		m.consumer = who == 2 ? TS_BY_COUNT : TS_BY_TILE;
		g_assert_true(sound(&m) == (m.items == 1 || k % (2 * m.stages) == 0));
	}
}

/* A parity that follows the loop though each iteration uses another barrier. */
static void loop_phase(void)
{
	for (uint32_t stages = 1; stages <= 4; stages++) {
		struct ts_roles m = model(stages, 1, "4");
		struct ts_roles accumulators = model(2, 1, "1,1,1");

		m.consumer = TS_BY_LOOP;
		g_assert_cmpint(verdict(&m), ==, stages == 1 ? TS_ROLES_SOUND : TS_ROLES_EARLY);
		m.consumer = TS_BY_COUNT;
		g_assert_true(sound(&m));
		accumulators.accumulators = stages;
		accumulators.epilogue = TS_BY_LOOP;
		g_assert_true(sound(&accumulators) == (stages == 1));
		accumulators.epilogue = TS_BY_COUNT;
		accumulators.issuer = TS_BY_LOOP;
		g_assert_true(sound(&accumulators) == (stages == 1));
		accumulators.issuer = TS_BY_TILE;
		g_assert_false(sound(&accumulators));
	}
}

/* For an empty tile one side arrives in both directions: any empty tile breaks the handshake. */
static void check_one_sided(const struct ts_roles *m)
{
	struct ts_roles wrong = *m;
	bool empty = false;

	for (uint32_t i = 0; i < m->items; i++)
		empty |= m->k[i] == 0;
	wrong.peeled = true;
	g_assert_true(sound(&wrong) == !empty);
	if (m->accumulators == 0)
		return;
	wrong.peeled = false;
	wrong.one_sided = true;
	g_assert_true(sound(&wrong) == !empty);
}

static void empty_items(void)
{
	static const char *const lists[] = {"3,2", "3,0,2", "3,0,0,2"};

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
		struct ts_roles m = model(2, 1, lists[i]);

		m.accumulators = 1;
		g_assert_true(sound(&m));
		m.one_sided = true;
		g_assert_true(sound(&m) == (i == 0));
	}
	/* Both faults, and the peeled first iteration, over the box. */
	over_box(3, 3, check_one_sided);
}

/* K cut into splits of ceil(k / splits): the last may be empty, where a peeled iteration hangs. */
static void empty_splits(void)
{
	uint32_t hanging = 0;

	for (uint32_t splits = 2; splits <= 16; splits *= 2)
		for (uint32_t k = 1; k <= 64; k++) {
			struct ts_roles m = ts_roles_default();
			uint32_t each = (k + splits - 1) / splits;
			uint32_t before = (splits - 1) * each;

			ts_roles_add(&m, before < k ? k - before : 0);
			g_assert_true(sound(&m));
			m.peeled = true;
			g_assert_cmpint(
				verdict(&m), ==, before < k ? TS_ROLES_SOUND : TS_ROLES_DEADLOCK);
			hanging += before >= k;
		}
	g_assert_cmpuint(hanging, ==, 89);
}

/* Slots of a scheduler: released before they are read, or with a reader not counted. */
static void scheduler_slots(void)
{
	for (uint32_t i = 0; i < 3 * 4 * 2 * 2; i++) {
		struct ts_roles m = model(1, 1 + i / 12 % 2, "");
		uint32_t readers;

		m.slots = 1 + i % 3;
		m.accumulators = i / 24;
		readers = 1 + m.consumers + m.accumulators;
		for (uint32_t items = i / 3 % 4; items > 0; items--)
			ts_roles_add(&m, items % 2);
		g_assert_true(sound(&m));
		m.readers[TS_SLOT] = readers;
		g_assert_true(sound(&m));
		/* The end takes a slot too; without reuse nothing can be lost. */
		m.readers[TS_SLOT] = readers + 1;
		g_assert_cmpint(
			verdict(&m), ==, m.items < m.slots ? TS_ROLES_SOUND : TS_ROLES_DEADLOCK);
		m.readers[TS_SLOT] = readers - 1;
		g_assert_false(sound(&m));
		m.readers[TS_SLOT] = 0;
		m.released_early[TS_SLOT] = true;
		g_assert_cmpint(
			verdict(&m), ==, m.items < m.slots ? TS_ROLES_SOUND : TS_ROLES_ITEMS);
	}
}

/* One role leaves an item out. Skipping it everywhere is right, whatever comes after. */
static void check_guards(const struct ts_roles *m)
{
	for (uint32_t item = 0; item < m->items; item++) {
		struct ts_roles wrong = *m;
		uint8_t(*guards)[TS_ROLE_ITEMS_MAX] = wrong.guards[0];
		bool shifts = m->k[item] % (2 * m->stages) != 0 && total(m, item + 1) > 0;
		bool shifts_accumulators = m->accumulators > 0 && item + 1 < m->items;

		guards[TS_GUARD_PRODUCER][item] = TS_SKIPS;
		g_assert_true(sound(&wrong) == (m->k[item] == 0));
		guards[TS_GUARD_EPILOGUE][item] = TS_SKIPS;
		for (uint32_t i = 0; i < m->consumers; i++)
			guards[TS_GUARD_CONSUMER + i][item] = TS_SKIPS;
		g_assert_true(sound(&wrong));
		/* All skip the item, but one counts it. */
		guards[TS_GUARD_CONSUMER][item] = TS_COUNTS;
		g_assert_true(sound(&wrong) == (!shifts && !shifts_accumulators));
		guards[TS_GUARD_CONSUMER][item] = TS_SKIPS;
		guards[TS_GUARD_PRODUCER][item] = TS_COUNTS;
		g_assert_true(sound(&wrong) == !shifts);
		guards[TS_GUARD_PRODUCER][item] = TS_SKIPS;
		guards[TS_GUARD_EPILOGUE][item] = TS_COUNTS;
		g_assert_true(sound(&wrong) == !shifts_accumulators);
	}
}

static void guards_differ(void)
{
	over_box(3, 4, check_guards);
}

/* A CTA of a cluster that stays away from an item's barriers and multicasts. */
static void cluster_peer_stays_away(void)
{
	struct ts_roles m = ts_roles_default();

	m.ctas = 2;
	m.consumers = 1;
	for (m.stages = 1; m.stages <= 2; m.stages++) {
		m.items = 0;
		do {
			g_assert_true(sound(&m));
			for (uint32_t i = 0; i < m.items; i++) {
				struct ts_roles wrong = m;

				wrong.guards[1][TS_GUARD_CONSUMER][i] = TS_SKIPS;
				g_assert_true(sound(&wrong) == (m.k[i] == 0));
				wrong.guards[1][TS_GUARD_PRODUCER][i] = TS_SKIPS;
				/* A later item can come in the place of this one. */
				g_assert_true(sound(&wrong) == (m.k[i] == 0));
				if (m.k[i] > 0 && total(&m, i + 1) == 0)
					g_assert_cmpint(verdict(&wrong), ==, TS_ROLES_DEADLOCK);
			}
		} while (next_items(&m, 2, 2));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/roles/places agree with the count", places_agree);
	g_test_add_func("/roles/the running count is sound for all models", count_is_sound);
	g_test_add_func("/roles/formulas are sound iff they match the stages' history",
		formulas_need_history);
	g_test_add_func("/roles/a phase per tile needs one wave or k mod 2 stages = 0", tile_phase);
	g_test_add_func("/roles/a parity per iteration needs a single barrier", loop_phase);
	g_test_add_func("/roles/empty items need the same handshake of both sides", empty_items);
	g_test_add_func("/roles/an empty split hangs a peeled iteration", empty_splits);
	g_test_add_func(
		"/roles/slots are read, then released, by counted readers", scheduler_slots);
	g_test_add_func("/roles/guards must be the same, and so must counts", guards_differ);
	g_test_add_func("/roles/a cluster needs all its CTAs", cluster_peer_stays_away);
	return g_test_run();
}
