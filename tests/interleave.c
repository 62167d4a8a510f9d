/* The explorer of roles against real barriers, its counterexamples, and the command. */
#include <string.h>

#include "verify/interleave.h"

enum { LIMIT = 4000000 };

/* A model drawn from all that there are, small and mostly wrong in some way. */
static struct ts_roles draw(GRand *random)
{
	struct ts_roles m = ts_roles_default();
	enum ts_phase *phases[] = {&m.producer, &m.consumer, &m.issuer, &m.epilogue, &m.reader};
	int items = g_rand_int_range(random, 0, 4);

	m.ctas = g_rand_int_range(random, 0, 6) == 0 ? 2 : 1;
	m.stages = (uint32_t)g_rand_int_range(random, 1, 4);
	m.consumers = (uint32_t)g_rand_int_range(random, 1, m.ctas > 1 ? 2 : 3);
	m.accumulators = (uint32_t)g_rand_int_range(random, 0, m.ctas > 1 ? 1 : 3);
	m.slots = g_rand_int_range(random, 0, 3) == 0 && m.ctas == 1 ? 1 : 0;
	while (items-- > 0)
		ts_roles_add(&m, (uint32_t)g_rand_int_range(random, 0, 4));
	if (g_rand_boolean(random))
		return m;
	for (size_t i = 0; i < G_N_ELEMENTS(phases); i++)
		if (g_rand_int_range(random, 0, 4) == 0)
			*phases[i] = (enum ts_phase)g_rand_int_range(random, 0, TS_PHASES);
	for (int i = 0; i < TS_RINGS; i++) {
		m.released_early[i] = g_rand_int_range(random, 0, 6) == 0;
		if (g_rand_int_range(random, 0, 6) == 0)
			m.readers[i] = (uint32_t)g_rand_int_range(random, 1, 4);
	}
	if (m.items > 0)
		m.guards[0][g_rand_int_range(random, 0, 4)][g_rand_int_range(
			random, 0, (gint32)m.items)] = (uint8_t)g_rand_int_range(random, 0, 3);
	m.peeled = g_rand_int_range(random, 0, 6) == 0;
	m.one_sided = g_rand_int_range(random, 0, 6) == 0;
	return m;
}

/* A second implementation: barriers with a pending count and a phase bit, and memory. */
struct machine {
	const struct ts_script *script;
	uint32_t at[TS_PROCESSES_MAX];
	uint32_t *pending, *phase_bit;
	const struct ts_op *
		*memory;     /* what is in each cell: the operation that wrote it, or NULL */
	uint32_t *in_flight; /* writes to each cell that have begun and not landed */
	const struct ts_op **coming;
};

static void machine_init(struct machine *x, const struct ts_script *s)
{
	memset(x, 0, sizeof *x);
	x->script = s;
	x->pending = g_new(uint32_t, s->barriers->len);
	x->phase_bit = g_new0(uint32_t, s->barriers->len);
	x->memory = g_new0(const struct ts_op *, s->cells->len);
	x->coming = g_new0(const struct ts_op *, s->cells->len);
	x->in_flight = g_new0(uint32_t, s->cells->len);
	for (uint32_t i = 0; i < s->barriers->len; i++)
		x->pending[i] = g_array_index(s->barriers, struct ts_barrier, i).expected;
}

static void machine_finish(struct machine *x)
{
	g_free(x->pending);
	g_free(x->phase_bit);
	g_free(x->memory);
	g_free(x->coming);
	g_free(x->in_flight);
}

/* try_wait.parity: false while the current phase is the one asked for. */
static bool can_move(const struct machine *x, uint32_t process)
{
	const struct ts_op *op;

	if (x->at[process] == x->script->processes[process].ops->len)
		return false;
	op = ts_script_op(x->script, process, x->at[process]);
	if (op->kind == TS_OP_WAIT)
		return x->phase_bit[op->barrier] != op->parity;
	return op->kind != TS_OP_LAND || x->in_flight[op->cell] > 0;
}

/* Carries out the next step. False if it reads anything but what it expects. */
static bool move(struct machine *x, uint32_t process)
{
	const struct ts_op *op = ts_script_op(x->script, process, x->at[process]++);

	switch ((enum ts_op_kind)op->kind) {
	case TS_OP_WAIT: return true;
	case TS_OP_READ:
		return x->memory[op->cell] != NULL && x->memory[op->cell]->item == op->item &&
			x->memory[op->cell]->k == op->k;
	case TS_OP_BEGIN:
		x->memory[op->cell] = NULL;
		x->coming[op->cell] = op;
		x->in_flight[op->cell]++;
		return true;
	case TS_OP_LAND:
		x->in_flight[op->cell]--;
		if (x->in_flight[op->cell] == 0)
			x->memory[op->cell] = x->coming[op->cell];
		break;
	case TS_OP_ARRIVE: break;
	}
	if (op->barrier != TS_NO_BARRIER && --x->pending[op->barrier] == 0) {
		x->phase_bit[op->barrier] ^= 1;
		x->pending[op->barrier] =
			g_array_index(x->script->barriers, struct ts_barrier, op->barrier).expected;
	}
	return true;
}

/* Runs in a random order. True if everybody reads what it expects and comes to its end. */
static bool runs_well(const struct ts_script *s, GRand *random)
{
	struct machine x;
	bool well = true, moved = true, done = true;

	machine_init(&x, s);
	while (well && moved) {
		uint32_t first = (uint32_t)g_rand_int_range(random, 0, (gint32)s->count);

		moved = false;
		for (uint32_t i = 0; i < s->count && !moved; i++) {
			uint32_t p = (first + i) % s->count;

			moved = can_move(&x, p);
			if (moved)
				well = move(&x, p);
		}
	}
	for (uint32_t p = 0; p < s->count; p++)
		done &= x.at[p] == s->processes[p].ops->len;
	machine_finish(&x);
	return well && done;
}

/* Takes the steps of a counterexample: each must be possible, and the end as bad as was said. */
static void replay(const struct ts_script *s, const struct ts_verdict *v)
{
	struct machine x;
	bool well = true, stuck = true;

	machine_init(&x, s);
	for (uint32_t i = 0; i < v->steps->len; i++) {
		uint32_t p = g_array_index(v->steps, uint32_t, i);

		g_assert_true(well);
		g_assert_true(can_move(&x, p));
		well = move(&x, p);
	}
	for (uint32_t p = 0; p < s->count; p++)
		stuck &= !can_move(&x, p);
	if (v->fault == TS_ROLES_DEADLOCK || v->fault == TS_ROLES_LEFT_OVER)
		g_assert_true(well && stuck);
	if (v->fault == TS_ROLES_EARLY || v->fault == TS_ROLES_ACC_EARLY ||
		v->fault == TS_ROLES_ITEMS)
		g_assert_false(well);
	machine_finish(&x);
}

/* Sound models run well in any order on real barriers, and each counterexample happens there. */
static void real_barriers(void)
{
	GRand *random = g_rand_new_with_seed(7);
	uint32_t found[TS_ROLES_FAULTS] = {0};

	for (uint32_t i = 0; i < 3000; i++) {
		struct ts_roles m = draw(random);
		struct ts_verdict v;
		struct ts_script s;

		if (ts_roles_refusal(&m) != NULL)
			continue;
		ts_script_init(&s, &m);
		v = ts_interleave(&s, LIMIT);
		found[v.fault]++;
		if (v.fault == TS_ROLES_SOUND)
			for (uint32_t j = 0; j < 20; j++)
				g_assert_true(runs_well(&s, random));
		else
			replay(&s, &v);
		ts_verdict_clear(&v);
		ts_script_finish(&s);
	}
	for (int i = 0; i < TS_ROLES_UNDECIDED; i++) {
		g_test_message(
			"%s: %u models", ts_roles_fault_name((enum ts_roles_fault)i), found[i]);
		g_assert_cmpuint(found[i], >, 0);
	}
	g_assert_cmpuint(found[TS_ROLES_UNDECIDED], ==, 0);
	g_rand_free(random);
}

/* A shrunk model keeps its fault, is no larger, and shrinks no further. */
static void shrinks(void)
{
	GRand *random = g_rand_new_with_seed(11);

	for (uint32_t i = 0; i < 150; i++) {
		struct ts_roles m = draw(random), small = m, again;
		struct ts_roles_result before, after;

		if (ts_roles_refusal(&m) != NULL)
			continue;
		ts_roles_shrink(&small, LIMIT);
		before = ts_roles_check(&m, LIMIT);
		after = ts_roles_check(&small, LIMIT);
		g_assert_cmpint(before.fault, ==, after.fault);
		g_assert_cmpuint(small.items, <=, m.items);
		g_assert_cmpuint(small.stages, <=, m.stages);
		again = small;
		ts_roles_shrink(&again, LIMIT);
		g_assert_true(memcmp(&again, &small, sizeof small) == 0);
		ts_roles_result_clear(&before);
		ts_roles_result_clear(&after);
	}
	g_rand_free(random);
}

static int call(const char *words, char **ret_out, char **ret_err)
{
	g_autofree char *line = g_strconcat(g_getenv("TILESIM"), " roles ", words, NULL);
	g_autoptr(GError) error = NULL;
	int status;

	g_spawn_command_line_sync(line, ret_out, ret_err, &status, &error);
	g_assert_no_error(error);
	if (g_spawn_check_wait_status(status, &error))
		return 0;
	return error->domain == G_SPAWN_EXIT_ERROR ? error->code : -1;
}

static void command(void)
{
	static const struct {
		const char *words;
		int code;
		const char *says;
	} calls[] = {
		{"", 0, "sound        1 models"},
		{"--slots 1:2 --accumulators 0,1 --items 0:2,1", 0, "sound        12 models"},
		{"--items \"\"", 0, "sound        1 models"},
		{"--consumer-phase loop", 1,
			"repeat with  tilesim roles --stages 2 --consumers 1 --accumulators 0 "
			"--items 2 --consumer-phase loop\n"},
		{"--consumer-phase loop", 1, "  8 consumer reads stage 1, expecting item 0 k 1\n"},
		{"--producer-phase tile --consumer-phase tile --format json", 1,
			"\"verdict\" : \"stage read early\""},
		{"--ctas 2 --consumers 1 --accumulators 0 --skip cta1:2", 1,
			"FAILED       deadlock"},
		{"--slots 1 --early-release slot", 1, "FAILED       roles disagree on items"},
		{"--slots 1 --readers slot:3", 1, "FAILED       arrival in another phase"},
		{"--skip consumer1:2 --count producer:0", 1, "FAILED       deadlock"},
		{"--format json", 0, "\"verdict\" : \"sound\""},
		{"--stages 0", 2, "--stages 0: must be whole numbers from 1 to 16"},
		{"--items 5,x", 2, "--items 5,x: must be k iterations"},
		{"--skip producer:3", 2, "--skip producer:3: must be a role and"},
		{"--skip cta9.producer:0", 2, "there are cta0 to cta3"},
		{"--count consumer7:0", 2, "--count consumer7:0: must be a role and"},
		{"--early-release ring", 2, "must be stage, accumulator or slot"},
		{"--readers slot", 2, "as slot:3"},
		{"--readers slot:2", 2, "without slots nobody reads one"},
		{"--reader-phase odd", 2, "must be count, tile, wave or loop"},
		{"--loads never", 2, "must be late or at-once"},
		{"--depth -1", 2, "--depth -1: must be a whole number"},
		{"--limit 10", 2, "more states than --limit 10"},
		{"--format csv", 2, "must be text or json"},
		{"all", 2, "'all' is not an option"},
		{"--help", 0, "--producer-phase"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
		g_autofree char *out = NULL, *err = NULL, *same = NULL, *none = NULL;
		int code = call(calls[i].words, &out, &err);
		const char *said = code == 2 ? err : out;

		if (code != calls[i].code || strstr(said, calls[i].says) == NULL)
			g_error("tilesim roles %s: code %d, not %d with '%s': %s%s", calls[i].words,
				code, calls[i].code, calls[i].says, out, err);
		g_assert_cmpint(call(calls[i].words, &same, &none), ==, code);
		g_assert_cmpstr(out, ==, same);
		/* One line, or nothing. */
		g_assert_true(code != 2 || strchr(err, '\n') == err + strlen(err) - 1);
		g_assert_true(code == 2 ? out[0] == '\0' : err[0] == '\0');
	}
}

/* What is said to repeat a fault repeats it. */
static void repeats(void)
{
	static const char *const calls[] = {"--producer-phase wave --items 3,1,2",
		"--slots 2 --reader-phase wave --skip epilogue:1 --items 1,1,1",
		"--ctas 2 --consumers 1 --accumulators 1 --items 2 --count cta1.producer:0",
		"--one-sided --items 3,0,2", "--peel --early-release stage --loads at-once",
		"--producer-phase wave --depth 5 --items 1,1 --readers stage:1"};

	for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
		g_autofree char *out = NULL, *err = NULL, *again = NULL, *none = NULL;
		const char *mark = "repeat with  tilesim roles ";
		g_autofree char *words = NULL;

		g_assert_cmpint(call(calls[i], &out, &err), ==, 1);
		words = g_strdup(strstr(out, mark) + strlen(mark));
		*strchr(words, '\n') = '\0';
		g_assert_cmpint(call(words, &again, &none), ==, 1);
		g_assert_cmpstr(strstr(again, "smallest  "), ==, strstr(out, "smallest  "));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/interleave/verdicts hold on real barriers", real_barriers);
	g_test_add_func("/interleave/a model shrinks to one with the same fault", shrinks);
	g_test_add_func("/interleave/the command says what it found", command);
	g_test_add_func("/interleave/the command's answers repeat", repeats);
	return g_test_run();
}
