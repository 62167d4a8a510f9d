/* Requests and plans in words. */
#include "sim/request.h"

#include <string.h>
#include <unistd.h>

#include "sim/refuse.h"
#include "verify/coverage.h"

/* The first group of the list that is refused; false if there is none. */
static bool put_group(GString *out, enum ts_status status, const struct ts_spec *s)
{
	int64_t most = status == TS_OVER_CAPACITY ? s->m : TS_COUNT_MAX;

	for (int64_t i = 0; i < s->list_count; i++) {
		int64_t m = s->list_m != NULL ? s->list_m[i] : s->m;
		int64_t n = s->list_n != NULL ? s->list_n[i] : s->n;
		int64_t k = s->list_k != NULL ? s->list_k[i] : s->k;

		if (ts_in_range(m, 0, most) && ts_in_range(n, 0, TS_COUNT_MAX) &&
			ts_in_range(k, 0, TS_COUNT_MAX) && (status != TS_UNEVEN_TRIANGLE || m == n))
			continue;
		g_string_append_printf(out,
			"group %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			"x%" G_GINT64_FORMAT,
			i, m, n, k);
		if (status == TS_OVER_CAPACITY)
			g_string_append_printf(out, " with M=%" G_GINT64_FORMAT, s->m);
		if (status == TS_UNEVEN_TRIANGLE)
			g_string_append(out, " (--groups MxNxK,... gives all sizes of each)");
		return true;
	}
	return false;
}

/* What was given, for the sentence of ts_status_text(). */
static void put_given(GString *out, enum ts_status status, const struct ts_spec *s)
{
	switch (status) {
	case TS_BAD_SIZE:
	case TS_MANY_TILES:
		g_string_append_printf(out,
			"M=%" G_GINT64_FORMAT ", N=%" G_GINT64_FORMAT ", K=%" G_GINT64_FORMAT, s->m,
			s->n, s->k);
		if (status == TS_BAD_SIZE)
			break;
		g_string_append(out, " in ");
		G_GNUC_FALLTHROUGH;
	case TS_BAD_BLOCK:
		g_string_append_printf(out,
			"blocks of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
			s->block_m, s->block_n, s->block_k);
		break;
	case TS_BAD_CLUSTER:
		g_string_append_printf(out, "cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
			s->cluster_m, s->cluster_n);
		break;
	case TS_BIG_CLUSTER:
		g_string_append_printf(out,
			"cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			" on a device whose clusters have at most %" G_GINT64_FORMAT
			" CTAs (--max-cluster says otherwise)",
			s->cluster_m, s->cluster_n, s->max_cluster);
		break;
	case TS_BAD_WIDTH:
	case TS_UNUSED_WIDTH:
		g_string_append_printf(out, "--swizzle %" G_GINT64_FORMAT " with --order %s",
			s->width, ts_order_name(s->order));
		break;
	case TS_BAD_CHUNK:
	case TS_UNUSED_CHUNK:
		g_string_append_printf(out, "--chunk %" G_GINT64_FORMAT " with --remap %s",
			s->chunk, ts_remap_name(s->remap));
		break;
	case TS_BAD_WORKERS:
		g_string_append_printf(out, "%" G_GINT64_FORMAT " workers", s->workers);
		break;
	case TS_BAD_DOMAINS:
		g_string_append_printf(out, "%" G_GINT64_FORMAT " XCDs", s->domains);
		break;
	case TS_BAD_SLOTS:
	case TS_UNUSED_SLOTS:
		g_string_append_printf(out, "%" G_GINT64_FORMAT " counters per XCD", s->slots);
		break;
	case TS_FEW_COUNTERS:
		if (s->policy == TS_STREAM_K || s->policy == TS_SPLIT_K) {
			g_string_append_printf(
				out, "--max-counters %" G_GINT64_FORMAT, s->max_counters);
			break;
		}
		g_string_append_printf(out,
			"%" G_GINT64_FORMAT " XCDs with %" G_GINT64_FORMAT
			" counters each, of %" G_GINT64_FORMAT " given",
			s->domains, s->slots, s->max_counters);
		break;
	case TS_BAD_PERCENT:
		g_string_append_printf(
			out, "a local share of %" G_GINT64_FORMAT " percent", s->local_percent);
		break;
	case TS_BAD_SPLITS:
	case TS_MANY_SPLITS:
		g_string_append_printf(out,
			"%" G_GINT64_FORMAT " splits of M=%" G_GINT64_FORMAT ", N=%" G_GINT64_FORMAT
			", K=%" G_GINT64_FORMAT,
			s->splits, s->m, s->n, s->k);
		break;
	case TS_UNEVEN_K: g_string_append(out, "tiles with unequal k iterations"); break;
	case TS_BAD_HYBRID: g_string_append_printf(out, "hybrid %d", (int)s->hybrid); break;
	case TS_BAD_MIN_K:
		g_string_append_printf(out, "--min-k %" G_GINT64_FORMAT, s->min_k);
		break;
	case TS_BAD_K_GROUPS:
		g_string_append_printf(out, "--k-groups %" G_GINT64_FORMAT, s->k_groups);
		break;
	case TS_BAD_BATCH:
		g_string_append_printf(out, "--batch %" G_GINT64_FORMAT, s->batch);
		if (ts_spec_has_list(s))
			g_string_append_printf(
				out, " of %" G_GINT64_FORMAT " groups", s->list_count);
		break;
	case TS_BAD_SECTION:
		g_string_append_printf(out, "--section %" G_GINT64_FORMAT, s->section);
		break;
	case TS_BAD_LIST:
		g_string_append_printf(out, "%" G_GINT64_FORMAT " groups", s->list_count);
		break;
	case TS_BAD_LIST_SIZE:
	case TS_OVER_CAPACITY: put_group(out, status, s); break;
	case TS_UNUSED_LAYOUT:
		g_string_append_printf(out, "--layout %s", ts_layout_name(s->layout));
		break;
	case TS_UNEVEN_TRIANGLE:
		g_string_append(out, "--shape triangle with ");
		if (!put_group(out, status, s))
			g_string_append_printf(
				out, "M=%" G_GINT64_FORMAT ", N=%" G_GINT64_FORMAT, s->m, s->n);
		g_string_append_printf(out,
			", blocks of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
			" and clusters of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
			s->block_m, s->block_n, s->cluster_m, s->cluster_n);
		break;
	case TS_UNUSED_ROW_ORDER:
		g_string_append_printf(out, "--row-order %s with --shape %s and --collective %s",
			ts_row_order_name(s->row_order), ts_shape_name(s->shape),
			ts_collective_name(s->collective));
		break;
	case TS_UNUSED_COLLECTIVE:
		g_string_append_printf(out, "--collective %s", ts_collective_name(s->collective));
		break;
	case TS_BAD_RANKS:
	case TS_BAD_RANK:
	case TS_BAD_RANK_CHUNKS:
	case TS_UNUSED_RANKS:
		g_string_append_printf(out,
			"--rank %" G_GINT64_FORMAT " of --ranks %" G_GINT64_FORMAT
			" with --rank-chunks %" G_GINT64_FORMAT,
			s->rank, s->ranks, s->rank_chunks);
		break;
	case TS_BAD_COLLECTIVE:
		g_string_append_printf(out, "collective %d", (int)s->collective);
		break;
	case TS_BAD_LAYOUT: g_string_append_printf(out, "layout %d", (int)s->layout); break;
	case TS_BAD_GROUP_ORDER:
		g_string_append_printf(out, "group order %d", (int)s->group_order);
		break;
	case TS_BAD_SHAPE: g_string_append_printf(out, "shape %d", (int)s->shape); break;
	case TS_BAD_ROW_ORDER:
		g_string_append_printf(out, "row order %d", (int)s->row_order);
		break;
	case TS_BAD_POLICY: g_string_append_printf(out, "policy %u", s->policy); break;
	case TS_BAD_MODE: g_string_append_printf(out, "mode %d", (int)s->mode); break;
	case TS_BAD_ORDER: g_string_append_printf(out, "order %d", (int)s->order); break;
	case TS_BAD_REMAP: g_string_append_printf(out, "remap %d", (int)s->remap); break;
	case TS_OK:
	case TS_STATUSES: break;
	}
}

bool ts_request_plan_as(struct ts_plan *ret_plan, const struct ts_spec *spec,
	const struct ts_rules *rules, GError **error)
{
	g_autoptr(GString) given = g_string_new(NULL);
	struct ts_policy policy = ts_rules_policy(rules, spec->policy);
	enum ts_status status = TS_BAD_POLICY;

	if (policy.plan != NULL)
		status = ts_plan_make_as(ret_plan, spec, &policy);
	if (status == TS_OK)
		return true;
	put_given(given, status, spec);
	return ts_refuse(error, "%s: %s", given->str, ts_status_text(status));
}

bool ts_request_plan(struct ts_plan *ret_plan, const struct ts_spec *spec, GError **error)
{
	return ts_request_plan_as(ret_plan, spec, NULL, error);
}

bool ts_request_fits(const struct ts_plan *p, uint64_t more, GError **error)
{
	uint64_t there = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t taken = ts_coverage_bytes(p) + more;

	if (taken <= there / 2)
		return true;
	return ts_refuse(error,
		"%" G_GUINT64_FORMAT
		" tiles in %u groups with %u counters and %u slots for partial sums take %.1f GB "
		"to check, more than half of the %.1f GB of this machine; use a smaller problem, "
		"larger blocks, a smaller batch, fewer counters or fewer splits",
		p->cells, p->groups, p->counters, p->workspace, (double)taken / 1e9,
		(double)there / 1e9);
}

/* A policy file's policy is called by its file in the command, and so here. */
static const char *policy_name(uint32_t id)
{
	const char *name = ts_policy((enum ts_policy_id)id).name;

	return name == NULL ? "policy file" : name;
}

static bool has_mode(uint32_t id)
{
	return id < TS_POLICIES &&
		(ts_policy((enum ts_policy_id)id).uses(TS_STEAL) & TS_USES_MODE) != 0;
}

/* The options of cut items that the policy looks at, or that are not at their default. */
static void put_cuts(const struct ts_spec *s, GString *out)
{
	const struct ts_spec preset = ts_spec_default();
	uint32_t uses = 0;

	if (s->policy < TS_POLICIES)
		uses = ts_policy((enum ts_policy_id)s->policy).uses(s->mode);
	if ((uses & TS_USES_SPLITS) != 0 || s->splits != preset.splits)
		g_string_append_printf(out, " --splits %" G_GINT64_FORMAT, s->splits);
	if ((uses & TS_USES_HYBRID) != 0 || s->hybrid != preset.hybrid)
		g_string_append_printf(out, " --hybrid %s", ts_hybrid_name(s->hybrid));
	if (s->min_k != preset.min_k)
		g_string_append_printf(out, " --min-k %" G_GINT64_FORMAT, s->min_k);
	if (s->k_groups != preset.k_groups)
		g_string_append_printf(out, " --k-groups %" G_GINT64_FORMAT, s->k_groups);
}

static void put_groups(const struct ts_spec *s, const GPtrArray *lists, GString *out)
{
	g_autofree char *groups = NULL;
	g_autofree char *quoted = NULL;

	if (ts_spec_has_list(s)) {
		groups = ts_group_list_text(lists, s);
		quoted = g_shell_quote(groups);
		g_string_append_printf(out, " --groups %s",
			strpbrk(groups, " '\"\\$`;&|<>()*?[]#~!{}\t") == NULL ? groups : quoted);
	}
	if (s->group_order != TS_GROUPS_GIVEN)
		g_string_append_printf(
			out, " --group-order %s", ts_group_order_name(s->group_order));
	if (s->layout != TS_CONTIGUOUS)
		g_string_append_printf(out, " --layout %s", ts_layout_name(s->layout));
	if (s->batch != 1)
		g_string_append_printf(out, " --batch %" G_GINT64_FORMAT, s->batch);
	if (s->section != 1)
		g_string_append_printf(out, " --section %" G_GINT64_FORMAT, s->section);
	if (s->shape != TS_RECTANGLE)
		g_string_append_printf(out, " --shape %s", ts_shape_name(s->shape));
	if (s->collective != TS_ALONE)
		g_string_append_printf(out,
			" --collective %s --ranks %" G_GINT64_FORMAT " --rank %" G_GINT64_FORMAT
			" --rank-chunks %" G_GINT64_FORMAT,
			ts_collective_name(s->collective), s->ranks, s->rank, s->rank_chunks);
	if (s->row_order != TS_ROWS_ASCENDING)
		g_string_append_printf(out, " --row-order %s", ts_row_order_name(s->row_order));
}

void ts_request_options(const struct ts_spec *s, const GPtrArray *lists, GString *out)
{
	if (!ts_spec_has_list(s) || s->layout == TS_MASKED)
		g_string_append_printf(out, " --m %" G_GINT64_FORMAT, s->m);
	g_string_append_printf(out,
		" --n %" G_GINT64_FORMAT " --k %" G_GINT64_FORMAT " --block %" G_GINT64_FORMAT
		"x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
		s->n, s->k, s->block_m, s->block_n, s->block_k);
	put_groups(s, lists, out);
	if (s->policy < TS_POLICIES)
		g_string_append_printf(out, " --policy %s", policy_name(s->policy));
	if (has_mode(s->policy))
		g_string_append_printf(out, " --mode %s", ts_mode_name(s->mode));
	if (s->slots != 1)
		g_string_append_printf(out, " --counters %" G_GINT64_FORMAT, s->slots);
	if (s->mode == TS_HIERARCHICAL || s->local_percent != ts_spec_default().local_percent)
		g_string_append_printf(out, " --local %" G_GINT64_FORMAT, s->local_percent);
	put_cuts(s, out);
	g_string_append_printf(out, " --order %s", ts_order_name(s->order));
	if (s->width != 0)
		g_string_append_printf(out, " --swizzle %" G_GINT64_FORMAT, s->width);
	g_string_append_printf(out, " --remap %s", ts_remap_name(s->remap));
	if (s->chunk != 0)
		g_string_append_printf(out, " --chunk %" G_GINT64_FORMAT, s->chunk);
	g_string_append_printf(out,
		" --cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " --workers %" G_GINT64_FORMAT
		" --xcds %" G_GINT64_FORMAT,
		s->cluster_m, s->cluster_n, s->workers, s->domains);
}

char *ts_request_policy_text(const struct ts_spec *s)
{
	const char *name = policy_name(s->policy);

	if (s->policy == TS_STREAM_K)
		return g_strdup_printf("%s %s", name, ts_hybrid_name(s->hybrid));
	if (s->policy == TS_SPLIT_K)
		return g_strdup_printf("%s %" G_GINT64_FORMAT, name, s->splits);
	if (!has_mode(s->policy))
		return g_strdup(name);
	return g_strdup_printf("%s %s", name, ts_mode_name(s->mode));
}

uint64_t ts_request_workspace(const struct ts_plan *p)
{
	const uint32_t factors[] = {p->cluster_m, p->cluster_n, p->block_m, p->block_n};
	uint64_t bytes = p->workspace * (uint64_t)sizeof(float);

	for (size_t i = 0; i < G_N_ELEMENTS(factors); i++)
		if (!g_uint64_checked_mul(&bytes, bytes, factors[i]))
			return UINT64_MAX;
	return bytes;
}

static void put_count(GString *out, uint32_t count, const char *noun, const char *after)
{
	g_string_append_printf(out, "%u %s%s%s", count, noun, count == 1 ? "" : "s", after);
}

char *ts_request_plan_text(const struct ts_plan *p)
{
	GString *out = g_string_new(policy_name(p->policy));

	if (has_mode(p->policy))
		g_string_append_printf(out, " %s", ts_mode_name((enum ts_mode)p->mode));
	if (p->policy == TS_STREAM_K)
		g_string_append_printf(out, " %s", ts_hybrid_name((enum ts_hybrid)p->hybrid));
	if (p->splits.by > 1)
		g_string_append_printf(out, " in %u parts", p->splits.by);
	g_string_append_printf(out, ", order %s", ts_order_name((enum ts_order)p->asked_order));
	if (p->order != p->asked_order)
		g_string_append_printf(out, ": %s", ts_order_name((enum ts_order)p->order));
	if (ts_order_has_width((enum ts_order)p->order) && p->items > 0)
		g_string_append_printf(out, " of width %u", p->width.by);
	if (p->remap != TS_REMAP_NONE)
		g_string_append_printf(out, ", remap %s", ts_remap_name((enum ts_remap)p->remap));
	if (p->remap == TS_REMAP_ROTATED && p->items > 0)
		g_string_append_printf(out, " by %u", p->remap_limit);
	if (p->remap == TS_REMAP_CHUNKED && p->items > 0)
		g_string_append_printf(out, " by %u", p->remap_chunk.by);
	if (p->row_order != TS_ROWS_ASCENDING)
		g_string_append_printf(
			out, ", rows %s", ts_row_order_name((enum ts_row_order)p->row_order));
	if (p->section.by > 1)
		g_string_append_printf(out, ", sections of %u", p->section.by);
	g_string_append_printf(out, ", cluster %ux%u: ", p->cluster_m, p->cluster_n);
	put_count(out, p->items, "item", ", ");
	put_count(out, p->workers, "worker", ", ");
	put_count(out, p->domains, "domain", ", ");
	put_count(out, p->counters, "counter", "");
	if (p->shared_items > 0) {
		g_string_append(out, ", ");
		put_count(out, p->shared_items, "item", " cut over ");
		put_count(out, p->units, "worker", "");
	}
	if (p->k_groups.by > 1)
		g_string_append_printf(out, " in %u groups", p->k_groups.by);
	if (p->workspace > 0) {
		g_string_append(out, ", ");
		put_count(out, p->workspace, "workspace slot", "");
	}
	return g_string_free(out, FALSE);
}

char *ts_request_schedule_text(const struct ts_spec *s)
{
	g_autofree char *policy = ts_request_policy_text(s);
	GString *out = g_string_new(policy);

	g_string_append_printf(out, ", %s", ts_order_name(s->order));
	if (s->width != 0)
		g_string_append_printf(out, " %" G_GINT64_FORMAT, s->width);
	if (s->remap != TS_REMAP_NONE)
		g_string_append_printf(out, ", %s", ts_remap_name(s->remap));
	if (s->chunk != 0)
		g_string_append_printf(out, " %" G_GINT64_FORMAT, s->chunk);
	if (s->row_order != TS_ROWS_ASCENDING)
		g_string_append_printf(out, ", rows %s", ts_row_order_name(s->row_order));
	if (s->collective != TS_ALONE)
		g_string_append_printf(out, ", %s, rank %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT,
			ts_collective_name(s->collective), s->rank, s->ranks);
	if (s->rank_chunks != 1)
		g_string_append_printf(out, " in %" G_GINT64_FORMAT " chunks", s->rank_chunks);
	if (s->group_order != TS_GROUPS_GIVEN)
		g_string_append_printf(out, ", groups %s", ts_group_order_name(s->group_order));
	if (s->section != 1)
		g_string_append_printf(out, ", sections of %" G_GINT64_FORMAT, s->section);
	if (s->shape != TS_RECTANGLE)
		g_string_append_printf(out, ", %s", ts_shape_name(s->shape));
	if (s->batch != 1)
		g_string_append_printf(out, ", batch %" G_GINT64_FORMAT, s->batch);
	if (s->cluster_m * s->cluster_n != 1)
		g_string_append_printf(out, ", cluster %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
			s->cluster_m, s->cluster_n);
	g_string_append_printf(out, ", %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
		s->block_m, s->block_n, s->block_k);
	return g_string_free(out, FALSE);
}
