/* One device that kernels run on. What launches kernels is written against this; behind it is a
 * table of functions for each vendor's library, which is opened when the program runs. */
#ifndef TS_BACKEND_H
#define TS_BACKEND_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum ts_backend_error {
	TS_BACKEND_ABSENT, /* no library, no device, or no kernels for it: nothing can run here */
	TS_BACKEND_FAILED  /* a call or a kernel failed */
};

/* The domain of those errors. */
GQuark ts_backend_error_quark(void);

/* What is known of a device once it is open; 0 or "" where the library can't tell. */
struct ts_backend_properties {
	char name[128];
	char target[32];       /* whose code it runs, without features: sm_90, gfx942 */
	char about[128];       /* target and library with their versions, in words */
	uint32_t units;        /* SMs or CUs, at least 1 */
	uint32_t domains;      /* XCDs, at least 1 */
	uint32_t max_cluster;  /* CTAs; 1 where there are no clusters */
	uint32_t lanes;        /* threads of a warp or wavefront */
	uint32_t shared_bytes; /* that one CTA may have */
	uint64_t memory_bytes;
	uint32_t l2_bytes; /* of each L2 */
	uint32_t clock_khz, memory_clock_khz, memory_bits;
	uint32_t memory_rate; /* transfers in one such clock */
	bool sparse_units;    /* a kernel's gpu_unit() may be any number, not one below `units` */
};

struct ts_backend_ops;

struct ts_backend {
	const struct ts_backend_ops *ops; /* NULL: not open */
	void *state;                      /* the library's, behind `ops` */
	struct ts_backend_properties is;
};

/* The shape of a launch: `count` clusters of cluster[0] x cluster[1] CTAs along x, `threads`
 * threads and `shared` bytes of dynamic shared memory in each CTA. */
struct ts_backend_grid {
	uint32_t count;
	uint32_t cluster[2];
	uint32_t threads, shared;
};

/* A part of device memory that a kernel knows under one name. */
struct ts_backend_part {
	uint64_t address, bytes;
	const char *name;
};

/* What a vendor's library has to do. Addresses are of device memory and never 0; everything is in
 * order on one stream. Each function may count on an open device, and on valid arguments. */
struct ts_backend_ops {
	const char *name;   /* after --backend */
	const char *vendor; /* as device files have it */
	/* What it calls a compute unit, and those that share a GPC or an L2. */
	const char *unit, *group;
	bool only_by_name; /* never taken for `auto`; its times mean nothing */

	/* Opens the first device and fills in `is`; on failure there is nothing to close. */
	bool (*open)(struct ts_backend *b, GError **error);
	void (*close)(struct ts_backend *b);
	/* Loads the kernels of a program; they stay until the device is closed. */
	bool (*load)(struct ts_backend *b, const char *program, GError **error);
	/* A kernel of any program that was loaded, ready for `shared` bytes of dynamic shared
	 * memory and for the largest clusters there are. */
	void *(*kernel)(struct ts_backend *b, const char *name, uint32_t shared, GError **error);
	/* How many clusters of such a grid are resident at once; 0 where none can be. */
	uint32_t (*residency)(
		const struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid);
	uint64_t (*alloc)(struct ts_backend *b, uint64_t bytes, GError **error);
	void (*free)(struct ts_backend *b, uint64_t address);
	/* NULL, or says that accesses to the memory at `address` belong into these parts of it. */
	void (*name_parts)(struct ts_backend *b, uint64_t address,
		const struct ts_backend_part *parts, uint32_t count);
	/* Memory of the host's, zero, that kernels see at the same address while they run. NULL and
	 * an error. */
	void *(*share)(struct ts_backend *b, uint64_t bytes, GError **error);
	void (*unshare)(struct ts_backend *b, void *memory);
	bool (*fill)(struct ts_backend *b, uint64_t address, uint32_t word, uint64_t words,
		GError **error);
	bool (*fetch)(
		struct ts_backend *b, void *to, uint64_t address, uint64_t bytes, GError **error);
	bool (*store)(struct ts_backend *b, uint64_t address, const void *from, uint64_t bytes,
		GError **error);
	/* Launches without waiting. `arguments` points to a pointer to each argument. */
	bool (*start)(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
		void **arguments, GError **error);
	/* NULL, or launches beside everything else, in no order with it; and waits for what was
	 * launched so. */
	bool (*start_beside)(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
		void **arguments, GError **error);
	bool (*wait_beside)(struct ts_backend *b, GError **error);
	/* Waits for everything that was launched. */
	bool (*wait)(struct ts_backend *b, GError **error);
	/* NULL, or makes all launches from now on run in an order that depends on `number`, and on
	 * nothing else. */
	void (*seed)(struct ts_backend *b, uint64_t number);
	/* Events, which happen when the device gets to them. */
	bool (*event_make)(struct ts_backend *b, void **ret_event, GError **error);
	void (*event_free)(struct ts_backend *b, void *event);
	bool (*event_record)(struct ts_backend *b, void *event, GError **error);
	/* Waits for `to`; the time from the other to it. */
	bool (*event_ms)(struct ts_backend *b, void *from, void *to, float *ret_ms, GError **error);
};

/* All that there are; `auto` tries them in this order. NULL after the last. */
extern const struct ts_backend_ops *const ts_backends[];

/* Opens the first device of `ops`, or of the first backend that has one where `ops` is NULL, and
 * loads `program`. Where it fails `b` is closed. */
bool ts_backend_open(struct ts_backend *b, const struct ts_backend_ops *ops, const char *program,
	GError **error);

/* Loads one more program. */
bool ts_backend_load(struct ts_backend *b, const char *program, GError **error);

/* What is not open may be closed too. */
void ts_backend_close(struct ts_backend *b);

/* Launches and waits. */
bool ts_backend_run(struct ts_backend *b, void *kernel, const struct ts_backend_grid *grid,
	void **arguments, GError **error);

/* An address of 0 is nothing to free. */
void ts_backend_free(struct ts_backend *b, uint64_t address);

/* For implementations: sets the error that nothing can run here, which is what `format` says.
 * Returns false. */
bool ts_backend_absent(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Finds all of a library's functions: `table[i]` is a name and where in `api` its pointer goes.
 * NULL, or the name that `library` lacks. */
struct ts_backend_symbol {
	const char *name;
	size_t offset;
};

const char *ts_backend_symbols(
	void *library, const struct ts_backend_symbol *table, size_t count, void *api);

#endif
