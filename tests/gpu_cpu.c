/* Kernels on the CPU: does the executor run sound kernels as a GPU would, and does it find what is
 * wrong with others, in any number of pthreads and in any order? */
#include <glib.h>
#include <string.h>

#include "tests/faults/kernels.h"

enum { WORDS = 4096, COUNTERS = 64, THREADS = 32 };

/* Memory for one kernel after another. */
struct bench {
	struct ts_cpu *cpu;
	struct kernel_args args;
	uint32_t *from;
	char fault[TS_CPU_FAULT];
};

static const struct ts_cpu_way in_turn = {.pthreads = 1}, side_by_side = {.pthreads = 3};

static void *get(struct bench *b, uint64_t words, const char *name)
{
	void *memory = cpu_memory_alloc(ts_cpu_memory(b->cpu), words * sizeof(uint32_t), name);

	g_assert_nonnull(memory);
	return memory;
}

static void set_up(struct bench *b)
{
	memset(b, 0, sizeof *b);
	b->cpu = ts_cpu_new();
	g_assert_nonnull(b->cpu);
	b->args.words = WORDS;
	b->args.count = COUNTERS;
	b->args.to = get(b, WORDS, "to");
	b->args.from = b->from = get(b, WORDS, "from");
	b->args.counters = get(b, COUNTERS, "counters");
	for (uint32_t i = 0; i < WORDS; i++)
		b->from[i] = 7;
}

static void tear_down(struct bench *b)
{
	ts_cpu_free(b->cpu);
}

/* Runs `count` clusters of `ctas` CTAs, with counters and results at 0. */
static bool run(struct bench *b, const struct cpu_kernel *kernel, uint32_t count, uint32_t ctas,
	uint32_t threads, const struct ts_cpu_way *way)
{
	const struct ts_cpu_grid grid = {
		count, {ctas, 1}, threads, KERNEL_SHARED * sizeof(uint32_t)};

	memset(b->args.to, 0, WORDS * sizeof(uint32_t));
	memset(b->args.counters, 0, COUNTERS * sizeof(uint32_t));
	return ts_cpu_launch(b->cpu, kernel, &grid, way, &b->args, b->fault);
}

static void run_well(struct bench *b, const struct cpu_kernel *kernel, uint32_t count,
	uint32_t ctas, uint32_t threads, const struct ts_cpu_way *way)
{
	if (!run(b, kernel, count, ctas, threads, way))
		g_error("%s", b->fault);
}

/* --- Sound kernels ------------------------------------------------------------------------------
 */

static void check_reverse(struct bench *b, const struct ts_cpu_way *way)
{
	static const uint32_t sizes[] = {1, 2, 31, 33, 64, 130};

	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		uint32_t threads = sizes[i], count = 5;

		run_well(b, &kernel_reverse, count, 1, threads, way);
		for (uint32_t k = 0; k < count * threads; k++)
			g_assert_cmpuint(b->args.to[k], ==,
				k / threads * threads + threads - 1 - k % threads + 2);
	}
}

static void check_copies(struct bench *b, const struct ts_cpu_way *way)
{
	uint32_t threads = 70;

	run_well(b, &kernel_copies, 1, 1, threads, way);
	for (uint32_t t = 0; t < threads; t++)
		g_assert_cmpuint(b->args.to[t], ==, t % 5 * 7 + (t + 1) % threads % 2 * 7);
}

/* Base and lane say where it goes, whatever a lane loads; a part of a warp is one too. */
static void check_loads_to_lds(struct bench *b, const struct ts_cpu_way *way)
{
	static const uint32_t sizes[] = {32, 64, 72};

	for (uint32_t k = 0; k < WORDS; k++)
		b->from[k] = k + 1;
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		run_well(b, &kernel_loads_to_lds, 1, 1, sizes[i], way);
		for (uint32_t k = 0; k < 4 * sizes[i]; k++)
			g_assert_cmpuint(b->args.to[k], ==, (k / 4 ^ 5) * 4 + k % 4 + 1);
	}
}

static void check_vote(struct bench *b, const struct ts_cpu_way *way)
{
	b->args.count = 37;
	run_well(b, &kernel_vote, 1, 1, 70, way);
	for (uint32_t i = 0; i < 70; i++)
		g_assert_cmpuint(b->args.to[i], ==, i / 32 != 37 / 32);
	b->args.count = COUNTERS;
}

static void check_shuffle(struct bench *b, const struct ts_cpu_way *way)
{
	run_well(b, &kernel_shuffle, 3, 1, 64, way);
	for (uint32_t i = 0; i < 3 * 64; i++)
		g_assert_cmpuint(b->args.to[i], ==, i / 32 * 32 + 31 - i % 32);
}

/* Each number was claimed once. */
static void check_claims(struct bench *b, const struct ts_cpu_way *way)
{
	uint32_t count = 20;

	run_well(b, &kernel_claims, count, 2, 5, way);
	for (uint32_t i = 0; i < WORDS; i++)
		g_assert_cmpuint(b->args.to[i], !=, 0);
	g_assert_cmpuint(b->args.counters[0], ==, WORDS + count * 2 * 5);
}

static void check_chain(struct bench *b, const struct ts_cpu_way *way)
{
	run_well(b, &kernel_chain, COUNTERS, 1, 4, way);
	for (uint32_t i = 0; i < COUNTERS; i++)
		g_assert_cmpuint(b->args.to[i], ==, i + 1);
}

/* Each group waits for the next one, and there are just enough places. */
static void check_back_chain(struct bench *b, const struct ts_cpu_way *way)
{
	b->args.words = TS_CPU_UNITS;
	run_well(b, &kernel_back_chain, TS_CPU_UNITS, 1, 4, way);
	for (uint32_t i = 0; i < TS_CPU_UNITS; i++)
		g_assert_cmpuint(b->args.to[i], ==, TS_CPU_UNITS - i);
	b->args.words = WORDS;
}

static void check_ring(struct bench *b, const struct ts_cpu_way *way)
{
	uint32_t threads = 7;

	for (uint32_t ctas = 1; ctas <= TS_CPU_UNITS; ctas = ctas * 2 + 1) {
		b->args.count = ctas;
		run_well(b, &kernel_ring, 3, ctas, threads, way);
		for (uint32_t i = 0; i < 3 * ctas * threads; i++) {
			uint32_t cta = i / threads, next = cta / ctas * ctas + (cta + 1) % ctas;

			g_assert_cmpuint(b->args.to[i], ==, next * threads + i % threads);
		}
	}
	b->args.count = COUNTERS;
}

static void check_dynamic(struct bench *b, const struct ts_cpu_way *way)
{
	run_well(b, &kernel_dynamic, 4, 1, 128, way);
	for (uint32_t i = 0; i < 4 * 128; i++)
		g_assert_cmpuint(b->args.to[i], ==, i % 128 ^ 1);
}

static const struct {
	const char *name;
	void (*check)(struct bench *b, const struct ts_cpu_way *way);
} sound[] = {
	{"barriers and shared memory", check_reverse},
	{"copies, whole, cut short and empty", check_copies},
	{"loads to LDS go to the base and on by lane", check_loads_to_lds},
	{"all lanes of a warp say so", check_vote},
	{"values go from lane to lane", check_shuffle},
	{"claims are answered once each", check_claims},
	{"a group waits for the one before", check_chain},
	{"a group waits for the one after", check_back_chain},
	{"shared memory of the next CTA", check_ring},
	{"dynamic shared memory", check_dynamic},
};

static void test_sound(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	struct bench b;

	set_up(&b);
	sound[i].check(&b, &in_turn);
	sound[i].check(&b, &side_by_side);
	for (uint64_t seed = 0; seed < 3; seed++) {
		const struct ts_cpu_way way = {.seeded = true, .seed = seed};

		sound[i].check(&b, &way);
	}
	tear_down(&b);
}

/* --- Faults -------------------------------------------------------------------------------------
 */

/* Each in groups of `ctas` CTAs with 32 threads, and what has to be said. */
static const struct {
	const char *name;
	const struct cpu_kernel *kernel;
	uint32_t ctas;
	const char *says[4];
} faults[] = {
	{"one thread skips a barrier in a branch", &kernel_skipped_barrier, 1,
		{"not all threads arrive", "threads 0-4, 6-31 wait at the barrier kernels.c:",
			"thread 5 waits at the barrier kernels.c:"}},
	{"a thread leaves before a barrier", &kernel_left_early, 1,
		{"not all threads arrive", "tile (3, 4)", "threads 0-6, 8-31 wait at the barrier",
			"thread 7 has left"}},
	{"halves at different barriers", &kernel_two_barriers, 1,
		{"not all threads arrive", "threads 0-15 wait", "threads 16-31 wait"}},
	{"half a warp in a step of all lanes", &kernel_warp_apart, 1,
		{"threads 0-7 wait at the warp's step", "threads 8-31 wait at the barrier"}},
	{"a store one word beyond a buffer", &kernel_store_beyond, 1,
		{"cluster 1, CTA 1, tile (1, 9), thread 31", "writes 4 bytes at 0x",
			"offset 16384 of to, which has 16384 bytes"}},
	{"a store in front of a buffer", &kernel_store_in_front, 1,
		{"thread 2", "12 bytes in front of to"}},
	{"a store into a guard, unchecked", &kernel_plain_store_beyond, 1,
		{"tile (1, 2), thread 11", "offset 20384 of to, which has 16384 bytes"}},
	{"a store near a buffer, unchecked", &kernel_plain_store_near, 1,
		{"without TS_WRITE()", "4 bytes in front of to"}},
	{"a load beyond a buffer", &kernel_load_beyond, 1,
		{"thread 0", "reads 4 bytes", "offset 16384 of from"}},
	{"too few counters", &kernel_few_counters, 1,
		{"thread 0", "claims from", "offset 256 of counters, which has 256 bytes"}},
	{"a wait that nobody signals", &kernel_never_signalled, 1,
		{"deadlock", "tile (2, 1)", "thread 3 waits for a counter that stays at 0",
			"offset 4 of counters"}},
	{"groups that wait for each other", &kernel_waits_at_both, 1,
		{"deadlock", "4 of 4 groups", "offset 4 of counters", "offset 0 of counters"}},
	{"a store beyond shared memory", &kernel_shared_beyond, 1,
		{"thread 20", "writes 4 bytes", "offset 80 of first in shared memory"}},
	{"a store beyond shared memory, unchecked", &kernel_plain_shared_beyond, 1,
		{"without TS_WRITE()", "offset 80 of first in shared memory"}},
	{"a store beyond dynamic shared memory", &kernel_dynamic_beyond, 1,
		{"thread 31", "offset 512 of dynamic shared memory, which has 512 bytes"}},
	{"a store beyond dynamic shared memory, unchecked", &kernel_plain_dynamic_beyond, 1,
		{"thread 31", "offset 512 of dynamic shared memory"}},
	{"shared memory that is read before it is written", &kernel_unwritten, 1,
		{"before they were written", "of words in shared memory"}},
	{"a copy that is not waited for", &kernel_missing_wait, 1,
		{"before they were written", "of words in shared memory"}},
	{"a load to LDS that is not waited for", &kernel_missing_load_wait, 1,
		{"before they were written", "of words in shared memory"}},
	{"a load to LDS with a base for each lane", &kernel_base_of_lane, 1,
		{"loads to LDS with the base 0x", "where lane 0 of its warp has 0x",
			"the same in all lanes"}},
	{"a load to LDS by some lanes of a warp", &kernel_load_apart, 1,
		{"threads 0-7 wait at the warp's step", "threads 8-31 wait at the barrier"}},
	{"a misaligned copy", &kernel_misaligned_copy, 1, {"not both 16 byte aligned"}},
	{"a stack that is used up", &kernel_deep, 1, {"has used up its stack"}},
	{"shared memory of a CTA that left", &kernel_of_gone, 2,
		{"of rank 0", "shared memory of rank 1, which has left"}},
};

static void expect(struct bench *b, size_t i, const struct ts_cpu_way *way)
{
	if (run(b, faults[i].kernel, 4, faults[i].ctas, THREADS, way))
		g_error("%s: nothing was found", faults[i].name);
	for (size_t k = 0; k < G_N_ELEMENTS(faults[i].says) && faults[i].says[k] != NULL; k++)
		if (strstr(b->fault, faults[i].says[k]) == NULL)
			g_error("%s: '%s' does not say '%s'", faults[i].name, b->fault,
				faults[i].says[k]);
}

/* Races in shared memory, which launches with a seed find in whatever order threads run. */
static const struct {
	const char *name;
	const struct cpu_kernel *kernel;
	uint32_t ctas, threads, count;
	const char *says; /* NULL: there is none */
} races[] = {
	{"no barrier between a write and a read", &kernel_no_barrier, 1, THREADS, 0, "what thread"},
	{"no barrier between a read and a write", &kernel_early_reuse, 1, THREADS, 0, "reads"},
	{"a step of a warp orders the warp", &kernel_other_warp, 1, 64, 0, NULL},
	{"a step of a warp doesn't order another one", &kernel_other_warp, 1, 64, 32, "writes"},
	{"a copy is read in front of the wait", &kernel_race_of_copies, 1, THREADS, 0,
		"what thread"},
	{"no barrier of the cluster", &kernel_race_of_ctas, 2, THREADS, 0, "of rank"},
	{"none between barriers", &kernel_reverse, 1, 64, 0, NULL},
	{"none in a ring", &kernel_ring, 2, THREADS, 2, NULL},
	{"none among copies", &kernel_copies, 1, 64, 0, NULL},
	{"none among loads to LDS", &kernel_loads_to_lds, 1, 64, 0, NULL},
};

static void test_races(void)
{
	struct bench b;

	set_up(&b);
	for (size_t i = 0; i < G_N_ELEMENTS(races); i++) {
		for (uint64_t seed = 0; seed < 5; seed++) {
			const struct ts_cpu_way way = {.seeded = true, .seed = seed};
			bool good;

			b.args.count = races[i].count;
			good = run(&b, races[i].kernel, 3, races[i].ctas, races[i].threads, &way);
			if (good != (races[i].says == NULL))
				g_error("%s, seed %u: found '%s'", races[i].name, (unsigned)seed,
					b.fault);
			if (!good &&
				(strstr(b.fault, "with no barrier in between") == NULL ||
					strstr(b.fault, races[i].says) == NULL))
				g_error("%s: '%s' does not say '%s'", races[i].name, b.fault,
					races[i].says);
		}
	}
	tear_down(&b);
}

/* The fault is found in any way of running, and a sound kernel runs well after it. */
static void test_fault(gconstpointer data)
{
	size_t i = GPOINTER_TO_SIZE(data);
	/* Copies that happen at once are waited for by luck. */
	bool always = faults[i].kernel != &kernel_missing_wait &&
		faults[i].kernel != &kernel_missing_load_wait;
	struct bench b;

	set_up(&b);
	expect(&b, i, &in_turn);
	expect(&b, i, &side_by_side);
	for (uint64_t seed = 0; always && seed < 2; seed++) {
		const struct ts_cpu_way way = {.seeded = true, .seed = seed};

		/* Which group, thread or of several faults comes first is then another. */
		g_assert_false(run(&b, faults[i].kernel, 4, faults[i].ctas, THREADS, &way));
		g_assert_cmpstr(b.fault, !=, "");
	}
	run_well(&b, &kernel_reverse, 4, 1, THREADS, &in_turn);
	tear_down(&b);
}

/* More groups than places, each waiting for the one after it: as on a GPU, none goes on. */
static void test_places(void)
{
	struct bench b;

	set_up(&b);
	b.args.words = 9;
	for (uint32_t places = 1; places <= 9; places++) {
		struct ts_cpu_way way = {.pthreads = 2, .places = places};
		bool enough = places == 9;

		if (run(&b, &kernel_back_chain, 9, 1, 4, &way) != enough)
			g_error("%u places: %s", places, b.fault);
		if (enough)
			break;
		g_assert_nonnull(strstr(b.fault, "deadlock"));
		g_assert_nonnull(strstr(b.fault, "others for one of their places"));
	}
	tear_down(&b);
}

/* --- Seeds --------------------------------------------------------------------------------------
 */

/* Who claimed what is the same for the same seed, and not for all seeds. */
static void test_seeds(void)
{
	g_autofree uint32_t *first = g_new0(uint32_t, WORDS);
	uint32_t different = 0;
	struct bench b;

	set_up(&b);
	b.args.words = 300;
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct ts_cpu_way way = {.seeded = true, .seed = seed};
		g_autofree uint32_t *once = g_new0(uint32_t, WORDS);

		run_well(&b, &kernel_claims, 8, 1, 3, &way);
		memcpy(once, b.args.to, WORDS * sizeof *once);
		run_well(&b, &kernel_claims, 8, 1, 3, &way);
		g_assert_cmpint(memcmp(once, b.args.to, WORDS * sizeof *once), ==, 0);
		if (seed == 0)
			memcpy(first, once, WORDS * sizeof *first);
		different += memcmp(first, once, WORDS * sizeof *first) != 0;
	}
	g_assert_cmpuint(different, >=, 6);
	tear_down(&b);
}

static bool loses_updates(struct bench *b, const struct ts_cpu_way *way)
{
	run_well(b, &kernel_racy_claims, 4, 1, 1, way);
	for (uint32_t i = 0; i < b->args.words; i++)
		if (b->args.to[i] != 1)
			return true;
	return false;
}

/* A claim that is no atomic does well as long as groups run one after another; some order of
 * groups has to show it. */
static void test_race(void)
{
	uint32_t found = 0;
	struct bench b;

	set_up(&b);
	b.args.words = 20;
	g_assert_false(loses_updates(&b, &in_turn));
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct ts_cpu_way way = {.seeded = true, .seed = seed};

		found += loses_updates(&b, &way);
	}
	g_test_message("20 seeds, of which %u show the race", found);
	g_assert_cmpuint(found, >=, 10);
	tear_down(&b);
}

/* What can't be launched is refused. */
static void test_refusals(void)
{
	static const struct ts_cpu_grid grids[] = {{1, {17, 1}, 32, 0}, {1, {1, 0}, 32, 0},
		{1, {1, 1}, 0, 0}, {1, {1, 1}, 257, 0}, {1, {1, 1}, 32, 228 * 1024}};
	struct bench b;

	set_up(&b);
	for (size_t i = 0; i < G_N_ELEMENTS(grids); i++) {
		g_assert_false(ts_cpu_launch(
			b.cpu, &kernel_reverse, &grids[i], &in_turn, &b.args, b.fault));
		g_assert_nonnull(strstr(b.fault, "a cluster has at most 16 CTAs"));
	}
	tear_down(&b);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(sound); i++) {
		g_autofree char *path = g_strconcat("/gpu_cpu/", sound[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_sound);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strconcat("/gpu_cpu/fault/", faults[i].name, NULL);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_fault);
	}
	g_test_add_func("/gpu_cpu/more groups than places", test_places);
	g_test_add_func("/gpu_cpu/the same seed gives the same run", test_seeds);
	g_test_add_func("/gpu_cpu/a race of claims is found", test_race);
	g_test_add_func("/gpu_cpu/races in shared memory", test_races);
	g_test_add_func("/gpu_cpu/launches that are refused", test_refusals);
	return g_test_run();
}
