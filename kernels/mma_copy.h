/* Chunks of operands on their way from global to shared memory, for kernels/mma.h. On NVIDIA
 * (cp.async) and gfx950 (loads to LDS) copies run by themselves and are waited for, except those at
 * an edge of gfx950's; on other AMD GPUs registers hold chunks meanwhile, so that loads are in
 * flight while a step computes.
 *
 * gfx90a and gfx942 have loads to LDS of 4 bytes a lane only: four times the instructions for the
 * same bytes, each with an M0 of its own. The registers saved would let in no second CTA with tiles
 * of 128x128: a CU's 64 KiB of LDS have no room for it. */
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

/* The same, at once where it is whole and `wide`: the array's whole chunks are 16 byte aligned. */
TS_GPU struct mma_chunk mma_get(const uint16_t *from, uint32_t count, bool wide)
{
	if (wide && count == MMA_CHUNK)
		return TS_READ((const struct mma_chunk *)(const void *)from);
	return mma_pick(from, count);
}

TS_GPU void mma_put(uint16_t *to, struct mma_chunk v)
{
	TS_WRITE((struct mma_chunk *)(void *)to, v);
}

/* What each branch has:
 *
 *   MMA_COPY_WHOLE   whether stages without an edge have code of their own, which tests nothing for
 *       each chunk. Where registers hold chunks there are too few for it
 *   MMA_COPY_TO_LDS  whether the chunks of a warp must lie one behind the other in a stage
 *
 *   mma_copy_begin(held, to, from, count, wide)  begins to copy a chunk whose first `count` of 8
 *       elements are there; what is beyond them is not read, and becomes zero. `held` is one
 *       chunk's, from here to mma_copy_end(). All lanes of a warp take part
 *   mma_copy_end(held, to)  once nobody reads what was in that place before
 *   mma_copy_commit()       all copies of a stage are begun
 *   mma_copy_wait()         waits for the copies of the oldest stage, not for those ahead of it */
#if defined(__CUDACC__) || defined(TS_MMA_AS_SM80)

enum { MMA_COPY_WHOLE = true, MMA_COPY_TO_LDS = false };

TS_GPU void mma_copy_begin(
	struct mma_chunk *held, uint16_t *to, const uint16_t *from, uint32_t count, bool wide)
{
	(void)held;
	if (wide)
		gpu_copy_16(to, from, count * 2);
	else
		mma_put(to, mma_pick(from, count));
}

#elif defined(MMA_LOADS_TO_LDS)

enum { MMA_COPY_WHOLE = true, MMA_COPY_TO_LDS = true };

/* All of a warp's chunks are loaded to LDS, or none: then they go through registers at once, which
 * would be too many if they held them while a step computes. */
TS_GPU void mma_copy_begin(
	struct mma_chunk *held, uint16_t *to, const uint16_t *from, uint32_t count, bool wide)
{
	(void)held;
	if (gpu_all(wide && count == MMA_CHUNK))
		gpu_load_to_lds_16(to - gpu_thread() % MMA_LANES * MMA_CHUNK, from);
	else
		mma_put(to, mma_get(from, count, wide));
}

#else

enum { MMA_COPY_WHOLE = false, MMA_COPY_TO_LDS = false };

TS_GPU void mma_copy_begin(
	struct mma_chunk *held, uint16_t *to, const uint16_t *from, uint32_t count, bool wide)
{
	(void)to;
	*held = mma_get(from, count, wide);
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

#if defined(__CUDACC__) || defined(TS_MMA_AS_SM80) || defined(MMA_LOADS_TO_LDS)

TS_GPU void mma_copy_end(const struct mma_chunk *held, uint16_t *to)
{
	(void)held;
	(void)to;
}

TS_GPU void mma_copy_commit(void)
{
	gpu_copy_commit();
}

TS_GPU void mma_copy_wait(void)
{
	gpu_copy_wait(MMA_STAGES - 2);
}

#endif
#endif
