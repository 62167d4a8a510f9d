/* Every policy inside the probe kernel on the CPU: whatever the order, remap, cluster, shape and
 * groups, in turn, on several pthreads, and in orders that a seed gives, the records have to be
 * accepted, and those of static policies to be what the simulator says. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "kernels/cpu.h"
#include "kernels/probe_kernel.h"
#include "policies/plan.h"
#include "sim/gpu_check.h"

enum { ITEMS_MAX = 400, THREADS = 32, GROUPS_MAX = 5 };

/* One launch of the probe. */
struct launch {
	struct ts_cpu *cpu;
	struct ts_plan plan;
	struct ts_cpu_grid grid;
	struct ts_probe_args args;
	struct ts_probe_log log;
	uint32_t *table; /* of the plan's groups; NULL where it is plain */
	char fault[TS_CPU_FAULT];
};

/* Memory as the kernel expects it. */
static void prepare(struct launch *l)
{
	const struct ts_plan *p = &l->plan;
	struct ts_probe_layout *at = &l->log.layout;
	struct cpu_memory *m = ts_cpu_memory(l->cpu);
	uint64_t ranks = (uint64_t)p->cluster_m * p->cluster_n;

	*at = ts_probe_layout_make(p);
	l->log.words = cpu_memory_alloc(m, at->words * sizeof(uint32_t), "probe");
	g_assert_nonnull(l->log.words);
	for (uint64_t i = 0; i < at->words; i++)
		l->log.words[i] = TS_PROBE_POISON;
	l->args = (struct ts_probe_args){.plan = *p,
		.group_room = (uint32_t)at->group_room,
		.event_room = (uint32_t)at->event_room,
		.cursors = ts_probe_cursors(&l->log),
		.counters = l->log.words + at->counters,
		.records = ts_probe_records(&l->log),
		.events = ts_probe_events(&l->log)};
	if (!p->plain) {
		uint64_t words = ts_group_table_words(p);

		l->table = cpu_memory_alloc(m, words * sizeof(uint32_t), "groups");
		g_assert_nonnull(l->table);
		ts_group_table_make(p, (uintptr_t)l->table, l->table);
		l->args.table = (const struct ts_plan *)(void *)l->table;
		/* Nothing may be left of what is only here. */
		l->args.plan.grids = NULL;
		l->args.plan.turns = NULL;
	}
	*l->args.cursors = (struct ts_probe_cursors){0, 0};
	memset(l->args.counters, 0, p->counters * sizeof(uint32_t));
	cpu_memory_name(m, l->args.cursors, sizeof *l->args.cursors, "cursors");
	cpu_memory_name(m, l->args.counters, p->counters * sizeof(uint32_t), "counters");
	cpu_memory_name(m, l->args.records, at->group_room * ranks * sizeof(struct ts_probe_record),
		"records");
	cpu_memory_name(
		m, l->args.events, at->event_room * sizeof(struct ts_probe_event), "events");
	l->grid = (struct ts_cpu_grid){p->workers, {p->cluster_m, p->cluster_n}, THREADS, 0};
}

static void finish(struct launch *l)
{
	cpu_memory_free(ts_cpu_memory(l->cpu), l->log.words);
	if (l->table != NULL)
		cpu_memory_free(ts_cpu_memory(l->cpu), l->table);
}

static bool go(struct launch *l, const struct ts_cpu_way *way)
{
	const struct cpu_kernel *kernel = l->plan.plain ? &ts_probe : &ts_probe_groups;

	return l->plan.items == 0 ||
		ts_cpu_launch(l->cpu, kernel, &l->grid, way, &l->args, l->fault);
}

static char *describe(const struct ts_plan *p, const struct ts_cpu_way *way)
{
	return g_strdup_printf(
		"%s %s, %s, %s, %s of %ux%ux%u in %ux%ux%u, %u groups in %u grids, sections of %u, "
		"cluster %ux%u, %u workers, %u domains, %s%" G_GUINT64_FORMAT,
		ts_policy((enum ts_policy_id)p->policy).name, ts_mode_name((enum ts_mode)p->mode),
		ts_order_name((enum ts_order)p->order), ts_remap_name((enum ts_remap)p->remap),
		ts_shape_name((enum ts_shape_kind)p->shape), p->m, p->n, p->k, p->block_m,
		p->block_n, p->block_k, p->groups, p->grid_count, p->section.by, p->cluster_m,
		p->cluster_n, p->workers, p->domains, way->seeded ? "seed " : "pthreads ",
		way->seeded ? way->seed : way->pthreads);
}

/* Runs a plan and returns its tiles; it has to be sound. */
static uint64_t run_well(struct ts_cpu *cpu, const struct ts_plan *p, const struct ts_cpu_way *way)
{
	struct launch l = {.cpu = cpu, .plan = *p};
	g_autofree char *what = describe(p, way);
	struct ts_gpu_verdict v;

	prepare(&l);
	if (!go(&l, way))
		g_error("%s: %s", what, l.fault);
	v = ts_gpu_check(p, &l.log, false, TS_CPU_UNITS);
	if (!v.sound)
		g_error("%s: %s", what, v.fault);
	g_assert_cmpuint(v.tiles, ==, p->tiles);
	finish(&l);
	return v.tiles;
}

/* A size that is no multiple of its block, or just is, or is nothing. */
static int64_t draw_size(int64_t block, int64_t blocks_max)
{
	int64_t blocks = g_test_rand_int_range(0, (gint32)blocks_max + 1);

	if (g_test_rand_bit())
		return block * blocks;
	return block * blocks + g_test_rand_int_range(1, (gint32)block);
}

static struct ts_spec draw(uint32_t policy, uint32_t mode)
{
	static const int64_t clusters[][2] = {
		{1, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {3, 1}, {2, 3}, {4, 4}};
	size_t cluster = (size_t)g_test_rand_int_range(0, G_N_ELEMENTS(clusters));
	struct ts_spec s = ts_spec_default();

	s.policy = policy;
	s.mode = (enum ts_mode)mode;
	s.order = (enum ts_order)g_test_rand_int_range(0, TS_ORDERS);
	s.remap = (enum ts_remap)g_test_rand_int_range(0, TS_REMAPS);
	s.block_m = 16 << g_test_rand_int_range(0, 4);
	s.block_n = 16 << g_test_rand_int_range(0, 4);
	s.block_k = 32;
	s.m = draw_size(s.block_m, 18);
	s.n = draw_size(s.block_n, 18);
	s.k = draw_size(s.block_k, 5);
	s.cluster_m = clusters[cluster][0];
	s.cluster_n = clusters[cluster][1];
	/* No more than have a place at once: a policy may wait for any of them. */
	s.workers =
		g_test_rand_int_range(1, TS_CPU_UNITS / (gint32)(s.cluster_m * s.cluster_n) + 1);
	/* Enough that no counter is without a worker of its own, which some modes need. */
	s.domains = g_test_rand_int_range(1, (gint32)MIN(s.workers, 4) + 1);
	s.slots = g_test_rand_int_range(1, (gint32)MIN(s.workers / s.domains, 3) + 1);
	s.width = g_test_rand_int_range(0, 5);
	return s;
}

/* Groups of a request: their sizes, and room for its plan. */
struct groups {
	int64_t m[GROUPS_MAX], n[GROUPS_MAX], k[GROUPS_MAX];
	struct ts_turn turns[GROUPS_MAX];
	struct ts_plan grids[GROUPS_MAX];
};

/* Copies, a list of a few groups, some without rows, or both; and shapes. */
static void draw_groups(struct ts_spec *s, struct groups *g)
{
	bool uneven = g_test_rand_bit(); /* which policies that cut items refuse */

	s->m = draw_size(s->block_m, 7);
	s->n = draw_size(s->block_n, 7);
	s->batch = g_test_rand_int_range(1, 5);
	s->section = g_test_rand_int_range(0, 4);
	if (g_test_rand_bit()) {
		s->shape = (enum ts_shape_kind)g_test_rand_int_range(0, TS_SHAPES);
		if (s->shape == TS_TRIANGLE)
			s->n = s->m;
		else
			s->row_order = (enum ts_row_order)g_test_rand_int_range(0, TS_ROW_ORDERS);
	}
	if (g_test_rand_int_range(0, 3) == 0)
		return;
	s->list_count = g_test_rand_int_range(0, GROUPS_MAX + 1);
	s->group_order = (enum ts_group_order)g_test_rand_int_range(0, TS_GROUP_ORDERS);
	for (int i = 0; i < GROUPS_MAX; i++) {
		g->m[i] = g_test_rand_int_range(0, 3) == 0 ? 0 : draw_size(s->block_m, 7);
		g->n[i] = s->shape == TS_TRIANGLE ? g->m[i] : draw_size(s->block_n, 7);
		g->k[i] = draw_size(s->block_k, 5);
	}
	s->list_m = g->m;
	s->list_n = uneven || s->shape == TS_TRIANGLE ? g->n : NULL;
	s->list_k = uneven ? g->k : NULL;
	if (g_test_rand_bit()) {
		s->layout = TS_MASKED;
		s->m = 8 * s->block_m;
	}
	s->turns = g->turns;
	s->grids = g->grids;
}

/* `count` plans of one policy and mode, each in one of the ways to run it. */
static uint64_t sweep(struct ts_cpu *cpu, uint32_t policy, uint32_t mode, uint32_t count)
{
	uint64_t tiles = 0;
	uint32_t drawn = 0, made = 0;

	while (made < count) {
		struct ts_spec s = draw(policy, mode);
		struct groups groups;
		struct ts_cpu_way way = {.pthreads = 1 + made % 3,
			.seeded = made % 4 == 3,
			.seed = (uint64_t)g_test_rand_int()};
		struct ts_plan p;

		if (made % 2 == 1)
			draw_groups(&s, &groups);
		g_assert_cmpuint(drawn++, <, 50 * count);
		if (ts_plan_make(&p, &s) != TS_OK || p.items > ITEMS_MAX)
			continue;
		tiles += run_well(cpu, &p, &way);
		made++;
	}
	return tiles;
}

/* Is its first counter the row of launches, which is no memory? */
static bool takes_launches(uint32_t policy)
{
	struct ts_spec s = ts_spec_default();
	struct ts_plan p = {0};

	s.policy = policy;
	g_assert_cmpint(ts_plan_make(&p, &s), ==, TS_OK);
	return p.launches != 0;
}

static void test_sweep(gconstpointer data)
{
	uint32_t policy = GPOINTER_TO_UINT(data);
	bool has_modes = (ts_policy((enum ts_policy_id)policy).uses(TS_STEAL) & TS_USES_MODE) != 0;
	struct ts_cpu *cpu = ts_cpu_new();
	bool launches = takes_launches(policy);
	uint64_t tiles = 0;

	for (uint32_t mode = 0; !launches && mode < (has_modes ? TS_MODES : 1); mode++)
		tiles += sweep(cpu, policy, mode, g_test_quick() ? 40 : 400);
	ts_cpu_free(cpu);
	if (launches) {
		g_test_skip("its claims are the hardware's, which the probe does not use");
		return;
	}
	g_test_message("%" G_GUINT64_FORMAT " tiles", tiles);
	g_assert_cmpuint(tiles, >, 0);
}

/* --- Faults -------------------------------------------------------------------------------------
 */

static void dirty_counters(struct launch *l)
{
	l->args.counters[0] = 3;
}

static void worker_missing(struct launch *l)
{
	l->grid.count--;
}

/* The kernel believes in one more than there is memory for. */
static void few_counters(struct launch *l)
{
	struct cpu_memory *m = ts_cpu_memory(l->cpu);

	cpu_memory_forget(m, l->log.words);
	cpu_memory_name(m, l->args.cursors, sizeof *l->args.cursors, "cursors");
	cpu_memory_name(m, l->args.counters, (l->plan.counters - 1) * sizeof(uint32_t), "counters");
	cpu_memory_name(m, l->args.events, l->log.layout.event_room * sizeof(struct ts_probe_event),
		"events");
	cpu_memory_name(m, l->args.records,
		l->log.layout.group_room * sizeof(struct ts_probe_record), "records");
}

/* Only the first few of the records have room. */
static void few_records(struct launch *l)
{
	struct cpu_memory *m = ts_cpu_memory(l->cpu);

	cpu_memory_forget(m, l->log.words);
	cpu_memory_name(m, l->log.words,
		(l->log.layout.records + 5 * sizeof(struct ts_probe_record) / sizeof(uint32_t)) *
			sizeof(uint32_t),
		"records");
}

/* Another plan than the one that is checked. */
static void other_order(struct launch *l)
{
	struct ts_spec s = ts_spec_default();

	s.policy = TS_PERSISTENT;
	s.order = TS_ROW;
	s.m = 150;
	s.n = 210;
	s.block_m = s.block_n = 16;
	s.workers = 7;
	g_assert_cmpint(ts_plan_make(&l->args.plan, &s), ==, TS_OK);
}

/* The first group is taken to be as large as the second. */
static void larger_group(struct launch *l)
{
	struct ts_plan *grids = (struct ts_plan *)(uintptr_t)l->args.table->grids;

	grids[0] = grids[1];
}

/* The second group is taken to begin an item too late. */
static void late_group(struct launch *l)
{
	((struct ts_turn *)(uintptr_t)l->args.table->turns)[1].first++;
}

/* What is planted into a launch, and what has to be said: by the executor, or of the records. */
static const struct {
	const char *name;
	uint32_t policy;
	void (*plant)(struct launch *l);
	bool stops;
	const char *says;
	bool grouped;
} faults[] = {
	{"a counter that was not reset", TS_WORKSTEAL, dirty_counters, false, "missing"},
	{"a worker that is not launched", TS_PERSISTENT, worker_missing, false, "missing"},
	{"too few counters", TS_WORKSTEAL, few_counters, true, "claims from 4 bytes"},
	{"too few records", TS_PERSISTENT, few_records, true, "of records, which has"},
	{"another plan in the kernel", TS_PERSISTENT, other_order, false, "where the policy gives"},
	{"a group with another one's grid", TS_PERSISTENT, larger_group, false, "out of bounds",
		true},
	{"a group that begins too late", TS_WORKSTEAL, late_group, false, "comput", true},
};

static void test_fault(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	static const int64_t rows[] = {40, 150, 0, 70};
	const struct ts_cpu_way way = {.pthreads = 2};
	struct groups groups;
	struct launch l = {.cpu = ts_cpu_new()};
	struct ts_spec s = ts_spec_default();
	const char *found = l.fault;
	struct ts_gpu_verdict v = {0};

	s.policy = faults[i].policy;
	s.order = TS_COLUMN;
	s.m = 150;
	s.n = 210;
	s.block_m = s.block_n = 16;
	s.workers = 7;
	s.domains = 3;
	if (faults[i].grouped) {
		s.list_count = G_N_ELEMENTS(rows);
		s.list_m = rows;
		s.turns = groups.turns;
		s.grids = groups.grids;
	}
	g_assert_cmpint(ts_plan_make(&l.plan, &s), ==, TS_OK);
	prepare(&l);
	faults[i].plant(&l);
	g_assert_cmpint(go(&l, &way), ==, !faults[i].stops);
	if (!faults[i].stops) {
		v = ts_gpu_check(&l.plan, &l.log, false, TS_CPU_UNITS);
		found = v.fault;
		g_assert_false(v.sound);
	}
	if (strstr(found, faults[i].says) == NULL)
		g_error("%s: found '%s', which does not say '%s'", faults[i].name, found,
			faults[i].says);
	g_free(v.fault);
	ts_cpu_free(l.cpu);
}

/* --- The program --------------------------------------------------------------------------------
 */

static char *call(const char *words)
{
	g_autofree char *line = g_strconcat("tilesim ", words, NULL);
	g_autofree char *err = NULL;
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	char *out;
	int status;

	g_shell_parse_argv(line, NULL, &argv, &error);
	g_assert_no_error(error);
	g_free(argv[0]);
	argv[0] = g_strdup(g_getenv("TILESIM"));
	g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, &error);
	g_assert_no_error(error);
	if (!g_spawn_check_wait_status(status, NULL))
		g_error("tilesim %s: %s%s", words, out, err);
	return out;
}

/* The items of a CSV of records, as "worker g m n k_begin k_end", sorted by worker; of a cluster
 * those of rank 0. Each worker's stay in their order. */
static int compare_workers(gconstpointer a, gconstpointer b)
{
	const char *const *x = a, *const *y = b;
	gint64 w = g_ascii_strtoll(*x, NULL, 10), v = g_ascii_strtoll(*y, NULL, 10);

	return w < v ? -1 : w > v;
}

static int find_column(char **names, const char *name)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static char *read_items(const char *path)
{
	static const char *const wanted[] = {"worker", "g", "m", "n", "k_begin", "k_end"};
	g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	g_auto(GStrv) names = NULL;
	int rank;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	lines = g_strsplit(g_strchomp(text), "\n", -1);
	names = g_strsplit(lines[0], ",", -1);
	rank = find_column(names, "rank");
	for (char **line = lines + 1; *line != NULL; line++) {
		g_auto(GStrv) fields = g_strsplit(*line, ",", -1);
		GString *item = g_string_new(NULL);

		/* Only groups have a column g. */
		for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++)
			if (i != 1 || find_column(names, wanted[i]) >= 0)
				g_string_append_printf(
					item, "%s ", fields[find_column(names, wanted[i])]);
		if (rank < 0 || strcmp(fields[rank], "0") == 0)
			g_ptr_array_add(items, g_string_free(item, FALSE));
		else
			g_string_free(item, TRUE);
	}
	/* A merge sort: it keeps the order of equals. */
	g_ptr_array_sort(items, compare_workers);
	g_ptr_array_add(items, NULL);
	return g_strjoinv("\n", (char **)items->pdata);
}

/* Rows of one problem, of a batch, or of ragged groups. */
static char *draw_rows(void)
{
	int batch = g_test_rand_int_range(1, 4);
	GString *out = g_string_new("--groups 0");

	if (g_test_rand_bit()) {
		g_string_printf(out, "--m %d", g_test_rand_int_range(1, 3000));
		if (batch > 1)
			g_string_append_printf(out, " --batch %d", batch);
		return g_string_free(out, FALSE);
	}
	for (int i = g_test_rand_int_range(1, 12); i > 0; i--)
		g_string_append_printf(
			out, ",%d", g_test_rand_bit() * g_test_rand_int_range(1, 500));
	g_string_append_printf(out, ",%d --batch %d --group-order %s",
		g_test_rand_int_range(1, 500), batch,
		ts_group_order_name(
			(enum ts_group_order)g_test_rand_int_range(0, TS_GROUP_ORDERS)));
	return g_string_free(out, FALSE);
}

/* What workers get is theirs by the plan alone: the simulator and the kernel agree item by item. */
static void test_simulator(gconstpointer data)
{
	const char *policy = data;
	g_autofree char *folder = g_dir_make_tmp("gpu-plans-XXXXXX", NULL);
	g_autofree char *here = g_build_filename(folder, "here.csv", NULL);
	g_autofree char *there = g_build_filename(folder, "there.csv", NULL);

	for (uint32_t i = 0; i < (g_test_quick() ? 4 : 25); i++) {
		static const char *const clusters[] = {"1x1", "2x1", "1x2", "2x2"};
		g_autofree char *rows = draw_rows();
		g_autofree char *plan = g_strdup_printf(
			"--policy %s --order %s %s --n %d --k %d --block 128x128x64 "
			"--cluster %s --workers %d",
			policy, ts_order_name((enum ts_order)g_test_rand_int_range(0, TS_ORDERS)),
			rows, g_test_rand_int_range(1, 3000), g_test_rand_int_range(1, 300),
			clusters[g_test_rand_int_range(0, 4)], g_test_rand_int_range(1, 20));
		g_autofree char *a = g_strdup_printf("%s --device h200 --records %s", plan, there);
		g_autofree char *b = g_strdup_printf(
			"gpu probe %s --backend cpu --busy-ns 0 --records %s", plan, here);
		g_autofree char *simulated = NULL;
		g_autofree char *probed = NULL;

		g_free(call(a));
		g_free(call(b));
		simulated = read_items(there);
		probed = read_items(here);
		g_assert_cmpuint(strlen(simulated), >, 0);
		g_assert_cmpstr(simulated, ==, probed);
	}
	g_unlink(here);
	g_unlink(there);
	g_rmdir(folder);
}

/* The table of a product of plans, and the same run again from its seed. */
static void test_table(void)
{
	const char *words =
		"gpu probe --backend cpu --policy all --mode all --order all --remap all "
		"--cluster 1x1,2x1,2x2 --xcds 1,3 --block 128x128x64 --m 1,700 --n 390 --k 128 "
		"--busy-ns 0 --threads 32 --shared-kb 0";
	const char *one = "gpu probe --backend cpu --policy worksteal --seed 5 --m 1000 --n 900 "
			  "--k 128 --block 128x128x64 --format json";
	g_autofree char *table = call(words);
	g_autofree char *first = call(one);
	g_autofree char *second = call(one);

	for (uint32_t i = 0; i < TS_POLICIES; i++)
		g_assert_true(takes_launches(i) ||
			strstr(table, ts_policy((enum ts_policy_id)i).name) != NULL);
	g_assert_nonnull(strstr(table, "failures\n"));
	g_assert_nonnull(strstr(first, "\"verdict\" : \"sound\""));
	g_assert_cmpstr(first, ==, second);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (uint32_t i = 0; i < TS_POLICIES; i++) {
		g_autofree char *path =
			g_strconcat("/gpu_plans/", ts_policy((enum ts_policy_id)i).name, NULL);

		g_test_add_data_func(path, GUINT_TO_POINTER(i), test_sweep);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strconcat("/gpu_plans/fault/", faults[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_fault);
	}
	g_test_add_data_func(
		"/gpu_plans/data-parallel as simulated", "data-parallel", test_simulator);
	g_test_add_data_func("/gpu_plans/persistent as simulated", "persistent", test_simulator);
	g_test_add_func("/gpu_plans/a table of plans, and a seed", test_table);
	return g_test_run();
}
