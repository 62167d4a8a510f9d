/* The GPU: what `tilesim gpu` does without one, whether its checker finds planted faults in records
 * of a made-up GPU, and with a GPU, a sweep over policies inside the kernel. */
#include <glib.h>
#include <string.h>

#include "policies/plan.h"
#include "sim/gpu_check.h"

enum { UNITS = 8, NO_GPU = 77 };

/* A launch in memory, and who is where in it. */
struct fake {
	struct ts_plan plan;
	struct ts_probe_log log;
	uint64_t now;
};

static void put_event(
	struct fake *f, const struct ts_worker *w, const struct ts_step *s, uint32_t value)
{
	struct ts_probe_event *e = &ts_probe_events(&f->log)[ts_probe_cursors(&f->log)->events++];

	e->worker = w->id;
	e->domain = w->domain;
	e->act = (uint32_t)s->act;
	e->counter = s->counter;
	e->value = value;
	e->unit = w->id % UNITS;
}

static void put_records(struct fake *f, const struct ts_worker *w, const struct ts_step *s,
	uint32_t counter, uint32_t answer)
{
	uint32_t ranks = f->plan.cluster_m * f->plan.cluster_n;
	uint32_t group = ts_probe_cursors(&f->log)->groups++;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		struct ts_probe_record *r = &ts_probe_records(&f->log)[group * ranks + rank];
		struct ts_tile tile = ts_cta_tile(&f->plan, s, rank);

		memset(r, 0, sizeof *r);
		r->worker = w->id;
		r->rank = rank;
		r->unit = (w->id * ranks + rank) % UNITS;
		r->domain = w->domain;
		r->counter = counter;
		r->answer = answer;
		r->g = s->g;
		r->m = tile.m;
		r->n = tile.n;
		r->valid = tile.valid ? 1 : 0;
		r->k_begin = s->k_begin;
		r->k_end = s->k_end;
		r->owns = s->owns ? 1 : 0;
		r->slot = s->slot;
		r->from = f->now;
		r->to = f->now + 5;
	}
	f->now += 7;
}

/* One item of a worker, a wait in vain, or its end. */
static bool turn(struct fake *f, struct ts_worker *w)
{
	uint32_t counter = (uint32_t)TS_PROBE_NONE, answer = 0;
	uint32_t *counters = f->log.words + f->log.layout.counters;

	for (;;) {
		struct ts_worker before = *w;
		struct ts_step s = ts_next(&f->plan, w, answer);

		switch (s.act) {
		case TS_WORK: put_records(f, w, &s, counter, answer); return true;
		case TS_STOP: return false;
		case TS_FIX_UP: break;
		case TS_WAIT:
			if (counters[s.counter] >= s.value)
				break;
			*w = before;
			return true;
		case TS_SIGNAL:
			counters[s.counter] += s.value;
			put_event(f, w, &s, s.value);
			break;
		case TS_CLAIM:
			counter = s.counter;
			answer = counters[counter]++;
			put_event(f, w, &s, answer);
			break;
		}
	}
}

/* What the kernel would leave of 4 workers on 7x5 tiles, ragged in every way. */
static void run(struct fake *f, uint32_t policy, uint32_t cluster_m)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_worker workers[256];
	bool left[256] = {false};
	bool any = true;

	spec.policy = policy;
	spec.m = 7;
	spec.n = 5;
	spec.k = 3;
	spec.block_m = spec.block_n = spec.block_k = 1;
	spec.cluster_m = cluster_m;
	spec.workers = 4;
	spec.domains = 2;
	spec.min_k = 1;
	spec.hybrid = TS_BASIC;
	g_assert_cmpint(ts_plan_make(&f->plan, &spec), ==, TS_OK);
	g_assert_cmpuint(f->plan.workers, <=, G_N_ELEMENTS(workers));
	f->log.layout = ts_probe_layout_make(&f->plan);
	f->log.words = g_new(uint32_t, f->log.layout.words);
	for (uint64_t i = 0; i < f->log.layout.words; i++)
		f->log.words[i] = TS_PROBE_POISON;
	*ts_probe_cursors(&f->log) = (struct ts_probe_cursors){0, 0};
	for (uint32_t i = 0; i < f->plan.counters; i++)
		f->log.words[f->log.layout.counters + i] = 0;
	f->now = 1000;
	for (uint32_t i = 0; i < f->plan.workers; i++)
		workers[i] = ts_worker_make(i, i % f->plan.domains);
	while (any) {
		any = false;
		for (uint32_t i = 0; i < f->plan.workers; i++) {
			left[i] = left[i] || !turn(f, &workers[i]);
			any = any || !left[i];
		}
	}
}

static void test_sound(void)
{
	/* No GPU's launch counter can be read, and so clc is not probed. */
	for (uint32_t policy = 0; policy < TS_CLC; policy++) {
		for (uint32_t cluster = 1; cluster <= 2; cluster++) {
			struct fake f;
			struct ts_gpu_verdict v;

			run(&f, policy, cluster);
			v = ts_gpu_check(&f.plan, &f.log, false, UNITS);
			g_assert_cmpstr(v.fault, ==, NULL);
			g_assert_true(v.sound);
			g_assert_cmpuint(v.tiles, ==, 35);
			if (f.plan.workspace == 0)
				g_assert_cmpuint(v.items, ==, f.plan.items);
			else
				g_assert_cmpuint(v.items, >, f.plan.items);
			g_free(f.log.words);
		}
	}
}

static struct ts_probe_record *record(struct fake *f, uint32_t i)
{
	return &ts_probe_records(&f->log)[i];
}

static void wrong_tile(struct fake *f)
{
	record(f, 5)->n++;
}

static void wrong_group(struct fake *f)
{
	record(f, 4)->g = record(f, 5)->g = 1;
}

static void wrong_slot(struct fake *f)
{
	record(f, 4)->slot++;
}

static void tile_outside(struct fake *f)
{
	record(f, 6)->m = 100;
}

static void swapped_items(struct fake *f)
{
	for (uint32_t rank = 0; rank < 2; rank++) {
		struct ts_probe_record first = *record(f, rank);

		record(f, rank)->m = record(f, 2 + rank)->m;
		record(f, rank)->n = record(f, 2 + rank)->n;
		record(f, 2 + rank)->m = first.m;
		record(f, 2 + rank)->n = first.n;
	}
}

static void missing_item(struct fake *f)
{
	uint32_t last = --ts_probe_cursors(&f->log)->groups * 2;
	uint32_t *words = (uint32_t *)(void *)record(f, last);

	for (size_t i = 0; i < 2 * sizeof(struct ts_probe_record) / sizeof(uint32_t); i++)
		words[i] = TS_PROBE_POISON;
}

static void extra_item(struct fake *f)
{
	uint32_t groups = ts_probe_cursors(&f->log)->groups++;

	for (uint32_t rank = 0; rank < 2; rank++) {
		*record(f, groups * 2 + rank) = *record(f, rank);
		record(f, groups * 2 + rank)->from = record(f, groups * 2 + rank)->to = f->now;
	}
}

static void unwritten_record(struct fake *f)
{
	record(f, 7)->worker = TS_PROBE_POISON;
}

static void missing_flag(struct fake *f)
{
	record(f, 4)->valid = 0;
}

static void short_k(struct fake *f)
{
	record(f, 2)->k_end = record(f, 3)->k_end = 2;
}

static void two_owners(struct fake *f)
{
	record(f, 2)->owns = record(f, 3)->owns = 0;
}

static void moved(struct fake *f)
{
	uint32_t last = ts_probe_cursors(&f->log)->groups * 2 - 1;

	record(f, last)->unit = (record(f, last)->unit + 1) % UNITS;
}

static void no_such_unit(struct fake *f)
{
	record(f, 0)->unit = UNITS;
}

static void overlap(struct fake *f)
{
	uint32_t last = ts_probe_cursors(&f->log)->groups * 2 - 1;

	record(f, last)->from = record(f, last)->to = 1;
}

static void guard(struct fake *f)
{
	f->log.words[f->log.layout.records - 1] = 0;
}

static void late_write(struct fake *f)
{
	record(f, 2 * ts_probe_cursors(&f->log)->groups + 3)->m = 0;
}

static void endless(struct fake *f)
{
	ts_probe_cursors(&f->log)->groups = (uint32_t)f->log.layout.group_room + 1;
}

static void counter_off(struct fake *f)
{
	f->log.words[f->log.layout.counters]++;
}

static void claim_twice(struct fake *f)
{
	struct ts_probe_event *events = ts_probe_events(&f->log);

	events[4].counter = events[0].counter;
	events[4].value = events[0].value;
}

static void wrong_counter(struct fake *f)
{
	ts_probe_events(&f->log)[0].counter = f->plan.counters;
}

static void other_answer(struct fake *f)
{
	record(f, 0)->answer += 1;
	record(f, 1)->answer += 1;
}

static void waits(struct fake *f)
{
	ts_probe_events(&f->log)[3].act = TS_WAIT;
}

/* The two CTAs of an item lie beside each other: records 0 and 1 are the first item's. */
static const struct {
	const char *name;
	uint32_t policy;
	void (*plant)(struct fake *f);
	const char *says;
} faults[] = {
	{"a CTA had its neighbour's tile", TS_PERSISTENT, wrong_tile, "where the policy gives"},
	{"a group that there is not", TS_PERSISTENT, wrong_group, "wrote group 1 of 1"},
	{"a part had another's slot", TS_SPLIT_K, wrong_slot, "had workspace slot"},
	{"a tile outside the grid", TS_PERSISTENT, tile_outside, "100"},
	{"two workers had each other's items", TS_PERSISTENT, swapped_items,
		"where the policy gives"},
	{"an item is missing", TS_PERSISTENT, missing_item, "missing"},
	{"an item is missing from a dynamic schedule", TS_WORKSTEAL, missing_item, "missing"},
	{"an item was computed twice", TS_PERSISTENT, extra_item, "twice"},
	{"a CTA wrote nothing", TS_PERSISTENT, unwritten_record, "wrote no record"},
	{"a CTA took its tile for none", TS_PERSISTENT, missing_flag, "outside, where"},
	{"a k iteration is missing", TS_WORKSTEAL, short_k, "missing"},
	{"nobody owns a tile", TS_PERSISTENT, two_owners, "own"},
	{"a CTA moved to another SM", TS_PERSISTENT, moved, "moved from SM"},
	{"an SM that does not exist", TS_PERSISTENT, no_such_unit, "out of range"},
	{"an item began before the one before ended", TS_PERSISTENT, overlap, "before it ended"},
	{"a guard word was overwritten", TS_PERSISTENT, guard, "after the counters"},
	{"a record was written that is not counted", TS_PERSISTENT, late_write,
		"after the records"},
	{"a worker goes on and on", TS_PERSISTENT, endless, "goes on and on"},
	{"a counter was added to by nobody", TS_WORKSTEAL, counter_off, "counter 0 ends at"},
	{"a counter gave a number twice", TS_WORKSTEAL, claim_twice, "counter"},
	{"a claim of a counter that there is not", TS_WORKSTEAL, wrong_counter, "used counter"},
	{"an item names a claim that was not its own", TS_WORKSTEAL, other_answer, "another claim"},
	{"a worker waited in vain", TS_WORKSTEAL, waits, "waited for ever"},
};

static void test_fault(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	struct fake f;
	struct ts_gpu_verdict v;

	run(&f, faults[i].policy, 2);
	faults[i].plant(&f);
	v = ts_gpu_check(&f.plan, &f.log, false, UNITS);
	g_assert_false(v.sound);
	if (v.fault == NULL || strstr(v.fault, faults[i].says) == NULL)
		g_error("%s: found '%s', which does not say '%s'", faults[i].name, v.fault,
			faults[i].says);
	g_free(v.fault);
	g_free(f.log.words);
}

/* Runs tilesim with these words; returns its exit code. Free `ret_out` and `ret_err`. */
static int call(const char *words, char **ret_out, char **ret_err)
{
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	int status;

	g_shell_parse_argv(line, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	g_spawn_sync(
		NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, ret_out, ret_err, &status, &error);
	g_assert_no_error(error);
	if (g_spawn_check_wait_status(status, &error))
		return 0;
	return error->domain == G_SPAWN_EXIT_ERROR ? error->code : -1;
}

static void test_without(void)
{
	static const char *const commands[] = {
		"gpu describe", "gpu probe", "gpu probe --policy all --m 1:600:37 --format json"};

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *out = NULL;
		g_autofree char *err = NULL;
		int code = call(commands[i], &out, &err);

		if (code != NO_GPU) {
			g_test_skip("there is a GPU");
			return;
		}
		g_assert_cmpstr(out, ==, "");
		g_assert_true(g_str_has_prefix(err, "tilesim: no GPU: "));
		g_assert_cmpuint((gsize)(strchr(err, '\n') - err), ==, strlen(err) - 1);
	}
}

static void test_refusals(void)
{
	static const char *const commands[] = {"gpu", "gpu race", "gpu probe --device h200",
		"gpu probe --busy-ns -1", "gpu probe --format csv", "gpu probe --shared-kb x",
		"gpu probe --mask cu0", "gpu probe --clock 1000", "gpu probe --hold any2@0",
		"gpu describe now", "gpu describe --backend cpu", "gpu probe --seed 1",
		"gpu probe --backend vulkan", "gpu probe --backend cpu --seed -1"};

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *out = NULL;
		g_autofree char *err = NULL;

		g_assert_cmpint(call(commands[i], &out, &err), ==, 2);
		g_assert_true(g_str_has_prefix(err, "tilesim: "));
	}
}

/* Runs of the kernel itself. The complete sweep is kernels/check.sh. */
static void test_sweep(void)
{
	static const char *const commands[] = {
		"gpu probe --policy all --mode all --order all --remap all "
		"--cluster 1x1,2x1,1x2,2x2,4x1 --xcds 1,3 --block 128x128x64 --m 1,1900 --n 700 "
		"--k 128 --busy-ns 10",
		"gpu probe --policy worksteal --domain hardware --xcds 4",
		"gpu describe",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *out = NULL;
		g_autofree char *err = NULL;
		int code = call(commands[i], &out, &err);

		if (code == NO_GPU) {
			g_test_skip("no GPU");
			return;
		}
		if (code != 0)
			g_error("tilesim %s: exit code %d: %s%s", commands[i], code, out, err);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gpu/records of every policy are accepted", test_sound);
	for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strconcat("/gpu/fault/", faults[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_fault);
	}
	g_test_add_func("/gpu/without a GPU the exit code is 77", test_without);
	g_test_add_func("/gpu/options that make no sense are refused", test_refusals);
	g_test_add_func("/gpu/policies in the kernel", test_sweep);
	return g_test_run();
}
