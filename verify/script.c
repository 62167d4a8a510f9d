/* From a model of roles to the operations of each process. */
#include "verify/script.h"

/* One role that is being written down. */
struct author {
	struct ts_script *script;
	const struct ts_roles *model;
	uint32_t process;
	uint32_t cta;
	const uint8_t *guards;
	uint32_t taken; /* uses of the slots */
	uint32_t uses;  /* k iterations */
	uint32_t items; /* that have been run or counted */
};

static uint32_t entries(const struct ts_roles *m, enum ts_ring ring)
{
	switch (ring) {
	case TS_STAGE: return m->stages;
	case TS_ACCUMULATOR: return m->accumulators;
	case TS_SLOT: return m->slots;
	case TS_RINGS: break;
	}
	return 0;
}

/* The slots are the cluster's, all else each CTA's own. */
static uint32_t owners(const struct ts_roles *m, enum ts_ring ring)
{
	return ring == TS_SLOT ? 1 : m->ctas;
}

static uint32_t parts(const struct ts_roles *m, enum ts_ring ring)
{
	switch (ring) {
	case TS_STAGE: return m->ctas;
	case TS_ACCUMULATOR: return m->consumers;
	case TS_SLOT:
	case TS_RINGS: break;
	}
	return 1;
}

static uint32_t readers(const struct ts_roles *m, enum ts_ring ring)
{
	if (m->readers[ring] > 0)
		return m->readers[ring];
	switch (ring) {
	case TS_STAGE: return m->ctas * m->consumers;
	case TS_SLOT: return m->ctas * (1 + m->consumers + (m->accumulators > 0));
	case TS_ACCUMULATOR:
	case TS_RINGS: break;
	}
	return 1;
}

static void add_ring(struct ts_script *s, enum ts_ring ring)
{
	const struct ts_roles *m = s->model;

	for (uint32_t cta = 0; cta < owners(m, ring); cta++) {
		for (uint32_t entry = 0; entry < entries(m, ring); entry++) {
			struct ts_barrier empty = {ring, false, cta, entry, readers(m, ring)};
			struct ts_barrier full = {ring, true, cta, entry, parts(m, ring)};

			g_array_append_val(s->barriers, empty);
			g_array_append_val(s->barriers, full);
			for (uint32_t part = 0; part < parts(m, ring); part++) {
				struct ts_cell cell = {ring, cta, entry, part};

				g_array_append_val(s->cells, cell);
			}
		}
	}
}

/* Where the entry is, counting the entries of all rings in front of it. */
static uint32_t barrier_at(
	const struct ts_roles *m, enum ts_ring ring, bool full, uint32_t cta, uint32_t entry)
{
	uint32_t at = 0;

	for (int i = 0; i < (int)ring; i++)
		at += owners(m, (enum ts_ring)i) * entries(m, (enum ts_ring)i);
	return 2 * (at + cta * entries(m, ring) + entry) + full;
}

static uint32_t cell_at(
	const struct ts_roles *m, enum ts_ring ring, uint32_t cta, uint32_t entry, uint32_t part)
{
	uint32_t at = 0;

	for (int i = 0; i < (int)ring; i++)
		at += owners(m, (enum ts_ring)i) * entries(m, (enum ts_ring)i) *
			parts(m, (enum ts_ring)i);
	return at + (cta * entries(m, ring) + entry) * parts(m, ring) + part;
}

static void append(struct author *a, uint32_t process, enum ts_op_kind kind, uint32_t barrier,
	uint32_t parity, uint32_t cell, uint32_t item, uint32_t k)
{
	struct ts_op op = {.kind = (uint8_t)kind,
		.parity = (uint8_t)parity,
		.barrier = (uint16_t)barrier,
		.cell = (uint16_t)cell,
		.item = (uint16_t)item,
		.k = (uint16_t)k};

	g_array_append_val(a->script->processes[process].ops, op);
}

static void wait_for(struct author *a, enum ts_ring ring, bool full, struct ts_pipeline place)
{
	append(a, a->process, TS_OP_WAIT,
		barrier_at(a->model, ring, full, ring == TS_SLOT ? 0 : a->cta, place.stage),
		full ? ts_full_parity(place) : ts_empty_parity(place), 0, 0, 0);
}

static void arrive(struct author *a, enum ts_ring ring, bool full, uint32_t cta, uint32_t entry)
{
	append(a, a->process, TS_OP_ARRIVE, barrier_at(a->model, ring, full, cta, entry), 0, 0, 0,
		0);
}

static void touch(struct author *a, enum ts_op_kind kind, uint32_t cell, uint32_t item, uint32_t k)
{
	append(a, a->process, kind, TS_NO_BARRIER, 0, cell, item, k);
}

/* Where a role with this formula believes to be. `uses` it has made; `index` of the use within its
 * item, which has `depth` uses by the formula's belief. */
static struct ts_pipeline place(enum ts_phase phase, uint32_t stages, uint32_t uses, uint32_t item,
	uint32_t depth, uint32_t index)
{
	struct ts_pipeline p = ts_pipeline_at(uses, stages);

	switch (phase) {
	case TS_BY_COUNT: break;
	case TS_BY_TILE: return ts_pipeline_at(index, stages);
	case TS_BY_WAVE: return ts_pipeline_at((uint64_t)item * depth + index, stages);
	case TS_BY_LOOP: p.parity = uses & 1; break;
	case TS_PHASES: break;
	}
	return p;
}

/* Reads entry `at` of a ring and releases it, in the model's order. */
static void read_and_release(
	struct author *a, enum ts_ring ring, uint32_t at, uint32_t item, uint32_t k)
{
	const struct ts_roles *m = a->model;
	bool early = m->released_early[ring];
	uint32_t cta = ring == TS_SLOT ? 0 : a->cta;

	for (int i = 0; i < 2; i++) {
		if (early == (i == 0)) {
			/* Operands come from every CTA of the cluster, and each is told. */
			if (ring == TS_STAGE)
				for (uint32_t peer = 0; peer < m->ctas; peer++)
					arrive(a, ring, false, peer, at);
			else
				arrive(a, ring, false, cta, at);
			continue;
		}
		for (uint32_t part = 0; part < parts(m, ring); part++)
			touch(a, TS_OP_READ, cell_at(m, ring, cta, at, part), item, k);
	}
}

/* Takes an item, or the word that there are no more, from the scheduler. */
static void take(struct author *a, uint32_t item)
{
	const struct ts_roles *m = a->model;
	struct ts_pipeline p;

	if (m->slots == 0)
		return;
	p = place(m->reader, m->slots, a->taken++, item, 1, 0);
	wait_for(a, TS_SLOT, true, p);
	read_and_release(a, TS_SLOT, p.stage, item, 0);
}

static void write_scheduler(struct author *a)
{
	const struct ts_roles *m = a->model;

	for (uint32_t item = 0; item <= m->items; item++) {
		struct ts_pipeline p = ts_pipeline_at(item, m->slots);
		uint32_t cell = cell_at(m, TS_SLOT, 0, p.stage, 0);

		wait_for(a, TS_SLOT, false, p);
		touch(a, TS_OP_BEGIN, cell, item, 0);
		touch(a, TS_OP_LAND, cell, item, 0);
		arrive(a, TS_SLOT, true, 0, p.stage);
	}
}

/* One multicast load: this CTA's part of a stage, to every CTA. The processes after the producer
 * are its loads, one for each stage: those of one stage land in order, others in any. */
static void load(struct author *a, uint32_t stage, uint32_t item, uint32_t k)
{
	const struct ts_roles *m = a->model;
	uint32_t lander = m->at_once ? a->process : a->process + 1 + stage;

	for (uint32_t peer = 0; peer < m->ctas; peer++)
		touch(a, TS_OP_BEGIN, cell_at(m, TS_STAGE, peer, stage, a->cta), item, k);
	for (uint32_t peer = 0; peer < m->ctas; peer++)
		append(a, lander, TS_OP_LAND, barrier_at(m, TS_STAGE, true, peer, stage), 0,
			cell_at(m, TS_STAGE, peer, stage, a->cta), item, k);
}

static void produce(struct author *a, uint32_t item)
{
	const struct ts_roles *m = a->model;

	for (uint32_t i = 0; i < m->k[item]; i++) {
		struct ts_pipeline p = place(m->producer, m->stages, a->uses++, item, m->depth, i);

		wait_for(a, TS_STAGE, false, p);
		load(a, p.stage, item, i);
	}
}

static void multiply(struct author *a, uint32_t item)
{
	const struct ts_roles *m = a->model;
	uint32_t k = m->peeled ? MAX(m->k[item], 1) : m->k[item];

	for (uint32_t i = 0; i < k; i++) {
		struct ts_pipeline p = place(m->consumer, m->stages, a->uses++, item, m->depth, i);

		wait_for(a, TS_STAGE, true, p);
		read_and_release(a, TS_STAGE, p.stage, item, i);
	}
}

static void consume(struct author *a, uint32_t item)
{
	const struct ts_roles *m = a->model;
	uint32_t index = a->script->processes[a->process].index;
	struct ts_pipeline p;
	uint32_t cell;

	if (m->accumulators == 0) {
		multiply(a, item);
		return;
	}
	p = place(m->issuer, m->accumulators, a->items, item, 1, 0);
	cell = cell_at(m, TS_ACCUMULATOR, a->cta, p.stage, index);
	if (m->one_sided && m->k[item] == 0)
		arrive(a, TS_ACCUMULATOR, false, a->cta, p.stage);
	else
		wait_for(a, TS_ACCUMULATOR, false, p);
	touch(a, TS_OP_BEGIN, cell, item, 0);
	multiply(a, item);
	touch(a, TS_OP_LAND, cell, item, 0);
	arrive(a, TS_ACCUMULATOR, true, a->cta, p.stage);
}

static void store(struct author *a, uint32_t item)
{
	const struct ts_roles *m = a->model;
	struct ts_pipeline p = place(m->epilogue, m->accumulators, a->items, item, 1, 0);

	wait_for(a, TS_ACCUMULATOR, true, p);
	read_and_release(a, TS_ACCUMULATOR, p.stage, item, 0);
}

/* The loop over items that all roles but the scheduler have. */
static void write_role(struct author *a, void (*run)(struct author *, uint32_t item))
{
	const struct ts_roles *m = a->model;

	for (uint32_t item = 0; item < m->items; item++) {
		take(a, item);
		switch ((enum ts_guard)a->guards[item]) {
		case TS_RUNS: run(a, item); break;
		case TS_SKIPS: continue;
		case TS_COUNTS: a->uses += m->k[item]; break;
		}
		a->items++;
	}
	take(a, m->items);
}

static struct author author_of(
	struct ts_script *s, enum ts_process_kind kind, uint32_t cta, uint32_t index)
{
	struct author a = {.script = s, .model = s->model, .process = s->count, .cta = cta};
	struct ts_process p = {kind, cta, index, NULL};
	uint32_t row = kind == TS_CONSUMER ? TS_GUARD_CONSUMER + index
		: kind == TS_EPILOGUE      ? (uint32_t)TS_GUARD_EPILOGUE
					   : (uint32_t)TS_GUARD_PRODUCER;

	p.ops = g_array_new(FALSE, FALSE, sizeof(struct ts_op));
	a.guards = s->model->guards[cta][row];
	s->processes[s->count++] = p;
	return a;
}

void ts_script_init(struct ts_script *s, const struct ts_roles *m)
{
	struct author a;

	s->model = m;
	s->count = 0;
	s->barriers = g_array_new(FALSE, FALSE, sizeof(struct ts_barrier));
	s->cells = g_array_new(FALSE, FALSE, sizeof(struct ts_cell));
	for (int ring = 0; ring < TS_RINGS; ring++)
		add_ring(s, (enum ts_ring)ring);
	if (m->slots > 0) {
		a = author_of(s, TS_SCHEDULER, 0, 0);
		write_scheduler(&a);
	}
	for (uint32_t cta = 0; cta < m->ctas; cta++) {
		a = author_of(s, TS_PRODUCER, cta, 0);
		for (uint32_t stage = 0; !m->at_once && stage < m->stages; stage++)
			author_of(s, TS_LOADS, cta, stage);
		write_role(&a, produce);
		for (uint32_t i = 0; i < m->consumers; i++) {
			a = author_of(s, TS_CONSUMER, cta, i);
			write_role(&a, consume);
		}
		if (m->accumulators > 0) {
			a = author_of(s, TS_EPILOGUE, cta, 0);
			write_role(&a, store);
		}
	}
}

void ts_script_finish(struct ts_script *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		g_array_free(s->processes[i].ops, TRUE);
	g_array_free(s->barriers, TRUE);
	g_array_free(s->cells, TRUE);
}

bool ts_script_reads(const struct ts_process *p, const struct ts_cell *c)
{
	switch (p->kind) {
	case TS_SCHEDULER:
	case TS_LOADS: return false;
	case TS_PRODUCER: return c->ring == TS_SLOT;
	case TS_CONSUMER: return c->ring == TS_SLOT || (c->ring == TS_STAGE && c->cta == p->cta);
	case TS_EPILOGUE:
		return c->ring == TS_SLOT || (c->ring == TS_ACCUMULATOR && c->cta == p->cta);
	}
	return false;
}
