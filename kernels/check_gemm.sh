#!/bin/sh
# The GEMMs on a real GPU: every policy on random and on awkward shapes, in clusters and all tile
# shapes, compute-sanitizer on small ones, and times beside cuBLAS. The parts of sm90 need a Hopper
# GPU; those of mma run on any, take a minute, and check both types and layouts of B too.
#
# usage: check_gemm.sh TILESIM [FOLDER [PART...]]
# Parts: products forms sanitizer timing mma mma_sanitizer mma_timing groups sm90_groups release
# held groups_timing, by default all.
# Results go to FOLDER, by default a new one.
# LD_LIBRARY_PATH has to lead to cuBLAS for the times.
# Exit codes: 0 all is well, 1 something failed, 77 no GPU.
set -u

tilesim=$1
out=${2:-$(mktemp -d)}
[ $# -lt 2 ] || shift
shift
parts=${*:-products forms sanitizer timing mma mma_sanitizer mma_timing groups sm90_groups
	release held groups_timing}
tiles="--block 128x256x64,128x192x64,128x128x64,128x64x64,64x128x64"
clusters="--cluster 1x1,2x1,1x2"
failed=0
mkdir -p "$out"
: >"$out/table.txt"

# A hang is a failure too.
timeout 60 "$tilesim" gpu gemm --kernel mma --m 300 --n 520 --k 200 >"$out/first.txt" 2>&1
code=$?
cat "$out/first.txt"
[ $code -eq 0 ] || exit $code

# sweep TITLE OPTION...: one row of the table at the end; its own table goes to a file.
sweep()
{
	title=$1
	shift
	begin=$(date +%s)
	timeout 240 "$tilesim" gpu gemm "$@" --format json >"$out/sweep.json" 2>"$out/sweep.err"
	code=$?
	[ $code -eq 0 ] || failed=1
	grep -v '^$' "$out/sweep.err" | head -n 20
	# The sum over all policies comes first. Where it has failures the worst share is infinite.
	figures=$(sed -n 's/^  "[a-z_]*" : \([0-9.e-]*\),$/\1/p' "$out/sweep.json" | head -n 7 |
		tr '\n' ' ')
	[ $code -eq 0 ] || figures="${figures:+$figures inf}"
	# shellcheck disable=SC2086
	printf '%-26s %7s %7s %9s %11s %9s %9.2g %6.2f %5s %5s\n' "$title" ${figures:-- - - - - 0 0} \
		$code $(($(date +%s) - begin)) >>"$out/table.txt"
	cat "$out/sweep.json" >>"$out/sweeps.json"
}

# random COUNT MOST SEED: numbers from 1 to MOST with commas, odd ones as often as even ones.
random()
{
	awk -v count="$1" -v most="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		for (i = 0; i < count; i++)
			printf "%s%d", i ? "," : "", 1 + int(rand() * most)
	}'
}

# ragged COUNT MOST SEED: rows of groups from 0 to MOST with commas, a third of them 0.
ragged()
{
	awk -v count="$1" -v most="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		for (i = 0; i < count; i++)
			printf "%s%d", i ? "," : "", rand() < 0.33 ? 0 : 1 + int(rand() * most)
	}'
}

products()
{
	printf '%-26s %7s %7s %9s %11s %9s %9s %6s %5s %5s\n' sweep runs shapes tiles elements \
		failures error worst exit s >>"$out/table.txt"
	edges=1,127,128,129,255,257,520
	# The words are split on purpose from here on.
	# shellcheck disable=SC2086
	{
	sweep "edges of tiles" --kernel sm90 --policy persistent,worksteal $clusters $tiles --m $edges \
		--n $edges --k 1,8,63,64,65,200
	sweep "every policy, random" --kernel sm90 --policy all --mode all --xcds 3 $clusters $tiles \
		--m $(random 3 1500 1) --n $(random 3 1500 2) --k $(random 3 700 3)
	sweep "rows of 16 bytes, random" --kernel sm90 --policy all --mode all $clusters $tiles \
		--m $(random 4 2500 4) --n 8,1016,2504,3000 --k 72,1000
	sweep "larger clusters" --kernel sm90 --policy all --mode steal --cluster 2x2,4x1,1x4,4x2,2x4 $tiles \
		--m 1,129,1900,$(random 1 3000 5) --n 8,700,$(random 1 3000 6) --k 8,641
	sweep "orders and remaps" --kernel sm90 --policy all --mode all --order all --remap all --xcds 8 \
		$clusters --m 1900 --n 3333 --k 129
	sweep "few and many workers" --kernel sm90 --policy persistent,worksteal \
		--mode steal,global,hierarchical --workers 1,7,400 --xcds 1,8 $clusters \
		--m 129,1900 --n 2048,2049 --k 65
	sweep "tiles cut along k" --kernel sm90 --policy stream-k,split-k --hybrid basic,two-tile \
		--min-k 1,8 --k-groups 1,8 --splits 2,3,7 --workers 7,66 $clusters $tiles \
		--m 129,1900 --n 520,2049 --k 65,4096
	sweep "long sums" --kernel sm90 --policy all --mode steal $clusters $tiles --m 300 --n 520,521 \
		--k 16384,30001
	}
}

# Hopper's kernels in the other types and layouts of B, alone and of groups.
forms()
{
	grep -q "^sweep" "$out/table.txt" || printf '%-26s %7s %7s %9s %11s %9s %9s %6s %5s %5s\n' \
		sweep runs shapes tiles elements failures error worst exit s >>"$out/table.txt"
	for form in "bf16 kn" "fp16 nk" "fp16 kn"; do
		# shellcheck disable=SC2086
		{
		set -- $form
		form="--kernel sm90 --dtype $1 --layout $2"
		sweep "sm90 $1 $2, edges" $form --policy persistent,worksteal $tiles \
			--cluster 1x1,2x1,4x1,1x2,2x2 --m 1,128,129,257 --n 1,127,128,520 \
			--k 1,8,63,64,65,200
		sweep "sm90 $1 $2, policies" $form --policy all --mode all --xcds 3 $clusters \
			$tiles --splits 3 --m $(random 2 1500 21) --n $(random 2 1500 22) \
			--k $(random 2 700 23)
		for gap in 5 8; do
			sweep "sm90 $1 $2, gap $gap" $form --gap $gap --policy persistent,stream-k \
				$clusters $tiles --m 300 --n 264,333 --k 72,129
		done
		sweep "sm90 $1 $2, groups" $form --policy persistent,worksteal,split-k --splits 3 \
			$clusters $tiles --groups "5,0,$(ragged 9 300 24);0,64,65" --batch 1,2 \
			--n 72,129 --k 1,65,200
		sweep "sm90 $1 $2, masked" --kernel sm90 --dtype $1 --layout $2,masked --policy all \
			$clusters $tiles --m 300 --groups "0,1,$(ragged 9 300 25)" --n 136 --k 72
		}
	done
}

# Workers that are asked to leave.
release()
{
	printf '\n%-44s %5s %s\n' release exit says >>"$out/table.txt"
	for plan in "mma steal 1x1 128x128x32" "sm90 steal 1x1 128x256x64" "sm90 global 2x1 128x128x64"; do
		# shellcheck disable=SC2086
		set -- $plan
		timeout 40 "$tilesim" gpu release --kernel $1 --mode $2 --cluster $3 --block $4 \
			--check sample --m 8192 --n 8192 --k 4096 >"$out/last.txt" 2>&1
		code=$?
		[ $code -eq 0 ] || { failed=1; head -n 30 "$out/last.txt"; }
		printf '%-44s %5d %s\n' "$plan" $code "$(grep '^verdict' "$out/last.txt")" \
			>>"$out/table.txt"
	done
}

# Workers of split-k that wait for others which can't start before they leave.
held()
{
	printf '\n%-44s %5s %s\n' "beside a kernel that holds SMs" exit says >>"$out/table.txt"
	for plan in "14 128x128x64 384 384 32768 20,40,100" "4 64x128x64 64 4096 7168 40,120" \
		"2 128x256x64 1000 1000 520 70"; do
		# shellcheck disable=SC2086
		set -- $plan
		timeout 40 "$tilesim" gpu hold --kernel sm90 --policy split-k --splits $1 \
			--block $2 --m $3 --n $4 --k $5 --held $6 >"$out/last.txt" 2>&1
		code=$?
		[ $code -eq 0 ] || { failed=1; head -n 30 "$out/last.txt"; }
		printf '%-44s %5d %s\n' "split-k $1, $3 x $4 x $5, held $6" $code \
			"$(awk '/^ / { print $2 " ms" }' "$out/last.txt" | tr '\n' ' ')" >>"$out/table.txt"
	done
}

sanitizer()
{
	checker=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
	[ -x "$checker" ] || return
	printf '\n%-44s %5s %s\n' sanitizer exit says >>"$out/table.txt"
	for tool in memcheck racecheck synccheck; do
		for plan in "persistent 1x1 128x256x64" "worksteal 2x1 128x256x64" \
			"worksteal 1x2 128x192x64" "split-k 2x1 128x256x64" \
			"stream-k 1x1 64x128x64" "persistent 1x2 128x64x64" \
			"worksteal 2x1 128x256x64 --layout kn" \
			"split-k 1x1 128x192x64 --layout kn --dtype fp16"; do
			# shellcheck disable=SC2086
			{
			set -- $plan
			policy=$1 cluster=$2 block=$3
			shift 3
			timeout 40 "$checker" --tool $tool --report-api-errors no \
				--error-exitcode 9 "$tilesim" gpu gemm \
				--kernel sm90 --policy $policy --cluster $cluster --block $block \
				--workers 2 --m 300 --n 520 --k 200 --repeat 0 "$@" \
				>"$out/last.txt" 2>&1
			}
			code=$?
			[ $code -eq 0 ] || { failed=1; head -n 30 "$out/last.txt"; }
			printf '%-44s %5d %s\n' "$tool, $plan" $code \
				"$(tail -n 1 "$out/last.txt")" >>"$out/table.txt"
		done
	done
}

timing()
{
	printf '\n%-18s %-12s %-8s %-6s %8s %8s %6s %9s %5s\n' "M x N x K" tile cluster policy \
		TFLOP/s cuBLAS ratio error exit >>"$out/table.txt"
	for shape in "8192 8192 8192" "4096 4096 4096" "4352 4352 4096" "3000 5000 2048" \
		"512 1024 32768"; do
		for plan in "1x1 128x256x64" "2x1 128x256x64" "1x2 128x256x64" \
			"1x1 128x192x64" "2x1 128x128x64" "1x1 64x128x64"; do
			for policy in persistent worksteal stream-k; do
				# shellcheck disable=SC2086
				time_one $shape $plan $policy "--kernel sm90"
			done
		done
	done
	for form in "--layout kn" "--dtype fp16" "--dtype fp16 --layout kn"; do
		for shape in "8192 8192 8192" "4096 4096 4096"; do
			# shellcheck disable=SC2086
			time_one $shape 1x1 128x256x64 persistent "--kernel sm90 $form"
		done
	done
}

# The portable kernels: every policy with cut items too, both types, both layouts of B, gaps between
# rows that fit 16 bytes and that don't.
mma()
{
	small="--kernel mma --block 64x64x32,128x128x32 --cluster 1x1,2x1,3x2"
	grep -q "^sweep" "$out/table.txt" || printf '%-26s %7s %7s %9s %11s %9s %9s %6s %5s %5s\n' \
		sweep runs shapes tiles elements failures error worst exit s >>"$out/table.txt"
	number=10
	for dtype in bf16 fp16; do
		for layout in nk kn; do
			for gap in 0 8 13; do
				number=$((number + 3))
				# shellcheck disable=SC2086
				sweep "mma $dtype $layout gap $gap" $small --dtype $dtype \
					--layout $layout --gap $gap --policy all --mode all \
					--splits 3 --xcds 3 --m 1,$(random 1 700 $number) \
					--n $(random 1 700 $((number + 1))) \
					--k $(random 1 600 $((number + 2)))
			done
		done
	done
	# shellcheck disable=SC2086
	{
	sweep "mma, edges of tiles" $small --policy persistent --m 1,127,128,129,255,257 \
		--n 1,127,129,520 --k 0,1,8,31,32,33,200
	sweep "mma, stream-k" --kernel mma --policy stream-k --hybrid basic --min-k 1 \
		--workers 7,132,264 --m 300,1900 --n 520,2049 --k 1024,4097
	}
}

# Batches and ragged groups: every policy, both layouts of B and of groups; and Hopper's kernels.
groups()
{
	small="--kernel mma --block 64x64x32,128x128x32 --cluster 1x1,2x1"
	grep -q "^sweep" "$out/table.txt" || printf '%-26s %7s %9s %11s %9s %9s %6s %5s %5s\n' \
		sweep plans tiles elements failures error worst exit s >>"$out/table.txt"
	number=70
	for layout in nk kn; do
		for gap in 0 5; do
			number=$((number + 3))
			lists="5,0,$(ragged 20 300 $number);0,1,$(ragged 7 700 $((number + 1)))"
			# shellcheck disable=SC2086
			{
			sweep "groups $layout gap $gap" $small --layout $layout --gap $gap --xcds 3 \
				--policy all --mode steal --splits 3 --groups "$lists" --batch 1,2 \
				--n $(random 1 600 $number) --k 200
			sweep "groups $layout gap $gap masked" $small --layout $layout,masked \
				--gap $gap --policy all --splits 3 --groups "$lists" --m 701 \
				--n $(random 1 600 $number) --k 0,129
			}
		done
	done
	# shellcheck disable=SC2086
	{
	sweep "batches" $small --policy all --mode all --splits 3 --xcds 3 --batch 2,7 \
		--section 1,3 --m 1,129,300 --n 130 --k 65,200
	sweep "experts" --kernel mma --policy persistent,worksteal,stream-k --n 1000 --k 512 \
		--groups "deepseek-v3-t64;deepseek-v3-t4096;mixtral-8x7b-t512"
	}
}

# The same in Hopper's kernels.
sm90_groups()
{
	grep -q "^sweep" "$out/table.txt" || printf '%-26s %7s %9s %11s %9s %9s %6s %5s %5s\n' \
		sweep plans tiles elements failures error worst exit s >>"$out/table.txt"
	# The words are split on purpose from here on.
	# shellcheck disable=SC2086
	{
	sweep "sm90, ragged groups" --kernel sm90 --policy all --mode all --xcds 3 --splits 3 \
		$clusters $tiles \
		--groups "5,0,$(ragged 20 300 91);0,1,$(ragged 7 700 92)" --n 200,$(random 1 600 93) \
		--k 200
	sweep "sm90, edges" --kernel sm90 --policy persistent,worksteal,stream-k $clusters $tiles \
		--groups "1,63,64,65,127,128,129,191,192,193,0,255,256,257" --batch 1,2 \
		--n 8,127,264 --k 1,64,65
	sweep "sm90, masked" --kernel sm90 --policy all --splits 3 $clusters $tiles \
		--layout nk,masked --m 300 --groups "0,1,$(ragged 20 300 94)" --n 136 --k 128
	sweep "sm90, batches" --kernel sm90 --policy all --mode all --splits 3 --xcds 3 $clusters \
		--block 128x128x64 --batch 2,7 --section 1,3 --m 1,129,300 --n 136 --k 200
	sweep "sm90, larger clusters" --kernel sm90 --policy persistent,worksteal,split-k $tiles \
		--cluster 2x2,4x1,1x4,4x2,2x4 --groups "5,0,$(ragged 20 700 95)" --n 520 --k 200
	sweep "sm90, experts" --kernel sm90 --policy persistent,worksteal,stream-k --n 1000 --k 512 \
		--groups "deepseek-v3-t64;deepseek-v3-t4096;mixtral-8x7b-t512"
	}
}

# Each expert's rows beside a call of cuBLAS for each expert.
groups_timing()
{
	timeout 200 "$tilesim" gpu bench --shapes moe --check none --repeat 11 >"$out/moe.txt" 2>&1 ||
		failed=1
	printf '\nexperts\n' >>"$out/table.txt"
	cat "$out/moe.txt" >>"$out/table.txt"
}

mma_sanitizer()
{
	checker=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
	[ -x "$checker" ] || return
	printf '\n%-44s %5s %s\n' "sanitizer of mma" exit says >>"$out/table.txt"
	for tool in memcheck racecheck synccheck; do
		for plan in "persistent nk 0" "split-k kn 5"; do
			# shellcheck disable=SC2086
			set -- $plan
			timeout 40 "$checker" --tool $tool --report-api-errors no \
				--error-exitcode 9 "$tilesim" gpu gemm \
				--kernel mma --policy $1 --layout $2 --gap $3 --workers 4 --m 200 \
				--n 130 --k 200 --repeat 0 >"$out/last.txt" 2>&1
			code=$?
			[ $code -eq 0 ] || { failed=1; head -n 30 "$out/last.txt"; }
			printf '%-44s %5d %s\n' "$tool, $plan" $code \
				"$(tail -n 1 "$out/last.txt")" >>"$out/table.txt"
		done
	done
}

mma_timing()
{
	printf '\n%-18s %-12s %-8s %-6s %8s %8s %6s %9s %5s\n' "mma, M x N x K" tile layout policy \
		TFLOP/s cuBLAS ratio error exit >>"$out/table.txt"
	for shape in "8192 8192 8192" "4096 4096 4096"; do
		for policy in persistent worksteal stream-k; do
			# shellcheck disable=SC2086
			time_one $shape 1x1 128x128x32 $policy "--kernel mma"
		done
	done
	time_one 4096 4096 4096 1x1 64x64x32 persistent "--kernel mma"
}

# time_one M N K CLUSTER TILE POLICY [OPTIONS]
time_one()
{
	# shellcheck disable=SC2086
	timeout 60 "$tilesim" gpu gemm --m "$1" --n "$2" --k "$3" --cluster "$4" --block "$5" \
		--policy "$6" ${7:-} --cublas >"$out/last.txt" 2>&1
	code=$?
	[ $code -eq 0 ] || { failed=1; head -n 20 "$out/last.txt"; }
	cat "$out/last.txt" >>"$out/times.txt"
	awk -v shape="$1 x $2 x $3" -v tile="$5" -v cluster="$4" -v policy="$6" -v code=$code '
		/^time/ { ours = $(NF - 1) } /^cuBLAS/ { theirs = $(NF - 1) }
		/^ratio/ { ratio = $2 } /^error/ { error = $2 }
		END { printf "%-18s %-12s %-8s %-6.6s %8s %8s %6s %9s %5d\n", shape, tile, cluster,
			policy, ours, theirs, ratio, error, code }' "$out/last.txt" >>"$out/table.txt"
}

for part in $parts; do
	$part
done
cat "$out/table.txt"
exit $failed
