/* Outcomes of walks. */
#include "tests/faults/expect.h"

#include <string.h>

enum ts_fault ts_expect_run(struct ts_coverage *c, const struct ts_plan *plan,
	const struct ts_rules *rules, enum ts_pick pick, uint32_t resident, const uint8_t *live)
{
	struct ts_walk walk = {.pick = pick, .seed = 7, .resident = resident, .live = live};
	bool sound = ts_walk_run(&walk, plan, rules, c);

	g_assert_true(sound == (c->finding.fault == TS_SOUND));
	return c->finding.fault;
}

void ts_expect(
	const char *where, const struct ts_coverage *c, enum ts_fault fault, const char *text)
{
	g_autofree char *got = ts_finding_text(&c->finding, c->plan);

	if (c->finding.fault != fault || strstr(got, text) == NULL)
		g_test_fail_printf("%s: %s: %s; must be %s: ...%s...", where,
			ts_fault_name(c->finding.fault), got, ts_fault_name(fault), text);
}

void ts_expect_live(uint8_t *live, const char *text)
{
	for (size_t i = 0; text[i] != '\0'; i++)
		live[i] = text[i] == '1';
}
