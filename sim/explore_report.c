/* Explorations as text and as JSON. */
#include "sim/explore_report.h"

#include "sim/report.h"
#include "sim/request.h"

static char *finding_text(const struct ts_exploration *x)
{
	g_autofree char *text = ts_finding_text(&x->explored.finding, &x->plan);

	return g_strdup_printf("%s: %s", ts_fault_name(x->explored.finding.fault), text);
}

/* Why an exploration without a fault is no proof; NULL if it is one. Free with g_free(). */
static char *limit_text(const struct ts_explored *e)
{
	switch (e->limit) {
	case TS_LIMIT_NONE: break;
	case TS_LIMIT_STATES:
		return g_strdup_printf(
			"stopped at %" G_GUINT64_FORMAT
			" states: every order of up to %" G_GUINT64_FORMAT
			" moves is tried, longer ones are not; --states allows more, as "
			"far as memory does",
			e->states, e->depth);
	case TS_LIMIT_LOWERED:
		return g_strdup("a signal lowers a counter: workers that go round for ever would "
				"not be noticed");
	}
	return NULL;
}

static char *counts_text(const struct ts_explored *e)
{
	guint outcomes = g_hash_table_size(e->outcomes);

	return g_strdup_printf("%" G_GUINT64_FORMAT " states, %" G_GUINT64_FORMAT
			       " moves, %" G_GUINT64_FORMAT " ends with %u %s",
		e->states, e->moves, e->ends, outcomes, outcomes == 1 ? "outcome" : "outcomes");
}

/* The schedule's lines, then who waits for whom. NULL past the last one. Free with g_free(). */
static char *line(const struct ts_exploration *x, guint i, guint *ret_stuck)
{
	const GArray *schedule = x->explored.schedule, *blocked = x->explored.blocked;

	*ret_stuck = i >= schedule->len;
	if (i < schedule->len)
		return ts_event_text(&g_array_index(schedule, struct ts_event, i), &x->plan);
	i -= schedule->len;
	if (i < blocked->len)
		return ts_blocked_text(&g_array_index(blocked, struct ts_blocked, i));
	return NULL;
}

static void print_failure(const struct ts_exploration *x, const struct ts_exploration *smallest)
{
	g_autofree char *found = finding_text(x);
	g_autofree char *small = finding_text(smallest);
	char *text;
	guint stuck;

	g_print("FAILED       %s\nfound with   %s\nschedule     %s:\n", found, x->command,
		x->explored.shortest ? "none is shorter" : "others may be shorter");
	for (guint i = 0; (text = line(x, i, &stuck)) != NULL; i++) {
		if (stuck)
			g_print("stuck        %s\n", text);
		else
			g_print("%12u %s\n", i + 1, text);
		g_free(text);
	}
	g_print("smallest     %s\nrepeat with  %s\n", small, smallest->command);
}

void ts_exploration_print(const struct ts_exploration *x, const struct ts_exploration *smallest)
{
	const struct ts_explored *e = &x->explored;
	g_autofree char *plan = ts_request_plan_text(&x->plan);
	g_autofree char *counts = counts_text(e);
	g_autofree char *limit = limit_text(e);

	g_print("plan         %s\nexplored     %s\n", plan, counts);
	if (e->finding.fault != TS_SOUND)
		print_failure(x, smallest);
	else if (limit != NULL)
		g_print("no fault yet %s\n", limit);
	else
		g_print("sound        every schedule there is ends, and computes each tile once "
			"and "
			"in bounds\n");
}

void ts_exploration_print_row(const struct ts_exploration *x)
{
	const struct ts_explored *e = &x->explored;
	g_autoptr(GString) options = g_string_new(NULL);
	g_autofree char *counts = counts_text(e);
	g_autofree char *finding = NULL;
	const char *verdict = e->limit == TS_LIMIT_NONE ? "sound" : "no fault yet";

	if (e->finding.fault != TS_SOUND)
		verdict = "FAILED";
	ts_request_options(&x->spec, NULL, options);
	g_print("%-12s %s:%s\n", verdict, counts, options->str);
	if (e->finding.fault != TS_SOUND)
		g_print("             %s\n", finding = finding_text(x));
}

/* The schedule, or who is stuck at its end. */
static void add_lines(
	JsonBuilder *b, const char *name, const struct ts_exploration *x, guint wanted)
{
	char *text;
	guint stuck;

	json_builder_set_member_name(b, name);
	json_builder_begin_array(b);
	for (guint i = 0; (text = line(x, i, &stuck)) != NULL; i++) {
		if (stuck == wanted)
			json_builder_add_string_value(b, text);
		g_free(text);
	}
	json_builder_end_array(b);
}

void ts_exploration_add(
	JsonBuilder *b, const struct ts_exploration *x, const struct ts_exploration *smallest)
{
	const struct ts_explored *e = &x->explored;
	g_autofree char *finding = finding_text(x);
	g_autofree char *limit = limit_text(e);
	bool failed = e->finding.fault != TS_SOUND;

	json_builder_begin_object(b);
	ts_json_text_member(b, "verdict", ts_fault_name(e->finding.fault));
	json_builder_set_member_name(b, "exact");
	json_builder_add_boolean_value(b, failed || limit == NULL);
	ts_json_count(b, "states", e->states);
	ts_json_count(b, "moves", e->moves);
	ts_json_count(b, "ends", e->ends);
	ts_json_count(b, "outcomes", g_hash_table_size(e->outcomes));
	if (!failed && limit != NULL) {
		ts_json_count(b, "moves_tried", e->depth);
		ts_json_text_member(b, "limit", limit);
	}
	ts_json_text_member(b, "command", x->command);
	if (failed) {
		ts_json_text_member(b, "finding", finding);
		json_builder_set_member_name(b, "shortest");
		json_builder_add_boolean_value(b, e->shortest);
		add_lines(b, "schedule", x, 0);
		add_lines(b, "stuck", x, 1);
	}
	if (smallest != NULL)
		ts_json_text_member(b, "smallest_command", smallest->command);
	json_builder_end_object(b);
}
