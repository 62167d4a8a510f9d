/* The pure functions of policies/: golden tables, properties of random requests, numbers at their
 * ends, and every refusal. The goal is that a wrong id, width or bound anywhere is named by one
 * line. */
#include <string.h>

#include "tests/plans.h"
#include "tests/vectors/read.h"
#include "verify/shrink.h"

/* Properties of random requests. */

/* Marks `at`; true if that is inside and new. */
static bool mark(uint8_t *marks, uint64_t count, uint64_t at)
{
	return at < count && marks[at]++ == 0;
}

/* Marks the elements of one tile. */
static bool mark_elements(const struct ts_plan *p, struct ts_tile tile, uint8_t *marks)
{
	uint32_t m_end = MIN(p->m, (tile.m + 1) * p->block_m);
	uint32_t n_end = MIN(p->n, (tile.n + 1) * p->block_n);

	if (tile.m * p->block_m >= m_end || tile.n * p->block_n >= n_end)
		return false;
	for (uint32_t m = tile.m * p->block_m; m < m_end; m++)
		for (uint32_t n = tile.n * p->block_n; n < n_end; n++)
			if (!mark(marks, (uint64_t)p->m * p->n, (uint64_t)m * p->n + n))
				return false;
	return true;
}

static const char *wrong_order(const struct ts_plan *p)
{
	g_autofree uint8_t *items = g_new0(uint8_t, p->items + 1);
	g_autofree uint8_t *elements = g_new0(uint8_t, (uint64_t)p->m * p->n + 1);
	uint64_t marked = 0;

	for (uint32_t id = 0; id < p->items; id++) {
		struct ts_step s = ts_order_item(p, id);

		if (s.m % p->cluster_m != 0 || s.n % p->cluster_n != 0 || s.m >= p->rows)
			return "an item begins inside a cluster or outside the grid";
		if (!mark(items, p->items,
			    s.m / p->cluster_m * p->cluster_cols + s.n / p->cluster_n))
			return "the order is no bijection of ids onto clusters";
		if (s.k_begin != 0 || s.k_end != p->depth || !s.owns || s.slot != 0 || s.parts != 0)
			return "an item isn't whole";
		for (uint32_t rank = 0; rank < p->cluster_m * p->cluster_n; rank++) {
			struct ts_tile tile = ts_cta_tile(p, &s, rank);

			if (tile.valid && !mark_elements(p, tile, elements))
				return "an element is given twice, or outside M x N";
		}
	}
	for (uint64_t i = 0; i < (uint64_t)p->m * p->n; i++)
		marked += elements[i];
	return marked == (uint64_t)p->m * p->n ? NULL : "an element is given to nobody";
}

static const char *wrong_remap(const struct ts_plan *p)
{
	g_autofree uint8_t *ids = g_new0(uint8_t, p->remap_span + 1);

	for (uint32_t id = 0; id < p->remap_span && p->items > 0; id++)
		if (!mark(ids, p->remap_span, ts_remap_id(p, id)))
			return "the remap is no permutation";
	return NULL;
}

static const char *wrong_counters(const struct ts_plan *p)
{
	struct ts_policy policy = ts_policy((enum ts_policy_id)p->policy);
	uint64_t sum = 0;

	if (policy.counter_items == NULL)
		return NULL;
	for (uint32_t i = 0; i < p->counters; i++)
		sum += policy.counter_items(p, i);
	return p->counters == 0 || sum == p->items ? NULL
						   : "the counters don't add up to the items";
}

/* Of a plan that cuts tiles: who has which part, counted iteration by iteration. */
struct cuts {
	const struct ts_plan *plan;
	uint32_t *workers; /* 1 + who has iteration k of item i, at i * depth + k */
	uint32_t *slots;   /* per slot: 1 + the item whose part it gets */
	uint32_t *signals; /* per counter */
};

static uint64_t item_of(const struct ts_plan *p, const struct ts_step *s)
{
	return (uint64_t)(s->m / p->cluster_m) * p->cluster_cols + s->n / p->cluster_n;
}

/* The steps of worker `id`, by the contract of fix_up.h. */
static const char *wrong_steps(struct cuts *c, uint32_t id)
{
	const struct ts_plan *p = c->plan;
	struct ts_worker w = ts_worker_make(id, id % p->domains);
	struct ts_step s = ts_next(p, &w, 0);
	bool waited = false;

	for (; s.act != TS_STOP; s = ts_next(p, &w, 0)) {
		struct ts_step part = s;
		uint32_t *row = &c->workers[item_of(p, &s) * p->depth];

		if (s.act != TS_WORK || s.k_begin >= s.k_end || s.k_end > p->depth)
			return "a step out of turn, or an empty k range";
		for (uint32_t k = s.k_begin; k < s.k_end; k++) {
			if (row[k] != 0)
				return "an iteration is done twice";
			row[k] = id + 1;
		}
		if (s.owns != (s.k_end == p->depth))
			return "the owner isn't the last in k";
		if (!s.owns && s.parts != 0)
			return "who doesn't own has parts to add";
		if (s.owns && s.parts == 0) {
			if (s.k_begin != 0 || s.slot != 0)
				return "an owner doesn't add the others' parts";
			continue;
		}
		if (w.claiming == 0)
			return "a worker may leave in the middle of a part";
		s = ts_next(p, &w, 0);
		if (s.counter >= p->counters)
			return "a counter out of range";
		if (!part.owns) {
			if (waited)
				return "a part comes after a wait";
			if (s.act != TS_SIGNAL || s.value != 1)
				return "a part isn't signalled";
			if (part.slot >= p->workspace || c->slots[part.slot] != 0)
				return "a slot out of range, or written twice";
			c->slots[part.slot] = 1 + (uint32_t)item_of(p, &part);
			c->signals[s.counter]++;
			continue;
		}
		waited = true;
		if (s.act != TS_WAIT || s.value != part.parts)
			return "an owner doesn't wait for all parts";
		s = ts_next(p, &w, 0);
		if (s.act != TS_FIX_UP || !s.owns || s.slot != part.slot || s.parts != part.parts ||
			s.m != part.m || s.n != part.n)
			return "a wait without a fix-up";
		/* Lower ids only, and as many as there are in this item. */
		for (uint32_t k = 0; k < part.k_begin; k++)
			if (row[k] == 0)
				return "an owner waits for a higher id";
		for (uint32_t i = 0, k = 0; i < s.parts; i++) {
			if (s.slot + i >= p->workspace ||
				c->slots[s.slot + i] != 1 + (uint32_t)item_of(p, &part))
				return "a slot of another item is added";
			while (k + 1 < part.k_begin && row[k + 1] == row[k])
				k++;
			k++;
			if ((i + 1 == s.parts) != (k == part.k_begin))
				return "not as many slots are added as there are parts";
		}
	}
	return NULL;
}

/* By ascending ids, since owners only wait for lower ones. */
static const char *wrong_cuts(const struct ts_plan *p)
{
	g_autofree uint32_t *workers = g_new0(uint32_t, (uint64_t)p->items * p->depth + 1);
	g_autofree uint32_t *slots = g_new0(uint32_t, p->workspace + 1);
	g_autofree uint32_t *signals = g_new0(uint32_t, p->counters + 1);
	struct cuts c = {.plan = p, .workers = workers, .slots = slots, .signals = signals};
	const char *text = NULL;

	if (p->policy != TS_STREAM_K && p->policy != TS_SPLIT_K)
		return NULL;
	for (uint32_t id = 0; id < p->workers && p->items > 0 && p->depth > 0 && text == NULL; id++)
		text = wrong_steps(&c, id);
	for (uint64_t i = 0; text == NULL && i < (uint64_t)p->items * p->depth; i++)
		if (workers[i] == 0)
			text = "an iteration is done by nobody";
	return text;
}

/* Runs differ by one iteration at most, and so do splits. */
static const char *wrong_balance(const struct ts_plan *p)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t id = 0; p->policy == TS_STREAM_K && id < p->units; id++) {
		struct ts_worker w = ts_worker_make(id, 0);
		uint64_t sum = 0;

		for (struct ts_step s = ts_next(p, &w, 0); w.turn == 0 && s.act != TS_STOP;
			s = ts_next(p, &w, 0))
			sum += s.act == TS_WORK ? s.k_end - s.k_begin : 0;
		least = MIN(least, sum);
		most = MAX(most, sum);
	}
	return most > 0 && most - least > 1 ? "a run is two iterations longer than another" : NULL;
}

/* What is wrong with the plan of `spec`, or NULL; a refused request has no plan. */
static const char *wrong(const struct ts_spec *spec)
{
	const char *(*properties[])(const struct ts_plan *) = {
		wrong_order, wrong_remap, wrong_counters, wrong_cuts, wrong_balance};
	struct ts_plan plan;
	const char *text = NULL;

	if (ts_plan_make(&plan, spec) != TS_OK)
		return NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(properties) && text == NULL; i++)
		text = properties[i](&plan);
	return text;
}

static bool is_wrong(void *data, const struct ts_spec *spec)
{
	(void)data;
	return wrong(spec) != NULL;
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
	spec.m = upto(90);
	spec.n = upto(90);
	spec.k = upto(9);
	spec.block_m = 1 + upto(12);
	spec.block_n = 1 + upto(12);
	spec.block_k = 1 + upto(3);
	spec.cluster_m = 1 + upto(3);
	spec.cluster_n = 1 + upto(3);
	if (ts_order_has_width(spec.order))
		spec.width = upto(12);
	if (ts_remap_has_chunk(spec.remap))
		spec.chunk = upto(40);
	spec.workers = 1 + upto(300);
	spec.domains = 1 + upto(12);
	if (spec.policy == TS_WORKSTEAL && spec.mode != TS_GLOBAL)
		spec.slots = 1 + upto(5);
	spec.local_percent = upto(100);
	spec.splits = 1 + upto(11);
	spec.hybrid = (enum ts_hybrid)upto(TS_HYBRIDS - 1);
	spec.min_k = 1 + upto(2);
	spec.k_groups = 1 + upto(8);
	return spec;
}

/* With the seed that GLib prints, and that --seed takes. */
static void test_random_requests(void)
{
	enum { REQUESTS = 20000 };
	struct ts_plan plan;

	for (int i = 0; i < REQUESTS; i++) {
		struct ts_spec spec = draw_spec();
		bool single = spec.policy == TS_WORKSTEAL && spec.domains * spec.slots < 2;
		g_autofree char *words = ts_request_words(&spec);
		g_autofree char *least = NULL;

		if (!single && ts_plan_make(&plan, &spec) != TS_OK)
			g_test_fail_printf("refused: %s", words);
		if (wrong(&spec) == NULL)
			continue;
		ts_shrink(&spec, is_wrong, NULL);
		least = ts_request_words(&spec);
		g_test_fail_printf("%s: %s; found with %s", wrong(&spec), least, words);
		return;
	}
}

/* Numbers. */

static void test_quotient(void)
{
	static const uint32_t edges[] = {1, 2, 3, 5, 7, 8, 10, 100, 127, 128, 255, 256, 641, 65535,
		65536, 65537, 1000000007, 1073741823, 1073741824, 1073741825, 2147483646,
		2147483647};

	for (int i = 0; i < 3000; i++) {
		bool edge = i < (int)G_N_ELEMENTS(edges);
		uint32_t by = edge
			? edges[i]
			: (1 + (uint32_t)g_test_rand_int() % TS_COUNT_MAX) >> (uint32_t)upto(30);
		struct ts_divisor d = ts_divisor_make(MAX(by, 1));

		for (int j = 0; j < 300; j++) {
			uint32_t n = (uint32_t)g_test_rand_int() % ((uint32_t)TS_COUNT_MAX + 1) >>
				(uint32_t)upto(31);
			uint32_t multiple = n - n % d.by;

			n = j < (int)G_N_ELEMENTS(edges) ? edges[j] : n;
			g_assert_cmpuint(ts_quotient(n, d), ==, n / d.by);
			/* Just below and at a multiple is where a rounded factor fails first. */
			g_assert_cmpuint(ts_quotient(multiple, d), ==, multiple / d.by);
			if (multiple > 0)
				g_assert_cmpuint(
					ts_quotient(multiple - 1, d), ==, (multiple - 1) / d.by);
		}
		g_assert_cmpuint(ts_quotient(0, d), ==, 0);
		g_assert_cmpuint(ts_quotient(TS_COUNT_MAX, d), ==, TS_COUNT_MAX / d.by);
	}
}

static void test_share(void)
{
	for (uint32_t parts = 1; parts < 20; parts++)
		for (uint32_t total = 0; total < 70; total++) {
			struct ts_divisor d = ts_divisor_make(parts);
			uint32_t first = 0;

			for (uint32_t i = 0; i < parts; i++) {
				uint32_t dealt = 0; /* card by card */

				for (uint32_t card = i; card < total; card += parts)
					dealt++;
				g_assert_cmpuint(ts_share(total, d, i), ==, dealt);
				g_assert_cmpuint(ts_share_first(total, d, i), ==, first);
				first += dealt;
			}
			g_assert_cmpuint(first, ==, total);
		}
}

/* 8 or 16, whichever minimises g BLOCK_M + ceil(SMs / g) BLOCK_N; the first wins a tie. */
static uint64_t best_width(uint64_t along, uint64_t across, uint64_t workers)
{
	uint64_t best = 0, least = UINT64_MAX;

	for (uint64_t g = 8; g <= 16; g += 8) {
		uint64_t cost = g * along + (workers / g + (workers % g > 0)) * across;

		if (cost < least) {
			least = cost;
			best = g;
		}
	}
	return best;
}

/* Also as the width of a plan, where the axis and the cluster decide what is along. */
static void test_default_width(void)
{
	static const uint32_t blocks[] = {64, 128, 256, 96, 112, 192};
	static const uint32_t workers[] = {132, 304, 1, 7, 100, 148, 128, 129};
	enum { ALL = 6 * 6 * 8 };

	g_assert_cmpint(ts_spec_default().order, ==, TS_GROUPED_M);
	for (size_t i = 0; i < ALL; i++) {
		uint32_t m = blocks[i % 6], n = blocks[i / 6 % 6], w = workers[i / 36];
		g_autofree char *words = g_strdup_printf("size=99999x99999x1 block=%ux%ux1 "
							 "cluster=2x3 workers=%u",
			m, n, w);
		g_autofree char *by_rows = g_strconcat(words, " order=grouped-m", NULL);
		g_autofree char *by_columns = g_strconcat(words, " order=snake-n", NULL);

		g_assert_cmpuint(ts_order_default_width(m, n, w), ==, best_width(m, n, w));
		g_assert_cmpuint(
			ts_request_make(by_rows).width.by, ==, best_width(2 * m, 3 * n, w));
		g_assert_cmpuint(
			ts_request_make(by_columns).width.by, ==, best_width(3 * n, 2 * m, w));
	}
	/* An item of 2^32 rows or columns. */
	g_assert_cmpuint(ts_request_make("size=2147483647x99x1 block=1073741824x1x1 cluster=4x1 "
					 "order=grouped-n workers=132")
				 .width.by,
		==, 16);
	g_assert_cmpuint(ts_request_make("size=99x2147483647x1 block=1x1073741824x1 cluster=1x4 "
					 "order=grouped-m workers=132")
				 .width.by,
		==, 16);
	/* A chunk of width^2 = 2^32, were there as many ids. */
	g_assert_cmpuint(ts_request_make("size=65536x2x1 order=grouped-m width=65536 "
					 "remap=chunked xcds=2")
				 .remap_chunk.by,
		==, 65536);
}

/* Plans at the end of 32 bits. */

/* The item with id `id`, by the definition of a grouped order in 64 bits. */
static void wide_item(const struct ts_plan *p, uint64_t id, uint64_t *ret_m, uint64_t *ret_n)
{
	bool by_columns =
		p->order == TS_COLUMN || p->order == TS_GROUPED_N || p->order == TS_SNAKE_N;
	uint64_t axis = by_columns ? p->cluster_cols : p->cluster_rows;
	uint64_t other = by_columns ? p->cluster_rows : p->cluster_cols;
	uint64_t group = id / (p->width.by * other);
	uint64_t first = group * p->width.by;
	uint64_t high = MIN(axis - first, p->width.by);
	uint64_t along = first + id % (p->width.by * other) % high;
	uint64_t across = id % (p->width.by * other) / high;

	if ((p->order == TS_SNAKE_M || p->order == TS_SNAKE_N) && group % 2 == 1)
		across = other - 1 - across;
	*ret_m = (by_columns ? across : along) * p->cluster_m;
	*ret_n = (by_columns ? along : across) * p->cluster_n;
}

static uint64_t wide_remap(const struct ts_plan *p, uint64_t id, uint64_t chunk)
{
	uint64_t x = p->domains, span = p->remap_span, round = x * chunk;

	if (p->remap == TS_REMAP_CHIPLET)
		return id % x * (span / x) + MIN(id % x, span % x) + id / x;
	if (p->remap == TS_REMAP_ROTATED)
		return (id + chunk) % span;
	if (p->remap == TS_REMAP_CHUNKED && id < span / round * round)
		return id / x / chunk * round + id % x * chunk + id / x % chunk;
	return id;
}

static void check_wide_id(const struct ts_plan *p, uint32_t id, uint64_t chunk)
{
	struct ts_step s = ts_order_item(p, id);
	uint64_t m, n;

	wide_item(p, id, &m, &n);
	g_assert_cmpuint(s.m, ==, m);
	g_assert_cmpuint(s.n, ==, n);
	if (id < p->remap_span)
		g_assert_cmpuint(ts_remap_id(p, id), ==, wide_remap(p, id, chunk));
}

/* Claims far above the end of every queue are harmless, and each worker stops. */
static void check_wide_worker(const struct ts_plan *p, uint32_t id)
{
	struct ts_worker w = ts_worker_make(id, id % p->domains);
	uint64_t left = 4 * (2 + (uint64_t)p->items / p->workers + p->counters);

	while (left-- > 0) {
		struct ts_step s = ts_next(p, &w, UINT32_MAX);

		if (s.act == TS_STOP)
			return;
		if (s.act == TS_WORK)
			g_assert_true(s.m < p->rows && s.n < p->cols);
	}
	g_test_fail_printf("worker %u does not stop", id);
}

static void test_wide(gconstpointer words)
{
	struct ts_spec spec = ts_request_read(words);
	struct ts_plan plan = ts_request_make(words);

	for (uint32_t i = 0; i < 1000; i++) {
		check_wide_id(&plan, i % plan.items, (uint64_t)MAX(spec.chunk, 1));
		check_wide_id(&plan, plan.items - 1 - i % plan.items, (uint64_t)MAX(spec.chunk, 1));
		check_wide_id(&plan, (uint32_t)g_test_rand_int() % plan.items,
			(uint64_t)MAX(spec.chunk, 1));
	}
	check_wide_worker(&plan, 0);
	check_wide_worker(&plan, plan.workers / 2);
	check_wide_worker(&plan, plan.workers - 1);
}

/* 2147483647 is prime; 46340^2 and 65534 x 32768 are the largest of their kind. */
static const char *const wide[] = {
	"size=2147483647x1x2147483647",
	"size=1x2147483647x1 order=column",
	"policy=persistent size=2147483647x1x1 workers=2147483647",
	"policy=persistent size=1x2147483647x1 workers=2147483646 order=snake-n width=2147483647",
	"policy=persistent size=46340x46340x1 workers=2147483647 remap=chiplet xcds=65536",
	"size=46340x46340x1 order=grouped-m width=46339 remap=chunked chunk=2147483647",
	/* A full panel would have 2^32 items. */
	"size=3x4x1 order=grouped-m width=1073741824",
	"size=65534x32768x1 order=snake-m width=7 remap=chunked chunk=5 xcds=3",
	"size=32768x65534x1 order=snake-n width=16 remap=chiplet xcds=7 cluster=4x2",
	"size=2147483647x2147483647x2147483647 block=2147483647x1x2147483647 order=grouped-n "
	"width=3",
	"size=2147483647x2147483647x1 block=2x2147483647x1 cluster=16x1 order=grouped-m width=5",
	"policy=worksteal mode=global size=46340x46340x1 workers=2147483647 remap=chiplet xcds=8",
	"policy=worksteal mode=hierarchical size=2147483647x1x1 workers=2147483647 xcds=65536 "
	"slots=16384",
	"policy=worksteal mode=slots size=1x2147483647x1 workers=2147483647 xcds=7 slots=3",
	"size=1x2147483647x1 remap=rotated chunk=2147483646",
	"policy=persistent size=46340x46340x1 workers=2147483647 remap=rotated chunk=2147483647",
	"policy=clc size=46340x46340x1 order=snake-n width=7 remap=chiplet xcds=8",
	"policy=split-k size=46340x23170x2147483647 splits=2 order=snake-m width=3",
	"policy=stream-k size=46340x46340x2147483647 workers=2147483647 hybrid=basic min-k=1",
	"policy=stream-k size=1x2147483647x2147483647 workers=13200 remap=chiplet xcds=8",
};

__extension__ typedef unsigned __int128 wide_uint;

/* A row of 2^62 iterations and of the most there are; units checked against 128 bits. */
static void test_wide_row(void)
{
	static const char *const rows[] = {
		"policy=stream-k size=2147483647x1x2147483647 workers=2147483646 hybrid=basic",
		"policy=stream-k size=46340x46340x2147483647 workers=2147483647 hybrid=basic",
		"policy=stream-k size=9x1x2147483647 workers=132 hybrid=basic k-groups=3",
		"policy=stream-k size=133x1x2147483647 workers=132 hybrid=one-tile",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_plan p = ts_request_make(rows[i]);
		uint32_t groups = p.k_groups.by, units = p.units / groups;
		wide_uint row = (wide_uint)(p.shared_items / groups) * p.depth;

		g_assert_cmpuint(p.units, >, 1);
		for (uint32_t n = 0; n < 2000; n++) {
			uint32_t nth = n < 1000 ? n % units : units - 1 - n % units;
			uint32_t id = nth * groups + n % groups;
			wide_uint longer = row % units;
			wide_uint begin = nth * (row / units) + (nth < longer ? nth : longer);
			wide_uint end = begin + row / units + (nth < longer ? 1 : 0);
			uint32_t item = 0;
			struct ts_step s = ts_stream_k_part(&p, id, 0, &item);
			uint64_t last = (uint64_t)((end - 1) / p.depth);
			uint64_t from = last * p.depth;

			g_assert_cmpuint(item, ==, last * groups + n % groups);
			g_assert_cmpuint(s.k_end, ==, MIN((uint64_t)end - from, p.depth));
			g_assert_cmpuint(
				s.k_begin, ==, (uint64_t)begin > from ? (uint64_t)begin - from : 0);
		}
	}
}

static void test_far_ends_of_queues(void)
{
	struct ts_plan p = ts_request_make("policy=worksteal mode=slots size=1x2147483647x1 "
					   "workers=6 xcds=2 slots=3");
	struct ts_worker w = ts_worker_make(5, 1); /* the last slot of the last XCD */
	uint32_t size = p.items / 2 / 3;
	struct ts_step s;

	g_assert_cmpint(ts_next(&p, &w, 0).act, ==, TS_CLAIM);
	s = ts_next(&p, &w, size - 1);
	g_assert_cmpint(s.act, ==, TS_WORK);
	g_assert_cmpuint(s.n, ==, p.items - 1);
	g_assert_cmpuint(ts_policy(TS_WORKSTEAL).counter_items(&p, 5), ==, size);
	g_assert_cmpint(ts_next(&p, &w, 0).act, ==, TS_CLAIM);
	g_assert_cmpint(ts_next(&p, &w, size).act, ==, TS_STOP);
}

/* Refusals. */

struct refusal {
	const char *words;
	enum ts_status status;
};

static const struct refusal refusals[] = {
	{"tiles=3x2", TS_OK},
	{"policy=99", TS_BAD_POLICY},
	{"policy=6", TS_BAD_POLICY},
	{"policy=worksteal mode=99", TS_BAD_MODE},
	{"policy=worksteal mode=4", TS_BAD_MODE},
	{"order=99", TS_BAD_ORDER},
	{"order=21", TS_BAD_ORDER},
	{"remap=99", TS_BAD_REMAP},
	{"remap=4", TS_BAD_REMAP},
	{"size=-1x1x1", TS_BAD_SIZE},
	{"size=1x2147483648x1", TS_BAD_SIZE},
	{"size=1x1x4294967297", TS_BAD_SIZE},
	{"block=0x1x1", TS_BAD_BLOCK},
	{"block=1x0x1", TS_BAD_BLOCK},
	{"block=1x1x0", TS_BAD_BLOCK},
	{"block=1x-1x1", TS_BAD_BLOCK},
	{"block=1x1x2147483648", TS_BAD_BLOCK},
	{"cluster=0x1", TS_BAD_CLUSTER},
	{"cluster=1x-2", TS_BAD_CLUSTER},
	{"cluster=17x1", TS_BIG_CLUSTER},
	{"cluster=4x5", TS_BIG_CLUSTER},
	{"cluster=4294967296x4294967296", TS_BIG_CLUSTER},
	/* The product of the sides, 2^64, is 0 in 64 bits. */
	{"cluster=4x4611686018427387904", TS_BIG_CLUSTER},
	{"cluster=4611686018427387904x4", TS_BIG_CLUSTER},
	{"cluster=4294967296x4294967296 max-cluster=9223372036854775807", TS_BIG_CLUSTER},
	{"cluster=1x16", TS_OK},
	{"cluster=16x1", TS_OK},
	{"cluster=2x1 max-cluster=1", TS_BIG_CLUSTER},
	{"tiles=46341x46341", TS_MANY_TILES},
	{"tiles=2147483647x2", TS_MANY_TILES},
	{"tiles=2147483647x2147483647", TS_MANY_TILES},
	/* Of fewer items: 2^32 tiles; 2^64; 2^28 a copy. */
	{"tiles=65536x65536 cluster=4x4", TS_MANY_TILES},
	{"tiles=1073741824x1073741824 batch=16", TS_MANY_TILES},
	{"tiles=65536x4096 cluster=4x4 batch=16", TS_MANY_TILES},
	{"order=grouped-m width=-1", TS_BAD_WIDTH},
	{"order=snake-n width=2147483648", TS_BAD_WIDTH},
	{"order=row width=4", TS_UNUSED_WIDTH},
	{"order=column width=1", TS_UNUSED_WIDTH},
	{"order=hilbert width=2", TS_UNUSED_WIDTH},
	{"order=auto width=2", TS_UNUSED_WIDTH},
	{"remap=chunked chunk=-1", TS_BAD_CHUNK},
	{"remap=chunked chunk=2147483648", TS_BAD_CHUNK},
	{"remap=chiplet chunk=2", TS_UNUSED_CHUNK},
	{"chunk=2", TS_UNUSED_CHUNK},
	{"workers=0", TS_BAD_WORKERS},
	{"workers=2147483648", TS_BAD_WORKERS},
	{"xcds=0", TS_BAD_DOMAINS},
	{"xcds=65537", TS_BAD_DOMAINS},
	{"policy=worksteal slots=0", TS_BAD_SLOTS},
	{"policy=worksteal slots=16385", TS_BAD_SLOTS},
	{"policy=persistent slots=2", TS_UNUSED_SLOTS},
	{"policy=worksteal mode=global slots=2", TS_UNUSED_SLOTS},
	{"policy=worksteal mode=slots xcds=4 slots=2 counters=7", TS_FEW_COUNTERS},
	{"policy=worksteal mode=slots xcds=4 slots=2 counters=8", TS_OK},
	{"policy=worksteal mode=hierarchical xcds=4 workers=9 counters=4", TS_FEW_COUNTERS},
	{"policy=worksteal counters=-1", TS_FEW_COUNTERS},
	{"policy=worksteal mode=hierarchical local=-1", TS_BAD_PERCENT},
	{"policy=worksteal mode=hierarchical local=101", TS_BAD_PERCENT},
	{"batch=-1", TS_BAD_BATCH},
	{"batch=2147483648", TS_BAD_BATCH},
	{"batch=65536 tiles=0x1 "
	 "groups=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
	 "0,0",
		TS_OK},
	{"batch=2147483647 groups=0,0", TS_BAD_BATCH},
	{"batch=2147483647 groups=0", TS_OK},
	{"batch=2147483647", TS_OK},
	{"batch=2147483647 tiles=2x1", TS_MANY_TILES},
	{"batch=1073741823 groups=2,1", TS_MANY_TILES},
	{"batch=0", TS_OK},
	{"batch=0 tiles=2147483647x1", TS_OK},
	{"section=-1", TS_BAD_SECTION},
	{"section=2147483648", TS_BAD_SECTION},
	{"batch=3 section=7", TS_OK},
	{"groups=3,-1", TS_BAD_LIST_SIZE},
	{"groups=3,2147483648", TS_BAD_LIST_SIZE},
	{"groups=1x1x1,1x-1x1", TS_BAD_LIST_SIZE},
	{"groups=1x1x1,1x1x2147483648", TS_BAD_LIST_SIZE},
	{"groups=2147483647,1", TS_MANY_TILES},
	{"groups=2147483646,1", TS_OK},
	{"layout=2 groups=1", TS_BAD_LAYOUT},
	{"layout=masked", TS_UNUSED_LAYOUT},
	{"layout=masked size=4x1x1 groups=4,5", TS_OVER_CAPACITY},
	{"layout=masked size=4x1x1 groups=4,4", TS_OK},
	{"shape=3", TS_BAD_SHAPE},
	{"group-order=2", TS_BAD_GROUP_ORDER},
	{"group-order=longest", TS_OK},
	{"shape=triangle tiles=4x3", TS_UNEVEN_TRIANGLE},
	{"shape=triangle size=12x12x1 block=2x3x1", TS_UNEVEN_TRIANGLE},
	{"shape=triangle size=12x12x1 block=2x3x1 cluster=3x1", TS_OK},
	{"shape=triangle size=12x12x1 block=2x4x1 cluster=3x1", TS_UNEVEN_TRIANGLE},
	{"shape=triangle size=12x12x1 block=4x2x1 cluster=1x3", TS_UNEVEN_TRIANGLE},
	{"shape=triangle groups=3x3x1,3x2x1", TS_UNEVEN_TRIANGLE},
	{"rows=4", TS_BAD_ROW_ORDER},
	{"rows=rank", TS_UNUSED_ROW_ORDER},
	{"rows=rank collective=all-gather", TS_OK},
	{"collective=3", TS_BAD_COLLECTIVE},
	{"collective=all-gather batch=2", TS_UNUSED_COLLECTIVE},
	{"collective=all-gather batch=0", TS_UNUSED_COLLECTIVE},
	{"collective=reduce-scatter groups=1", TS_UNUSED_COLLECTIVE},
	{"collective=all-gather shape=causal", TS_UNUSED_COLLECTIVE},
	{"rank=0x2x1", TS_UNUSED_RANKS},
	{"rank=1x1x1", TS_UNUSED_RANKS},
	{"rank=0x1x2", TS_UNUSED_RANKS},
	{"collective=all-gather rank=0x0x1", TS_BAD_RANKS},
	{"collective=all-gather rank=0x65537x1", TS_BAD_RANKS},
	{"collective=all-gather rank=65535x65536x16", TS_OK},
	{"collective=all-gather rank=65535x65536x17", TS_BAD_RANK_CHUNKS},
	{"collective=all-gather rank=2x2x1", TS_BAD_RANK},
	{"collective=all-gather rank=-1x2x1", TS_BAD_RANK},
	{"collective=all-gather rank=0x2x0", TS_BAD_RANK_CHUNKS},
	{"collective=all-gather rank=0x2x4097", TS_BAD_RANK_CHUNKS},
	{"shape=triangle tiles=3x3 rows=fold", TS_UNUSED_ROW_ORDER},
	{"policy=split-k splits=0", TS_BAD_SPLITS},
	{"policy=split-k splits=2147483648", TS_BAD_SPLITS},
	{"policy=split-k splits=2147483647", TS_OK},
	{"policy=split-k splits=2 slots=2", TS_UNUSED_SLOTS},
	{"policy=split-k size=3x1x4 splits=2 slots=2", TS_UNUSED_SLOTS},
	{"policy=split-k size=1x1x2147483647 splits=2147483647", TS_OK},
	{"policy=split-k size=65536x1x65536 splits=65536", TS_MANY_SPLITS},
	{"policy=split-k size=46340x46340x2 splits=2", TS_MANY_SPLITS},
	{"policy=split-k size=3x2x2 splits=2 counters=5", TS_FEW_COUNTERS},
	{"policy=split-k size=3x2x2 splits=2 counters=6", TS_OK},
	{"policy=split-k size=3x2x2 splits=2 counters=-1", TS_FEW_COUNTERS},
	{"policy=split-k shape=causal size=4x1x4", TS_UNEVEN_K},
	{"policy=split-k shape=causal size=1x1x4", TS_UNEVEN_K},
	{"policy=split-k shape=causal size=0x1x4", TS_OK},
	{"policy=split-k groups=1x1x3,1x1x4", TS_UNEVEN_K},
	{"policy=stream-k groups=1x1x3,1x1x4", TS_UNEVEN_K},
	{"policy=stream-k groups=1x1x3,0x1x4", TS_UNEVEN_K},
	{"policy=stream-k groups=1x1x4,1x1x3", TS_UNEVEN_K},
	{"policy=stream-k groups=1x1x4,0x1x3", TS_OK},
	{"policy=stream-k hybrid=3", TS_BAD_HYBRID},
	{"policy=stream-k min-k=0", TS_BAD_MIN_K},
	{"policy=stream-k min-k=2147483648", TS_BAD_MIN_K},
	{"policy=stream-k min-k=2147483647", TS_OK},
	{"policy=stream-k k-groups=0", TS_BAD_K_GROUPS},
	{"policy=stream-k k-groups=65537", TS_BAD_K_GROUPS},
	{"policy=stream-k k-groups=65536", TS_OK},
	{"policy=stream-k slots=2", TS_UNUSED_SLOTS},
	{"policy=stream-k size=3x1x9 workers=2 min-k=1 slots=2", TS_UNUSED_SLOTS},
	{"policy=stream-k size=3x1x9 workers=2 min-k=1 counters=2", TS_FEW_COUNTERS},
	{"policy=stream-k size=3x1x9 workers=2 min-k=1 counters=3", TS_OK},
	{"policy=stream-k size=3x1x9 workers=2 min-k=1 counters=-1", TS_FEW_COUNTERS},
};

/* Lists that are too long, or come without memory for their grids. */
static bool refuses_lists(void)
{
	struct ts_spec spec = ts_request_read("groups=1,2");
	struct ts_turn *turns = spec.turns;
	struct ts_plan plan;

	spec.turns = NULL;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_BAD_LIST);
	spec.turns = turns;
	spec.grids = NULL;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_BAD_LIST);
	spec.list_count = 1;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_BAD_LIST);
	spec = ts_request_read("groups=1,2");
	spec.list_count = TS_LIST_MAX + 1;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_BAD_LIST);
	spec.list_count = -1;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_BAD_LIST);
	/* None is an empty problem, for which there need be no memory. */
	spec.list_count = 0;
	spec.turns = NULL;
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	g_assert_cmpuint(plan.items, ==, 0);
	/* Without a list its length says nothing. */
	spec = ts_request_read("tiles=2x3");
	for (spec.list_count = -1; spec.list_count < 2; spec.list_count++) {
		g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
		g_assert_cmpuint(plan.items, ==, 6);
	}
	return true;
}

/* Each request beside one that is right in all but the named number. */
static void test_refusals(void)
{
	bool covered[TS_STATUSES] = {0};
	struct ts_plan untouched;

	memset(&untouched, 0x5a, sizeof untouched);
	for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++) {
		const struct refusal *r = &refusals[i];
		struct ts_spec spec = ts_request_read(r->words);
		struct ts_plan plan = untouched;
		enum ts_status status = ts_plan_make(&plan, &spec);

		covered[r->status] = true;
		if (status != r->status)
			g_test_fail_printf("%s: '%s', must be '%s'", r->words,
				ts_status_text(status), ts_status_text(r->status));
		if (status != TS_OK)
			g_assert_cmpint(memcmp(&plan, &untouched, sizeof plan), ==, 0);
	}
	covered[TS_BAD_LIST] = refuses_lists();
	for (int i = 0; i < TS_STATUSES; i++) {
		g_assert_nonnull(ts_status_text((enum ts_status)i));
		for (int j = 0; j < i; j++)
			g_assert_cmpstr(ts_status_text((enum ts_status)i), !=,
				ts_status_text((enum ts_status)j));
		if (!covered[i])
			g_test_fail_printf(
				"no request for '%s'", ts_status_text((enum ts_status)i));
	}
}

/* Without M or N there are no items, and nobody may be asked; without K items have no k iteration.
 */
static void test_empty(void)
{
	static const struct {
		const char *words;
		uint32_t items, depth;
	} rows[] = {
		{"size=0x5x5", 0, 5},
		{"size=5x0x5", 0, 5},
		{"size=5x3x0", 15, 0},
		{"size=0x0x0", 0, 0},
		{"size=0x7x1 order=snake-m width=3 remap=chunked chunk=2 xcds=3", 0, 1},
		{"size=7x0x1 policy=persistent workers=4 remap=chiplet xcds=3", 0, 1},
		{"size=7x0x1 policy=worksteal mode=hierarchical workers=4 xcds=3 slots=2", 0, 1},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_plan p = ts_request_make(rows[i].words);

		g_assert_cmpuint(p.items, ==, rows[i].items);
		g_assert_cmpuint(p.depth, ==, rows[i].depth);
		g_assert_null(wrong_counters(&p));
		if (p.items > 0) {
			g_assert_cmpuint(ts_order_item(&p, 0).k_end, ==, 0);
			g_assert_true(ts_order_item(&p, 0).owns);
		}
	}
}

/* Every field of a plan keeps its bound, also where a single item makes no difference between them;
 * and the domain of a worker may be any, since hardware chooses it. */
static void test_one_item(void)
{
	struct ts_plan p = ts_request_make("tiles=1x1 order=grouped-m remap=chiplet xcds=8");
	struct ts_worker w = ts_worker_make(0, 7);

	g_assert_cmpuint(p.width.by, ==, 1);
	g_assert_cmpuint(p.full_panels, ==, 1);
	g_assert_cmpuint(p.remap_domains.by, ==, 8);
	g_assert_cmpint(ts_next(&p, &w, 0).act, ==, TS_WORK);
}

/* 8 * (items * (depth + 1) + workers * (counters + 2)), as far as 64 bits go. */
static void test_steps_max(void)
{
	static const struct {
		const char *words;
		uint64_t steps;
	} rows[] = {
		{"policy=persistent size=3x2x5 workers=4", 8 * (6 * 6 + 4 * 2)},
		{"policy=worksteal size=3x2x5 workers=4 xcds=2", 8 * (6 * 6 + 4 * 4)},
		{"size=2147483647x1x999999999", UINT64_C(8) * 2147483647 * 1000000002},
		{"size=2147483647x1x1149999999", UINT64_MAX},
		{"size=2147483647x1x2147483647", UINT64_MAX},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ts_plan p = ts_request_make(rows[i].words);

		g_assert_cmpuint(ts_plan_steps_max(&p), ==, rows[i].steps);
	}
}

static void test_worksteal_modes(void)
{
	static const struct {
		enum ts_mode mode;
		uint32_t uses;
		enum ts_remap remap;
	} rows[] = {
		{TS_STEAL, TS_USES_MODE | TS_USES_SLOTS, TS_REMAP_NONE},
		{TS_SLOTS, TS_USES_MODE | TS_USES_SLOTS, TS_REMAP_NONE},
		{TS_GLOBAL, TS_USES_MODE, TS_REMAP_CHIPLET},
		{TS_HIERARCHICAL, TS_USES_MODE | TS_USES_SLOTS | TS_USES_LOCAL, TS_REMAP_NONE},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_assert_cmpuint(ts_policy(TS_WORKSTEAL).uses(rows[i].mode), ==, rows[i].uses);
		g_assert_cmpint(ts_policy(TS_WORKSTEAL).remap(rows[i].mode), ==, rows[i].remap);
	}
}

static void test_names_end(void)
{
	g_assert_null(ts_mode_name(TS_MODES));
	g_assert_null(ts_order_name(TS_ORDERS));
	g_assert_null(ts_remap_name(TS_REMAPS));
	g_assert_null(ts_shape_name(TS_SHAPES));
	g_assert_null(ts_row_order_name(TS_ROW_ORDERS));
	g_assert_null(ts_layout_name(TS_LAYOUTS));
	g_assert_null(ts_collective_name(TS_COLLECTIVES));
	g_assert_null(ts_group_order_name(TS_GROUP_ORDERS));
	g_assert_null(ts_hybrid_name(TS_HYBRIDS));
	g_assert_null(ts_status_text(TS_STATUSES));
	g_assert_null(ts_policy(TS_POLICIES).name);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_data_func("/vectors/orders", "orders.txt", ts_vectors_test);
	g_test_add_data_func("/vectors/remaps", "remaps.txt", ts_vectors_test);
	g_test_add_data_func("/vectors/distributions", "distributions.txt", ts_vectors_test);
	g_test_add_data_func("/vectors/groups", "groups.txt", ts_vectors_test);
	g_test_add_data_func("/vectors/steps", "steps.txt", ts_vectors_test);
	g_test_add_func("/vectors/every policy, mode, order and remap has a line",
		ts_vectors_test_complete);
	g_test_add_func("/shares differ by one at most and add up", test_share);
	g_test_add_func("/the default width is DeepGEMM's", test_default_width);
	g_test_add_func("/random numbers/quotients are exact", test_quotient);
	g_test_add_func(
		"/random numbers/requests give each element to one CTA", test_random_requests);
	for (size_t i = 0; i < G_N_ELEMENTS(wide); i++) {
		g_autofree char *path = g_strdup_printf("/the largest plans/%s", wide[i]);

		g_test_add_data_func(path, wide[i], test_wide);
	}
	g_test_add_func("/the largest plans/the row of stream-k", test_wide_row);
	g_test_add_func("/the largest plans/the ends of a queue", test_far_ends_of_queues);
	g_test_add_func("/what cannot be scheduled is refused", test_refusals);
	g_test_add_func("/a problem of one item", test_one_item);
	g_test_add_func("/steps are bounded", test_steps_max);
	g_test_add_func("/modes of worksteal use what they need", test_worksteal_modes);
	g_test_add_func("/names end", test_names_end);
	ts_plans_add();
	g_test_add_func("/a problem without M, N or K is valid", test_empty);
	return g_test_run();
}
