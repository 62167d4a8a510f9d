/* Random matrices, the same on every device and on the host. */
#ifndef TS_GEMM_RANDOM_H
#define TS_GEMM_RANDOM_H

#include "policies/policy.h"

/* A well mixed 64 bit number for each number (SplitMix64's finaliser, Steele, Lea and Flood 2014).
 */
static inline TS_HD uint64_t ts_gemm_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Element `i` of the matrix `seed`: four uniform numbers less their mean, in units of their sum's
 * standard deviation, 65536 / sqrt(3), near enough to N(0, 1). Exact in fp32 but for the last
 * product, so that no device rounds it in another way. */
static inline TS_HD float ts_gemm_random(uint64_t seed, uint64_t i)
{
	uint64_t bits = ts_gemm_mix(ts_gemm_mix(seed) ^ i);
	int32_t sum = (int32_t)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) +
		(bits >> 48));

	return (float)(sum - 2 * 65535) * 2.6429e-5f;
}

#endif
