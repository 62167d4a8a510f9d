/* kernels/gpu.h in HIP, where each word is explained. Needs no header or library of ROCm's, but
 * clang for amdgcn. There are no clusters: each CTA, a workgroup, is its own. */
#ifndef TS_GPU_HIP_H
#define TS_GPU_HIP_H

#include <stdint.h>

/* The words that HIP's own header would define, for this one and for the policies. */
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

#define TS_KERNEL(name, type, threads)                                                             \
	extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, threads))) void name(  \
		const type args)
#define TS_GPU static __device__ inline
#define TS_SHARED(type, name, count) __shared__ type name[count]
#define TS_UNROLL _Pragma("unroll")
#define TS_READ(p) (*(p))
#define TS_WRITE(p, value) (*(p) = (value))

#if defined(__GFX9__)
enum { TS_WARP = 64 };
#else
enum { TS_WARP = 32 };
#endif

/* Hardware registers, by the numbers and fields of AMD's ISA documents: for s_getreg, which takes
 * the register, the first bit and the number of bits less one. */
enum {
	GPU_HIP_HW_ID = 4 | 8 << 6 | 7 << 11,     /* gfx9: CU, shader array and engine */
	GPU_HIP_HW_ID1 = 23 | 10 << 6 | 10 << 11, /* gfx11, gfx12: WGP, shader array and engine */
	GPU_HIP_XCC_ID = 20 | 3 << 11             /* gfx942, gfx950: which XCD */
};

TS_GPU uint32_t gpu_thread(void)
{
	return __builtin_amdgcn_workitem_id_x();
}

TS_GPU uint32_t gpu_threads(void)
{
	return __builtin_amdgcn_workgroup_size_x();
}

TS_GPU uint32_t gpu_lane(void)
{
	return gpu_thread() % TS_WARP;
}

TS_GPU uint32_t gpu_warp(void)
{
	return gpu_thread() / TS_WARP;
}

TS_GPU uint32_t gpu_cta(void)
{
	return __builtin_amdgcn_workgroup_id_x();
}

/* All grids are made of whole workgroups. */
TS_GPU uint32_t gpu_ctas(void)
{
	return __builtin_amdgcn_grid_size_x() / gpu_threads();
}

TS_GPU uint32_t gpu_cluster(void)
{
	return gpu_cta();
}

TS_GPU uint32_t gpu_rank(void)
{
	return 0;
}

TS_GPU char *gpu_shared(void)
{
	extern __shared__ __attribute__((aligned(128))) char ts_shared[];

	return ts_shared;
}

TS_GPU const void *gpu_shared_of(const void *p, uint32_t rank)
{
	(void)rank;
	return p;
}

/* Waves that have ended don't count at a barrier. */
TS_GPU void gpu_sync(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

TS_GPU void gpu_cluster_sync(void)
{
	gpu_sync();
}

TS_GPU void gpu_fence(void)
{
	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
}

TS_GPU uint32_t gpu_shuffle(uint32_t value, uint32_t lane)
{
	return (uint32_t)__builtin_amdgcn_ds_bpermute((int)(lane * 4), (int)value);
}

TS_GPU uint32_t gpu_claim(uint32_t *counter)
{
	return __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

TS_GPU void gpu_signal(uint32_t *counter, uint32_t value)
{
	__hip_atomic_fetch_add(counter, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

TS_GPU uint32_t gpu_acquire(const uint32_t *counter)
{
	return __hip_atomic_load(counter, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}

TS_GPU uint32_t gpu_hear(const uint32_t *word)
{
	return __hip_atomic_load(word, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
}

TS_GPU void gpu_tell(uint32_t *word, uint32_t value)
{
	__hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

/* The longest sleep is 127 times 64 cycles. */
TS_GPU void gpu_pause(void)
{
	for (int i = 0; i < 8; i++)
		__builtin_amdgcn_s_sleep(127);
}

/* The XCD; where the hardware has none, or doesn't tell, workgroups go to them in turn. */
TS_GPU uint32_t gpu_domain(void)
{
#if defined(__gfx942__) || defined(__gfx950__)
	return (uint32_t)__builtin_amdgcn_s_getreg(GPU_HIP_XCC_ID);
#else
	return gpu_cta();
#endif
}

/* The CU with its XCD in the bits from 8 on; on gfx11 and gfx12 the pair of CUs that a workgroup
 * has, a WGP. Numbers are not consecutive, since some CUs of any chip are switched off. */
TS_GPU uint32_t gpu_unit(void)
{
#if defined(__gfx942__) || defined(__gfx950__)
	return gpu_domain() << 8 | (uint32_t)__builtin_amdgcn_s_getreg(GPU_HIP_HW_ID);
#elif defined(__GFX9__)
	return (uint32_t)__builtin_amdgcn_s_getreg(GPU_HIP_HW_ID);
#else
	uint32_t id = (uint32_t)__builtin_amdgcn_s_getreg(GPU_HIP_HW_ID1);

	return (id & 0xf) | (id >> 6 & 1) << 4 | (id >> 8 & 7) << 5;
#endif
}

/* A counter of 100 MHz on all of these. */
TS_GPU uint64_t gpu_time_ns(void)
{
#if defined(__GFX9__)
	return __builtin_amdgcn_s_memrealtime() * 10;
#else
	return __builtin_amdgcn_s_sendmsg_rtnl(0x83) * 10; /* MSG_RTN_GET_REALTIME */
#endif
}

/* gfx11 has only 20 bits of them, less than a measurement takes: 0. */
TS_GPU uint64_t gpu_cycles(void)
{
#if defined(__GFX11__)
	return 0;
#else
	return __builtin_readcyclecounter();
#endif
}

#if defined(__gfx950__)

/* GLOBAL_LOAD_LDS_DWORDX4: the address in LDS is M0 + 16 * lane, and M0 a scalar (AMD, "CDNA4
 * Instruction Set Architecture", section 10.3 "Addressing"; gfx942 and before have a DWORD at most,
 * at M0 + 4 * lane). Of a base that differs from lane to lane LLVM takes that of the first one. */
TS_GPU void gpu_load_to_lds_16(void *base, const void *from)
{
	__builtin_amdgcn_global_load_lds((__attribute__((address_space(1))) void *)from,
		(__attribute__((address_space(3))) void *)base, 16, 0, 0);
}

TS_GPU bool gpu_all(bool value)
{
	return __builtin_amdgcn_ballot_w64(!value) == 0;
}

TS_GPU void gpu_copy_commit(void)
{
}

/* Such loads are counted by vmcnt, as others are, and not by lgkmcnt (section 10.4 "Global").
 * LLVM's "User Guide for AMDGPU Backend" calls them LDS DMA. */
TS_GPU void gpu_copy_wait(uint32_t groups)
{
	(void)groups;
	/* vmcnt is 0; the fields of expcnt and lgkmcnt are at their most. */
	__builtin_amdgcn_s_waitcnt(7 << 4 | 15 << 8);
}

#endif

TS_GPU void gpu_tile(uint32_t m, uint32_t n)
{
	(void)m;
	(void)n;
}

#endif
