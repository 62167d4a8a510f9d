/* cublasLt: its few types and functions that are needed. */
#include "kernels/cublas.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "kernels/backend.h"

/* Values that are part of the ABI: cublasComputeType_t, cudaDataType, cublasOperation_t,
 * cublasLtMatmulDescAttributes_t and cublasLtMatmulPreferenceAttributes_t. */
enum { COMPUTE_32F = 68, REAL_32F = 0, REAL_16F = 2, REAL_16BF = 14, AS_IT_IS = 0, TRANSPOSED = 1 };
enum { DESCRIPTION_A = 3, PREFERENCE_WORKSPACE = 1 };
enum { ALGORITHMS = 8 };

/* cublasLtMatmulHeuristicResult_t */
struct candidate {
	uint64_t algorithm[8];
	size_t workspace;
	int state;
	float waves;
	int reserved[4];
};

struct api {
	int (*create)(void **handle);
	int (*destroy)(void *handle);
	int (*description_new)(void **description, int compute, int scale);
	int (*description_set)(void *description, int attribute, const void *value, size_t bytes);
	int (*layout_new)(void **layout, int type, uint64_t rows, uint64_t cols, int64_t lead);
	int (*layout_free)(void *layout);
	int (*preference_new)(void **preference);
	int (*preference_set)(void *preference, int attribute, const void *value, size_t bytes);
	int (*find)(void *handle, void *description, void *a, void *b, void *c, void *d,
		void *preference, int wanted, struct candidate *found, int *count);
	int (*multiply)(void *handle, void *description, const void *alpha, const void *a,
		void *layout_a, const void *b, void *layout_b, const void *beta, const void *c,
		void *layout_c, void *d, void *layout_d, const void *algorithm, void *workspace,
		size_t workspace_bytes, void *stream);
};

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{"cublasLtCreate", offsetof(struct api, create)},
	{"cublasLtDestroy", offsetof(struct api, destroy)},
	{"cublasLtMatmulDescCreate", offsetof(struct api, description_new)},
	{"cublasLtMatmulDescSetAttribute", offsetof(struct api, description_set)},
	{"cublasLtMatrixLayoutCreate", offsetof(struct api, layout_new)},
	{"cublasLtMatrixLayoutDestroy", offsetof(struct api, layout_free)},
	{"cublasLtMatmulPreferenceCreate", offsetof(struct api, preference_new)},
	{"cublasLtMatmulPreferenceSetAttribute", offsetof(struct api, preference_set)},
	{"cublasLtMatmulAlgoGetHeuristic", offsetof(struct api, find)},
	{"cublasLtMatmul", offsetof(struct api, multiply)},
};

/* A problem, ready to be launched. */
struct prepared {
	struct ts_cublas_problem problem;
	void *layouts[3]; /* B, A and C, which the library sees as columns */
	struct candidate candidates[ALGORITHMS];
};

struct ts_cublas {
	struct api api;
	int type; /* of elements */
	enum ts_mma_layout layout;
	void *handle, *description, *preference;
	uint64_t workspace, workspace_bytes;
	GArray *problems;   /* struct prepared */
	GHashTable *chosen; /* struct candidate by sizes in words */
};

static bool good(int status, const char *what, GError **error)
{
	if (status != 0)
		g_set_error(error, ts_backend_error_quark(), TS_BACKEND_FAILED,
			"cublasLt: %s failed with status %d", what, status);
	return status == 0;
}

static bool open_library(struct ts_cublas *b, GError **error)
{
	static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12"};
	void *library = NULL;

	for (size_t i = 0; library == NULL && i < G_N_ELEMENTS(names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; library != NULL && i < G_N_ELEMENTS(functions); i++) {
		void *symbol = dlsym(library, functions[i].name);

		if (symbol == NULL)
			library = NULL;
		memcpy((char *)&b->api + functions[i].offset, &symbol, sizeof symbol);
	}
	if (library == NULL)
		g_set_error(error, ts_backend_error_quark(), TS_BACKEND_ABSENT,
			"no cuBLAS: libcublasLt.so.13 or .12 was not found; set LD_LIBRARY_PATH or "
			"leave out --cublas");
	return library != NULL;
}

struct ts_cublas *ts_cublas_new(enum ts_mma_type type, enum ts_mma_layout layout,
	uint64_t workspace, uint64_t workspace_bytes, GError **error)
{
	struct ts_cublas *b = g_new0(struct ts_cublas, 1);
	const int operation = layout == TS_MMA_ALONG_K ? TRANSPOSED : AS_IT_IS;

	b->type = type == TS_MMA_BF16 ? REAL_16BF : REAL_16F;
	b->layout = layout;
	b->workspace = workspace;
	b->workspace_bytes = workspace_bytes;
	b->problems = g_array_new(FALSE, TRUE, sizeof(struct prepared));
	b->chosen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	if (open_library(b, error) && good(b->api.create(&b->handle), "cublasLtCreate", error) &&
		good(b->api.description_new(&b->description, COMPUTE_32F, REAL_32F),
			"cublasLtMatmulDescCreate", error) &&
		good(b->api.description_set(
			     b->description, DESCRIPTION_A, &operation, sizeof operation),
			"cublasLtMatmulDescSetAttribute", error) &&
		good(b->api.preference_new(&b->preference), "cublasLtMatmulPreferenceCreate",
			error) &&
		good(b->api.preference_set(b->preference, PREFERENCE_WORKSPACE, &b->workspace_bytes,
			     sizeof b->workspace_bytes),
			"cublasLtMatmulPreferenceSetAttribute", error))
		return b;
	ts_cublas_free(b);
	return NULL;
}

void ts_cublas_clear(struct ts_cublas *b)
{
	for (guint i = 0; i < b->problems->len; i++) {
		struct prepared *x = &g_array_index(b->problems, struct prepared, i);

		for (size_t j = 0; j < G_N_ELEMENTS(x->layouts); j++)
			if (x->layouts[j] != NULL)
				b->api.layout_free(x->layouts[j]);
	}
	g_array_set_size(b->problems, 0);
}

/* The library itself stays loaded, and so do a description and a preference of a few bytes. */
void ts_cublas_free(struct ts_cublas *b)
{
	if (b == NULL)
		return;
	ts_cublas_clear(b);
	g_array_unref(b->problems);
	g_hash_table_unref(b->chosen);
	if (b->handle != NULL)
		b->api.destroy(b->handle);
	g_free(b);
}

static char *size_text(const struct ts_cublas_problem *p)
{
	return g_strdup_printf("%ux%ux%u", p->m, p->n, p->k);
}

static bool find_algorithms(
	struct ts_cublas *b, struct prepared *x, uint32_t *ret_count, GError **error)
{
	g_autofree char *size = size_text(&x->problem);
	const struct candidate *chosen = g_hash_table_lookup(b->chosen, size);
	int count = 0;

	*ret_count = 1;
	if (chosen != NULL) {
		x->candidates[0] = *chosen;
		return true;
	}
	if (!good(b->api.find(b->handle, b->description, x->layouts[0], x->layouts[1],
			  x->layouts[2], x->layouts[2], b->preference, ALGORITHMS, x->candidates,
			  &count),
		    "cublasLtMatmulAlgoGetHeuristic", error))
		return false;
	*ret_count = (uint32_t)count;
	return good(count > 0 ? 0 : -1, "finding an algorithm", error);
}

/* The library's matrices have contiguous columns: it computes C^T[n,m] = B^T[n,k] A^T[k,m], where
 * rows of B along N are columns of B^T, and those along K are columns of what it has to transpose.
 */
bool ts_cublas_add(
	struct ts_cublas *b, const struct ts_cublas_problem *p, uint32_t *ret_count, GError **error)
{
	uint32_t rows_b = b->layout == TS_MMA_ALONG_K ? p->k : p->n;
	uint32_t cols_b = b->layout == TS_MMA_ALONG_K ? p->n : p->k;
	struct prepared *x;

	/* The new one is all zero. */
	g_array_set_size(b->problems, b->problems->len + 1);
	x = &g_array_index(b->problems, struct prepared, b->problems->len - 1);
	x->problem = *p;
	return good(b->api.layout_new(&x->layouts[0], b->type, rows_b, cols_b, rows_b),
		       "the layout of B", error) &&
		good(b->api.layout_new(&x->layouts[1], b->type, p->k, p->m, p->k),
			"the layout of A", error) &&
		good(b->api.layout_new(&x->layouts[2], b->type, p->n, p->m, p->n),
			"the layout of C", error) &&
		find_algorithms(b, x, ret_count, error);
}

uint32_t ts_cublas_problems(const struct ts_cublas *b)
{
	return b->problems->len;
}

void ts_cublas_choose(struct ts_cublas *b, uint32_t problem, uint32_t index)
{
	struct prepared *x = &g_array_index(b->problems, struct prepared, problem);

	x->candidates[0] = x->candidates[index];
	g_hash_table_insert(b->chosen, size_text(&x->problem),
		g_memdup2(&x->candidates[0], sizeof x->candidates[0]));
}

bool ts_cublas_start(struct ts_cublas *b, uint32_t problem, uint32_t index, GError **error)
{
	const struct prepared *x = &g_array_index(b->problems, struct prepared, problem);
	const float one = 1, zero = 0;
	void *c = (void *)(uintptr_t)x->problem.c;
	const void *first = (const void *)(uintptr_t)x->problem.b;
	const void *second = (const void *)(uintptr_t)x->problem.a;

	return good(b->api.multiply(b->handle, b->description, &one, first, x->layouts[0], second,
			    x->layouts[1], &zero, c, x->layouts[2], c, x->layouts[2],
			    x->candidates[index].algorithm, (void *)(uintptr_t)b->workspace,
			    b->workspace_bytes, NULL),
		"cublasLtMatmul", error);
}
