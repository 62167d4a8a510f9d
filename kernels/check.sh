#!/bin/sh
# The policies inside the kernel on a real GPU: a sweep over policies, modes, orders, remaps,
# clusters and ragged shapes, the device file against the built-in device, and compute-sanitizer.
#
# usage: check.sh TILESIM [FOLDER]
# Results go to FOLDER, by default a new one.
# Exit codes: 0 all is well, 1 something failed, 77 no GPU.
set -u

tilesim=$1
out=${2:-$(mktemp -d)}
blocks="--block 128x128x64 --busy-ns 20"
every="--policy all --mode all --order all --remap all"
small="--m 1000 --n 900 --k 128 --block 128x128x64 --busy-ns 0"
failed=0

"$tilesim" gpu describe --output "$out/this.device" >"$out/describe.txt" || exit $?
cat "$out/describe.txt"

# sweep TITLE OPTION...: one row of the table at the end; its own table goes to a file.
sweep()
{
	title=$1
	shift
	begin=$(date +%s)
	"$tilesim" gpu probe "$@" --format json >"$out/sweep.json" 2>"$out/sweep.err"
	code=$?
	[ $code -eq 0 ] || failed=1
	grep -v '^$' "$out/sweep.err" | head -n 20
	# The sum over all policies comes first.
	figures=$(sed -n 's/^  "\([a-z]*\)" : \([0-9]*\),$/\2/p' "$out/sweep.json" | head -n 5 |
		tr '\n' ' ')
	# shellcheck disable=SC2086
	printf '%-30s %9s %11s %11s %11s %9s %5s %5s\n' "$title" ${figures:-- - - - -} $code \
		$(($(date +%s) - begin)) >>"$out/table.txt"
	cat "$out/sweep.json" >>"$out/sweeps.json"
}

# expect TITLE COMMAND...: a row that says whether the command exits with 0.
expect()
{
	title=$1
	shift
	"$@" >"$out/last.txt" 2>&1
	code=$?
	[ $code -eq 0 ] || { failed=1; tail -n 20 "$out/last.txt"; }
	printf '%-66s exit %d\n' "$title" $code >>"$out/expect.txt"
}

printf '%-30s %9s %11s %11s %11s %9s %5s %5s\n' sweep plans items tiles claims failures exit s \
	>"$out/table.txt"
: >"$out/expect.txt"
# The words are split on purpose from here on.
# shellcheck disable=SC2086
{
for domains in 1 2 3 8; do
	sweep "$domains domains" $every --cluster 1x1,2x1,1x2,2x2,4x1 --xcds $domains $blocks \
		--m 1,127,128,129,640,1900,3000,4352 --n 1,129,700,2048,5000,8200 --k 1,192,600
done
sweep "other clusters" $every --cluster 3x1,2x3,8x1,2x4,4x4,16x1 --xcds 1,3 $blocks \
	--m 1,129,1900,4352 --n 1,700,5000,8200 --k 192
sweep "several counters, widths" --policy worksteal --mode steal,slots,hierarchical \
	--order grouped-m,snake-n --swizzle 1,3,5 --remap all --counters 2,3 --local 0,50,100 \
	--cluster 1x1,2x1,4x1 --xcds 1,4,8 $blocks --m 1,1900,4352 --n 700,8200 --k 192
sweep "few workers, many workers" --policy all --mode steal,global,hierarchical --order all \
	--remap all --workers 1,5,37,131,400 --cluster 1x1,2x1,2x2 --xcds 1,8 $blocks \
	--m 1,1900,4352 --n 700,2048 --k 192
sweep "domains from the hardware" --policy worksteal --mode steal,global --domain hardware \
	--order all --remap all --cluster 1x1,2x1,2x2,4x1 --xcds 2,8 --counters 1 $blocks \
	--m 1,129,1900,4352 --n 1,700,5000,8200 --k 192
sweep "groups" $every --cluster 1x1,2x1,2x2 --xcds 1,3 $blocks --batch 1,3 --section 1,2 \
	--groups "deepseek-v3-t512;300,0,1,0,129,2000;mixtral-8x7b-t16" --n 700 --k 192
sweep "shapes" $every --cluster 1x1,2x1 --xcds 3 --block 128x128x64 --busy-ns 20 --batch 1,3 \
	--shape triangle,causal --m 1900 --n 1900 --k 1900
sweep "several CTAs on an SM" $every --cluster 1x1,2x1,2x2 --xcds 8 --shared-kb 30 $blocks \
	--m 1900,4352 --n 700,8200 --k 192
}

for mode in data-parallel persistent worksteal; do
	"$tilesim" gpu probe --policy $mode --block 128x256x64 --busy-ns 500 \
		--records "$out/$mode.csv" | tee "$out/$mode.txt"
done
for cluster in 1x1 2x1 4x1 8x1 16x1; do
	for device in "$out/this.device" h200; do
		"$tilesim" --device "$device" --policy persistent --cluster $cluster |
			sed -n "s|^device  *\(.*\)|cluster $cluster: \1|p"
	done
done | tee "$out/places.txt"

checker=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ -x "$checker" ]; then
	for tool in memcheck racecheck synccheck initcheck; do
		for policy in data-parallel persistent worksteal; do
			for cluster in 1x1 2x2; do
				# shellcheck disable=SC2086
				expect "$tool, $policy, cluster $cluster" timeout 100 "$checker" \
					--tool $tool --error-exitcode 9 "$tilesim" gpu probe \
					--policy $policy --cluster $cluster --xcds 2 $small
				tail -n 1 "$out/last.txt" >>"$out/expect.txt"
			done
		done
	done
fi
cat "$out/expect.txt" "$out/table.txt"
exit $failed
