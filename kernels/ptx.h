/* The instructions of Hopper (sm_90a) that C++ has no word for, a short function each. */
#ifndef TS_PTX_H
#define TS_PTX_H

#include "kernels/gpu.h"

/* A shared variable's address in the 32 bits that instructions take. */
TS_GPU uint32_t ptx_shared(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/* The same variable's address in the CTA of `rank`, for the whole cluster. */
TS_GPU uint32_t ptx_shared_of(const void *p, uint32_t rank)
{
	uint32_t address;

	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(ptx_shared(p)), "r"(rank));
	return address;
}

/* Barriers (mbarrier): a phase completes when so many arrivals and all expected bytes are in. */

TS_GPU void ptx_barrier_init(uint64_t *barrier, uint32_t arrivals)
{
	asm volatile(
		"mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(ptx_shared(barrier)), "r"(arrivals)
		: "memory");
}

/* Makes them known to the cluster and to the copy engine, after the cluster's barrier. */
TS_GPU void ptx_barrier_init_done(void)
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and says how many bytes the copy engine will bring in this phase. */
TS_GPU void ptx_barrier_expect(uint64_t *barrier, uint32_t bytes)
{
	asm volatile(
		"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ptx_shared(barrier)),
		"r"(bytes)
		: "memory");
}

TS_GPU void ptx_barrier_arrive(uint64_t *barrier)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ptx_shared(barrier))
		     : "memory");
}

/* Arrives at the barrier of the CTA of `rank`, which may be this one: whatever this thread has read
 * is read. Memory that it wrote need not be seen there yet, which would cost a fence. */
TS_GPU void ptx_barrier_arrive_at(uint64_t *barrier, uint32_t rank)
{
	asm volatile(
		"mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(ptx_shared_of(barrier, rank))
		: "memory");
}

/* Arrives at another CTA's, and says how many bytes ptx_store_at() will bring there in this phase.
 * Neither may be executed in a grid without clusters. */
TS_GPU void ptx_barrier_expect_at(uint64_t *barrier, uint32_t rank, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%0], %1;" ::"r"(
			     ptx_shared_of(barrier, rank)),
		     "r"(bytes)
		     : "memory");
}

/* Waits until the phase of that parity is complete. */
TS_GPU void ptx_barrier_wait(uint64_t *barrier, uint32_t parity)
{
	asm volatile("{\n\t.reg .pred done;\n"
		     "again:\n\t"
		     "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
		     "@!done bra again;\n\t}" ::"r"(ptx_shared(barrier)),
		     "r"(parity)
		     : "memory");
}

/* The same where ptx_store_at() may bring the bytes, which are then seen. */
TS_GPU void ptx_barrier_wait_cluster(uint64_t *barrier, uint32_t parity)
{
	asm volatile("{\n\t.reg .pred done;\n"
		     "again:\n\t"
		     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
		     "@!done bra again;\n\t}" ::"r"(ptx_shared(barrier)),
		     "r"(parity)
		     : "memory");
}

/* `value` as the lane `lane` of this warp has it; all of its threads ask. */
TS_GPU uint32_t ptx_of_lane(uint32_t value, int lane)
{
	return __shfl_sync(0xffffffff, value, lane);
}

/* All `threads` threads that name the same barrier `id` of their CTA, 1 to 15. */
TS_GPU void ptx_sync(uint32_t id, uint32_t threads)
{
	asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Writes four words, 16 bytes aligned, to the shared memory of another CTA of the
 * cluster; their bytes are
 * told to its barrier. No fence is needed, which would wait for all of this thread's memory. */
TS_GPU void ptx_store_at(void *p, uint64_t *barrier, uint32_t rank, const uint32_t (&w)[4])
{
	asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 "
		     "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(ptx_shared_of(p, rank)),
		     "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(ptx_shared_of(barrier, rank))
		     : "memory");
}

/* Four floats of global memory, 16 bytes aligned, past the L1 cache, where other SMs' would be old.
 */
TS_GPU void ptx_write_4(float *p, float a, float b, float c, float d)
{
	asm volatile("st.global.cg.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(a), "f"(b), "f"(c),
		     "f"(d)
		     : "memory");
}

TS_GPU void ptx_add_4(const float *p, float &a, float &b, float &c, float &d)
{
	float v[4];

	asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
		     : "l"(p)
		     : "memory");
	a += v[0];
	b += v[1];
	c += v[2];
	d += v[3];
}

/* Leaves the SM to others for a moment. */
TS_GPU void ptx_pause(void)
{
	asm volatile("nanosleep.u32 32;");
}

/* The copy engine (TMA): boxes of two-dimensional arrays, x along the rows. */

TS_GPU void ptx_copy_prepare(const void *map)
{
	asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* A box into shared memory; its bytes are told to the barrier. */
TS_GPU void ptx_copy_in(const void *map, uint64_t *barrier, void *to, uint32_t x, uint32_t y)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1, {%3, %4}], [%2];" ::"r"(ptx_shared(to)),
		     "l"(map), "r"(ptx_shared(barrier)), "r"(x), "r"(y)
		     : "memory");
}

/* The same into each CTA of the cluster whose bit is in `ranks`, at the same place in each. */
TS_GPU void ptx_copy_in_all(
	const void *map, uint64_t *barrier, void *to, uint32_t x, uint32_t y, uint32_t ranks)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
		     ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(ptx_shared(to)),
		     "l"(map), "r"(ptx_shared(barrier)), "r"(x), "r"(y), "h"((uint16_t)ranks)
		     : "memory");
}

/* A box out of shared memory; elements outside the array are left out. */
TS_GPU void ptx_copy_out(const void *map, const void *from, uint32_t x, uint32_t y)
{
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
		     "[%0, {%2, %3}], [%1];" ::"l"(map),
		     "r"(ptx_shared(from)), "r"(x), "r"(y)
		     : "memory");
}

/* Ends a group of this thread's copies out. */
TS_GPU void ptx_copy_out_group(void)
{
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until all but the last GROUPS groups have read their shared memory. */
template <int GROUPS> TS_GPU void ptx_copy_out_wait(void)
{
	asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(GROUPS) : "memory");
}

/* Lets the copy engine see what this thread wrote to shared memory. */
TS_GPU void ptx_fence_copies(void)
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Gives registers of this warpgroup back, or takes more: COUNT for each thread from now on. */
template <int COUNT> TS_GPU void ptx_registers_less(void)
{
	asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

template <int COUNT> TS_GPU void ptx_registers_more(void)
{
	asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/* Four 8x8 matrices of 16 bit elements, a register of each thread for each, to shared memory: lanes
 * 8 i to 8 i + 7 give the addresses of the rows of matrix i. */
TS_GPU void ptx_store_matrices(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3)
{
	asm volatile(
		"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
		"r"(r0), "r"(r1), "r"(r2), "r"(r3)
		: "memory");
}

/* Two floats rounded to bf16, `low` in the lower half. */
TS_GPU uint32_t ptx_pack(float low, float high)
{
	uint32_t both;

	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
	return both;
}

/* Products by a warpgroup (wgmma), which run on while the threads do. */

/* In front of the first of them, and where registers or shared memory were written since. */
TS_GPU void ptx_multiply_begin(void)
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Ends a group of them. */
TS_GPU void ptx_multiply_group(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until all but the last GROUPS groups are done. */
template <int GROUPS> TS_GPU void ptx_multiply_wait(void)
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}

/* Keeps the compiler from reading `d` earlier than here. */
template <int COUNT> TS_GPU void ptx_settle(float (&d)[COUNT])
{
#pragma unroll
	for (int i = 0; i < COUNT; i++)
		asm volatile("" : "+f"(d[i])::"memory");
}

/* Where an operand of a product lies: rows of 64 bf16, 128 bytes, swizzled by 128 bytes as the copy
 * engine does it, 8 rows every 1024 bytes. Add 2 for the next 16 columns. */
TS_GPU uint64_t ptx_operand(const void *p)
{
	uint64_t address = (ptx_shared(p) & 0x3ffff) >> 4;
	uint64_t leading = 1; /* unused with this swizzle */
	uint64_t stride = 1024 >> 4;
	uint64_t swizzle = 1;

	return address | leading << 16 | stride << 32 | swizzle << 62;
}

/* d (+)= A[64,16] B[128,16]^T, both in shared memory; d starts anew where `keep` is 0. */
TS_GPU void ptx_multiply(float (&d)[64], uint64_t a, uint64_t b, uint32_t keep)
{
	asm volatile("{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, %66, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
		     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
		     "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
		     "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
		     "%60, %61, %62, %63}, "
		     "%64, %65, keep, 1, 1, 0, 0;\n\t}"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		     "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
		     "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
		     "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
		     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
		     "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
		     "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
		     : "l"(a), "l"(b), "r"(keep));
}

/* d (+)= A[64,16] B[256,16]^T, both in shared memory; d starts anew where `keep` is 0. */
TS_GPU void ptx_multiply(float (&d)[128], uint64_t a, uint64_t b, uint32_t keep)
{
	asm volatile("{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, %130, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
		     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
		     "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
		     "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
		     "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "
		     "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "
		     "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
		     "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "
		     "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, "
		     "%120, %121, %122, %123, %124, %125, %126, %127}, "
		     "%128, %129, keep, 1, 1, 0, 0;\n\t}"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		     "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
		     "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
		     "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
		     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
		     "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
		     "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]),
		     "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
		     "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),
		     "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
		     "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),
		     "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
		     "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]),
		     "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]),
		     "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
		     "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]),
		     "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]),
		     "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]),
		     "+f"(d[127])
		     : "l"(a), "l"(b), "r"(keep));
}

#endif
