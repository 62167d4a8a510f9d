/* Draws requests and forms. */
#include "sim/gpu_draw.h"

#include "sim/refuse.h"
#include "verify/walk.h"

/* The CPU takes a minute for what a GPU does in a millisecond. */
enum { GPU_MOST = 1500, GPU_DEPTH_MOST = 1000, CPU_MOST = 260, CPU_DEPTH_MOST = 140 };

enum { TRIES = 10000, GAP_MOST = 40 };

/* Every tile of any kernel, with commas; which kernel it will be is not known yet. Free with
 * g_free(). */
static char *list_blocks(void)
{
	static const struct ts_gemm_kind *const kinds[] = {&ts_gemm_sm90, &ts_gemm_mma};
	GString *out = g_string_new(NULL);

	for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_auto(GStrv) words = g_strsplit_set(kinds[k]->blocks, ", ", -1);

		for (size_t i = 0; words[i] != NULL; i++)
			if (g_ascii_isdigit(words[i][0]))
				g_string_append_printf(
					out, "%s%s", out->len > 0 ? "," : "", words[i]);
	}
	return g_string_free(out, FALSE);
}

void ts_gpu_draw_presets(struct ts_settings *s)
{
	static const struct {
		enum ts_axis axis;
		const char *values;
	} presets[] = {{TS_AXIS_POLICY, "all"}, {TS_AXIS_MODE, "all"}, {TS_AXIS_ORDER, "all"},
		{TS_AXIS_WIDTH, "0:9"}, {TS_AXIS_REMAP, "all"}, {TS_AXIS_CHUNK, "0:5"},
		{TS_AXIS_CLUSTER, "1x1,2x1,1x2,2x2,4x1,1x4,4x2,2x4,3x1,3x2"},
		{TS_AXIS_XCDS, "1,2,3,8"}, {TS_AXIS_SLOTS, "1:3"}, {TS_AXIS_LOCAL, "0,50,90,100"},
		{TS_AXIS_SPLITS, "1:5"}, {TS_AXIS_HYBRID, "all"}, {TS_AXIS_MIN_K, "1,2,8"},
		{TS_AXIS_K_GROUPS, "1,2"}};

	/* Of all of them some say nothing beside what was given. */
	s->box = true;
	for (size_t i = 0; i < G_N_ELEMENTS(presets); i++)
		if (s->axes[presets[i].axis] == NULL)
			s->axes[presets[i].axis] = g_strdup(presets[i].values);
	if (s->axes[TS_AXIS_BLOCK] == NULL)
		s->axes[TS_AXIS_BLOCK] = list_blocks();
}

static int64_t pick(GRand *random, int64_t from, int64_t to)
{
	return g_rand_int_range(random, (gint32)from, (gint32)to + 1);
}

/* A size up to `most` of an axis with tiles of `tile` and clusters of `cluster` tiles. */
static int64_t pick_size(GRand *random, int64_t tile, int64_t cluster, int64_t most)
{
	int64_t unit = tile * (pick(random, 0, 1) == 0 ? 1 : cluster);
	int64_t size;

	switch (pick(random, 0, 4)) {
	case 0: return pick(random, 1, MIN(9, most));
	case 1: /* round an edge */
		size = unit * pick(random, 1, MAX(most / unit, 1)) + pick(random, -1, 1);
		return MAX(size, 1);
	case 2: /* some tiles of the last cluster are missing */
		size = unit * pick(random, 0, MAX(most / unit - 1, 0)) + pick(random, 1, tile);
		return size;
	case 3: return pick(random, 0, (most - 1) / 2) * 2 + 1;
	case 4: break;
	}
	return pick(random, 1, most);
}

void ts_gpu_draw_tidy(struct ts_spec *s)
{
	const struct ts_spec preset = ts_spec_default();
	uint32_t uses = ts_policy((enum ts_policy_id)s->policy).uses(s->mode);

	if (!ts_order_has_width(s->order))
		s->width = 0;
	if (!ts_remap_has_chunk(s->remap))
		s->chunk = 0;
	if ((uses & TS_USES_SLOTS) == 0)
		s->slots = preset.slots;
	if ((uses & TS_USES_LOCAL) == 0)
		s->local_percent = preset.local_percent;
	if ((uses & TS_USES_SPLITS) == 0)
		s->splits = preset.splits;
	if ((uses & TS_USES_HYBRID) == 0) {
		s->hybrid = preset.hybrid;
		s->min_k = preset.min_k;
		s->k_groups = preset.k_groups;
	}
}

static void draw_sizes(const struct ts_gpu_gemm *x, GRand *random, struct ts_spec *s)
{
	bool cpu = x->gemm.gpu.ops->only_by_name;
	int64_t most = cpu ? CPU_MOST : GPU_MOST;
	int64_t least_k = x->gemm.kind->align > 1 ? 1 : 0;

	if (!x->axes.given[TS_AXIS_M])
		s->m = pick_size(random, s->block_m, s->cluster_m, most);
	if (!x->axes.given[TS_AXIS_N])
		s->n = pick_size(random, s->block_n, s->cluster_n, most);
	if (!x->axes.given[TS_AXIS_K])
		s->k = pick(random, 0, 31) == 0
			? least_k
			: pick_size(random, s->block_k, 1, cpu ? CPU_DEPTH_MOST : GPU_DEPTH_MOST);
}

/* All that are resident, fewer, or so many that some have to wait for a place. */
static void draw_workers(const struct ts_gpu_gemm *x, GRand *random, struct ts_spec *s)
{
	int64_t resident = ts_gemm_residency(&x->gemm, true, (uint32_t)s->block_m,
		(uint32_t)s->block_n, (uint32_t)s->cluster_m, (uint32_t)s->cluster_n);
	bool waits = !ts_policy((enum ts_policy_id)s->policy).all_resident;

	if (x->axes.given[TS_AXIS_WORKERS])
		return;
	s->workers = MAX(resident, 1);
	if (pick(random, 0, 1) == 0)
		s->workers = pick(random, 1, waits ? 2 * s->workers : s->workers);
}

bool ts_gpu_draw_plan(struct ts_gpu_gemm *x, const struct ts_spec *spec, struct ts_plan *ret_plan)
{
	struct ts_spec copy = *spec;
	struct ts_policy policy = ts_policy((enum ts_policy_id)spec->policy);

	if (!ts_gpu_gemm_plan(x, &copy, ret_plan, NULL))
		return false;
	/* Which domains have workers is then the hardware's matter. */
	if (x->hardware_domain)
		return policy.promise(ret_plan) != TS_NEEDS_EACH_QUEUE;
	return ts_walk_survives(ret_plan, NULL, NULL);
}

bool ts_gpu_draw_use(struct ts_gpu_gemm *x, GError **error)
{
	return ts_gemm_change(&x->gemm, &x->form, x->as, error);
}

/* Types, layouts, gaps and instructions. */
static void draw_form(struct ts_gpu_draw *d, GRand *random)
{
	struct ts_gpu_gemm *x = d->gemm;
	struct ts_gemm_form form = x->form;

	if (d->type)
		form.type = (enum ts_mma_type)pick(random, 0, TS_MMA_TYPES - 1);
	if (d->layout)
		form.layout = (enum ts_mma_layout)pick(random, 0, TS_MMA_LAYOUTS - 1);
	if (d->gap)
		form.gap = pick(random, 0, 1) == 0 ? 0 : (uint32_t)pick(random, 1, GAP_MOST);
	x->form = form;
	if (d->as)
		x->as = ts_gpu_gemm_instructions((uint32_t)g_rand_int(random));
}

bool ts_gpu_draw_next(struct ts_gpu_draw *d, uint64_t index, struct ts_spec *ret_spec,
	struct ts_plan *ret_plan, GError **error)
{
	struct ts_gpu_gemm *x = d->gemm;
	const guint32 seeds[] = {(guint32)x->seed, (guint32)index, (guint32)(index >> 32)};
	GRand *random = g_rand_new_with_seed_array(seeds, G_N_ELEMENTS(seeds));
	bool found = false;

	draw_form(d, random);
	if (!ts_gpu_draw_use(x, error)) {
		g_rand_free(random);
		return false;
	}
	for (uint32_t i = 0; !found && i < TRIES; i++) {
		ts_axes_draw(&x->axes, random, ret_spec);
		ts_gpu_draw_tidy(ret_spec);
		if (!x->gemm.kind->has_block(
			    ret_spec->block_m, ret_spec->block_n, ret_spec->block_k) ||
			!x->gemm.kind->has_cluster(ret_spec->cluster_m, ret_spec->cluster_n))
			continue;
		draw_sizes(x, random, ret_spec);
		draw_workers(x, random, ret_spec);
		found = ts_gpu_draw_plan(x, ret_spec, ret_plan);
	}
	g_rand_free(random);
	return found ||
		ts_refuse(error,
			"there is no kernel or plan for what is asked for: of %d requests none has "
			"one; give more values",
			TRIES);
}
