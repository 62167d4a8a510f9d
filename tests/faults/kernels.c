/* The kernels. What is wrong with one stands above it. */
#include "tests/faults/kernels.h"

#include "kernels/gpu.h"

enum { THREADS_MAX = 256 };

/* Index of this thread in its grid: groups that wrote to the same word would have a race, too. */
TS_GPU uint32_t own(void)
{
	return gpu_cta() * gpu_threads() + gpu_thread();
}

/* Each CTA hands numbers from its first thread to its last one. */
TS_KERNEL(kernel_reverse, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, THREADS_MAX);
	uint32_t i = own();

	for (uint32_t turn = 0; turn < 3; turn++) {
		TS_WRITE(&words[gpu_thread()], i + turn);
		gpu_sync();
		if (i < args.words)
			TS_WRITE(&args.to[i], TS_READ(&words[gpu_threads() - 1 - gpu_thread()]));
		gpu_sync();
	}
}

/* Copies of both sizes, whole, cut short and empty, with one group in flight. */
TS_KERNEL(kernel_copies, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, wide, 4 * THREADS_MAX);
	TS_SHARED(uint32_t, slim, THREADS_MAX);
	uint32_t t = gpu_thread();
	uint32_t sum = 0;

	gpu_copy_16(&wide[4 * t], args.from, t % 5 * 4);
	gpu_copy_commit();
	gpu_copy_4(&slim[t], args.from + t, t % 2 * 4);
	gpu_copy_commit();
	gpu_copy_wait(1);
	for (uint32_t i = 0; i < 4; i++)
		sum += TS_READ(&wide[4 * t + i]);
	gpu_copy_wait(0);
	gpu_sync();
	sum += TS_READ(&slim[(t + 1) % gpu_threads()]);
	TS_WRITE(&args.to[t], sum);
}

/* Each lane loads what another one could, and writes down what it finds in its own place. */
TS_KERNEL(kernel_loads_to_lds, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, 4 * THREADS_MAX);
	uint32_t t = gpu_thread();

	gpu_load_to_lds_16(&words[4 * (t - gpu_lane())], args.from + 4 * (t ^ 5));
	gpu_copy_commit();
	gpu_copy_wait(0);
	gpu_sync();
	for (uint32_t i = 0; i < 4; i++)
		TS_WRITE(&args.to[4 * t + i], TS_READ(&words[4 * t + i]));
}

/* Whether all lanes but one say so, and all lanes of another warp. */
TS_KERNEL(kernel_vote, struct kernel_args, THREADS_MAX)
{
	TS_WRITE(&args.to[own()], gpu_all(gpu_thread() != args.count));
}

/* Lane i of each warp gets what lane 31 - i has. */
TS_KERNEL(kernel_shuffle, struct kernel_args, THREADS_MAX)
{
	uint32_t i = own();

	TS_WRITE(&args.to[i], gpu_shuffle(i, TS_WARP - 1 - gpu_lane()));
}

/* Each thread claims until there is no more, and writes down its thread for each. */
TS_KERNEL(kernel_claims, struct kernel_args, THREADS_MAX)
{
	for (uint32_t n; (n = gpu_claim(args.counters)) < args.words;)
		TS_WRITE(&args.to[n], own() + 1);
}

/* A claim that is no atomic: fine in one group, lost updates between several. */
TS_KERNEL(kernel_racy_claims, struct kernel_args, THREADS_MAX)
{
	for (;;) {
		uint32_t n = TS_READ(args.counters);

		if (n >= args.words)
			return;
		TS_WRITE(args.counters, n + 1);
		TS_WRITE(&args.to[n], TS_READ(&args.to[n]) + 1);
	}
}

/* A group waits for the one before it, and adds to what that one wrote. */
TS_KERNEL(kernel_chain, struct kernel_args, THREADS_MAX)
{
	uint32_t i = gpu_cluster();

	if (gpu_thread() == 0 && gpu_rank() == 0) {
		while (i > 0 && gpu_acquire(&args.counters[i - 1]) < 2)
			continue;
		TS_WRITE(&args.to[i], i > 0 ? TS_READ(&args.to[i - 1]) + 1 : 1);
		gpu_signal(&args.counters[i], 2);
	}
	gpu_sync();
}

/* A group waits for the one after it, which needs a place. */
TS_KERNEL(kernel_back_chain, struct kernel_args, THREADS_MAX)
{
	uint32_t i = gpu_cluster();

	if (gpu_thread() == 0) {
		while (i + 1 < args.words && gpu_acquire(&args.counters[i + 1]) < 1)
			continue;
		TS_WRITE(&args.to[i], i + 1 < args.words ? TS_READ(&args.to[i + 1]) + 1 : 1);
		gpu_signal(&args.counters[i], 1);
	}
	gpu_sync();
}

/* Each CTA of a cluster reads what the next one has in its shared memory. */
TS_KERNEL(kernel_ring, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, THREADS_MAX);
	uint32_t ranks = args.count;
	const uint32_t *next;

	TS_WRITE(&words[gpu_thread()], own());
	gpu_cluster_sync();
	next = (const uint32_t *)gpu_shared_of(words, (gpu_rank() + 1) % ranks);
	TS_WRITE(&args.to[own()], TS_READ(&next[gpu_thread()]));
	gpu_cluster_sync();
}

/* All of dynamic shared memory. */
TS_KERNEL(kernel_dynamic, struct kernel_args, THREADS_MAX)
{
	uint32_t *words = (uint32_t *)(void *)gpu_shared();

	TS_WRITE(&words[gpu_thread()], gpu_thread());
	gpu_sync();
	TS_WRITE(&args.to[own()], TS_READ(&words[gpu_thread() ^ 1]));
}

/* One thread goes past the barrier in a branch. */
TS_KERNEL(kernel_skipped_barrier, struct kernel_args, THREADS_MAX)
{
	if (gpu_thread() != 5)
		gpu_sync();
	TS_WRITE(&args.to[own()], 1);
	gpu_sync();
}

/* One thread leaves in front of the barrier. */
TS_KERNEL(kernel_left_early, struct kernel_args, THREADS_MAX)
{
	gpu_tile(3, 4);
	if (gpu_thread() == 7)
		return;
	gpu_sync();
	TS_WRITE(&args.to[own()], 1);
}

/* Both halves wait, but not at the same barrier. */
TS_KERNEL(kernel_two_barriers, struct kernel_args, THREADS_MAX)
{
	if (gpu_thread() < 16)
		gpu_sync();
	else
		gpu_sync();
	TS_WRITE(&args.to[own()], 1);
}

/* Some lanes of a warp shuffle, the others are at a barrier. */
TS_KERNEL(kernel_warp_apart, struct kernel_args, THREADS_MAX)
{
	uint32_t value = 0;

	if (gpu_lane() < 8)
		value = gpu_shuffle(gpu_thread(), 0);
	gpu_sync();
	TS_WRITE(&args.to[own()], value);
}

/* The last thread writes one word too far. */
TS_KERNEL(kernel_store_beyond, struct kernel_args, THREADS_MAX)
{
	gpu_tile(gpu_cta(), 9);
	if (gpu_cta() == 1)
		TS_WRITE(&args.to[args.words - gpu_threads() + gpu_thread() + 1], 1);
}

TS_KERNEL(kernel_store_in_front, struct kernel_args, THREADS_MAX)
{
	if (gpu_cta() == 1 && gpu_thread() == 2)
		TS_WRITE(args.to - 3, 1);
}

/* The same into the guard, by a plain store. */
TS_KERNEL(kernel_plain_store_beyond, struct kernel_args, THREADS_MAX)
{
	gpu_tile(1, 2);
	if (gpu_cta() == 1 && gpu_thread() == 11)
		args.to[args.words + 1000] = 1;
	gpu_sync();
}

/* So near that no guard is there yet: seen at the end. */
TS_KERNEL(kernel_plain_store_near, struct kernel_args, THREADS_MAX)
{
	if (gpu_cta() == 1 && gpu_thread() == 11)
		*(volatile uint32_t *)(args.to - 1) = 1;
}

TS_KERNEL(kernel_load_beyond, struct kernel_args, THREADS_MAX)
{
	TS_WRITE(&args.to[0], TS_READ(args.from + args.words + gpu_thread()));
}

/* A claim from a counter that there is not. */
TS_KERNEL(kernel_few_counters, struct kernel_args, THREADS_MAX)
{
	gpu_claim(&args.counters[args.count]);
}

TS_KERNEL(kernel_never_signalled, struct kernel_args, THREADS_MAX)
{
	gpu_tile(2, 1);
	if (gpu_thread() == 3)
		while (gpu_acquire(&args.counters[1]) < 1)
			continue;
	gpu_sync();
}

/* Groups wait for each other. */
TS_KERNEL(kernel_waits_at_both, struct kernel_args, THREADS_MAX)
{
	if (gpu_thread() == 0) {
		while (gpu_acquire(&args.counters[1 - gpu_cluster() % 2]) == 0)
			continue;
		gpu_signal(&args.counters[gpu_cluster() % 2], 1);
	}
}

TS_KERNEL(kernel_shared_beyond, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, first, 20);
	TS_SHARED(uint32_t, second, 20);

	TS_WRITE(&second[0], 1);
	TS_WRITE(&first[gpu_thread()], args.words);
}

/* By plain stores: seen at the end of the group. */
TS_KERNEL(kernel_plain_shared_beyond, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, first, 20);

	*(volatile uint32_t *)(first + gpu_thread()) = args.words;
}

TS_KERNEL(kernel_dynamic_beyond, struct kernel_args, THREADS_MAX)
{
	uint32_t *words = (uint32_t *)(void *)gpu_shared();

	TS_WRITE(&words[KERNEL_SHARED - gpu_threads() + gpu_thread() + 1], args.words);
}

TS_KERNEL(kernel_plain_dynamic_beyond, struct kernel_args, THREADS_MAX)
{
	uint32_t *words = (uint32_t *)(void *)gpu_shared();

	*(volatile uint32_t *)(words + KERNEL_SHARED - gpu_threads() + gpu_thread() + 1) =
		args.words;
	gpu_sync();
}

/* Half of the words are written, all are read. */
TS_KERNEL(kernel_unwritten, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, THREADS_MAX);

	if (gpu_thread() % 2 == 0)
		TS_WRITE(&words[gpu_thread()], 1);
	gpu_sync();
	TS_WRITE(&args.to[own()], TS_READ(&words[gpu_thread()]));
}

/* The copy may still be in flight when it is read. */
TS_KERNEL(kernel_missing_wait, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, THREADS_MAX);

	gpu_copy_4(&words[gpu_thread()], args.from + gpu_thread(), 4);
	gpu_copy_commit();
	gpu_sync();
	TS_WRITE(&args.to[own()], TS_READ(&words[gpu_thread()]));
	gpu_copy_wait(0);
}

TS_KERNEL(kernel_missing_load_wait, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, 4 * THREADS_MAX);
	uint32_t t = gpu_thread();

	gpu_load_to_lds_16(&words[4 * (t - gpu_lane())], args.from + 4 * t);
	gpu_copy_commit();
	gpu_sync();
	TS_WRITE(&args.to[own()], TS_READ(&words[4 * t]));
	gpu_copy_wait(0);
}

/* Each lane gives the place of its own 16 bytes. */
TS_KERNEL(kernel_base_of_lane, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, 4 * THREADS_MAX);
	uint32_t t = gpu_thread();

	gpu_load_to_lds_16(&words[4 * t], args.from + 4 * t);
	gpu_copy_commit();
	gpu_copy_wait(0);
}

/* Some lanes load to LDS, the others by way of registers. */
TS_KERNEL(kernel_load_apart, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, 4 * THREADS_MAX);
	uint32_t t = gpu_thread();

	if (gpu_lane() < 8)
		gpu_load_to_lds_16(&words[4 * (t - gpu_lane())], args.from + 4 * t);
	else
		TS_WRITE(&words[4 * t], TS_READ(args.from + 4 * t));
	gpu_copy_commit();
	gpu_copy_wait(0);
	gpu_sync();
}

TS_KERNEL(kernel_misaligned_copy, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, 4 * THREADS_MAX);

	gpu_copy_16(&words[4 * gpu_thread()], args.from + 1, 16);
}

/* Each thread reads what the next one writes, with nothing in between. */
TS_KERNEL(kernel_no_barrier, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, THREADS_MAX);

	TS_WRITE(&words[gpu_thread()], 0);
	gpu_sync();
	TS_WRITE(&words[gpu_thread()], 1);
	TS_WRITE(&args.to[own()], TS_READ(&words[(gpu_thread() + 1) % gpu_threads()]));
}

/* The words are written anew while others may still read them. */
TS_KERNEL(kernel_early_reuse, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, THREADS_MAX);

	for (uint32_t turn = 0; turn < 2; turn++) {
		TS_WRITE(&words[gpu_thread()], turn);
		gpu_sync();
		TS_WRITE(&args.to[own()], TS_READ(&words[(gpu_thread() + 1) % gpu_threads()]));
	}
}

/* A step of a warp takes the place of a barrier: for the warp, but not for the next one. */
TS_KERNEL(kernel_other_warp, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint16_t, words, THREADS_MAX);
	uint32_t t = gpu_thread(), warp = t / TS_WARP * TS_WARP;
	uint32_t value;

	TS_WRITE(&words[t], (uint16_t)t);
	gpu_shuffle(0, 0);
	value = TS_READ(&words[warp + (t + 1) % TS_WARP]);
	gpu_shuffle(0, 0);
	TS_WRITE(&words[t], (uint16_t)value);
	gpu_shuffle(0, 0);
	TS_WRITE(&args.to[own()], value + TS_READ(&words[(t + args.count) % gpu_threads()]));
}

/* It is read in front of the wait, but behind a barrier. */
TS_KERNEL(kernel_race_of_copies, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, THREADS_MAX);

	TS_WRITE(&words[gpu_thread()], 3);
	gpu_sync();
	gpu_copy_4(&words[gpu_thread()], args.from + gpu_thread(), 4);
	gpu_copy_commit();
	gpu_sync();
	TS_WRITE(&args.to[own()], TS_READ(&words[(gpu_thread() + 1) % gpu_threads()]));
	gpu_copy_wait(0);
}

/* A barrier of the CTA is none for the cluster. */
TS_KERNEL(kernel_race_of_ctas, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, THREADS_MAX);

	TS_WRITE(&words[gpu_thread()], 1);
	gpu_cluster_sync();
	TS_WRITE(&args.to[own()],
		TS_READ((const uint32_t *)gpu_shared_of(&words[gpu_thread()], 1 - gpu_rank())));
	TS_WRITE(&words[gpu_thread()], 2);
	gpu_cluster_sync();
}

/* More on the stack than there is. */
static uint32_t deep(uint32_t left)
{
	volatile uint32_t words[1024];

	for (uint32_t i = 0; i < 1024; i++)
		words[i] = left;
	return left == 0 ? words[5] : deep(left - 1) + words[left % 1024];
}

TS_KERNEL(kernel_deep, struct kernel_args, THREADS_MAX)
{
	TS_WRITE(&args.to[own()], deep(100));
}

/* Reads the shared memory of a CTA that doesn't wait for it. */
TS_KERNEL(kernel_of_gone, struct kernel_args, THREADS_MAX)
{
	TS_SHARED(uint32_t, words, 1);

	TS_WRITE(&words[0], 1);
	if (gpu_rank() == 1)
		return;
	while (gpu_acquire(&args.counters[0]) == 0)
		if (gpu_claim(&args.counters[1]) == 10)
			gpu_signal(&args.counters[0], 1);
	TS_WRITE(&args.to[0], TS_READ((const uint32_t *)gpu_shared_of(words, 1)));
}
