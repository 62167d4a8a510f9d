/* The table of goals. */
#include "sim/goals.h"

#include <string.h>

#include "sim/refuse.h"

struct goal {
	const char *name, *option, *argument, *help;
	double most; /* that the option may say */
};

static const struct goal goals[] = {
	[TS_GOAL_IDLE] = {"idle workers", "max-idle", "PERCENT",
		"exit with 1 if more of the workers compute nothing while there are k iterations "
		"to share",
		100},
	[TS_GOAL_EMPTY] = {"empty workers", "max-empty", "PERCENT",
		"exit with 1 if more of the launched workers compute nothing", 100},
	[TS_GOAL_SPLIT] = {"small split", "min-split", "N",
		"exit with 1 if a part of a split tile has fewer k iterations", 2147483647},
	[TS_GOAL_PANELS] = {"locality", "max-panels", "N",
		"exit with 1 if a wave touches more operand panels in the mean", 1e18},
	[TS_GOAL_A_PANELS] = {"locality", "max-a-panels", "N",
		"the same for panels of A alone: blocks of rows", 1e18},
	[TS_GOAL_B_PANELS] = {"locality", "max-b-panels", "N",
		"the same for panels of B alone: blocks of columns", 1e18},
	[TS_GOAL_USEFUL] = {"useful time", "min-useful", "PERCENT",
		"exit with 1 if less of the places' time is useful", 100},
};

void ts_goals_add(struct ts_goals *g, GOptionContext *context, bool timed)
{
	GOptionGroup *group = g_option_group_new("goals", "Goals:", "", NULL, NULL);

	memset(g, 0, sizeof *g);
	for (int i = 0; i < (timed ? TS_GOALS : TS_GOAL_USEFUL); i++) {
		GOptionEntry entry[] = {{goals[i].option, 0, 0, G_OPTION_ARG_STRING, &g->texts[i],
						goals[i].help, goals[i].argument},
			{0}};

		g_option_group_add_entries(group, entry);
	}
	g_option_context_add_group(context, group);
}

bool ts_goals_read(struct ts_goals *g, GError **error)
{
	for (int i = 0; i < TS_GOALS; i++) {
		double value;

		if (g->texts[i] == NULL)
			continue;
		if (!ts_parse_double(g->texts[i], &value) || value < 0 || value > goals[i].most)
			return ts_refuse(error, "--%s %s: must be a number from 0 to %.10g",
				goals[i].option, g->texts[i], goals[i].most);
		g->limits[i] = value;
	}
	return true;
}

void ts_goals_finish(struct ts_goals *g)
{
	for (int i = 0; i < TS_GOALS; i++)
		g_clear_pointer(&g->texts[i], g_free);
}

bool ts_goals_any(const struct ts_goals *g)
{
	for (int i = 0; i < TS_GOALS; i++)
		if (g->texts[i] != NULL)
			return true;
	return false;
}

const char *ts_goal_name(enum ts_goal goal)
{
	return goals[goal].name;
}

static char *idle(const struct ts_balance *b, double limit)
{
	double idle = (double)ts_balance_idle(b), could = (double)ts_balance_could(b);

	if (100 * idle <= limit * could)
		return NULL;
	return g_strdup_printf("%u of %" G_GUINT64_FORMAT
			       " workers compute something, where %.0f could share the work: %.1f "
			       "%% of these are idle",
		b->busy_workers, b->places, could, 100 * idle / could);
}

static char *empty(const struct ts_balance *b, double limit)
{
	uint32_t empty = ts_balance_empty(b);

	if (100.0 * empty <= limit * b->plan->workers)
		return NULL;
	return g_strdup_printf(
		"%u of %u launched workers (%.1f %%) compute nothing, the first of them worker %u",
		empty, b->plan->workers, 100.0 * empty / b->plan->workers,
		ts_balance_first_empty(b));
}

static char *split(const struct ts_balance *b, double limit)
{
	uint32_t least = ts_balance_least(b);

	if (least == 0 || least >= limit)
		return NULL;
	return g_strdup_printf("worker %u computes only k iterations [%u, %u) of tile (%u,%u), %u "
			       "of %u",
		b->least_worker, b->least.k_begin, b->least.k_end, b->least.m, b->least.n, least,
		b->plan->depth);
}

static char *panels(const struct ts_locality *l, enum ts_operands of, double limit)
{
	static const char *const names[] = {" of A", " of B", ""};
	double had = ts_locality_panels_per_wave(l, of);
	const struct ts_wave *worst = &l->worst[of];

	if (had <= limit)
		return NULL;
	return g_strdup_printf("%.1f operand panels%s per wave, up to %u in wave %u of L2 %u", had,
		names[of], worst->panels[of], worst->number, worst->cache);
}

static char *useful(double had, double limit)
{
	return had >= limit ? NULL : g_strdup_printf("%.1f %% of the places' time is useful", had);
}

static char *missed(enum ts_goal goal, double limit, const struct ts_measured *had)
{
	switch (goal) {
	case TS_GOAL_IDLE: return idle(had->balance, limit);
	case TS_GOAL_EMPTY: return empty(had->balance, limit);
	case TS_GOAL_SPLIT: return split(had->balance, limit);
	case TS_GOAL_PANELS: return panels(had->locality, TS_OPERANDS, limit);
	case TS_GOAL_A_PANELS: return panels(had->locality, TS_OPERAND_A, limit);
	case TS_GOAL_B_PANELS: return panels(had->locality, TS_OPERAND_B, limit);
	case TS_GOAL_USEFUL: return useful(100 * had->useful, limit);
	case TS_GOALS: break;
	}
	return NULL;
}

char *ts_goals_missed(const struct ts_goals *g, enum ts_goal goal, const struct ts_measured *had)
{
	g_autofree char *text = NULL;

	if (g->texts[goal] == NULL)
		return NULL;
	text = missed(goal, g->limits[goal], had);
	if (text == NULL)
		return NULL;
	return g_strdup_printf("%s; --%s %s %s", text, goals[goal].option,
		g_str_has_prefix(goals[goal].option, "min") ? "asks for" : "allows",
		g->texts[goal]);
}

void ts_goals_options(const struct ts_goals *g, GString *out)
{
	for (int i = 0; i < TS_GOALS; i++)
		if (g->texts[i] != NULL)
			g_string_append_printf(out, " --%s %s", goals[i].option, g->texts[i]);
}
