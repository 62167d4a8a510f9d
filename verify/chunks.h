/* Are the chunks of a collective waited for, counted and passed in the order that the rows ask for?
 */
#ifndef TS_CHUNKS_H
#define TS_CHUNKS_H

#include "verify/finding.h"

/* Compares what chunk.h says of each row of clusters and each chunk with their rows, boundary by
 * boundary. True for a plan without a collective. False, and what is wrong. */
bool ts_chunks_check(const struct ts_plan *p, struct ts_finding *ret_finding);

#endif
