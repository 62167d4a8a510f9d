/* Events come out by time and place, whatever the order in which they go in. */
#include "sim/events.h"

enum { PLACES = 37, STEPS = 200000 };

/* The same as a plain list of one event a place: the first is looked for. */
static uint32_t find_first(const struct ts_event *of, const bool *has)
{
	uint32_t first = PLACES;

	for (uint32_t i = 0; i < PLACES; i++)
		if (has[i] && (first == PLACES || of[i].time < of[first].time))
			first = i;
	return first;
}

/* `spread` is how unlike the steps are: 0 only fills the row, and much more mostly the heap. */
static void test_order(gconstpointer data)
{
	gint32 spread = GPOINTER_TO_INT(data);
	struct ts_event of[PLACES];
	bool has[PLACES] = {false};
	struct ts_events events;
	uint32_t heaped = 0;
	uint64_t now = 0;

	ts_events_init(&events, PLACES);
	g_assert_true(ts_events_empty(&events));
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t place = (uint32_t)g_test_rand_int_range(0, PLACES);
		bool full = find_first(of, has) < PLACES && (has[place] || g_test_rand_bit());

		if (full) {
			struct ts_event e = ts_events_pop(&events);
			uint32_t first = find_first(of, has);

			g_assert_cmpuint(e.place, ==, first);
			g_assert_cmpuint(e.time, ==, of[first].time);
			has[first] = false;
			now = e.time;
			place = first;
		}
		if (has[place])
			continue;
		if (full && g_test_rand_int_range(0, 8) == 0)
			continue;
		has[place] = true;
		of[place].place = place;
		of[place].time = now + 100 + (uint64_t)g_test_rand_int_range(0, spread + 1);
		ts_events_push(&events, of[place].time, place);
		heaped = MAX(heaped, events.in_heap);
	}
	while (find_first(of, has) < PLACES) {
		uint32_t first = find_first(of, has);

		g_assert_cmpuint(ts_events_pop(&events).place, ==, first);
		has[first] = false;
	}
	g_assert_true(ts_events_empty(&events));
	g_assert_cmpuint(heaped, >, spread > 10 ? 8 : 0);
	ts_events_finish(&events);
}

int main(int argc, char **argv)
{
	static const gint32 spreads[] = {0, 3, 60, 2000};

	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(spreads); i++) {
		g_autofree char *path =
			g_strdup_printf("/events/steps of 100 to %d", 100 + spreads[i]);

		g_test_add_data_func(path, GINT_TO_POINTER(spreads[i]), test_order);
	}
	return g_test_run();
}
