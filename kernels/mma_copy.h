/* Chunks of operands on their way from global to shared memory, for kernels/mma.h. On NVIDIA copies
 * run by themselves (cp.async) and are waited for; on AMD registers hold them meanwhile, so that
 * loads are in flight while a step computes. */
#ifndef TS_MMA_COPY_H
#define TS_MMA_COPY_H

/* The first `count` of 8 elements, one by one; the others are zero. */
TS_GPU struct mma_chunk mma_pick(const uint16_t *from, uint32_t count)
{
	struct mma_chunk v;

	TS_UNROLL
	for (uint32_t i = 0; i < MMA_CHUNK / 2; i++) {
		uint32_t low = 2 * i < count ? (uint32_t)TS_READ(from + 2 * i) : 0;
		uint32_t high = 2 * i + 1 < count ? (uint32_t)TS_READ(from + 2 * i + 1) : 0;

		v.w[i] = low | high << 16;
	}
	return v;
}

TS_GPU void mma_put(uint16_t *to, struct mma_chunk v)
{
	TS_WRITE((struct mma_chunk *)(void *)to, v);
}

/* Whether stages without an edge have code of their own, which tests nothing for each chunk. On AMD
 * there are too few registers for it. */
#if defined(__CUDACC__) || defined(TS_MMA_AS_SM80)
enum { MMA_COPY_WHOLE = true };
#else
enum { MMA_COPY_WHOLE = false };
#endif

#if defined(__CUDACC__) || defined(TS_MMA_AS_SM80)

/* Begins to copy a chunk whose first `count` of 8 elements are there; what is beyond them is not
 * read, and becomes zero. `wide`: whole chunks of that array are 16 byte aligned. `held` is one
 * chunk's, from here to mma_copy_end(). */
TS_GPU void mma_copy_begin(
	struct mma_chunk *held, uint16_t *to, const uint16_t *from, uint32_t count, bool wide)
{
	(void)held;
	if (wide)
		gpu_copy_16(to, from, count * 2);
	else
		mma_put(to, mma_pick(from, count));
}

/* Once nobody reads what was in that place before. */
TS_GPU void mma_copy_end(const struct mma_chunk *held, uint16_t *to)
{
	(void)held;
	(void)to;
}

/* All copies of a stage are begun. */
TS_GPU void mma_copy_commit(void)
{
	gpu_copy_commit();
}

/* Waits for the copies of the oldest stage, but not for those that are ahead of it. */
TS_GPU void mma_copy_wait(void)
{
	gpu_copy_wait(MMA_STAGES - 2);
}

#else

TS_GPU void mma_copy_begin(
	struct mma_chunk *held, uint16_t *to, const uint16_t *from, uint32_t count, bool wide)
{
	(void)to;
	if (wide && count == MMA_CHUNK)
		*held = TS_READ((const struct mma_chunk *)(const void *)from);
	else
		*held = mma_pick(from, count);
}

TS_GPU void mma_copy_end(const struct mma_chunk *held, uint16_t *to)
{
	mma_put(to, *held);
}

TS_GPU void mma_copy_commit(void)
{
}

TS_GPU void mma_copy_wait(void)
{
}

#endif
#endif
