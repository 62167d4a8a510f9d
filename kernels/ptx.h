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

/* Arrives at the barrier of that address in the cluster. */
TS_GPU void ptx_barrier_arrive_there(uint32_t address)
{
	asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(address) : "memory");
}

/* Arrives at the barrier of the CTA of `rank`, which may be this one: whatever this thread has read
 * is read. Memory that it wrote need not be seen there yet, which would cost a fence. */
TS_GPU void ptx_barrier_arrive_at(uint64_t *barrier, uint32_t rank)
{
	ptx_barrier_arrive_there(ptx_shared_of(barrier, rank));
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

/* The thread's number, read anew, so that nothing which follows from it is kept in registers. */
TS_GPU uint32_t ptx_thread(void)
{
	uint32_t thread;

	asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
	return thread;
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

/* The barrier of the cluster, in two steps: a warp that arrived goes on until it waits for the
 * others. Barriers that were made before are known after it, but no other memory. */
TS_GPU void ptx_cluster_arrive(void)
{
	asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

TS_GPU void ptx_cluster_wait(void)
{
	asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Writes four words, 16 bytes aligned, to the shared memory of another CTA of the cluster; their
 * bytes are told to its barrier. No fence is needed, which would wait for all of this thread's
 * memory. */
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

TS_GPU void ptx_read_4(const float *p, float *v)
{
	asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
		     : "l"(p)
		     : "memory");
}

/* Writes 16 bytes where `there`, without a branch. */
TS_GPU void ptx_write_if(bool there, void *p, const uint32_t (&v)[4])
{
	asm volatile("{\n\t.reg .pred there;\n\t"
		     "setp.ne.u32 there, %5, 0;\n\t"
		     "@there st.global.v4.b32 [%0], {%1, %2, %3, %4};\n\t}" ::"l"(p),
		     "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"((uint32_t)there)
		     : "memory");
}

/* Leaves the SM to others for a moment. */
TS_GPU void ptx_pause(void)
{
	asm volatile("nanosleep.u32 32;");
}

/* 64 bits of global memory that workers on other SMs change too: what was written before is seen by
 * who hears of it. The first two return what was there. */
TS_GPU uint64_t ptx_add_64(uint64_t *p, uint64_t value)
{
	uint64_t before;

	asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;"
		     : "=l"(before)
		     : "l"(p), "l"(value)
		     : "memory");
	return before;
}

TS_GPU uint64_t ptx_or_64(uint64_t *p, uint64_t bits)
{
	uint64_t before;

	asm volatile("atom.acq_rel.gpu.global.or.b64 %0, [%1], %2;"
		     : "=l"(before)
		     : "l"(p), "l"(bits)
		     : "memory");
	return before;
}

TS_GPU uint64_t ptx_acquire_64(const uint64_t *p)
{
	uint64_t value;

	asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
	return value;
}

/* The copy engine (TMA): boxes of arrays of two dimensions, x along the rows and y, and of three.
 */

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

/* Both of arrays of three dimensions. */
TS_GPU void ptx_copy_in(
	const void *map, uint64_t *barrier, void *to, uint32_t x, uint32_t y, uint32_t z)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(ptx_shared(to)),
		     "l"(map), "r"(ptx_shared(barrier)), "r"(x), "r"(y), "r"(z)
		     : "memory");
}

TS_GPU void ptx_copy_in_all(const void *map, uint64_t *barrier, void *to, uint32_t x, uint32_t y,
	uint32_t z, uint32_t ranks)
{
	asm volatile(
		"cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
		".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(ptx_shared(to)),
		"l"(map), "r"(ptx_shared(barrier)), "r"(x), "r"(y), "r"(z), "h"((uint16_t)ranks)
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

/* Types of 16 bits by what instructions call them. */
struct ptx_bf16 {
	static constexpr char name[] = "bf16";
};

struct ptx_fp16 {
	static constexpr char name[] = "f16";
};

/* Two floats rounded to TYPE, `low` in the lower half. */
template <class TYPE> TS_GPU uint32_t ptx_pack(float low, float high)
{
	uint32_t both;

	asm("cvt.rn.%3x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low), "C"(TYPE::name));
	return both;
}

#endif
