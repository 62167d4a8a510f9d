/* A matrix instruction as what it means: gather, multiply, scatter. */
#include "kernels/mma_soft.h"

#include <math.h>
#include <string.h>

/* Checks on the host widen billions of them. */
static double widen_half(uint16_t bits)
{
	uint64_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
	uint64_t word = exponent + 1023 - 15;
	double value;

	if (exponent == 31)
		word = 2047;
	word = word << 52 | mantissa << 42;
	memcpy(&value, &word, sizeof value);
	if (exponent == 0)
		value = (double)mantissa * 0x1p-24;
	return bits >> 15 == 0 ? value : -value;
}

double mma_soft_widen(uint16_t bits, bool half)
{
	uint32_t word = (uint32_t)bits << 16;
	float value;

	if (half)
		return widen_half(bits);
	memcpy(&value, &word, sizeof value);
	return (double)value;
}

/* A number that is not negative; the default rounding mode of rint() is to nearest even. */
static uint16_t round_half(double value)
{
	int exponent;

	if (isnan(value))
		return 0x7e00;
	if (value >= 65520)
		return 0x7c00;
	if (value < 0x1p-14)
		return (uint16_t)rint(ldexp(value, 24));
	frexp(value, &exponent);
	/* A mantissa that rounds up to 2048 carries into the exponent. */
	return (uint16_t)(rint(ldexp(value, 11 - exponent)) + (exponent + 13) * 1024);
}

uint16_t mma_soft_round(float value, bool half)
{
	uint32_t word;

	memcpy(&word, &value, sizeof word);
	if (half)
		return (uint16_t)(round_half(fabs((double)value)) | (word >> 16 & 0x8000));
	if (isnan(value))
		return (uint16_t)(word >> 16 | 0x40);
	return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

void mma_soft_gather(enum mma_isa isa, bool is_b, bool half, const uint16_t *const *lanes,
	struct mma_operand *ret)
{
	struct mma_shape shape = mma_shape(isa);
	uint16_t bits[MMA_SIDE_MAX][MMA_DEPTH_MAX];
	bool known[MMA_SIDE_MAX][MMA_DEPTH_MAX] = {{false}};

	for (uint32_t lane = 0; lane < shape.lanes; lane++)
		for (uint32_t i = 0; i < (is_b ? shape.b : shape.a); i++) {
			struct mma_element e =
				is_b ? mma_element_b(isa, lane, i) : mma_element_a(isa, lane, i);
			bool same = !known[e.across][e.along] ||
				bits[e.across][e.along] == lanes[lane][i];

			bits[e.across][e.along] = lanes[lane][i];
			known[e.across][e.along] = true;
			ret->at[e.across][e.along] =
				same ? mma_soft_widen(lanes[lane][i], half) : (double)NAN;
		}
}

void mma_soft_multiply(
	enum mma_isa isa, const struct mma_operand *a, const struct mma_operand *b, float *const *c)
{
	struct mma_shape shape = mma_shape(isa);

	for (uint32_t lane = 0; lane < shape.lanes; lane++)
		for (uint32_t i = 0; i < shape.c; i++) {
			struct mma_element e = mma_element_c(isa, lane, i);
			double sum = (double)c[lane][i];

			for (uint32_t k = 0; k < shape.k; k++)
				sum += a->at[e.across][k] * b->at[e.along][k];
			c[lane][i] = (float)sum;
		}
}
