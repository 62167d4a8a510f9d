#!/bin/sh
# The GEMM for Hopper as nvcc translates it: products in the kernel's type, with B transposed where
# its rows are along N, what the copy engine loads, and how sums are rounded. Spilled registers are
# an error of the build. TAP.
#
# usage: sm90_code.sh [NVCC]
set -u
source=${TILESIM_SOURCE:?}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

result() { number=$((number + 1)); echo "$1 $number - $2"; }

# Of a type and a layout: what a kernel must have. A line beginning with ! must be absent.
rules()
{
	case $1 in
	bf16) type=bf16 other=f16 ;;
	fp16) type=f16 other=bf16 ;;
	esac
	case $2 in
	nk) transposed=0 not=1 ;;
	kn) transposed=1 not=0 ;;
	esac
	cat <<END
wgmma\.mma_async\.sync\.aligned\.m64n64k16\.f32\.$type\.$type .*, 1, 1, 0, $transposed;
!wgmma\.mma_async.*, 1, 1, 0, $not;
!wgmma\.mma_async.*\.$other
cvt\.rn\.${type}x2\.f32
!cvt\.rn\.${other}x2
cp\.async\.bulk\.tensor\.2d\.shared::cluster.*multicast
END
	if [ "$2" = kn ]; then
		echo 'cp\.async\.bulk\.tensor\.3d\.shared::cluster.*multicast'
	else
		echo '!cp\.async\.bulk\.tensor\.3d'
	fi
}

# lacks TYPE LAYOUT KERNEL: prints what a kernel has or has not against the rules of the others.
lacks()
{
	awk -v name="$3" '/\.entry/ { on = index($0, name "(") > 0 } on' "$work/k.ptx" >"$work/code"
	rules "$1" "$2" | while read -r rule; do
		case $rule in
		!*) grep -Eq -- "${rule#!}" "$work/code" && echo "has ${rule#!}" ;;
		*) grep -Eq -- "$rule" "$work/code" || echo "lacks $rule" ;;
		esac
	done
}

if [ $# = 0 ]; then
	echo 1..1
	echo "ok 1 - the GEMM for Hopper # SKIP no nvcc"
	exit 0
fi
# Of each form the smallest tile, since all take minutes.
sed 's/^KERNELS(\(.*\))$/KERNEL(\1, 128, 64, 8, 1)/' "$source/kernels/gemm_sm90.cu" >"$work/k.cu"
# Those for any plan, those for static ones, and those for split-k.
for which in ANY STATIC SPLIT_K; do
	"$1" -x cu -ptx -std=c++17 -O3 -I"$source" -gencode arch=compute_90a,code=compute_90a \
		-DTS_${which}_ONLY -o "$work/$which.ptx" "$work/k.cu" >>"$work/log" 2>&1 && continue
	sed 's/^/# /' "$work/log"
	result "not ok" "the kernels are translated"
	echo "1..$number"
	exit 0
done
cat "$work/ANY.ptx" "$work/STATIC.ptx" "$work/SPLIT_K.ptx" >"$work/k.ptx"
for type in bf16 fp16; do
	for layout in nk kn; do
		lacks $type $layout "ts_gemm_${type}_${layout}_128x64" >"$work/log"
		sed 's/^/# /' "$work/log"
		[ -s "$work/log" ] && verdict="not ok" || verdict=ok
		result "$verdict" "$type $layout"
		name="ts_gemm_static_${type}_${layout}_128x64"
		lacks $type $layout "$name" >"$work/log"
		grep -Eq '[[:space:]](atom|red)\.' "$work/code" && echo "claims or signals" >>"$work/log"
		sed 's/^/# /' "$work/log"
		[ -s "$work/log" ] && verdict="not ok" || verdict=ok
		result "$verdict" "$type $layout, static"
		lacks $type $layout "ts_gemm_split_${type}_${layout}_128x64" >"$work/log"
		grep -Eq '[[:space:]]atom\.acq_rel\.gpu.*\.add\.u64' "$work/code" ||
			echo "tells nobody of a part" >>"$work/log"
		sed 's/^/# /' "$work/log"
		[ -s "$work/log" ] && verdict="not ok" || verdict=ok
		result "$verdict" "$type $layout, split-k"
	done
done
lacks bf16 nk ts_gemm_bf16_nk_128x64 >"$work/log"
grep -Eq '[[:space:]](atom|red)\.' "$work/code" && verdict=ok || verdict="not ok"
result "$verdict" "claims are found"
lacks fp16 nk ts_gemm_bf16_nk_128x64 >"$work/log"
grep -q 'lacks wgmma' "$work/log" && verdict=ok || verdict="not ok"
result "$verdict" "another type is found"
lacks bf16 kn ts_gemm_bf16_nk_128x64 >"$work/log"
grep -q 'has wgmma.*, 0;' "$work/log" && grep -q 'lacks cp.*3d' "$work/log" && verdict=ok ||
	verdict="not ok"
result "$verdict" "another layout is found"
echo "1..$number"
