/* A breadth-first search over how far each process has got. */
#include "verify/interleave.h"

#include <string.h>

/* For each process and place, how often it has done what to which barrier or cell: arrivals per
 * barrier, then begins, lands and reads per cell. */
struct counts {
	uint32_t *of[TS_PROCESSES_MAX];
	uint32_t width, begins, lands, reads;
	/* Whom to ask, per count: processes whose count is not always 0. */
	uint8_t *who, *who_count;
};

/* Data in the order in which it is written to a cell. */
struct datum {
	uint16_t item, k;
};

struct state {
	uint64_t key;
	uint32_t parent;
	uint32_t mover;
};

struct search {
	const struct ts_script *script;
	struct counts counts;
	GArray **written; /* struct datum, per cell */
	uint8_t shift[TS_PROCESSES_MAX];
	uint64_t mask[TS_PROCESSES_MAX];
	uint32_t ops[TS_PROCESSES_MAX];
	uint32_t at[TS_PROCESSES_MAX]; /* of the state in hand */
	struct state *states;
	uint64_t count, made;
	uint32_t *table; /* 1 + index in states; a power of two in size */
	uint64_t table_size;
};

static uint32_t bits_for(const struct ts_script *s, uint32_t process)
{
	return (uint32_t)g_bit_storage(s->processes[process].ops->len);
}

bool ts_interleave_fits(const struct ts_script *s)
{
	uint32_t bits = 0;

	for (uint32_t p = 0; p < s->count; p++)
		bits += s->processes[p].ops->len > 0 ? bits_for(s, p) : 0;
	return bits <= 64;
}

static uint32_t *row(const struct counts *c, uint32_t process, uint32_t pc)
{
	return &c->of[process][(size_t)pc * c->width];
}

static void count_op(const struct counts *c, uint32_t *now, const struct ts_op *op)
{
	switch ((enum ts_op_kind)op->kind) {
	case TS_OP_WAIT: break;
	case TS_OP_ARRIVE: now[op->barrier]++; break;
	case TS_OP_BEGIN: now[c->begins + op->cell]++; break;
	case TS_OP_LAND:
		now[c->lands + op->cell]++;
		if (op->barrier != TS_NO_BARRIER)
			now[op->barrier]++;
		break;
	case TS_OP_READ: now[c->reads + op->cell]++; break;
	}
}

static void make_counts(struct counts *c, const struct ts_script *s)
{
	c->begins = s->barriers->len;
	c->lands = c->begins + s->cells->len;
	c->reads = c->lands + s->cells->len;
	c->width = c->reads + s->cells->len;
	c->who = g_new(uint8_t, (size_t)c->width * s->count);
	c->who_count = g_new0(uint8_t, c->width);
	for (uint32_t p = 0; p < s->count; p++) {
		uint32_t ops = s->processes[p].ops->len;

		c->of[p] = g_new(uint32_t, (size_t)(ops + 1) * c->width);
		memset(c->of[p], 0, c->width * sizeof *c->of[p]);
		for (uint32_t pc = 0; pc < ops; pc++) {
			memcpy(row(c, p, pc + 1), row(c, p, pc), c->width * sizeof *c->of[p]);
			count_op(c, row(c, p, pc + 1), ts_script_op(s, p, pc));
		}
		for (uint32_t i = 0; i < c->width; i++)
			if (row(c, p, ops)[i] > 0)
				c->who[i * s->count + c->who_count[i]++] = (uint8_t)p;
	}
}

static uint32_t total(const struct search *x, uint32_t what)
{
	const uint8_t *who = &x->counts.who[what * x->script->count];
	uint32_t sum = 0;

	for (uint32_t i = 0; i < x->counts.who_count[what]; i++)
		sum += row(&x->counts, who[i], x->at[who[i]])[what];
	return sum;
}

static uint32_t phase(const struct search *x, uint32_t barrier)
{
	return total(x, barrier) /
		g_array_index(x->script->barriers, struct ts_barrier, barrier).expected;
}

/* Can the process take its next step now? Loads land only after they have been issued. */
static bool enabled(const struct search *x, uint32_t process, const struct ts_op *op)
{
	switch ((enum ts_op_kind)op->kind) {
	case TS_OP_WAIT: return (phase(x, op->barrier) & 1) != op->parity;
	case TS_OP_LAND:
		return x->script->processes[process].kind != TS_LOADS ||
			total(x, x->counts.begins + op->cell) >
			total(x, x->counts.lands + op->cell);
	case TS_OP_ARRIVE:
	case TS_OP_BEGIN:
	case TS_OP_READ: break;
	}
	return true;
}

/* A process that has still to read what is in the cell, or the number of processes. */
static uint32_t unread(const struct search *x, uint32_t cell)
{
	const struct ts_script *s = x->script;
	uint32_t begun = total(x, x->counts.begins + cell);

	for (uint32_t p = 0; p < s->count; p++)
		if (ts_script_reads(
			    &s->processes[p], &g_array_index(s->cells, struct ts_cell, cell)) &&
			row(&x->counts, p, x->at[p])[x->counts.reads + cell] < begun)
			return p;
	return s->count;
}

/* A scheduler that overwrites an item does harm only if somebody then reads another one. */
static enum ts_roles_fault begin(const struct search *x, const struct ts_op *op)
{
	switch (g_array_index(x->script->cells, struct ts_cell, op->cell).ring) {
	case TS_STAGE:
		return unread(x, op->cell) < x->script->count ? TS_ROLES_OVERRUN : TS_ROLES_SOUND;
	case TS_ACCUMULATOR:
		return unread(x, op->cell) < x->script->count ? TS_ROLES_ACC_LOST : TS_ROLES_SOUND;
	case TS_SLOT:
	case TS_RINGS: break;
	}
	return TS_ROLES_SOUND;
}

static enum ts_roles_fault read_cell(const struct search *x, const struct ts_op *op)
{
	uint32_t begun = total(x, x->counts.begins + op->cell);
	bool whole = begun > 0 && begun == total(x, x->counts.lands + op->cell);
	struct datum got = {0, 0};

	if (begun > 0)
		got = g_array_index(x->written[op->cell], struct datum, begun - 1);
	if (whole && got.item == op->item && got.k == op->k)
		return TS_ROLES_SOUND;
	switch (g_array_index(x->script->cells, struct ts_cell, op->cell).ring) {
	case TS_STAGE:
		/* Older data is a read too early; the writer of newer data never had this one. */
		if (whole && (got.item != op->item ? got.item > op->item : got.k > op->k))
			return TS_ROLES_ITEMS;
		return TS_ROLES_EARLY;
	case TS_ACCUMULATOR:
		return whole && got.item > op->item ? TS_ROLES_ITEMS : TS_ROLES_ACC_EARLY;
	case TS_SLOT:
	case TS_RINGS: break;
	}
	return TS_ROLES_ITEMS;
}

/* What is wrong with a step that can be taken. Everybody arrives once in each phase: its nth
 * arrival belongs to phase n, and any other phase has an arrival too many. */
static enum ts_roles_fault examine(const struct search *x, uint32_t process, const struct ts_op *op)
{
	switch ((enum ts_op_kind)op->kind) {
	case TS_OP_WAIT: return TS_ROLES_SOUND;
	case TS_OP_BEGIN: return begin(x, op);
	case TS_OP_READ: return read_cell(x, op);
	case TS_OP_LAND:
		if (op->barrier == TS_NO_BARRIER)
			return TS_ROLES_SOUND;
		break;
	case TS_OP_ARRIVE: break;
	}
	return row(&x->counts, process, x->at[process])[op->barrier] == phase(x, op->barrier)
		? TS_ROLES_SOUND
		: TS_ROLES_ARRIVALS;
}

/* The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t hash(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint32_t *slot_of(const struct search *x, uint64_t key)
{
	uint64_t i = hash(key) & (x->table_size - 1);

	while (x->table[i] != 0 && x->states[x->table[i] - 1].key != key)
		i = (i + 1) & (x->table_size - 1);
	return &x->table[i];
}

static void grow(struct search *x)
{
	x->made = MAX(1024, 2 * x->made);
	x->states = g_renew(struct state, x->states, x->made);
	g_free(x->table);
	x->table_size = 2 * x->made;
	x->table = g_new0(uint32_t, x->table_size);
	for (uint64_t i = 0; i < x->count; i++)
		*slot_of(x, x->states[i].key) = (uint32_t)i + 1;
}

static void visit(struct search *x, uint64_t key, uint32_t parent, uint32_t mover)
{
	uint32_t *slot;

	if (x->count == x->made)
		grow(x);
	slot = slot_of(x, key);
	if (*slot != 0)
		return;
	x->states[x->count].key = key;
	x->states[x->count].parent = parent;
	x->states[x->count].mover = mover;
	*slot = (uint32_t)++x->count;
}

/* Takes all steps from state number `from`. A fault, and who makes it, or nothing. */
static enum ts_roles_fault expand(struct search *x, uint32_t from, struct ts_verdict *v)
{
	uint64_t key = x->states[from].key;
	bool done = true, moved = false;

	for (uint32_t p = 0; p < x->script->count; p++)
		x->at[p] = (uint32_t)(key >> x->shift[p] & x->mask[p]);
	for (uint32_t p = 0; p < x->script->count; p++) {
		const struct ts_op *op;
		enum ts_roles_fault fault;

		if (x->at[p] == x->ops[p])
			continue;
		done = false;
		op = ts_script_op(x->script, p, x->at[p]);
		if (!enabled(x, p, op))
			continue;
		fault = examine(x, p, op);
		if (fault != TS_ROLES_SOUND) {
			g_array_append_val(v->steps, p);
			v->other = unread(x, op->cell);
			return fault;
		}
		moved = true;
		visit(x, key + (UINT64_C(1) << x->shift[p]), from, p);
	}
	if (moved)
		return TS_ROLES_SOUND;
	if (!done)
		return TS_ROLES_DEADLOCK;
	for (v->cell = 0; v->cell < x->script->cells->len; v->cell++) {
		v->other = unread(x, v->cell);
		if (v->other < x->script->count)
			return TS_ROLES_LEFT_OVER;
	}
	return TS_ROLES_SOUND;
}

static void init(struct search *x, const struct ts_script *s)
{
	uint32_t shift = 0;

	memset(x, 0, sizeof *x);
	x->script = s;
	make_counts(&x->counts, s);
	x->written = g_new(GArray *, s->cells->len);
	for (uint32_t i = 0; i < s->cells->len; i++)
		x->written[i] = g_array_new(FALSE, FALSE, sizeof(struct datum));
	for (uint32_t p = 0; p < s->count; p++) {
		x->ops[p] = s->processes[p].ops->len;
		x->shift[p] = (uint8_t)(x->ops[p] > 0 ? shift : 0);
		x->mask[p] = 0;
		if (x->ops[p] > 0)
			x->mask[p] = UINT64_MAX >> (64 - bits_for(s, p));
		shift += x->ops[p] > 0 ? bits_for(s, p) : 0;
		for (uint32_t pc = 0; pc < x->ops[p]; pc++) {
			const struct ts_op *op = ts_script_op(s, p, pc);
			struct datum datum = {op->item, op->k};

			if (op->kind == TS_OP_BEGIN)
				g_array_append_val(x->written[op->cell], datum);
		}
	}
	visit(x, 0, 0, 0);
}

static void finish(struct search *x)
{
	for (uint32_t i = 0; i < x->script->cells->len; i++)
		g_array_free(x->written[i], TRUE);
	g_free(x->written);
	for (uint32_t p = 0; p < x->script->count; p++)
		g_free(x->counts.of[p]);
	g_free(x->counts.who);
	g_free(x->counts.who_count);
	g_free(x->states);
	g_free(x->table);
}

struct ts_verdict ts_interleave(const struct ts_script *s, uint64_t states_max)
{
	struct ts_verdict v = {0};
	struct search x;
	uint64_t from;

	init(&x, s);
	v.steps = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	states_max = MIN(states_max, UINT32_MAX - 1);
	for (from = 0; from < x.count && v.fault == TS_ROLES_SOUND; from++) {
		v.fault =
			x.count > states_max ? TS_ROLES_UNDECIDED : expand(&x, (uint32_t)from, &v);
	}
	v.states = x.count;
	if (v.fault != TS_ROLES_SOUND && v.fault != TS_ROLES_UNDECIDED) {
		memcpy(v.at, x.at, sizeof v.at);
		for (uint64_t i = from - 1; i > 0; i = x.states[i].parent)
			g_array_prepend_val(v.steps, x.states[i].mover);
	}
	finish(&x);
	return v;
}

void ts_verdict_clear(struct ts_verdict *v)
{
	g_array_free(v->steps, TRUE);
}
