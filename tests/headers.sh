#!/bin/sh
# The policy headers compile without a warning wherever kernels are written: C11, C++17, CUDA and
# HIP; and so do kernels that run everywhere, as C11.
# The kernel is the one of the README, so that what people copy is what was compiled. TAP.
set -u
root=${TILESIM_SOURCE:?}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wpedantic -Wconversion -Werror'
number=0

cat > "$work/host.c" <<'C'
#include "policies/pipeline.h"
#include "policies/plan.h"
int main(void)
{
	struct ts_spec spec = ts_spec_default();
	struct ts_plan plan;
	struct ts_worker worker = ts_worker_make(0, 0);

	if (ts_plan_make(&plan, &spec) != TS_OK)
		return 1;
	return ts_next(&plan, &worker, 0).act == TS_WORK ? 0 : 1;
}
C
cp "$work/host.c" "$work/host.cc"
awk '/^```cuda/ { on = 1; next } /^```/ { on = 0 } on' "$root/README.md" > "$work/kernel.cu"

# name, compiler, arguments: skipped where the compiler is not there.
compiles()
{
	number=$((number + 1))
	name=$1
	compiler=$2
	shift 2
	if ! command -v "$compiler" > /dev/null 2>&1; then
		echo "ok $number - $name # SKIP no $compiler"
	elif "$compiler" "$@" > "$work/log" 2>&1; then
		echo "ok $number - $name"
	else
		sed 's/^/# /' "$work/log"
		echo "not ok $number - $name"
	fi
}

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
hip='-x hip --offload-arch=gfx942 --cuda-device-only -nogpulib -nogpuinc -std=c++17'
echo 1..9
compiles 'C11 with gcc' gcc -std=c11 $warnings -I"$root" -o "$work/a" "$work/host.c"
compiles 'C11 with clang' clang -std=c11 $warnings -I"$root" -o "$work/b" "$work/host.c"
compiles 'C++17 with g++' g++ -std=c++17 $warnings -I"$root" -o "$work/c" "$work/host.cc"
compiles 'C++17 with clang++' clang++ -std=c++17 $warnings -I"$root" -o "$work/d" "$work/host.cc"
compiles 'the README kernel with nvcc, host and device' "$nvcc" -std=c++17 -Werror=all-warnings \
	-gencode=arch=compute_90a,code=sm_90a -I"$root" -c -o "$work/e" "$work/kernel.cu"

# HIP without its headers: the three words that a policy header needs from them.
{
	echo '#define __host__ __attribute__((host))'
	echo '#define __device__ __attribute__((device))'
	echo '#define __global__ __attribute__((global))'
	echo '#include "policies/all.h"'
	echo '#include "policies/pipeline.h"'
	echo '__global__ void first_tile(struct ts_plan plan, unsigned *out)'
	echo '{'
	echo '	struct ts_worker w = ts_worker_make(0, 0);'
	echo '	struct ts_step s = ts_next(&plan, &w, 0);'
	echo '	out[0] = s.act == TS_WORK ? ts_cta_tile(&plan, &s, 0).m : 0;'
	echo '}'
} > "$work/kernel.hip"
compiles 'HIP for gfx942 with clang' clang++-22 $hip $warnings -I"$root" -S -o "$work/f" \
	"$work/kernel.hip"

for compiler in gcc clang; do
	compiles "kernels as C11 with $compiler" $compiler -std=c11 $warnings -I"$root" -fsyntax-only \
		-DTS_MMA_AS_SM80 "$root"/kernels/*_kernel.c
done

# A file name that is not ours would break `#include <tilesim/...>` after an installation.
number=$((number + 1))
if (cd "$root/policies" && grep -h '#include' ./*.h) |
	grep -v -e '<stdint.h>' -e '<stdbool.h>' -e '#include "[a-z_]*\.h"' -e '<tilesim/'; then
	echo "not ok $number - policies include nothing but each other, stdint and stdbool"
else
	echo "ok $number - policies include nothing but each other, stdint and stdbool"
fi
