/* The line of progress. */
#include "sim/progress.h"

#include <glib.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 30 };

struct ts_progress ts_progress_begin(const char *what, uint64_t count)
{
	struct ts_progress p = {.what = what,
		.count = count,
		.start = g_get_monotonic_time(),
		.visible = what != NULL && count > 0 && isatty(STDERR_FILENO) == 1};

	return p;
}

void ts_progress_show(struct ts_progress *p, uint64_t done)
{
	double part = (double)done / (double)p->count;
	double seconds = (double)(g_get_monotonic_time() - p->start) / 1e6;
	char bar[WIDTH + 1];

	if (!p->visible)
		return;
	for (int i = 0; i < WIDTH; i++)
		bar[i] = part * WIDTH > i ? '#' : '.';
	bar[WIDTH] = '\0';
	fprintf(stderr, "\r[%s] %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT " %s, %.0f s left \033[K",
		bar, done, p->count, p->what, part > 0 ? seconds / part - seconds : 0);
	fflush(stderr);
	p->shown = true;
}

void ts_progress_end(const struct ts_progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
}
