/* The policies at the ends of their numbers, to be compiled so that any overflow ends the program:
 * overflow.sh says how. All policies, modes, orders and remaps on the largest plans, and requests
 * beyond them. Needs nothing but the policies, and prints TAP. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "policies/pipeline.h"
#include "policies/plan.h"

enum { STEPS = 16 };

/* Tiles along m and n, with which block and cluster; all are accepted. */
struct grid {
	const char *name;
	int64_t m, n, k, block_m, block_n, block_k, cluster_m, cluster_n;
};

static const struct grid grids[] = {
	{"one row", 1, 2147483647, 1, 1, 1, 1, 1, 1},
	{"one column", 2147483647, 1, 1, 1, 1, 1, 1, 1},
	{"a square", 46340, 46340, 2147483647, 1, 1, 1, 1, 1},
	{"almost a square, in clusters", 46341, 46340, 1, 1, 1, 1, 4, 4},
	{"two columns", 1073741823, 2, 1, 1, 1, 1, 1, 2},
	{"the largest elements", 2147483647, 2147483647, 2147483647, 2147483647, 1, 2147483647, 1,
		16},
	{"the largest blocks", 2147483647, 2147483647, 2147483647, 2147483647, 2147483647,
		2147483647, 16, 1},
	{"one row in clusters", 1, 2147483647, 1, 1, 1, 1, 16, 1},
	{"one column in clusters", 2147483647, 1, 1, 1, 1, 1, 16, 1},
	{"clusters with a tail", 65537, 32767, 1, 1, 1, 1, 3, 5},
	{"one tile", 1, 1, 1, 1, 1, 1, 1, 1},
	{"no k", 46340, 46340, 0, 1, 1, 1, 1, 1},
};

static const int64_t workers[] = {1, 304, 65537, 2147483646, 2147483647};
static const int64_t domains[] = {1, 7, 65536};
static const int64_t slots[] = {1, 3, 16384};
static const int64_t widths[] = {0, 1, 7, 46339, 2147483647};
static const int64_t chunks[] = {0, 1, 5, 2147483647};
static const int64_t percents[] = {0, 37, 100};
static const int64_t splits[] = {1, 2, 7, 2147483647};
static const int64_t least[] = {1, 8, 2147483647};
static const int64_t groups[] = {1, 8, 65536};

/* Needs no GLib, so that the compiler's flags reach everything that runs. */
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static uint64_t plans, asked;

static void fail(const struct ts_spec *s, const char *what)
{
	printf("not ok 1 - %s: policy %u mode %d order %d remap %d, %" PRId64 "x%" PRId64
	       " in blocks of %" PRId64 "x%" PRId64 " and clusters of %" PRId64 "x%" PRId64
	       ", width %" PRId64 " chunk %" PRId64 " workers %" PRId64 " domains %" PRId64
	       " slots %" PRId64 "\n",
		what, s->policy, (int)s->mode, (int)s->order, (int)s->remap, s->m, s->n, s->block_m,
		s->block_n, s->cluster_m, s->cluster_n, s->width, s->chunk, s->workers, s->domains,
		s->slots);
	exit(1);
}

/* An item lies in the grid, and so do the tiles of its CTAs that have one. */
static void check_item(const struct ts_spec *spec, const struct ts_plan *p, const struct ts_step *s)
{
	uint32_t ranks = p->cluster_m * p->cluster_n;

	if (s->m >= p->rows || s->n >= p->cols || s->k_end > p->depth ||
		(p->workspace == 0 && (s->k_begin != 0 || s->k_end != p->depth)) ||
		(p->depth > 0 && s->k_begin >= s->k_end) ||
		s->slot + (uint64_t)s->parts > p->workspace)
		fail(spec, "an item is out of bounds");
	if (!ts_cta_tile(p, s, 0).valid)
		fail(spec, "a cluster's first CTA has no tile");
	ts_cta_tile(p, s, ranks - 1);
	ts_cta_tile(p, s, ranks / 2);
}

/* Asks worker `id` from `turn` on, as if all its claims were answered with `answer`. */
static void ask(const struct ts_spec *spec, const struct ts_plan *p, uint32_t id, uint32_t domain,
	uint32_t turn, uint32_t answer)
{
	struct ts_worker w = ts_worker_make(id, domain);

	w.turn = turn;
	for (int i = 0; i < STEPS; i++) {
		struct ts_step s = ts_next(p, &w, answer);

		asked++;
		switch (s.act) {
		case TS_STOP: return;
		case TS_WORK:
		case TS_FIX_UP: check_item(spec, p, &s); break;
		case TS_CLAIM:
		case TS_WAIT:
		case TS_SIGNAL:
			if (s.counter >= p->counters)
				fail(spec, "a counter does not exist");
			break;
		}
	}
}

static void check_worker(const struct ts_spec *spec, const struct ts_plan *p, uint32_t id)
{
	static const uint32_t answers[] = {
		0, 1, 1000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
	uint32_t by_id = id % p->domains, last = p->domains - 1;

	for (size_t i = 0; i < COUNT(answers); i++) {
		ask(spec, p, id, by_id, 0, answers[i]);
		ask(spec, p, id, last, 0, answers[i]);
		/* The end of a long way through other queues. */
		if (spec->policy == TS_WORKSTEAL) {
			uint32_t tries = ts_worksteal_tries(p);

			ask(spec, p, id, by_id, tries / 2, answers[i]);
			ask(spec, p, id, last, tries - 1, answers[i]);
		}
	}
	/* The end of a walk, where the next id is beyond the last. */
	if (spec->policy == TS_PERSISTENT || spec->policy == TS_STREAM_K)
		ask(spec, p, id, by_id, p->items, 0);
}

static void check_counters(const struct ts_spec *spec, const struct ts_plan *p)
{
	if (spec->policy == TS_WORKSTEAL && p->counters > 0 &&
		(ts_worksteal_counter_items(p, 0) > p->items ||
			ts_worksteal_counter_items(p, p->counters / 2) > p->items ||
			ts_worksteal_counter_items(p, p->counters - 1) > p->items))
		fail(spec, "a counter serves more than there is");
}

static void check_ids(const struct ts_spec *spec, const struct ts_plan *p)
{
	const uint32_t at[] = {0, 1 % p->items, p->items / 2, p->items - 1, p->panel.by - 1,
		p->panel.by < p->items ? p->panel.by : 0};
	const uint32_t from[] = {0, p->remap_span / 2, p->remap_span - 1,
		p->remap_limit > 0 ? p->remap_limit - 1 : 0,
		p->remap_limit < p->remap_span ? p->remap_limit : 0};

	for (size_t i = 0; i < COUNT(at); i++) {
		struct ts_step s = ts_order_item(p, at[i]);

		check_item(spec, p, &s);
	}
	for (size_t i = 0; i < COUNT(from); i++)
		if (ts_remap_id(p, from[i]) >= p->remap_span)
			fail(spec, "a remapped id is out of bounds");
}

static void check_plan(const struct ts_spec *spec)
{
	struct ts_plan p;
	enum ts_status status = ts_plan_make(&p, spec);

	if (status == TS_UNUSED_SLOTS || status == TS_FEW_COUNTERS || status == TS_MANY_SPLITS)
		return;
	if (status != TS_OK)
		fail(spec, ts_status_text(status));
	plans++;
	check_ids(spec, &p);
	check_counters(spec, &p);
	check_worker(spec, &p, 0);
	check_worker(spec, &p, p.workers / 2);
	check_worker(spec, &p, p.workers - 1);
}

/* Every order with every width, and every remap with every chunk, that goes with it. What other
 * policies than data-parallel do with an id does not depend on how the order decodes it. */
static void check_orders(struct ts_spec spec)
{
	int orders = spec.policy == TS_DATA_PARALLEL ? TS_ORDERS : TS_ROTATED_M;

	for (int order = 0; order < orders; order++) {
		bool single = !ts_order_has_width((enum ts_order)order);

		for (size_t w = 0; w < (single ? 1 : COUNT(widths)); w++) {
			spec.order = (enum ts_order)order;
			spec.width = widths[w];
			spec.remap = TS_REMAP_NONE;
			spec.chunk = 0;
			check_plan(&spec);
			spec.remap = TS_REMAP_CHIPLET;
			check_plan(&spec);
			for (size_t c = 0; c < COUNT(chunks); c++) {
				spec.chunk = chunks[c];
				spec.remap = TS_REMAP_CHUNKED;
				check_plan(&spec);
				spec.remap = TS_REMAP_ROTATED;
				check_plan(&spec);
			}
		}
	}
}

/* Tiles cut along k: the order makes no difference to the cut. */
static void check_cuts(struct ts_spec spec)
{
	spec.order = TS_SNAKE_N;
	spec.remap = TS_REMAP_CHIPLET;
	spec.policy = TS_SPLIT_K;
	for (size_t i = 0; i < COUNT(splits); i++) {
		spec.splits = splits[i];
		check_plan(&spec);
	}
	spec.policy = TS_STREAM_K;
	for (int hybrid = 0; hybrid < TS_HYBRIDS; hybrid++)
		for (size_t i = 0; i < COUNT(least) * COUNT(groups); i++) {
			spec.hybrid = (enum ts_hybrid)hybrid;
			spec.min_k = least[i % COUNT(least)];
			spec.k_groups = groups[i / COUNT(least)];
			check_plan(&spec);
		}
}

static void check_policies(struct ts_spec spec)
{
	spec.policy = TS_DATA_PARALLEL;
	check_orders(spec);
	spec.policy = TS_PERSISTENT;
	check_orders(spec);
	check_cuts(spec);
	spec.policy = TS_WORKSTEAL;
	for (int mode = 0; mode < TS_MODES; mode++) {
		spec.mode = (enum ts_mode)mode;
		for (size_t s = 0; s < (mode == TS_GLOBAL ? 1 : COUNT(slots)); s++) {
			spec.slots = slots[s];
			for (size_t i = 0; i < (mode == TS_HIERARCHICAL ? COUNT(percents) : 1);
				i++) {
				spec.local_percent = percents[i];
				check_orders(spec);
			}
		}
	}
}

static void check_grid(const struct grid *g)
{
	struct ts_spec spec = ts_spec_default();

	spec.m = g->m;
	spec.n = g->n;
	spec.k = g->k;
	spec.block_m = g->block_m;
	spec.block_n = g->block_n;
	spec.block_k = g->block_k;
	spec.cluster_m = g->cluster_m;
	spec.cluster_n = g->cluster_n;
	for (size_t w = 0; w < COUNT(workers); w++) {
		for (size_t d = 0; d < COUNT(domains); d++) {
			spec.workers = workers[w];
			spec.domains = domains[d];
			check_policies(spec);
		}
	}
}

/* Any numbers may be asked for, in any two fields at once; what is refused is so without harm. */
static void check_requests(void)
{
	static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -4294967296, -1, 0, 1, 2147483647,
		2147483648, 4294967296, 4294967297, INT64_MAX};
	struct ts_spec spec = ts_spec_default();
	int64_t *const fields[] = {&spec.m, &spec.n, &spec.k, &spec.block_m, &spec.block_n,
		&spec.block_k, &spec.cluster_m, &spec.cluster_n, &spec.max_cluster, &spec.width,
		&spec.chunk, &spec.workers, &spec.domains, &spec.slots, &spec.max_counters,
		&spec.local_percent, &spec.splits, &spec.min_k, &spec.k_groups, &spec.batch,
		&spec.section};
	const struct ts_spec plain = spec;
	struct ts_plan p;

	for (size_t i = 0; i < COUNT(fields); i++)
		for (size_t j = 0; j < i; j++)
			for (size_t a = 0; a < COUNT(ends) * COUNT(ends); a++)
				for (uint32_t policy = 0; policy < TS_POLICIES; policy++) {
					spec = plain;
					spec.policy = policy;
					spec.remap = TS_REMAP_CHUNKED;
					*fields[i] = ends[a % COUNT(ends)];
					*fields[j] = ends[a / COUNT(ends)];
					if (ts_plan_make(&p, &spec) == TS_OK && p.items > 0) {
						plans++;
						check_ids(&spec, &p);
						check_worker(&spec, &p, p.workers - 1);
					}
				}
}

/* Clusters are as large as the caller says that the device allows. */
static void check_clusters(void)
{
	static const int64_t ends[] = {
		1, 2, 46340, 65536, 2147483647, 2147483648, 4294967296, 4294967297, INT64_MAX};
	struct ts_spec spec = ts_spec_default();
	struct ts_plan p;

	spec.block_m = spec.block_n = 1;
	spec.max_cluster = INT64_MAX;
	for (size_t i = 0; i < COUNT(ends) * COUNT(ends); i++) {
		spec.cluster_m = ends[i % COUNT(ends)];
		spec.cluster_n = ends[i / COUNT(ends)];
		if (ts_plan_make(&p, &spec) != TS_OK)
			continue;
		plans++;
		check_ids(&spec, &p);
		check_worker(&spec, &p, p.workers - 1);
	}
}

/* The default width where an item's elements and the workers are the most. */
static void check_widths(void)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan p;

	spec.m = spec.n = spec.block_m = spec.block_n = TS_COUNT_MAX;
	spec.max_cluster = 1024;
	spec.workers = TS_COUNT_MAX;
	for (int order = TS_GROUPED_M; order < TS_ORDERS; order++) {
		spec.order = (enum ts_order)order;
		spec.cluster_m = 1024;
		spec.cluster_n = 1;
		if (ts_plan_make(&p, &spec) != TS_OK)
			fail(&spec, "refused");
		spec.cluster_m = 1;
		spec.cluster_n = 1024;
		if (ts_plan_make(&p, &spec) != TS_OK)
			fail(&spec, "refused");
	}
}

/* Items at both ends of all ids lie in their group's grid, and so do those between. */
static void check_groups_of(struct ts_spec *spec, enum ts_status status)
{
	static struct ts_turn turns[4];
	static struct ts_plan grids[4];
	struct ts_plan p;

	spec->turns = turns;
	spec->grids = grids;
	if (ts_plan_make(&p, spec) != status)
		fail(spec, "refused, or not refused");
	if (status != TS_OK || p.items == 0)
		return;
	plans++;
	for (uint32_t i = 0; i <= 64; i++) {
		uint32_t id = (uint32_t)((uint64_t)(p.items - 1) * i / 64);
		struct ts_step s = ts_order_item(&p, id);
		const struct ts_plan *grid = ts_grid(&p, s.g);

		if (s.g >= p.groups || !ts_shape_has_item(grid, s.m, s.n) ||
			s.k_end != ts_shape_depth(grid, s.m) ||
			ts_tile_index(&p, s.g, s.m, s.n) >= p.cells)
			fail(spec, "an item is nowhere");
		ts_group_row(&p, s.g);
		ts_cta_tile(&p, &s, p.cluster_m * p.cluster_n - 1);
	}
}

/* Shapes, batches and lists as large as can be. */
static void check_groups(void)
{
	enum { MOST = TS_COUNT_MAX, HALF = 1 << 30 };
	/* Of a grid; then batch, section, and the rows of three groups unless the first is -1. */
	static const struct {
		int64_t m, n, k, block_m, block_n, block_k, cluster_m, cluster_n;
		int64_t batch, section, list[3];
		enum ts_status status, triangle;
	} rows[] = {
		{46340, 46340, MOST, 1, 1, 1, 1, 1, 1, 1, {-1}, TS_OK, TS_OK},
		{46340, 46340, MOST, 1, 1, 1, 16, 1, 1, 1, {-1}, TS_OK, TS_OK},
		{46340, 46340, MOST, 1, 1, 1, 1, 16, 1, 0, {-1}, TS_OK, TS_OK},
		{MOST, MOST, MOST, MOST, MOST, MOST, 1, 1, MOST, 0, {-1}, TS_OK, TS_OK},
		{MOST, MOST, MOST, MOST, MOST, 1, 16, 1, MOST, 7, {-1}, TS_OK, TS_OK},
		{MOST, MOST, 1, HALF, 1, MOST, 1, 1, 1, 1, {-1}, TS_MANY_TILES, TS_MANY_TILES},
		{HALF, HALF, 1, HALF, 1, MOST, 2, 1, 1, 1, {-1}, TS_OK, TS_OK},
		{HALF, HALF, 1, 1, HALF, MOST, 1, 2, 1, 1, {-1}, TS_OK, TS_OK},
		{HALF, HALF, 1, HALF, 1, MOST, 1, 1, 2, 1, {-1}, TS_MANY_TILES, TS_MANY_TILES},
		{1, 1, 0, 1, 1, 1, 1, 1, MOST, MOST, {-1}, TS_OK, TS_OK},
		{3, 1, 1, 1, 1, 1, 1, 1, 1, 1, {0, MOST, 0}, TS_OK, TS_UNEVEN_TRIANGLE},
		{3, 1, MOST, 1, 1, 1, 1, 1, 1, 1, {MOST - 1, 1, 0}, TS_OK, TS_UNEVEN_TRIANGLE},
		{3, 1, 1, 1, 1, 1, 1, 1, 1, 1, {MOST, 1, 0}, TS_MANY_TILES, TS_UNEVEN_TRIANGLE},
		{3, 1, 1, 1, 1, 1, 1, 1, 715827882, 0, {1, 0, 2}, TS_OK, TS_UNEVEN_TRIANGLE},
		{3, 1, MOST, MOST, 1, 1, 16, 1, 9, 4, {MOST, 0, 5}, TS_OK, TS_UNEVEN_TRIANGLE},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int order = 0; order < TS_ORDERS; order++)
			for (int shape = 0; shape < TS_SHAPES; shape++)
				for (int row_order = 0; row_order < TS_ROWS_RANK; row_order++) {
					struct ts_spec spec = ts_spec_default();

					spec.order = (enum ts_order)order;
					spec.shape = (enum ts_shape_kind)shape;
					spec.row_order = (enum ts_row_order)row_order;
					if (shape == TS_TRIANGLE && row_order > 0)
						continue;
					spec.m = rows[i].m;
					spec.n = rows[i].n;
					spec.k = rows[i].k;
					spec.block_m = rows[i].block_m;
					spec.block_n = rows[i].block_n;
					spec.block_k = rows[i].block_k;
					spec.cluster_m = rows[i].cluster_m;
					spec.cluster_n = rows[i].cluster_n;
					spec.batch = rows[i].batch;
					spec.section = rows[i].section;
					if (rows[i].list[0] >= 0) {
						spec.list_m = rows[i].list;
						spec.list_count = 3;
					}
					check_groups_of(&spec,
						shape == TS_TRIANGLE ? rows[i].triangle
								     : rows[i].status);
				}
}

/* The ends of the largest shards and chunks. */
static void check_collectives(void)
{
	enum { MOST = TS_COUNT_MAX, HALF = 1 << 30 };
	static const struct {
		int64_t m, block_m, cluster_m, ranks, rank, rank_chunks;
	} rows[] = {
		{MOST, 1, 1, 1, 0, 1},
		{MOST, 1, 16, 65536, 65535, 16},
		{MOST, 7, 3, 65536, 1, 1},
		{MOST, MOST, 16, 2, 1, 1},
		{MOST, HALF, 1, 3, 2, 4096},
		{1, MOST, 1, 65536, 65535, 16},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int c = TS_ALL_GATHER; c < TS_COLLECTIVES; c++) {
			struct ts_spec spec = ts_spec_default();
			struct ts_plan plan;
			uint32_t most, items;

			spec.m = rows[i].m;
			spec.n = 1;
			spec.block_m = rows[i].block_m;
			spec.cluster_m = rows[i].cluster_m;
			spec.collective = (enum ts_collective)c;
			spec.row_order = TS_ROWS_RANK;
			spec.ranks = rows[i].ranks;
			spec.rank = rows[i].rank;
			spec.rank_chunks = rows[i].rank_chunks;
			if (ts_plan_make(&plan, &spec) != TS_OK)
				fail(&spec, "refused");
			most = plan.chunks - 1;
			items = ts_chunk_items(&plan, 0);
			if (ts_chunk_begin(&plan, plan.chunks) != plan.m ||
				ts_chunk_at(&plan, most) >= plan.chunks || items < 1 ||
				items > plan.items || ts_chunk_items(&plan, most) > plan.items ||
				ts_chunks_of(&plan, plan.rows - 1).after > plan.chunks)
				fail(&spec, "a chunk outside");
			if (ts_order_item(&plan, 0).m >= plan.rows ||
				ts_order_item(&plan, plan.items - 1).m >= plan.rows)
				fail(&spec, "a row outside");
		}
}

static void check_pipeline(void)
{
	static const uint64_t counts[] = {
		0, 1, 4294967295, 4294967296, UINT64_C(1) << 63, UINT64_MAX};
	static const uint32_t stages[] = {1, 2, 3, 7, 2147483647, 4294967295};

	for (size_t i = 0; i < COUNT(counts); i++)
		for (size_t j = 0; j < COUNT(stages); j++) {
			struct ts_pipeline at = ts_pipeline_at(counts[i], stages[j]);
			struct ts_pipeline next = ts_pipeline_next(at, stages[j]);
			struct ts_pipeline after = ts_pipeline_after(at, 1, stages[j]);

			ts_pipeline_after(at, UINT64_C(1) << 63, stages[j]);
			if (next.stage != after.stage || next.parity != after.parity ||
				ts_full_parity(at) == ts_empty_parity(at)) {
				printf("not ok 1 - two ways to the next place differ\n");
				exit(1);
			}
		}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..7\n");
	for (size_t i = 0; i < COUNT(grids); i++) {
		printf("# %s\n", grids[i].name);
		check_grid(&grids[i]);
	}
	printf("ok 1 - the largest plans\n# %" PRIu64 " plans, %" PRIu64 " steps\n", plans, asked);
	check_pipeline();
	printf("ok 2 - places in a ring\n");
	check_requests();
	printf("ok 3 - any two numbers of a request\n");
	check_clusters();
	printf("ok 4 - the largest clusters\n");
	check_widths();
	printf("ok 5 - the default width of the largest items\n");
	check_groups();
	printf("ok 6 - the largest groups and shapes\n# %" PRIu64 " plans in all\n", plans);
	check_collectives();
	printf("ok 7 - the largest shards and chunks\n");
	return 0;
}
