/* Sets of units and what is done to them. */
#include "sim/scenario.h"

#include <math.h>
#include <string.h>

#include "sim/refuse.h"

static const double ps_per_us = 1e6;
static const double us_max = 1e12;

/* First unit of a group; units are numbered group by group. */
static uint32_t group_first(const struct ts_device *d, uint32_t group)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < group; i++)
		first += d->group_units[i];
	return first;
}

/* The first `count` units in the order in which the hardware fills the device. */
static void mark_first(const struct ts_device *d, uint32_t count, uint8_t *marks)
{
	for (uint32_t row = 0; count > 0; row++) {
		uint32_t first = 0;

		for (uint32_t g = 0; g < d->groups && count > 0; g++) {
			if (row < d->group_units[g]) {
				marks[first + row] = 1;
				count--;
			}
			first += d->group_units[g];
		}
	}
}

static bool number_after(const char *text, const char *word, const char **ret_rest, uint32_t *ret)
{
	char *end;
	guint64 value;

	if (!g_str_has_prefix(text, word) || !g_ascii_isdigit(text[strlen(word)]))
		return false;
	value = g_ascii_strtoull(text + strlen(word), &end, 10);
	if (value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	*ret_rest = end;
	return true;
}

/* Marks the units of one element of a set. */
static bool mark(const char *name, const struct ts_device *d, uint8_t *marks, GError **error)
{
	const char *rest = "?";
	uint32_t from = 0, to;

	if ((number_after(name, "xcd", &rest, &from) || number_after(name, "gpc", &rest, &from)) &&
		*rest == '\0') {
		if (from >= d->groups)
			return ts_refuse(error, "'%s': the device has %ss 0 to %u", name,
				ts_device_group_word(d), d->groups - 1);
		memset(marks + group_first(d, from), 1, d->group_units[from]);
		return true;
	}
	if (number_after(name, "any", &rest, &from) && *rest == '\0') {
		if (from > d->units)
			return ts_refuse(error, "'%s': the device has %u %ss", name, d->units,
				ts_device_unit_word(d));
		mark_first(d, from, marks);
		return true;
	}
	if (number_after(name, "cu", &rest, &from) || number_after(name, "sm", &rest, &from)) {
		to = from;
		if (*rest == '-' && !number_after(rest, "-", &rest, &to))
			rest = "?";
		if (*rest == '\0' && from <= to && to < d->units) {
			memset(marks + from, 1, to - from + 1);
			return true;
		}
		if (*rest == '\0')
			return ts_refuse(error, "'%s': the device has %ss 0 to %u", name,
				ts_device_unit_word(d), d->units - 1);
	}
	return ts_refuse(error,
		"'%s' is no set of units: write xcd3, gpc3, cu5, cu5-9, sm5-9 or any20", name);
}

static bool mark_set(const char *set, const struct ts_device *d, uint8_t *marks, GError **error)
{
	g_auto(GStrv) names = g_strsplit(set, ",", -1);

	memset(marks, 0, d->units);
	if (names[0] == NULL)
		return ts_refuse(error, "an empty set of units: write xcd3, cu5, cu5-9 or any20");
	for (size_t i = 0; names[i] != NULL; i++)
		if (!mark(names[i], d, marks, error))
			return false;
	return true;
}

/* A time in microseconds, as picoseconds. */
static bool parse_time(const char *text, uint64_t *ret_ps)
{
	double us;

	if (!ts_parse_double(text, &us) || us < 0 || us > us_max)
		return false;
	*ret_ps = (uint64_t)llround(us * ps_per_us);
	return true;
}

static bool apply_slow(struct ts_scenario *s, const char *text, const struct ts_device *d,
	uint8_t *marks, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, ":", -1);
	double factor = 0;

	if (g_strv_length(parts) != 2 || !ts_parse_double(parts[1], &factor) || factor < 1 ||
		factor > 1e6)
		return ts_refuse(error,
			"--slow %s: write SET:FACTOR with a factor from 1 to 1e6, such as xcd3:1.5",
			text);
	if (!mark_set(parts[0], d, marks, error))
		return false;
	for (uint32_t i = 0; i < d->units; i++)
		s->units[i].slow *= marks[i] ? factor : 1;
	return true;
}

static bool apply_hold(struct ts_scenario *s, const char *text, const struct ts_device *d,
	uint8_t *marks, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, "@", -1);
	g_auto(GStrv) times = NULL;
	uint64_t from, to = UINT64_MAX;
	bool good = g_strv_length(parts) == 2;

	if (good) {
		times = g_strsplit(parts[1], ":", -1);
		good = times[0] != NULL && parse_time(times[0], &from);
	}
	if (good && times[1] != NULL)
		good = parse_time(times[1], &to) && times[2] == NULL && from < to;
	if (!good)
		return ts_refuse(error,
			"--hold %s: write SET@FROM:TO or SET@FROM in microseconds with FROM before "
			"TO, such "
			"as any20@0:500",
			text);
	if (!mark_set(parts[0], d, marks, error))
		return false;
	for (uint32_t i = 0; i < d->units; i++) {
		if (!marks[i])
			continue;
		if (s->units[i].hold_from != s->units[i].hold_to)
			return ts_refuse(error,
				"--hold %s: %s %u is held twice; give each one span", text,
				ts_device_unit_word(d), i);
		s->units[i].hold_from = from;
		s->units[i].hold_to = to;
	}
	return true;
}

static bool apply_release(struct ts_scenario *s, const char *text, const struct ts_device *d,
	uint8_t *marks, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, "@", -1);
	uint64_t at;

	if (g_strv_length(parts) != 2 || !parse_time(parts[1], &at))
		return ts_refuse(error,
			"--release %s: write SET@TIME in microseconds, such as xcd3@40", text);
	if (!mark_set(parts[0], d, marks, error))
		return false;
	for (uint32_t i = 0; i < d->units; i++)
		if (marks[i])
			s->units[i].release = MIN(s->units[i].release, at);
	return true;
}

typedef bool apply_fn(
	struct ts_scenario *, const char *, const struct ts_device *, uint8_t *, GError **);

static bool apply_all(struct ts_scenario *s, char **texts, const struct ts_device *d,
	uint8_t *marks, apply_fn *apply, GError **error)
{
	for (size_t i = 0; texts != NULL && texts[i] != NULL; i++)
		if (!apply(s, texts[i], d, marks, error))
			return false;
	return true;
}

bool ts_scenario_make(struct ts_scenario *ret_scenario, const struct ts_scenario_spec *spec,
	const struct ts_device *d, GError **error)
{
	g_autofree uint8_t *marks = g_new0(uint8_t, d->units);
	struct ts_scenario s = {.seed = (uint64_t)spec->seed};
	bool good;

	if (!(spec->jitter_percent >= 0 && spec->jitter_percent < 100))
		return ts_refuse(error, "--jitter %g: must be from 0 to less than 100 percent",
			spec->jitter_percent);
	s.jitter = spec->jitter_percent / 100;
	s.units = g_new0(struct ts_unit, d->units);
	for (uint32_t i = 0; i < d->units; i++) {
		s.units[i].slow = 1;
		s.units[i].release = UINT64_MAX;
	}
	good = spec->mask == NULL || mark_set(spec->mask, d, marks, error);
	for (uint32_t i = 0; good && spec->mask != NULL && i < d->units; i++)
		s.units[i].masked = marks[i] != 0;
	good = good && apply_all(&s, spec->slow, d, marks, apply_slow, error) &&
		apply_all(&s, spec->hold, d, marks, apply_hold, error) &&
		apply_all(&s, spec->release, d, marks, apply_release, error);
	if (good)
		*ret_scenario = s;
	else
		ts_scenario_finish(&s);
	return good;
}

void ts_scenario_finish(struct ts_scenario *s)
{
	g_clear_pointer(&s->units, g_free);
}
