/* Kernels beside the GEMM: random matrices, copies with another row stride, a reference product in
 * float64 that has nothing in common with the GEMM, and a clock. CTAs of 256 threads, as many as
 * one likes, but for the last two. */
#include "kernels/gpu.h"
/* Not before it: HIP's words are from there. */
#include "kernels/gemm_random.h"
#include "kernels/matrices.h"

enum { THREADS = TS_MATRIX_THREADS, SIDE = TS_MATRIX_SIDE, STEP = 16, EACH = 4 };

/* The bits of a float and back. */
union word {
	uint32_t bits;
	float value;
};

TS_GPU uint32_t to_bits(float value)
{
	union word w;

	w.value = value;
	return w.bits;
}

TS_GPU float to_float(uint32_t bits)
{
	union word w;

	w.bits = bits;
	return w.value;
}

/* To nearest even. Half precision: the exponent has 5 bits, and steps below 2^-14 are 2^-24, which
 * is what adding and taking away 0.5 rounds to. Only for numbers below 65504. */
TS_GPU uint16_t round_to(float value, enum ts_mma_type type)
{
	uint32_t bits = to_bits(value), sign = bits >> 16 & 0x8000;
	uint32_t size = bits & 0x7fffffff;

	if (type == TS_MMA_BF16)
		return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
	if (size < 0x38800000)
		return (uint16_t)(sign | (to_bits(to_float(size) + 0.5f) - to_bits(0.5f)));
	size -= 112u << 23;
	return (uint16_t)(sign | (size + 0xfff + (size >> 13 & 1)) >> 13);
}

/* Infinities and NaN of half precision come out as large numbers. */
TS_GPU double widen(uint16_t bits, enum ts_mma_type type)
{
	uint32_t sign = (uint32_t)(bits & 0x8000) << 16, size = bits & 0x7fff;

	if (type == TS_MMA_BF16)
		return (double)to_float((uint32_t)bits << 16);
	if (size < 0x400)
		return (double)(sign != 0 ? -(float)size : (float)size) / 16777216;
	return (double)to_float(sign | ((size << 13) + (112u << 23)));
}

/* Any number of CTAs. */
TS_KERNEL(ts_random, struct ts_random_args, TS_MATRIX_THREADS)
{
	uint64_t count = (uint64_t)args.rows * args.cols;
	uint64_t step = (uint64_t)gpu_ctas() * THREADS;

	for (uint64_t i = (uint64_t)gpu_cta() * THREADS + gpu_thread(); i < count; i += step)
		TS_WRITE(args.to + i / args.cols * args.ld + i % args.cols,
			round_to(ts_gemm_random(args.seed, i), args.type));
}

TS_KERNEL(ts_restride, struct ts_restride_args, TS_MATRIX_THREADS)
{
	for (uint32_t row = gpu_cta(); row < args.rows; row += gpu_ctas())
		for (uint32_t col = gpu_thread(); col < args.cols; col += THREADS)
			TS_WRITE(args.to + row * args.to_ld + col,
				TS_READ(args.from + row * args.from_ld + col));
}

/* Grid: one CTA for each 64 x 64 block of c, n fastest. */
TS_KERNEL(ts_reference, struct ts_reference_args, TS_MATRIX_THREADS)
{
	TS_SHARED(double, as, STEP *SIDE);
	TS_SHARED(double, bs, STEP *SIDE);
	uint32_t across = (args.n + SIDE - 1) / SIDE;
	uint32_t m0 = gpu_cta() / across * SIDE, n0 = gpu_cta() % across * SIDE;
	uint32_t y = gpu_thread() / 16, x = gpu_thread() % 16;
	double sum[EACH][EACH];

	for (uint32_t i = 0; i < EACH; i++)
		for (uint32_t j = 0; j < EACH; j++)
			sum[i][j] = 0;
	for (uint32_t k0 = 0; k0 < args.k; k0 += STEP) {
		/* Zero outside. Neighbours read what is beside each other in A. */
		for (uint32_t i = gpu_thread(); i < SIDE * STEP; i += THREADS) {
			uint32_t m = m0 + i / STEP, n = n0 + i / STEP, k = k0 + i % STEP;
			double a = 0, b = 0;

			if (m < args.m && k < args.k)
				a = widen(TS_READ(args.a + m * args.lda + k), args.type);
			if (n < args.n && k < args.k)
				b = widen(TS_READ(args.b + k * args.b_k + n * args.b_n), args.type);
			TS_WRITE(as + i % STEP * SIDE + i / STEP, a);
			TS_WRITE(bs + i % STEP * SIDE + i / STEP, b);
		}
		gpu_sync();
		for (uint32_t s = 0; s < STEP; s++)
			for (uint32_t i = 0; i < EACH; i++)
				for (uint32_t j = 0; j < EACH; j++)
					sum[i][j] += TS_READ(as + s * SIDE + y + 16 * i) *
						TS_READ(bs + s * SIDE + x + 16 * j);
		gpu_sync();
	}
	for (uint32_t i = 0; i < EACH; i++)
		for (uint32_t j = 0; j < EACH; j++) {
			uint64_t m = m0 + y + 16 * i, n = n0 + x + 16 * j;

			if (m < args.m && n < args.n)
				TS_WRITE(args.c + m * args.n + n, (float)sum[i][j]);
		}
}

/* The time all SMs share advances in steps: from one step to another, so that none is cut. */
TS_GPU uint64_t next_step(void)
{
	uint64_t before = gpu_time_ns(), now = before;

	while (now == before)
		now = gpu_time_ns();
	return now;
}

/* One CTA. */
TS_KERNEL(ts_clock, struct ts_clock_args, TS_MATRIX_THREADS)
{
	uint64_t from, to, cycles;

	if (gpu_thread() != 0)
		return;
	from = next_step();
	cycles = gpu_cycles();
	do
		to = next_step();
	while (to - from < args.ns);
	TS_WRITE(args.to, gpu_cycles() - cycles);
	TS_WRITE(args.to + 1, to - from);
}
