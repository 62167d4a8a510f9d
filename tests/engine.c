/* The engine, on machines so small and plain that every time can be computed by hand: one FLOP per
 * nanosecond and unit, so a 1x1x1 tile takes 2 ns. */
#include "sim/engine.h"

#include <math.h>
#include <string.h>

#include "sim/run.h"
#include "verify/walk.h"

struct sim {
	struct ts_settings settings;
	struct ts_run run;
	GString *log;  /* one entry an item or claim, in the order in which they are told */
	GArray *items; /* struct ts_item */
};

static void log_item(void *data, const struct ts_item *item)
{
	struct sim *s = data;

	g_string_append_printf(s->log, "%s%u@%u %u,%u %g-%g", s->log->len > 0 ? "; " : "",
		item->worker, item->unit, item->step.m, item->step.n, (double)item->from / 1e3,
		(double)item->to / 1e3);
	g_array_append_vals(s->items, item, 1);
}

static void log_claim(void *data, const struct ts_claimed *claim)
{
	struct sim *s = data;

	g_string_append_printf(s->log, "%s%u #%u %g-%g", s->log->len > 0 ? "; " : "", claim->worker,
		claim->counter, (double)claim->from / 1e3, (double)claim->to / 1e3);
}

/* `options` are those of the command line, for a device in tests/data. */
static void start(struct sim *s, const char *device, const char *options)
{
	g_autofree char *line =
		g_strconcat("tilesim --block 1x1x1 --k 1 --order row ", options, NULL);
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	g_autofree char **argv = g_memdup2(words, sizeof *words * (g_strv_length(words) + 1));
	g_autoptr(GOptionContext) context = ts_settings_context(&s->settings, "", "", NULL);
	g_autoptr(GError) error = NULL;
	struct ts_device *d;
	struct ts_spec spec;

	ts_settings_parse(&s->settings, context, (int)g_strv_length(words), argv, &error);
	g_assert_no_error(error);
	s->settings.device =
		g_strdup_printf("%s/tests/data/%s.device", g_getenv("TILESIM_SOURCE"), device);
	d = ts_settings_device(&s->settings, &error);
	g_assert_no_error(error);
	ts_settings_spec(&s->settings, d, &spec, &error);
	g_assert_no_error(error);
	ts_device_free(d);
	ts_run_init(&s->run, &s->settings, &spec, &error);
	g_assert_no_error(error);
	s->log = g_string_new(NULL);
	s->items = g_array_new(FALSE, FALSE, sizeof(struct ts_item));
}

static void go(struct sim *s)
{
	struct ts_sink sink = {s, log_item, log_claim, NULL};
	g_autoptr(GError) error = NULL;

	ts_run_simulate(&s->run, &s->settings, &sink, &error);
	g_assert_no_error(error);
}

static void stop(struct sim *s)
{
	ts_run_finish(&s->run);
	ts_settings_finish(&s->settings);
	g_string_free(s->log, TRUE);
	g_array_unref(s->items);
}

static GKeyFile *times; /* data/times.ini */

/* Where the time of all places goes, in ns. */
static void check_parts(const struct ts_summary *s, const char *text)
{
	const double parts[] = {s->useful, s->padding, s->fixed, s->claims, s->quantization,
		s->imbalance, s->unmanned};
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	g_assert_cmpuint(g_strv_length(words), ==, G_N_ELEMENTS(parts));
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		g_assert_cmpfloat_with_epsilon(
			parts[i] * s->capacity / 1e3, g_ascii_strtod(words[i], NULL), 1e-9);
}

static void test_times(const void *group)
{
	g_autofree char *device = g_key_file_get_string(times, group, "device", NULL);
	g_autofree char *options = g_key_file_get_string(times, group, "options", NULL);
	g_autofree char *log = g_key_file_get_string(times, group, "log", NULL);
	g_autofree char *verdict = g_key_file_get_string(times, group, "verdict", NULL);
	g_autofree char *parts = g_key_file_get_string(times, group, "parts", NULL);
	double makespan_ns = g_key_file_get_double(times, group, "makespan", NULL);
	struct sim s;

	start(&s, device, options);
	go(&s);
	g_assert_cmpstr(s.log->str, ==, log);
	g_assert_cmpuint(s.run.summary.outcome.makespan, ==, (uint64_t)(makespan_ns * 1e3));
	g_assert_cmpstr(ts_fault_name(s.run.coverage.finding.fault), ==,
		verdict == NULL ? ts_fault_name(TS_SOUND) : verdict);
	if (parts != NULL)
		check_parts(&s.run.summary, parts);
	stop(&s);
}

/* Policies that exist only here. Item i is tile (i, 0); the first items wait for the last. */

static struct ts_step one_item(struct ts_worker *w)
{
	struct ts_step s = ts_step_make(TS_WORK);

	w->turn++;
	s.m = w->id;
	s.k_end = 1;
	s.owns = true;
	return s;
}

static struct ts_step step(enum ts_act act, uint32_t counter, uint32_t value)
{
	struct ts_step s = ts_step_make(act);

	s.counter = counter;
	s.value = value;
	return s;
}

/* Worker 0 waits for a signal from each other one. */
static struct ts_step gather(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	if (w->turn == 0 && w->id == 0) {
		w->turn++;
		return step(TS_WAIT, 0, p->workers - 1);
	}
	if (w->turn == (w->id == 0 ? 1 : 0))
		return one_item(w);
	if (w->turn == 1) {
		w->turn++;
		return step(TS_SIGNAL, 0, 1);
	}
	return ts_stop();
}

/* All others wait for worker 0's item. */
static struct ts_step scatter(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)answer;
	if (w->turn == 0 && w->id > 0) {
		w->turn++;
		return step(TS_WAIT, 0, 3);
	}
	if (w->turn == (w->id > 0 ? 1 : 0))
		return one_item(w);
	if (w->turn == 1) {
		w->turn++;
		return step(TS_SIGNAL, 0, 3);
	}
	return ts_stop();
}

/* Waits for the last worker, which signals only after its item. */
static struct ts_step last_first(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	bool last = w->id == p->workers - 1;

	(void)answer;
	if (w->turn == 0 && !last) {
		w->turn++;
		return step(TS_WAIT, 0, 1);
	}
	if (w->turn == (last ? 0 : 1))
		return one_item(w);
	w->turn++;
	return last && w->turn == 2 ? step(TS_SIGNAL, 0, 1) : ts_stop();
}

static struct ts_step forgets_signal(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = scatter(p, w, answer);

	return s.act == TS_SIGNAL ? ts_stop() : s;
}

static struct ts_step works_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)answer;
	return one_item(w);
}

static struct ts_step claims_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)w;
	(void)answer;
	return ts_claim(0);
}

static struct ts_step signals_on(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)w;
	(void)answer;
	return step(TS_SIGNAL, 0, 1);
}

static struct ts_step claims_past(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return w->turn == 0 ? one_item(w) : ts_claim(p->counters);
}

static struct ts_step waits_past(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)answer;
	return w->turn == 0 ? one_item(w) : step(TS_WAIT, p->counters, 0);
}

static struct ts_step signals_past(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)answer;
	return w->turn == 0 ? one_item(w) : step(TS_SIGNAL, UINT32_MAX, 1);
}

/* One claim, and two items for it. */
static struct ts_step claims_once(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	(void)p;
	(void)answer;
	w->claiming++;
	return w->claiming == 1 ? ts_claim(0) : w->claiming < 4 ? one_item(w) : ts_stop();
}

struct ruled {
	const char *name;
	struct ts_step (*next)(const struct ts_plan *, struct ts_worker *, uint32_t);
	const char *options;
	enum ts_end end;
	uint32_t worker, counter;
	const char *log; /* NULL where it is too long to matter */
};

static const struct ruled ruled[] = {
	{"a worker sleeps until the last signal", gather, "--m 3 --n 1 --slow sm2:2", TS_ALL_LEFT,
		0, 0, "1@1 1,0 0-2; 2@2 2,0 0-4; 0@0 0,0 4-6"},
	{"a signal wakes in the order of places", scatter, "--m 3 --n 1", TS_ALL_LEFT, 0, 0,
		"0@0 0,0 0-2; 1@1 1,0 2-4; 2@2 2,0 2-4"},
	{"a signal that came first need not be waited for", scatter,
		"--cus 1 --workers 3 --m 3 --n 1", TS_ALL_LEFT, 0, 0,
		"0@0 0,0 0-2; 1@0 1,0 2-4; 2@0 2,0 4-6"},
	{"the last worker is resident", last_first, "--workers 4 --m 4 --n 1", TS_ALL_LEFT, 0, 0,
		"3@3 3,0 0-2; 0@0 0,0 2-4; 1@1 1,0 2-4; 2@2 2,0 2-4"},
	{"a wait for a worker that is not resident", last_first, "--workers 5 --m 5 --n 1",
		TS_ALL_WAIT, 0, 0, ""},
	{"nobody signals", forgets_signal, "--m 3 --n 1", TS_ALL_WAIT, 1, 0, "0@0 0,0 0-2"},
	{"works on and on", works_on, "--m 2 --n 1", TS_NO_END, 0, 0, NULL},
	{"claims on and on", claims_on, "--m 2 --n 1", TS_NO_END, 0, 0, NULL},
	{"signals on and on, without taking time", signals_on, "--m 2 --n 1", TS_NO_END, 0, 0, ""},
	{"two items after one claim", claims_once, "--m 1 --n 1", TS_ALL_LEFT, 0, 0,
		"0 #0 0-0; 0@0 0,0 0-2; 0@0 0,0 2-4"},
	{"claims from a counter that is not there", claims_past, "--m 1 --n 1", TS_BAD_COUNTER, 0,
		1, "0@0 0,0 0-2"},
	{"waits for a counter that is not there", waits_past, "--m 1 --n 1", TS_BAD_COUNTER, 0, 1,
		"0@0 0,0 0-2"},
	{"signals a counter that is not there", signals_past, "--m 1 --n 1", TS_BAD_COUNTER, 0,
		UINT32_MAX, "0@0 0,0 0-2"},
};

static void test_ruled(const void *data)
{
	const struct ruled *row = data;
	const struct ts_rules rules = {row->next, ts_cta_tile};
	struct ts_outcome outcome;
	struct sim s;
	g_autofree char *options = g_strconcat("--policy persistent ", row->options, NULL);

	start(&s, "ideal-4", options);
	s.run.plan.workers = s.run.plan.items;
	s.run.machine.workers = s.run.plan.items;
	s.run.plan.counters = 1;
	const struct ts_sink sink = {&s, log_item, log_claim, NULL};
	const struct ts_engine engine = {.plan = &s.run.plan,
		.rules = &rules,
		.scenario = &s.run.scenario,
		.machine = &s.run.machine,
		.cost = &s.run.cost,
		.sinks = &sink,
		.sink_count = 1};

	outcome = ts_engine_run(&engine);
	g_assert_cmpint(outcome.end, ==, row->end);
	g_assert_cmpuint(outcome.worker, ==, row->worker);
	g_assert_cmpuint(outcome.counter, ==, row->counter);
	if (row->log != NULL)
		g_assert_cmpstr(s.log->str, ==, row->log);
	/* An item knows its own claim only, not one before. */
	for (guint i = 0; i < s.items->len; i++)
		g_assert_cmpuint(g_array_index(s.items, struct ts_item, i).counter, ==,
			row->next == claims_once && i == 0 ? 0 : UINT32_MAX);
	stop(&s);
}

/* Jitter: bounded, seeded, and the same for a tile in every schedule. */
static void test_jitter(void)
{
	static const char *const options[] = {
		"--m 9 --n 7 --k 50 --jitter 20 --seed 1",
		"--m 9 --n 7 --k 50 --jitter 20 --seed 1",
		"--m 9 --n 7 --k 50 --jitter 20 --seed 2",
		"--m 9 --n 7 --k 50 --jitter 20 --seed 1 --policy worksteal --order column",
	};
	uint64_t took[G_N_ELEMENTS(options)][63];
	g_autofree char *first = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
		struct sim s;

		start(&s, "ideal-4", options[i]);
		go(&s);
		g_assert_cmpuint(s.items->len, ==, 63);
		for (guint j = 0; j < 63; j++) {
			const struct ts_item *item = &g_array_index(s.items, struct ts_item, j);

			took[i][item->step.m * 7 + item->step.n] = item->to - item->from;
			g_assert_cmpuint(item->to - item->from, >=, 80000);
			g_assert_cmpuint(item->to - item->from, <=, 120000);
		}
		if (i == 0)
			first = g_strdup(s.log->str);
		if (i == 1)
			g_assert_cmpstr(s.log->str, ==, first);
		if (i == 2)
			g_assert_cmpstr(s.log->str, !=, first);
		stop(&s);
	}
	g_assert_true(memcmp(took[0], took[3], sizeof took[0]) == 0);
}

/* Operand panels of the first wave, by hand. */
static void test_locality(void)
{
	static const struct {
		const char *device, *options;
		uint64_t first_loads, panels, touches;
	} cases[] = {
		/* The Triton tutorial's example: 9 rows of B's whole width, or 3 by 3. */
		{"ideal-4", "--cus 9 --m 9 --n 9 --k 9 --order row", 90, 90, 162},
		{"ideal-4", "--cus 9 --m 9 --n 9 --k 9 --order grouped-m --swizzle 3", 54, 54, 162},
		{"ideal-4", "--cus 9 --m 9 --n 9 --k 9 --order grouped-n --swizzle 3", 54, 54, 162},
		{"ideal-4", "--cus 9 --m 9 --n 9 --k 9 --order column", 90, 90, 162},
		/* Two L2s: each row's even columns go to one XCD and its odd ones to the other. */
		{"ideal-xcds", "--m 2 --n 4 --k 1", 6, 12, 16},
		{"ideal-4", "--m 4 --n 2 --k 3 --cluster 2x1", 12, 8, 16},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct sim s;
		const struct ts_locality *l = &s.run.summary.locality;

		start(&s, cases[i].device, cases[i].options);
		go(&s);
		g_assert_cmpuint(l->first_panels * s.run.plan.depth, ==, cases[i].first_loads);
		g_assert_cmpuint(l->touches, ==, cases[i].touches);
		if (i < 4)
			g_assert_cmpuint(l->panels / l->waves * 9, ==, cases[i].panels);
		else
			g_assert_cmpuint(l->panels, ==, cases[i].panels);
		stop(&s);
	}
}

static const char *pick(const char *choices)
{
	static char word[64];
	g_auto(GStrv) words = g_strsplit(choices, "|", -1);

	g_strlcpy(word, words[g_test_rand_int_range(0, (gint32)g_strv_length(words))], sizeof word);
	return word;
}

static char *draw(const char *scenarios)
{
	GString *o = g_string_new(NULL);

	g_string_append_printf(
		o, "--m %d --n %d", g_test_rand_int_range(1, 40), g_test_rand_int_range(1, 40));
	g_string_append_printf(o, " --k %d", g_test_rand_int_range(0, 9));
	g_string_append_printf(o, " --block %s", pick("1x1x1|3x2x2|4x8x3"));
	g_string_append_printf(o, " --policy %s",
		pick("data-parallel|persistent|worksteal|worksteal --mode slots|"
		     "worksteal --mode global|worksteal --mode hierarchical"));
	g_string_append_printf(o, " --order %s", pick("row|column|grouped-m|snake-n"));
	g_string_append_printf(o, " --remap %s", pick("none|chiplet|chunked"));
	g_string_append_printf(o, " --cluster %s", pick("1x1|1x1|2x1|1x2"));
	g_string_append_printf(o, " --edge %s", pick("full|real"));
	g_string_append_printf(o, " --claim-ns %s", pick("0|1|7.3"));
	g_string_append_printf(o, " --epilogue-ns %s", pick("0|0.7|20"));
	g_string_append_printf(o, "%s", pick(scenarios));
	return g_string_free(o, FALSE);
}

/* Where the time goes adds up to all of it, whatever happens. Parts are prices before an item's
 * time is rounded to whole picoseconds, so one that is 0 may come out a little below. */
static void test_fractions(const void *scenarios)
{
	static const char *const devices[] = {"ideal-4", "ideal-gpcs", "ideal-xcds", "ideal-l2"};

	for (int i = 0; i < 400; i++) {
		g_autofree char *options = draw(scenarios);
		const char *device = devices[i % 4];
		const struct ts_summary *r;
		struct sim s;
		double least, sum;

		start(&s, device, options);
		go(&s);
		r = &s.run.summary;
		least = MIN(MIN(MIN(r->useful, r->padding), MIN(r->fixed, r->claims)),
			MIN(r->quantization, r->imbalance));
		sum = r->unmanned + r->useful + r->padding + r->fixed + r->claims +
			r->quantization + r->imbalance;
		if (r->outcome.makespan > 0 && s.items->len > 0 &&
			(fabs(sum - 1) > 1e-9 || least < -1e-4))
			g_error("%s %s: the fractions add up to %.12f, the least is %g", device,
				options, sum, least);
		stop(&s);
	}
}

/* What the walk below saw; rules have no place for a pointer. */
static GArray *walked;

static struct ts_step next_and_note(const struct ts_plan *p, struct ts_worker *w, uint32_t answer)
{
	struct ts_step s = ts_next(p, w, answer);

	if (s.act == TS_WORK)
		g_array_append_val(walked, s);
	return s;
}

static int by_tile(const void *a, const void *b)
{
	const struct ts_step *x = a, *y = b;

	if (x->m != y->m)
		return x->m < y->m ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

/* Engine and walk are two drivers of one policy: the same items, in whatever order. */
static void test_walk(void)
{
	static const struct ts_rules rules = {next_and_note, ts_cta_tile};

	for (int i = 0; i < 200; i++) {
		const struct ts_walk walk = {
			.pick = TS_ANY_ONE, .seed = (uint64_t)i, .resident = 4};
		g_autofree char *options = draw("|");
		struct ts_coverage coverage;
		bool sound;
		struct sim s;

		start(&s, i % 2 == 0 ? "ideal-4" : "ideal-xcds", options);
		go(&s);
		walked = g_array_new(FALSE, FALSE, sizeof(struct ts_step));
		ts_coverage_init(&coverage);
		sound = ts_walk_run(&walk, &s.run.plan, &rules, &coverage);
		if (sound != s.run.sound || walked->len != s.items->len)
			g_error("%s: %u items, %u in the walk", options, s.items->len, walked->len);
		qsort(walked->data, walked->len, sizeof(struct ts_step), by_tile);
		/* The step is the first member of an item. */
		qsort(s.items->data, s.items->len, sizeof(struct ts_item), by_tile);
		for (guint j = 0; j < walked->len; j++) {
			const struct ts_step *a = &g_array_index(walked, struct ts_step, j);
			const struct ts_step *b = &g_array_index(s.items, struct ts_item, j).step;

			g_assert_true(a->m == b->m && a->n == b->n && a->k_begin == b->k_begin &&
				a->k_end == b->k_end && a->owns == b->owns);
		}
		ts_coverage_finish(&coverage);
		g_array_unref(walked);
		stop(&s);
	}
}

int main(int argc, char **argv)
{
	g_autofree char *path = NULL;
	g_auto(GStrv) groups = NULL;
	g_autoptr(GError) error = NULL;
	int code;

	g_test_init(&argc, &argv, NULL);
	times = g_key_file_new();
	path = g_strdup_printf("%s/tests/data/times.ini", g_getenv("TILESIM_SOURCE"));
	g_key_file_load_from_file(times, path, G_KEY_FILE_NONE, &error);
	g_assert_no_error(error);
	groups = g_key_file_get_groups(times, NULL);
	for (size_t i = 0; groups[i] != NULL; i++) {
		g_autofree char *name = g_strconcat("/engine/times/", groups[i], NULL);

		g_test_add_data_func(name, groups[i], test_times);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(ruled); i++) {
		g_autofree char *name = g_strconcat("/engine/rules/", ruled[i].name, NULL);

		g_test_add_data_func(name, &ruled[i], test_ruled);
	}
	g_test_add_func("/engine/jitter is bounded and seeded", test_jitter);
	g_test_add_func("/engine/panels of a wave", test_locality);
	g_test_add_func("/engine/the same items as a walk", test_walk);
	g_test_add_data_func("/engine/fractions/plain, masked, slow, jittered or released",
		"|| --mask sm0| --slow sm1:3.7| --jitter 30| --release sm1@0.05| --hold any1@0",
		test_fractions);
	g_test_add_data_func("/engine/fractions/held while a worker is there",
		" --hold any1@0.004:0.03| --hold sm1@0.01", test_fractions);
	code = g_test_run();
	g_key_file_unref(times);
	return code;
}
