/* Scenarios: any text is refused, or makes units whose times and factors are usable, and places for
 * workers on them. Each line is an option without its dashes: mask xcd3, slow any4:1.5, ... */
#include "sim/scenario.h"

#include <string.h>

#include "sim/machine.h"
#include "sim/settings.h"
#include "tests/fuzz/target.h"

/* One of each vendor, with unequal groups where they can be. */
static const char *const devices[] = {
	"[device]\nname=A\nvendor=amd\nxcds=3\ncus_per_xcd=5\nclock_mhz=1\ndram_gbps=1\n",
	"[device]\nname=B\nvendor=nvidia\nsms=19\ngpcs=7;4;8\noccupancy=2\nclock_mhz=1\n"
	"dram_gbps=1\nmax_cluster=8\n",
};

struct lists {
	GPtrArray *slow, *hold, *release;
};

static void read_line(struct ts_settings *s, struct lists *lists, const char *line)
{
	const char *value = strchr(line, ' ');
	g_autofree char *word = value == NULL ? NULL : g_strndup(line, (gsize)(value++ - line));
	char **single = NULL;
	GPtrArray *list = NULL;

	if (g_strcmp0(word, "mask") == 0)
		single = &s->mask;
	else if (g_strcmp0(word, "jitter") == 0)
		single = &s->jitter;
	else if (g_strcmp0(word, "seed") == 0)
		single = &s->seed;
	else if (g_strcmp0(word, "slow") == 0)
		list = lists->slow;
	else if (g_strcmp0(word, "hold") == 0)
		list = lists->hold;
	else if (g_strcmp0(word, "release") == 0)
		list = lists->release;
	if (single != NULL) {
		g_free(*single);
		*single = g_strdup(value);
	}
	if (list != NULL)
		g_ptr_array_add(list, g_strdup(value));
}

static char **end_list(GPtrArray *list)
{
	g_ptr_array_add(list, NULL);
	return (char **)g_ptr_array_free(list, FALSE);
}

static void check_places(
	const struct ts_device *d, const struct ts_scenario *scenario, uint32_t ctas)
{
	struct ts_machine machine;
	uint32_t worker;

	ts_machine_init(&machine, d, scenario, ctas, 50);
	g_assert_cmpuint(machine.count, <=, ts_machine_residency(d, ctas));
	for (uint32_t i = 0; i < machine.count; i++) {
		const struct ts_place *place = &machine.places[i];

		g_assert_cmpuint(place->unit, <, d->units);
		g_assert_false(scenario->units[place->unit].masked);
		g_assert_cmpuint(place->group, <, d->groups);
		if (ts_machine_enter(&machine, place, &worker))
			g_assert_cmpuint(worker, <, 50);
	}
	ts_machine_finish(&machine);
}

static void check(const struct ts_device *d, const struct ts_scenario *scenario)
{
	g_assert_true(scenario->jitter >= 0 && scenario->jitter < 1);
	for (uint32_t i = 0; i < d->units; i++) {
		const struct ts_unit *u = &scenario->units[i];

		g_assert_true(u->slow >= 1);
		g_assert_cmpuint(u->hold_from, <=, u->hold_to);
	}
	check_places(d, scenario, 1);
	check_places(d, scenario, d->max_cluster);
}

static void try(const struct ts_settings *s, const char *text)
{
	const uint8_t *bytes = (const uint8_t *)text;
	struct ts_device *d = ts_device_load(ts_fuzz_file(bytes, strlen(text)), NULL);
	struct ts_scenario scenario;
	GError *error = NULL;

	g_assert_nonnull(d);
	if (ts_settings_scenario(s, d, &scenario, &error)) {
		check(d, &scenario);
		ts_scenario_finish(&scenario);
	} else {
		ts_fuzz_refused(error);
	}
	ts_device_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = ts_fuzz_text(data, size);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	struct lists lists = {g_ptr_array_new(), g_ptr_array_new(), g_ptr_array_new()};
	struct ts_settings s = {0};

	for (size_t i = 0; lines[i] != NULL; i++)
		read_line(&s, &lists, lines[i]);
	s.slow = end_list(lists.slow);
	s.hold = end_list(lists.hold);
	s.release = end_list(lists.release);
	for (size_t i = 0; i < G_N_ELEMENTS(devices); i++)
		try(&s, devices[i]);
	ts_settings_finish(&s);
	return 0;
}
