/* Small kernels, sound ones and ones with a fault each, for the executor of kernels/cpu.h. */
#ifndef TS_TESTS_KERNELS_H
#define TS_TESTS_KERNELS_H

#include "kernels/cpu.h"

/* Dynamic shared memory of each CTA, in words. */
enum { KERNEL_SHARED = 128 };

struct kernel_args {
	uint32_t *to;         /* `words` of them */
	const uint32_t *from; /* as many, all 7 */
	uint32_t words;
	uint32_t *counters; /* `count` of them */
	uint32_t count;
};

extern const struct cpu_kernel kernel_reverse, kernel_copies, kernel_late_copy, kernel_loads_to_lds,
	kernel_vote, kernel_shuffle, kernel_claims, kernel_racy_claims, kernel_chain,
	kernel_back_chain, kernel_ring, kernel_dynamic;

/* With a fault each. */
extern const struct cpu_kernel kernel_skipped_barrier, kernel_left_early, kernel_two_barriers,
	kernel_warp_apart, kernel_store_beyond, kernel_store_in_front, kernel_plain_store_beyond,
	kernel_plain_store_near, kernel_load_beyond, kernel_few_counters, kernel_never_signalled,
	kernel_waits_at_both, kernel_shared_beyond, kernel_plain_shared_beyond,
	kernel_dynamic_beyond, kernel_plain_dynamic_beyond, kernel_unwritten, kernel_missing_wait,
	kernel_missing_load_wait, kernel_base_of_lane, kernel_load_apart, kernel_misaligned_copy,
	kernel_no_barrier, kernel_early_reuse, kernel_other_warp, kernel_race_of_copies,
	kernel_race_of_ctas, kernel_deep, kernel_of_gone;

#endif
