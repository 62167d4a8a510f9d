/* cublasLt without a GPU: it multiplies nothing, and says at the end how often it was asked what.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As kernels/cublas.c takes them from the library. */
int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtMatmulDescCreate(void **description, int compute, int scale);
int cublasLtMatmulDescSetAttribute(
	void *description, int attribute, const void *value, size_t bytes);
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t cols, int64_t lead);
int cublasLtMatrixLayoutDestroy(void *layout);
int cublasLtMatmulPreferenceCreate(void **preference);
int cublasLtMatmulPreferenceSetAttribute(
	void *preference, int attribute, const void *value, size_t bytes);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *description, void *a, void *b, void *c,
	void *d, void *preference, int wanted, void *found, int *count);
int cublasLtMatmul(void *handle, void *description, const void *alpha, const void *a,
	void *layout_a, const void *b, void *layout_b, const void *beta, const void *c,
	void *layout_c, void *d, void *layout_d, const void *algorithm, void *workspace,
	size_t workspace_bytes, void *stream);

static int problems, products, layouts;
static int first_type, first_operation; /* of the library's A */

int cublasLtCreate(void **handle)
{
	*handle = &products;
	return 0;
}

int cublasLtDestroy(void *handle)
{
	(void)handle;
	fprintf(stderr,
		"cublasLt: %d problems, %d products, %d layouts left; type %d, operation %d\n",
		problems, products, layouts, first_type, first_operation);
	return 0;
}

int cublasLtMatmulDescCreate(void **description, int compute, int scale)
{
	(void)compute;
	(void)scale;
	*description = &products;
	return 0;
}

int cublasLtMatmulDescSetAttribute(
	void *description, int attribute, const void *value, size_t bytes)
{
	(void)description;
	/* CUBLASLT_MATMUL_DESC_TRANSA */
	if (attribute != 3 || bytes != sizeof first_operation)
		return 1;
	memcpy(&first_operation, value, bytes);
	return 0;
}

int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t cols, int64_t lead)
{
	(void)cols;
	first_type = type;
	*layout = malloc(1);
	layouts++;
	return *layout == NULL || (uint64_t)lead < rows;
}

int cublasLtMatrixLayoutDestroy(void *layout)
{
	free(layout);
	layouts--;
	return 0;
}

int cublasLtMatmulPreferenceCreate(void **preference)
{
	*preference = &products;
	return 0;
}

int cublasLtMatmulPreferenceSetAttribute(
	void *preference, int attribute, const void *value, size_t bytes)
{
	(void)preference;
	(void)attribute;
	(void)value;
	(void)bytes;
	return 0;
}

/* Two algorithms for everything. */
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *description, void *a, void *b, void *c,
	void *d, void *preference, int wanted, void *found, int *count)
{
	(void)handle;
	(void)description;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	(void)preference;
	(void)wanted;
	(void)found;
	problems++;
	*count = 2;
	return 0;
}

int cublasLtMatmul(void *handle, void *description, const void *alpha, const void *a,
	void *layout_a, const void *b, void *layout_b, const void *beta, const void *c,
	void *layout_c, void *d, void *layout_d, const void *algorithm, void *workspace,
	size_t workspace_bytes, void *stream)
{
	(void)handle;
	(void)description;
	(void)alpha;
	(void)layout_a;
	(void)layout_b;
	(void)beta;
	(void)layout_c;
	(void)layout_d;
	(void)algorithm;
	(void)workspace;
	(void)workspace_bytes;
	(void)stream;
	products++;
	return a == NULL || b == NULL || c == NULL || d == NULL;
}
