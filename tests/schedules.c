/* Schedules with one change each: the verifier must reject those that are really wrong, name a
 * fault that is there, and pass all others. */
#include "tests/mutation/listing.h"
#include "tests/vectors/read.h"
#include "verify/coverage.h"
#include "verify/shrink.h"

enum {
	WRONG = 1000, /* schedules that are really wrong, per mistake */
	RIGHT = 3000, /* schedules that are right, per harmless change */
	TRIES = 100000,
	SEEDS = 1000,
	EVENTS_SHOWN = 30
};

static struct ts_tile changed_tile(
	const struct ts_plan *p, const struct ts_step *step, uint32_t rank)
{
	struct ts_tile tile = ts_cta_tile(p, step, rank);

	tile.valid = (tile.valid || step->value == rank + 1) && step->counter != rank + 1;
	return tile;
}

/* The verdict on `l`. `c` keeps its memory from case to case. */
static enum ts_fault verify(struct ts_coverage *c, const struct ts_listing *l)
{
	g_autofree struct ts_hand *hands = g_new0(struct ts_hand, TS_LISTING_IDS);
	uint32_t old;
	bool passed;

	ts_coverage_reset(c, &l->plan);
	for (uint32_t i = 0; i < l->events->len; i++) {
		const struct ts_event *e = ts_listing_at(l, i);

		if (e->step.act == TS_WORK)
			ts_coverage_item(c, e->worker, &e->step, changed_tile);
		if (e->step.act == TS_CLAIM)
			ts_coverage_claim(c, e->worker, e->step.counter, &old);
		else
			ts_coverage_step(c, &hands[e->worker], e->worker, &e->step);
	}
	passed = ts_coverage_verdict(c);
	g_assert_true(passed == (c->finding.fault == TS_SOUND));
	return c->finding.fault;
}

/* Is the verdict on `l` the truth? */
static bool agrees(struct ts_coverage *c, const struct ts_listing *l, const struct ts_truth *truth)
{
	enum ts_fault fault = verify(c, l);

	if (fault == TS_TILE_MISSING || fault == TS_STARVED)
		return truth->faults[fault] && c->finding.count == truth->missing;
	return truth->faults[fault];
}

/* One change in search of a case in which the verifier is wrong. */
struct search {
	const struct ts_change *change;
	struct ts_coverage coverage;
	uint64_t wrong, right; /* schedules so far */
	uint32_t seed;         /* of the case that was found last */
};

static void describe(GString *out, const struct ts_coverage *c, const struct ts_listing *l,
	const struct ts_truth *truth)
{
	g_autofree char *text = ts_finding_text(&c->finding, &l->plan);

	g_string_append_printf(out, "%s, but really", text);
	for (enum ts_fault f = TS_SOUND; f < TS_FAULTS; f++)
		if (truth->faults[f])
			g_string_append_printf(out, " %s,", ts_fault_name(f));
	for (uint32_t i = 0; i < MIN(l->events->len, EVENTS_SHOWN); i++) {
		const struct ts_event *e = ts_listing_at(l, i);

		if (e->step.act == TS_CLAIM)
			g_string_append_printf(
				out, " %u claims from %u;", e->worker, e->step.counter);
		else
			g_string_append_printf(out, " %u: (%u,%u) [%u,%u)%s;", e->worker, e->step.m,
				e->step.n, e->step.k_begin, e->step.k_end,
				e->step.owns ? " owned" : "");
		g_string_append_printf(out, " (act %d, counter %u, value %u, slot %u, parts %u)",
			(int)e->step.act, e->step.counter, e->step.value, e->step.slot,
			e->step.parts);
	}
}

enum outcome { NO_CASE, AGREED, DISAGREED };

/* Not a case is what is refused, is unsound before the change, or has no place for it. */
static enum outcome try(struct search *s, const struct ts_spec *spec, uint32_t seed, GString *out)
{
	enum outcome outcome = NO_CASE;
	struct ts_listing l;
	struct ts_truth truth;

	if (!ts_listing_make(&l, spec, seed))
		return NO_CASE;
	truth = ts_truth_of(&l);
	if (!truth.faults[TS_SOUND])
		outcome = verify(&s->coverage, &l) != TS_SOUND ? NO_CASE : DISAGREED;
	else if (s->change->apply(&l)) {
		truth = ts_truth_of(&l);
		*(truth.faults[TS_SOUND] ? &s->right : &s->wrong) += 1;
		outcome = agrees(&s->coverage, &l, &truth) ? AGREED : DISAGREED;
	}
	if (out != NULL)
		describe(out, &s->coverage, &l, &truth);
	ts_listing_clear(&l);
	return outcome;
}

/* With some seed, since a smaller request makes other choices. */
static bool fails(void *data, const struct ts_spec *spec)
{
	struct search *s = data;

	for (uint32_t i = 0; i < SEEDS; i++)
		if (try(s, spec, i, NULL) == DISAGREED) {
			s->seed = i;
			return true;
		}
	return false;
}

static void report(struct search *s, struct ts_spec spec, uint32_t seed)
{
	g_autofree char *found = ts_request_words(&spec);
	g_autofree char *least = NULL;
	g_autoptr(GString) out = g_string_new(NULL);

	s->seed = seed;
	if (fails(s, &spec)) {
		ts_shrink(&spec, fails, s);
		fails(s, &spec);
	}
	try(s, &spec, s->seed, out);
	least = ts_request_words(&spec);
	g_test_fail_printf("%s: seed %u of %s: %s; found with seed %u of %s", s->change->sentence,
		s->seed, least, out->str, seed, found);
}

static int64_t upto(int32_t most)
{
	return g_test_rand_int_range(0, most + 1);
}

static struct ts_spec draw_spec(void)
{
	struct ts_spec spec = ts_spec_default();

	spec.policy = (uint32_t)upto(TS_POLICIES - 1);
	spec.mode = (enum ts_mode)upto(TS_MODES - 1);
	spec.order = (enum ts_order)upto(TS_ORDERS - 1);
	spec.remap = (enum ts_remap)upto(TS_REMAPS - 1);
	spec.block_m = 1 + upto(5);
	spec.block_n = 1 + upto(5);
	spec.block_k = 1 + upto(2);
	spec.m = upto(9 * (int32_t)spec.block_m);
	spec.n = upto(9 * (int32_t)spec.block_n);
	spec.k = upto(15);
	spec.cluster_m = 1 + upto(2);
	spec.cluster_n = 1 + upto(2);
	if (ts_order_has_width(spec.order))
		spec.width = upto(5);
	if (ts_remap_has_chunk(spec.remap))
		spec.chunk = upto(9);
	spec.workers = 1 + upto(11);
	spec.domains = 1 + upto(4);
	if (spec.policy == TS_WORKSTEAL && spec.mode != TS_GLOBAL)
		spec.slots = 1 + upto(2);
	spec.local_percent = upto(100);
	spec.splits = 1 + upto(5);
	spec.hybrid = (enum ts_hybrid)upto(TS_HYBRIDS - 1);
	spec.min_k = 1 + upto(2);
	spec.k_groups = 1 + upto(2);
	return spec;
}

/* With the seed that GLib prints, and that --seed takes. */
static void test_change(gconstpointer data)
{
	const struct ts_change *change = data;
	struct search s = {.change = change};
	bool enough = false, failed = false;

	ts_coverage_init(&s.coverage);
	for (uint32_t tries = 0; tries < TRIES && !enough && !failed; tries++) {
		struct ts_spec spec = draw_spec();
		uint32_t seed = (uint32_t)g_test_rand_int();

		failed = try(&s, &spec, seed, NULL) == DISAGREED;
		if (failed)
			report(&s, spec, seed);
		enough = change->harmless ? s.right == RIGHT : s.wrong == WRONG;
	}
	g_test_message("%s: %" G_GUINT64_FORMAT " wrong, %" G_GUINT64_FORMAT " right",
		change->sentence, s.wrong, s.right);
	g_assert_true(failed || (enough && (!change->harmless || s.wrong == 0)));
	ts_coverage_finish(&s.coverage);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (const struct ts_change *c = ts_changes; c->sentence != NULL; c++) {
		g_autofree char *path = g_strdup_printf(
			"/%s/%s", c->harmless ? "harmless" : "mistakes", c->sentence);

		g_test_add_data_func(path, c, test_change);
	}
	return g_test_run();
}
