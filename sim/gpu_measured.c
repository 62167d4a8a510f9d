/* Timings of a file or of a benchmark that is run for them. */
#include "sim/gpu_measured.h"

#include <string.h>

#include "sim/gpu.h"
#include "sim/gpu_bench.h"
#include "sim/refuse.h"

void ts_gpu_measured_add(struct ts_gpu_measured *m, GOptionContext *context)
{
	GOptionEntry entries[] = {
		{"from", 0, 0, G_OPTION_ARG_FILENAME, &m->from,
			"what `tilesim gpu bench --format json` wrote (default: measure now)",
			"FILE"},
		{"shapes", 0, 0, G_OPTION_ARG_FILENAME, &m->shapes,
			"shapes to measure: built in, or a CSV file with name,m,n,k", "FILE"},
		{"repeat", 0, 0, G_OPTION_ARG_STRING, &m->repeat,
			"launches of each schedule and shape (default 21)", "N"},
		{"rounds", 0, 0, G_OPTION_ARG_STRING, &m->rounds,
			"in which they are done, each schedule in its turn (default 3)", "N"},
		{"backend", 0, 0, G_OPTION_ARG_STRING, &m->backend,
			"cuda, hip or auto (default): the first GPU that is found", "NAME"},
		{0}};

	memset(m, 0, sizeof *m);
	g_option_context_add_main_entries(context, entries, NULL);
}

void ts_gpu_measured_finish(struct ts_gpu_measured *m)
{
	g_free(m->from);
	g_free(m->shapes);
	g_free(m->repeat);
	g_free(m->rounds);
	g_free(m->backend);
}

int ts_gpu_measured_get(const struct ts_gpu_measured *m, const char *shapes, const char *words,
	struct ts_timings *t, GError **error)
{
	const struct ts_backend_ops *ops = NULL;
	g_autofree char *text = NULL;
	int code = TS_EXIT_USAGE;

	memset(t, 0, sizeof *t);
	if (m->from != NULL &&
		(m->shapes != NULL || m->repeat != NULL || m->rounds != NULL ||
			m->backend != NULL)) {
		ts_refuse(error,
			"--from %s: nothing is measured; leave out --shapes, --repeat, --rounds "
			"and --backend",
			m->from);
		return TS_EXIT_USAGE;
	}
	if (!ts_gpu_backend(m->backend, &ops, error))
		return TS_EXIT_USAGE;
	if (ops != NULL && ops->only_by_name) {
		ts_refuse(error,
			"--backend %s: times on the CPU say nothing about a GPU; name a GPU's "
			"backend, or give --from FILE with times of one",
			m->backend);
		return TS_EXIT_USAGE;
	}
	if (m->from != NULL)
		return ts_timings_load(t, m->from, error) ? TS_EXIT_OK : TS_EXIT_USAGE;
	text = ts_bench_measure(words, m->backend, m->shapes != NULL ? m->shapes : shapes,
		m->repeat, m->rounds, &code, error);
	if (text == NULL)
		return code;
	return ts_timings_parse(t, "the benchmark", text, error) ? TS_EXIT_OK : TS_EXIT_USAGE;
}

struct ts_device *ts_gpu_measured_device(const struct ts_timings *t, const char *id, GError **error)
{
	struct ts_device *d;

	if (id != NULL)
		return ts_device_load(id, error);
	d = t->gpu != NULL ? ts_device_find(t->gpu, 0) : NULL;
	if (d == NULL)
		ts_refuse(error,
			"%s: no built-in device is called '%s'; give --device, such as a file that "
			"`tilesim gpu describe` wrote",
			t->source, t->gpu != NULL ? t->gpu : "");
	return d;
}
