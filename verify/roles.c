/* Models of roles, and what is found in them. */
#include "verify/roles.h"

#include "verify/interleave.h"

const char *ts_roles_fault_name(enum ts_roles_fault fault)
{
	switch (fault) {
	case TS_ROLES_SOUND: return "sound";
	case TS_ROLES_DEADLOCK: return "deadlock";
	case TS_ROLES_OVERRUN: return "stage overwritten";
	case TS_ROLES_EARLY: return "stage read early";
	case TS_ROLES_ACC_LOST: return "accumulator overwritten";
	case TS_ROLES_ACC_EARLY: return "accumulator read early";
	case TS_ROLES_ITEMS: return "roles disagree on items";
	case TS_ROLES_ARRIVALS: return "arrival in another phase";
	case TS_ROLES_LEFT_OVER: return "written and never read";
	case TS_ROLES_UNDECIDED: return "undecided";
	case TS_ROLES_FAULTS: break;
	}
	return NULL;
}

const char *ts_phase_name(enum ts_phase phase)
{
	switch (phase) {
	case TS_BY_COUNT: return "count";
	case TS_BY_TILE: return "tile";
	case TS_BY_WAVE: return "wave";
	case TS_BY_LOOP: return "loop";
	case TS_PHASES: break;
	}
	return NULL;
}

const char *ts_ring_name(enum ts_ring ring)
{
	switch (ring) {
	case TS_STAGE: return "stage";
	case TS_ACCUMULATOR: return "accumulator";
	case TS_SLOT: return "slot";
	case TS_RINGS: break;
	}
	return NULL;
}

struct ts_roles ts_roles_default(void)
{
	struct ts_roles m = {.ctas = 1, .stages = 3, .consumers = 2};

	return m;
}

bool ts_roles_add(struct ts_roles *m, uint32_t k)
{
	if (m->items == TS_ROLE_ITEMS_MAX)
		return false;
	m->k[m->items++] = k;
	m->depth = MAX(m->depth, k);
	return true;
}

const char *ts_roles_refusal(const struct ts_roles *m)
{
	struct ts_script s;
	bool fits;

	if (m->ctas < 1 || m->ctas > TS_CTAS_MAX)
		return "a cluster has 1 to 4 CTAs here";
	if (m->stages < 1 || m->stages > TS_STAGES_MAX)
		return "there must be 1 to 16 stages";
	if (m->consumers < 1 || m->consumers > TS_CONSUMERS_MAX)
		return "there must be 1 to 4 consumers";
	if (m->accumulators > TS_STAGES_MAX)
		return "there must be 16 accumulators at most";
	if (m->slots > TS_STAGES_MAX)
		return "there must be 16 slots at most";
	if (m->items > TS_ROLE_ITEMS_MAX)
		return "there must be 64 items at most";
	for (uint32_t i = 0; i < m->items; i++)
		if (m->k[i] > TS_ROLE_K_MAX)
			return "an item has 1024 k iterations at most here";
	if (m->accumulators == 0 &&
		(m->one_sided || m->readers[TS_ACCUMULATOR] > 0 ||
			m->released_early[TS_ACCUMULATOR] || m->issuer != TS_BY_COUNT ||
			m->epilogue != TS_BY_COUNT))
		return "without accumulators nobody waits for one";
	if (m->slots == 0 &&
		(m->readers[TS_SLOT] > 0 || m->released_early[TS_SLOT] || m->reader != TS_BY_COUNT))
		return "without slots nobody reads one";
	ts_script_init(&s, m);
	fits = ts_interleave_fits(&s);
	ts_script_finish(&s);
	return fits ? NULL : "too many roles, items or k iterations to explore";
}

/* Phases that a barrier has completed, and arrivals in the one after them. */
struct barrier_state {
	uint32_t phase, arrived;
};

static struct barrier_state barrier_state(
	const struct ts_script *s, const uint32_t *at, uint32_t barrier)
{
	uint32_t expected = g_array_index(s->barriers, struct ts_barrier, barrier).expected;
	uint32_t arrivals = 0;

	for (uint32_t p = 0; p < s->count; p++)
		for (uint32_t pc = 0; pc < at[p]; pc++) {
			const struct ts_op *op = ts_script_op(s, p, pc);

			arrivals += (op->kind == TS_OP_ARRIVE || op->kind == TS_OP_LAND) &&
				op->barrier == barrier;
		}
	return (struct barrier_state){arrivals / expected, arrivals % expected};
}

/* What was written to a cell last: its step, or NULL; complete or not. */
static const struct ts_op *last_written(
	const struct ts_script *s, const uint32_t *at, uint32_t cell, bool *ret_complete)
{
	const struct ts_op *last = NULL;
	uint32_t begun = 0, landed = 0;

	for (uint32_t p = 0; p < s->count; p++)
		for (uint32_t pc = 0; pc < at[p]; pc++) {
			const struct ts_op *op = ts_script_op(s, p, pc);

			if (op->cell != cell)
				continue;
			landed += op->kind == TS_OP_LAND;
			if (op->kind != TS_OP_BEGIN)
				continue;
			begun++;
			last = op;
		}
	*ret_complete = begun == landed;
	return last;
}

static void put_deadlock(GString *out, const struct ts_script *s, const uint32_t *at)
{
	const char *between = "";

	for (uint32_t p = 0; p < s->count; p++) {
		g_autofree char *who = ts_script_process_text(s, p);
		g_autofree char *barrier = NULL;
		const struct ts_op *op;
		struct barrier_state b;

		if (at[p] == s->processes[p].ops->len || s->processes[p].kind == TS_LOADS)
			continue;
		op = ts_script_op(s, p, at[p]);
		b = barrier_state(s, at, op->barrier);
		barrier = ts_script_barrier_text(s, op->barrier);
		g_string_append_printf(out,
			"%s%s waits for parity %u of %s, which is in phase %u with %u of %u "
			"arrivals",
			between, who, op->parity, barrier, b.phase, b.arrived,
			g_array_index(s->barriers, struct ts_barrier, op->barrier).expected);
		between = "; ";
	}
}

static void put_write(GString *out, const struct ts_script *s, const struct ts_verdict *v,
	const char *who, const struct ts_op *op)
{
	bool complete;
	const struct ts_op *last = last_written(s, v->at, op->cell, &complete);
	enum ts_ring ring = g_array_index(s->cells, struct ts_cell, op->cell).ring;
	g_autofree char *cell = ts_script_cell_text(s, op->cell);
	g_autofree char *next = ts_script_data_text(s, ring, op->item, op->k);
	g_autofree char *old = ts_script_data_text(s, ring, last->item, last->k);
	g_autofree char *reader = ts_script_process_text(s, v->other);

	g_string_append_printf(out, "%s overwrites %s with %s before %s has read %s there", who,
		cell, next, reader, old);
}

static void put_read(GString *out, const struct ts_script *s, const struct ts_verdict *v,
	const char *who, const struct ts_op *op)
{
	bool complete;
	const struct ts_op *last = last_written(s, v->at, op->cell, &complete);
	enum ts_ring ring = g_array_index(s->cells, struct ts_cell, op->cell).ring;
	g_autofree char *cell = ts_script_cell_text(s, op->cell);
	g_autofree char *wanted = ts_script_data_text(s, ring, op->item, op->k);
	g_autofree char *found = NULL;

	g_string_append_printf(out, "%s reads %s for %s, but ", who, cell, wanted);
	if (last == NULL) {
		g_string_append(out, "nothing has been written there");
		return;
	}
	found = ts_script_data_text(s, ring, last->item, last->k);
	g_string_append_printf(
		out, complete ? "finds %s there" : "%s is still being written there", found);
}

static void put_arrival(GString *out, const struct ts_script *s, const struct ts_verdict *v,
	uint32_t process, const struct ts_op *op)
{
	struct barrier_state b = barrier_state(s, v->at, op->barrier);
	g_autofree char *who = ts_script_process_text(s, process);
	g_autofree char *barrier = ts_script_barrier_text(s, op->barrier);
	uint32_t own = 0;

	for (uint32_t pc = 0; pc < v->at[process]; pc++) {
		const struct ts_op *done = ts_script_op(s, process, pc);

		own += (done->kind == TS_OP_ARRIVE || done->kind == TS_OP_LAND) &&
			done->barrier == op->barrier;
	}
	g_string_append_printf(out,
		"%s arrives on %s for phase %u, but the barrier, which expects %u arrival%s, is "
		"in phase %u",
		who, barrier, own,
		g_array_index(s->barriers, struct ts_barrier, op->barrier).expected,
		g_array_index(s->barriers, struct ts_barrier, op->barrier).expected == 1 ? "" : "s",
		b.phase);
}

static void put_left_over(GString *out, const struct ts_script *s, const struct ts_verdict *v)
{
	g_autofree char *reader = ts_script_process_text(s, v->other);
	g_autofree char *cell = ts_script_cell_text(s, v->cell);
	bool complete;
	const struct ts_op *last = last_written(s, v->at, v->cell, &complete);
	g_autofree char *data = ts_script_data_text(
		s, g_array_index(s->cells, struct ts_cell, v->cell).ring, last->item, last->k);

	g_string_append_printf(
		out, "all roles have left, but %s never read %s in %s", reader, data, cell);
}

/* The fault in one sentence. */
static char *finding(const struct ts_script *s, const struct ts_verdict *v)
{
	GString *out = g_string_new(NULL);
	uint32_t mover =
		v->steps->len == 0 ? 0 : g_array_index(v->steps, uint32_t, v->steps->len - 1);
	g_autofree char *who = ts_script_process_text(s, mover);
	const struct ts_op *op = v->at[mover] < s->processes[mover].ops->len
		? ts_script_op(s, mover, v->at[mover])
		: NULL;

	switch (v->fault) {
	case TS_ROLES_DEADLOCK: put_deadlock(out, s, v->at); break;
	case TS_ROLES_OVERRUN:
	case TS_ROLES_ACC_LOST: put_write(out, s, v, who, op); break;
	case TS_ROLES_EARLY:
	case TS_ROLES_ACC_EARLY:
	case TS_ROLES_ITEMS: put_read(out, s, v, who, op); break;
	case TS_ROLES_ARRIVALS: put_arrival(out, s, v, mover, op); break;
	case TS_ROLES_LEFT_OVER: put_left_over(out, s, v); break;
	case TS_ROLES_SOUND:
	case TS_ROLES_UNDECIDED:
	case TS_ROLES_FAULTS: break;
	}
	return g_string_free(out, FALSE);
}

static char **steps(const struct ts_script *s, const struct ts_verdict *v)
{
	char **texts = g_new0(char *, v->steps->len + 1);
	uint32_t at[TS_PROCESSES_MAX] = {0};

	for (uint32_t i = 0; i < v->steps->len; i++) {
		uint32_t p = g_array_index(v->steps, uint32_t, i);

		texts[i] = ts_script_step_text(s, p, ts_script_op(s, p, at[p]++));
	}
	return texts;
}

struct ts_roles_result ts_roles_check(const struct ts_roles *m, uint64_t states_max)
{
	struct ts_roles_result r = {0};
	struct ts_verdict v;
	struct ts_script s;

	ts_script_init(&s, m);
	v = ts_interleave(&s, states_max);
	r.fault = v.fault;
	r.states = v.states;
	if (v.fault != TS_ROLES_SOUND && v.fault != TS_ROLES_UNDECIDED) {
		r.finding = finding(&s, &v);
		r.steps = steps(&s, &v);
	}
	ts_verdict_clear(&v);
	ts_script_finish(&s);
	return r;
}

void ts_roles_result_clear(struct ts_roles_result *r)
{
	g_free(r->finding);
	g_strfreev(r->steps);
}
