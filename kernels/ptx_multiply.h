/* Products by a warpgroup (wgmma), which run on while the threads do. */
#ifndef TS_PTX_MULTIPLY_H
#define TS_PTX_MULTIPLY_H

#include "kernels/ptx.h"

/* In front of the first of them, and where registers or shared memory were written since. */
TS_GPU void ptx_multiply_begin(void)
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Ends a group of them. */
TS_GPU void ptx_multiply_group(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until all but the last GROUPS groups are done. */
template <int GROUPS> TS_GPU void ptx_multiply_wait(void)
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}

/* Keeps the compiler from reading `d` earlier than here. */
template <int COUNT> TS_GPU void ptx_settle(float (&d)[COUNT])
{
#pragma unroll
	for (int i = 0; i < COUNT; i++)
		asm volatile("" : "+f"(d[i])::"memory");
}

/* Where an operand of a product lies, as the instruction is told: four numbers of 16 bytes each. */
TS_GPU uint64_t ptx_operand_make(const void *p, uint32_t leading, uint32_t stride)
{
	uint64_t address = (ptx_shared(p) & 0x3ffff) >> 4;
	uint64_t swizzle = 1; /* by 128 bytes */

	return address | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
		swizzle << 62;
}

/* Rows along K: of 64 elements of 16 bits, 128 bytes, swizzled by 128 bytes as the copy engine does
 * it, 8 rows every 1024 bytes. The leading offset means nothing with this swizzle. Add 2 for the
 * next 16 columns. */
TS_GPU uint64_t ptx_operand(const void *p)
{
	return ptx_operand_make(p, 16, 1024);
}

/* Rows along N ("MN-major"), for B[n,k] = to[k][n]: blocks of 64 columns n, one behind the other,
 * each with 64 rows k of 128 bytes as the copy engine writes a box of 64 x 64. In units of T = 8
 * elements, 16 bytes, PTX (matrix descriptor and canonical layouts of wgmma) and CUTLASS
 * (make_gmma_desc) have for this major and swizzle the layout
 *
 *   ((T, 8, n / 64), (8, k / 8)) : ((1, T, leading), (8 T, stride)), the 16 byte chunks of each row
 *   of 128 bytes then exchanged: chunk c of row r is at c ^ r % 8
 *
 * so that along n 8 chunks of T fill a row and the next 64 are `leading` bytes on: a block, 64 rows
 * of 128 bytes. Along k 8 rows are 8 T elements, 128 bytes, from each other, and the next 8 are
 * `stride` bytes on: 8 rows. A product takes 16 of k, two such groups, 2048 bytes: add 128 for the
 * next 16. All of that are multiples of the 1024 bytes after which the exchange repeats, and so
 * the base offset is 0. */
TS_GPU uint64_t ptx_operand_along_n(const void *p)
{
	return ptx_operand_make(p, 64 * 128, 8 * 128);
}

/* d (+)= A[64,16] B[64,16]^T of elements of TYPE, both in shared memory, B as ptx_operand_along_n()
 * says where ALONG_N is 1; d starts anew where `keep` is 0. */
template <class TYPE, int ALONG_N>
TS_GPU void ptx_multiply(float (&d)[32], uint64_t a, uint64_t b, uint32_t keep)
{
	asm volatile("{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, %34, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.%35.%35 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
		     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
		     "%24, %25, %26, %27, %28, %29, %30, %31}, "
		     "%32, %33, keep, 1, 1, 0, %36;\n\t}"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		     "+f"(d[30]), "+f"(d[31])
		     : "l"(a), "l"(b), "r"(keep), "C"(TYPE::name), "n"(ALONG_N));
}

/* The same of B[128,16]. */
template <class TYPE, int ALONG_N>
TS_GPU void ptx_multiply(float (&d)[64], uint64_t a, uint64_t b, uint32_t keep)
{
	asm volatile("{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, %66, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n128k16.f32.%67.%67 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
		     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
		     "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
		     "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
		     "%60, %61, %62, %63}, "
		     "%64, %65, keep, 1, 1, 0, %68;\n\t}"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		     "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
		     "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
		     "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
		     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
		     "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
		     "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
		     : "l"(a), "l"(b), "r"(keep), "C"(TYPE::name), "n"(ALONG_N));
}

/* The same of B[192,16]. */
template <class TYPE, int ALONG_N>
TS_GPU void ptx_multiply(float (&d)[96], uint64_t a, uint64_t b, uint32_t keep)
{
	asm volatile("{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, %98, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n192k16.f32.%99.%99 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
		     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
		     "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
		     "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
		     "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "
		     "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "
		     "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
		     "%96, %97, keep, 1, 1, 0, %100;\n\t}"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		     "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
		     "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
		     "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
		     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
		     "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
		     "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]),
		     "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
		     "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),
		     "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
		     "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),
		     "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
		     : "l"(a), "l"(b), "r"(keep), "C"(TYPE::name), "n"(ALONG_N));
}

/* The same of B[256,16]. */
template <class TYPE, int ALONG_N>
TS_GPU void ptx_multiply(float (&d)[128], uint64_t a, uint64_t b, uint32_t keep)
{
	asm volatile("{\n\t.reg .pred keep;\n\tsetp.ne.b32 keep, %130, 0;\n\t"
		     "wgmma.mma_async.sync.aligned.m64n256k16.f32.%131.%131 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
		     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
		     "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
		     "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
		     "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "
		     "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "
		     "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
		     "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "
		     "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, "
		     "%120, %121, %122, %123, %124, %125, %126, %127}, "
		     "%128, %129, keep, 1, 1, 0, %132;\n\t}"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
		     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
		     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
		     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
		     "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
		     "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
		     "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
		     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
		     "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
		     "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]),
		     "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
		     "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),
		     "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
		     "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),
		     "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
		     "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]),
		     "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]),
		     "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
		     "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]),
		     "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]),
		     "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]),
		     "+f"(d[127])
		     : "l"(a), "l"(b), "r"(keep), "C"(TYPE::name), "n"(ALONG_N));
}

#endif
