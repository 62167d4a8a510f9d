/* What a kernel needs of a GPU, a short function each: the vendors' words appear only here, so that
 * the kernels themselves stay in the common subset of C and C++. */
#ifndef TS_GPU_H
#define TS_GPU_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__CUDACC__)

/* Words that stand in front of declarations, where a function can't. */
#define TS_KERNEL extern "C" __global__ void
#define TS_ARGUMENT const __grid_constant__
#define TS_GPU static __device__ inline
#define TS_SHARED __shared__

/* Index of this CTA's cluster in the grid along x; of the CTA where it was launched alone. */
TS_GPU uint32_t gpu_cluster(void)
{
#if __CUDA_ARCH__ >= 900
	uint32_t id;

	asm("mov.u32 %0, %%clusterid.x;" : "=r"(id));
	return id;
#else
	return blockIdx.x;
#endif
}

/* Index of this thread in its CTA along x. */
TS_GPU uint32_t gpu_thread(void)
{
	return threadIdx.x;
}

/* Index of this CTA in the grid along x. */
TS_GPU uint32_t gpu_cta(void)
{
	return blockIdx.x;
}

/* Of this CTA in its cluster, x fastest. */
TS_GPU uint32_t gpu_rank(void)
{
#if __CUDA_ARCH__ >= 900
	uint32_t rank;

	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
#else
	return 0;
#endif
}

/* Waits for all threads of the cluster that have not left; what they wrote before is then seen by
 * all of them. */
TS_GPU void gpu_cluster_sync(void)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
		     "barrier.cluster.wait.acquire.aligned;" ::
			     : "memory");
#else
	__syncthreads();
#endif
}

/* Where the CTA of `rank` has the shared variable that is at `p` here. */
TS_GPU const void *gpu_shared_of(const void *p, uint32_t rank)
{
#if __CUDA_ARCH__ >= 900
	return __cluster_map_shared_rank(p, rank);
#else
	(void)rank;
	return p;
#endif
}

/* Adds 1 and returns the old value, for the whole device. */
TS_GPU uint32_t gpu_claim(uint32_t *counter)
{
	return atomicAdd(counter, 1);
}

/* Adds `value` after everything that this thread wrote or saw written before. */
TS_GPU void gpu_signal(uint32_t *counter, uint32_t value)
{
	asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(counter), "r"(value)
		     : "memory");
}

/* The counter's value; what was written before the signals that made it is then seen. */
TS_GPU uint32_t gpu_acquire(const uint32_t *counter)
{
	uint32_t value;

	asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
	return value;
}

/* The SM that runs this CTA. */
TS_GPU uint32_t gpu_unit(void)
{
	uint32_t id;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
	return id;
}

/* A clock that all SMs share, in ns; it advances in steps. */
TS_GPU uint64_t gpu_time_ns(void)
{
	uint64_t ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
	return ns;
}

/* Cycles of this SM. */
TS_GPU uint64_t gpu_cycles(void)
{
	return (uint64_t)clock64();
}

#endif
#endif
