/* kernels/mma.h by NVIDIA's mma.sync and ldmatrix, sm_80 and later. */
#ifndef TS_MMA_PTX_H
#define TS_MMA_PTX_H

TS_GPU uint32_t mma_shared(const uint16_t *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/* A of rows [row, row + MMA_M) and k from `k` on. Lanes 0 to 15 give the addresses of the rows'
 * first halves, the others those of the second. */
TS_GPU void mma_load_a(struct mma_fragment *f, const uint16_t *tile, uint32_t row, uint32_t k)
{
	uint32_t lane = gpu_lane();
	const uint16_t *p = tile + mma_at_k(row + lane % 16, k + lane / 16 * 8);

	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(f->part[0].w[0]), "=r"(f->part[0].w[1]), "=r"(f->part[0].w[2]),
		     "=r"(f->part[0].w[3])
		     : "r"(mma_shared(p))
		     : "memory");
}

/* B of columns [col, col + MMA_N) and k from `k` on. Registers 0 and 1 are the first instruction's,
 * 2 and 3 the second's. */
MMA_INLINE void mma_load_b(struct mma_fragment *f, const uint16_t *tile, uint32_t col, uint32_t k,
	enum ts_mma_layout layout, uint32_t block_n)
{
	uint32_t lane = gpu_lane();
	const uint16_t *p;

	if (layout == TS_MMA_ALONG_K) {
		p = tile + mma_at_k(col + lane % 8 + lane / 16 * 8, k + lane / 8 % 2 * 8);
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			     : "=r"(f->part[0].w[0]), "=r"(f->part[0].w[1]), "=r"(f->part[0].w[2]),
			     "=r"(f->part[0].w[3])
			     : "r"(mma_shared(p))
			     : "memory");
	} else {
		p = tile + mma_at_n(k + lane % 16, col + lane / 16 * 8, block_n);
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, "
			     "[%4];"
			     : "=r"(f->part[0].w[0]), "=r"(f->part[0].w[1]), "=r"(f->part[0].w[2]),
			     "=r"(f->part[0].w[3])
			     : "r"(mma_shared(p))
			     : "memory");
	}
}

TS_GPU void mma_instruction(float *c, const uint32_t *a, const uint32_t *b, enum ts_mma_type type)
{
	if (type == TS_MMA_BF16)
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
			     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
			     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	else
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
			     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
			     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* c[i * tiles_n + j] += a[i] b[j] */
MMA_INLINE void mma_step(float (*c)[MMA_C], const struct mma_fragment *a,
	const struct mma_fragment *b, uint32_t tiles_m, uint32_t tiles_n, enum ts_mma_type type)
{
	TS_UNROLL
	for (uint32_t i = 0; i < tiles_m; i++) {
		TS_UNROLL
		for (uint32_t j = 0; j < tiles_n; j++) {
			mma_instruction(c[i * tiles_n + j], a[i].part[0].w, b[j].part[0].w, type);
			mma_instruction(
				c[i * tiles_n + j] + 4, a[i].part[0].w, b[j].part[0].w + 2, type);
		}
	}
}

TS_GPU uint16_t mma_round(float value, enum ts_mma_type type)
{
	uint16_t bits;

	if (type == TS_MMA_BF16)
		asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
	else
		asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
	return bits;
}

#endif
