/* Greedy shrinking of a model of roles, one number or deviation at a time. */
#include "verify/roles.h"

struct shrinking {
	struct ts_roles *model;
	enum ts_roles_fault fault;
	uint64_t states_max;
	bool shrunk; /* in this round */
};

/* Takes over `smaller` if it has the same fault. */
static bool keep(struct shrinking *x, const struct ts_roles *smaller)
{
	struct ts_roles_result r;
	bool same;

	if (ts_roles_refusal(smaller) != NULL)
		return false;
	r = ts_roles_check(smaller, x->states_max);
	same = r.fault == x->fault;
	ts_roles_result_clear(&r);
	if (!same)
		return false;
	*x->model = *smaller;
	x->shrunk = true;
	return true;
}

/* To `least`, else down one by one. `offset` is that of a uint32_t of the model. */
static void lower(struct shrinking *x, size_t offset, uint32_t least)
{
	struct ts_roles smaller = *x->model;
	uint32_t *value = &G_STRUCT_MEMBER(uint32_t, &smaller, offset);
	uint32_t before = *value;

	if (before <= least)
		return;
	*value = least;
	if (keep(x, &smaller))
		return;
	for (before--; before > least; before--) {
		*value = before;
		if (!keep(x, &smaller))
			return;
	}
}

static void drop_item(struct shrinking *x, uint32_t item)
{
	struct ts_roles smaller = *x->model;

	smaller.items--;
	for (uint32_t i = item; i < smaller.items; i++)
		smaller.k[i] = x->model->k[i + 1];
	for (uint32_t cta = 0; cta < TS_CTAS_MAX; cta++)
		for (uint32_t row = 0; row < TS_GUARDED; row++)
			for (uint32_t i = item; i < smaller.items; i++)
				smaller.guards[cta][row][i] = x->model->guards[cta][row][i + 1];
	keep(x, &smaller);
}

static void clear_guards(struct shrinking *x)
{
	for (uint32_t cta = 0; cta < TS_CTAS_MAX; cta++)
		for (uint32_t row = 0; row < TS_GUARDED; row++)
			for (uint32_t i = 0; i < x->model->items; i++) {
				struct ts_roles smaller = *x->model;

				if (smaller.guards[cta][row][i] == TS_RUNS)
					continue;
				smaller.guards[cta][row][i] = TS_RUNS;
				keep(x, &smaller);
			}
}

/* Deviations: formulas other than the count, and flags. */
static void clear_deviations(struct shrinking *x)
{
	struct ts_roles smaller = *x->model;
	enum ts_phase *const phases[] = {&smaller.producer, &smaller.consumer, &smaller.issuer,
		&smaller.epilogue, &smaller.reader};
	bool *const flags[] = {&smaller.released_early[TS_STAGE],
		&smaller.released_early[TS_ACCUMULATOR], &smaller.released_early[TS_SLOT],
		&smaller.peeled, &smaller.one_sided};

	for (size_t i = 0; i < G_N_ELEMENTS(phases); i++) {
		enum ts_phase before = *phases[i];

		*phases[i] = TS_BY_COUNT;
		if (before != TS_BY_COUNT && !keep(x, &smaller))
			*phases[i] = before;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
		bool before = *flags[i];

		*flags[i] = false;
		if (before && !keep(x, &smaller))
			*flags[i] = true;
	}
	for (int ring = 0; ring < TS_RINGS; ring++) {
		smaller = *x->model;
		smaller.readers[ring] = 0;
		if (x->model->readers[ring] > 0)
			keep(x, &smaller);
	}
}

/* To the depth that a model with these items has without being told. */
static void match_depth(struct shrinking *x)
{
	struct ts_roles smaller = *x->model;

	smaller.depth = 0;
	for (uint32_t i = 0; i < smaller.items; i++)
		smaller.depth = MAX(smaller.depth, smaller.k[i]);
	if (smaller.depth != x->model->depth)
		keep(x, &smaller);
}

void ts_roles_shrink(struct ts_roles *m, uint64_t states_max)
{
	struct ts_roles_result r = ts_roles_check(m, states_max);
	struct shrinking x = {.model = m, .fault = r.fault, .states_max = states_max};

	ts_roles_result_clear(&r);
	if (x.fault == TS_ROLES_SOUND || x.fault == TS_ROLES_UNDECIDED)
		return;
	do {
		x.shrunk = false;
		clear_deviations(&x);
		clear_guards(&x);
		lower(&x, G_STRUCT_OFFSET(struct ts_roles, ctas), 1);
		lower(&x, G_STRUCT_OFFSET(struct ts_roles, slots), 0);
		lower(&x, G_STRUCT_OFFSET(struct ts_roles, accumulators), 0);
		lower(&x, G_STRUCT_OFFSET(struct ts_roles, consumers), 1);
		lower(&x, G_STRUCT_OFFSET(struct ts_roles, stages), 1);
		for (uint32_t i = m->items; i-- > 0;)
			drop_item(&x, i);
		for (uint32_t i = 0; i < m->items; i++)
			lower(&x,
				G_STRUCT_OFFSET(struct ts_roles, k) + i * (uint32_t)sizeof m->k[0],
				0);
		match_depth(&x);
	} while (x.shrunk);
}
