/* Events in words. */
#include "verify/schedule.h"

static void put_step(GString *out, const struct ts_event *e, const struct ts_plan *p)
{
	const struct ts_step *s = &e->step;

	switch (s->act) {
	case TS_STOP: g_string_append(out, "stops"); return;
	case TS_WORK:
		g_string_append_printf(out, "computes tile (%u,%u)", s->m, s->n);
		if (p->groups > 1)
			g_string_append_printf(out, " of group %u", s->g);
		if (p->cluster_m * p->cluster_n > 1)
			g_string_append_printf(
				out, " and its cluster of %ux%u", p->cluster_m, p->cluster_n);
		if (s->k_begin != 0 || s->g >= p->groups ||
			s->k_end != ts_shape_depth(ts_grid(p, s->g), s->m))
			g_string_append_printf(
				out, ", k iterations [%u, %u)", s->k_begin, s->k_end);
		return;
	case TS_CLAIM:
		if (s->counter < p->counters)
			g_string_append_printf(
				out, "claims from counter %u and gets %u", s->counter, e->value);
		else
			g_string_append_printf(out, "claims from counter %u", s->counter);
		return;
	case TS_WAIT:
		g_string_append_printf(out, "waits for counter %u to reach %u, which has %u",
			s->counter, s->value, e->value);
		return;
	case TS_FIX_UP:
		g_string_append_printf(out, "adds %u partial sum%s to tile (%u,%u)", s->parts,
			s->parts == 1 ? "" : "s", s->m, s->n);
		return;
	case TS_SIGNAL:
		g_string_append_printf(
			out, "adds %u to counter %u, which had %u", s->value, s->counter, e->value);
		return;
	}
}

char *ts_event_text(const struct ts_event *e, const struct ts_plan *p)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "worker %u ", e->worker);
	switch (e->happened) {
	case TS_ENTERED: g_string_append(out, "enters"); break;
	case TS_RELEASED: g_string_append(out, "is gone before its next step"); break;
	case TS_STEPPED: put_step(out, e, p); break;
	case TS_BLOCKED:
		put_step(out, e, p);
		g_string_append(out, ", and blocks");
		break;
	}
	return g_string_free(out, FALSE);
}

char *ts_blocked_text(const struct ts_blocked *b)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "worker %u waits for counter %u to reach %u, which has %u",
		b->worker, b->counter, b->value, b->has);
	switch (b->state) {
	case TS_HELPER_NONE:
		g_string_append(out, "; nobody else who is left would raise it");
		break;
	case TS_HELPER_WAITS:
		g_string_append_printf(
			out, "; worker %u, which would raise it, waits itself", b->helper);
		break;
	case TS_HELPER_OUTSIDE:
		g_string_append_printf(
			out, "; worker %u, which would raise it, has no place to run", b->helper);
		break;
	case TS_HELPER_GONE:
		g_string_append_printf(
			out, "; worker %u, which would raise it, is gone", b->helper);
		break;
	}
	return g_string_free(out, FALSE);
}
