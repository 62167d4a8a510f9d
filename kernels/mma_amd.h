/* kernels/mma.h by AMD's matrix instructions: MFMA of CDNA 2 to 4, WMMA of RDNA 3 and 4. */
#ifndef TS_MMA_AMD_H
#define TS_MMA_AMD_H

typedef short mma_i16x4 __attribute__((ext_vector_type(4)));
typedef short mma_i16x8 __attribute__((ext_vector_type(8)));
typedef short mma_i16x16 __attribute__((ext_vector_type(16)));
typedef _Float16 mma_f16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 mma_f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 mma_f16x16 __attribute__((ext_vector_type(16)));
typedef __bf16 mma_bf16x8 __attribute__((ext_vector_type(8)));
typedef uint32_t mma_u32x4 __attribute__((ext_vector_type(4)));
typedef float mma_sums __attribute__((ext_vector_type(MMA_C)));

/* The same bits as another type, of which a fragment may have several. */
#define MMA_AS(type, f, i) __builtin_bit_cast(struct mma_bits<type>, *(f)).v[i]
template <class TYPE> struct mma_bits {
	TYPE v[sizeof(struct mma_fragment) / sizeof(TYPE)];
};

/* All instructions of one tile. */
TS_GPU mma_sums mma_instructions(mma_sums c, const struct mma_fragment *a,
	const struct mma_fragment *b, enum ts_mma_type type)
{
#if defined(__gfx950__)
	if (type == TS_MMA_BF16)
		return __builtin_amdgcn_mfma_f32_32x32x16_bf16(
			MMA_AS(mma_bf16x8, a, 0), MMA_AS(mma_bf16x8, b, 0), c, 0, 0, 0);
	return __builtin_amdgcn_mfma_f32_32x32x16_f16(
		MMA_AS(mma_f16x8, a, 0), MMA_AS(mma_f16x8, b, 0), c, 0, 0, 0);
#elif defined(__gfx90a__) || defined(__gfx942__)
	TS_UNROLL
	for (int i = 0; i < 2; i++) {
		if (type == TS_MMA_BF16)
			c = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(
				MMA_AS(mma_i16x4, a, i), MMA_AS(mma_i16x4, b, i), c, 0, 0, 0);
		else
			c = __builtin_amdgcn_mfma_f32_32x32x8f16(
				MMA_AS(mma_f16x4, a, i), MMA_AS(mma_f16x4, b, i), c, 0, 0, 0);
	}
	return c;
#elif defined(__GFX11__)
	if (type == TS_MMA_BF16)
		return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(
			MMA_AS(mma_i16x16, a, 0), MMA_AS(mma_i16x16, b, 0), c);
	return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(
		MMA_AS(mma_f16x16, a, 0), MMA_AS(mma_f16x16, b, 0), c);
#elif defined(__GFX12__)
	if (type == TS_MMA_BF16)
		return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(
			MMA_AS(mma_i16x8, a, 0), MMA_AS(mma_i16x8, b, 0), c);
	return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(
		MMA_AS(mma_f16x8, a, 0), MMA_AS(mma_f16x8, b, 0), c);
#endif
}

TS_GPU void mma_step(float (*c)[MMA_C], const struct mma_fragment *a, const struct mma_fragment *b,
	uint32_t tiles_m, uint32_t tiles_n, enum ts_mma_type type)
{
	TS_UNROLL
	for (uint32_t i = 0; i < tiles_m; i++) {
		TS_UNROLL
		for (uint32_t j = 0; j < tiles_n; j++) {
			float *to = c[i * tiles_n + j];
			mma_sums sums;

			__builtin_memcpy(&sums, to, sizeof sums);
			sums = mma_instructions(sums, &a[i], &b[j], type);
			__builtin_memcpy(to, &sums, sizeof sums);
		}
	}
}

TS_GPU uint16_t mma_round(float value, enum ts_mma_type type)
{
	if (type == TS_MMA_BF16)
		return __builtin_bit_cast(uint16_t, (__bf16)value);
	return __builtin_bit_cast(uint16_t, (_Float16)value);
}

#endif
