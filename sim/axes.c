/* Lists, ranges and names of the command line. */
#include "sim/axes.h"

#include <string.h>

#include "sim/aliases.h"
#include "sim/refuse.h"

/* What an axis holds. */
enum kind { NAMES, NUMBERS, PAIRS, TRIPLES, LISTS };

static const char *policy_name(uint32_t i)
{
	return ts_policy((enum ts_policy_id)i).name;
}

static const char *mode_name(uint32_t i)
{
	return ts_mode_name((enum ts_mode)i);
}

static const char *hybrid_name(uint32_t i)
{
	return ts_hybrid_name((enum ts_hybrid)i);
}

static const char *order_name(uint32_t i)
{
	return ts_order_name((enum ts_order)i);
}

static const char *remap_name(uint32_t i)
{
	return ts_remap_name((enum ts_remap)i);
}

static const char *shape_name(uint32_t i)
{
	return ts_shape_name((enum ts_shape_kind)i);
}

static const char *row_order_name(uint32_t i)
{
	return ts_row_order_name((enum ts_row_order)i);
}

static const char *collective_name(uint32_t i)
{
	return ts_collective_name((enum ts_collective)i);
}

static const char *layout_name(uint32_t i)
{
	return ts_layout_name((enum ts_layout)i);
}

static const char *group_order_name(uint32_t i)
{
	return ts_group_order_name((enum ts_group_order)i);
}

struct axis {
	const char *name;
	enum kind kind;
	const char *help;
	const char *preset;               /* where the option is not given */
	const char *(*names)(uint32_t i); /* NULL past the last one */
};

static const struct axis axes[TS_AXES] = {
	[TS_AXIS_POLICY] = {"policy", NAMES,
		"data-parallel, persistent, worksteal, stream-k, split-k or clc, or an alias; "
		"`tilesim policies` lists them",
		"persistent", policy_name},
	[TS_AXIS_MODE] = {"mode", NAMES, "of worksteal: steal, slots, global or hierarchical",
		"steal", mode_name},
	[TS_AXIS_ORDER] = {"order", NAMES,
		"grouped-m (default), grouped-n, snake-m, snake-n, row, column, hilbert, morton, "
		"auto, ...; `tilesim policies` lists them",
		"grouped-m", order_name},
	[TS_AXIS_WIDTH] = {"swizzle", NUMBERS,
		"width of the order's panels, in clusters (0: 8 or 16 by DeepGEMM's rule)", "0",
		NULL},
	[TS_AXIS_REMAP] = {"remap", NAMES,
		"none, chiplet, chunked or rotated; worksteal --mode global: chiplet", "none",
		remap_name},
	[TS_AXIS_CHUNK] = {"chunk", NUMBERS,
		"ids per XCD and turn of the chunked remap (0: swizzle squared, at most a share), "
		"or "
		"how far the rotated one goes (0: an XCD's share)",
		"0", NULL},
	[TS_AXIS_CLUSTER] = {"cluster", PAIRS, "tiles in a cluster, such as 2x1", "1x1", NULL},
	[TS_AXIS_BLOCK] = {"block", TRIPLES, "BLOCK_M x BLOCK_N x BLOCK_K, such as 256x256x64",
		"256x256x64", NULL},
	[TS_AXIS_WORKERS] = {"workers", NUMBERS,
		"CTAs or clusters launched (default: as many as fit)", NULL, NULL},
	[TS_AXIS_XCDS] = {"xcds", NUMBERS, "XCDs (default: the device's)", NULL, NULL},
	[TS_AXIS_SLOTS] = {"counters", NUMBERS, "counters per XCD of worksteal", "1", NULL},
	[TS_AXIS_LOCAL] = {"local", NUMBERS, "percent that hierarchical worksteal deals to XCDs",
		"90", NULL},
	[TS_AXIS_SPLITS] = {"splits", NUMBERS, "parts of each tile's k iterations, of split-k", "2",
		NULL},
	[TS_AXIS_HYBRID] = {"hybrid", NAMES,
		"of stream-k: two-tile (it cuts the last wave and a full one), one-tile (the last "
		"wave) or basic (all)",
		"two-tile", hybrid_name},
	[TS_AXIS_MIN_K] = {"min-k", NUMBERS, "k iterations of a worker at least, of stream-k", "8",
		NULL},
	[TS_AXIS_K_GROUPS] = {"k-groups", NUMBERS,
		"groups of workers with the same k ranges at most, of stream-k (CUTLASS: 8)", "1",
		NULL},
	[TS_AXIS_SHAPE] = {"shape", NAMES,
		"rectangle, triangle (tiles on and below the diagonal) or causal (k up to the row)",
		"rectangle", shape_name},
	[TS_AXIS_COLLECTIVE] = {"collective", NAMES,
		"beside the GEMM: none, all-gather (of the rows of A) or reduce-scatter (of those "
		"of C)",
		"none", collective_name},
	[TS_AXIS_RANKS] = {"ranks", NUMBERS, "GPUs of the collective", "1", NULL},
	[TS_AXIS_RANK] = {"rank", NUMBERS, "this GPU's number among them", "0", NULL},
	[TS_AXIS_RANK_CHUNKS] = {"rank-chunks", NUMBERS, "chunks in which a rank's rows are moved",
		"1", NULL},
	[TS_AXIS_ROW_ORDER] = {"row-order", NAMES,
		"ascending, descending (longest first, of a causal shape), fold (last, first, ...) "
		"or rank (as a collective brings or takes them)",
		"ascending", row_order_name},
	[TS_AXIS_BATCH] = {"batch", NUMBERS,
		"batches or heads: copies of the problem, or of each "
		"group",
		"1", NULL},
	[TS_AXIS_SECTION] = {"section", NUMBERS,
		"copies of a batch that take turns, item by item (0: all)", "1", NULL},
	[TS_AXIS_LAYOUT] = {"layout", NAMES,
		"of groups: contiguous, or masked, each with a capacity of M rows", "contiguous",
		layout_name},
	[TS_AXIS_GROUP_ORDER] = {"group-order", NAMES,
		"of a list: given, or longest (most k iterations) first", "given",
		group_order_name},
	[TS_AXIS_GROUPS] = {"groups", LISTS,
		"rows of each group (expert): 512,0,384, or MxNxK for each, or a list's name or "
		"file",
		NULL, NULL},
	[TS_AXIS_M] = {"m", NUMBERS, "rows of A and C", "8192", NULL},
	[TS_AXIS_N] = {"n", NUMBERS, "columns of B and C", "8192", NULL},
	[TS_AXIS_K] = {"k", NUMBERS, "columns of A, rows of B", "8192", NULL},
};

const char *ts_axis_name(enum ts_axis axis)
{
	return axes[axis].name;
}

const char *ts_axis_help(enum ts_axis axis)
{
	return axes[axis].help;
}

static void add(struct ts_axes *a, enum ts_axis axis, const struct ts_span *span)
{
	g_array_append_vals(a->spans[axis], span, 1);
	a->sizes[axis] += span->count;
}

/* The numbers of aliases among those of policies; TS_POLICIES itself is a policy file's. */
enum { ALIAS_FIRST = TS_POLICIES + 1 };

static const struct ts_alias *alias_of(uint32_t policy)
{
	return policy < ALIAS_FIRST ? NULL : ts_alias(policy - ALIAS_FIRST);
}

static bool parse_alias(struct ts_axes *a, enum ts_axis axis, const char *word)
{
	uint32_t i = axis == TS_AXIS_POLICY ? ts_alias_find(word) : UINT32_MAX;
	struct ts_span span = {{(int64_t)i + ALIAS_FIRST, 0, 0}, 1, 1};

	if (i == UINT32_MAX)
		return false;
	add(a, axis, &span);
	return true;
}

static bool parse_name(struct ts_axes *a, enum ts_axis axis, const char *word, GError **error)
{
	g_autoptr(GString) all = g_string_new(NULL);
	g_autofree char *full = g_strdup(word);
	bool every = strcmp(word, "all") == 0;
	bool found = false;

	if (parse_alias(a, axis, word))
		return true;
	if (axis == TS_AXIS_ORDER && (strcmp(word, "grouped") == 0 || strcmp(word, "snake") == 0)) {
		g_free(full);
		full = g_strconcat(word, "-m", NULL);
	}
	for (uint32_t i = 0; axes[axis].names(i) != NULL; i++) {
		struct ts_span span = {{i, 0, 0}, 1, 1};

		g_string_append_printf(all, "%s, ", axes[axis].names(i));
		if (!every && strcmp(full, axes[axis].names(i)) != 0)
			continue;
		add(a, axis, &span);
		found = true;
	}
	if (!found)
		return ts_refuse(error, "--%s: there is no %s '%s'; there are: %sor all%s",
			axes[axis].name, axes[axis].name, word, all->str,
			axis == TS_AXIS_POLICY ? ", and aliases: `tilesim policies` lists them"
					       : "");
	return true;
}

/* One number, FROM:TO or FROM:TO:STEP. */
static bool parse_numbers(struct ts_axes *a, enum ts_axis axis, const char *word, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(word, ":", -1);
	guint count = g_strv_length(parts);
	struct ts_span span = {{0, 0, 0}, 1, 1};
	int64_t to;
	bool good = count >= 1 && count <= 3 && ts_parse_int(parts[0], &span.first[0]);

	if (good && count >= 2) {
		good = ts_parse_int(parts[1], &to) && to >= span.first[0] &&
			span.first[0] >= -TS_COUNT_MAX && to <= INT64_C(1) << 40;
		if (good && count == 3)
			good = ts_parse_int(parts[2], &span.step) && span.step >= 1;
		if (good)
			span.count = (uint64_t)((to - span.first[0]) / span.step) + 1;
	}
	if (!good)
		return ts_refuse(error,
			"--%s %s: write a whole number, FROM:TO or FROM:TO:STEP with FROM <= TO "
			"and STEP >= "
			"1, or several of these with commas",
			axes[axis].name, word);
	add(a, axis, &span);
	return true;
}

static bool parse_tuple(struct ts_axes *a, enum ts_axis axis, const char *word, GError **error)
{
	guint wanted = axes[axis].kind == PAIRS ? 2 : 3;
	g_auto(GStrv) parts = g_strsplit(word, "x", -1);
	struct ts_span span = {{0, 0, 0}, 1, 1};
	bool good = g_strv_length(parts) == wanted;

	for (guint i = 0; good && i < wanted; i++)
		good = ts_parse_int(parts[i], &span.first[i]);
	if (!good)
		return ts_refuse(error, "--%s %s: write %s, or several of these with commas",
			axes[axis].name, word,
			wanted == 2 ? "two whole numbers such as 2x1"
				    : "three whole numbers such as 256x256x64");
	add(a, axis, &span);
	return true;
}

static bool parse(struct ts_axes *a, enum ts_axis axis, const char *text, GError **error)
{
	g_auto(GStrv) words = g_strsplit(text, ",", -1);

	if (words[0] == NULL)
		return ts_refuse(error, "--%s: the value is empty", axes[axis].name);
	for (size_t i = 0; words[i] != NULL; i++) {
		bool good = true;

		switch (axes[axis].kind) {
		case NAMES: good = parse_name(a, axis, words[i], error); break;
		case NUMBERS: good = parse_numbers(a, axis, words[i], error); break;
		case PAIRS:
		case TRIPLES: good = parse_tuple(a, axis, words[i], error); break;
		case LISTS: break;
		}
		if (!good)
			return false;
	}
	return true;
}

/* Lists of groups, or none. */
static bool parse_lists(
	struct ts_axes *a, enum ts_axis axis, const char *text, GPtrArray *lists, GError **error)
{
	struct ts_span span = {{-1, 0, 0}, 1, 1};

	if (text != NULL) {
		span.first[0] = lists->len;
		if (!ts_group_lists_parse(lists, text, error))
			return false;
		span.count = lists->len - (uint64_t)span.first[0];
	}
	add(a, axis, &span);
	return true;
}

bool ts_axes_init(struct ts_axes *a, char *const *texts, const struct ts_device *device,
	int64_t max_cluster, int64_t max_counters, GPtrArray *lists, GError **error)
{
	bool overflow = false;

	memset(a, 0, sizeof *a);
	a->base = ts_spec_default();
	a->base.max_cluster = max_cluster;
	a->base.max_counters = max_counters;
	a->default_workers = texts[TS_AXIS_WORKERS] == NULL;
	for (enum ts_axis i = 0; i < TS_AXES; i++)
		a->given[i] = texts[i] != NULL;
	a->count = 1;
	a->lists = lists;
	for (enum ts_axis i = 0; i < TS_AXES; i++) {
		const char *text = texts[i] == NULL ? axes[i].preset : texts[i];
		struct ts_span device_says = {{device->xcds, 0, 0}, 1, 1};

		a->spans[i] = g_array_new(FALSE, FALSE, sizeof(struct ts_span));
		if (axes[i].kind == LISTS) {
			if (!parse_lists(a, i, text, lists, error))
				return ts_axes_finish(a), false;
		} else if (text == NULL) {
			add(a, i, &device_says);
		} else if (!parse(a, i, text, error)) {
			return ts_axes_finish(a), false;
		}
		if (!g_uint64_checked_mul(&a->count, a->count, a->sizes[i]))
			overflow = true;
	}
	if (overflow)
		a->count = UINT64_MAX;
	return true;
}

void ts_axes_finish(struct ts_axes *a)
{
	for (enum ts_axis i = 0; i < TS_AXES; i++)
		g_clear_pointer(&a->spans[i], g_array_unref);
}

bool ts_axes_have(const struct ts_axes *a, enum ts_axis axis, int64_t value)
{
	for (guint i = 0; i < a->spans[axis]->len; i++) {
		const struct ts_span *span = &g_array_index(a->spans[axis], struct ts_span, i);
		uint64_t above = (uint64_t)value - (uint64_t)span->first[0];

		if (value >= span->first[0] && above % (uint64_t)span->step == 0 &&
			above / (uint64_t)span->step < span->count)
			return true;
	}
	return false;
}

bool ts_axes_have_policy(const struct ts_axes *a, enum ts_policy_id id)
{
	const char *name = ts_policy(id).name;

	for (guint i = 0; i < a->spans[TS_AXIS_POLICY]->len; i++) {
		const struct ts_alias *alias = alias_of(
			(uint32_t)g_array_index(a->spans[TS_AXIS_POLICY], struct ts_span, i)
				.first[0]);

		if (alias != NULL && strcmp(alias->axes[TS_AXIS_POLICY], name) == 0)
			return true;
	}
	return ts_axes_have(a, TS_AXIS_POLICY, id);
}

/* Puts a value of the axis into the request. */
static void put(
	const GPtrArray *lists, enum ts_axis axis, const int64_t value[3], struct ts_spec *s)
{
	switch (axis) {
	case TS_AXIS_POLICY: s->policy = (uint32_t)value[0]; break;
	case TS_AXIS_MODE: s->mode = (enum ts_mode)value[0]; break;
	case TS_AXIS_ORDER: s->order = (enum ts_order)value[0]; break;
	case TS_AXIS_WIDTH: s->width = value[0]; break;
	case TS_AXIS_REMAP: s->remap = (enum ts_remap)value[0]; break;
	case TS_AXIS_CHUNK: s->chunk = value[0]; break;
	case TS_AXIS_CLUSTER:
		s->cluster_m = value[0];
		s->cluster_n = value[1];
		break;
	case TS_AXIS_BLOCK:
		s->block_m = value[0];
		s->block_n = value[1];
		s->block_k = value[2];
		break;
	case TS_AXIS_WORKERS: s->workers = value[0]; break;
	case TS_AXIS_XCDS: s->domains = value[0]; break;
	case TS_AXIS_SLOTS: s->slots = value[0]; break;
	case TS_AXIS_LOCAL: s->local_percent = value[0]; break;
	case TS_AXIS_SPLITS: s->splits = value[0]; break;
	case TS_AXIS_HYBRID: s->hybrid = (enum ts_hybrid)value[0]; break;
	case TS_AXIS_MIN_K: s->min_k = value[0]; break;
	case TS_AXIS_K_GROUPS: s->k_groups = value[0]; break;
	case TS_AXIS_SHAPE: s->shape = (enum ts_shape_kind)value[0]; break;
	case TS_AXIS_COLLECTIVE: s->collective = (enum ts_collective)value[0]; break;
	case TS_AXIS_RANKS: s->ranks = value[0]; break;
	case TS_AXIS_RANK: s->rank = value[0]; break;
	case TS_AXIS_RANK_CHUNKS: s->rank_chunks = value[0]; break;
	case TS_AXIS_ROW_ORDER: s->row_order = (enum ts_row_order)value[0]; break;
	case TS_AXIS_BATCH: s->batch = value[0]; break;
	case TS_AXIS_SECTION: s->section = value[0]; break;
	case TS_AXIS_LAYOUT: s->layout = (enum ts_layout)value[0]; break;
	case TS_AXIS_GROUP_ORDER: s->group_order = (enum ts_group_order)value[0]; break;
	case TS_AXIS_GROUPS:
		ts_group_list_set(value[0] < 0 ? NULL : g_ptr_array_index(lists, value[0]), s);
		break;
	case TS_AXIS_M: s->m = value[0]; break;
	case TS_AXIS_N: s->n = value[0]; break;
	case TS_AXIS_K: s->k = value[0]; break;
	case TS_AXES: break;
	}
}

/* Puts value number `index` of the axis into the request. */
static void set(const struct ts_axes *a, enum ts_axis axis, uint64_t index, struct ts_spec *s)
{
	const struct ts_span *span = (const struct ts_span *)(gpointer)a->spans[axis]->data;
	int64_t value[3];

	for (; index >= span->count; span++)
		index -= span->count;
	memcpy(value, span->first, sizeof value);
	value[0] += (int64_t)index * span->step;
	put(a->lists, axis, value, s);
}

/* What the request's policy looks at. A policy file may look at anything but a mode. */
static uint32_t uses(const struct ts_spec *s)
{
	if (s->policy >= TS_POLICIES)
		return TS_USES_SLOTS | TS_USES_LOCAL | TS_USES_SPLITS | TS_USES_HYBRID;
	return ts_policy((enum ts_policy_id)s->policy).uses(s->mode);
}

/* Does the axis say anything, given what the others say? Where it does not, only its first value is
 * taken: all of them would be the same schedule. */
static bool matters(enum ts_axis axis, const struct ts_spec *s)
{
	switch (axis) {
	case TS_AXIS_MODE: return (uses(s) & TS_USES_MODE) != 0;
	case TS_AXIS_SLOTS: return (uses(s) & TS_USES_SLOTS) != 0;
	case TS_AXIS_LOCAL: return (uses(s) & TS_USES_LOCAL) != 0;
	case TS_AXIS_SPLITS: return (uses(s) & TS_USES_SPLITS) != 0;
	case TS_AXIS_HYBRID:
	case TS_AXIS_MIN_K:
	case TS_AXIS_K_GROUPS: return (uses(s) & TS_USES_HYBRID) != 0;
	case TS_AXIS_WIDTH: return ts_order_has_width(s->order);
	case TS_AXIS_CHUNK: return ts_remap_has_chunk(s->remap);
	case TS_AXIS_RANKS:
	case TS_AXIS_RANK:
	case TS_AXIS_RANK_CHUNKS: return s->collective != TS_ALONE;
	case TS_AXIS_ROW_ORDER: return s->shape != TS_TRIANGLE;
	case TS_AXIS_SECTION: return s->batch > 1;
	case TS_AXIS_LAYOUT:
	case TS_AXIS_GROUP_ORDER: return ts_spec_has_list(s);
	case TS_AXIS_POLICY:
	case TS_AXIS_ORDER:
	case TS_AXIS_REMAP:
	case TS_AXIS_CLUSTER:
	case TS_AXIS_BLOCK:
	case TS_AXIS_WORKERS:
	case TS_AXIS_XCDS:
	case TS_AXIS_SHAPE:
	case TS_AXIS_COLLECTIVE:
	case TS_AXIS_BATCH:
	case TS_AXIS_GROUPS:
	case TS_AXIS_M:
	case TS_AXIS_N:
	case TS_AXIS_K:
	case TS_AXES: break;
	}
	return true;
}

/* Puts in what the alias says of an axis. */
static void put_alias(const struct ts_alias *alias, enum ts_axis axis, struct ts_spec *s)
{
	const char *text = alias->axes[axis];
	int64_t value[3] = {0, 0, 0};

	if (axes[axis].kind == NAMES)
		while (strcmp(axes[axis].names((uint32_t)value[0]), text) != 0)
			value[0]++;
	for (size_t i = 0; axes[axis].kind != NAMES && i < G_N_ELEMENTS(value); i++) {
		char *end;

		value[i] = g_ascii_strtoll(text, &end, 10);
		text = *end == 'x' ? end + 1 : end;
	}
	put(NULL, axis, value, s);
}

/* An alias's axes but for those that were given, or that say nothing beside those; then the remap
 * that suits the mode, unless somebody says otherwise. */
static void settle(const struct ts_axes *a, struct ts_spec *s)
{
	const struct ts_alias *alias = alias_of(s->policy);
	bool remap = a->given[TS_AXIS_REMAP];

	if (alias != NULL) {
		put_alias(alias, TS_AXIS_POLICY, s);
		remap = remap || alias->axes[TS_AXIS_REMAP] != NULL;
	}
	for (enum ts_axis i = TS_AXIS_POLICY + 1; alias != NULL && i < TS_AXES; i++)
		if (alias->axes[i] != NULL && !a->given[i] && matters(i, s))
			put_alias(alias, i, s);
	if ((uses(s) & TS_USES_MODE) == 0)
		s->mode = TS_STEAL;
	else if (!remap)
		s->remap = ts_policy((enum ts_policy_id)s->policy).remap(s->mode);
}

/* Reads request `index`, and returns the first axis in which it repeats another one, or TS_AXES.
 * Whether an axis matters depends on those before it only. */
static enum ts_axis decode(const struct ts_axes *a, uint64_t index, struct ts_spec *ret_spec)
{
	uint64_t at[TS_AXES];

	*ret_spec = a->base;
	for (int i = TS_AXES - 1; i >= 0; i--) {
		at[i] = 0;
		if (a->sizes[i] == 1) /* as most have, and divisions take long */
			continue;
		at[i] = index % a->sizes[i];
		index /= a->sizes[i];
	}
	for (enum ts_axis i = 0; i < TS_AXES; i++)
		set(a, i, at[i], ret_spec);
	settle(a, ret_spec);
	for (enum ts_axis i = 0; i < TS_AXES; i++)
		if (at[i] > 0 && !matters(i, ret_spec))
			return i;
	return TS_AXES;
}

bool ts_axes_spec(const struct ts_axes *a, uint64_t index, struct ts_spec *ret_spec)
{
	return decode(a, index, ret_spec) == TS_AXES;
}

uint64_t ts_axes_skip(const struct ts_axes *a, uint64_t index)
{
	struct ts_spec spec;
	int axis = (int)decode(a, index, &spec);
	uint64_t alike = 1; /* requests in a row that are the same up to that axis */

	for (int i = TS_AXES - 1; i > axis; i--)
		alike *= a->sizes[i];
	return (index / alike + 1) * alike;
}

void ts_axes_draw(const struct ts_axes *a, GRand *random, struct ts_spec *ret_spec)
{
	*ret_spec = a->base;
	for (enum ts_axis i = 0; i < TS_AXES; i++) {
		uint64_t high = g_rand_int(random);
		uint64_t low = g_rand_int(random);

		set(a, i, (high << 32 | low) % a->sizes[i], ret_spec);
	}
	settle(a, ret_spec);
}
