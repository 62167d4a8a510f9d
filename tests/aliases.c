/* Aliases against the rules of the projects that they are named after, written here once more from
 * those projects' sources in plain integer math, over many shapes. Nothing of policies/ helps. */
#include <string.h>

#include "policies/plan.h"
#include "sim/aliases.h"
#include "sim/axes.h"

/* A grid of tiles, and who computes it: blocks p are dealt to XCDs by p % xcds. */
struct world {
	int64_t rows, cols, workers, xcds;
};

struct tile {
	int64_t m, n;
};

static int64_t ceil_div(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

/* Triton's tutorial 03: GROUP_SIZE_M rows. */
static struct tile triton_grouped(const struct world *w, int64_t pid, int64_t group_size)
{
	int64_t in_group = group_size * w->cols;
	int64_t first_m = pid / in_group * group_size;
	int64_t size_m = MIN(w->rows - first_m, group_size);

	return (struct tile){first_m + pid % in_group % size_m, pid % in_group / size_m};
}

/* Triton's tutorial 09 and aiter's pid_grid: the row from the id itself. */
static struct tile triton_rotated(const struct world *w, int64_t pid, int64_t group_size)
{
	int64_t in_group = group_size * w->cols;
	int64_t first_m = pid / in_group * group_size;
	int64_t size_m = MIN(w->rows - first_m, group_size);

	return (struct tile){first_m + pid % size_m, pid % in_group / size_m};
}

/* aiter's remap_xcd: the first `tall` XCDs have one id more than the others. */
static int64_t remap_xcd(int64_t pid, int64_t grid, int64_t xcds)
{
	int64_t per_xcd = ceil_div(grid, xcds);
	int64_t tall = grid % xcds == 0 ? xcds : grid % xcds;
	int64_t xcd = pid % xcds, local = pid / xcds;

	if (xcd < tall)
		return xcd * per_xcd + local;
	return tall * per_xcd + (xcd - tall) * (per_xcd - 1) + local;
}

/* chiplet_transform_chunked of HipKittens and tritonBLAS. */
static int64_t remap_chunked(int64_t pid, int64_t grid, int64_t xcds, int64_t chunk)
{
	int64_t block = xcds * chunk;

	if (pid > grid / block * block)
		return pid;
	return pid / xcds / chunk * block + pid % xcds * chunk + pid / xcds % chunk;
}

static struct tile aiter(const struct world *w, int64_t id)
{
	return triton_rotated(w, remap_xcd(id, w->rows * w->cols, w->xcds), 4);
}

/* ck_tile's GemmSpatiallyLocalTilePartitioner of as many groups as XCDs and M01 = 4. */
static struct tile ck_spatial(const struct world *w, int64_t id)
{
	int64_t m01 = 4, count = w->rows * w->cols, size = ceil_div(count, w->xcds);
	int64_t big = w->xcds - (size * w->xcds - count), y = id / w->xcds, x = id % w->xcds;
	int64_t r = x <= big ? x * size + y : x * size + big - x + y;
	int64_t row = r / w->cols, col = r % w->cols, rest = w->rows % m01;
	int64_t adapted = row < w->rows - rest ? m01 : rest;
	int64_t local = col + row % m01 * w->cols;

	return (struct tile){row / m01 * m01 + local % adapted, local / adapted};
}

/* The `id`-th block of a padded launch that has a tile: blocks are issued x first. */
static struct tile cutlass_identity(const struct world *w, int64_t id)
{
	int64_t log = w->cols >= 6 ? 3 : w->cols >= 3 ? 2 : w->cols >= 2 ? 1 : 0;
	int64_t across = w->rows << log, block = 0;

	for (;; block++) {
		int64_t m = block % across >> log;
		int64_t n = (block / across << log) + (block % across & ((1 << log) - 1));

		if (n < w->cols && id-- == 0)
			return (struct tile){m, n};
	}
}

/* The `id`-th tile inside the grid of CUTLASS' padded walk; the power of two is by the shorter side
 * in tiles, and `most` is max_swizzle_size. */
static struct tile cutlass_swizzled(const struct world *w, int64_t id, int64_t most)
{
	int64_t least = MIN(w->rows, w->cols);
	int64_t log = most >= 8 && least >= 6 ? 3
		: most >= 4 && least >= 3     ? 2
		: most >= 2 && least >= 2     ? 1
					      : 0;
	int64_t rows = ceil_div(w->rows, 1 << log) << log,
		cols = ceil_div(w->cols, 1 << log) << log;
	bool along_m = cols > rows;
	int64_t majors = along_m ? rows : cols;

	for (int64_t at = 0;; at++) {
		int64_t offset = at & ((1 << log) - 1), extra = at >> log;
		int64_t minor = (extra / majors << log) + offset, major = extra % majors;
		struct tile t = {along_m ? major : minor, along_m ? minor : major};

		if (t.m < w->rows && t.n < w->cols && id-- == 0)
			return t;
	}
}

static struct tile cutlass_persistent(const struct world *w, int64_t id)
{
	return cutlass_swizzled(w, id, 1);
}

static struct tile cutlass_persistent_8(const struct world *w, int64_t id)
{
	return cutlass_swizzled(w, id, 8);
}

static struct tile cutlass_persistent_4(const struct world *w, int64_t id)
{
	return cutlass_swizzled(w, id, 4);
}

/* DeepGEMM with 256 x 128 blocks and multicast over two CTAs, of A where `on_a`. */
static struct tile deep_gemm(const struct world *w, int64_t id, bool on_a)
{
	const int64_t block_m = 256, block_n = 128;
	int64_t primary = on_a ? w->cols : w->rows, secondary = on_a ? w->rows : w->cols;
	int64_t width = 0, best = INT64_MAX, first, in, height;

	for (int64_t g = 8; g <= 16; g += 8) {
		int64_t usage = on_a ? g * block_n + ceil_div(w->workers, g) * block_m
				     : g * block_m + ceil_div(w->workers, g) * block_n;

		if (usage < best) {
			best = usage;
			width = g;
		}
	}
	first = id / (secondary * width) * width;
	in = id % (secondary * width);
	height = MIN(width, primary - first);
	if (height % 2 != 0 && in < (height ^ 1) * secondary) {
		height ^= 1;
	} else if (height % 2 != 0) {
		in -= (height ^ 1) * secondary;
		first += height ^ 1;
		height = 1;
	}
	if (on_a)
		return (struct tile){in / height, first + in % height};
	return (struct tile){first + in % height, in / height};
}

static struct tile deep_gemm_b(const struct world *w, int64_t id)
{
	return deep_gemm(w, id, false);
}

static struct tile deep_gemm_a(const struct world *w, int64_t id)
{
	return deep_gemm(w, id, true);
}

static struct tile hipkittens(const struct world *w, int64_t id)
{
	return triton_grouped(w, remap_chunked(id, w->rows * w->cols, w->xcds, 64), 8);
}

static struct tile hipkittens_w5_c25(const struct world *w, int64_t id)
{
	return triton_grouped(w, remap_chunked(id, w->rows * w->cols, w->xcds, 25), 5);
}

static struct tile tritonblas(const struct world *w, int64_t id)
{
	int64_t group = MIN(8, w->rows), count = w->rows * w->cols;
	int64_t chunk = MIN(group * group, MAX(1, count / w->xcds));

	return triton_grouped(w, remap_chunked(id, count, w->xcds, chunk), group);
}

static struct tile tritonblas_global(const struct world *w, int64_t id)
{
	return triton_grouped(w, remap_xcd(id, w->rows * w->cols, w->xcds), 8);
}

/* QuACK's _swizzle_cta with groups of eight. */
static struct tile quack(const struct world *w, int64_t id)
{
	bool along_m = ceil_div(w->cols, 8) * 8 > ceil_div(w->rows, 8) * 8;
	int64_t fast_count = along_m ? w->rows : w->cols, slow_count = along_m ? w->cols : w->rows;
	int64_t group = MIN(8, fast_count), tail = fast_count % group;
	int64_t index = id / (group * slow_count), in = id % (group * slow_count);
	int64_t size = index < fast_count / group ? group : tail;
	int64_t slow = in / size, fast = index * group + in % size;

	if (index % 2 == 1)
		slow = slow_count - 1 - slow;
	return along_m ? (struct tile){fast, slow} : (struct tile){slow, fast};
}

/* ThunderKittens' H100 GEMM: panels of SUPER_M rows, and a final one of what is left. */
static struct tile thunderkittens(const struct world *w, int64_t id)
{
	const int64_t super_m = 12;
	int64_t super_rows = w->rows / super_m * super_m, final_rows = w->rows - super_rows;
	int64_t super_repeat = super_m * w->cols, rest = id - super_rows * w->cols;

	if (id < super_rows * w->cols)
		return (struct tile){
			super_m * (id / super_repeat) + id % super_m, id % super_repeat / super_m};
	return (struct tile){super_rows + rest % final_rows, rest / final_rows};
}

/* TileLang's PersistentTileScheduler.coord, column major. */
static struct tile tilelang_persistent(const struct world *w, int64_t id)
{
	const int64_t swizzle = 8;
	int64_t group = id / (w->rows * swizzle), base = group * swizzle;
	int64_t width = MAX(1, MIN(swizzle, w->cols - base));
	int64_t in_group = id - group * w->rows * swizzle;

	return (struct tile){in_group / width, base + in_group % width};
}

/* TileLang's rasterization2DRow<10> on a launch grid of (cols, rows). */
static struct tile tilelang_swizzle(const struct world *w, int64_t id)
{
	const int64_t size = 10;
	int64_t panel = id / (size * w->cols), offset = id % (size * w->cols);
	int64_t panels = ceil_div(w->rows * w->cols, size * w->cols);
	int64_t stride =
		panel + 1 < panels ? size : (w->rows * w->cols - panel * size * w->cols) / w->cols;
	int64_t col = panel % 2 == 1 ? w->cols - 1 - offset / stride : offset / stride;

	return (struct tile){offset % stride + panel * size, col};
}

static struct tile triton_grouped_8(const struct world *w, int64_t id)
{
	return triton_grouped(w, id, 8);
}

static struct tile triton_persistent(const struct world *w, int64_t id)
{
	return triton_rotated(w, id, 8);
}

/* tritonBLAS' slots: the claim `c` of counter `counter`, or the end of it. */
static bool tritonblas_slot(
	const struct world *w, int64_t slots, int64_t counter, int64_t c, struct tile *ret_tile)
{
	int64_t count = w->rows * w->cols, per_xcd = ceil_div(count, w->xcds);
	int64_t begin = counter / slots * per_xcd, end = MIN(begin + per_xcd, count);
	int64_t per_slot = ceil_div(end - begin, slots), low = counter % slots * per_slot;
	int64_t high = MIN(low + per_slot, end - begin);

	if (c >= high - low)
		return false;
	*ret_tile = triton_grouped(w, begin + low + c, 8);
	return true;
}

/* FlashAttention-3's head swizzle with sections of eight heads, longest first: `rows` blocks of
 * queries, and as many heads as the world has columns. */
static struct tile fa3_lpt(const struct world *w, int64_t id)
{
	const int64_t section = 8;
	int64_t number = id / (section * w->rows), in = id % (section * w->rows);
	int64_t heads = number < w->cols / section ? section : w->cols % section;

	return (struct tile){w->rows - 1 - in / heads, number * section + in % heads};
}

/* CUTLASS 3.x stream-K: how many tiles are cut, over how many units in how many groups; 0 tiles
 * where its groups are of unequal length. */
struct stream_k {
	int64_t tiles, units, groups;
};

static struct stream_k cutlass_stream_k(const struct world *w, int64_t depth)
{
	int64_t all = w->rows * w->cols, waves = all / w->workers;
	struct stream_k s = {all - (waves > 1 ? waves - 1 : 0) * w->workers, 0, 0};

	if (all % w->workers == 0 || depth <= 8)
		return (struct stream_k){0, 0, 0};
	s.units = MIN(w->workers, depth * s.tiles / 8);
	/* The axis that the raster walks along. */
	s.groups = MIN(8, w->cols > w->rows ? w->rows : w->cols);
	while (s.units % s.groups != 0 || s.tiles % s.groups != 0)
		s.groups--;
	for (int64_t more = s.groups + 1; more <= 8; more++)
		if (s.units % more == 0)
			s.tiles = 0;
	return s;
}

/* By worker: persistent workers take every `workers`-th id, others one. */
struct golden {
	const char *alias;
	struct tile (*tile)(const struct world *w, int64_t id);
	enum { STRIDE, ONE_EACH, CLAIMED, SLOTS, HEADS, CUT } deal;
	const char *order, *width, *chunk; /* given beside the alias */
	int64_t least;                     /* rows and columns for which it is exact */
};

/* Parts of stream-K that were compared. */
static uint64_t cut_parts;

static const struct golden goldens[] = {
	{"aiter", aiter, ONE_EACH, NULL, NULL, NULL, 1},
	{"ck-spatial", ck_spatial, ONE_EACH, NULL, NULL, NULL, 2},
	{"cutlass-identity", cutlass_identity, ONE_EACH, NULL, NULL, NULL, 1},
	{"cutlass-persistent", cutlass_persistent, STRIDE, NULL, NULL, NULL, 1},
	{"cutlass-persistent", cutlass_persistent_8, STRIDE, NULL, "8", NULL, 1},
	{"cutlass-persistent", cutlass_persistent_4, STRIDE, NULL, "7", NULL, 1},
	{"deepgemm", deep_gemm_b, STRIDE, NULL, NULL, NULL, 1},
	{"deepgemm", deep_gemm_a, STRIDE, "paired-n", NULL, NULL, 1},
	{"fa3-lpt", fa3_lpt, HEADS, NULL, NULL, NULL, 1},
	{"hipkittens", hipkittens, ONE_EACH, NULL, NULL, NULL, 1},
	{"hipkittens", hipkittens_w5_c25, ONE_EACH, NULL, "5", "25", 1},
	{"quack-persistent", quack, STRIDE, NULL, NULL, NULL, 1},
	{"streamk", cutlass_persistent, CUT, NULL, NULL, NULL, 1},
	{"thunderkittens", thunderkittens, STRIDE, NULL, NULL, NULL, 1},
	{"tilelang-persistent", tilelang_persistent, STRIDE, NULL, NULL, NULL, 1},
	{"tilelang-swizzle", tilelang_swizzle, ONE_EACH, NULL, NULL, NULL, 1},
	{"triton-grouped", triton_grouped_8, ONE_EACH, NULL, NULL, NULL, 1},
	{"triton-persistent", triton_persistent, STRIDE, NULL, NULL, NULL, 1},
	{"tritonblas", tritonblas, ONE_EACH, NULL, NULL, NULL, 1},
	{"tritonblas-global", tritonblas_global, CLAIMED, NULL, NULL, NULL, 1},
	{"tritonblas-worksteal", NULL, SLOTS, NULL, NULL, NULL, 1},
};

/* The plan that the command line makes of the alias, in blocks of 256 x 128. */
static struct ts_plan make_plan(const struct golden *g, const struct world *w)
{
	char *texts[TS_AXES] = {NULL};
	g_autofree char *m = g_strdup_printf("%" G_GINT64_FORMAT, w->rows * 256 - 3);
	int64_t cols = g->deal == HEADS ? 1 : w->cols;
	g_autofree char *n = g_strdup_printf("%" G_GINT64_FORMAT, cols * 128);
	g_autofree char *batch = g_strdup_printf("%" G_GINT64_FORMAT, w->cols / cols);
	g_autofree char *workers = g_strdup_printf("%" G_GINT64_FORMAT, w->workers);
	g_autofree char *xcds = g_strdup_printf("%" G_GINT64_FORMAT, w->xcds);
	g_autofree char *alias = g_strdup(g->alias);
	g_autofree char *order = g_strdup(g->order);
	g_autofree char *width = g_strdup(g->width);
	g_autofree char *chunk = g_strdup(g->chunk);
	g_autofree char *block = g_strdup("256x128x64");
	g_autoptr(GError) error = NULL;
	struct ts_device *device = ts_device_load("mi300x", &error);
	struct ts_plan plan = {0};
	struct ts_axes axes;
	struct ts_spec spec;

	texts[TS_AXIS_POLICY] = alias;
	texts[TS_AXIS_ORDER] = order;
	texts[TS_AXIS_WIDTH] = width;
	texts[TS_AXIS_CHUNK] = chunk;
	texts[TS_AXIS_BLOCK] = block;
	texts[TS_AXIS_WORKERS] = workers;
	texts[TS_AXIS_XCDS] = xcds;
	texts[TS_AXIS_BATCH] = batch;
	texts[TS_AXIS_M] = m;
	texts[TS_AXIS_N] = n;
	g_assert_no_error(error);
	ts_axes_init(&axes, texts, device, 16, 1 << 20, NULL, &error);
	g_assert_no_error(error);
	g_assert_true(ts_axes_spec(&axes, 0, &spec));
	g_assert_cmpint(ts_plan_make(&plan, &spec), ==, TS_OK);
	g_assert_cmpint(plan.rows, ==, w->rows);
	g_assert_cmpint(plan.cols, ==, cols);
	ts_axes_finish(&axes);
	ts_device_free(device);
	return plan;
}

/* The next step of a worker must be this tile, or an end. */
static bool same(const struct golden *g, const struct world *w, const struct ts_step *s,
	const struct tile *tile)
{
	uint32_t column = g->deal == HEADS ? s->g : s->n;

	if (tile == NULL ? s->act == TS_STOP
			 : s->act == TS_WORK && s->m == tile->m && column == tile->n)
		return true;
	g_test_fail_printf("%s on %d x %d tiles, %d workers, %d XCDs: act %d at %u,%u, must be "
			   "%d,%d",
		g->alias, (int)w->rows, (int)w->cols, (int)w->workers, (int)w->xcds, (int)s->act,
		s->m, column, tile == NULL ? -1 : (int)tile->m, tile == NULL ? -1 : (int)tile->n);
	return false;
}

static bool check_walk(const struct golden *g, const struct world *w, const struct ts_plan *p)
{
	int64_t count = w->rows * w->cols;

	g_assert_cmpint(p->workers, ==, g->deal == STRIDE ? w->workers : count);
	for (uint32_t id = 0; id < p->workers; id++) {
		struct ts_worker worker = ts_worker_make(id, id % p->domains);
		struct ts_step s;

		for (int64_t at = id; at < count; at += p->workers) {
			struct tile tile = g->tile(w, at);

			s = ts_next(p, &worker, 0);
			if (!same(g, w, &s, &tile))
				return false;
		}
		s = ts_next(p, &worker, 0);
		if (!same(g, w, &s, NULL))
			return false;
	}
	return true;
}

/* All claims of one counter, asked for by one worker that begins with it. */
static bool check_counter(const struct golden *g, const struct world *w, const struct ts_plan *p,
	uint32_t counter, uint32_t slots)
{
	uint32_t xcd = counter / slots, slot = counter % slots;
	uint32_t id = g->deal == SLOTS ? xcd + slot * p->domains : 0;
	struct ts_worker worker = ts_worker_make(id, xcd);

	for (int64_t c = 0;; c++) {
		struct ts_step s = ts_next(p, &worker, 0);
		struct tile tile = {0, 0};
		bool more = c < w->rows * w->cols;

		g_assert_cmpint(s.act, ==, TS_CLAIM);
		g_assert_cmpuint(s.counter, ==, counter);
		if (g->deal == SLOTS)
			more = tritonblas_slot(w, slots, counter, c, &tile);
		else if (more)
			tile = g->tile(w, c);
		s = ts_next(p, &worker, (uint32_t)c);
		if (!same(g, w, &s, more ? &tile : NULL))
			return false;
		if (!more)
			return true;
	}
}

/* A unit's parts from its back, if none of them ends near a tile's edge. */
static bool check_unit(const struct golden *g, const struct world *w, const struct ts_plan *p,
	const struct stream_k *cut, int64_t unit, uint64_t *checked)
{
	int64_t group = unit % cut->groups, nth = unit / cut->groups;
	int64_t units = cut->units / cut->groups, depth = p->depth;
	int64_t row = cut->tiles / cut->groups * depth;
	int64_t begin = row / units * nth + MIN(nth, row % units);
	int64_t end = begin + row / units + (nth < row % units ? 1 : 0);
	struct ts_worker worker = ts_worker_make((uint32_t)unit, 0);

	for (int i = 0; i < 2; i++) {
		int64_t inside = (i == 0 ? begin : end) % depth;

		if ((inside > 0 && inside < 8) || inside > depth - 8)
			return true;
	}
	for (int64_t at = (end - 1) / depth; at >= begin / depth; at--) {
		struct tile tile = g->tile(w, at * cut->groups + group);
		struct ts_step s = ts_next(p, &worker, 0);

		while (s.act != TS_WORK && s.act != TS_STOP)
			s = ts_next(p, &worker, 0);
		if (!same(g, w, &s, &tile))
			return false;
		g_assert_cmpint(s.k_begin, ==, MAX(begin - at * depth, 0));
		g_assert_cmpint(s.k_end, ==, MIN(end - at * depth, depth));
		(*checked)++;
	}
	return true;
}

static bool check_cut(const struct golden *g, const struct world *w, const struct ts_plan *p)
{
	struct stream_k cut = cutlass_stream_k(w, p->depth);
	uint64_t checked = 0;

	for (int64_t unit = 0; cut.tiles > 0 && unit < cut.units; unit++)
		if (!check_unit(g, w, p, &cut, unit, &checked))
			return false;
	cut_parts += checked;
	return true;
}

static bool check_world(const struct golden *g, const struct world *w)
{
	enum { COUNTERS = 4 };
	struct ts_plan p = make_plan(g, w);
	bool good = true;

	if (g->deal == STRIDE || g->deal == ONE_EACH)
		return check_walk(g, w, &p);
	if (g->deal == CUT)
		return check_cut(g, w, &p);
	if (g->deal == CLAIMED || g->deal == HEADS)
		return check_counter(g, w, &p, 0, 1);
	/* Ours deals what does not divide evenly. */
	for (uint32_t i = 0;
		good && w->rows * w->cols % (w->xcds * COUNTERS) == 0 && i < p.counters; i++)
		good = check_counter(g, w, &p, i, COUNTERS);
	return good;
}

/* Where nothing was to be compared, nothing was shown. */
static void test_compared(void)
{
	g_test_message("%" G_GUINT64_FORMAT " parts of stream-K", cut_parts);
	g_assert_cmpuint(cut_parts, >, 1000);
}

static void test_golden(const void *data)
{
	static const int64_t sides[] = {1, 2, 3, 5, 6, 7, 8, 9, 11, 13, 16, 17, 25, 31, 40};
	static const int64_t others[][2] = {{1, 1}, {132, 1}, {7, 8}, {304, 8}, {16, 3}};
	const struct golden *g = data;

	for (size_t i = 0; i < G_N_ELEMENTS(sides) * G_N_ELEMENTS(sides); i++)
		for (size_t j = 0; j < G_N_ELEMENTS(others); j++) {
			struct world w = {sides[i / G_N_ELEMENTS(sides)],
				sides[i % G_N_ELEMENTS(sides)], others[j][0], others[j][1]};

			if (w.rows >= g->least && w.cols >= g->least && !check_world(g, &w))
				return;
		}
}

/* Each has a rule above, and sorts where it is looked for. */
static void test_complete(void)
{
	for (uint32_t i = 0; ts_alias(i) != NULL; i++) {
		bool found = false;

		for (size_t j = 0; j < G_N_ELEMENTS(goldens); j++)
			found |= strcmp(goldens[j].alias, ts_alias(i)->name) == 0;
		if (!found)
			g_test_fail_printf("no rule for %s", ts_alias(i)->name);
		g_assert_nonnull(ts_alias(i)->summary);
		g_assert_nonnull(ts_alias(i)->source);
		g_assert_nonnull(ts_alias(i)->axes[TS_AXIS_POLICY]);
		g_assert_cmpuint(ts_alias_find(ts_alias(i)->name), ==, i);
		if (i > 0)
			g_assert_cmpstr(ts_alias(i - 1)->name, <, ts_alias(i)->name);
	}
	g_assert_cmpuint(ts_alias_find("none"), ==, UINT32_MAX);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(goldens); i++) {
		const struct golden *g = &goldens[i];
		g_autofree char *path = g_strdup_printf("/aliases/%s%s%s%s%s", g->alias,
			g->order != NULL ? " " : "", g->order != NULL ? g->order : "",
			g->width != NULL ? " of width " : "", g->width != NULL ? g->width : "");

		g_test_add_data_func(path, g, test_golden);
	}
	g_test_add_func("/aliases/streamk compared", test_compared);
	g_test_add_func("/aliases/each has a rule", test_complete);
	return g_test_run();
}
