/* Which backends there are, and what they share. */
#include "kernels/backend.h"

#include <dlfcn.h>
#include <string.h>

#include "kernels/cpu_backend.h"
#include "kernels/cuda.h"
#include "kernels/hip.h"

GQuark ts_backend_error_quark(void)
{
	return g_quark_from_static_string("ts-backend-error-quark");
}

const struct ts_backend_ops *const ts_backends[] = {
	&ts_cuda_backend, &ts_hip_backend, &ts_cpu_backend, NULL};

bool ts_backend_absent(GError **error, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list args;

	va_start(args, format);
	why = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, ts_backend_error_quark(), TS_BACKEND_ABSENT, why);
	return false;
}

const char *ts_backend_symbols(
	void *library, const struct ts_backend_symbol *table, size_t count, void *api)
{
	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(library, table[i].name);

		if (symbol == NULL)
			return table[i].name;
		/* Not an assignment: C has no cast from an object's to a function's address. */
		memcpy((char *)api + table[i].offset, &symbol, sizeof symbol);
	}
	return NULL;
}

static bool is_absent(const GError *error)
{
	return g_error_matches(error, ts_backend_error_quark(), TS_BACKEND_ABSENT);
}

/* Opens this backend or none. */
static bool open_one(
	struct ts_backend *b, const struct ts_backend_ops *ops, const char *program, GError **error)
{
	memset(b, 0, sizeof *b);
	if (!ops->open(b, error))
		return false;
	b->ops = ops;
	if (ops->load(b, program, error))
		return true;
	ts_backend_close(b);
	return false;
}

bool ts_backend_open(
	struct ts_backend *b, const struct ts_backend_ops *ops, const char *program, GError **error)
{
	g_autoptr(GString) reasons = g_string_new(NULL);

	for (size_t i = 0; ts_backends[i] != NULL; i++) {
		g_autoptr(GError) cause = NULL;

		if (ops != NULL ? ops != ts_backends[i] : ts_backends[i]->only_by_name)
			continue;
		if (open_one(b, ts_backends[i], program, &cause))
			return true;
		if (!is_absent(cause)) {
			g_propagate_error(error, g_steal_pointer(&cause));
			return false;
		}
		g_string_append_printf(
			reasons, "%s%s", reasons->len == 0 ? "" : "; ", cause->message);
	}
	return ts_backend_absent(error, "no GPU: %s", reasons->str);
}

bool ts_backend_load(struct ts_backend *b, const char *program, GError **error)
{
	g_autoptr(GError) cause = NULL;

	if (b->ops->load(b, program, &cause))
		return true;
	if (is_absent(cause))
		g_prefix_error(&cause, "no GPU: ");
	g_propagate_error(error, g_steal_pointer(&cause));
	return false;
}

void ts_backend_close(struct ts_backend *b)
{
	if (b->ops != NULL)
		b->ops->close(b);
	memset(b, 0, sizeof *b);
}

bool ts_backend_run(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
	void **arguments, GError **error)
{
	return b->ops->start(b, kernel, grid, arguments, error) && b->ops->wait(b, error);
}

void ts_backend_free(struct ts_backend *b, uint64_t address)
{
	if (address != 0)
		b->ops->free(b, address);
}
