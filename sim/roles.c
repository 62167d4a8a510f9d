/* tilesim roles: check the barriers between the roles of a persistent kernel. */
#include "verify/roles.h"

#include <string.h>

#include "sim/command.h"
#include "sim/refuse.h"
#include "sim/report.h"
#include "sim/role_options.h"

static void put_guards(GString *out, const struct ts_roles *m)
{
	for (uint32_t cta = 0; cta < m->ctas; cta++)
		for (uint32_t row = 0; row < TS_GUARD_CONSUMER + m->consumers; row++)
			for (uint32_t i = 0; i < m->items; i++) {
				enum ts_guard guard = (enum ts_guard)m->guards[cta][row][i];

				if (guard == TS_RUNS ||
					(row == TS_GUARD_EPILOGUE && m->accumulators == 0))
					continue;
				g_string_append(out, guard == TS_SKIPS ? " --skip " : " --count ");
				if (m->ctas > 1)
					g_string_append_printf(out, "cta%u.", cta);
				if (row < TS_GUARD_CONSUMER)
					g_string_append(out,
						row == TS_GUARD_PRODUCER ? "producer" : "epilogue");
				else
					g_string_append_printf(
						out, "consumer%u", row - TS_GUARD_CONSUMER);
				g_string_append_printf(out, ":%u", i);
			}
}

/* Returns whether any of the formulas is wave, which has a depth. */
static bool put_formulas(GString *out, const struct ts_roles *m)
{
	const char *const roles[] = {"producer", "consumer", "issuer", "epilogue", "reader"};
	const enum ts_phase phases[] = {
		m->producer, m->consumer, m->issuer, m->epilogue, m->reader};

	for (size_t i = 0; i < G_N_ELEMENTS(phases); i++)
		if (phases[i] != TS_BY_COUNT)
			g_string_append_printf(
				out, " --%s-phase %s", roles[i], ts_phase_name(phases[i]));
	return m->producer == TS_BY_WAVE || m->consumer == TS_BY_WAVE;
}

/* "tilesim roles ..." that checks exactly this model. Free with g_free(). */
static char *command(const struct ts_roles *m)
{
	GString *out = g_string_new("tilesim roles");
	uint32_t depth = 0;

	if (m->ctas > 1)
		g_string_append_printf(out, " --ctas %u", m->ctas);
	g_string_append_printf(out, " --stages %u --consumers %u --accumulators %u", m->stages,
		m->consumers, m->accumulators);
	if (m->slots > 0)
		g_string_append_printf(out, " --slots %u", m->slots);
	g_string_append(out, m->items == 0 ? " --items ''" : " --items ");
	for (uint32_t i = 0; i < m->items; i++) {
		g_string_append_printf(out, "%s%u", i == 0 ? "" : ",", m->k[i]);
		depth = MAX(depth, m->k[i]);
	}
	if (put_formulas(out, m) && depth != m->depth)
		g_string_append_printf(out, " --depth %u", m->depth);
	put_guards(out, m);
	for (int i = 0; i < TS_RINGS; i++) {
		const char *ring = ts_ring_name((enum ts_ring)i);

		if (m->released_early[i])
			g_string_append_printf(out, " --early-release %s", ring);
		if (m->readers[i] > 0)
			g_string_append_printf(out, " --readers %s:%u", ring, m->readers[i]);
	}
	g_string_append_printf(out, "%s%s%s", m->peeled ? " --peel" : "",
		m->one_sided ? " --one-sided" : "", m->at_once ? " --loads at-once" : "");
	return g_string_free(out, FALSE);
}

static void report_success(uint64_t models, uint64_t states, enum ts_format format)
{
	g_autofree char *text = NULL;
	JsonBuilder *b;

	if (format != TS_JSON) {
		g_print("sound        %" G_GUINT64_FORMAT " models, %" G_GUINT64_FORMAT
			" states: every interleaving ends, roles agree on items, stages and "
			"parities\n",
			models, states);
		return;
	}
	b = json_builder_new();
	json_builder_begin_object(b);
	ts_json_text_member(b, "verdict", ts_roles_fault_name(TS_ROLES_SOUND));
	ts_json_count(b, "models", models);
	ts_json_count(b, "states", states);
	json_builder_end_object(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

static void print_failure(const struct ts_roles_result *found, const char *found_command,
	const struct ts_roles_result *small, const char *small_command)
{
	g_print("FAILED       %s: %s\nfound with   %s\nsmallest     %s\nrepeat with  %s\n",
		ts_roles_fault_name(found->fault), found->finding, found_command, small->finding,
		small_command);
	for (uint32_t i = 0; small->steps[i] != NULL; i++)
		g_print("%-9s%3u %s\n", i == 0 ? "steps" : "", i + 1, small->steps[i]);
}

static void print_failure_json(const struct ts_roles_result *found, const char *found_command,
	const struct ts_roles_result *small, const char *small_command)
{
	g_autofree char *text = NULL;
	JsonBuilder *b = json_builder_new();

	json_builder_begin_object(b);
	ts_json_text_member(b, "verdict", ts_roles_fault_name(found->fault));
	ts_json_text_member(b, "finding", found->finding);
	ts_json_text_member(b, "command", found_command);
	ts_json_text_member(b, "smallest_finding", small->finding);
	ts_json_text_member(b, "smallest_command", small_command);
	json_builder_set_member_name(b, "steps");
	json_builder_begin_array(b);
	for (char **step = small->steps; *step != NULL; step++)
		json_builder_add_string_value(b, *step);
	json_builder_end_array(b);
	json_builder_end_object(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

/* The fault as it was found, then in the smallest model like it, step by step. */
static void report_failure(const struct ts_roles *m, const struct ts_roles_result *found,
	uint64_t limit, enum ts_format format)
{
	struct ts_roles smallest = *m;
	struct ts_roles_result small;
	g_autofree char *found_command = command(m);
	g_autofree char *small_command = NULL;

	ts_roles_shrink(&smallest, limit);
	small = ts_roles_check(&smallest, limit);
	small_command = command(&smallest);
	if (format == TS_JSON)
		print_failure_json(found, found_command, &small, small_command);
	else
		print_failure(found, found_command, &small, small_command);
	ts_roles_result_clear(&small);
}

static int check_all(
	const struct ts_role_models *all, uint64_t limit, enum ts_format format, GError **error)
{
	uint64_t states = 0;

	for (uint64_t i = 0; i < all->count; i++) {
		struct ts_roles m = ts_role_models_at(all, i);
		const char *refusal = ts_roles_refusal(&m);
		g_autofree char *words = NULL;
		struct ts_roles_result r;
		enum ts_roles_fault fault;

		if (refusal != NULL) {
			words = command(&m);
			ts_refuse(error, "%s: %s", words, refusal);
			return TS_EXIT_USAGE;
		}
		r = ts_roles_check(&m, limit);
		states += r.states;
		fault = r.fault;
		if (fault == TS_ROLES_UNDECIDED) {
			words = command(&m);
			ts_refuse(error,
				"%s: more states than --limit %" G_GUINT64_FORMAT
				"; raise it or make the model smaller",
				words, limit);
		} else if (fault != TS_ROLES_SOUND) {
			report_failure(&m, &r, limit, format);
		}
		ts_roles_result_clear(&r);
		if (fault != TS_ROLES_SOUND)
			return fault == TS_ROLES_UNDECIDED ? TS_EXIT_USAGE : TS_EXIT_UNSOUND;
	}
	report_success(all->count, states, format);
	return TS_EXIT_OK;
}

static int run(const struct ts_role_options *o, GError **error)
{
	struct ts_role_models all;
	enum ts_format format;
	int64_t limit = 5000000;
	int code;

	if (!ts_format_parse(o->format, &format, error))
		return TS_EXIT_USAGE;
	if (format == TS_CSV) {
		ts_refuse(error, "--format csv: must be text or json here");
		return TS_EXIT_USAGE;
	}
	if (o->limit != NULL &&
		(!ts_parse_int(o->limit, &limit) || limit < 1 || limit > UINT32_MAX - 1)) {
		ts_refuse(error, "--limit %s: must be a number of states from 1 to %u", o->limit,
			UINT32_MAX - 1);
		return TS_EXIT_USAGE;
	}
	if (!ts_role_models_init(&all, o, error))
		return TS_EXIT_USAGE;
	code = check_all(&all, (uint64_t)limit, format, error);
	ts_role_models_finish(&all);
	return code;
}

int ts_roles_command(int argc, char **argv, GError **error)
{
	struct ts_role_options o;
	g_autoptr(GOptionContext) context = ts_role_options_context(&o);
	g_autoptr(GError) cause = NULL;
	g_autofree char *help = NULL;
	char **rest = argv;
	int code = TS_EXIT_USAGE;

	if (!g_option_context_parse(context, &argc, &rest, &cause)) {
		ts_refuse(error, "%s; --help lists the options", cause->message);
	} else if (o.help) {
		help = g_option_context_get_help(context, FALSE, NULL);
		g_print("%s", help);
		code = TS_EXIT_OK;
	} else if (argc > 1) {
		ts_refuse(error, "'%s' is not an option; --help lists them", rest[1]);
	} else {
		code = run(&o, error);
	}
	ts_role_options_finish(&o);
	return code;
}
