/* Interleavings: every order in which the processes of a script can take their steps. */
#ifndef TS_INTERLEAVE_H
#define TS_INTERLEAVE_H

#include "verify/script.h"

/* How an exploration ended. With a fault of one step, `steps` ends in it. */
struct ts_verdict {
	enum ts_roles_fault fault;
	uint64_t states;
	GArray *steps;                 /* uint32_t: the process that moves, a shortest way */
	uint32_t at[TS_PROCESSES_MAX]; /* steps done by each process before the last of `steps`;
					  of a deadlock and of what is left over, all of them */
	uint32_t other;                /* the process whose read was missed, if one was */
	uint32_t cell;                 /* left over */
};

/* Explores breadth first. Free with ts_verdict_clear(). */
struct ts_verdict ts_interleave(const struct ts_script *s, uint64_t states_max);
void ts_verdict_clear(struct ts_verdict *v);

/* Do the places of all processes fit a state? */
bool ts_interleave_fits(const struct ts_script *s);

#endif
