/* The kernel that spins, and who lets it go. */
#include "kernels/gemm_hold.h"

#include "kernels/probe.h"

/* Static shared memory of a kernel and what the device takes of each CTA; threads of a warp. */
enum { STATIC_SHARED = 1024, THREADS = 32 };

/* Whoever is not there until then will never be. */
static const int64_t patience_us = 1000000;

bool ts_hold_open(struct ts_hold *h, struct ts_backend *gpu, GError **error)
{
	struct ts_hold blank = {.gpu = gpu};

	*h = blank;
	if (gpu->ops->start_beside == NULL)
		return ts_backend_absent(error,
			"%s runs one kernel at a time, so that none can hold its units",
			gpu->is.name);
	h->shared_bytes = MAX(gpu->is.shared_bytes, STATIC_SHARED) - STATIC_SHARED;
	if (!ts_backend_load(gpu, "probe", error))
		return false;
	h->kernel = gpu->ops->kernel(gpu, "ts_hold", h->shared_bytes, error);
	return h->kernel != NULL;
}

/* How many of the CTAs are there, and have not gone. */
static uint32_t count_there(const struct ts_hold *h)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < h->units; i++)
		count += __atomic_load_n(&h->words[1 + i], __ATOMIC_ACQUIRE) == TS_HOLD_THERE;
	return count;
}

bool ts_hold_begin(struct ts_hold *h, uint32_t units, uint64_t most_ns, GError **error)
{
	struct ts_backend_grid grid = {units, {1, 1}, THREADS, h->shared_bytes};
	struct ts_hold_args args = {.most_ns = most_ns};
	void *arguments[] = {&args};
	int64_t until = g_get_monotonic_time() + patience_us;
	uint32_t there = 0;

	if (units == 0)
		return true;
	h->words = h->gpu->ops->share(h->gpu, (1 + (uint64_t)units) * sizeof *h->words, error);
	if (h->words == NULL)
		return false;
	h->units = units;
	args.let_go = h->words;
	args.there = h->words + 1;
	if (!h->gpu->ops->start_beside(h->gpu, h->kernel, &grid, arguments, error)) {
		h->gpu->ops->unshare(h->gpu, h->words);
		h->words = NULL;
		return false;
	}
	while (there < units && g_get_monotonic_time() < until)
		there = count_there(h);
	if (there == units)
		return true;
	ts_hold_end(h, NULL);
	g_set_error(error, ts_backend_error_quark(), TS_BACKEND_FAILED,
		"only %u of %u units could be held: another program may have the others", there,
		units);
	return false;
}

bool ts_hold_end(struct ts_hold *h, GError **error)
{
	uint32_t there;
	bool good;

	if (h->words == NULL)
		return true;
	there = count_there(h);
	__atomic_store_n(&h->words[0], 1, __ATOMIC_RELEASE);
	good = h->gpu->ops->wait_beside(h->gpu, error);
	h->gpu->ops->unshare(h->gpu, h->words);
	h->words = NULL;
	if (good && there < h->units)
		g_set_error(error, ts_backend_error_quark(), TS_BACKEND_FAILED,
			"only %u of %u units were held to the end", there, h->units);
	return good && there == h->units;
}
