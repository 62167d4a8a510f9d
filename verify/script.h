/* Scripts: a model of roles as processes, each a fixed list of operations on barriers and cells.
 *
 * What a role does next depends only on its items and guards, and a role that sees other data than
 * it expects is a fault. So how far each process has got is the whole state: from it follow the
 * phase of each barrier and the content of each cell. */
#ifndef TS_SCRIPT_H
#define TS_SCRIPT_H

#include "verify/roles.h"

enum {
	TS_NO_BARRIER = UINT16_MAX,
	TS_PROCESSES_MAX = 1 + TS_CTAS_MAX * (TS_GUARDED + TS_STAGES_MAX)
};

enum ts_op_kind {
	TS_OP_WAIT,   /* until the phase of `parity` has completed */
	TS_OP_ARRIVE, /* on a barrier */
	TS_OP_BEGIN,  /* the cell's old content is gone */
	TS_OP_LAND,   /* its new content is there; arrives on `barrier` if there is one */
	TS_OP_READ    /* the cell, expecting (item, k) */
};

struct ts_op {
	uint8_t kind;
	uint8_t parity;
	uint16_t barrier;
	uint16_t cell;
	uint16_t item, k;
};

enum ts_process_kind { TS_SCHEDULER, TS_PRODUCER, TS_LOADS, TS_CONSUMER, TS_EPILOGUE };

struct ts_process {
	enum ts_process_kind kind;
	uint32_t cta, index; /* which consumer, or which stage of loads */
	GArray *ops;         /* struct ts_op */
};

/* An mbarrier: a phase completes with its `expected`th arrival, which also begins the next. */
struct ts_barrier {
	enum ts_ring ring;
	bool full;
	uint32_t cta, entry;
	uint32_t expected;
};

/* One part of an entry of a ring: of a stage what CTA `part` loads, of an accumulator what consumer
 * `part` computes. One process writes it. */
struct ts_cell {
	enum ts_ring ring;
	uint32_t cta, entry, part;
};

struct ts_script {
	const struct ts_roles *model;
	struct ts_process processes[TS_PROCESSES_MAX];
	uint32_t count;
	GArray *barriers, *cells;
};

void ts_script_init(struct ts_script *s, const struct ts_roles *m);
void ts_script_finish(struct ts_script *s);

/* Does the process have to read all that is written to the cell? */
bool ts_script_reads(const struct ts_process *p, const struct ts_cell *c);

static inline const struct ts_op *ts_script_op(
	const struct ts_script *s, uint32_t process, uint32_t pc)
{
	return &g_array_index(s->processes[process].ops, struct ts_op, pc);
}

/* What a step is, and what the barrier is called, in words. Free with g_free(). */
char *ts_script_step_text(const struct ts_script *s, uint32_t process, const struct ts_op *op);
char *ts_script_barrier_text(const struct ts_script *s, uint32_t barrier);
char *ts_script_cell_text(const struct ts_script *s, uint32_t cell);
char *ts_script_process_text(const struct ts_script *s, uint32_t process);
char *ts_script_data_text(const struct ts_script *s, enum ts_ring ring, uint32_t item, uint32_t k);

#endif
