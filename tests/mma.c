/* The matrix instructions in software: where their elements are, by the vendors' documents, and
 * what they compute, against a plain product of whole numbers. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "kernels/mma_soft.h"

enum { LANES_MAX = 64, ELEMENTS_MAX = 16, ROUNDS = 20 };

static const char *const names[MMA_ISAS] = {"sm_80", "gfx90a", "gfx950", "gfx1100", "gfx1200"};

/* Lines of the documents' figures: "lane.number" of each element in the order of K, or of C's
 * columns. A number counts 16 bit elements of A and B, and registers of C. */
static const struct {
	enum mma_isa isa;
	char matrix;
	uint32_t line;
	const char *places;
} lines[] = {
	/* PTX ISA, figures of mma.m16n8k16: groupID = lane / 4, threadID_in_group = lane % 4 */
	{MMA_SM80, 'A', 0, "0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1 0.4 0.5 1.4 1.5 2.4 2.5 3.4 3.5"},
	{MMA_SM80, 'A', 7,
		"28.0 28.1 29.0 29.1 30.0 30.1 31.0 31.1 28.4 28.5 29.4 29.5 30.4 30.5 31.4 31.5"},
	{MMA_SM80, 'A', 9, "4.2 4.3 5.2 5.3 6.2 6.3 7.2 7.3 4.6 4.7 5.6 5.7 6.6 6.7 7.6 7.7"},
	{MMA_SM80, 'B', 0, "0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1 0.2 0.3 1.2 1.3 2.2 2.3 3.2 3.3"},
	{MMA_SM80, 'B', 2,
		"8.0 8.1 9.0 9.1 10.0 10.1 11.0 11.1 8.2 8.3 9.2 9.3 10.2 10.3 11.2 11.3"},
	{MMA_SM80, 'C', 0, "0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1"},
	{MMA_SM80, 'C', 9, "4.2 4.3 5.2 5.3 6.2 6.3 7.2 7.3"},
	/* Matrix Instruction Calculator, V_MFMA_F32_32X32X8_BF16_1K: A[i][k] is GPR (k % 4) / 2 of
	 * lane i + 32 (k / 4), D[i][j] is GPR 4 (i / 8) + i % 4 of lane j + 32 ((i / 4) % 2) */
	{MMA_GFX90A, 'A', 5, "5.0 5.1 5.2 5.3 37.0 37.1 37.2 37.3"},
	{MMA_GFX90A, 'B', 31, "31.0 31.1 31.2 31.3 63.0 63.1 63.2 63.3"},
	{MMA_GFX90A, 'C', 0, "0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0 11.0 12.0 13.0 14.0"},
	{MMA_GFX90A, 'C', 4, "32.0 33.0 34.0 35.0"},
	{MMA_GFX90A, 'C', 9, "0.5 1.5 2.5 3.5"},
	{MMA_GFX90A, 'C', 29, "32.13 33.13 34.13 35.13"},
	/* V_MFMA_F32_32X32X16_BF16: A[i][k] is GPR (k % 8) / 2 of lane i + 32 (k / 8) */
	{MMA_GFX950, 'A', 5,
		"5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7 37.0 37.1 37.2 37.3 37.4 37.5 37.6 37.7"},
	{MMA_GFX950, 'B', 31, "31.0 31.1 31.2 31.3 31.4 31.5 31.6 31.7 63.0 63.1 63.2 63.3"},
	{MMA_GFX950, 'C', 29, "32.13 33.13 34.13 35.13"},
	/* GPUOpen, WMMA on RDNA 3: a lane has a row of A or column of B, lanes 16 to 31 the same
	 * again; C's even rows are in lanes 0 to 15, its odd ones in 16 to 31 */
	{MMA_GFX1100, 'A', 5,
		"5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 5.10 5.11 5.12 5.13 5.14 5.15"},
	{MMA_GFX1100, 'A', 5,
		"21.0 21.1 21.2 21.3 21.4 21.5 21.6 21.7 21.8 21.9 21.10 21.11 21.12 21.13 21.14"},
	{MMA_GFX1100, 'B', 15, "15.0 15.1 15.2 15.3"},
	{MMA_GFX1100, 'B', 15, "31.0 31.1 31.2 31.3"},
	{MMA_GFX1100, 'C', 0,
		"0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0 11.0 12.0 13.0 14.0 15.0"},
	{MMA_GFX1100, 'C', 1, "16.0 17.0 18.0 19.0"},
	{MMA_GFX1100, 'C', 6, "0.3 1.3 2.3 3.3"},
	/* GPUOpen, Matrix Cores of RDNA 4: 8 elements a lane, without duplicates; a lane's sums are
	 * 8 rows of a column */
	{MMA_GFX1200, 'A', 5,
		"5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7 21.0 21.1 21.2 21.3 21.4 21.5 21.6 21.7"},
	{MMA_GFX1200, 'B', 15, "15.0 15.1 15.2 15.3 15.4 15.5 15.6 15.7 31.0 31.1"},
	{MMA_GFX1200, 'C', 7, "0.7 1.7 2.7 3.7"},
	{MMA_GFX1200, 'C', 9, "16.1 17.1 18.1 19.1"},
};

static struct mma_element find_element(enum mma_isa isa, char matrix, uint32_t lane, uint32_t i)
{
	if (matrix == 'A')
		return mma_element_a(isa, lane, i);
	if (matrix == 'B')
		return mma_element_b(isa, lane, i);
	return mma_element_c(isa, lane, i);
}

static void test_lines(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_auto(GStrv) places = g_strsplit(lines[i].places, " ", -1);

		for (uint32_t k = 0; places[k] != NULL; k++) {
			char *rest;
			uint32_t lane = (uint32_t)strtoul(places[k], &rest, 10);
			uint32_t number = (uint32_t)strtoul(rest + 1, NULL, 10);
			struct mma_element e =
				find_element(lines[i].isa, lines[i].matrix, lane, number);

			if (e.across != lines[i].line || e.along != k)
				g_error("%s: %c: lane %u has (%u, %u) as number %u, not (%u, %u)",
					names[lines[i].isa], lines[i].matrix, lane, e.across,
					e.along, number, lines[i].line, k);
		}
	}
}

/* Each element has a place, and as many as there are duplicates. */
static void test_all_places(void)
{
	for (uint32_t isa = 0; isa < MMA_ISAS; isa++) {
		struct mma_shape s = mma_shape(isa);
		uint32_t seen[3][32][32] = {{{0}}};

		for (uint32_t lane = 0; lane < s.lanes; lane++) {
			for (uint32_t i = 0; i < s.a; i++) {
				struct mma_element e = mma_element_a(isa, lane, i);

				seen[0][e.across][e.along]++;
			}
			for (uint32_t i = 0; i < s.b; i++) {
				struct mma_element e = mma_element_b(isa, lane, i);

				seen[1][e.across][e.along]++;
			}
			for (uint32_t i = 0; i < s.c; i++) {
				struct mma_element e = mma_element_c(isa, lane, i);

				seen[2][e.across][e.along]++;
			}
		}
		for (uint32_t i = 0; i < 32; i++)
			for (uint32_t j = 0; j < 32; j++) {
				uint32_t twice = isa == MMA_GFX1100 ? 2 : 1;

				g_assert_cmpuint(seen[0][i][j], ==, i < s.m && j < s.k ? twice : 0);
				g_assert_cmpuint(seen[1][i][j], ==, i < s.n && j < s.k ? twice : 0);
				g_assert_cmpuint(seen[2][i][j], ==, i < s.m && j < s.n ? 1 : 0);
			}
	}
}

/* A whole number up to 128 either way, which both types have exactly. */
static uint16_t encode(int value, bool half)
{
	return mma_soft_round((float)value, half);
}

struct registers {
	uint16_t ab[2][LANES_MAX][ELEMENTS_MAX];
	float c[LANES_MAX][ELEMENTS_MAX];
};

static void run(enum mma_isa isa, bool half, struct registers *r)
{
	const uint16_t *operands[2][LANES_MAX];
	float *c[LANES_MAX];
	struct mma_operand a, b;

	for (uint32_t lane = 0; lane < LANES_MAX; lane++) {
		operands[0][lane] = r->ab[0][lane];
		operands[1][lane] = r->ab[1][lane];
		c[lane] = r->c[lane];
	}
	mma_soft_gather(isa, false, half, operands[0], &a);
	mma_soft_gather(isa, true, half, operands[1], &b);
	mma_soft_multiply(isa, &a, &b, c);
}

/* Sums of 16 products of numbers up to 128, and a sum up to 2^20 before: exact in fp32. */
static void test_product(gconstpointer data)
{
	enum mma_isa isa = GPOINTER_TO_UINT(data) / 2;
	bool half = GPOINTER_TO_UINT(data) % 2 == 1;
	struct mma_shape s = mma_shape(isa);
	struct registers r;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		int a[32][16], b[32][16], c[32][32];

		for (uint32_t i = 0; i < 32; i++)
			for (uint32_t k = 0; k < 16; k++) {
				a[i][k] = g_test_rand_int_range(-128, 129);
				b[i][k] = g_test_rand_int_range(-128, 129);
			}
		memset(&r, 0xff, sizeof r);
		for (uint32_t lane = 0; lane < s.lanes; lane++) {
			for (uint32_t i = 0; i < s.a; i++) {
				struct mma_element e = mma_element_a(isa, lane, i);

				r.ab[0][lane][i] = encode(a[e.across][e.along], half);
			}
			for (uint32_t i = 0; i < s.b; i++) {
				struct mma_element e = mma_element_b(isa, lane, i);

				r.ab[1][lane][i] = encode(b[e.across][e.along], half);
			}
			for (uint32_t i = 0; i < s.c; i++) {
				struct mma_element e = mma_element_c(isa, lane, i);

				c[e.across][e.along] = g_test_rand_int_range(-1000000, 1000000);
				r.c[lane][i] = (float)c[e.across][e.along];
			}
		}
		run(isa, half, &r);
		for (uint32_t lane = 0; lane < s.lanes; lane++)
			for (uint32_t i = 0; i < s.c; i++) {
				struct mma_element e = mma_element_c(isa, lane, i);
				int sum = c[e.across][e.along];

				for (uint32_t k = 0; k < s.k; k++)
					sum += a[e.across][k] * b[e.along][k];
				g_assert_cmpint((int)r.c[lane][i], ==, sum);
			}
	}
}

/* RDNA 3 wants A and B in both halves of a wave; where they differ nothing good comes of it. */
static void test_duplicates(void)
{
	struct registers r;

	memset(&r, 0, sizeof r);
	run(MMA_GFX1100, false, &r);
	g_assert_false(isnan(r.c[0][0]));
	r.ab[0][16][3] = encode(1, false);
	run(MMA_GFX1100, false, &r);
	g_assert_true(isnan(r.c[0][0]));
}

/* Rounding is to the nearest of all numbers of the type, and of two as near to the even one. */
static void check_round(float value, bool half)
{
	uint16_t got = mma_soft_round(value, half);
	double error = fabs(mma_soft_widen(got, half) - (double)value);

	for (int step = -1; step <= 1; step += 2) {
		uint16_t other = (uint16_t)(got + step);
		double worse = fabs(mma_soft_widen(other, half) - (double)value);

		if (isnan(worse) || isinf(worse) || (got & 0x7fff) == 0)
			continue;
		g_assert_true(error < worse || (error == worse && got % 2 == 0));
	}
}

static void test_rounding(void)
{
	for (uint32_t half = 0; half < 2; half++) {
		for (uint32_t bits = 0; bits < 65536; bits++) {
			double value = mma_soft_widen((uint16_t)bits, half == 1);

			if (isnan(value))
				g_assert_true(isnan(mma_soft_widen(
					mma_soft_round((float)value, half == 1), half == 1)));
			else
				g_assert_cmphex(mma_soft_round((float)value, half == 1), ==, bits);
		}
		for (uint32_t i = 0; i < 100000; i++) {
			float value = (float)ldexp(
				g_test_rand_double_range(-1, 1), g_test_rand_int_range(-24, 16));

			check_round(value, half == 1);
		}
	}
	g_assert_cmphex(mma_soft_round(65519.0f, true), ==, 0x7bff);
	g_assert_cmphex(mma_soft_round(65520.0f, true), ==, 0x7c00);
	g_assert_cmphex(mma_soft_round(-1e30f, true), ==, 0xfc00);
	g_assert_cmphex(mma_soft_round(1 + 1.0f / 256, false), ==, 0x3f80);
	g_assert_cmphex(mma_soft_round(1 + 3.0f / 256, false), ==, 0x3f82);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/mma/elements are where the documents have them", test_lines);
	g_test_add_func("/mma/each element has its place", test_all_places);
	for (uint32_t i = 0; i < 2 * MMA_ISAS; i++) {
		g_autofree char *path = g_strdup_printf("/mma/a product of whole numbers, %s, %s",
			names[i / 2], i % 2 == 0 ? "bf16" : "fp16");

		g_test_add_data_func(path, GUINT_TO_POINTER(i), test_product);
	}
	g_test_add_func("/mma/duplicates that differ", test_duplicates);
	g_test_add_func("/mma/rounding", test_rounding);
	return g_test_run();
}
