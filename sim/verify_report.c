/* Verdicts as text and as JSON. */
#include "sim/verify_report.h"

#include <stdio.h>

static void print_json(const struct ts_verified *v)
{
	JsonBuilder *b = json_builder_new();
	g_autofree char *text = NULL;

	json_builder_begin_object(b);
	ts_json_text_member(b, "verdict", ts_fault_name(TS_SOUND));
	ts_json_count(b, "schedules", v->plans - v->starved);
	ts_json_count(b, "starved_as_stated", v->starved);
	ts_json_count(b, "walks", v->walks);
	ts_json_count(b, "tiles", v->tiles);
	for (int i = TS_OK + 1; i < TS_STATUSES; i++)
		if (v->refused[i] > 0)
			ts_json_count(b, ts_status_text((enum ts_status)i), v->refused[i]);
	json_builder_end_object(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

void ts_verified_print(const struct ts_verified *v, enum ts_format format)
{
	if (format == TS_JSON) {
		print_json(v);
		return;
	}
	g_print("sound        %" G_GUINT64_FORMAT " schedules in %" G_GUINT64_FORMAT
		" walks, %" G_GUINT64_FORMAT
		" tiles: each computed once, in bounds, counters in range and drained\n",
		v->plans - v->starved, v->walks, v->tiles);
	if (v->starved > 0)
		g_print("starved      %" G_GUINT64_FORMAT
			" schedules with a counter that no worker begins with, as the policy "
			"says\n",
			v->starved);
	for (int i = TS_OK + 1; i < TS_STATUSES; i++)
		if (v->refused[i] > 0)
			g_print("refused      %" G_GUINT64_FORMAT ": %s\n", v->refused[i],
				ts_status_text((enum ts_status)i));
}

void ts_failure_print_found(const struct ts_failure *f, enum ts_format format)
{
	if (format == TS_JSON)
		return;
	g_print("FAILED       %s\nfound with   %s\n", f->found, f->found_command);
	/* Shrinking runs the policy again, and a policy file may trap there. */
	fflush(stdout);
}

void ts_failure_print_smallest(const struct ts_failure *f, enum ts_format format)
{
	g_autofree char *text = NULL;
	JsonBuilder *b;

	if (format != TS_JSON) {
		g_print("smallest     %s\nrepeat with  %s\n", f->smallest, f->smallest_command);
		return;
	}
	b = json_builder_new();
	json_builder_begin_object(b);
	ts_json_text_member(b, "verdict", f->verdict);
	ts_json_text_member(b, "finding", f->found);
	ts_json_text_member(b, "command", f->found_command);
	ts_json_text_member(b, "smallest_finding", f->smallest);
	ts_json_text_member(b, "smallest_command", f->smallest_command);
	json_builder_end_object(b);
	text = ts_json_text(b);
	g_print("%s", text);
}

void ts_failure_finish(struct ts_failure *f)
{
	g_free(f->found);
	g_free(f->found_command);
	g_free(f->smallest);
	g_free(f->smallest_command);
}
