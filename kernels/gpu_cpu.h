/* kernels/gpu.h in C11 for the CPU: threads are fibers of the executor in kernels/cpu.h, which
 * checks what they do. */
#ifndef TS_GPU_CPU_H
#define TS_GPU_CPU_H

#include "kernels/cpu_hooks.h"

/* A function for each thread, and the kernel as the host gets it. */
#define TS_KERNEL(name, type, threads)                                                             \
	static void name##_thread(const type args);                                                \
	extern const struct cpu_kernel name;                                                       \
	static void name##_enter(const void *args)                                                 \
	{                                                                                          \
		name##_thread(*(const type *)args);                                                \
	}                                                                                          \
	const struct cpu_kernel name = {#name, name##_enter, sizeof(type), threads};               \
	static void name##_thread(const type args)
#define TS_GPU static inline
#define TS_SHARED(type, name, count)                                                               \
	static const struct cpu_shared name##_shared = {#name, sizeof(type) * (count)};            \
	type *const name = (type *)cpu_shared_at(&name##_shared)
#define TS_UNROLL
#define TS_READ(p) (cpu_read((p), sizeof *(p)), *(p))
#define TS_WRITE(p, value) (cpu_write((p), sizeof *(p)), *(p) = (value))

#if defined(TS_MMA_AS_GFX942) || defined(TS_MMA_AS_GFX950)
enum { TS_WARP = 64 };
#else
enum { TS_WARP = 32 };
#endif

TS_GPU uint32_t gpu_thread(void)
{
	return cpu_self->thread;
}

TS_GPU uint32_t gpu_threads(void)
{
	return cpu_self->threads;
}

TS_GPU uint32_t gpu_lane(void)
{
	return cpu_self->thread % TS_WARP;
}

TS_GPU uint32_t gpu_warp(void)
{
	return cpu_self->thread / TS_WARP;
}

TS_GPU uint32_t gpu_cta(void)
{
	return cpu_self->cta;
}

TS_GPU uint32_t gpu_ctas(void)
{
	return cpu_self->ctas;
}

TS_GPU uint32_t gpu_cluster(void)
{
	return cpu_self->cluster;
}

TS_GPU uint32_t gpu_rank(void)
{
	return cpu_self->rank;
}

TS_GPU uint32_t gpu_unit(void)
{
	return cpu_self->unit;
}

TS_GPU uint32_t gpu_domain(void)
{
	return cpu_self->unit;
}

TS_GPU char *gpu_shared(void)
{
	return (char *)cpu_shared_dynamic();
}

TS_GPU const void *gpu_shared_of(const void *p, uint32_t rank)
{
	return cpu_shared_of(p, rank);
}

/* Macros: a barrier is known by where it stands, so that threads which meet at different ones are
 * found. */
#define gpu_sync() cpu_sync(CPU_CTA, CPU_HERE)
#define gpu_cluster_sync() cpu_sync(CPU_CLUSTER, CPU_HERE)
#define gpu_shuffle(value, lane) cpu_shuffle((value), (lane), TS_WARP, CPU_HERE)
#define gpu_all(value) cpu_all((value), TS_WARP, CPU_HERE)
#define gpu_load_to_lds_16(base, from) cpu_load_to_lds((base), (from), 16, TS_WARP, CPU_HERE)

/* The threads of a CTA take turns on one processor: the fence of one is that of all. */
TS_GPU void gpu_fence(void)
{
}

TS_GPU uint32_t gpu_claim(uint32_t *counter)
{
	uint32_t old;

	cpu_change(counter, CPU_CLAIM);
	old = __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
	cpu_changed();
	return old;
}

TS_GPU void gpu_signal(uint32_t *counter, uint32_t value)
{
	cpu_change(counter, CPU_SIGNAL);
	__atomic_fetch_add(counter, value, __ATOMIC_RELEASE);
	cpu_changed();
}

TS_GPU uint32_t gpu_acquire(const uint32_t *counter)
{
	uint32_t value;

	cpu_poll(counter);
	value = __atomic_load_n(counter, __ATOMIC_ACQUIRE);
	cpu_polled(counter, value);
	return value;
}

TS_GPU uint32_t gpu_hear(const uint32_t *word)
{
	cpu_read(word, sizeof *word);
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

TS_GPU void gpu_tell(uint32_t *word, uint32_t value)
{
	cpu_write(word, sizeof *word);
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Memory is near. */
TS_GPU void gpu_pause(void)
{
}

TS_GPU uint64_t gpu_time_ns(void)
{
	return cpu_time_ns();
}

TS_GPU uint64_t gpu_cycles(void)
{
	return cpu_time_ns();
}

TS_GPU void gpu_copy_16(void *to, const void *from, uint32_t bytes)
{
	cpu_copy(to, from, bytes, 16);
}

TS_GPU void gpu_copy_4(void *to, const void *from, uint32_t bytes)
{
	cpu_copy(to, from, bytes, 4);
}

TS_GPU void gpu_copy_commit(void)
{
	cpu_copy_commit();
}

TS_GPU void gpu_copy_wait(uint32_t groups)
{
	cpu_copy_wait(groups);
}

TS_GPU void gpu_tile(uint32_t m, uint32_t n)
{
	cpu_tile(m, n);
}

#endif
