/* Collectives: chunks against a count of single rows, orders against the rules of the projects that
 * have them, times by hand, and each fault that the check is there for. */
#include "sim/collective.h"

#include <string.h>

#include "policies/plan.h"
#include "tests/vectors/read.h"
#include "verify/chunks.h"
#include "verify/coverage.h"

static struct ts_plan make_plan(const char *words)
{
	struct ts_spec spec = ts_request_read(words);
	struct ts_plan plan = {0};

	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	return plan;
}

static uint32_t upto(uint32_t most)
{
	return (uint32_t)g_test_rand_int_range(1, (gint32)most + 1);
}

static struct ts_plan random_plan(enum ts_collective collective)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan = {0};

	spec.collective = collective;
	spec.m = upto(300);
	spec.n = upto(3);
	spec.k = 1;
	spec.block_m = upto(12);
	spec.block_n = spec.block_k = 1;
	spec.cluster_m = upto(3);
	spec.order = TS_COLUMN;
	spec.row_order = TS_ROWS_RANK;
	spec.ranks = upto(9);
	spec.rank = upto((uint32_t)spec.ranks) - 1;
	spec.rank_chunks = upto(3);
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	return plan;
}

/* Row by row of A: which chunk has it, and which item. */
static void test_rows(void)
{
	for (int round = 0; round < 2000; round++) {
		struct ts_plan p = random_plan(round % 2 == 0 ? TS_ALL_GATHER : TS_REDUCE_SCATTER);
		uint32_t length = (p.m + p.chunks - 1) / p.chunks;
		g_autofree uint32_t *items = g_new0(uint32_t, p.chunks);
		g_autofree bool *taken = g_new0(bool, p.chunks);
		uint32_t before = UINT32_MAX;
		struct ts_finding f = {0};

		for (uint32_t row = 0; row < p.m; row++) {
			uint32_t m = row / (p.block_m * p.cluster_m) * p.cluster_m;
			struct ts_chunks c = ts_chunks_of(&p, m);
			uint32_t chunk = row / length;

			g_assert_cmpuint(c.first, <=, chunk);
			g_assert_cmpuint(c.after, >, chunk);
			/* No more than that: its first and last row are in its first and last. */
			g_assert_cmpuint(c.first, ==, m * p.block_m / length);
			g_assert_cmpuint(c.after - 1, ==,
				(MIN((m + p.cluster_m) * p.block_m, p.m) - 1) / length);
			if (before == UINT32_MAX || before / length != chunk ||
				before / (p.block_m * p.cluster_m) * p.cluster_m != m)
				items[chunk] += p.cluster_cols;
			before = row;
		}
		for (uint32_t turn = 0; turn < p.chunks; turn++) {
			uint32_t chunk = ts_chunk_at(&p, turn);

			g_assert_cmpuint(ts_chunk_items(&p, turn), ==, items[turn]);
			g_assert_cmpuint(chunk, <, p.chunks);
			g_assert_false(taken[chunk]);
			taken[chunk] = true;
		}
		/* Own rows first, or last. */
		g_assert_cmpuint(ts_chunk_at(&p, round % 2 == 0 ? 0 : p.chunks - 1) / p.rank_chunks,
			==, p.rank);
		g_assert_true(ts_chunks_check(&p, &f));
	}
}

/* An item of 2^32 rows, of which the matrix has fewer, has rows of every chunk; without a
 * collective there is none. */
static void test_largest_item(void)
{
	g_assert_cmpuint(make_plan("tiles=3x3").chunks, ==, 0);
	for (int c = TS_ALL_GATHER; c < TS_COLLECTIVES; c++)
		for (uint32_t rank = 0; rank < 2; rank++) {
			g_autofree char *words = g_strdup_printf(
				"size=2147483647x1x1 block=1073741824x1x1 cluster=4x1 rows=rank "
				"collective=%s rank=%ux2x1",
				ts_collective_name((enum ts_collective)c), rank);
			struct ts_plan p = make_plan(words);
			struct ts_chunks chunks = ts_chunks_of(&p, 0);

			g_assert_cmpuint(chunks.first, ==, 0);
			g_assert_cmpuint(chunks.after, ==, 2);
			g_assert_cmpuint(ts_chunk_items(&p, 0), ==, 1);
			g_assert_cmpuint(ts_chunk_items(&p, 1), ==, 1);
			g_assert_cmpuint(ts_order_item(&p, 0).m, ==, 0);
		}
}

/* Without rows all chunks begin at 0 and none has an item. */
static void test_no_rows(void)
{
	static const char *const rows[] = {"size=0x5x1 collective=all-gather rank=0x1x1 rows=rank",
		"size=0x5x1 collective=reduce-scatter rank=1x3x2 rows=rank"};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_plan p = make_plan(rows[i]);

		g_assert_cmpuint(p.items, ==, 0);
		for (uint32_t chunk = 0; chunk < p.chunks; chunk++) {
			g_assert_cmpuint(ts_chunk_begin(&p, chunk), ==, 0);
			g_assert_cmpuint(ts_chunk_items(&p, chunk), ==, 0);
		}
	}
}

/* Flux, all-gather: m' = (m + ceil(M / R * r / BLOCK_M)) % rows; Triton-distributed,
 * reduce-scatter: m' = (m + (r + 1) * (M / R) / BLOCK_M) % rows, which for the last rank begins
 * with its own last tile where that is ragged, and here with rank 0's rows. */
static void test_projects(void)
{
	for (uint32_t ranks = 1; ranks <= 8; ranks++)
		for (uint32_t shard = 1; shard <= 40; shard++)
			for (uint32_t rank = 0; rank < ranks; rank++)
				for (int c = TS_ALL_GATHER; c < TS_COLLECTIVES; c++) {
					const uint32_t block = 7;
					g_autofree char *words = g_strdup_printf(
						"size=%ux1x1 block=%ux1x1 order=column rows=rank "
						"collective=%s rank=%ux%ux1",
						shard * ranks, block,
						ts_collective_name((enum ts_collective)c), rank,
						ranks);
					struct ts_plan p = make_plan(words);
					uint32_t by = c == TS_ALL_GATHER
						? (shard * rank + block - 1) / block
						: (rank + 1) % ranks * shard / block;

					for (uint32_t i = 0; i < p.items; i++)
						g_assert_cmpuint(ts_order_item(&p, i).m, ==,
							(i + by) % p.rows);
				}
}

static void check_fault(const struct ts_plan *p, const char *text)
{
	struct ts_finding f = {0};
	g_autofree char *said = NULL;

	g_assert_false(ts_chunks_check(p, &f));
	g_assert_cmpstr(ts_fault_name(f.fault), ==, "wrong chunk");
	said = ts_finding_text(&f, p);
	g_assert_cmpstr(said, ==, text);
}

/* A plan that says something else than its rows do. */
static void test_faults(void)
{
	const char *words =
		"size=20x2x1 block=3x1x1 order=column rows=rank collective=all-gather rank=1x4x1";
	struct ts_plan right = make_plan(words), p = right;
	struct ts_finding f = {0};

	g_assert_true(ts_chunks_check(&right, &f));
	/* Waits by a chunk length that is one row too long. */
	p.chunk_rows.mul = ts_divisor_make(6).mul;
	p.chunk_rows.shift = ts_divisor_make(6).shift;
	check_fault(&p,
		"the item at tile row 1 waits for chunks [0, 1), which is wrong about "
		"chunk 1 or its turn");
	/* The last row of tiles is forgotten. */
	p = right;
	p.rows--;
	check_fault(&p, "chunk 3 of 4 is said to have 4 items, and has 2");
	p = right;
	p.chunks = 3;
	check_fault(&p,
		"the item at tile row 5 waits for chunks [3, 4), which is wrong about "
		"chunk 3 or its turn");
	/* A tile in two shards comes with the first of them. */
	p = right;
	p.row_shift--;
	check_fault(&p,
		"the item at tile row 2 waits for chunks [1, 2), which is wrong about "
		"chunk 1 or its turn");
	/* Of a reduce-scatter the tile of ranks 1 and 2 is computed last, though rank 2 is next. */
	p = make_plan("size=20x2x1 block=3x1x1 order=column rows=rank collective=reduce-scatter "
		      "rank=1x4x1");
	g_assert_true(ts_chunks_check(&p, &f));
	p.row_shift++;
	check_fault(&p,
		"the item at tile row 3 waits for chunks [1, 3), which is wrong about chunk 2 or "
		"its turn");
	p = right;
	/* Two ranks' turns fall together. */
	p = right;
	p.ranks = 2;
	check_fault(&p, "chunk 2 of 4 never has its turn");
}

/* What the coverage of a run says of it. */
static void test_verdict(void)
{
	struct ts_plan p = make_plan("size=20x1x1 block=3x1x1 order=column rows=rank "
				     "collective=all-gather rank=1x4x1");
	struct ts_coverage c;

	p.row_shift--;
	ts_coverage_init(&c);
	ts_coverage_reset(&c, &p);
	for (uint32_t i = 0; i < p.items; i++) {
		struct ts_step s = ts_order_item(&p, i);

		ts_coverage_item(&c, 0, &s, ts_cta_tile);
	}
	g_assert_false(ts_coverage_verdict(&c));
	g_assert_cmpint(c.finding.fault, ==, TS_CHUNK);
	ts_coverage_finish(&c);
}

static void finish_item(
	struct ts_exchange *x, uint32_t m, uint32_t parts, uint64_t asked, uint64_t to)
{
	struct ts_sink sink = ts_exchange_sink(x);
	struct ts_item item = {.step = ts_step_make(TS_WORK), .asked = asked, .from = to, .to = to};

	item.step.m = m;
	item.step.owns = true;
	item.step.parts = parts;
	sink.item(sink.data, &item);
}

/* Three ranks of two rows, two bytes each: 2000 ps a row at 1 GB/s. */
static void test_exchange(void)
{
	struct ts_plan p = make_plan("size=6x1x1 collective=reduce-scatter rank=1x3x1");
	struct ts_sink sink;
	struct ts_exchange x;
	struct ts_met met = {.step = ts_step_make(TS_FIX_UP), .to = 9000};

	ts_exchange_init(&x, &p, 2, 1);
	sink = ts_exchange_sink(&x);
	g_assert_null(x.row_ready);
	/* Rows 0 and 1 are complete at 5000 and have left at 9000. */
	finish_item(&x, 0, 0, 700, 1000);
	finish_item(&x, 1, 0, 5000, 5000);
	g_assert_cmpuint(x.waited, ==, 300);
	g_assert_cmpuint(ts_exchange_end(&x, 6000), ==, 9000);
	/* This rank's own rows stay. */
	finish_item(&x, 2, 0, 5000, 5000);
	finish_item(&x, 3, 0, 5000, 5000);
	g_assert_cmpuint(x.sent, ==, 2);
	/* Of an item that is cut the fix-up writes; the link is free at once when it is done. */
	finish_item(&x, 4, 1, 6000, 6000);
	finish_item(&x, 5, 0, 6000, 6000);
	g_assert_cmpuint(x.sent, ==, 2);
	met.step.m = 4;
	met.step.owns = true;
	sink.met(sink.data, &met);
	g_assert_cmpuint(x.sent, ==, 4);
	g_assert_cmpuint(ts_exchange_end(&x, 9000), ==, 13000);
	g_assert_cmpuint(ts_exchange_end(&x, 20000), ==, 20000);
	ts_exchange_finish(&x);
	/* The rank after this one arrives first. */
	p = make_plan("size=6x1x1 collective=all-gather rank=1x3x1");
	ts_exchange_init(&x, &p, 2, 1);
	for (uint32_t row = 0; row < 6; row++)
		g_assert_cmpuint(x.row_ready[row], ==,
			row / 2 == 1           ? 0
				: row / 2 == 2 ? 4000
					       : 8000);
	g_assert_cmpuint(ts_exchange_end(&x, 1000), ==, 8000);
	ts_exchange_finish(&x);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/collective/rows and chunks", test_rows);
	g_test_add_func("/collective/an item larger than M", test_largest_item);
	g_test_add_func("/collective/no rows", test_no_rows);
	g_test_add_func("/collective/the projects' orders", test_projects);
	g_test_add_func("/collective/faults", test_faults);
	g_test_add_func("/collective/the verdict of a run", test_verdict);
	g_test_add_func("/collective/times of an exchange", test_exchange);
	return g_test_run();
}
