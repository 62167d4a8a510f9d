/* kernels/gpu.h in CUDA C++, where each word is explained. */
#ifndef TS_GPU_CUDA_H
#define TS_GPU_CUDA_H

#include <stdint.h>

#define TS_KERNEL(name, type, threads)                                                             \
	extern "C" __global__ void __launch_bounds__(threads, 1)                                   \
		name(const __grid_constant__ type args)
#define TS_GPU static __device__ inline
#define TS_SHARED(type, name, count) __shared__ type name[count]
#define TS_UNROLL _Pragma("unroll")
#define TS_READ(p) (*(p))
#define TS_WRITE(p, value) (*(p) = (value))

enum { TS_WARP = 32 };

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

TS_GPU uint32_t gpu_thread(void)
{
	return threadIdx.x;
}

TS_GPU uint32_t gpu_cta(void)
{
	return blockIdx.x;
}

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

TS_GPU const void *gpu_shared_of(const void *p, uint32_t rank)
{
#if __CUDA_ARCH__ >= 900
	return __cluster_map_shared_rank(p, rank);
#else
	(void)rank;
	return p;
#endif
}

TS_GPU uint32_t gpu_claim(uint32_t *counter)
{
	return atomicAdd(counter, 1);
}

TS_GPU void gpu_signal(uint32_t *counter, uint32_t value)
{
	asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(counter), "r"(value)
		     : "memory");
}

TS_GPU uint32_t gpu_acquire(const uint32_t *counter)
{
	uint32_t value;

	asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
	return value;
}

TS_GPU uint32_t gpu_hear(const uint32_t *word)
{
	uint32_t value;

	asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
	return value;
}

TS_GPU void gpu_tell(uint32_t *word, uint32_t value)
{
	asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

TS_GPU void gpu_pause(void)
{
	__nanosleep(50000);
}

TS_GPU uint32_t gpu_unit(void)
{
	uint32_t id;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
	return id;
}

TS_GPU uint32_t gpu_domain(void)
{
	return gpu_unit();
}

TS_GPU uint64_t gpu_time_ns(void)
{
	uint64_t ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
	return ns;
}

TS_GPU uint64_t gpu_cycles(void)
{
	return (uint64_t)clock64();
}

TS_GPU uint32_t gpu_threads(void)
{
	return blockDim.x;
}

TS_GPU uint32_t gpu_lane(void)
{
	return threadIdx.x % TS_WARP;
}

TS_GPU uint32_t gpu_warp(void)
{
	return threadIdx.x / TS_WARP;
}

TS_GPU uint32_t gpu_ctas(void)
{
	return gridDim.x;
}

TS_GPU char *gpu_shared(void)
{
	extern __shared__ __align__(128) char ts_shared[];

	return ts_shared;
}

TS_GPU void gpu_sync(void)
{
	__syncthreads();
}

TS_GPU void gpu_fence(void)
{
	__threadfence();
}

TS_GPU uint32_t gpu_shuffle(uint32_t value, uint32_t lane)
{
	return __shfl_sync(0xffffffff, value, (int)lane);
}

TS_GPU void gpu_copy_16(void *to, const void *from, uint32_t bytes)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
			     (uint32_t)__cvta_generic_to_shared(to)),
		     "l"(__cvta_generic_to_global(from)), "r"(bytes)
		     : "memory");
}

TS_GPU void gpu_copy_4(void *to, const void *from, uint32_t bytes)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
			     (uint32_t)__cvta_generic_to_shared(to)),
		     "l"(__cvta_generic_to_global(from)), "r"(bytes)
		     : "memory");
}

TS_GPU void gpu_copy_commit(void)
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

/* A macro: the number is part of the instruction. */
#define gpu_copy_wait(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")

TS_GPU void gpu_tile(uint32_t m, uint32_t n)
{
	(void)m;
	(void)n;
}

#endif
