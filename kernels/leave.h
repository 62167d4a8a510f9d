/* Workers that are asked to leave while a kernel runs: the host asks for the CUs of a domain (an
 * XCD), its workers claim nothing more, and the others do what is left. Only policies that promise
 * TS_NEEDS_ANY survive it. What both sides write here is in memory of the host's that the device
 * sees. */
#ifndef TS_LEAVE_H
#define TS_LEAVE_H

#include "policies/all.h"

/* Why a worker is gone. */
enum ts_gone { TS_NOT_GONE, TS_GONE_BY_POLICY, TS_GONE_AS_ASKED };

/* In `gone`, the domain is from this bit on. */
enum { TS_GONE_DOMAIN = 2 };

/* What a worker tells the host. */
struct ts_leave_news {
	uint32_t items; /* that it got so far */
	/* enum ts_gone and the worker's domain, once it needs its CU no more; what it wrote to C is
	 * sure to be there after the launch only. */
	uint32_t gone;
};

struct ts_leave {
	/* For each domain 1 where its workers are to leave; NULL: nobody asks. */
	const uint32_t *asked;
	struct ts_leave_news *news; /* for each worker */
};

#endif
