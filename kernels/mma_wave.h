/* Fragments of AMD's instructions from shared memory: a lane has whole chunks of one row of A, or
 * of one column of B. In plain C, so that the CPU runs what AMD's GPUs do. */
#ifndef TS_MMA_WAVE_H
#define TS_MMA_WAVE_H

/* Where chunk `part` of this lane's fragment begins along K. Two instructions of half the depth
 * take half a chunk each: they need not go through K in its order, if A and B go together. */
TS_GPU uint32_t mma_along(uint32_t part)
{
	return (MMA_AB / MMA_CHUNK == 2 ? part : gpu_thread() % MMA_LANES / MMA_M) * MMA_CHUNK;
}

/* A chunk of a stage while others are filled. In front of a read without a tag of its type (TBAA),
 * as that of a struct is, LLVM waits for all loads to LDS. That of a vector has one, of char, which
 * may alias anything as well, but for which it does not wait. */
TS_GPU struct mma_chunk mma_read_chunk(const uint16_t *from)
{
#if defined(__HIP__) && defined(MMA_LOADS_TO_LDS)
	mma_u32x4 v = *(const mma_u32x4 *)(const void *)from;

	return __builtin_bit_cast(struct mma_chunk, v);
#else
	return TS_READ((const struct mma_chunk *)(const void *)from);
#endif
}

/* One chunk of a row along K. */
TS_GPU struct mma_chunk mma_load_chunk(const uint16_t *tile, uint32_t row, uint32_t k)
{
	return mma_read_chunk(tile + mma_at_k(row, k));
}

/* The same of a column, from rows along N. */
TS_GPU struct mma_chunk mma_gather_chunk(
	const uint16_t *tile, uint32_t k, uint32_t n, uint32_t block_n)
{
	struct mma_chunk v;

	TS_UNROLL
	for (uint32_t i = 0; i < MMA_CHUNK / 2; i++) {
		uint32_t low = TS_READ(tile + mma_at_n(k + 2 * i, n, block_n));
		uint32_t high = TS_READ(tile + mma_at_n(k + 2 * i + 1, n, block_n));

		v.w[i] = low | high << 16;
	}
	return v;
}

#if !defined(TS_MMA_AS_SM80)

/* A of rows [row, row + MMA_M) and k from `k` on. */
TS_GPU void mma_load_a(struct mma_fragment *f, const uint16_t *tile, uint32_t row, uint32_t k)
{
	TS_UNROLL
	for (uint32_t i = 0; i < MMA_AB / MMA_CHUNK; i++)
		f->part[i] = mma_load_chunk(
			tile, row + gpu_thread() % MMA_LANES % MMA_M, k + mma_along(i));
}

/* B of columns [col, col + MMA_N) and k from `k` on. */
TS_GPU void mma_load_b(struct mma_fragment *f, const uint16_t *tile, uint32_t col, uint32_t k,
	enum ts_mma_layout layout, uint32_t block_n)
{
	uint32_t n = col + gpu_thread() % MMA_LANES % MMA_N;

	TS_UNROLL
	for (uint32_t i = 0; i < MMA_AB / MMA_CHUNK; i++)
		f->part[i] = layout == TS_MMA_ALONG_K
			? mma_load_chunk(tile, n, k + mma_along(i))
			: mma_gather_chunk(tile, k + mma_along(i), n, block_n);
}

#endif
#endif
