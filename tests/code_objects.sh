#!/bin/sh
# AMD's code objects: the instructions that the policies count on, and the registers, shared memory
# and scratch of each kernel against the limits in amd_limits.txt. TAP.
#
# usage: code_objects.sh PROGRAM.TARGET.co...
set -u
limits=${TILESIM_SOURCE:?}/tests/amd_limits.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

result() { number=$((number + 1)); echo "$1 $number - $2"; }

# Of a program's code object: what its instructions must have. A line beginning with ! must be
# absent.
probe_gfx90a()
{
	cat <<'END'
s_getreg_b32 s[0-9]+, hwreg\(HW_REG_HW_ID, 8, 8\)
!XCC_ID
s_memrealtime
global_atomic_add v[0-9]+, .* glc$
!global_atomic_add .*(sc1|scc)
buffer_wbinvl1
s_barrier
END
}
# The counters of claims are common to all XCDs: sc1 in an atomic would reach beyond the device, and
# its absence in what goes before a signal or comes after a wait would stop in one XCD's L2.
probe_gfx942()
{
	cat <<'END'
s_getreg_b32 s[0-9]+, hwreg\(HW_REG_XCC_ID, 0, 4\)
s_getreg_b32 s[0-9]+, hwreg\(HW_REG_HW_ID, 8, 8\)
s_memrealtime
global_atomic_add v[0-9]+, .* sc0$
!global_atomic_add .* sc1
buffer_wbl2 sc1
buffer_inv sc1
global_load_dword .* sc1
s_barrier
END
}
probe_gfx950() { probe_gfx942; }
probe_gfx1100()
{
	cat <<'END'
s_getreg_b32 s[0-9]+, hwreg\(HW_REG_HW_ID1, 10, 11\)
MSG_RTN_GET_REALTIME
global_atomic_add_u32 v[0-9]+, .* glc$
buffer_gl1_inv
s_barrier
END
}
probe_gfx1200()
{
	cat <<'END'
s_getreg_b32 s[0-9]+, hwreg\(HW_REG_WAVE_HW_ID1, 10, 11\)
MSG_RTN_GET_REALTIME
global_atomic_add_u32 v[0-9]+, .* th:TH_ATOMIC_RETURN scope:SCOPE_DEV$
!global_atomic_add_u32 .*SCOPE_SYS
global_inv scope:SCOPE_DEV
s_barrier_wait
END
}

# Products by matrix instructions, in both types.
mma_gfx90a()
{
	printf '%s\n' 'v_mfma_f32_32x32x8bf16_1k' 'v_mfma_f32_32x32x8f16' '!global_load_lds'
}
mma_gfx942()
{
	printf '%s\n' 'v_mfma_f32_32x32x8_bf16' 'v_mfma_f32_32x32x8_f16' 'HW_REG_XCC_ID, 0, 4' \
		'!global_load_lds'
}
mma_gfx950()
{
	printf '%s\n' 'v_mfma_f32_32x32x16_bf16' 'v_mfma_f32_32x32x16_f16' 'HW_REG_XCC_ID, 0, 4' \
		'global_load_lds_dwordx4 '
}
mma_groups_gfx950() { mma_gfx950; }
mma_gfx1100() { printf '%s\n' 'v_wmma_f32_16x16x16_bf16' 'v_wmma_f32_16x16x16_f16'; }
mma_gfx1200() { mma_gfx1100; }

# disassemble FILE: the instructions without addresses.
disassemble()
{
	llvm-objdump-22 -d "$1" | sed -n 's|^\t\(.*[^ ]\) *//.*|\1|p'
}

# lacks RULES FILE: prints what the code of FILE has or has not against the rules.
lacks()
{
	disassemble "$2" >"$work/code"
	"$1" | while read -r rule; do
		case $rule in
		!*) grep -Eq -- "${rule#!}" "$work/code" && echo "has ${rule#!}" ;;
		*) grep -Eq -- "$rule" "$work/code" || echo "lacks $rule" ;;
		esac
	done
}

# waits FILE PLANT: prints what is wrong with the waits for loads to LDS of each kernel, with this
# awk code in front. The barrier of the loop along k, the last one in front of the first matrix
# instruction, must come right behind a wait, or nobody knows that another wave's loads are there.
# Between a branch and the matrix instructions there must be none, or loads end before they begin.
waits()
{
	llvm-objdump-22 -d "$1" | awk "$2"'
		function end() {
			if (name != "" && published != 1)
				print name ": no wait for loads in front of a barrier"
			if (name != "" && late)
				print name ": waits for loads in front of matrix instructions"
		}
		/^[0-9a-f]+ <.*>:/ {
			end()
			name = $2 ~ /ts_mma/ ? substr($2, 2, length($2) - 3) : ""
			published = ""
			late = waited = last = 0
		}
		/s_waitcnt .*vmcnt\(0\)/ { waited = 1 }
		/s_barrier/ { last = waited }
		/v_mfma/ {
			late += waited
			if (published == "")
				published = last
		}
		/s_barrier|s_c?branch|s_or_b64 exec|v_mfma/ { waited = 0 }
		END { end() }'
}

# resources FILE TARGET: a line for each kernel: its name, VGPRs, SGPRs, bytes of shared memory and
# of scratch, spilled VGPRs, and how many waves the VGPRs leave room for in a SIMD.
resources()
{
	llvm-readobj-22 --notes "$1" | awk -v target="$2" '
		function round_up(x, by) { return int((x + by - 1) / by) * by }
		function waves(v) {
			if (target ~ /^gfx9/) { all = 512; by = 8; most = 8 }
			else { all = 1536; by = 24; most = 16 }
			v = v == 0 ? all : int(all / round_up(v, by))
			return v > most ? most : v
		}
		/^ *- / { sub(/- /, "  ") }
		$1 == ".agpr_count:" { agprs = $2 }
		$1 == ".group_segment_fixed_size:" { shared = $2 }
		$1 == ".name:" { name = $2 }
		$1 == ".private_segment_fixed_size:" { scratch = $2 }
		$1 == ".sgpr_count:" { sgprs = $2 }
		$1 == ".vgpr_count:" { vgprs = $2 }
		$1 == ".vgpr_spill_count:" { spills = $2 }
		$1 == ".wavefront_size:" {
			print name, vgprs, sgprs, shared, scratch, spills, waves(vgprs)
		}'
}

# beyond LIMITS FILE TARGET: prints what is beyond the limits, or has none.
beyond()
{
	resources "$2" "$3" >"$work/resources"
	[ -s "$work/resources" ] || echo "no kernels"
	awk -v target="$3" '
		/^#/ || NF == 0 { next }
		FILENAME == ARGV[1] {
			if ($2 != target && $2 != "all")
				next
			gsub(/\*/, ".*", $1)
			pattern[++rows] = "^" $1 "$"
			vgprs[rows] = $3; shared[rows] = $4; waves[rows] = $5
			next
		}
		{
			for (row = 1; row <= rows && $1 !~ pattern[row]; row++)
				;
		}
		row > rows { print $1 " has no limits"; next }
		$2 > vgprs[row] { print $1 ": " $2 " VGPRs, more than " vgprs[row] }
		$4 > shared[row] { print $1 ": " $4 " bytes of shared memory, more than " shared[row] }
		$5 > 0 { print $1 ": " $5 " bytes of scratch" }
		$6 > 0 { print $1 ": " $6 " spilled VGPRs" }
		$7 < waves[row] { print $1 ": " $7 " waves in a SIMD, fewer than " waves[row] }
	' "$1" "$work/resources"
}

# check TITLE: passes where nothing was printed into $work/log.
check()
{
	if [ -s "$work/log" ]; then
		sed 's/^/# /' "$work/log"
		result "not ok" "$1"
	else
		result ok "$1"
	fi
}

# check_fails TITLE PATTERN: passes where $work/log has the pattern.
check_fails()
{
	if grep -Eq -- "$2" "$work/log"; then
		result ok "$1"
	else
		sed 's/^/# /' "$work/log"
		result "not ok" "$1"
	fi
}

if [ $# = 0 ] || ! command -v llvm-objdump-22 >/dev/null ||
	! command -v llvm-readobj-22 >/dev/null; then
	echo 1..1
	echo "ok 1 - AMD's code objects # SKIP none were built, or no llvm-22"
	exit 0
fi
for file; do
	name=${file##*/}
	program=${name%%.*} target=${name#*.}
	target=${target%.co}
	if command -v "${program}_$target" >/dev/null; then
		lacks "${program}_$target" "$file" >"$work/log"
		check "$program on $target: instructions"
	fi
	case $name in
	mma*.gfx950.co)
		waits "$file" '' >"$work/log"
		check "$program on $target: loads to LDS are waited for, and not too early"
		waits "$file" '/vmcnt/ { next } ' >"$work/log"
		check_fails "a missing wait for them is found" 'no wait for loads in front of a barrier'
		waits "$file" '/v_mfma/ { waited = 1 } ' >"$work/log"
		check_fails "one too early is found" 'waits for loads in front of matrix instructions'
		;;
	esac
	beyond "$limits" "$file" "$target" >"$work/log"
	sed "s/^/# $target: /" "$work/resources"
	check "$program on $target: registers, shared memory, no spills"
	if [ "$program.$target" = probe.gfx942 ]; then
		lacks probe_gfx90a "$file" >"$work/log"
		check_fails "an instruction too many is found" 'has XCC_ID'
		lacks probe_gfx1200 "$file" >"$work/log"
		check_fails "an instruction too few is found" 'lacks s_barrier_wait'
		echo "ts_probe all 1 1 9" >"$work/limits"
		beyond "$work/limits" "$file" "$target" >"$work/log"
		check_fails "too many registers are found" 'ts_probe: [0-9]+ VGPRs, more than 1'
		check_fails "too much shared memory is found" 'ts_probe: [0-9]+ bytes of shared memory'
		check_fails "too few waves are found" 'ts_probe: 8 waves in a SIMD, fewer than 9'
		check_fails "a kernel without limits is found" 'ts_latency has no limits'
	fi
done
echo "1..$number"
