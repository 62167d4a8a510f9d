/* One step of a warp's product, the same words for every instruction set: a tile of MMA_M x MMA_N
 * sums, MMA_K deep, from operands in shared memory.
 *
 *   MMA_ISA, MMA_LANES          the instructions, and lanes of a warp
 *   MMA_M, MMA_N, MMA_K         the tile of a step, which may take several instructions
 *   MMA_BESIDE, MMA_AFTER       how many: side by side, and one after another along K
 *   MMA_AB, MMA_C               16 bit elements of A, and of B, and sums that a lane has of a tile
 *   MMA_WARPS_M, MMA_WARPS_N    warps of a CTA along M and N
 *   MMA_STAGES                  places for operands in shared memory
 *   MMA_LOADS_TO_LDS            defined where a lane loads 16 bytes to shared memory directly
 *   mma_load_a(), mma_load_b()  a fragment from shared memory
 *   mma_step()                  c[i * tiles_n + j] += a[i] b[j]; all lanes of a warp take part
 *   mma_place(lane, i)          row and column of the lane's sum number `i` in its tile
 *   mma_round(value, type)      to 16 bits, to nearest even
 *   mma_copy_begin(), ...       chunks on their way from global to shared memory
 *
 * Tiles of operands in shared memory are swizzled, so that neither copies nor fragments meet in a
 * bank: rows along K have BLOCK_K elements, rows along N have BLOCK_N, cut into chunks of 8.
 *
 * On the CPU a program is compiled once for each instruction set, which TS_MMA_AS_... names. */
#ifndef TS_MMA_H
#define TS_MMA_H

#include "kernels/gpu.h"
#include "kernels/mma_args.h"
#include "kernels/mma_isa.h"

enum { MMA_K = 16, MMA_CHUNK = 8 };

#if defined(__CUDACC__) || defined(TS_MMA_AS_SM80)
/* Two instructions side by side, so that one ldmatrix loads what they take of B. */
enum { MMA_ISA = MMA_SM80, MMA_LANES = 32, MMA_M = 16, MMA_N = 16, MMA_AB = 8, MMA_C = 8 };
enum { MMA_BESIDE = 2, MMA_AFTER = 1, MMA_WARPS_M = 2, MMA_WARPS_N = 4, MMA_STAGES = 4 };
#elif defined(__gfx950__) || defined(TS_MMA_AS_GFX950)
enum { MMA_ISA = MMA_GFX950, MMA_LANES = 64, MMA_M = 32, MMA_N = 32, MMA_AB = 8, MMA_C = 16 };
enum { MMA_BESIDE = 1, MMA_AFTER = 1, MMA_WARPS_M = 2, MMA_WARPS_N = 2, MMA_STAGES = 2 };
#define MMA_LOADS_TO_LDS
#elif defined(__gfx90a__) || defined(__gfx942__) || defined(TS_MMA_AS_GFX942)
/* Two instructions of half the depth. */
enum { MMA_ISA = MMA_GFX90A, MMA_LANES = 64, MMA_M = 32, MMA_N = 32, MMA_AB = 8, MMA_C = 16 };
enum { MMA_BESIDE = 1, MMA_AFTER = 2, MMA_WARPS_M = 2, MMA_WARPS_N = 2, MMA_STAGES = 2 };
#elif defined(__GFX11__) || defined(TS_MMA_AS_GFX1100)
enum { MMA_ISA = MMA_GFX1100, MMA_LANES = 32, MMA_M = 16, MMA_N = 16, MMA_AB = 16, MMA_C = 8 };
enum { MMA_BESIDE = 1, MMA_AFTER = 1, MMA_WARPS_M = 2, MMA_WARPS_N = 4, MMA_STAGES = 2 };
#elif defined(__GFX12__) || defined(TS_MMA_AS_GFX1200)
enum { MMA_ISA = MMA_GFX1200, MMA_LANES = 32, MMA_M = 16, MMA_N = 16, MMA_AB = 8, MMA_C = 8 };
enum { MMA_BESIDE = 1, MMA_AFTER = 1, MMA_WARPS_M = 2, MMA_WARPS_N = 4, MMA_STAGES = 2 };
#endif

/* In front of the loop over the steps of a stage. With both steps' fragments at once gfx1100 would
 * have too few registers. */
#if defined(__HIP__)
#define MMA_DEPTH_LOOP _Pragma("nounroll")
#else
#define MMA_DEPTH_LOOP TS_UNROLL
#endif

/* In front of a function whose loops are as long as its arguments say, which are constants where it
 * is called. Inlined too late, loops stay, and with them arrays that should be registers. */
#if defined(__CUDACC__)
#define MMA_INLINE static __device__ __forceinline__
#elif defined(__HIP__) && defined(TS_GROUPS)
#define MMA_INLINE static __device__ inline __attribute__((always_inline))
#else
#define MMA_INLINE TS_GPU
#endif

/* 8 elements, the unit of all copies. */
struct mma_chunk {
	uint32_t w[4];
} __attribute__((aligned(16), may_alias));

/* A lane's part of A or B for one step. */
struct mma_fragment {
	struct mma_chunk part[MMA_AB / MMA_CHUNK];
};

/* Where the element at `k` of a row along K is. Two rows fill all banks once. */
TS_GPU uint32_t mma_at_k(uint32_t row, uint32_t k)
{
	return row * TS_MMA_BLOCK_K + ((k / MMA_CHUNK) ^ (row / 2 % 4)) * MMA_CHUNK + k % MMA_CHUNK;
}

/* Where the element at `n` of row `k` along N is. */
TS_GPU uint32_t mma_at_n(uint32_t k, uint32_t n, uint32_t block_n)
{
	return k * block_n + ((n / MMA_CHUNK) ^ (k % 8)) * MMA_CHUNK + n % MMA_CHUNK;
}

TS_GPU struct mma_element mma_place(uint32_t lane, uint32_t i)
{
	uint32_t each = MMA_C / MMA_BESIDE;
	struct mma_element e = mma_element_c((enum mma_isa)MMA_ISA, lane, i % each);

	e.along += i / each * (MMA_N / MMA_BESIDE);
	return e;
}

#if defined(__CUDACC__)
#include "kernels/mma_ptx.h"
#elif defined(__HIP__)
#include "kernels/mma_amd.h"
#include "kernels/mma_wave.h"
#else
#include "kernels/mma_cpu.h"
#include "kernels/mma_wave.h"
#endif
#include "kernels/mma_copy.h"

#endif
