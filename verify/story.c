/* The words for processes, barriers, cells and steps of a script. */
#include "verify/script.h"

char *ts_script_process_text(const struct ts_script *s, uint32_t process)
{
	const struct ts_process *p = &s->processes[process];
	g_autofree char *cta =
		s->model->ctas > 1 ? g_strdup_printf("CTA %u's ", p->cta) : g_strdup("");

	switch (p->kind) {
	case TS_SCHEDULER: return g_strdup("scheduler");
	case TS_PRODUCER: return g_strdup_printf("%sproducer", cta);
	case TS_LOADS: return g_strdup_printf("%sloads of stage %u", cta, p->index);
	case TS_CONSUMER:
		if (s->model->consumers == 1)
			return g_strdup_printf("%sconsumer", cta);
		return g_strdup_printf("%sconsumer %u", cta, p->index);
	case TS_EPILOGUE: return g_strdup_printf("%sepilogue", cta);
	}
	return NULL;
}

/* "stage 1", with the CTA where there are several. */
static char *entry_text(const struct ts_script *s, enum ts_ring ring, uint32_t cta, uint32_t entry)
{
	if (s->model->ctas > 1 && ring != TS_SLOT)
		return g_strdup_printf("%s %u of CTA %u", ts_ring_name(ring), entry, cta);
	return g_strdup_printf("%s %u", ts_ring_name(ring), entry);
}

char *ts_script_barrier_text(const struct ts_script *s, uint32_t barrier)
{
	const struct ts_barrier *b = &g_array_index(s->barriers, struct ts_barrier, barrier);
	g_autofree char *entry = entry_text(s, b->ring, b->cta, b->entry);

	return g_strdup_printf("'%s %s'", entry, b->full ? "full" : "empty");
}

char *ts_script_cell_text(const struct ts_script *s, uint32_t cell)
{
	const struct ts_cell *c = &g_array_index(s->cells, struct ts_cell, cell);
	g_autofree char *entry = entry_text(s, c->ring, c->cta, c->entry);

	if (c->ring == TS_STAGE && s->model->ctas > 1)
		return g_strdup_printf("part %u of %s", c->part, entry);
	if (c->ring == TS_ACCUMULATOR && s->model->consumers > 1)
		return g_strdup_printf("part %u of %s", c->part, entry);
	return g_steal_pointer(&entry);
}

char *ts_script_data_text(const struct ts_script *s, enum ts_ring ring, uint32_t item, uint32_t k)
{
	if (item == s->model->items)
		return g_strdup("the end");
	if (ring == TS_STAGE)
		return g_strdup_printf("item %u k %u", item, k);
	return g_strdup_printf("item %u", item);
}

static char *write_text(const struct ts_script *s, const char *who, const struct ts_op *op)
{
	const struct ts_cell *c = &g_array_index(s->cells, struct ts_cell, op->cell);
	g_autofree char *cell = ts_script_cell_text(s, op->cell);
	g_autofree char *data = ts_script_data_text(s, c->ring, op->item, op->k);
	bool begins = op->kind == TS_OP_BEGIN;

	switch (c->ring) {
	case TS_STAGE:
		return begins ? g_strdup_printf("%s starts to load %s into %s", who, data, cell)
			      : g_strdup_printf("the load of %s into %s is complete", data, cell);
	case TS_ACCUMULATOR:
		return g_strdup_printf(
			"%s %s %s in %s", who, begins ? "begins" : "completes", data, cell);
	case TS_SLOT:
		return g_strdup_printf(
			"%s %s %s to %s", who, begins ? "begins to write" : "writes", data, cell);
	case TS_RINGS: break;
	}
	return NULL;
}

char *ts_script_step_text(const struct ts_script *s, uint32_t process, const struct ts_op *op)
{
	g_autofree char *who = ts_script_process_text(s, process);
	g_autofree char *barrier = NULL;
	g_autofree char *cell = NULL;
	g_autofree char *data = NULL;

	switch ((enum ts_op_kind)op->kind) {
	case TS_OP_WAIT:
		barrier = ts_script_barrier_text(s, op->barrier);
		return g_strdup_printf(
			"%s passes its wait on %s, parity %u", who, barrier, op->parity);
	case TS_OP_ARRIVE:
		barrier = ts_script_barrier_text(s, op->barrier);
		return g_strdup_printf("%s arrives on %s", who, barrier);
	case TS_OP_BEGIN:
	case TS_OP_LAND: return write_text(s, who, op);
	case TS_OP_READ: break;
	}
	cell = ts_script_cell_text(s, op->cell);
	data = ts_script_data_text(
		s, g_array_index(s->cells, struct ts_cell, op->cell).ring, op->item, op->k);
	return g_strdup_printf("%s reads %s, expecting %s", who, cell, data);
}
