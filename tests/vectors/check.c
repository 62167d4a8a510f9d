/* What the policies answer, written as the golden tables write it, so that text is compared. */
#include <string.h>

#include "tests/vectors/read.h"

/* Which policies, modes, orders and remaps have been asked for by a line. */
static struct {
	bool policies[TS_POLICIES], modes[TS_MODES], orders[TS_ORDERS], remaps[TS_REMAPS];
	bool shapes[TS_SHAPES], row_orders[TS_ROW_ORDERS], layouts[TS_LAYOUTS],
		group_orders[TS_GROUP_ORDERS];
	bool hybrids[TS_HYBRIDS];
} seen;

static void append_item(GString *out, const struct ts_plan *p, const struct ts_step *s)
{
	if (out->len > 0)
		g_string_append_c(out, ' ');
	if (p->groups > 1)
		g_string_append_printf(out, "%u:", s->g);
	for (uint32_t rank = 0; rank < p->cluster_m * p->cluster_n; rank++) {
		struct ts_tile tile = ts_cta_tile(p, s, rank);

		if (rank > 0)
			g_string_append_c(out, '/');
		if (tile.valid)
			g_string_append_printf(out, "%u,%u", tile.m, tile.n);
		else
			g_string_append_c(out, '-');
	}
}

/* So that a worker that never stops gives a wrong answer instead of none. */
static uint64_t steps_max(const struct ts_plan *p)
{
	return 2 * (uint64_t)p->items + p->counters + 1;
}

/* All items of worker `id`. From `counter` it gets answers from 0 on, from others none. */
static char *worker_items(const struct ts_plan *p, uint32_t id, uint32_t counter)
{
	struct ts_worker w = ts_worker_make(id, id % p->domains);
	GString *out = g_string_new(NULL);
	uint32_t answer = 0;
	uint32_t claims = 0;

	for (uint64_t left = steps_max(p); left > 0; left--) {
		struct ts_step s = ts_next(p, &w, answer);

		if (s.act == TS_STOP)
			break;
		if (s.act == TS_CLAIM)
			answer = s.counter == counter ? claims++ : TS_COUNT_MAX;
		else
			append_item(out, p, &s);
	}
	return g_string_free(out, FALSE);
}

/* Every step of worker `id`, as steps.txt writes them. */
static char *worker_steps(const struct ts_plan *p, uint32_t id)
{
	struct ts_worker w = ts_worker_make(id, id % p->domains);
	GString *out = g_string_new(NULL);

	for (uint64_t left = 4 * steps_max(p); left > 0; left--) {
		struct ts_step s = ts_next(p, &w, 0);
		bool whole = s.k_begin == 0 && s.k_end == p->depth;

		switch (s.act) {
		case TS_STOP: return g_string_free(out, FALSE);
		case TS_WORK:
			append_item(out, p, &s);
			if (!whole || !s.owns || s.parts > 0)
				g_string_append_printf(out, "[%u,%u)", s.k_begin, s.k_end);
			if (!s.owns)
				g_string_append_printf(out, ">%u", s.slot);
			else if (!whole || s.parts > 0)
				g_string_append_c(out, '=');
			break;
		case TS_SIGNAL:
			g_string_append_printf(out, " +%u", s.counter);
			g_string_append(out, s.value == 1 ? "" : " by another value");
			break;
		case TS_WAIT: g_string_append_printf(out, " ?%u=%u", s.counter, s.value); break;
		case TS_FIX_UP:
			g_string_append_printf(out, " <%u:%u", s.slot, s.parts);
			g_string_append(out, s.owns ? "" : " without writing");
			break;
		case TS_CLAIM: g_string_append_printf(out, " claim %u", s.counter); break;
		}
	}
	g_string_append(out, " and no end");
	return g_string_free(out, FALSE);
}

/* Every counter that worker `id` claims from while all are empty. */
static char *worker_tries(const struct ts_plan *p, uint32_t id)
{
	struct ts_worker w = ts_worker_make(id, id % p->domains);
	GString *out = g_string_new(NULL);

	for (uint64_t left = steps_max(p); left > 0; left--) {
		struct ts_step s = ts_next(p, &w, TS_COUNT_MAX);

		if (s.act != TS_CLAIM)
			break;
		g_string_append_printf(out, "%s%u", out->len > 0 ? " " : "", s.counter);
	}
	return g_string_free(out, FALSE);
}

static void append_group(GString *out, uint32_t index, const char *group)
{
	g_string_append(out, index > 0 ? " | " : "");
	g_string_append(out, *group != '\0' ? group : "none");
}

/* The items of `counter`, as all workers get them that claim from it. */
static char *counter_items(const struct ts_plan *p, uint32_t counter)
{
	char *items = g_strdup("");

	for (uint32_t id = 0; id < p->workers; id++) {
		g_autofree char *own = worker_items(p, id, counter);

		if (*own == '\0')
			continue;
		g_assert_true(*items == '\0' || strcmp(items, own) == 0);
		g_free(items);
		items = g_steal_pointer(&own);
	}
	return items;
}

/* "3:0,2" for k iterations 0 to 2 of each tile row, one group after another. */
static char *depths(const struct ts_plan *p)
{
	GString *out = g_string_new(NULL);

	for (uint32_t g = 0; g < p->groups; g++) {
		const struct ts_plan *grid = ts_grid(p, g);
		GString *group = g_string_new(NULL);

		for (uint32_t m = 0; m < grid->rows; m++)
			g_string_append_printf(
				group, "%s%u", m > 0 ? " " : "", ts_shape_depth(grid, m));
		append_group(out, g, group->str);
		g_string_free(group, TRUE);
	}
	return g_string_free(out, FALSE);
}

/* The row of A and C at which each group begins. */
static char *group_rows(const struct ts_plan *p)
{
	GString *out = g_string_new(NULL);

	for (uint32_t g = 0; g < p->groups; g++)
		g_string_append_printf(
			out, "%s%" G_GUINT64_FORMAT, g > 0 ? " " : "", ts_group_row(p, g));
	return g_string_free(out, FALSE);
}

static char *answer_of(const char *what, const struct ts_plan *p)
{
	GString *out = g_string_new(NULL);
	bool counters = strcmp(what, "counters") == 0;
	bool tries = strcmp(what, "tries") == 0;
	bool steps = strcmp(what, "steps") == 0;

	if (strcmp(what, "depths") == 0 || strcmp(what, "rows") == 0) {
		g_string_free(out, TRUE);
		return what[0] == 'd' ? depths(p) : group_rows(p);
	}

	if (strcmp(what, "walk") == 0)
		for (uint32_t id = 0; id < p->items; id++) {
			struct ts_worker w = ts_worker_make(id, 0);
			struct ts_step s = ts_next(p, &w, 0);

			append_item(out, p, &s);
		}
	else if (strcmp(what, "claims") == 0)
		for (uint32_t answer = 0; answer <= p->items; answer++) {
			struct ts_worker w = ts_worker_make(0, 0);
			struct ts_step s = ts_next(p, &w, 0);

			g_assert_cmpint(ts_next(p, &w, 0).act, ==, TS_CLAIM);
			s = ts_next(p, &w, answer);
			if (s.act == TS_WORK)
				append_item(out, p, &s);
		}
	else if (strcmp(what, "ids") == 0)
		for (uint32_t id = 0; id < p->items; id++)
			g_string_append_printf(out, "%s%u", id > 0 ? " " : "", ts_remap_id(p, id));
	else
		for (uint32_t i = 0; i < (counters ? p->counters : p->workers); i++) {
			g_autofree char *group = counters ? counter_items(p, i)
				: tries                   ? worker_tries(p, i)
				: steps                   ? worker_steps(p, i)
							  : worker_items(p, i, UINT32_MAX);

			append_group(out, i, group);
		}
	return g_string_free(out, FALSE);
}

static void check_line(
	const char *at, const char *what, const struct ts_spec *spec, const char *answer)
{
	struct ts_plan plan = {0};
	enum ts_status status = ts_plan_make(&plan, spec);
	g_autofree char *got = status == TS_OK ? answer_of(what, &plan) : NULL;

	seen.policies[spec->policy] = true;
	seen.modes[spec->mode] |= spec->policy == TS_WORKSTEAL && plan.counters > 0;
	seen.hybrids[spec->hybrid] |= spec->policy == TS_STREAM_K && plan.counters > 0;
	seen.orders[spec->order] = true;
	seen.remaps[spec->remap] = true;
	seen.shapes[spec->shape] = true;
	seen.row_orders[spec->row_order] = true;
	seen.layouts[spec->layout] = true;
	seen.group_orders[spec->group_order] = true;
	if (g_strcmp0(got, answer) != 0)
		g_test_fail_printf("%s: %s is\n  %s, must be\n  %s", at, what,
			status == TS_OK ? got : ts_status_text(status), answer);
}

void ts_vectors_test(gconstpointer name)
{
	ts_vectors_read(name, check_line);
}

void ts_vectors_test_complete(void)
{
	for (int i = 0; i < TS_POLICIES; i++)
		if (!seen.policies[i])
			g_test_fail_printf(
				"no line for policy %s", ts_policy((enum ts_policy_id)i).name);
	for (int i = 0; i < TS_MODES; i++)
		if (!seen.modes[i])
			g_test_fail_printf("no line for mode %s", ts_mode_name((enum ts_mode)i));
	for (int i = 0; i < TS_HYBRIDS; i++)
		if (!seen.hybrids[i])
			g_test_fail_printf(
				"no line for hybrid %s", ts_hybrid_name((enum ts_hybrid)i));
	for (int i = 0; i < TS_ORDERS; i++)
		if (!seen.orders[i])
			g_test_fail_printf("no line for order %s", ts_order_name((enum ts_order)i));
	for (int i = 0; i < TS_REMAPS; i++)
		if (!seen.remaps[i])
			g_test_fail_printf("no line for remap %s", ts_remap_name((enum ts_remap)i));
	for (int i = 0; i < TS_SHAPES; i++)
		if (!seen.shapes[i])
			g_test_fail_printf(
				"no line for shape %s", ts_shape_name((enum ts_shape_kind)i));
	for (int i = 0; i < TS_ROW_ORDERS; i++)
		if (!seen.row_orders[i])
			g_test_fail_printf(
				"no line for rows %s", ts_row_order_name((enum ts_row_order)i));
	for (int i = 0; i < TS_GROUP_ORDERS; i++)
		if (!seen.group_orders[i])
			g_test_fail_printf("no line for groups %s",
				ts_group_order_name((enum ts_group_order)i));
	for (int i = 0; i < TS_LAYOUTS; i++)
		if (!seen.layouts[i])
			g_test_fail_printf(
				"no line for layout %s", ts_layout_name((enum ts_layout)i));
}
