/* Kernels on bf16 matrices beside the GEMM: random ones, copies with another row stride, and a
 * reference product in float64 that has nothing in common with the GEMM. Rows are contiguous; CTAs
 * of 256 threads, as many as one likes, but for the reference. */
#include "kernels/gpu.h"

enum { THREADS = 256, SIDE = 64, STEP = 16, EACH = 4 };

/* A well mixed 64 bit number for each number (SplitMix64's finaliser, Steele, Lea and Flood 2014).
 */
TS_GPU uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

TS_GPU uint16_t round_to_bf16(float value)
{
	uint32_t bits = __float_as_uint(value);

	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

TS_GPU double widen(uint16_t bits)
{
	return (double)__uint_as_float((uint32_t)bits << 16);
}

/* to[0..count) = N(0, 1) by Box and Muller, the same for the same seed. */
extern "C" __global__ void ts_random(uint16_t *to, uint64_t count, uint64_t seed)
{
	uint64_t step = (uint64_t)gridDim.x * THREADS;

	for (uint64_t i = (uint64_t)gpu_cta() * THREADS + gpu_thread(); i < count; i += step) {
		uint64_t bits = mix(mix(seed) ^ i);
		float u = ((float)(bits >> 40) + 0.5f) / 16777216.0f;
		float v = (float)(bits & 0xffffff) / 16777216.0f;

		to[i] = round_to_bf16(sqrtf(-2.0f * logf(u)) * cospif(2.0f * v));
	}
}

/* Copies `rows` rows of `cols` elements between arrays of these row strides. */
extern "C" __global__ void ts_restride(uint16_t *to, uint64_t to_stride, const uint16_t *from,
	uint64_t from_stride, uint32_t rows, uint32_t cols)
{
	for (uint32_t row = gpu_cta(); row < rows; row += gridDim.x)
		for (uint32_t col = gpu_thread(); col < cols; col += THREADS)
			to[row * to_stride + col] = from[row * from_stride + col];
}

/* A strip of SIDE rows and STEP columns, k first; zero outside. */
TS_GPU void fetch(double (&to)[STEP][SIDE + 1], const uint16_t *from, uint32_t first, uint32_t rows,
	uint32_t k0, uint32_t k)
{
	for (uint32_t i = gpu_thread(); i < SIDE * STEP; i += THREADS) {
		uint32_t row = first + i / STEP, col = k0 + i % STEP;

		to[i % STEP][i / STEP] =
			row < rows && col < k ? widen(from[(uint64_t)row * k + col]) : 0;
	}
}

/* c[m,n] = a[m,k] b[n,k]^T. Grid: one CTA for each 64 x 64 block of c, n fastest. */
extern "C" __global__ void ts_reference(
	float *c, const uint16_t *a, const uint16_t *b, uint32_t m, uint32_t n, uint32_t k)
{
	__shared__ double as[STEP][SIDE + 1], bs[STEP][SIDE + 1];
	uint32_t across = (n + SIDE - 1) / SIDE;
	uint32_t m0 = gpu_cta() / across * SIDE, n0 = gpu_cta() % across * SIDE;
	uint32_t y = gpu_thread() / 16, x = gpu_thread() % 16;
	double sum[EACH][EACH] = {};

	for (uint32_t k0 = 0; k0 < k; k0 += STEP) {
		fetch(as, a, m0, m, k0, k);
		fetch(bs, b, n0, n, k0, k);
		__syncthreads();
		for (int s = 0; s < STEP; s++)
			for (int i = 0; i < EACH; i++)
				for (int j = 0; j < EACH; j++)
					sum[i][j] += as[s][y + 16 * i] * bs[s][x + 16 * j];
		__syncthreads();
	}
	for (uint32_t i = 0; i < EACH; i++)
		for (uint32_t j = 0; j < EACH; j++)
			if (m0 + y + 16 * i < m && n0 + x + 16 * j < n)
				c[(uint64_t)(m0 + y + 16 * i) * n + n0 + x + 16 * j] =
					(float)sum[i][j];
}
